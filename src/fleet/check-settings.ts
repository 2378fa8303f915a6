import { EdgeCluster } from '../cluster/edge-cluster.js';
import { KUBERNETES_MINORS, type KubernetesVersion, lookUpKubernetes } from '../cluster/kubernetes-minors.js';
import { ProblemList } from '../base/errors.js';
import { checkPlacementInput } from './placement-input.js';
import { type FleetLabels, fleetLabelsOf, type PlacementNode } from './node.js';
import { type ListedPool, declaredPool } from './pools-file.js';
import { isPool, type NodePoolAttributes } from '../pools/node-pool.js';
import { isMap } from '../base/plain-data.js';
import { showValue, whatIs } from '../base/properties.js';
import {
  checkedElsewhere,
  checkProperties,
  optional,
  type PropertyTable,
  wholeNumber,
} from '../base/property-table.js';

/**
 * A file with manifests.
 *
 * @category Check manifests
 */
export interface ManifestFile {
  /** Path of the file, by which findings name it. */
  readonly path: string;
  /** YAML or JSON, with any number of objects. */
  readonly text: string;
}

/**
 * What is known beside the manifests.
 *
 * @category Check manifests
 */
export interface CheckSettings {
  /** The cluster, or its labels of pools and of host-network nodes.
   * @default - those of the first of the pools, or of OpenYurt */
  readonly labels?: FleetLabels;
  /** Pools, or example nodes of pools, that have no NodePool among the manifests.
   * @default - none */
  readonly pools?: readonly (PlacementNode | NodePoolAttributes)[];
  /** Numbers of nodes by the name of the pool.
   * @default - `expectedNodes` of the pools, or the Nodes among the manifests */
  readonly nodes?: Readonly<Record<string, number>>;
  /** Minor of Kubernetes, which has removed API versions.
   * @default - that of the cluster in `labels`, or the newest known one */
  readonly kubernetes?: KubernetesVersion;
}

/** The same, as placement reads it. */
export interface ReadSettings {
  readonly labels: Required<FleetLabels>;
  readonly declared: readonly ListedPool[];
  readonly counts: ReadonlyMap<string, number>;
}

const SETTINGS: PropertyTable<CheckSettings> = {
  labels: checkedElsewhere,
  pools: checkedElsewhere,
  nodes: optional((value, problems) => {
    if (!isMap(value)) {
      problems.add('EDGE_TYPE', `the numbers of nodes are ${whatIs(value)}, not a map`, 'write { beijing: 12 }');
      return;
    }
    Object.entries(value).forEach(([pool, count]) => wholeNumber(0)(count, problems.at(pool)));
  }),
  kubernetes: optional((value, problems) => {
    if (typeof value !== 'string' || lookUpKubernetes(value).kind !== 'known') {
      const newest = KUBERNETES_MINORS.at(-1)?.minor ?? '';
      problems.add('EDGE_UNKNOWN_RELEASE', `${showValue(value)} is not a known Kubernetes minor`, `write '${newest}'`);
    }
  }),
};

/** The minor of Kubernetes by which manifests are judged; undefined for the newest. */
export function minorOf({ kubernetes, labels }: CheckSettings): string | undefined {
  const version = kubernetes ?? (labels instanceof EdgeCluster ? labels.kubernetes : undefined);
  const found = version === undefined ? undefined : lookUpKubernetes(version);
  return found?.kind === 'known' ? found.row.minor : undefined;
}

/**
 * Reads settings.
 *
 * @param subject name of the function, for errors
 * @throws {@link EdgeError} with all problems at once
 */
export function readSettings(
  subject: string,
  manifests: readonly object[],
  { labels: given, pools = [], nodes = {} }: CheckSettings,
): ReadSettings {
  checkPlacementInput(subject, manifests, pools, given);
  const labels = fleetLabelsOf(given ?? pools.find(isPool)?.cluster ?? {});
  return {
    labels,
    declared: pools.map((pool) => declaredPool(pool, labels)),
    counts: new Map(Object.entries(nodes)),
  };
}

/** Refuses what are not settings. */
export function requireSettings(subject: string, settings: unknown): void {
  const problems = new ProblemList();
  if (isMap(settings)) {
    checkProperties(settings, SETTINGS, problems.at('settings'), { declared: 'did you mean pools?' });
  } else {
    problems
      .at('settings')
      .add('EDGE_TYPE', `the settings are ${whatIs(settings)}, not a map`, 'write { labels: cluster, pools: [pool] }');
  }
  problems.throwIfAny(subject);
}

/** Refuses files in place of objects, of which none would be checked. */
export function refuseFiles(subject: string, manifests: readonly unknown[]): void {
  const problems = new ProblemList();
  manifests.forEach((object, index) => {
    if (
      isMap(object) &&
      object.kind === undefined &&
      typeof object.path === 'string' &&
      typeof object.text === 'string'
    ) {
      problems
        .at('manifests', index)
        .add(
          'EDGE_NOT_AN_OBJECT',
          'this is a file, not a Kubernetes object',
          'write checkFiles(files), which reads it',
        );
    }
  });
  problems.throwIfAny(subject);
}

/** Refuses what are not files. */
export function requireFiles(subject: string, files: unknown): void {
  const problems = new ProblemList();
  const hint = "write [{ path: 'dist/fleet.k8s.yaml', text }]";
  if (Array.isArray(files)) {
    files.forEach((file: unknown, index) => {
      if (!isMap(file) || typeof file.path !== 'string' || typeof file.text !== 'string') {
        problems.at('files', index).add('EDGE_TYPE', 'a file needs a path and its text', hint);
      }
    });
  } else {
    problems.at('files').add('EDGE_TYPE', `the files are ${whatIs(files)}, not a list`, hint);
  }
  problems.throwIfAny(subject);
}
