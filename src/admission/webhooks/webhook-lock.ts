import type { PlannedWarning } from '../../cluster/plan.js';
import type { EdgeWarning } from '../../errors.js';
import { excludesLabel, type LabelSelector } from '../../kubernetes/label-selector.js';
import type { FailurePolicy } from '../../cluster/openyurt-webhook.js';
import type { WebhookRule } from './pool-webhook-props.js';
import { holdsUnknown } from '../../validation/unknown.js';
import { type MatchCondition, NAMESPACE_NAME_LABEL, type WebhookSettings } from './webhook-settings.js';

/** Requests that a cluster cannot do without, under the name by which warnings call them. */
export type VitalPart = 'Pods' | 'workloads' | 'endpoints' | 'Nodes' | 'Leases';

interface VitalRequests {
  readonly part: VitalPart;
  readonly apiGroup: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly resources: readonly string[];
}

/**
 * What is written when a server comes up again: its Pod is made, bound, gets a token and reports itself; its Node joins, sends heartbeats and stays
 * ready by its Lease, as do scheduler and controllers by theirs; its Service learns the new address; and whoever repairs it changes its workload.
 */
const VITAL: readonly VitalRequests[] = [
  {
    part: 'Pods',
    apiGroup: '',
    scope: 'Namespaced',
    resources: [
      'pods',
      'pods/status',
      'pods/binding',
      'pods/eviction',
      'pods/ephemeralcontainers',
      'pods/resize',
      'bindings',
      'serviceaccounts/token',
    ],
  },
  {
    part: 'workloads',
    apiGroup: 'apps',
    scope: 'Namespaced',
    resources: ['deployments', 'replicasets', 'daemonsets', 'statefulsets', 'controllerrevisions'].flatMap((name) => [
      name,
      `${name}/status`,
      `${name}/scale`,
    ]),
  },
  { part: 'endpoints', apiGroup: '', scope: 'Namespaced', resources: ['endpoints'] },
  { part: 'endpoints', apiGroup: 'discovery.k8s.io', scope: 'Namespaced', resources: ['endpointslices'] },
  { part: 'Nodes', apiGroup: '', scope: 'Cluster', resources: ['nodes', 'nodes/status'] },
  {
    part: 'Nodes',
    apiGroup: 'certificates.k8s.io',
    scope: 'Cluster',
    resources: ['', '/approval', '/status'].map((sub) => `certificatesigningrequests${sub}`),
  },
  { part: 'Leases', apiGroup: 'coordination.k8s.io', scope: 'Namespaced', resources: ['leases'] },
];

/** Which of the requests without which nothing comes up are looked at by rules. For checked input. */
export function reachedBy(rules: readonly WebhookRule[]): VitalPart[] {
  const reached = VITAL.filter(({ apiGroup, resources: vital, scope: own }) =>
    rules.some(
      ({ apiGroups, apiVersions, resources, operations, scope = '*' }) =>
        apiGroups.some((group) => group === apiGroup || group === '*') &&
        apiVersions.some((version) => version === 'v1' || version === '*') &&
        resources.some((pattern) => vital.some((resource) => matches(pattern, resource))) &&
        operations.some((operation) => operation !== 'DELETE' && operation !== 'CONNECT') &&
        (scope === '*' || scope === own),
    ),
  );
  return [...new Set(reached.map(({ part }) => part))];
}

/** A resource of a rule, as the API server reads it: `*` is everything without subresource, `x/*` also `x` itself (apiserver predicates/rules). */
function matches(pattern: string, resource: string): boolean {
  const [name, sub = ''] = resource.split('/');
  const [namePattern, subPattern = ''] = pattern.split('/');
  return (namePattern === '*' || namePattern === name) && (subPattern === '*' || subPattern === sub);
}

/** What a webhook can lock, and where its server runs. */
export interface LockRisk {
  readonly name: string;
  readonly reaches: readonly VitalPart[];
  readonly failurePolicy: FailurePolicy;
  readonly settings: WebhookSettings;
  /** Namespace in which the Pods of its server run; undefined when that cannot be seen, because it is named by a URL. */
  readonly serverNamespace?: string;
  /** Paths of the properties in which all of this is set. */
  readonly reads: readonly string[];
}

/** The namespaces in which nodes and the control plane hold their Leases. */
const LEASE_NAMESPACES = ['kube-node-lease', 'kube-system'];

/**
 * A webhook that refuses what a cluster cannot do without while its server is down, also what the server needs to come up again. What a selector
 * of objects or a condition leaves out cannot be seen here, so that any that can leave something out counts as the exclusion.
 */
export function lockWarnings(risk: LockRisk, path: string): PlannedWarning[] {
  const { settings } = risk;
  if (
    // what depends on unknown values is found when they are known
    holdsUnknown(risk) ||
    risk.failurePolicy !== 'Fail' ||
    !selectsAll(settings.objectSelector) ||
    (settings.matchConditions ?? []).some(canLeaveOut)
  ) {
    return [];
  }
  return [ofItsOwn(risk), ofNodes(risk), ofLeases(risk)].flatMap((found) =>
    found === undefined ? [] : [{ code: 'EDGE_WEBHOOK_LOCK', path, ...found, reads: risk.reads }],
  );
}

type Finding = Pick<EdgeWarning, 'message' | 'hint'>;

function ofItsOwn({ name, reaches, settings, serverNamespace }: LockRisk): Finding | undefined {
  const own: readonly VitalPart[] =
    // who is named by a URL needs no endpoints
    serverNamespace === undefined ? ['Pods', 'workloads'] : ['Pods', 'workloads', 'endpoints'];
  const parts = own.filter((part) => reaches.includes(part));
  const isLeftOut =
    serverNamespace === undefined
      ? !selectsAll(settings.namespaceSelector)
      : excludesLabel(settings.namespaceSelector, NAMESPACE_NAME_LABEL, serverNamespace);
  if (parts.length === 0 || isLeftOut) {
    return undefined;
  }
  const what = `${name} refuses ${parts.join(', ')} while its server is down`;
  return {
    message:
      serverNamespace === undefined
        ? `${what}: if a Pod of this cluster serves the URL, it could not start again`
        : `${what}, its own in ${serverNamespace} too: it could not start again`,
    hint: `write ${selectorWithout([serverNamespace ?? 'edge-system'])}${serverNamespace === undefined ? ' (the namespace of the server)' : ''}, or failurePolicy: 'Ignore'`,
  };
}

function ofNodes({ name, reaches }: LockRisk): Finding | undefined {
  return reaches.includes('Nodes')
    ? {
        message: `${name} refuses Nodes while its server is down: none can join or be tainted, also not the one on which it would start again`,
        hint: "write objectSelector: { matchExpressions: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'DoesNotExist' }] }, or failurePolicy: 'Ignore'",
      }
    : undefined;
}

function ofLeases({ name, reaches, settings }: LockRisk): Finding | undefined {
  const isLeftOut = LEASE_NAMESPACES.every((namespace) =>
    excludesLabel(settings.namespaceSelector, NAMESPACE_NAME_LABEL, namespace),
  );
  return reaches.includes('Leases') && !isLeftOut
    ? {
        message: `${name} refuses Leases while its server is down: every node becomes NotReady, and scheduler and controllers stop`,
        hint: `write ${selectorWithout(LEASE_NAMESPACES)}, or failurePolicy: 'Ignore'`,
      }
    : undefined;
}

function selectorWithout(namespaces: readonly string[]): string {
  const values = namespaces.map((namespace) => `'${namespace}'`).join(', ');
  return `namespaceSelector: { matchExpressions: [{ key: '${NAMESPACE_NAME_LABEL}', operator: 'NotIn', values: [${values}] }] }`;
}

function selectsAll({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

/** Whether a condition can be false: a constant cannot, unless it is `false`. */
function canLeaveOut({ expression }: MatchCondition): boolean {
  const withoutTexts = expression.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "''");
  return (
    /\b(object|oldObject|request|authorizer)\b/.test(withoutTexts) ||
    withoutTexts.replace(/[()\s]/g, '') === String(false)
  );
}
