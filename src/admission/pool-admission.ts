import { EdgeCluster, checkCluster } from '../cluster/edge-cluster.js';
import type { Plan } from '../cluster/plan.js';
import { type Scope, problemsOf } from '../cluster/scope.js';
import { copyOf, isMap, mapAt } from '../base/plain-data.js';
import { claimAdmissionNames } from './claimed-names.js';
import { type AdmissionReport, reportAdmission } from './admission-report.js';
import { checkDeclaredPools, isListEmpty, partByPools, untaintedWarnings } from './pool-list.js';
import { appliedAgain } from './applied-again.js';
import { frozenNodeLabels } from './frozen-node-labels.js';
import { hostNetworkToleration } from './host-network-toleration.js';
import { immutablePools } from './immutable-pools.js';
import { namespaceGate } from './namespace-gate.js';
import { nodeLabel } from './node-label.js';
import { podExclusion } from './pod-exclusion.js';
import { refusePresetNodeName } from './refuse-preset-node-name.js';
import { type Mechanism, actionsOf, alternativeTo, mechanismsOf, settingsOf } from './mechanism.js';
import { PolicyMaker } from './policy-maker.js';
import {
  type GuaranteeSettings,
  NAMESPACE_GATE_LABEL,
  NAME_PREFIX,
  type PoolAdmissionProps,
} from './pool-admission-props.js';
import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { isQualifiedName } from '../kubernetes/label-syntax.js';
import { checkNamespace, checkPoolName, isDnsSubdomain } from '../kubernetes/names.js';
import { checkMadeMetadata } from '../kubernetes/object-checks.js';
import { TRUE, checkOwnLabels } from '../kubernetes/labels.js';
import { checkBoolean, checkOneOf, nearMiss, quoted, showValue, whatIs } from '../base/properties.js';
import { holdsUnknown, isUnknown } from '../base/unknown.js';
import {
  type Check,
  type PropertyTable,
  checkProperties,
  checkedElsewhere,
  mapWith,
  oneOf,
  optional,
  plain,
  setOf,
} from '../base/property-table.js';
import { checkCelText } from './cel.js';
import { GUARANTEES, type PoolGuarantee, concerns } from './guarantee.js';
import { checkOptIn, missedOptIn, mutatingPolicies } from './mutating-policies.js';
import { poolWorkloads } from '../cluster/declared-workloads.js';
import { convertsStoredNodePools } from '../cluster/openyurt-capabilities.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** Warnings about guarantees that nothing enforces, about costs, and about unused options. */
function admissionWarnings(
  props: PoolAdmissionProps,
  mechanisms: ReadonlyMap<PoolGuarantee, Mechanism>,
): EdgeWarning[] {
  const { cluster, templates } = props;
  const mutates = mutatingPolicies(cluster, props.mutatingAdmissionPolicy) !== undefined;
  const has = (guarantee: PoolGuarantee): boolean => mechanisms.get(guarantee)?.kind === 'policy';
  const warnings: EdgeWarning[] = [...mechanisms]
    .filter(([, { kind }]) => kind === 'nothing')
    .map(([guarantee]) => ({
      code: 'EDGE_NOT_GUARANTEED',
      path: `guarantees.${guarantee}`,
      message: `nothing in ${cluster.toString()} enforces it`,
      hint: alternativeTo(props, guarantee, `${GUARANTEES[guarantee].instead}; or write ${guarantee}: false`),
    }));
  if (has('nodeLabel') && props.pools === 'live' && settingsOf(props, 'nodeLabel').failurePolicy === 'Fail') {
    const old = convertsStoredNodePools(cluster)
      ? ', and while yurt-manager is down, once the API server was restarted, if an older OpenYurt release stored one of the pools'
      : '';
    warnings.push({
      code: 'EDGE_POLICY_COST',
      path: 'guarantees.nodeLabel.failurePolicy',
      message: `with Fail, every write of every node is refused for up to half a minute after each start of an API server, and while the NodePool kind is missing${old}`,
      hint: `leave pools: 'live' out, or write Ignore; never remove the CRD while the binding exists${old === '' ? '' : ', and write old pools once (docs/admission-traps.md)'}`,
    });
  }
  if (has('namespaceGate') && !mutates) {
    const optIn = missedOptIn(cluster, props.mutatingAdmissionPolicy);
    warnings.push({
      code: 'EDGE_NOT_GUARANTEED',
      path: 'guarantees.namespaceGate',
      message:
        'the scheduler does not know this rule: it tries to bind Pods of other namespaces to host-network nodes again and again, and can preempt Pods there for a Pod that it never binds',
      hint: `${optIn === undefined ? '' : `${optIn}, or: `}use ExcludedWorkload, which writes the affinity into the workloads of other namespaces`,
    });
  }
  // only a warning: leaving DaemonSets out can be intended, because a changed template is rolled out
  if (
    (has('strict') || has('annotatedTemplates') || (has('namespaceGate') && mutates)) &&
    !isUnknown(templates) &&
    templates?.includes('daemonsets') === false
  ) {
    warnings.push({
      code: 'EDGE_NOT_GUARANTEED',
      path: 'templates',
      message:
        'Pods of DaemonSets get the affinity, but their templates do not: the controller creates a Pod for each host-network node, which stays Pending',
      hint: "write templates: ['daemonsets', …]",
    });
  }
  return [...warnings, ...userWarnings(props), ...namespaceWarnings(props), ...unusedOptions(props, mechanisms)];
}

/** Users of the certificates that kubeadm makes (admin.conf, super-admin.conf). */
const USERS_OF_KUBEADM: readonly unknown[] = ['kubernetes-admin', 'kubernetes-super-admin'];

/** Warns of users in place of groups. An address of mail is no such: it is the name of a group in some directories. */
function userWarnings({ breakGlassGroups }: PoolAdmissionProps): EdgeWarning[] {
  const groups: unknown = breakGlassGroups;
  return itemsOf(groups).flatMap((group, index): EdgeWarning[] =>
    USERS_OF_KUBEADM.includes(group)
      ? [
          {
            code: 'EDGE_VALUE',
            path: `breakGlassGroups[${index}]`,
            message: `${String(group)} is a user that kubeadm makes, and this is a list of groups`,
            hint: "name a group of a few administrators, for example 'platform-admins' (kubectl auth whoami prints yours)",
          },
        ]
      : typeof group === 'string' && /[*?]/.test(group)
        ? [
            {
              code: 'EDGE_VALUE',
              path: `breakGlassGroups[${index}]`,
              message: 'groups have no wildcards: only a group of exactly this name matches',
              hint: 'write the name of each group',
            },
          ]
        : [],
  );
}

/** Namespaces of every cluster (pkg/controlplane, SystemNamespaces). */
const SYSTEM_NAMESPACES: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease'];

/** Warns of the name of a namespace that is almost that of every cluster. */
function namespaceWarnings({ excludedNamespaces }: PoolAdmissionProps): EdgeWarning[] {
  const names: unknown = excludedNamespaces;
  return itemsOf(names).flatMap((name, index): EdgeWarning[] => {
    const near =
      typeof name === 'string' && name.startsWith('k') && !SYSTEM_NAMESPACES.includes(name)
        ? nearMiss(name, SYSTEM_NAMESPACES)
        : undefined;
    return near === undefined
      ? []
      : [
          {
            code: 'EDGE_MATCHES_NOTHING',
            path: `excludedNamespaces[${index}]`,
            message: `${String(name)} is almost the name of a namespace of every cluster`,
            hint: `did you mean ${near}? Nothing to do if there is such a namespace`,
          },
        ];
  });
}

/** What an option needs to have an effect. */
interface Use {
  /** Whether something in the plan reads the option. `held` are the guarantees that a policy enforces. */
  readonly isUsed: (held: readonly PoolGuarantee[], props: PoolAdmissionProps) => boolean;
  /** What it needs, for the message. */
  readonly needs: string;
}

const NAMESPACED: readonly PoolGuarantee[] = [
  'annotatedPods',
  'annotatedTemplates',
  'presetNodeName',
  'strict',
  'hostNetworkToleration',
  'refusePresetNodeName',
  'namespaceGate',
];
/** Guarantees that change Pods, and have a second policy that refuses what got past the first. */
const CHECKED: readonly PoolGuarantee[] = ['annotatedPods', 'presetNodeName', 'strict'];
const anyPolicy: Use = { isUsed: (held) => held.length > 0, needs: 'a policy' };
const labelPolicy: Use = { isUsed: (held) => held.includes('nodeLabel'), needs: 'a policy for nodeLabel' };

const USES: Readonly<Partial<Record<keyof PoolAdmissionProps, Use>>> = {
  pools: labelPolicy,
  otherPools: labelPolicy,
  templates: {
    isUsed: (held, { cluster, mutatingAdmissionPolicy }) =>
      held.includes('annotatedTemplates') ||
      held.includes('strict') ||
      (held.includes('namespaceGate') && mutatingPolicies(cluster, mutatingAdmissionPolicy) !== undefined),
    needs: 'a policy for annotatedTemplates, strict or namespaceGate',
  },
  breakGlassGroups: anyPolicy,
  excludedNamespaces: {
    isUsed: (held) => held.some((guarantee) => NAMESPACED.includes(guarantee)),
    needs: 'a policy for Pods or workloads',
  },
  namespaceGateLabel: {
    isUsed: (held) => held.includes('namespaceGate'),
    needs: 'the guarantee namespaceGate',
  },
  validationActions: {
    isUsed: (held, props) =>
      held.some(
        (guarantee) =>
          (CHECKED.includes(guarantee) && props.checkPods !== false) ||
          (GUARANTEES[guarantee].policy === 'validating' &&
            settingsOf(props, guarantee).validationActions === undefined),
      ),
    needs: 'a policy that refuses and has no validationActions of its own',
  },
  checkPods: {
    isUsed: (held) => held.some((guarantee) => CHECKED.includes(guarantee)),
    needs: 'a policy for annotatedPods, presetNodeName or strict',
  },
  namePrefix: anyPolicy,
  metadata: anyPolicy,
};

/** Warnings about options that have no effect in this cluster with these guarantees. */
function unusedOptions(props: PoolAdmissionProps, mechanisms: ReadonlyMap<PoolGuarantee, Mechanism>): EdgeWarning[] {
  const held = [...mechanisms].filter(([, { kind }]) => kind === 'policy').map(([guarantee]) => guarantee);
  return Object.entries(USES)
    .filter(([option, { isUsed }]) => isGiven(props[option as keyof typeof props]) && !isUsed(held, props))
    .map(([option, { needs }]) => ({
      code: 'EDGE_UNUSED',
      path: option,
      message: `this has no effect: it needs ${needs}, and ${props.cluster.toString()} has none with these properties`,
      hint: 'leave it out; the report shows what enforces each guarantee',
    }));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

/** Namespaces in a message. */
const MOST_NAMED = 3;

/** Warns of workloads on host-network pools that `namespaceGate` keeps off them: their namespace does not have the label, as far as the program knows. */
function gatedWorkloads(props: PoolAdmissionProps, scope: Scope): EdgeWarning[] {
  const { cluster, excludedNamespaces = [], namespaceGateLabel: label = NAMESPACE_GATE_LABEL } = props;
  const mutates = mutatingPolicies(cluster, props.mutatingAdmissionPolicy) !== undefined;
  if (holdsUnknown([excludedNamespaces, label]) || !(mutates || actionsOf(props, 'namespaceGate').includes('Deny'))) {
    return [];
  }
  const exempt: readonly string[] = [...excludedNamespaces, ...(mutates ? ['kube-system'] : [])];
  const byNamespace = new Map<string, string[]>();
  for (const { title, namespace } of poolWorkloads(cluster, scope)) {
    if (!exempt.includes(namespace)) {
      byNamespace.set(namespace, [...(byNamespace.get(namespace) ?? []), title]);
    }
  }
  const closed = [...byNamespace].flatMap(([namespace, titles]) => {
    const why = closedBecause(namespace, label, scope);
    return why === undefined ? [] : [{ namespace, titles, why }];
  });
  const [first] = closed;
  if (first === undefined) {
    return [];
  }
  const names = closed.map(({ namespace }) => namespace);
  const others = closed.length - 1;
  return [
    {
      code: 'EDGE_CONTRADICTION',
      path: 'guarantees.namespaceGate',
      message: `it keeps ${first.titles[0]} off its pool: ${first.why}${others === 0 ? '' : `; the same in ${others} more ${others === 1 ? 'namespace' : 'namespaces'}: ${names.slice(1, 1 + MOST_NAMED).join(', ')}${others > MOST_NAMED ? ', …' : ''}`}`,
      hint: `write ${label}: '${TRUE}' into the labels of each Namespace; of one that is made elsewhere: kubectl label namespace ${names.slice(0, MOST_NAMED).join(' ')} ${label}=${TRUE}`,
    },
  ];
}

/** Why the Pods of a namespace are kept off; undefined if the program says that they are not, or it cannot be known. */
function closedBecause(name: string, label: string, { plainObjects }: Scope): string | undefined {
  const values = (plainObjects?.('Namespace') ?? [])
    .map((object) => mapAt(object, 'metadata'))
    .filter((metadata) => metadata.name === name)
    .map((metadata) => mapAt(metadata, 'labels')[label]);
  if (values.some((value) => value === TRUE || isUnknown(value))) {
    return undefined;
  }
  const [value] = values.filter((each) => each !== undefined);
  return value === undefined
    ? `${values.length === 0 ? 'nothing in this program gives' : 'its Namespace here does not give'} the namespace ${name} the label ${label}`
    : `the namespace ${name} has the label ${label} with another value than "${TRUE}": ${JSON.stringify(value)}`;
}

/** Attributes of a PoolAdmission. */
export interface PoolAdmissionAttributes {
  readonly cluster: EdgeCluster;
  /** What enforces each guarantee, with the pools that are declared when it is called. */
  readonly report: () => AdmissionReport[];
}

/** Guarantees about what the whole program declares. */
const LOOKS_AT_END = ['nodeLabel', 'namespaceGate', 'hostNetworkToleration'] as const;

const NAMES = { path: ['namePrefix'], hint: 'give one of them another namePrefix' };

/**
 * Plans the admission policies and bindings that enforce the guarantees in a cluster.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planPoolAdmission(given: PoolAdmissionProps, scope: Scope): Plan<PoolAdmissionAttributes> {
  // a copy: callbacks at the end of the program read the properties as they are now
  const props = copyOf(given ?? {});
  const problems = problemsOf(scope);
  const subject = `PoolAdmission ${scope.path}`;
  checkPoolAdmission(props, problems);
  problems.throwIfAny(subject);
  const { cluster } = props;
  const mechanisms = mechanismsOf(props, problems);
  const maker = new PolicyMaker(props, mechanisms);
  const objects = [
    ...immutablePools(maker),
    ...frozenNodeLabels(maker),
    ...nodeLabel(maker, (part) => partByPools(props, scope, part)),
    ...podExclusion(maker),
    ...hostNetworkToleration(maker),
    ...appliedAgain(maker),
    ...refusePresetNodeName(maker),
    ...namespaceGate(maker),
  ];
  claimAdmissionNames(scope, cluster, objects, NAMES, problems);
  problems.throwIfAny(subject);
  const isListed = maker.holds('nodeLabel') && props.pools !== 'live';
  return {
    subject,
    objects,
    cluster,
    attributes: {
      cluster,
      report: () => reportAdmission(props, mechanisms, maker.names, isListed && isListEmpty(props, scope)),
    },
    warnings: admissionWarnings(props, mechanisms),
    artifacts: [],
    ...(LOOKS_AT_END.some((guarantee) => maker.holds(guarantee))
      ? {
          atEnd: (late) => [
            ...(maker.holds('nodeLabel') ? checkDeclaredPools(props, scope, late) : []),
            ...(maker.holds('namespaceGate') ? gatedWorkloads(props, scope) : []),
            ...(maker.holds('hostNetworkToleration') ? untaintedWarnings(props, scope) : []),
          ],
        }
      : {}),
  };
}

const PROPERTIES: PropertyTable<PoolAdmissionProps> = {
  cluster: plain(checkCluster),
  guarantees: plain(mapWith(checkGuarantees, 'guarantees must be a map', 'write guarantees: { strict: true }')),
  pools: plain(checkPoolsMode),
  otherPools: setOf(checkOtherPool, "write ['beijing']"),
  templates: checkTemplates,
  breakGlassGroups: setOf(checkBreakGlassGroup, "write ['platform-admins']"),
  excludedNamespaces: setOf(checkNamespace, "write ['kube-system']"),
  namespaceGateLabel: optional(checkGateLabel),
  validationActions: checkActions,
  checkPods: plain(checkBoolean),
  // the valid values depend on the cluster
  mutatingAdmissionPolicy: plain(checkedElsewhere),
  namePrefix: optional(checkPrefix),
  metadata: checkAdmissionMetadata,
};

/** The name of a pool that is created elsewhere; those of the program are known. */
function checkOtherPool(pool: unknown, problems: ProblemList): void {
  const name: unknown =
    typeof pool === 'object' && pool !== null ? (pool as { poolName?: unknown }).poolName : undefined;
  if (typeof name === 'string' && !isUnknown(pool)) {
    problems.add(
      'EDGE_TYPE',
      `this is ${whatIs(pool)}, and otherPools has names`,
      `leave it out, if this program declares it: its pools are known. Otherwise write its name: ${quoted(name).replaceAll('"', "'")}`,
    );
  } else {
    checkPoolName(pool, problems);
  }
}

const ALL_POOLS =
  "it is for all pools of the cluster that this program declares: leave it out; others by name: otherPools: ['beijing']";

function checkPoolsMode(pools: unknown, problems: ProblemList): void {
  const isNamed = Array.isArray(pools) || (typeof pools === 'object' && pools !== null);
  if (isNamed && !isUnknown(pools)) {
    problems.add('EDGE_TYPE', `pools says where the policy knows them from, and is ${whatIs(pools)}`, ALL_POOLS);
  } else {
    oneOf('live', 'listed')(pools, problems);
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.keys(GUARANTEES).map((name) => [name, `it is a guarantee: write guarantees: { ${name}: true }`]),
  ),
  namespace: 'the names of the pools are in the policy itself: leave it out',
  ...Object.fromEntries(['pool', 'poolName', 'poolNames', 'nodePool', 'nodePools'].map((name) => [name, ALL_POOLS])),
  failurePolicy: "write it per guarantee: guarantees: { annotatedPods: { failurePolicy: 'Ignore' } }",
};

const SETTINGS: PropertyTable<GuaranteeSettings> = {
  failurePolicy: oneOf('Fail', 'Ignore'),
  validationActions: checkActions,
};

/** Checks the properties. Whether something in the cluster can enforce each guarantee is checked by mechanismsOf. */
function checkPoolAdmission(props: PoolAdmissionProps, problems: ProblemList): void {
  checkProperties(props, PROPERTIES, problems, ADVICE);
  if (props.cluster instanceof EdgeCluster) {
    checkConcerned(props, problems.at('guarantees'));
    checkPools(props, problems);
    checkLabelled(props, problems.at('guarantees', 'strict'));
    checkOptIn(props.cluster, props.mutatingAdmissionPolicy, problems.at('mutatingAdmissionPolicy'));
  }
}

function checkGuarantees(guarantees: Record<string, unknown>, problems: ProblemList): void {
  checkProperties<Record<PoolGuarantee, unknown>>(guarantees, GUARANTEE_CHECKS, problems);
}

const GUARANTEE_CHECKS = Object.fromEntries(
  Object.entries(GUARANTEES).map(([name, { policy }]): [string, Check] => [
    name,
    (wanted, problems) => checkGuarantee(name, policy === 'mutating', wanted, problems),
  ]),
) as PropertyTable<Record<PoolGuarantee, unknown>>;

function checkGuarantee(name: string, isMutating: boolean, wanted: unknown, problems: ProblemList): void {
  if (wanted === undefined || typeof wanted === 'boolean') {
    return;
  }
  if (!isMap(wanted)) {
    problems.add('EDGE_TYPE', `this is ${quoted(wanted)}`, `write true, false or { failurePolicy: 'Ignore' }`);
    return;
  }
  checkProperties(wanted, SETTINGS, problems);
  if (wanted.validationActions !== undefined && isMutating) {
    problems
      .at('validationActions')
      .add(
        'EDGE_CONTRADICTION',
        `${name} changes objects; what refuses objects that got past it has the validationActions of the construct`,
        'leave validationActions out here',
      );
  }
}

function checkConcerned({ guarantees, cluster }: PoolAdmissionProps, problems: ProblemList): void {
  Object.entries(isMap(guarantees) ? guarantees : {})
    .filter(([name, wanted]) => (wanted === true || isMap(wanted)) && !concerns(name as PoolGuarantee, cluster))
    .forEach(([name]) =>
      problems.at(name).add('EDGE_NOT_GUARANTEED', 'without OpenYurt there are no NodePools', 'leave it out'),
    );
}

const TEMPLATES = setOf(
  (kind, problems) => checkOneOf(kind ?? null, ['daemonsets', 'deployments', 'statefulsets'], problems),
  "write ['daemonsets']",
);

function checkTemplates(templates: unknown, problems: ProblemList): void {
  if (Array.isArray(templates) && templates.length === 0) {
    problems.add(
      'EDGE_MISSING',
      'the list of templates is empty',
      'write guarantees: { annotatedTemplates: false } to change no templates',
    );
  }
  TEMPLATES(templates, problems);
}

function checkGateLabel(label: unknown, problems: ProblemList): void {
  if (!(typeof label === 'string' && isQualifiedName(label))) {
    problems.add('EDGE_LABEL', `${showValue(label)} is not a label key`, `write ${NAMESPACE_GATE_LABEL}`);
  }
}

function checkActions(actions: unknown, problems: ProblemList): void {
  if (actions === undefined) {
    return;
  }
  if (!Array.isArray(actions) || actions.length === 0) {
    problems.add('EDGE_TYPE', 'this is not a list of actions', "write ['Deny', 'Audit']");
    return;
  }
  actions.forEach((action: unknown, index) =>
    checkOneOf(action ?? null, ['Deny', 'Warn', 'Audit'], problems.at(index)),
  );
  if (new Set(actions).size < actions.length) {
    problems.add('EDGE_DUPLICATE', 'an action is listed twice', 'name each action once');
  }
  if (actions.includes('Deny') && actions.includes('Warn')) {
    problems.add(
      'EDGE_CONTRADICTION',
      'the API server refuses Deny together with Warn',
      "write ['Deny', 'Audit'] or ['Warn', 'Audit']",
    );
  }
}

/** Groups to which so many requests belong that the policies would apply to almost none (apiserver authentication/user). */
const WIDE_GROUPS: readonly [is: (group: string) => boolean, why: string][] = [
  [
    (group) =>
      ['system:authenticated', 'system:unauthenticated', 'system:serviceaccounts', 'system:nodes'].includes(group),
    'contains all users or programs of a kind, and the policies would apply to none of them',
  ],
  [
    // DaemonSet and ReplicaSet controller create almost every Pod; they are service accounts of kube-system (controller-manager --use-service-account-credentials)
    (group) => /^system:serviceaccounts:kube-(?:system|public|node-lease)$/.test(group),
    'contains the controllers that create the Pods of every workload, and the policies would apply to none of these Pods',
  ],
  [
    (group) => group === 'system:masters',
    'is the group of every administrator certificate of the cluster, so the audit log could not show who used break-glass access; it can delete the bindings in an emergency anyway, because policies never apply to policies',
  ],
];

function checkBreakGlassGroup(group: unknown, problems: ProblemList): void {
  checkCelText(group, 'a group', problems);
  if (typeof group !== 'string') {
    return;
  }
  const [user, namespace] = /^system:(?:serviceaccount:([^:]+):[^:]+|node:.+)$/.exec(group) ?? [];
  if (user !== undefined) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(group)} is a user, and a group of this name would match nobody`,
      namespace === undefined
        ? 'name a group of a few administrators'
        : `write 'system:serviceaccounts:${namespace}', the group of the service accounts there`,
    );
  }
  const why = WIDE_GROUPS.find(([is]) => is(group))?.[1];
  if (why !== undefined) {
    problems.add(
      'EDGE_VALUE',
      `group ${showValue(group)} ${why}`,
      "name a group of a few administrators, for example 'platform-admins'",
    );
  }
  // a group of a directory can have single blanks between its words
  const plain = group.trim().replace(/\s+/g, ' ');
  if (plain !== group && group !== '') {
    problems.add(
      'EDGE_VALUE',
      `group ${JSON.stringify(group)} has blanks at its ends or more than one in a row, and only a group of exactly this name would match`,
      plain === '' ? 'leave it out' : `write ${JSON.stringify(plain)}`,
    );
  }
}

function checkPrefix(prefix: unknown, problems: ProblemList): void {
  // the longest name with this prefix is 40 characters longer
  if (prefix !== undefined && !(typeof prefix === 'string' && isDnsSubdomain(prefix, 200))) {
    problems.add(
      'EDGE_NAME',
      `${quoted(prefix)} cannot begin the name of an object`,
      `write lower-case letters, digits, "-" and ".", at most 200, for example '${NAME_PREFIX}'`,
    );
  }
}

/** Checks metadata of policies: anything but a name and a namespace. */
function checkAdmissionMetadata(metadata: unknown, problems: ProblemList): void {
  checkMadeMetadata(metadata, problems);
  checkOwnLabels(metadata, problems);
  for (const field of ['name', 'namespace', 'generateName']) {
    if (isMap(metadata) && metadata[field] !== undefined) {
      problems
        .at(field)
        .add('EDGE_RESERVED_KEY', `the ${field} is made from namePrefix`, 'use namePrefix, and remove it here');
    }
  }
}

/** `strict` concerns Pods that nobody has labelled. */
function checkLabelled({ cluster, guarantees }: PoolAdmissionProps, strict: ProblemList): void {
  const wanted = isMap(guarantees) ? guarantees.strict : undefined;
  if (cluster.labelsExcludedPods && (wanted === true || isMap(wanted))) {
    strict.add(
      'EDGE_CONTRADICTION',
      'the cluster has labelsExcludedPods, with which only labelled Pods are judged, and strict is for all of them',
      'leave strict out, or labelsExcludedPods of the cluster',
    );
  }
}

function checkPools({ cluster, pools, otherPools }: PoolAdmissionProps, problems: ProblemList): void {
  if (pools === 'live' && !cluster.hasOpenYurt()) {
    problems
      .at('pools')
      .add(
        'EDGE_CONTRADICTION',
        'without OpenYurt there are no NodePool objects to read',
        "leave it out, or write pools: 'listed'",
      );
  }
  if (pools === 'live' && Array.isArray(otherPools) && otherPools.length > 0) {
    problems
      .at('otherPools')
      .add('EDGE_CONTRADICTION', "pools: 'live' reads every NodePool", "remove otherPools, or leave pools: 'live' out");
  }
}
