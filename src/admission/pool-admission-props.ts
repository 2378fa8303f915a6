import type { ProblemList } from '../errors.js';
import { checkCluster, type EdgeCluster } from '../cluster/edge-cluster.js';
import type { ObjectMetadata } from '../kubernetes/object.js';
import { isMap } from '../validation/plain-data.js';
import { isQualifiedName } from '../kubernetes/label-syntax.js';
import { checkNamespace, checkPoolName, isDnsSubdomain } from '../kubernetes/names.js';
import { checkOwnLabels } from '../kubernetes/own-labels.js';
import { checkKnownProperties, checkOneOf, showValue } from '../validation/properties.js';
import { checkMetadata } from '../kubernetes/object-input.js';
import { checkCelText } from './cel.js';
import { concerns, GUARANTEES, type PoolGuarantee } from './guarantee.js';
import { checkOptIn } from './mutating-policies.js';
import type { FailurePolicy } from '../cluster/openyurt-webhook.js';
import type { ValidationAction } from './policy.js';

/**
 * How one guarantee is given.
 *
 * @category Admit Pods and Nodes
 */
export interface GuaranteeSettings {
  /** What a failing policy does to the request. The expressions fail on no object that the API server accepts, except where one is so large that it
   * passes the API server's cost limit for CEL (a Pod with many thousand node selector terms); what can fail besides is the reading of
   * their parameters.
   * @default Fail; Ignore for `nodeLabel` with `pools: 'live'`, because a missing NodePool kind would otherwise refuse every write of every node */
  readonly failurePolicy?: FailurePolicy;
  /** What happens to what is refused; only for guarantees that refuse.
   * @default - validationActions of the construct */
  readonly validationActions?: ValidationAction[];
}

/**
 * Properties of {@link PoolAdmission}.
 *
 * @category Admit Pods and Nodes
 */
export interface PoolAdmissionProps {
  /** The cluster whose API server is to hold the guarantees. */
  readonly cluster: EdgeCluster;
  /** Guarantees by name: `true` or settings to have one, `false` to do without. What is wanted and can not be had is an error.
   * @default - `immutablePools`, `frozenNodeLabels`, `nodeLabel`, `annotatedPods`, `annotatedTemplates` and `presetNodeName` */
  readonly guarantees?: Partial<Record<PoolGuarantee, boolean | GuaranteeSettings>>;
  /** How `nodeLabel` knows the host-network pools. `live`: every NodePool object, also those made elsewhere; a write of a Node costs more with
   * every pool. `listed`: one ConfigMap with the pools of this construct tree and `otherPools`, at constant cost; the only way without OpenYurt.
   * @default - live with OpenYurt, listed without */
  readonly pools?: 'live' | 'listed';
  /** Host-network pools that are made elsewhere, for `pools: 'listed'`.
   * @default - none */
  readonly otherPools?: string[];
  /** Namespace of the ConfigMap of `pools: 'listed'`.
   * @default kube-system */
  readonly namespace?: string;
  /** Workloads whose Pod templates `annotatedTemplates` and `strict` look at. DaemonSets need it (without them the synth warns); the others only to see the affinity in the object,
   * because their Pods get it anyway. A present object rolls out anew at its next write.
   * @default - daemonsets */
  readonly templates?: ('daemonsets' | 'deployments' | 'statefulsets')[];
  /** Groups of users for whom no policy applies, to get out of a trap. Groups of everybody (`system:authenticated`, `system:nodes` …) are refused.
   * @default - none */
  readonly breakGlassGroups?: string[];
  /** Namespaces in which no Pod and no workload is touched. They are known by the label `kubernetes.io/metadata.name`.
   * @default - none */
  readonly excludedNamespaces?: string[];
  /** Label of the namespaces that `namespaceGate` lets through, with the value `"true"`.
   * @default nodepool.openyurt.io/hostnetwork-pods */
  readonly namespaceGateLabel?: string;
  /** What validating policies do with what they refuse. `Deny` and `Warn` exclude each other; without `Deny` they only report.
   * @default - Deny and Audit */
  readonly validationActions?: ValidationAction[];
  /** Use MutatingAdmissionPolicy where it is not on by default (Kubernetes 1.34 and 1.35). The API server needs the flags that the report names.
   * @default - only where it is on by default (Kubernetes 1.36+) */
  readonly mutatingAdmissionPolicy?: 'v1beta1';
  /** Beginning of the names of all objects, so that two installations can live in one cluster.
   * @default edge-nodepools */
  readonly namePrefix?: string;
  /** Further labels and annotations of all objects, for example of your deployment tool.
   * @default - none */
  readonly metadata?: ObjectMetadata;
}

/** Label of namespaces that the gate lets through. */
export const NAMESPACE_GATE_LABEL = 'nodepool.openyurt.io/hostnetwork-pods';

/** Beginning of the names of all objects. */
export const NAME_PREFIX = 'edge-nodepools';

const PROPERTIES = [
  'cluster',
  'guarantees',
  'pools',
  'otherPools',
  'namespace',
  'templates',
  'breakGlassGroups',
  'excludedNamespaces',
  'namespaceGateLabel',
  'validationActions',
  'mutatingAdmissionPolicy',
  'namePrefix',
  'metadata',
];

/** Checks the properties at the door. Whether the cluster can give what is wanted is the plan's business. */
export function checkPoolAdmission(props: PoolAdmissionProps, problems: ProblemList): void {
  const hasCluster = checkCluster(props.cluster, problems.at('cluster'));
  checkKnownProperties(props, PROPERTIES, problems, {
    failurePolicy: "write it per guarantee: guarantees: { annotatedPods: { failurePolicy: 'Ignore' } }",
  });
  checkGuarantees(props, hasCluster, problems.at('guarantees'));
  checkOneOf(props.pools, ['live', 'listed'], problems.at('pools'));
  checkActions(props.validationActions, problems.at('validationActions'));
  checkPrefix(props.namePrefix, problems.at('namePrefix'));
  checkAdmissionMetadata(props.metadata, problems.at('metadata'));
  if (props.namespace !== undefined) {
    checkNamespace(props.namespace, problems.at('namespace'));
  }
  checkList(props.otherPools, "'beijing'", problems.at('otherPools'), checkPoolName);
  if (Array.isArray(props.templates) && props.templates.length === 0) {
    problems
      .at('templates')
      .add(
        'EDGE_MISSING',
        'no kind of workload is named',
        'write guarantees: { annotatedTemplates: false } to leave them all alone',
      );
  }
  checkList(props.templates, "'daemonsets'", problems.at('templates'), (kind, at) =>
    checkOneOf(kind ?? null, ['daemonsets', 'deployments', 'statefulsets'], at),
  );
  checkList(props.breakGlassGroups, "'platform-admins'", problems.at('breakGlassGroups'), checkBreakGlassGroup);
  checkList(props.excludedNamespaces, "'kube-system'", problems.at('excludedNamespaces'), checkNamespace);
  const { namespaceGateLabel } = props;
  if (
    namespaceGateLabel !== undefined &&
    !(typeof namespaceGateLabel === 'string' && isQualifiedName(namespaceGateLabel))
  ) {
    problems
      .at('namespaceGateLabel')
      .add('EDGE_LABEL', `${showValue(namespaceGateLabel)} is not a label key`, `write ${NAMESPACE_GATE_LABEL}`);
  }
  if (hasCluster) {
    checkPools(props, problems);
    checkOptIn(props.cluster, props.mutatingAdmissionPolicy, problems.at('mutatingAdmissionPolicy'));
  }
}

function checkGuarantees(
  { guarantees, cluster }: PoolAdmissionProps,
  hasCluster: boolean,
  problems: ProblemList,
): void {
  if (guarantees === undefined) {
    return;
  }
  if (!isMap(guarantees)) {
    problems.add('EDGE_TYPE', 'guarantees must be a map', 'write guarantees: { strict: true }');
    return;
  }
  checkKnownProperties(guarantees, Object.keys(GUARANTEES), problems);
  for (const [name, facts] of Object.entries(GUARANTEES)) {
    const wanted: unknown = guarantees[name as PoolGuarantee];
    const at = problems.at(name);
    if (wanted === undefined || typeof wanted === 'boolean') {
      if (wanted === true && hasCluster && !concerns(name as PoolGuarantee, cluster)) {
        at.add('EDGE_NOT_GUARANTEED', 'without OpenYurt there are no NodePools', 'leave it out');
      }
      continue;
    }
    if (!isMap(wanted)) {
      at.add(
        'EDGE_TYPE',
        `this is ${JSON.stringify(wanted) ?? typeof wanted}`,
        `write true, false or { failurePolicy: 'Ignore' }`,
      );
      continue;
    }
    checkKnownProperties(wanted, ['failurePolicy', 'validationActions'], at);
    checkOneOf(wanted.failurePolicy, ['Fail', 'Ignore'], at.at('failurePolicy'));
    if (wanted.validationActions !== undefined && facts.policy === 'mutating') {
      at.at('validationActions').add(
        'EDGE_CONTRADICTION',
        `${name} changes objects and refuses nothing`,
        'leave validationActions out',
      );
    }
    checkActions(wanted.validationActions, at.at('validationActions'));
  }
}

function checkActions(actions: unknown, problems: ProblemList): void {
  if (actions === undefined) {
    return;
  }
  if (!Array.isArray(actions) || actions.length === 0) {
    problems.add('EDGE_TYPE', 'this is no list of actions', "write ['Deny', 'Audit']");
    return;
  }
  actions.forEach((action: unknown, index) =>
    checkOneOf(action ?? null, ['Deny', 'Warn', 'Audit'], problems.at(index)),
  );
  if (new Set(actions).size < actions.length) {
    problems.add('EDGE_DUPLICATE', 'an action is named twice', 'name each action once');
  }
  if (actions.includes('Deny') && actions.includes('Warn')) {
    problems.add(
      'EDGE_CONTRADICTION',
      'the API server refuses Deny together with Warn',
      "write ['Deny', 'Audit'] or ['Warn', 'Audit']",
    );
  }
}

function checkList(
  list: unknown,
  example: string,
  problems: ProblemList,
  check: (item: unknown, at: ProblemList) => void,
): void {
  if (list === undefined) {
    return;
  }
  if (!Array.isArray(list)) {
    problems.add('EDGE_TYPE', 'this must be a list', `write [${example}]`);
    return;
  }
  list.forEach((item: unknown, index) => {
    check(item, problems.at(index));
    if (list.indexOf(item) < index) {
      problems.at(index).add('EDGE_DUPLICATE', `${showValue(item)} is named twice`, 'name it once');
    }
  });
}

/** Groups of everybody, or of all programs: with them the policies would hold for nobody who matters (apiserver authentication/user, well-known groups). */
const EVERYBODY = ['system:authenticated', 'system:unauthenticated', 'system:serviceaccounts', 'system:nodes'];

function checkBreakGlassGroup(group: unknown, problems: ProblemList): void {
  checkCelText(group, 'a group', problems);
  if (EVERYBODY.includes(group as string)) {
    problems.add(
      'EDGE_VALUE',
      `${String(group)} has all users or programs of a kind as members, and the policies would hold for none of them`,
      "name a group of a few people, for example 'platform-admins'",
    );
  }
}

function checkPrefix(prefix: unknown, problems: ProblemList): void {
  // the longest name that is made of it has 40 characters more
  if (prefix !== undefined && !(typeof prefix === 'string' && isDnsSubdomain(prefix, 200))) {
    problems.add(
      'EDGE_NAME',
      `${JSON.stringify(prefix) ?? typeof prefix} can not begin the name of an object`,
      `write lower-case letters, digits, "-" and ".", at most 200, for example '${NAME_PREFIX}'`,
    );
  }
}

/** Metadata of policies: anything but a name and a namespace. */
export function checkAdmissionMetadata(metadata: unknown, problems: ProblemList): void {
  checkMetadata(metadata, problems);
  checkOwnLabels(metadata, problems);
  for (const field of ['name', 'namespace', 'generateName']) {
    if (isMap(metadata) && metadata[field] !== undefined) {
      problems
        .at(field)
        .add('EDGE_RESERVED_KEY', `the ${field} is given by the construct`, 'use namePrefix, and remove it here');
    }
  }
}

function checkPools({ cluster, pools, otherPools }: PoolAdmissionProps, problems: ProblemList): void {
  if (pools === 'live' && !cluster.hasOpenYurt()) {
    problems
      .at('pools')
      .add(
        'EDGE_CONTRADICTION',
        'without OpenYurt there are no NodePool objects to read',
        "write pools: 'listed', or leave it out",
      );
  }
  if (poolsOf({ cluster, pools }) === 'live' && Array.isArray(otherPools) && otherPools.length > 0) {
    problems
      .at('otherPools')
      .add(
        'EDGE_CONTRADICTION',
        "pools: 'live' reads every NodePool by itself",
        "remove otherPools, or write pools: 'listed'",
      );
  }
}

/** How `nodeLabel` knows the pools. */
export function poolsOf({ pools, cluster }: Pick<PoolAdmissionProps, 'pools' | 'cluster'>): 'live' | 'listed' {
  return pools ?? (cluster.hasOpenYurt() ? 'live' : 'listed');
}
