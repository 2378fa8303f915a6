import { OWN_LABELS, WAVE_LABEL } from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { type DeliveredSite, type DeliveryFile, MANIFEST_EXTENSION, siteFolder } from './delivered-site.js';
import { type ArgoCdEngine, namespaceOf, runsInSites } from './delivery-engine.js';
import { LAYER_FOLDERS, LAYERS } from './delivery-layer.js';
import { LAYER_LABEL, OWN_SERVER, SITE_LABEL } from './delivery-site.js';
import { inRepository } from './delivery-source.js';
import type { Delivered } from './delivered.js';

// the order of the sites is that of the steps in delivery-rollout.ts: `rollingSync` below
const API_VERSION = 'argoproj.io/v1alpha1';

/** By which Argo CD deletes what an Application has, and keeps a project that one needs. */
const FINALIZER = 'resources-finalizer.argocd.argoproj.io';

/** Folder of the objects of Argo CD, which it reads without what is below it. */
const FOLDER = 'argo-cd';

/** The two applications of a site: its own objects, and its parts of objects of others. */
type Content = 'site' | 'patches';

const CONTENTS: readonly Content[] = ['site', 'patches'];

/** Folder with the parameters of each site. */
const PARAMETERS: Readonly<Record<Content, string>> = { site: 'sites', patches: 'patches' };

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
 *
 * Patches have an ApplicationSet of their own, without the rollout: a rollout syncs only what the source changes (applicationset/progressivesync), and what
 * takes a patch away is a `kubeadm upgrade`, in the cluster. Nor does a rollout then wait for the health of components of others.
 */
export function argoCdFiles(delivered: Delivered): DeliveryFile[] {
  const engine = delivered.engine as ArgoCdEngine;
  return engine.runsOn === 'sites' ? ofSites(delivered, engine) : ofHub(delivered, engine);
}

function ofHub(delivered: Delivered, engine: ArgoCdEngine): DeliveryFile[] {
  const { sites, source } = delivered;
  const isGit = source.source === 'git';
  const all = sites.map((site) => parametersOf(delivered, site)).flat();
  const of = (content: Content): readonly Parameters[] => all.filter((parameters) => parameters.content === content);
  const contents = CONTENTS.filter((content) => of(content).length > 0);
  return [
    {
      path: `${FOLDER}/${delivered.name}${MANIFEST_EXTENSION}`,
      objects: [
        ...project(delivered, engine, sites),
        ...contents.map((content) => applicationSet(delivered, engine, content, isGit ? undefined : of(content))),
        ...root(delivered, engine, FOLDER),
      ],
    },
    ...(isGit
      ? all.map((parameters) => ({
          path: `${FOLDER}/${PARAMETERS[parameters.content]}/${parameters.site}.json`,
          text: `${JSON.stringify(parameters, null, 2)}\n`,
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
  return CONTENTS.map((content) => ({
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
      server: server ?? (clusterName === undefined || runsInSites(engine) ? OWN_SERVER : ''),
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
  const { source, name, deletion } = delivered;
  const isPruned = deletion === 'prune';
  const destinations = sites.map(({ site }) => {
    const { name: cluster, server } = (site.cluster ?? {}) as { readonly name?: string; readonly server?: string };
    return { namespace: '*', ...(cluster === undefined ? { server: server ?? OWN_SERVER } : { name: cluster }) };
  });
  return [
    {
      apiVersion: API_VERSION,
      kind: 'AppProject',
      metadata: {
        name,
        namespace: namespaceOf(engine),
        labels: { ...OWN_LABELS },
        // an Application whose project has gone never ends: the project stays until the last one has (appcontroller.go, finalizeProjectDeletion)
        ...(isPruned ? { finalizers: [FINALIZER] } : {}),
      },
      spec: {
        description: 'Sites of edge-nodepools',
        sourceRepos: [source.source === 'git' ? source.url : `${source.url}/*`],
        // the finalizer of an Application passes over objects with a namespace in a cluster that the project does not permit (appcontroller.go,
        // getPermittedAppLiveObjects), and nothing tells when the objects of a site that has left are gone
        destinations: isPruned && engine.runsOn !== 'sites' ? [{ namespace: '*', server: '*' }] : destinations,
        // pools and policies are cluster-scoped; a list of today's kinds could not delete those of yesterday
        clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      },
    },
  ];
}

function applicationSet(
  delivered: Delivered,
  engine: ArgoCdEngine,
  content: Content,
  elements: readonly Parameters[] | undefined,
): KubernetesObject {
  const { source, deletion, steps } = delivered;
  const name = content === 'site' ? delivered.name : `${delivered.name}-${content}`;
  const revision = source.source === 'git' ? (source.tag ?? source.branch ?? 'main') : '';
  const generator =
    source.source === 'git' && elements === undefined
      ? {
          git: {
            repoURL: source.url,
            revision,
            files: [{ path: inRepository(source, `${FOLDER}/${PARAMETERS[content]}/*.json`) }],
          },
        }
      : { list: { elements } };
  const values: Parameters = {
    application: '{{ .application }}',
    site: '{{ .site }}',
    content,
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
      ...(steps === undefined || content === 'patches' ? {} : { strategy: rollingSync(delivered) }),
      template: { metadata: templateMetadata, spec },
      ...(hasLabels ? { templatePatch: 'metadata:\n  labels: {{ toJson .labels }}\n' } : {}),
    },
  };
}

/** An application in no step would never be synced. */
function rollingSync({ steps = [], rollout }: Delivered): object {
  return {
    type: 'RollingSync',
    rollingSync: {
      steps: steps.map(({ wave, atOnce }, index) => {
        const most = index > 0 && rollout?.gate === 'manual' ? 0 : atOnce;
        return {
          matchExpressions: [{ key: WAVE_LABEL, operator: 'In', values: [String(wave)] }],
          ...(most === undefined ? {} : { maxUpdate: most }),
        };
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
      ...(isPruned ? { finalizers: [FINALIZER] } : {}),
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
        // a rollout syncs by itself, and prunes only if this says so (applicationset/progressivesync). Otherwise it is left out: without the setting of the
        // controller that a rollout needs, nothing is synced then, instead of everything at once
        ...(steps === undefined || isPruned || parameters.content === 'patches'
          ? { automated: { prune: isPruned, selfHeal: true } }
          : {}),
        syncOptions: ['ServerSideApply=true', 'FailOnSharedResource=true'],
        // an edge site is offline for a while, and OpenYurt may come later
        retry: { ...RETRY, backoff: { ...RETRY.backoff } },
      },
    },
  };
}

/** With the newest revision each time: a sync that fails for ever would otherwise keep the one that cures it from beginning. */
const RETRY = { limit: -1, refresh: true, backoff: { duration: '30s', factor: 2, maxDuration: '10m' } } as const;

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
          retry: { ...RETRY, backoff: { ...RETRY.backoff } },
        },
      },
    },
  ];
}
