import { checkCluster, type EdgeCluster } from '../cluster/edge-cluster.js';
import { DeclarationKind, problemsOf, type Scope } from '../cluster/scope.js';
import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { compute, isUnknown } from '../base/unknown.js';
import type { Plan, PlannedObject } from '../cluster/plan.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { declaredHostNetworkPools } from '../pools/declared-pools.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { excludeWorkload } from '../workloads/exclusion.js';
import { checkNamespace, checkObjectName, isDnsSubdomain } from '../kubernetes/names.js';
import { checkAddressRange } from '../kubernetes/hosts.js';
import { checkBoolean, showValue } from '../base/properties.js';
import {
  type Check,
  checkProperties,
  listOf,
  optional,
  plain,
  type PropertyTable,
  wholeNumber,
} from '../base/property-table.js';
import type { JoinMachine, NodeJoinProps } from './node-join-props.js';
import { itemsOf } from '../kubernetes/field-values.js';

/**
 * Properties of a {@link ServingCertificateApprover}: which serving certificates of kubelets are approved, and by what.
 *
 * @category Join nodes
 */
export interface ServingCertificateApproverProps {
  /** The cluster. */
  readonly cluster: EdgeCluster;
  /** The machines of joins, as in `machines` of {@link NodeJoin}: their names, and their addresses where they are
   * static.
   * @default - none */
  readonly machines?: JoinMachine[];
  /** Names of further nodes.
   * @default - none */
  readonly nodeNames?: string[];
  /** Regular expression for the names of further nodes, which must match the whole name: `shop-[0-9]{4}`. Only syntax
   * that Go and JavaScript share.
   * @default - none */
  readonly namePattern?: string;
  /** Addresses that certificates may have: IP addresses, or ranges (CIDR). Required, unless the approver is only for
   * `machines` that all have an `address`.
   * @default - the addresses of the machines */
  readonly addresses?: string[];
  /** Whether the name must resolve to the addresses in the certificate, by the DNS of the cluster.
   * @default false, because names of edge machines are often in no DNS */
  readonly resolvesNames?: boolean;
  /** Whether all other requests for serving certificates are denied. By default they wait for somebody else, for
   * example the cloud provider's approver.
   * @default false */
  readonly deniesOthers?: boolean;
  /** The longest time that a kubelet may ask for, in days, 1 to 367.
   * @default 367 */
  readonly maxDays?: number;
  /** Number of Pods, 1 to 5. With more than one, one of them works, by a Lease.
   * @default 2 */
  readonly replicas?: number;
  /** Image of kubelet-csr-approver, with a tag or a digest.
   * @default - ghcr.io/postfinance/kubelet-csr-approver, in the release with which it was tried */
  readonly image?: string;
  /** Namespace of its Pods.
   * @default kube-system */
  readonly namespace?: string;
  /** Priority of its Pods.
   * @default system-cluster-critical */
  readonly priorityClassName?: string;
}

/** What approves serving certificates of kubelets, by cluster. */
export const CERTIFICATE_APPROVERS = new DeclarationKind<{ readonly path: string; readonly owner: object }>(
  'approvers of serving certificates',
);

/** Whether the kubelets of a join ask the cluster for their serving certificates. */
export function asksForCertificates({ machineSettings: machine, kubeletConfiguration }: NodeJoinProps): boolean {
  return machine?.servingCertificates === true || kubeletConfiguration?.serverTLSBootstrap === true;
}

/** Warns, when the whole program is declared, that nothing in it approves them. Kubernetes itself has no controller for
 * it. */
export function unapprovedWarnings(
  { pool, machineSettings: machine }: NodeJoinProps,
  scope: Scope,
): readonly EdgeWarning[] {
  return scope.declared.of(pool.cluster, CERTIFICATE_APPROVERS).size > 0
    ? []
    : [
        {
          code: 'EDGE_CERTIFICATE',
          path: machine?.servingCertificates === true ? 'machineSettings.servingCertificates' : 'kubeletConfiguration',
          message:
            'kubelets ask for serving certificates, and nothing in this program approves them: until somebody does, kubectl logs, kubectl exec and metrics fail on these nodes',
          hint: 'declare a ServingCertificateApprover; if something else in the cluster approves them, accept this warning with EdgeWarnings.accept',
        },
      ];
}

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

/** What it may do: read requests, approve those of kubelets' serving certificates, and keep a Lease if it is one of
 * several. */
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

const upTo =
  (most: number): Check =>
  (value, problems) => {
    wholeNumber(1)(value, problems);
    if (typeof value === 'number' && value > most) {
      problems.add('EDGE_VALUE', `${value} is more than ${most}`, `write ${most} or less`);
    }
  };

const checkNodeName: Check = (name, problems) => {
  if (typeof name !== 'string' || !isDnsSubdomain(name)) {
    problems.add('EDGE_NAME', `${showValue(name)} is not the name of a Node`, "write 'shop-0001'");
  }
};

/** What the join of the machines does not check: it may not be declared in this program. */
const checkMachine: Check = (machine, problems) => {
  if (!isMap(machine)) {
    problems.add('EDGE_TYPE', 'a machine must be a map', "write { name: 'shop-0001', address: '192.0.2.10/24' }");
    return;
  }
  checkNodeName(machine.name, problems.at('name'));
  if (machine.address !== undefined) {
    checkAddressRange(machine.address, problems.at('address'));
  }
};

const TABLE: PropertyTable<ServingCertificateApproverProps> = {
  cluster: (cluster, problems) => void checkCluster(cluster, problems),
  machines: plain(listOf(checkMachine, "write parseMachines(readFileSync('machines.csv', 'utf8'), 'machines.csv')")),
  nodeNames: listOf(checkNodeName, "write ['shop-0001']"),
  namePattern: optional(checkPattern),
  addresses: listOf(checkAddressRange, "write ['10.0.0.0/24']"),
  resolvesNames: checkBoolean,
  deniesOthers: checkBoolean,
  maxDays: upTo(367),
  replicas: plain(upTo(5)),
  image: optional((image, problems) => {
    if (typeof image !== 'string' || !/^[A-Za-z0-9][\w./:-]*(:\w[\w.-]{0,127}|@sha256:[0-9a-f]{64})$/.test(image)) {
      problems.add(
        'EDGE_VALUE',
        `${showValue(image)} is not the name of an image with its tag or digest`,
        "write 'registry.example/kubelet-csr-approver:v1'",
      );
    }
  }),
  namespace: optional(checkNamespace),
  priorityClassName: optional(checkObjectName),
};

const ADVICE: Readonly<Record<string, string>> = {
  providerRegex: 'did you mean namePattern?',
  providerIpPrefixes: 'did you mean addresses?',
  pools: 'a pool does not know the names of its nodes: write machines, nodeNames or namePattern',
  pool: 'a pool does not know the names of its nodes: write machines, nodeNames or namePattern',
};

/** The syntax that Go (RE2) and JavaScript read alike. */
const SHARED_SYNTAX = /^(?:[A-Za-z0-9.|)*+?^$_-]|\\[.dw]|\[\^?[A-Za-z0-9._-]+\]|\{\d{1,3}(?:,\d{0,3})?\}|\((?:\?:)?)+$/;

const LONGEST_PATTERN = 1000;

function checkPattern(pattern: unknown, problems: ProblemList): void {
  if (typeof pattern !== 'string' || pattern === '' || pattern.length > LONGEST_PATTERN) {
    problems.add('EDGE_VALUE', 'this is not a regular expression of 1 to 1000 characters', "write 'shop-[0-9]{4}'");
  } else if (!isShared(pattern)) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(pattern)} is not a regular expression that Go and JavaScript read alike`,
      "write 'shop-[0-9]{4}', without look-ahead, back references and other escapes than \\\\., \\\\d and \\\\w",
    );
  }
}

function isShared(pattern: string): boolean {
  if (!SHARED_SYNTAX.test(pattern)) {
    return false;
  }
  // Go refuses repetitions of more than 1000, also nested ones
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) => Number(most ?? least));
  try {
    new RegExp(pattern, 'u');
    return counts.reduce((product, count) => product * Math.max(count, 1), 1) <= LONGEST_PATTERN;
  } catch {
    return false;
  }
}

/** Checks the properties of an approver. */
function checkServingCertificates(input: ServingCertificateApproverProps, problems: ProblemList): void {
  if (!isMap(input)) {
    problems.add(
      'EDGE_MISSING',
      'an approver needs a cluster and the names of its nodes',
      'write { cluster, machines }',
    );
    return;
  }
  checkProperties<ServingCertificateApproverProps>(input, TABLE, problems, ADVICE);
  const { machines, nodeNames, namePattern, addresses } = input;
  const isEmpty = (list: unknown): boolean => list === undefined || (Array.isArray(list) && list.length === 0);
  const hasOthers = !isEmpty(nodeNames) || namePattern !== undefined;
  if (isEmpty(machines) && !hasOthers) {
    problems.add(
      'EDGE_MISSING',
      'no node is named, so no certificate would be approved',
      "write machines, nodeNames: ['shop-0001'] or namePattern: 'shop-[0-9]{4}'",
    );
  } else if (isEmpty(addresses)) {
    const withoutAddress = itemsOf(machines).some((machine) => isMap(machine) && machine.address === undefined);
    if (hasOthers || withoutAddress) {
      problems
        .at('addresses')
        .add(
          'EDGE_MISSING',
          'the addresses of some nodes are not known, so a node could have a certificate for any address',
          "write the network of the nodes: addresses: ['10.0.0.0/24']",
        );
    }
  }
}

/**
 * Whether JavaScript matches a pattern with a short name in no time: Go takes as long for each pattern, JavaScript
 * hours if a repeated group repeats things in several ways.
 */
function isQuick(pattern: string): boolean {
  const choices = (text: string): number => (text.match(/[*+{|]/g) ?? []).length;
  let rest = pattern.replace(/\\.|\[(?:\\.|[^[\]\\])*\]/g, 'x');
  for (let group = GROUP.exec(rest); group !== null; group = GROUP.exec(rest)) {
    const [whole, inside = '', repeated] = group;
    if (repeated !== '' && choices(inside) > 1) {
      return false;
    }
    rest =
      rest.slice(0, group.index) +
      '*'.repeat(choices(inside)) +
      rest.slice(group.index + whole.length - (repeated ?? '').length);
  }
  return choices(rest) <= 6;
}

const GROUP = /\(([^()]*)\)([*+{]|)/;

/** Warns about a pattern that matches any name. */
function patternWarnings({ namePattern }: ServingCertificateApproverProps): EdgeWarning[] {
  if (typeof namePattern !== 'string' || isUnknown(namePattern)) {
    return [];
  }
  const whole = new RegExp(`^(?:${namePattern})$`, 'u');
  return isQuick(namePattern) && ['kubernetes', 'api.shops.example'].every((name) => whole.test(name))
    ? [
        {
          code: 'EDGE_CERTIFICATE',
          path: 'namePattern',
          message:
            'it matches more than names of nodes: a node called kubernetes could get a certificate for that name',
          hint: "write what the names of your nodes have in common: 'shop-[0-9]{4}'",
        },
      ]
    : [];
}
