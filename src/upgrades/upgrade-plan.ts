import type { EdgeWarning, ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { minorsAfter } from '../cluster/kubernetes-minors.js';
import { openYurtRow, type OpenYurtRelease, releasePosition } from '../cluster/openyurt-releases.js';
import { nodeFacts, poolFacts } from '../preconditions/node-pool-facts.js';
import type { PreconditionFile } from '../preconditions/precondition.js';
import type { PlainMap } from '../validation/plain-data.js';
import { kubernetesSteps } from './kubernetes-steps.js';
import { openYurtSteps } from './openyurt-steps.js';
import { apiServerMinors, clusterUid, servedNodePoolVersions, yurtManagerFact } from './upgrade-facts.js';
import { clusterScript, scriptName, stepScript, upgradeScript, type UpgradeStep, upgradeStep } from './upgrade-step.js';

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

/** An upgrade as ordered steps, and the files that run them. */
export interface UpgradePlan {
  readonly from: string;
  readonly to: string;
  readonly steps: readonly UpgradeStep[];
  readonly warnings: readonly EdgeWarning[];
  /** What the dump does not contain, so that steps about it may be missing. */
  readonly unread: readonly string[];
  readonly files: readonly PreconditionFile[];
}

/** Plans an upgrade. Problems: an impossible pair, another cluster, an upgrade that has begun. */
export function planUpgrade(input: UpgradeInput, problems: ProblemList): UpgradePlan {
  const { from, to, objects } = input;
  const [before, after] = [openYurtRow(from.openYurt), openYurtRow(to.openYurt)];
  checkPair(input, before, after, problems);
  if (problems.problems.length === 0) {
    checkState(input, before, after, problems);
  }
  const nodes = nodeFacts(objects, from.nodePoolLabel);
  const pools = poolFacts(objects, nodes, from.nodePoolApiVersion());
  const isOpenYurtUpgraded = before !== undefined && after !== undefined && before !== after;
  const steps =
    problems.problems.length > 0
      ? []
      : [
          ...(isOpenYurtUpgraded
            ? [
                ...openYurtSteps({
                  cluster: from,
                  from: before,
                  to: after,
                  version: patchOf(to.openYurtVersion),
                  objects,
                  pools,
                  nodes,
                  yurtManager: yurtManagerFact(objects) ?? { namespace: 'kube-system', helmRelease: 'yurt-manager' },
                  convertNodes: input.convertNodes ?? false,
                }),
                ...(from.kubernetes === to.kubernetes ? [programStep(to)] : []),
              ]
            : []),
          ...kubernetesSteps({ from, to, objects, nodes }),
        ];
  const all = steps.length === 0 ? [] : [backupStep(before, after), ...steps];
  return {
    from: from.toString(),
    to: to.toString(),
    steps: all,
    warnings: to.warnings,
    unread: unreadIn(input),
    files: all.length === 0 ? [] : filesOf(input, all),
  };
}

/** `1.7` means its first patch release. */
function patchOf(version: string): string {
  return /^\d+\.\d+$/.test(version) ? `${version}.0` : version;
}

function checkPair(
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
function checkState(
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
  const running = yurtManagerFact(objects)?.version?.split('.').slice(0, 2).join('.');
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
      `yurt-manager is of ${after.release} already`,
      `${resume}; or write --from ${after.release} --to ${after.release} for Kubernetes alone`,
    );
  } else if (running !== undefined && running !== before.release) {
    at.add(
      'EDGE_WRONG_CLUSTER',
      `yurt-manager is of ${running}, not of ${before.release}`,
      `write --from ${running}, or read the right cluster`,
    );
  }
}

const KINDS: readonly (readonly [what: string, isOf: (object: PlainMap) => boolean])[] = [
  ['namespaces', ({ kind }) => kind === 'Namespace'],
  ['nodes', ({ kind }) => kind === 'Node'],
];

const OPENYURT_KINDS: typeof KINDS = [
  ['nodepools.apps.openyurt.io', ({ kind }) => kind === 'NodePool'],
  ['customresourcedefinitions', ({ kind }) => kind === 'CustomResourceDefinition'],
  ['deployments', (object) => yurtManagerFact([object]) !== undefined],
  ['clusterroles', ({ kind }) => kind === 'ClusterRole'],
];

function unreadIn({ from, objects }: UpgradeInput): string[] {
  const kinds = [...KINDS, ...(from.hasOpenYurt() ? OPENYURT_KINDS : [])];
  return kinds.filter(([, isOf]) => !objects.some(isOf)).map(([what]) => what);
}

function backupStep(before: OpenYurtRelease | undefined, after: OpenYurtRelease | undefined): UpgradeStep {
  const get = (kinds: string, file: string): string =>
    `kubectl get ${kinds} --all-namespaces --output=yaml >backup/${file}.part && mv backup/${file}.part backup/${file}`;
  const retired = (after?.retiredKinds ?? []).filter((kind) => before?.retiredKinds.includes(kind) === false);
  const kinds = [...retired, 'YurtAppSet'].map((kind) => `${kind.toLowerCase()}s.apps.openyurt.io`);
  const lines = [
    'mkdir -p backup',
    ...(before === undefined
      ? []
      : [
          get('nodepools.apps.openyurt.io', 'nodepools.yaml'),
          get('customresourcedefinitions', 'customresourcedefinitions.yaml'),
          get(kinds.join(','), 'workloads.yaml'),
        ]),
    get('validatingwebhookconfigurations,mutatingwebhookconfigurations', 'webhooks.yaml'),
  ];
  return upgradeStep({
    id: 'backup',
    what: 'Save the objects that the upgrade changes, in the folder backup.',
    why: 'They show what was there. Only a snapshot of etcd brings all of it back: take one now, with the tool of your control plane (etcdctl snapshot save).',
    pods: 'keep running',
    check: ['test -s backup/webhooks.yaml'],
    commands: lines,
    back: ['say "nothing was changed"'],
  });
}

function programStep(to: EdgeCluster): UpgradeStep {
  return upgradeStep({
    id: 'program',
    what: `Apply the program for OpenYurt ${to.openYurt}: EdgeCluster.of({ openYurt: '${to.openYurt}', kubernetes: '${to.kubernetes}' }).`,
    why: 'NodePools are written in the version of the release, and policies, webhooks and joins follow it.',
    pods: 'keep running; fleetDiff(before, after) of the two manifests names the workloads that roll out',
    place: 'program',
    commands: [
      'synthesize it and compare: fleetDiff(before, after)',
      'apply it without pruning, then delete what is gone (or prune)',
    ],
    back: ['say "apply the earlier manifests"'],
  });
}

function filesOf({ from, to, objects }: UpgradeInput, steps: readonly UpgradeStep[]): PreconditionFile[] {
  const title = `Upgrades ${from.toString()} to ${to.toString()}.`;
  return [
    { path: 'upgrade.sh', content: upgradeScript(title) },
    { path: 'cluster.sh', content: clusterScript(clusterUid(objects), from.nodePoolLabel) },
    ...steps.map((step, index) => ({ path: `steps/${scriptName(step, index)}.sh`, content: stepScript(step, index) })),
    ...steps.flatMap(({ files }) => files),
  ];
}
