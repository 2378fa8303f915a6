import { checkArtifactFolder, type EdgeArtifact } from '../base/artifact.js';
import type { EdgeCode } from '../base/error-codes.js';
import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { checkWholeNumber, quoted, showValue, whatIs } from '../base/properties.js';
import {
  type Check,
  checkProperties,
  mapWith,
  oneOf,
  optional,
  plain,
  plainMap,
  type PropertyTable,
  wholeNumber,
} from '../base/property-table.js';
import { compute, isUnknown } from '../base/unknown.js';
import { type ApiServerEndpoint, parseEndpoint } from '../cluster/api-server-endpoint.js';
import { checkCluster, type EdgeCluster } from '../cluster/edge-cluster.js';
import { KUBERNETES_MINORS, kubernetesRow } from '../cluster/kubernetes-minors.js';
import type { Plan, PlannedObject } from '../cluster/plan.js';
import { DeclarationKind, problemsOf, type Scope } from '../cluster/scope.js';
import { isUnreachable } from '../kubernetes/hosts.js';
import { imageReference } from '../kubernetes/image-reference.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { isDnsSubdomain } from '../kubernetes/names.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { claimPorts } from '../workloads/host-ports.js';
import { hostNetworkPods } from '../workloads/host-network-pods.js';
import { poolsOf } from '../workloads/host-network-workload.js';
import { readClusterConfiguration } from './cluster-configuration.js';
import {
  accounts,
  AGENT,
  agents,
  API_SERVER_FLAGS,
  CONTROL_PLANE_LABEL,
  controlPlaneWork,
  type Konnectivity,
  NAMESPACE,
  RESERVED_FLAGS,
  SERVER_PORTS,
} from './konnectivity.js';
import type { PreconditionStep } from './precondition.js';
import { preconditionFiles } from './step-files.js';

/**
 * Settings of konnectivity.
 *
 * @category Reach nodes
 */
export interface KonnectivitySettings {
  /** Where nodes reach the proxy servers of the control plane, `host:port`, or a host alone for port 8132. With several
   * servers it is a balancer.
   * @default - the host of `apiServer` of the cluster, port 8132 */
  readonly server?: string;
  /** Number of control-plane nodes, each with a server: 1 to 9.
   * @default 1 */
  readonly servers?: number;
  /** How often a quiet connection is used, in seconds, 30 to 300: servers refuse less, and a NAT forgets what is quiet
   * for longer.
   * @default 30 */
  readonly keepaliveSeconds?: number;
  /** Image of the agents, with a tag or a digest.
   * @default - registry.k8s.io/kas-network-proxy/proxy-agent, in the release for the Kubernetes minor */
  readonly agentImage?: string;
  /** Image of the servers, with a tag or a digest.
   * @default - registry.k8s.io/kas-network-proxy/proxy-server, in the release for the Kubernetes minor */
  readonly serverImage?: string;
  /** Further flags of the agents, without dashes.
   * @default - none */
  readonly agentExtraArgs?: Record<string, string>;
  /** Further flags of the servers, without dashes.
   * @default - none */
  readonly serverExtraArgs?: Record<string, string>;
  /** The present ClusterConfiguration of kubeadm (ConfigMap `kube-system/kubeadm-config`), as text; it is edited.
   * @default - parts to merge are written */
  readonly clusterConfiguration?: string;
}

/**
 * Properties of a {@link NodeAccess}.
 *
 * @category Reach nodes
 */
export interface NodeAccessProps {
  /** The cluster. */
  readonly cluster: EdgeCluster;
  /** The host-network pools whose nodes are reached, all of this cluster. */
  readonly pools: readonly (NodePoolAttributes & { readonly hostNetwork: true })[];
  /** How the API server reaches kubelets. `konnectivity`: each node dials the control plane, so NAT does not matter,
   * nor that sites have the same addresses. `raven`: OpenYurt's Gateways, whose programs are not part of this.
   * `direct`: the API server reaches the addresses of the nodes; nothing is written. */
  readonly via: 'konnectivity' | 'raven' | 'direct';
  /** Settings of konnectivity.
   * @default - an agent on every node, and one server */
  readonly konnectivity?: KonnectivitySettings;
  /** Names of the Nodes of each pool that dial the cloud, for `raven`: 1 to 5 of them.
   * @default - required for `raven` */
  readonly gatewayNodes?: Record<string, string[]>;
  /** Folder of the scripts and files for the control plane, below the output folder of `writeArtifacts`.
   * @default access */
  readonly artifactFolder?: string;
}

/** Attributes of an access. */
export interface NodeAccessAttributes {
  /** What is to do beside the manifests, in this order. */
  readonly steps: readonly PreconditionStep[];
  /** The steps that undo it, in order. */
  readonly rollback: readonly PreconditionStep[];
  /** The steps as scripts, with their files. */
  readonly artifacts: readonly EdgeArtifact[];
  /** The flags of kube-apiserver, for a control plane that kubeadm did not create. */
  readonly apiServerFlags: Readonly<Record<string, string>>;
  /** What is assumed and not checked, one sentence each. */
  readonly assumptions: readonly string[];
}

/** A pool that is reached, and how. */
interface DeclaredAccess {
  readonly path: string;
  readonly owner: object;
  readonly via: NodeAccessProps['via'];
}

const ACCESS = new DeclarationKind<DeclaredAccess>('access to pools');

/** How a program reaches the nodes of a pool: konnectivity reaches every node of its cluster. */
export function declaredAccess(
  { cluster, poolName }: NodePoolAttributes,
  { declared }: Scope,
): NodeAccessProps['via'] | undefined {
  const all = declared.of(cluster, ACCESS);
  const isThroughAgents = [...all.values()].some(({ via }) => via === 'konnectivity');
  return isThroughAgents ? 'konnectivity' : all.get(String(poolName))?.via;
}

/** The oldest minor with a release of konnectivity. */
const OLDEST = KUBERNETES_MINORS.find(({ konnectivity }) => konnectivity !== undefined)?.minor;
const REGISTRY = 'registry.k8s.io/kas-network-proxy';

const checkServer: Check = (server, problems) => {
  const endpoint = typeof server === 'string' ? endpointOf(server) : undefined;
  const hint = "write the address at which nodes reach the control plane: '192.0.2.1' or 'control.example:8132'";
  if (endpoint === undefined) {
    problems.add('EDGE_VALUE', `${quoted(server)} is not a host, or host:port`, hint);
  } else {
    const fault = faultOf(endpoint.host);
    if (fault !== undefined) {
      problems.add('EDGE_VALUE', `${quoted(server)} ${fault}`, hint);
    }
  }
};

/** Why nodes do not reach a host. */
function faultOf(host: string): string | undefined {
  return isUnreachable(host)
    ? 'is each node itself'
    : /(^|\.)svc(\.|$)|\.cluster\.local\.?$|^kubernetes\.default$/.test(host) || /^10\.96\.0\.\d+$/.test(host)
      ? 'is a Service: without kube-proxy and cluster DNS no node reaches it'
      : /^[^.:]+$/.test(host)
        ? 'is a name without a domain, which nodes do not resolve'
        : undefined;
}

function endpointOf(server: string): ApiServerEndpoint | undefined {
  return (
    parseEndpoint(server) ?? parseEndpoint(`${server.includes(':') ? `[${server}]` : server}:${SERVER_PORTS.agents}`)
  );
}

const checkImage: Check = (image, problems) => {
  const read = typeof image === 'string' ? imageReference(image) : undefined;
  if (read === undefined || !/:[\w.-]+$|@sha256:/.test(String(image))) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(image)} is not an image with a tag`,
      "write 'registry.example/proxy-agent:v1'",
    );
  }
};

const checkExtraArgs: Check = mapWith(
  (args, problems) => {
    for (const [name, value] of Object.entries(args)) {
      const at = problems.at(name);
      const reason = RESERVED_FLAGS[name.replace(/^-+/, '')];
      if (reason !== undefined) {
        at.add('EDGE_RESERVED_KEY', `${name} is reserved: managed by edge-nodepools`, `leave it out: ${reason}`);
      } else if (!/^[a-z][a-z0-9-]*$/.test(name)) {
        at.add('EDGE_VALUE', `${showValue(name)} is not the name of a flag`, "write it without dashes: { v: '4' }");
      } else if (typeof value !== 'string' && !isUnknown(value)) {
        at.add('EDGE_TYPE', `the value of a flag is text, this is ${whatIs(value)}`, "write '4', in quotes");
      }
    }
  },
  'flags must be a map',
  "write { v: '4' }",
);

const checkKeepalive: Check = (seconds, problems) => {
  checkWholeNumber(seconds, 1, problems);
  if (typeof seconds === 'number' && seconds > 0 && seconds < 30) {
    problems.add(
      'EDGE_VALUE',
      'proxy servers close a connection that is used more often than every 30 seconds',
      'write 30',
    );
  } else if (typeof seconds === 'number' && seconds > 300) {
    const message = `a NAT forgets what is quiet for ${seconds} seconds, and an agent that was forgotten stays away`;
    problems.add('EDGE_VALUE', message, 'write 30, or at most 300 if you know what your NATs keep');
  }
};

const SETTINGS: PropertyTable<KonnectivitySettings> = {
  server: optional(checkServer),
  servers: plain(optional(wholeNumber(1, 9))),
  keepaliveSeconds: plain(optional(checkKeepalive)),
  agentImage: optional(checkImage),
  serverImage: optional(checkImage),
  agentExtraArgs: plain(checkExtraArgs),
  serverExtraArgs: plain(checkExtraArgs),
  clusterConfiguration: optional((text, problems) => {
    const read = readClusterConfiguration(text, problems, 'apiServer');
    checkPresent(read?.values ?? {}, problems.at('apiServer', 'extraArgs'));
  }),
};

const SETTINGS_ADVICE: Readonly<Record<string, string>> = {
  keepalive: 'did you mean keepaliveSeconds?',
  keepaliveTime: 'did you mean keepaliveSeconds?',
  proxyStrategies: `leave it out: ${RESERVED_FLAGS['proxy-strategies']}`,
  agentIdentifiers: `leave it out: ${RESERVED_FLAGS['agent-identifiers']}`,
  host: 'did you mean server?',
  serverCount: 'did you mean servers?',
  address: 'did you mean server?',
};

/** What is refused if its condition holds: where, its code, message and hint. */
type Refusal = readonly [when: boolean, at: readonly (string | number)[], EdgeCode, message: string, hint: string];

function refuse(problems: ProblemList, ...rows: readonly Refusal[]): void {
  const refused = rows.filter(([when]) => when);
  refused.forEach(([, at, code, message, hint]) => problems.at(...at).add(code, message, hint));
}

/** Refuses arguments of the API server with which requests reach the wrong node, or none. */
function checkPresent(values: Readonly<Record<string, unknown>>, problems: ProblemList): void {
  const { 'kubelet-preferred-address-types': types, 'egress-selector-config-file': egress } = values;
  const file = API_SERVER_FLAGS['egress-selector-config-file'];
  const isUnchecked = values['kubelet-certificate-authority'] === undefined;
  const code = 'EDGE_CONTRADICTION';
  refuse(
    problems,
    [
      typeof types === 'string' && /^\s*(Internal|External)IP\b/.test(types),
      ['kubelet-preferred-address-types'],
      code,
      'the API server asks for an address first, and two sites can have the same: an agent of the wrong one answers',
      `write ${API_SERVER_FLAGS['kubelet-preferred-address-types']}, or leave it out`,
    ],
    [
      typeof egress === 'string' && isUnchecked,
      ['egress-selector-config-file'],
      code,
      'requests go through agents, and nothing checks which kubelet answers (kubelet-certificate-authority)',
      'leave it out; apply the step with the authority first, when every kubelet has a serving certificate',
    ],
    [
      typeof egress === 'string' && !isUnchecked && egress !== file,
      ['egress-selector-config-file'],
      code,
      `${quoted(egress)} is another egress selector`,
      `leave it out, or write ${file}`,
    ],
    [
      values['enable-aggregator-routing'] === 'false',
      ['enable-aggregator-routing'],
      code,
      'aggregated APIs by Service would not be reached by agents',
      'leave it out',
    ],
  );
}

const checkGatewayNodes: Check = mapWith(
  (nodes, problems) => {
    for (const [pool, names] of Object.entries(nodes)) {
      const isList = Array.isArray(names) && names.length > 0 && names.length <= 5;
      const wrong: unknown = isList ? names.find((name) => typeof name !== 'string' || !isDnsSubdomain(name)) : names;
      if (!isList || wrong !== undefined) {
        problems
          .at(pool)
          .add('EDGE_NAME', `${showValue(wrong)} is not a list of names of Nodes`, "write ['shop-0001']");
      }
    }
  },
  'gatewayNodes must be a map',
  "write { beijing: ['beijing-1'] }",
);

const PROPERTIES: PropertyTable<NodeAccessProps> = {
  cluster: (cluster, problems) => void checkCluster(cluster, problems),
  pools: plain((pools, problems) => {
    if (!Array.isArray(pools) || pools.length === 0) {
      problems.add('EDGE_MISSING', 'pools must be a list with at least one pool', 'write pools: [beijing]');
    }
  }),
  via: plain((via, problems) => {
    if (via === undefined) {
      problems.add('EDGE_MISSING', 'how nodes are reached is required', "write via: 'konnectivity'");
    } else {
      oneOf('konnectivity', 'raven', 'direct')(via, problems);
    }
  }),
  konnectivity: plainMap(
    mapWith(
      (settings, problems) => checkProperties<KonnectivitySettings>(settings, SETTINGS, problems, SETTINGS_ADVICE),
      'konnectivity must be a map',
      "write { server: 'control.example' }",
    ),
  ),
  gatewayNodes: plain(optional(checkGatewayNodes)),
  artifactFolder: plain((folder, problems) => checkArtifactFolder(folder, 'access', problems)),
};

const ADVICE: Readonly<Record<string, string>> = {
  pool: 'write pools: [beijing]',
  ...Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, `write it in konnectivity: { ${name}: … }`])),
};

/**
 * Plans how the API server reaches the kubelets of host-network nodes, for logs, exec, attach and port-forward.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planNodeAccess(props: NodeAccessProps, scope: Scope): Plan<NodeAccessAttributes> {
  const subject = `NodeAccess ${scope.path}`;
  const problems = problemsOf(scope);
  const given = props ?? {};
  checkProperties<NodeAccessProps>(given, PROPERTIES, problems, ADVICE);
  const { cluster, via } = given;
  const pools = Array.isArray(given.pools) && given.pools.length > 0 ? checkedPools(given, problems) : [];
  if (problems.problems.length === 0) {
    checkWay(given, scope, problems);
  }
  problems.throwIfAny(subject);
  const warnings: EdgeWarning[] = [];
  const plan =
    via === 'konnectivity'
      ? throughAgents(given, scope, problems, warnings)
      : via === 'raven'
        ? throughGateways(given)
        : { ...NOTHING, assumptions: ASSUMPTIONS.direct };
  problems.throwIfAny(subject);
  const access = scope.declared.of(cluster, ACCESS);
  pools.forEach(({ poolName }) => access.set(String(poolName), { path: scope.path, owner: scope.owner, via }));
  const { objects, ...attributes } = plan;
  return { subject, cluster, objects, attributes, warnings, artifacts: attributes.artifacts };
}

const NOTHING = { objects: [], steps: [], rollback: [], artifacts: [], apiServerFlags: {} };

function checkedPools(given: NodeAccessProps, problems: ProblemList): NodePoolAttributes[] {
  const pools = poolsOf({ pools: given.pools }, 'NodeAccess', problems);
  if (problems.problems.length === 0 && pools[0]?.cluster.identity() !== given.cluster.identity()) {
    problems
      .at('pools', 0)
      .add(
        'EDGE_CONTRADICTION',
        `${pools[0]?.poolName} is in another cluster than cluster`,
        'give the cluster of the pools',
      );
  }
  return pools;
}

/** Refuses what the way has no use for, or lacks, two ways to one pool, and two konnectivities of one control plane. */
function checkWay(given: NodeAccessProps, scope: Scope, problems: ProblemList): void {
  const { cluster, pools, via, konnectivity, gatewayNodes } = given;
  const isBeside = `conflicting settings: nodes are reached via ${via}`;
  const hasImages = konnectivity?.agentImage !== undefined && konnectivity.serverImage !== undefined;
  const { apiServer } = cluster;
  const fault = typeof apiServer === 'string' ? faultOf(parseEndpoint(apiServer)?.host ?? '') : undefined;
  const names = pools.flatMap(({ poolName }) => (isUnknown(poolName) ? [] : [poolName]));
  const gateways = gatewayNodes ?? {};
  const access = scope.declared.of(cluster, ACCESS);
  const others = [...access.values()].filter(({ owner }) => owner !== scope.owner);
  const first = others.find((other) => other.via === 'konnectivity');
  refuse(
    problems,
    [
      via !== 'konnectivity' && konnectivity !== undefined,
      ['konnectivity'],
      'EDGE_CONTRADICTION',
      isBeside,
      'leave it out',
    ],
    [via !== 'raven' && gatewayNodes !== undefined, ['gatewayNodes'], 'EDGE_CONTRADICTION', isBeside, 'leave it out'],
    [
      via === 'konnectivity' && kubernetesRow(cluster.kubernetes).konnectivity === undefined && !hasImages,
      ['via'],
      'EDGE_CONTRADICTION',
      `no release of konnectivity is known for Kubernetes ${cluster.kubernetes}; the oldest with one is ${OLDEST}`,
      'write konnectivity: { agentImage, serverImage } with the release for this minor',
    ],
    [
      via === 'konnectivity' && konnectivity?.server === undefined && (apiServer === undefined || fault !== undefined),
      ['konnectivity', 'server'],
      'EDGE_MISSING',
      apiServer === undefined ? 'the cluster has no apiServer' : `${apiServer} ${fault}`,
      "write konnectivity: { server: 'control.example' }, the address that nodes dial",
    ],
    [
      via === 'konnectivity' && first !== undefined,
      ['via'],
      'EDGE_DUPLICATE',
      `${first?.path} already has the agents of this cluster`,
      'name all pools in one NodeAccess',
    ],
    [
      via === 'raven' && !cluster.hasOpenYurt(),
      ['via'],
      'EDGE_NO_OPENYURT',
      'Raven is a part of OpenYurt',
      "write via: 'konnectivity'",
    ],
    ...names.map((name): Refusal => [
      via === 'raven' && gateways[name] === undefined,
      ['gatewayNodes', name],
      'EDGE_MISSING',
      'no Node of this pool dials the cloud',
      `write gatewayNodes: { ${name}: ['…'] }`,
    ]),
    ...Object.keys(gateways).map((name): Refusal => [
      names.length === pools.length && !names.includes(name),
      ['gatewayNodes', name],
      'EDGE_VALUE',
      `${showValue(name)} is none of the pools`,
      'add it to pools',
    ]),
    ...pools.flatMap(({ poolName }, index): Refusal[] => {
      const other = access.get(String(poolName));
      const message = `${other?.path} already reaches ${poolName} via ${other?.via}`;
      const isOther = other !== undefined && other.owner !== scope.owner;
      return [[isOther, ['pools', index], 'EDGE_DUPLICATE', message, 'name the pool in one of them']];
    }),
  );
}

/** The agents and the server of konnectivity. */
function throughAgents(
  given: NodeAccessProps,
  scope: Scope,
  problems: ProblemList,
  warnings: EdgeWarning[],
): NodeAccessAttributes & { readonly objects: readonly PlannedObject[] } {
  const { cluster, pools, konnectivity: settings = {}, artifactFolder: folder = 'access' } = given;
  const { server, servers = 1, keepaliveSeconds = 30, agentExtraArgs = {}, serverExtraArgs = {} } = settings;
  const release = kubernetesRow(cluster.kubernetes).konnectivity;
  const { agentImage = `${REGISTRY}/proxy-agent:${release}`, serverImage = `${REGISTRY}/proxy-server:${release}` } =
    settings;
  const endpoint = compute({ server, apiServer: cluster.apiServer }, (known) => {
    const host = parseEndpoint(known.apiServer ?? '')?.host ?? '';
    return known.server === undefined ? { host, port: SERVER_PORTS.agents } : endpointOf(known.server);
  }) as ApiServerEndpoint;
  const known: Konnectivity = {
    cluster,
    endpoint,
    servers,
    keepaliveSeconds,
    images: { agent: agentImage, server: serverImage },
    agentExtraArgs,
    serverExtraArgs,
    clusterConfiguration: settings.clusterConfiguration,
  };
  const onNodes = (...matchExpressions: readonly object[]): object => ({
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  });
  const names = pools.map(({ poolName }) => poolName);
  const onPools = hostNetworkPods(cluster, pools, agents(AGENT, known, false, {}), {}, problems);
  const isAt = (operator: string): object => ({ key: CONTROL_PLANE_LABEL, operator });
  const isOutside = { key: cluster.nodePoolLabel, operator: 'NotIn', values: names };
  const others = agents(`${AGENT}-other`, known, false, onNodes(isAt('DoesNotExist'), isOutside) as never);
  const ofControlPlane = agents(`${AGENT}-default-route`, known, true, onNodes(isAt('Exists'), isOutside) as never);
  if (onPools !== undefined) {
    const workload = `DaemonSet ${NAMESPACE}/${AGENT} (${scope.path})`;
    claimPorts(
      [{ claim: { ...onPools.claim, workload, owner: scope.owner }, at: problems }],
      { pools },
      scope,
      warnings,
    );
  }
  warnings.push(...WARNINGS);
  const skipExclusion = 'runs on every node, so that each is reached (NodeAccess)';
  const before: PlannedObject[] = accounts().map((object) => ({
    object,
    apply: 'create',
    id: object.kind.toLowerCase(),
  }));
  const daemonSets = [onPools?.manifest as KubernetesObject, ofControlPlane, others].map(
    (object, index): PlannedObject => ({
      object,
      apply: 'create',
      id: ['pools', 'default-route', 'other'][index] ?? '',
      after: before,
      skipExclusion,
    }),
  );
  const work = compute(known, controlPlaneWork);
  const artifacts = compute({ work, folder }, (ready) =>
    preconditionFiles([{ component: 'access', applied: true, ...ready.work }], ready.folder),
  );
  return {
    objects: [...before, ...daemonSets],
    steps: compute(work, ({ steps }) => steps),
    rollback: compute(work, ({ rollback }) => rollback),
    artifacts,
    apiServerFlags: API_SERVER_FLAGS,
    assumptions: ASSUMPTIONS.konnectivity,
  };
}

/** The label by which yurt-manager finds the nodes of a Gateway; its webhook overwrites any other selector. */
const GATEWAY_LABEL = 'raven.openyurt.io/gateway';

/** A Gateway for each pool, of the nodes that dial the cloud (pkg/apis/raven/v1beta1, alike in OpenYurt 1.4 to 1.7). */
function throughGateways(
  given: NodeAccessProps,
): NodeAccessAttributes & { readonly objects: readonly PlannedObject[] } {
  const { pools, gatewayNodes = {} } = given;
  const gateways = pools.map(({ poolName }): PlannedObject => {
    const endpoints = compute({ poolName, gatewayNodes }, (known) =>
      (known.gatewayNodes[known.poolName] ?? []).map((nodeName) => ({ nodeName, type: 'proxy', underNAT: true })),
    );
    const object = {
      apiVersion: 'raven.openyurt.io/v1beta1',
      kind: 'Gateway',
      metadata: { name: poolName, labels: { ...OWN_LABELS } },
      spec: {
        nodeSelector: { matchLabels: { [GATEWAY_LABEL]: poolName } },
        proxyConfig: { Replicas: compute(endpoints, ({ length }) => length) },
        tunnelConfig: { Replicas: 0 },
        endpoints,
      },
    };
    return { object, apply: 'create', id: 'gateway', after: [] };
  });
  return { ...NOTHING, objects: gateways, assumptions: ASSUMPTIONS.raven };
}

/** What is assumed of each way. */
const ASSUMPTIONS: Readonly<Record<NodeAccessProps['via'], readonly string[]>> = {
  konnectivity: [
    'each Node has a name of its own, and resolves it itself (/etc/hosts or DNS)',
    'nodes reach the proxy servers by TCP',
    `the Nodes of the control plane have the label ${CONTROL_PLANE_LABEL}`,
    'metrics-server dials the addresses of nodes itself, and is not helped',
  ],
  raven: [
    'this was not run: the Gateways are typed as OpenYurt has them, and the programs of Raven were not tried',
    `each node of a pool has the label ${GATEWAY_LABEL} with the name of the pool: write it in labels of the pool`,
    'raven-agent runs on all nodes, with enable-l7-proxy: "true" in the ConfigMap kube-system/raven-cfg',
    'a Gateway of the cloud has an exposeType (PublicIP or LoadBalancer) and endpoints of the type proxy',
  ],
  direct: [
    'the API server reaches the InternalIP of each node by TCP 10250, and no two nodes have the same',
    'kubectl logs, exec, attach and port-forward need this; metrics-server, too',
  ],
};

const WARNINGS: readonly EdgeWarning[] = [
  {
    code: 'EDGE_ACCESS',
    path: 'via',
    message: 'any agent can claim the name of another node: it serves nothing of it, but keeps its logs from you',
    hint: 'if you trust your nodes that far, accept this warning with EdgeWarnings.accept',
  },
];

/**
 * Warns, when the whole program is declared, of nodes that join and are not reached: their pool is in no NodeAccess,
 * beside another one that is; or the API server checks certificates that their kubelets do not have. A program without
 * any NodeAccess is not told of it.
 */
export function unreachedWarnings(pool: NodePoolAttributes, hasCertificates: boolean, scope: Scope): EdgeWarning[] {
  const via = declaredAccess(pool, scope);
  if (via === 'konnectivity' && !hasCertificates) {
    return [
      {
        code: 'EDGE_CERTIFICATE',
        path: 'machineSettings.servingCertificates',
        message:
          'NodeAccess needs certificates of kubelets, and these sign their own: kubectl logs and exec fail on them',
        hint: 'write machineSettings: { servingCertificates: true }, and declare a ServingCertificateApprover',
      },
    ];
  }
  return via !== undefined || !pool.hostNetwork || scope.declared.of(pool.cluster, ACCESS).size === 0
    ? []
    : [
        {
          code: 'EDGE_NO_ACCESS',
          path: 'pool',
          message: `${pool.poolName} is in no NodeAccess: behind NAT, kubectl logs and exec fail on its nodes`,
          hint: "add it to pools of a NodeAccess; via: 'direct' for nodes that the API server reaches",
        },
      ];
}
