import type { PlannedWarning } from '../cluster/plan.js';
import type { EdgeWarning } from '../base/errors.js';
import { excludesLabel, type LabelSelector } from '../kubernetes/label-selector.js';
import type { FailurePolicy } from '../cluster/openyurt-webhook.js';
import type { WebhookRule } from './pool-webhook-props.js';
import { holdsUnknown } from '../base/unknown.js';
import { NAMESPACE_NAME_LABEL, type WebhookSettings } from './webhook-settings.js';

/** Groups of requests that a cluster needs to work, by their name in warnings. */
export type VitalPart = 'Pods' | 'workloads' | 'endpoints' | 'Nodes' | 'Leases' | 'reviews';

interface VitalRequests {
  readonly part: VitalPart;
  readonly apiGroup: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly resources: readonly string[];
  /** @default - CREATE and UPDATE */
  readonly operations?: readonly WebhookRule['operations'][number][];
}

/**
 * Requests that are necessary for a server to start again. Its Pod is created, bound, gets a token and updates its status. Its Node joins, sends
 * heartbeats and renews its Lease, as the scheduler and the controllers renew theirs. The endpoints of its Service are updated. An administrator
 * changes its workload. A Pod on a dead Node is replaced only when it is deleted. Kubelets and extension API servers let the API server review tokens and
 * permissions.
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
  { part: 'Pods', apiGroup: '', scope: 'Namespaced', resources: ['pods'], operations: ['DELETE'] },
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
  { part: 'reviews', apiGroup: 'authentication.k8s.io', scope: 'Cluster', resources: ['tokenreviews'] },
  { part: 'reviews', apiGroup: 'authorization.k8s.io', scope: 'Cluster', resources: ['subjectaccessreviews'] },
];

/** Which of the necessary requests rules match. For checked input. */
export function reachedBy(rules: readonly WebhookRule[]): VitalPart[] {
  const reached = VITAL.filter(
    ({ apiGroup, resources: vital, scope: own, operations: needed = ['CREATE', 'UPDATE'] }) =>
      rules.some(
        ({ apiGroups, apiVersions, resources, operations, scope = '*' }) =>
          apiGroups.some((group) => group === apiGroup || group === '*') &&
          apiVersions.some((version) => version === 'v1' || version === '*') &&
          resources.some((pattern) => vital.some((resource) => matches(pattern, resource))) &&
          operations.some((operation) => operation === '*' || needed.includes(operation)) &&
          (scope === '*' || scope === own),
      ),
  );
  return [...new Set(reached.map(({ part }) => part))];
}

/** Whether a resource pattern matches, as in the API server: `*` is everything without subresource, `x/*` includes `x` (apiserver predicates/rules). */
function matches(pattern: string, resource: string): boolean {
  const [name, sub = ''] = resource.split('/');
  const [namePattern, subPattern = ''] = pattern.split('/');
  return (namePattern === '*' || namePattern === name) && (subPattern === '*' || subPattern === sub);
}

/** Which requests a webhook can block, and where its server runs. */
export interface LockRisk {
  readonly name: string;
  readonly reaches: readonly VitalPart[];
  readonly failurePolicy: FailurePolicy;
  readonly settings: WebhookSettings;
  /** Namespace of the Pods of its server; undefined for a URL, which does not show it. */
  readonly serverNamespace?: string;
  /** Paths of the properties that set all of this. */
  readonly reads: readonly string[];
}

/** The namespaces with the Leases of nodes and the control plane. */
const LEASE_NAMESPACES = ['kube-node-lease', 'kube-system'];

/**
 * Warnings about a webhook that, while its server is down, refuses requests that the cluster or the server itself needs. Which objects an objectSelector
 * or a match condition does not match is unknown here, so any prevents the warning; a selector of everything does not, nor the condition `true`.
 */
export function lockWarnings(risk: LockRisk, path: string): PlannedWarning[] {
  const { settings } = risk;
  if (
    // checked again when unknown values are known
    holdsUnknown(risk) ||
    risk.failurePolicy !== 'Fail' ||
    !selectsAll(settings.objectSelector) ||
    (settings.matchConditions ?? []).some(({ expression }) => expression.trim() !== 'true')
  ) {
    return [];
  }
  return [ofItsOwn(risk), ofNodes(risk), ofLeases(risk), ofReviews(risk)].flatMap((found) =>
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
        ? `${what}: if a Pod of this cluster serves the URL, it cannot start again`
        : `${what}, including its own in ${serverNamespace}: it cannot start again`,
    hint: `write ${selectorWithout([serverNamespace ?? 'edge-system'])}${serverNamespace === undefined ? ' (the namespace of the server)' : ''}, or failurePolicy: 'Ignore'`,
  };
}

function ofNodes({ name, reaches }: LockRisk): Finding | undefined {
  return reaches.includes('Nodes')
    ? {
        message: `${name} refuses Nodes while its server is down: no Node can join or be tainted, not even one on which the server would start again`,
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
        message: `${name} refuses Leases while its server is down: every Node becomes NotReady, and the scheduler and the controllers stop`,
        hint: `write ${selectorWithout(LEASE_NAMESPACES)}, or failurePolicy: 'Ignore'`,
      }
    : undefined;
}

function ofReviews({ name, reaches }: LockRisk): Finding | undefined {
  return reaches.includes('reviews')
    ? {
        message: `${name} refuses TokenReviews or SubjectAccessReviews while its server is down: kubelets and extension API servers then refuse every user, for example kubectl logs`,
        hint: "leave tokenreviews and subjectaccessreviews out of the rules, or write failurePolicy: 'Ignore'",
      }
    : undefined;
}

function selectorWithout(namespaces: readonly string[]): string {
  const values = namespaces.map((namespace) => `'${namespace}'`).join(', ');
  return `namespaceSelector: { matchExpressions: [{ key: '${NAMESPACE_NAME_LABEL}', operator: 'NotIn', values: [${values}] }] }`;
}

/** In YAML, an empty field is null, which the API server reads as absent. */
function selectsAll({ matchLabels, matchExpressions }: LabelSelector = {}): boolean {
  return Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;
}
