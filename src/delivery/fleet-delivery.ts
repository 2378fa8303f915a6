import { EdgeError, type EdgeProblem, type EdgeWarning, ProblemList } from '../base/errors.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import { argoCdFiles } from './argo-cd.js';
import type { Delivered } from './delivered.js';
import { formerFile } from './former-delivery.js';
import {
  type DeliveredSite,
  deliveredSite,
  type DeliveryFile,
  type SiteContent,
  siteFolder,
} from './delivered-site.js';
import { LAYERS } from './delivery-layer.js';
import { gateWarnings, stepsOf, waveWarnings } from './delivery-rollout.js';
import { engineName, engineWarnings } from './delivery-engine.js';
import type { GitSource } from './delivery-source.js';
import type { DeliverySite } from './delivery-site.js';
import { DELIVERY_NAME, type FleetDeliveryBaseProps } from './fleet-delivery-props.js';
import { engineBytesOf, LARGEST_OBJECT, unpackWarnings } from './engine-size.js';
import { fluxFiles, GATES } from './flux.js';

/** Folders in which every file is one of a delivery: an engine reads all of them, or a person applies them. */
export function deliveredFolders({ engine }: Pick<FleetDeliveryBaseProps, 'engine'>): readonly string[] {
  return ['sites', engine.engine, ...(engine.engine === 'flux' ? [GATES] : [])];
}

/** What a delivery writes. */
export interface DeliveryPlan {
  readonly delivered: Delivered;
  /** Manifests of the sites, each file in the folder of a layer. */
  readonly siteFiles: readonly DeliveryFile[];
  /** Objects of the engine and what it reads besides, outside of the folders of sites. */
  readonly engineFiles: readonly DeliveryFile[];
  /** An archive for each site, if the source is a registry. */
  readonly archives: readonly DeliveryFile[];
  /** The objects of the engine. */
  readonly engineObjects: readonly KubernetesObject[];
}

/**
 * Plans a delivery: which file has which object, and what the engine needs to apply them in order.
 *
 * @param contents what each site gets
 * @throws {@link EdgeError} with all problems at once
 */
export function planFleetDelivery(
  props: FleetDeliveryBaseProps,
  contents: readonly SiteContent[],
  subject: string,
): DeliveryPlan {
  const problems = new ProblemList();
  const refused = new Set<number>();
  const sites = contents.map((content, index) => {
    const before = problems.problems.length;
    const site = deliveredSite(content, props, problems.at('sites', index));
    if (problems.problems.length > before) {
      refused.add(index);
    }
    return site;
  });
  sites.forEach((site, index) => {
    const bytes = engineBytesOf(props, site);
    if (bytes > LARGEST_OBJECT) {
      problems
        .at('sites', index)
        .add(
          'EDGE_SIZE',
          `the objects of the site make an object of ${engineName(props.engine.engine)} of about ${Math.round(bytes / 1e6)} MB, and an API server stores at most 1.5 MiB`,
          'divide the charts among several deliveries: each with a name, an app (with Pulumi a folder) and a path in the repository of its own',
        );
    }
    if (site.layers.size === 0 && !refused.has(index)) {
      problems
        .at('sites', index)
        .add(
          'EDGE_MATCHES_NOTHING',
          'the site has no objects, and an engine refuses a folder that is not there',
          'give it charts with objects, or leave it out',
        );
    }
  });
  if (problems.problems.length === 0 && props.partials === 'engine') {
    checkComponentNames(props.components, sites, problems.at('components'));
  }
  throwFolded(problems, subject);
  const delivered: Delivered = {
    ...props,
    name: props.name ?? DELIVERY_NAME,
    deletion: props.deletion ?? 'keep',
    sites,
    ...(props.rollout === undefined
      ? {}
      : {
          steps: stepsOf(
            props.rollout,
            contents.map(({ site }) => site),
          ),
        }),
  };
  const engineFiles = engineFilesOf(delivered);
  checkSizes(
    engineFiles.flatMap(({ objects = [] }) => objects),
    subject,
  );
  return {
    delivered,
    siteFiles: sites.flatMap(({ layers }) => LAYERS.flatMap((layer) => layers.get(layer) ?? [])),
    engineFiles: [...engineFiles, formerFile(delivered)],
    archives: props.source.source === 'oci' ? sites.map(archiveOf) : [],
    // the object of a gate is delivered, as those of sites are
    engineObjects: engineFiles.filter(({ path }) => !path.startsWith(GATES)).flatMap(({ objects = [] }) => objects),
  };
}

/** Refuses the name of a component of which no site has a partial object: it is misspelt, or left over. */
function checkComponentNames(
  components: FleetDeliveryBaseProps['components'] = {},
  sites: readonly DeliveredSite[],
  problems: ProblemList,
): void {
  const patches = sites.flatMap(({ layers }) => layers.get('patches') ?? []).flatMap(({ objects = [] }) => objects);
  const names = [...new Set(patches.map(nameOf))];
  for (const name of Object.keys(components).filter((each) => !names.includes(each))) {
    problems
      .at(name)
      .add(
        'EDGE_MATCHES_NOTHING',
        `no site has a partial object of ${name}`,
        names.length === 0 ? 'leave it out' : `write one of ${names.slice(0, 5).join(', ')}; or leave it out`,
      );
  }
}

/** Throws what is wrong with the sites; what is the same in many of them, such as a chart in all sites, is said once. */
function throwFolded({ problems }: ProblemList, subject: string): void {
  const folded = new Map<string, { readonly problem: EdgeProblem; sites: number }>();
  for (const problem of problems) {
    const key = JSON.stringify({ ...problem, path: problem.path.replace(/^sites\[\d+\]/, 'sites') });
    const one = folded.get(key) ?? { problem, sites: 0 };
    folded.set(key, one);
    one.sites++;
  }
  if (folded.size > 0) {
    throw new EdgeError(
      subject,
      [...folded.values()].map(({ problem, sites }) =>
        sites === 1
          ? problem
          : { ...problem, message: `${problem.message} (the same in ${sites - 1} more of the sites)` },
      ),
    );
  }
}

/** Refuses objects that no API server stores, such as an ApplicationSet with a list of too many sites. */
function checkSizes(objects: readonly KubernetesObject[], subject: string): void {
  const problems = new ProblemList();
  for (const object of objects) {
    const bytes = Buffer.byteLength(JSON.stringify(object));
    if (bytes > LARGEST_OBJECT) {
      problems
        .at(nameOf(object))
        .add(
          'EDGE_SIZE',
          `the object has ${(bytes / 1e6).toFixed(1)} MB, and an API server stores at most 1.5 MiB`,
          'divide the sites among several deliveries: each with a name, an app (with Pulumi a folder) and a path in the repository of its own',
        );
    }
  }
  problems.throwIfAny(subject);
}

function engineFilesOf(delivered: Delivered): DeliveryFile[] {
  switch (delivered.engine.engine) {
    case 'argo-cd':
      return argoCdFiles(delivered);
    case 'flux':
      return fluxFiles(delivered);
  }
}

/** The layer of the artifact of a site: its files, from the folder of the site on. */
function archiveOf({ site, layers }: DeliveredSite): DeliveryFile {
  const begin = `${siteFolder(site)}/`.length;
  const files = [...layers.values()].flat().map((file) => ({ ...file, path: file.path.slice(begin) }));
  return { path: `oci/${site.name}.tar.gz`, files };
}

/** What works, but perhaps not as intended. */
export function deliveryWarnings(
  { rollout, source, engine, components, partials }: FleetDeliveryBaseProps,
  sites: readonly DeliverySite[],
): EdgeWarning[] {
  const waves = new Set(sites.map(({ wave = 0 }) => wave));
  const unused =
    engine.engine === 'argo-cd' ? (['secretName', 'insecure'] as const).filter((name) => name in (source ?? {})) : [];
  const credentials = unused.map((name): EdgeWarning => ({
    code: 'EDGE_UNUSED',
    path: `source.${name}`,
    message: `Argo CD does not read ${name} here`,
    hint: 'leave it out: a Secret with the label argocd.argoproj.io/secret-type: repository has the credentials for an address',
  }));
  const order: EdgeWarning[] =
    rollout === undefined && waves.size > 1
      ? [
          {
            code: 'EDGE_UNUSED',
            path: 'rollout',
            message: 'the waves of the sites have no effect: without a rollout all sites change at once',
            hint: 'write rollout: {}, or leave the waves out',
          },
        ]
      : [];
  const { branch, path } = (source ?? {}) as Partial<GitSource>;
  const remote: EdgeWarning[] = /^(origin|upstream)\//.test(branch ?? '')
    ? [
        {
          code: 'EDGE_VALUE',
          path: 'source.branch',
          message: `${branch} is the name of a branch in a clone, and the engine asks the repository itself`,
          hint: `write branch: '${branch?.replace(/^[^/]+\//, '')}'`,
        },
      ]
    : [];
  const [, above] = /^(?:(.*)\/)?sites$/.exec(path ?? '') ?? [];
  const twice: EdgeWarning[] =
    path !== undefined && /(^|\/)sites$/.test(path)
      ? [
          {
            code: 'EDGE_VALUE',
            path: 'source.path',
            message: `the path is of the output folder, in which the folder sites is: the engine reads ${path}/sites`,
            hint: `${above === undefined ? 'leave it out' : `write path: '${above}'`}; nothing to do if the output folder is called sites, too`,
          },
        ]
      : [];
  const componentWarnings: EdgeWarning[] =
    components === undefined || partials === 'engine'
      ? []
      : [
          {
            code: 'EDGE_UNUSED',
            path: 'components',
            message: 'the components have no effect: no engine applies their partial objects',
            hint: "write partials: 'engine', or leave components out",
          },
        ];
  return [
    ...order,
    ...credentials,
    ...remote,
    ...twice,
    ...componentWarnings,
    ...gateWarnings(rollout, sites),
    ...waveWarnings(rollout, sites),
    ...engineWarnings(engine),
    ...unpackWarnings({ engine, source }, sites.length),
  ];
}

/**
 * Warns of charts that no site has, in a program that delivers others.
 *
 * @param charts paths of the charts with objects that are in no site
 */
export function undeliveredWarnings(charts: readonly string[]): EdgeWarning[] {
  return charts.map((chart) => ({
    code: 'EDGE_MATCHES_NOTHING',
    path: 'sites',
    message: `no site has the chart ${chart}: it is written, and nothing delivers it`,
    hint: 'add it to the charts of a site; nothing to do if you apply it yourself',
  }));
}
