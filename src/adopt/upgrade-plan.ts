import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { openYurtRow, type OpenYurtRelease } from '../cluster/openyurt-releases.js';
import { nodeFacts, poolFacts } from '../preconditions/node-pool-facts.js';
import type { PreconditionFile } from '../preconditions/precondition.js';
import { mapAt, type PlainMap } from '../base/plain-data.js';
import { kubernetesSteps } from './kubernetes-steps.js';
import { openYurtSteps } from './openyurt-steps.js';
import { checkFormat, formatSteps } from './own-format.js';
import { expectedWebhooks, findWebhooks, webhooksFile } from '../preconditions/webhook-findings.js';
import { DEFAULT_YURT_MANAGER, type YurtManagerFact, yurtManagerFact } from '../preconditions/yurt-manager-fact.js';
import { checkReferences } from './dump-references.js';
import { clusterUids, servedNodePoolVersions } from './upgrade-facts.js';
import { checkPair, checkState, isOpenYurtChanged, patchOf, type UpgradeInput } from './upgrade-checks.js';
import { webhooksStep, webhookWarnings } from './webhook-step.js';
import { clusterScript, scriptName, stepScript, upgradeScript, type UpgradeStep, upgradeStep } from './upgrade-step.js';

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
    checkReferences(input.from, objects, problems.at('dump'));
  }
  const nodes = nodeFacts(objects, from.nodePoolLabel);
  const pools = poolFacts(objects, nodes, from.nodePoolApiVersion());
  const yurtManager = yurtManagerFact(objects) ?? DEFAULT_YURT_MANAGER;
  const wrongWebhooks = findWebhooks(before, objects);
  const changesOpenYurt = isOpenYurtChanged(input, before, after);
  const steps =
    problems.problems.length > 0
      ? []
      : [
          ...(changesOpenYurt || wrongWebhooks.length === 0 ? [] : [webhooksStep(wrongWebhooks)]),
          ...(before !== undefined && after !== undefined && changesOpenYurt
            ? [
                ...openYurtSteps({
                  from: before,
                  to: after,
                  version: patchOf(to.openYurtVersion),
                  objects,
                  pools,
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
    warnings: [...to.warnings, ...webhookWarnings(wrongWebhooks, changesOpenYurt)],
    unread: unreadIn(input),
    files: all.length === 0 || uid === undefined ? [] : filesOf(input, uid, all, yurtManager, after),
  };
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
    ['nodepools.apps.openyurt.io', !from.hasOpenYurt() || !isMember || has('NodePool')],
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
    ...(from.hasOpenYurt()
      ? ([
          ['nodepools.apps.openyurt.io', 'NodePool'],
          ['clusterroles', 'ClusterRole'],
          ['mutatingwebhookconfigurations', 'MutatingWebhookConfiguration'],
          ['validatingwebhookconfigurations', 'ValidatingWebhookConfiguration'],
        ] as const)
      : []),
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
  return upgradeStep({
    id: 'backup',
    what: 'Save the objects that the upgrade changes, in the folder backup.',
    why: 'They show what was there. Only a snapshot of etcd brings all of it back: take one now, with the tool of your control plane (etcdctl snapshot save).',
    pods: 'keep running',
    parts: ['backup'],
    variables: { kinds },
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
    wayBack: 'apply the earlier manifests',
    parts: ['program'],
  });
}

function preconditionsStep(before: OpenYurtRelease, after: OpenYurtRelease, kubernetes: string): UpgradeStep {
  const lifecycle = before.nodeLifecycle && !after.nodeLifecycle;
  return upgradeStep({
    id: 'preconditions',
    what: `Compare the preconditions of the cluster with those of OpenYurt ${after.release}, and apply what is missing.`,
    why: lifecycle
      ? `yurt-manager of ${after.release} does not run a nodelifecycle controller by default: while the one of kube-controller-manager is off, a dead node stays Ready forever.`
      : 'A release can need other settings of CoreDNS, kube-proxy and kube-controller-manager.',
    pods: 'Pods of CoreDNS and kube-proxy can be replaced',
    place: 'control-plane',
    commands: [
      `edge-nodepools preconditions --from DUMP --openyurt ${after.release} --kubernetes ${kubernetes}, with a new dump of the cluster, and apply what it writes`,
    ],
    wayBack: 'run the revert.sh that it wrote',
    parts: ['preconditions'],
  });
}

/** Parts that read files/webhooks.txt. */
const SEES_WEBHOOKS: readonly string[] = ['yurt-manager', 'restore-webhooks', 'program'];

function filesOf(
  { from, to, objects }: UpgradeInput,
  uid: string,
  steps: readonly UpgradeStep[],
  yurtManager: YurtManagerFact,
  release: OpenYurtRelease | undefined,
): PreconditionFile[] {
  const title = `Upgrades ${from.toString()} to ${to.toString()}.`;
  return [
    { path: 'upgrade.sh', content: upgradeScript(title, steps) },
    {
      path: 'cluster.sh',
      content: clusterScript({
        uid,
        pool_label: from.nodePoolLabel,
        pool_version: from.nodePoolApiVersion()?.replace(/^.*\//, '') ?? '',
        namespace: yurtManager.namespace,
        helm_release: yurtManager.helmRelease,
      }),
    },
    ...(release === undefined || !steps.some(({ parts }) => parts.some((part) => SEES_WEBHOOKS.includes(part)))
      ? []
      : [webhooksFile(expectedWebhooks(release, objects, openYurtRow(from.openYurt)), yurtManager)]),
    ...steps.map((step, index) => ({ path: `steps/${scriptName(step, index)}.sh`, content: stepScript(step, index) })),
    ...steps.flatMap(({ files }) => files),
  ];
}
