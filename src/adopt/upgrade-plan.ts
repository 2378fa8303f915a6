import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { type OpenYurtRelease, openYurtRow, releasePosition } from '../cluster/openyurt-releases.js';
import { nodeFacts, poolFacts } from '../preconditions/node-pool-facts.js';
import type { PreconditionFile } from '../preconditions/precondition.js';
import { type PlainMap, isMap, mapAt } from '../base/plain-data.js';
import { kubernetesSteps, oldestKubelet } from './kubernetes-steps.js';
import { openYurtSteps } from './openyurt-steps.js';
import {
  type WebhookFinding,
  expectedWebhooks,
  findWebhooks,
  webhooksFile,
} from '../preconditions/webhook-findings.js';
import { DEFAULT_YURT_MANAGER, type YurtManagerFact, yurtManagerFact } from '../preconditions/yurt-manager-fact.js';
import { apiServerMinors, clusterUids, servedNodePoolVersions } from './upgrade-facts.js';
import { type UpgradeStep, clusterScript, scriptName, stepScript, upgradeScript, upgradeStep } from './upgrade-step.js';
import { MANAGED_BY, MANAGED_BY_LABEL, MANIFEST_FORMAT, MANIFEST_FORMAT_LABEL } from '../kubernetes/labels.js';
import { nameOf } from '../kubernetes/object.js';
import { printManifests } from '../base/yaml-print.js';
import { withoutServerFields } from '../preconditions/documents.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { isOlderMinor, kubernetesRow, minorsAfter } from '../cluster/kubernetes-minors.js';
import { CONFIGURATIONS, SERVICE } from '../admission/openyurt-configurations.js';
import { requiredTerms } from '../kubernetes/node-affinity.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import { itemsOf } from '../kubernetes/field-values.js';

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

/** Repairs the webhooks of the release that stays. An upgrade of OpenYurt replaces them anyway. */
function webhooksStep(wrong: readonly WebhookFinding[]): UpgradeStep {
  return upgradeStep({
    id: 'webhooks',
    what: `Replace the webhooks of yurt-manager by those of its release: ${namesOf(wrong)}.`,
    why: 'An earlier upgrade has kept those of the release before: yurt-manager takes them from an annotation of the configurations.',
    pods: 'keep running',
    parts: ['restore-webhooks'],
  });
}

const namesOf = (wrong: readonly WebhookFinding[]): string =>
  wrong.map(({ webhook, state }) => `${webhook} (${state === 'missing' ? 'missing' : 'wrong'})`).join(', ');

/** What is reported of them while they are wrong. */
function webhookWarnings(wrong: readonly WebhookFinding[], changesOpenYurt: boolean): EdgeWarning[] {
  return wrong.length === 0
    ? []
    : [
        {
          code: 'EDGE_HALF_UPGRADED',
          path: 'dump',
          message: `webhooks of yurt-manager are not those of its release: ${namesOf(wrong)}. Until then nothing enforces what they check, except admission policies of this library`,
          hint: changesOpenYurt
            ? 'the step yurt-manager replaces them; edge-nodepools preconditions writes a script that does it at once'
            : 'the step webhooks replaces them',
        },
      ];
}

const labelsOf = (object: PlainMap): PlainMap => mapAt(mapAt(object, 'metadata'), 'labels');

/** Refuses manifests that a later version of this library wrote: this one does not know what belongs to them. */
function checkFormat(objects: readonly PlainMap[], problems: ProblemList): void {
  const later = objects.find((object) => {
    const format = labelsOf(object)[MANIFEST_FORMAT_LABEL];
    return typeof format === 'string' && format !== MANIFEST_FORMAT;
  });
  if (later !== undefined) {
    problems.add(
      'EDGE_UPGRADE',
      `${nameOf(later)} has the manifest format ${String(labelsOf(later)[MANIFEST_FORMAT_LABEL])}, which a later version of edge-nodepools wrote`,
      'npm install edge-nodepools@latest',
    );
  }
}

/** Removes what earlier versions of this library wrote and this one no longer uses. */
function formatSteps(objects: readonly PlainMap[]): UpgradeStep[] {
  return objects.filter(isPoolList).map((object, index) => {
    const { namespace = 'kube-system', name } = mapAt(object, 'metadata');
    const file = `files/pool-list-${index + 1}.yaml`;
    return upgradeStep({
      id: index === 0 ? 'pool-list' : `pool-list-${index + 1}`,
      what: `Delete the ConfigMap ${String(namespace)}/${String(name)}.`,
      why: 'Earlier versions of edge-nodepools listed the host-network pools in it. Now their names are in the policy itself.',
      pods: 'stay',
      parts: ['pool-list'],
      variables: { list_namespace: String(namespace), list: String(name), file },
      files: [{ path: file, content: printManifests([withoutServerFields(object)]) }],
    });
  });
}

/** The list of pools that `pools: 'listed'` of PoolAdmission wrote until version 0.1. */
function isPoolList(object: PlainMap): boolean {
  const isOurs = labelsOf(object)[MANAGED_BY_LABEL] === MANAGED_BY;
  return object.kind === 'ConfigMap' && isOurs && isMap(object.data) && typeof object.data['host-network'] === 'string';
}

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

/** The first names of a list, and how many more there are. */
function someOf(names: readonly string[]): string {
  const shown = names.slice(0, 10);
  return `${shown.join(', ')}${names.length > shown.length ? ` and ${names.length - shown.length} more` : ''}`;
}

/** What an object names. */
interface Reference {
  readonly group: string;
  readonly kind: string;
  readonly name: unknown;
}

/**
 * Refuses a dump in which objects name others of a kind that was read, and these are not there: it is not complete, and a plan would miss steps. Kinds that
 * were not read at all are reported elsewhere.
 */
function checkReferences(cluster: EdgeCluster, objects: readonly PlainMap[], problems: ProblemList): void {
  const read = new Map<string, Set<unknown>>();
  for (const object of objects) {
    const kind = keyOf({ group: groupOf(object.apiVersion), kind: String(object.kind) });
    read.set(kind, (read.get(kind) ?? new Set()).add(mapAt(object, 'metadata').name));
  }
  const missing = new Map<string, Set<string>>();
  for (const object of objects.filter(({ metadata }) => isMap(metadata) && metadata.deletionTimestamp === undefined)) {
    for (const { name, ...of } of referencesOf(cluster, object)) {
      const isMissing = typeof name === 'string' && name !== '' && read.get(keyOf(of))?.has(name) === false;
      if (isMissing) {
        const named = `${of.kind} ${name}`;
        missing.set(named, (missing.get(named) ?? new Set()).add(nameOf(object)));
      }
    }
  }
  for (const [named, by] of missing) {
    const [of = ''] = named.split(' ');
    problems.add(
      'EDGE_MISSING',
      `it does not contain the ${named}, which is named by ${someOf([...by])}`,
      `kubectl get ${of.toLowerCase()} --all-namespaces --output=yaml >dump/${of.toLowerCase()}.yaml, without a selector; if the cluster has no ${named} either, create it or remove what names it`,
    );
  }
}

const isOfController = ({ apiVersion }: PlainMap): boolean =>
  /^(apps|batch|apps\.openyurt\.io)\//.test(String(apiVersion));
const hasEnded = (pod: PlainMap): boolean => ['Succeeded', 'Failed'].includes(String(mapAt(pod, 'status').phase));
const keyOf = ({ group, kind }: Omit<Reference, 'name'>): string => `${group}/${kind}`;
const groupOf = (apiVersion: unknown): string => /^(.*)\//.exec(String(apiVersion))?.[1] ?? '';
const listOf = (value: unknown): readonly unknown[] => itemsOf(value);
const mapsIn = (value: unknown): readonly PlainMap[] => listOf(value).filter(isMap);

const POLICIES = 'admissionregistration.k8s.io';

function referencesOf(cluster: EdgeCluster, object: PlainMap): Reference[] {
  const core = (kind: string, name: unknown): Reference => ({ group: '', kind, name });
  const { kind } = object;
  const [metadata, spec] = [mapAt(object, 'metadata'), mapAt(object, 'spec')];
  const { name: role } = mapAt(object, 'roleRef');
  return [
    ...(cluster.hasOpenYurt() ? poolsNamedBy(object, cluster.nodePoolLabel) : []).map((name): Reference => ({
      group: 'apps.openyurt.io',
      kind: 'NodePool',
      name,
    })),
    // of a kind that people also read in part, such as ConfigMaps, a name proves nothing
    ...mapsIn(metadata.ownerReferences)
      .filter(isOfController)
      .map((owner): Reference => ({
        group: groupOf(owner.apiVersion),
        kind: String(owner.kind),
        name: owner.name,
      })),
    // one that has ended may have been on a Node that is gone
    ...(kind === 'Pod' && !hasEnded(object) ? [core('Node', spec.nodeName)] : []),
    // those that a controller has counted
    ...(kind === 'NodePool' ? listOf(mapAt(object, 'status').nodes).map((name) => core('Node', name)) : []),
    ...(/^(Validating|Mutating)AdmissionPolicyBinding$/.test(String(kind))
      ? [{ group: POLICIES, kind: String(kind).replace(/Binding$/, ''), name: spec.policyName }]
      : []),
    ...(kind === 'ClusterRoleBinding' && /^yurt-/.test(String(role))
      ? [{ group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role }]
      : []),
    ...(Object.values(CONFIGURATIONS).some(({ name }) => metadata.name === name) ? [core('Service', SERVICE)] : []),
    ...(kind === 'YurtAppOverrider'
      ? [{ group: 'apps.openyurt.io', ...(mapAt(object, 'subject') as { kind: string; name: unknown }) }]
      : []),
  ];
}

/** The NodePools that a node is a member of, that a YurtAppSet has, or that Pods of a workload are bound to. */
function poolsNamedBy(object: PlainMap, label: string): unknown[] {
  const spec = mapAt(object, 'spec');
  // without a Pod it may name what is gone, or what comes
  const isWithoutPods = spec.replicas === 0 || (object.kind === 'Pod' && hasEnded(object));
  return [
    ...(object.kind === 'Node' ? [mapAt(mapAt(object, 'metadata'), 'labels')[label]] : []),
    // v1beta1 has names, v1alpha1 a topology
    ...(object.kind === 'YurtAppSet'
      ? [...listOf(spec.pools), ...mapsIn(mapAt(spec, 'topology').pools).map(({ name }) => name)]
      : []),
    ...(isWithoutPods ? [] : podPlaces(object)).flatMap((place) => {
      const podSpec = podSpecAt(object, place);
      const required = (requiredTerms(podSpec) ?? []).flatMap(({ matchExpressions }) => mapsIn(matchExpressions));
      return [
        mapAt(podSpec, 'nodeSelector')[label],
        ...required.flatMap(({ key, operator, values }) =>
          key === label && operator === 'In' && listOf(values).length === 1 ? listOf(values) : [],
        ),
      ];
    }),
  ];
}
