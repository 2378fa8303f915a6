import type { Plan, PlannedObject } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import { CERTIFICATE_APPROVERS } from './serving-certificates.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { declaredHostNetworkPools } from '../pools/declared-pools.js';
import type { PlainMap } from '../base/plain-data.js';
import { compute } from '../base/unknown.js';
import { excludeWorkload } from '../workloads/exclusion.js';
import { checkServingCertificates, patternWarnings } from './serving-certificate-checks.js';
import type { ServingCertificateApproverProps } from './serving-certificate-props.js';

/** Attributes of an approver. */
export interface ServingCertificateAttributes {
  /** The regular expression for names, as the program gets it. */
  readonly nameRegex: string;
  /** The ranges of addresses, as the program gets them. */
  readonly ipPrefixes: readonly string[];
}

const NAME = 'kubelet-csr-approver';
const SIGNER = 'kubernetes.io/kubelet-serving';

/** The release with which it was tried: https://github.com/postfinance/kubelet-csr-approver */
const IMAGE = 'ghcr.io/postfinance/kubelet-csr-approver:v1.2.14';

/** The longest text that one variable of a process can have on Linux (MAX_ARG_STRLEN), with its name. */
const LONGEST_VARIABLE = 128 * 1024 - 64;

/**
 * Plans kubelet-csr-approver for the nodes of a cluster.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planServingCertificates(
  props: ServingCertificateApproverProps,
  scope: Scope,
): Plan<ServingCertificateAttributes> {
  const subject = `ServingCertificateApprover ${scope.path}`;
  const problems = problemsOf(scope);
  checkServingCertificates(props, problems);
  problems.throwIfAny(subject);
  const { cluster, namespace = 'kube-system', replicas = 2, machines = [], nodeNames = [], namePattern } = props;
  const declared = scope.declared.of(cluster, CERTIFICATE_APPROVERS);
  const earlier = declared.get(NAME);
  if (earlier !== undefined && earlier.owner !== scope.owner) {
    problems.add('EDGE_DUPLICATE', `${earlier.path} also approves certificates`, 'name all nodes in one approver');
  }
  const names = compute({ machines, nodeNames }, (known) => [
    ...known.machines.map(({ name }) => name),
    ...known.nodeNames,
  ]);
  const nameRegex = compute({ names, namePattern }, regexOf);
  const ipPrefixes = compute({ machines, addresses: props.addresses ?? [] }, prefixesOf);
  if (typeof nameRegex === 'string' && nameRegex.length > LONGEST_VARIABLE) {
    problems
      .at('nodeNames')
      .add(
        'EDGE_SIZE',
        'the names together are longer than an environment variable can be',
        'write a namePattern instead',
      );
  }
  problems.throwIfAny(subject);
  declared.set(NAME, { path: scope.path, owner: scope.owner });
  const before = accounts(namespace, replicas > 1);
  const workload = deployment(props, { nameRegex, ipPrefixes });
  const pools = declaredHostNetworkPools(scope, cluster);
  const excluded = excludeWorkload(cluster, { ...workload }, pools, problems);
  problems.throwIfAny(subject);
  return {
    subject,
    objects: [
      ...before,
      { object: (excluded?.manifest ?? {}) as KubernetesObject, apply: 'create', id: 'deployment', after: before },
    ],
    cluster,
    attributes: { nameRegex, ipPrefixes },
    warnings: patternWarnings(props),
    artifacts: [],
  };
}

/** One expression for whole names. The program looks for it anywhere in a name, so it has both ends. */
function regexOf({ names, namePattern }: { readonly names: readonly string[]; readonly namePattern?: string }): string {
  const exact = [...new Set(names)].map((name) => name.replaceAll('.', '\\.'));
  const parts = namePattern === undefined ? exact : [...exact, `(?:${namePattern})`];
  return `^(?:${parts.join('|')})$`;
}

/** The address of each machine alone, not its network; and the ranges of the user. */
function prefixesOf({
  machines,
  addresses,
}: {
  readonly machines: readonly { readonly address?: string }[];
  readonly addresses: readonly string[];
}): readonly string[] {
  const alone = (address: string): string => `${address}/${address.includes(':') ? 128 : 32}`;
  const ofMachines = machines.flatMap(({ address }) =>
    address === undefined ? [] : [alone(address.split('/')[0] ?? '')],
  );
  return [...new Set([...ofMachines, ...addresses.map((range) => (range.includes('/') ? range : alone(range)))])];
}

/** What it may do: read requests, approve those of kubelets' serving certificates, and keep a Lease if it is one of several. */
function accounts(namespace: string, isOneOfMany: boolean): PlannedObject[] {
  const rbac = 'rbac.authorization.k8s.io';
  const labels = { ...OWN_LABELS };
  const subjects = [{ kind: 'ServiceAccount', name: NAME, namespace }];
  const requests = { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'] };
  const role = (kind: 'ClusterRole' | 'Role', rules: readonly PlainMap[]): KubernetesObject[] => {
    const metadata = kind === 'Role' ? { name: NAME, namespace, labels } : { name: NAME, labels };
    return [
      { apiVersion: `${rbac}/v1`, kind, metadata, rules },
      {
        apiVersion: `${rbac}/v1`,
        kind: `${kind}Binding`,
        metadata,
        roleRef: { apiGroup: rbac, kind, name: NAME },
        subjects,
      },
    ];
  };
  const objects: KubernetesObject[] = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace, labels } },
    ...role('ClusterRole', [
      { ...requests, verbs: ['get', 'list', 'watch'] },
      { ...requests, resources: ['certificatesigningrequests/approval'], verbs: ['update'] },
      { apiGroups: ['certificates.k8s.io'], resources: ['signers'], resourceNames: [SIGNER], verbs: ['approve'] },
    ]),
    ...(isOneOfMany
      ? role('Role', [
          // RBAC cannot name an object that is created
          { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
          {
            apiGroups: ['coordination.k8s.io'],
            resources: ['leases'],
            resourceNames: [NAME],
            verbs: ['get', 'update'],
          },
          { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
        ])
      : []),
  ];
  return objects.map((object) => ({ object, apply: 'create', id: object.kind.toLowerCase() }));
}

function deployment(props: ServingCertificateApproverProps, allowed: ServingCertificateAttributes): KubernetesObject {
  const { namespace = 'kube-system', replicas = 2, image = IMAGE, maxDays = 367 } = props;
  const { resolvesNames = false, deniesOthers = false, priorityClassName = 'system-cluster-critical' } = props;
  const labels = { app: NAME };
  const env = {
    PROVIDER_REGEX: compute(allowed.nameRegex, verbatim),
    PROVIDER_IP_PREFIXES: compute(allowed.ipPrefixes, (prefixes) => prefixes.join(',')),
    BYPASS_DNS_RESOLUTION: compute(resolvesNames, (known) => String(!known)),
    SKIP_DENY_STEP: compute(deniesOthers, (known) => String(!known)),
    MAX_EXPIRATION_SEC: compute(maxDays, (known) => String(known * 24 * 3600)),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: NAME, namespace, labels: { ...OWN_LABELS } },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: NAME,
          priorityClassName,
          tolerations: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' }],
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: 'kubernetes.io/hostname',
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: { matchLabels: labels },
            },
          ],
          securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: NAME,
              image,
              args: [
                '-metrics-bind-address=:8080',
                '-health-probe-bind-address=:8081',
                ...(replicas > 1 ? ['-leader-election'] : []),
              ],
              env: Object.entries(env).map(([name, value]) => ({ name, value })),
              ports: [{ name: 'metrics', containerPort: 8080 }],
              livenessProbe: { httpGet: { path: '/healthz', port: 8081 } },
              resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '128Mi' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
            },
          ],
        },
      },
    },
  };
}

/** A text that Kubernetes leaves as it is: in a variable it replaces `$(NAME)`, and `$$` by `$`. */
function verbatim(text: string): string {
  return text.replaceAll(/\$(?=[$(])/g, '$$$$');
}
