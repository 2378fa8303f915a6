import type { EdgeWarning, ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { minorsAfter } from '../cluster/kubernetes-minors.js';
import { openYurtRow, type OpenYurtRelease, releasePosition } from '../cluster/openyurt-releases.js';
import { nodeFacts, poolFacts } from '../preconditions/node-pool-facts.js';
import type { PreconditionFile } from '../preconditions/precondition.js';
import { mapAt, type PlainMap } from '../validation/plain-data.js';
import { clusterScript } from './cluster-script.js';
import { kubernetesSteps } from './kubernetes-steps.js';
import { openYurtSteps } from './openyurt-steps.js';
import { checkFormat, formatSteps } from './own-format.js';
import { apiServerMinors, clusterUids, servedNodePoolVersions, yurtManagerFact } from './upgrade-facts.js';
import { scriptName, stepScript, upgradeScript, type UpgradeStep, upgradeStep } from './upgrade-step.js';

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
  const [uid, ...otherClusters] = clusterUids(objects);
  if (otherClusters.length > 0) {
    problems
      .at('dump')
      .add(
        'EDGE_WRONG_CLUSTER',
        'it has objects of two clusters: two namespaces kube-system with different UIDs',
        'read one cluster into an empty folder',
      );
  }
  checkFormat(objects, problems.at('dump'));
  if (problems.problems.length === 0) {
    checkRead(input, uid, isOpenYurtChanged(input, before, after), problems.at('dump'));
  }
  const nodes = nodeFacts(objects, from.nodePoolLabel);
  const pools = poolFacts(objects, nodes, from.nodePoolApiVersion());
  const steps =
    problems.problems.length > 0
      ? []
      : [
          ...(before !== undefined && after !== undefined && isOpenYurtChanged(input, before, after)
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
                programStep(to.openYurt, from.kubernetes),
                preconditionsStep(before, after, from.kubernetes),
              ]
            : []),
          ...kubernetesSteps({ from, to, objects, nodes }),
          ...formatSteps(objects),
        ];
  const all = steps.length === 0 ? [] : [backupStep(objects), ...steps];
  return {
    from: from.toString(),
    to: to.toString(),
    steps: all,
    warnings: to.warnings,
    unread: unreadIn(input),
    files: all.length === 0 || uid === undefined ? [] : filesOf(input, uid, all),
  };
}

/** Whether OpenYurt gets another release, or another patch release that is named. */
function isOpenYurtChanged(
  { from, to }: UpgradeInput,
  before: OpenYurtRelease | undefined,
  after: OpenYurtRelease | undefined,
): boolean {
  return before !== after || (isPatch(to.openYurtVersion) && patchOf(from.openYurtVersion) !== to.openYurtVersion);
}

const isPatch = (version: string): boolean => /^\d+\.\d+\.\d/.test(version);

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
      `yurt-manager is of ${after.release} already`,
      `${resume}; or write --from ${after.release} --to ${after.release} for Kubernetes alone`,
    );
  } else if (version !== undefined && isPatch(from.openYurtVersion) && version !== from.openYurtVersion) {
    at.add(
      'EDGE_WRONG_CLUSTER',
      `yurt-manager is of ${version}, not of ${from.openYurtVersion}`,
      `write --from ${version}, or read the right cluster`,
    );
  } else if (running !== undefined && running !== before.release) {
    at.add(
      'EDGE_WRONG_CLUSTER',
      `yurt-manager is of ${running}, not of ${before.release}`,
      `write --from ${running}, or read the right cluster`,
    );
  }
}

/** What a plan cannot be made without: a step that is missing because of a missing object would be a danger. */
function checkRead(
  { from, objects }: UpgradeInput,
  uid: string | undefined,
  isOpenYurt: boolean,
  problems: ProblemList,
): void {
  const has = (kind: string): boolean => objects.some((object) => object.kind === kind);
  const isMember = nodeFacts(objects, from.nodePoolLabel).some(({ pool }) => pool !== undefined);
  const required: readonly (readonly [what: string, isThere: boolean])[] = [
    ['namespaces', uid !== undefined],
    ['nodes', has('Node')],
    ['customresourcedefinitions', !isOpenYurt || servedNodePoolVersions(objects) !== undefined],
    ['deployments', !isOpenYurt || yurtManagerFact(objects) !== undefined],
    ['nodepools.apps.openyurt.io', !isOpenYurt || !isMember || has('NodePool')],
  ];
  for (const [what] of required.filter(([, isThere]) => !isThere)) {
    const missing: Readonly<Record<string, string>> = {
      namespaces: 'the namespace kube-system, whose UID tells clusters apart',
      deployments: 'the Deployment yurt-manager',
      customresourcedefinitions: 'the CustomResourceDefinition nodepools.apps.openyurt.io',
    };
    problems.add(
      'EDGE_MISSING',
      `it does not contain ${missing[what] ?? what}`,
      `kubectl get ${what} --all-namespaces --output=yaml >dump/${what}.yaml`,
    );
  }
}

/** What else a plan looks at, and the dump does not contain. */
function unreadIn({ from, objects }: UpgradeInput): string[] {
  const kinds: readonly (readonly [what: string, kind: string])[] = [
    ['pods', 'Pod'],
    ['configmaps', 'ConfigMap'],
    ...(from.hasOpenYurt() ? ([['clusterroles', 'ClusterRole']] as const) : []),
  ];
  return kinds.filter(([, kind]) => !objects.some((object) => object.kind === kind)).map(([what]) => what);
}

function backupStep(objects: readonly PlainMap[]): UpgradeStep {
  // the kinds of OpenYurt that the cluster has
  const own = objects
    .filter(({ kind }) => kind === 'CustomResourceDefinition')
    .map((crd) => String(mapAt(crd, 'metadata').name))
    .filter((name) => /^[a-z]+\.apps\.openyurt\.io$/.test(name));
  const kinds = [
    ...own,
    ...['nodes', 'clusterroles', 'clusterrolebindings', 'customresourcedefinitions'],
    ...['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
  ];
  const check = kinds.map((kind) => `test -s backup/${kind}.yaml`);
  return upgradeStep({
    id: 'backup',
    what: 'Save the objects that the upgrade changes, in the folder backup.',
    why: 'They show what was there. Only a snapshot of etcd brings all of it back: take one now, with the tool of your control plane (etcdctl snapshot save).',
    pods: 'keep running',
    check,
    commands: kinds.map((kind) => `save ${kind}.yaml get ${kind} --all-namespaces --output=yaml`),
    verify: check,
    back: ['say "nothing was changed"'],
  });
}

function programStep(openYurt: string, kubernetes: string): UpgradeStep {
  return upgradeStep({
    id: 'program',
    what: `Apply the program for OpenYurt ${openYurt}: EdgeCluster.of({ openYurt: '${openYurt}', kubernetes: '${kubernetes}' }).`,
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

function preconditionsStep(before: OpenYurtRelease, after: OpenYurtRelease, kubernetes: string): UpgradeStep {
  const lifecycle = before.nodeLifecycle && !after.nodeLifecycle;
  return upgradeStep({
    id: 'preconditions',
    what: `Compare the preconditions of the cluster with those of OpenYurt ${after.release}, and apply what is missing.`,
    why: lifecycle
      ? `yurt-manager of ${after.release} does not run a nodelifecycle controller by default: while the one of kube-controller-manager is off, a dead node stays Ready for ever.`
      : 'A release can need other settings of CoreDNS, kube-proxy and kube-controller-manager.',
    pods: 'Pods of CoreDNS and kube-proxy can be replaced',
    place: 'control-plane',
    commands: [
      `edge-nodepools preconditions --from DUMP --openyurt ${after.release} --kubernetes ${kubernetes}, with a new dump of the cluster, and apply what it writes`,
    ],
    back: ['say "run the revert.sh that it wrote"'],
  });
}

function filesOf({ from, to }: UpgradeInput, uid: string, steps: readonly UpgradeStep[]): PreconditionFile[] {
  const title = `Upgrades ${from.toString()} to ${to.toString()}.`;
  return [
    { path: 'upgrade.sh', content: upgradeScript(title, steps) },
    { path: 'cluster.sh', content: clusterScript(uid, from.nodePoolLabel) },
    ...steps.map((step, index) => ({ path: `steps/${scriptName(step, index)}.sh`, content: stepScript(step, index) })),
    ...steps.flatMap(({ files }) => files),
  ];
}
