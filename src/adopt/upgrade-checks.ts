import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { isOlderMinor, kubernetesRow, minorsAfter } from '../cluster/kubernetes-minors.js';
import type { ProblemList } from '../base/errors.js';
import { type OpenYurtRelease, releasePosition } from '../cluster/openyurt-releases.js';
import { nodeFacts } from '../preconditions/node-pool-facts.js';
import { yurtManagerFact } from '../preconditions/yurt-manager-fact.js';
import type { PlainMap } from '../base/plain-data.js';
import { someOf } from './dump-references.js';
import { oldestKubelet } from './kubernetes-steps.js';
import { apiServerMinors, servedNodePoolVersions } from './upgrade-facts.js';

/** What a plan is made from. */
export interface UpgradeInput {
  /** The cluster as it is. */
  readonly from: EdgeCluster;
  /** The cluster after the upgrade. */
  readonly to: EdgeCluster;
  /** The objects of the cluster. */
  readonly objects: readonly PlainMap[];
  /** Whether nodes without yurthub are converted by the new release.
   * @default false */
  readonly convertNodes?: boolean;
}

/** Whether OpenYurt gets another release, or another patch release that is named. */
export function isOpenYurtChanged(
  { from, to }: UpgradeInput,
  before: OpenYurtRelease | undefined,
  after: OpenYurtRelease | undefined,
): boolean {
  return before !== after || (isPatch(to.openYurtVersion) && patchOf(from.openYurtVersion) !== to.openYurtVersion);
}

const isPatch = (version: string): boolean => /^\d+\.\d+\.\d/.test(version);

/** `1.7` means its first patch release. */
export function patchOf(version: string): string {
  return /^\d+\.\d+$/.test(version) ? `${version}.0` : version;
}

export function checkPair(
  { from, to }: UpgradeInput,
  before: OpenYurtRelease | undefined,
  after: OpenYurtRelease | undefined,
  problems: ProblemList,
): void {
  const at = problems.at('to');
  if ((before === undefined) !== (after === undefined)) {
    at.add(
      'EDGE_UPGRADE',
      after === undefined ? 'removing OpenYurt is not an upgrade' : 'installing OpenYurt is not an upgrade',
      `write --to ${from.openYurt}, or --from ${to.openYurt}`,
    );
  } else if (before !== undefined && after !== undefined) {
    checkReleases(before, after, at);
    checkPatch(to.openYurtVersion, after, at);
    if (before === after && isOlderPatch(to.openYurtVersion, from.openYurtVersion)) {
      at.add(
        'EDGE_UPGRADE',
        `OpenYurt ${to.openYurtVersion} is older than ${from.openYurtVersion}`,
        `write --to ${from.openYurtVersion}, or helm rollback`,
      );
    }
  }
  if (from.kubernetes !== to.kubernetes && minorsAfter(from.kubernetes, to.kubernetes).length === 0) {
    problems
      .at('kubernetes')
      .add(
        'EDGE_UPGRADE',
        `Kubernetes ${to.kubernetes} is older than ${from.kubernetes}, and no control plane can be downgraded`,
        `write --kubernetes ${to.kubernetes}..${from.kubernetes}, or restore the snapshot of etcd`,
      );
  }
}

/** A tag that does not exist would be an image that no node can pull. */
function checkPatch(version: string, { release, patches }: OpenYurtRelease, problems: ProblemList): void {
  if (isPatch(version) && !patches.includes(version)) {
    problems.add(
      'EDGE_UPGRADE',
      `OpenYurt ${version} is not a release that this version of edge-nodepools knows; of ${release} it knows ${patches.join(', ')}`,
      `write --to ${patches[patches.length - 1] ?? release}, or use a newer version of edge-nodepools`,
    );
  }
}

function isOlderPatch(one: string, other: string): boolean {
  const patch = (version: string): number => Number(/^\d+\.\d+\.(\d+)/.exec(version)?.[1] ?? 0);
  return isPatch(one) && patch(one) < patch(other);
}

function checkReleases(before: OpenYurtRelease, after: OpenYurtRelease, problems: ProblemList): void {
  if (releasePosition(after) < releasePosition(before)) {
    problems.add(
      'EDGE_UPGRADE',
      `OpenYurt ${after.release} is older than ${before.release}, and ${
        after.nodePoolVersion === before.nodePoolVersion ? 'has no way to downgrade' : 'cannot read its NodePools'
      }`,
      `write --from ${after.release} --to ${before.release}, or restore the snapshot of etcd`,
    );
    return;
  }
  if (before !== after && !after.upgradesFrom.includes(before.release)) {
    const over = after.upgradesFrom[0] ?? '';
    problems.add(
      'EDGE_UPGRADE',
      `OpenYurt ${after.release} cannot be reached from ${before.release} in one step`,
      `upgrade to ${over} first: --from ${before.release} --to ${over}; then --from ${over} --to ${after.release}`,
    );
  }
}

/** Compares the dump with what it should be. */
export function checkState(
  { from, to, objects }: UpgradeInput,
  before: OpenYurtRelease | undefined,
  after: OpenYurtRelease | undefined,
  problems: ProblemList,
): void {
  const minors = apiServerMinors(objects);
  const at = problems.at('dump');
  const resume =
    'run the upgrade.sh of that upgrade again: it continues where it stopped; or finish it, and read the cluster again';
  if (minors.length > 1) {
    at.add('EDGE_HALF_UPGRADED', `the API servers have different minors: ${minors.join(', ')}`, resume);
  } else if (minors[0] !== undefined && minors[0] !== from.kubernetes) {
    at.add(
      'EDGE_WRONG_CLUSTER',
      `the API server is of ${minors[0]}, not of ${from.kubernetes}`,
      `write --kubernetes ${minors[0]}${to.kubernetes === from.kubernetes ? '' : `..${to.kubernetes}`}, or read the right cluster`,
    );
  }
  checkKubelets(from, objects, minors.length > 0, at);
  const version = yurtManagerFact(objects)?.version;
  const running = version?.split('.').slice(0, 2).join('.');
  if (before === undefined || after === undefined) {
    if (running !== undefined) {
      at.add(
        'EDGE_WRONG_CLUSTER',
        `yurt-manager ${running} runs in this cluster`,
        `write --from ${running} --to ${running}`,
      );
    }
    return;
  }
  const served = servedNodePoolVersions(objects);
  const newer = served?.filter((version) => !before.nodePoolVersions.some((known) => known === version)) ?? [];
  const isAhead = newer.length > 0 || (running !== undefined && running === after.release && before !== after);
  if (newer.length > 0 && running !== after.release) {
    at.add(
      'EDGE_HALF_UPGRADED',
      `NodePools are served as ${newer.join(', ')} already, and yurt-manager is ${running ?? 'not in the dump'}`,
      resume,
    );
  } else if (isAhead && before !== after) {
    at.add(
      'EDGE_HALF_UPGRADED',
      `yurt-manager already runs ${after.release}`,
      `${resume}; or write --from ${after.release} --to ${after.release} for Kubernetes alone`,
    );
  } else if (version !== undefined && isPatch(from.openYurtVersion) && version !== from.openYurtVersion) {
    at.add(
      'EDGE_WRONG_CLUSTER',
      `yurt-manager runs ${version}, not ${from.openYurtVersion}`,
      `write --from ${version}, or read the right cluster`,
    );
  } else if (running !== undefined && running !== before.release) {
    at.add(
      'EDGE_WRONG_CLUSTER',
      `yurt-manager runs ${running}, not ${before.release}`,
      `write --from ${running}, or read the right cluster`,
    );
  }
}

/**
 * kubelet is never newer than its API server, and on a control-plane node of the same minor, except while that is upgraded. If nothing else shows the
 * minor of the API server, one that is too old for it shows that it is another one.
 */
function checkKubelets(
  from: EdgeCluster,
  objects: readonly PlainMap[],
  knowsApiServer: boolean,
  problems: ProblemList,
): void {
  const nodes = nodeFacts(objects, from.nodePoolLabel);
  const oldest = oldestKubelet(kubernetesRow(from.kubernetes));
  const wrong = nodes.filter(
    ({ kubelet, controlPlane }) =>
      kubelet !== undefined &&
      (isOlderMinor(from.kubernetes, kubelet) ||
        (!knowsApiServer && (controlPlane ? kubelet !== from.kubernetes : isOlderMinor(kubelet, oldest)))),
  );
  if (wrong.length > 0) {
    const newest = wrong.flatMap(({ kubelet }) => kubelet ?? []).reduce((a, b) => (isOlderMinor(a, b) ? b : a));
    problems.add(
      'EDGE_WRONG_CLUSTER',
      `kubelets have a minor that an API server of ${from.kubernetes} does not support: ${someOf(wrong.map(({ name, kubelet }) => `${name} (${kubelet})`))}`,
      `write --kubernetes ${newest}, the minor of the API server, or read the right cluster`,
    );
  }
}
