import { OWN_LABELS, WAVE_LABEL } from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { type DeliveredSite, type DeliveryFile, MANIFEST_EXTENSION, siteFolder } from './delivered-site.js';
import { type ArgoCdEngine, namespaceOf } from './delivery-engine.js';
import { LAYER_FOLDERS, LAYERS } from './delivery-layer.js';
import { LAYER_LABEL, OWN_SERVER, SITE_LABEL } from './delivery-site.js';
import { inRepository } from './delivery-source.js';
import type { Delivered } from './delivered.js';

const API_VERSION = 'argoproj.io/v1alpha1';

/** Folder of the objects of Argo CD, which it reads without what is below it. */
const FOLDER = 'argo-cd';

/** The two applications of a site: its own objects, and its parts of objects of others. */
type Content = 'site' | 'patches';

/** An application of a site, as values of the template of its ApplicationSet. */
interface Parameters {
  readonly application: string;
  readonly site: string;
  readonly content: Content;
  readonly wave: string;
  readonly repository: string;
  readonly revision: string;
  readonly folder: string;
  /** Files in the folder. */
  readonly include: string;
  /** Name of the cluster; empty if it is known by its address. */
  readonly cluster: string;
  readonly server: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * The objects of Argo CD 3, and the parameters of the sites.
 *
 * A site is one application, whose layers are sync waves, and one more for patches. Waves order creation and, in reverse, deletion within a site, whatever
 * becomes of other sites; an application for each layer would need a rollout for that, in which one offline site stops all others, and nothing would
 * order its deletion.
 */
export function argoCdFiles(delivered: Delivered): DeliveryFile[] {
  const engine = delivered.engine as ArgoCdEngine;
  return engine.runsOn === 'sites' ? ofSites(delivered, engine) : ofHub(delivered, engine);
}

function ofHub(delivered: Delivered, engine: ArgoCdEngine): DeliveryFile[] {
  const { sites, source } = delivered;
  const isGit = source.source === 'git';
  const parameters = sites.map((site) => ({ site, list: parametersOf(delivered, site) }));
  return [
    {
      path: `${FOLDER}/${delivered.name}${MANIFEST_EXTENSION}`,
      objects: [
        ...project(delivered, engine, sites),
        applicationSet(delivered, engine, isGit ? undefined : parameters.flatMap(({ list }) => list)),
        ...root(delivered, engine, FOLDER),
      ],
    },
    // a file with a list makes an application of each of its entries (applicationset/generators/git.go)
    ...(isGit
      ? parameters.map(({ site: { site }, list }) => ({
          path: `${FOLDER}/sites/${site.name}.json`,
          text: `${JSON.stringify(list, null, 2)}\n`,
        }))
      : []),
  ];
}

function ofSites(delivered: Delivered, engine: ArgoCdEngine): DeliveryFile[] {
  return delivered.sites.map((site) => {
    const folder = `${FOLDER}/${site.site.name}`;
    return {
      path: `${folder}/${delivered.name}${MANIFEST_EXTENSION}`,
      objects: [
        ...project(delivered, engine, [site]),
        ...parametersOf(delivered, site).map((parameters) => application(delivered, engine, parameters)),
        ...root(delivered, engine, folder),
      ],
    };
  });
}

function parametersOf({ name, source, engine }: Delivered, { site, layers }: DeliveredSite): Parameters[] {
  const { cluster = {}, labels = {}, wave = 0 } = site;
  const { name: clusterName, server } = cluster as { readonly name?: string; readonly server?: string };
  const contents: readonly Content[] = ['site', 'patches'];
  return contents
    .map((content) => ({
      content,
      folders: LAYERS.filter((layer) => layers.has(layer) && (layer === 'patches') === (content === 'patches')),
    }))
    .filter(({ folders }) => folders.length > 0)
    .map(({ content, folders }) => ({
      application: content === 'site' ? `${name}-${site.name}` : `${name}-${site.name}-${content}`,
      site: site.name,
      content,
      wave: String(wave),
      repository: source.source === 'git' ? source.url : `${source.url}/${site.name}`,
      revision: source.source === 'git' ? (source.tag ?? source.branch ?? 'main') : (source.tag ?? 'latest'),
      folder: source.source === 'git' ? inRepository(source, siteFolder(site)) : '.',
      include: folderPattern(folders.map((layer) => LAYER_FOLDERS[layer])),
      cluster: clusterName ?? '',
      server: server ?? (clusterName === undefined || engine.runsOn === 'sites' ? OWN_SERVER : ''),
      labels,
    }));
}

/** Only what this library writes: another file in these folders, such as parameters in JSON, would be an object without a kind, and fail everything. */
function folderPattern(folders: readonly string[]): string {
  const names = folders.length === 1 ? (folders[0] as string) : `{${folders.join(',')}}`;
  return `${names}/*${MANIFEST_EXTENSION}`;
}

function project(delivered: Delivered, engine: ArgoCdEngine, sites: readonly DeliveredSite[]): KubernetesObject[] {
  if (engine.project !== undefined) {
    return [];
  }
  const { source, name } = delivered;
  const destinations = sites.map(({ site }) => {
    const { name: cluster, server } = (site.cluster ?? {}) as { readonly name?: string; readonly server?: string };
    return { namespace: '*', ...(cluster === undefined ? { server: server ?? OWN_SERVER } : { name: cluster }) };
  });
  return [
    {
      apiVersion: API_VERSION,
      kind: 'AppProject',
      metadata: { name, namespace: namespaceOf(engine), labels: { ...OWN_LABELS } },
      spec: {
        description: 'Sites of edge-nodepools',
        sourceRepos: [source.source === 'git' ? source.url : `${source.url}/*`],
        destinations,
        // pools and policies are cluster-scoped; a list of today's kinds could not delete those of yesterday
        clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      },
    },
  ];
}

function applicationSet(
  delivered: Delivered,
  engine: ArgoCdEngine,
  elements: readonly Parameters[] | undefined,
): KubernetesObject {
  const { source, name, deletion, steps } = delivered;
  const revision = source.source === 'git' ? (source.tag ?? source.branch ?? 'main') : '';
  const generator =
    source.source === 'git' && elements === undefined
      ? { git: { repoURL: source.url, revision, files: [{ path: inRepository(source, `${FOLDER}/sites/*.json`) }] } }
      : { list: { elements } };
  const values: Parameters = {
    application: '{{ .application }}',
    site: '{{ .site }}',
    content: '{{ .content }}' as Content,
    wave: '{{ .wave }}',
    repository: '{{ .repository }}',
    revision: '{{ .revision }}',
    folder: '{{ .folder }}',
    include: '{{ .include }}',
    cluster: '{{ .cluster }}',
    server: '{{ .server }}',
    labels: {},
  };
  const { metadata, spec } = application(delivered, engine, values);
  const { namespace, ...templateMetadata } = metadata as { readonly namespace: string };
  const hasLabels = delivered.sites.some(({ site }) => Object.keys(site.labels ?? {}).length > 0);
  return {
    apiVersion: API_VERSION,
    kind: 'ApplicationSet',
    metadata: { name, namespace, labels: { ...OWN_LABELS } },
    spec: {
      goTemplate: true,
      goTemplateOptions: ['missingkey=error'],
      generators: [generator],
      // an error in a list of sites must not delete what runs in them
      syncPolicy: { preserveResourcesOnDeletion: deletion === 'keep' },
      ...(steps === undefined ? {} : { strategy: rollingSync(delivered) }),
      template: { metadata: templateMetadata, spec },
      ...(hasLabels ? { templatePatch: 'metadata:\n  labels: {{ toJson .labels }}\n' } : {}),
    },
  };
}

/** Each step is one of the objects of the sites, then one of their patches. An application in no step would never be synced. */
function rollingSync({ steps = [], rollout, sites }: Delivered): object {
  const havePatches = (wave: number): boolean =>
    sites.some(({ site, layers }) => (site.wave ?? 0) === wave && layers.has('patches'));
  return {
    type: 'RollingSync',
    rollingSync: {
      steps: steps.flatMap(({ wave, atOnce }, index) => {
        const most = index > 0 && rollout?.gate === 'manual' ? 0 : atOnce;
        const contents: readonly Content[] = havePatches(wave) ? ['site', 'patches'] : ['site'];
        return contents.map((content) => ({
          matchExpressions: [
            { key: WAVE_LABEL, operator: 'In', values: [String(wave)] },
            { key: LAYER_LABEL, operator: 'In', values: [content] },
          ],
          ...(most === undefined ? {} : { maxUpdate: most }),
        }));
      }),
    },
  };
}

function application(delivered: Delivered, engine: ArgoCdEngine, parameters: Parameters): KubernetesObject {
  const { deletion, steps, name } = delivered;
  const isPruned = deletion === 'prune';
  return {
    apiVersion: API_VERSION,
    kind: 'Application',
    metadata: {
      name: parameters.application,
      namespace: namespaceOf(engine),
      labels: {
        ...parameters.labels,
        ...OWN_LABELS,
        [SITE_LABEL]: parameters.site,
        [LAYER_LABEL]: parameters.content,
        [WAVE_LABEL]: parameters.wave,
      },
      ...(isPruned ? { finalizers: ['resources-finalizer.argocd.argoproj.io'] } : {}),
    },
    spec: {
      project: engine.project ?? name,
      source: {
        repoURL: parameters.repository,
        targetRevision: parameters.revision,
        path: parameters.folder,
        directory: { recurse: true, include: parameters.include },
      },
      destination: destinationOf(parameters),
      syncPolicy: {
        // a rollout syncs; without the setting of the controller that it needs, nothing is synced, instead of everything at once
        ...(steps === undefined ? { automated: { prune: isPruned, selfHeal: true } } : {}),
        syncOptions: ['ServerSideApply=true', 'FailOnSharedResource=true'],
        // an edge site is offline for a while, and OpenYurt may come later
        retry: { limit: -1, backoff: { duration: '30s', factor: 2, maxDuration: '10m' } },
      },
    },
  };
}

function destinationOf({ cluster, server }: Parameters): object {
  return { ...(cluster === '' ? {} : { name: cluster }), ...(server === '' ? {} : { server }) };
}

/** The application that delivers the objects of Argo CD. It is in the project of Argo CD itself, and deletes nothing. */
function root({ name, source, deletion }: Delivered, engine: ArgoCdEngine, folder: string): KubernetesObject[] {
  if (engine.selfManaged === false || source.source !== 'git') {
    return [];
  }
  return [
    {
      apiVersion: API_VERSION,
      kind: 'Application',
      metadata: { name, namespace: namespaceOf(engine), labels: { ...OWN_LABELS } },
      spec: {
        project: 'default',
        source: {
          repoURL: source.url,
          targetRevision: source.tag ?? source.branch ?? 'main',
          path: inRepository(source, folder),
          directory: { include: `*${MANIFEST_EXTENSION}` },
        },
        destination: { server: OWN_SERVER, namespace: namespaceOf(engine) },
        syncPolicy: {
          automated: { prune: deletion === 'prune' && engine.runsOn === 'sites', selfHeal: true },
          syncOptions: ['ServerSideApply=true'],
          retry: { limit: -1, backoff: { duration: '30s', factor: 2, maxDuration: '10m' } },
        },
      },
    },
  ];
}
