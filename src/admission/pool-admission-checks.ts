import type { ProblemList } from '../base/errors.js';
import { checkCluster, EdgeCluster } from '../cluster/edge-cluster.js';
import { isQualifiedName } from '../kubernetes/label-syntax.js';
import { checkNamespace, checkPoolName, isDnsSubdomain } from '../kubernetes/names.js';
import { checkMadeMetadata } from '../kubernetes/object-checks.js';
import { checkOwnLabels } from '../kubernetes/labels.js';
import { isMap } from '../base/plain-data.js';
import { checkBoolean, checkOneOf, quoted, showValue, whatIs } from '../base/properties.js';
import { isUnknown } from '../base/unknown.js';
import {
  type Check,
  checkedElsewhere,
  checkProperties,
  mapWith,
  oneOf,
  optional,
  plain,
  type PropertyTable,
  setOf,
} from '../base/property-table.js';
import { checkCelText } from './cel.js';
import { concerns, GUARANTEES, type PoolGuarantee } from './guarantee.js';
import { checkOptIn } from './mutating-policies.js';
import {
  type GuaranteeSettings,
  NAME_PREFIX,
  NAMESPACE_GATE_LABEL,
  type PoolAdmissionProps,
} from './pool-admission-props.js';

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
export function checkPoolAdmission(props: PoolAdmissionProps, problems: ProblemList): void {
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
