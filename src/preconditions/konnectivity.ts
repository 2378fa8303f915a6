import { isIP } from 'node:net';
import type { PlainMap } from '../base/plain-data.js';
import { shellScript } from '../base/shell-script.js';
import { compute, text } from '../base/unknown.js';
import { printManifests } from '../base/yaml-print.js';
import type { ApiServerEndpoint } from '../cluster/api-server-endpoint.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { type ExtraVolume, withConfigured } from './cluster-configuration.js';
import { type PreconditionFile, type PreconditionStep, step } from './precondition.js';
import { shell } from './shell-parts.js';

/**
 * Konnectivity for host-network nodes: each node dials the proxy servers of the control plane, and the API server
 * reaches a kubelet through the agent of its node. Flags of sigs.k8s.io/apiserver-network-proxy, release 0.30 to 0.36.
 */

/** What the API server needs to know of it. */
export interface Konnectivity {
  readonly cluster: EdgeCluster;
  /** Where agents reach the servers. */
  readonly endpoint: ApiServerEndpoint;
  readonly servers: number;
  readonly keepaliveSeconds: number;
  readonly images: { readonly agent: string; readonly server: string };
  readonly agentExtraArgs: Readonly<Record<string, string>>;
  readonly serverExtraArgs: Readonly<Record<string, string>>;
  /** The present ClusterConfiguration of kubeadm. */
  readonly clusterConfiguration?: string | undefined;
}

export const AGENT = 'konnectivity-agent';
const SERVER = 'konnectivity-server';
export const NAMESPACE = 'kube-system';
/** The audience of the tokens of agents: no other program accepts them. */
const AUDIENCE = `system:${SERVER}`;

/** On nodes both are bound to 127.0.0.1. */
const AGENT_PORTS = { health: 8093, admin: 8094 } as const;
/** On control-plane nodes agents dial the first; the others are bound to 127.0.0.1. */
export const SERVER_PORTS = { agents: 8132, admin: 8133, health: 8134 } as const;

const LOOPBACK = '127.0.0.1';
export const CONTROL_PLANE_LABEL = 'node-role.kubernetes.io/control-plane';
const FOLDER = '/etc/kubernetes/konnectivity';
const SOCKET_FOLDER = `/run/${SERVER}`;

const flags = (values: Readonly<Record<string, string>>): string[] =>
  Object.entries(values).map(([name, value]) => text`--${name}=${value}`);

/** The flags that an agent and a server of this library set themselves, with what the trap of each is. */
export const RESERVED_FLAGS: Readonly<Record<string, string>> = {
  'agent-identifiers': 'agents are known by the name of their node: two sites can have the same addresses',
  'agent-id': 'it is the name of the node',
  'proxy-strategies':
    'it is destHost,defaultRoute: the strategy default takes any agent, and answers with the log of another site',
  'keepalive-time': 'write keepaliveSeconds',
  'proxy-server-host': 'write server',
  'proxy-server-port': 'write server',
  'server-count': 'write servers',
  'cluster-ca-cert': 'agents prove themselves with tokens, and a server takes either tokens or certificates',
  'sync-forever': 'it costs 23 MiB an hour on each node; agents find all servers by --server-count',
  'count-server-leases': 'it costs 757 KiB an hour on each node; agents find all servers by --server-count',
  mode: 'it is grpc, whose errors say what is wrong',
  ...Object.fromEntries(
    [
      ...['ca-cert', 'service-account-token-path', 'health-server-host', 'health-server-port', 'admin-server-port'],
      ...['uds-name', 'server-port', 'agent-port', 'admin-port', 'health-port', 'cluster-cert', 'cluster-key'],
      ...['kubeconfig', 'agent-namespace', 'agent-service-account', 'authentication-audience', 'admin-bind-address'],
    ].map((name) => [name, 'this library sets it']),
  ),
};

/** Agents of some nodes. Each node needs one: also those of the control plane and of the cloud. */
export function agents(
  name: string,
  given: Konnectivity,
  isDefaultRoute: boolean,
  placement: PlainMap,
): KubernetesObject {
  const { endpoint, keepaliveSeconds, images, agentExtraArgs } = given;
  const labels = { app: name };
  const ports = Object.entries(AGENT_PORTS).map(([port, containerPort]) => ({
    name: port,
    containerPort,
    hostPort: containerPort,
    hostIP: LOOPBACK,
    protocol: 'TCP',
  }));
  const args = flags({
    'proxy-server-host': compute(endpoint, ({ host }) => host),
    'proxy-server-port': compute(endpoint, ({ port }) => String(port)),
    'ca-cert': '/var/run/konnectivity/ca.crt',
    'service-account-token-path': '/var/run/konnectivity/token',
    'agent-id': '$(NODE_NAME)',
    'agent-identifiers': `host=$(NODE_NAME)${isDefaultRoute ? '&default-route=true' : ''}`,
    'keepalive-time': `${keepaliveSeconds}s`,
    'sync-interval': '10s',
    'sync-interval-cap': '60s',
    'health-server-host': LOOPBACK,
    'health-server-port': String(AGENT_PORTS.health),
    'admin-server-port': String(AGENT_PORTS.admin),
    ...agentExtraArgs,
  });
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: NAMESPACE, labels: { ...OWN_LABELS } },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%', maxSurge: 0 } },
      template: {
        metadata: { labels },
        spec: {
          hostNetwork: true,
          dnsPolicy: 'Default',
          priorityClassName: 'system-node-critical',
          serviceAccountName: AGENT,
          automountServiceAccountToken: false,
          // the first SIGTERM only drains
          terminationGracePeriodSeconds: 5,
          tolerations: [{ operator: 'Exists' }],
          ...placement,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65532,
            runAsGroup: 65532,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: AGENT,
              image: images.agent,
              command: ['/proxy-agent'],
              args,
              env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
              ports,
              livenessProbe: {
                httpGet: { host: LOOPBACK, path: '/healthz', port: AGENT_PORTS.health },
                initialDelaySeconds: 15,
                timeoutSeconds: 15,
              },
              resources: { requests: { cpu: '10m', memory: '40Mi' }, limits: { memory: '80Mi' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [{ name: 'identity', mountPath: '/var/run/konnectivity', readOnly: true }],
            },
          ],
          volumes: [
            {
              name: 'identity',
              projected: {
                sources: [
                  { serviceAccountToken: { path: 'token', audience: AUDIENCE, expirationSeconds: 3600 } },
                  { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
                ],
              },
            },
          ],
        },
      },
    },
  };
}

/** The account of the agents, and the right of the servers to check its tokens. */
export function accounts(): KubernetesObject[] {
  const labels = { ...OWN_LABELS };
  const apiGroup = 'rbac.authorization.k8s.io';
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: AGENT, namespace: NAMESPACE, labels } },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: AUDIENCE, labels },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'system:auth-delegator' },
      subjects: [{ apiGroup, kind: 'User', name: AUDIENCE }],
    },
  ];
}

/** The static Pod of a server. Its image does not run as root, and the keys of a control plane are files of root. */
function serverPod({ servers, keepaliveSeconds, images, serverExtraArgs }: Konnectivity): KubernetesObject {
  const args = flags({
    mode: 'grpc',
    'uds-name': `${SOCKET_FOLDER}/${SERVER}.socket`,
    'delete-existing-uds-file': 'true',
    'server-port': '0',
    'agent-port': String(SERVER_PORTS.agents),
    'admin-port': String(SERVER_PORTS.admin),
    'health-port': String(SERVER_PORTS.health),
    'health-bind-address': LOOPBACK,
    'proxy-strategies': 'destHost,defaultRoute',
    'cluster-cert': `${FOLDER}/server.crt`,
    'cluster-key': `${FOLDER}/server.key`,
    kubeconfig: `${FOLDER}/kubeconfig`,
    'agent-namespace': NAMESPACE,
    'agent-service-account': AGENT,
    'authentication-audience': AUDIENCE,
    'server-count': String(servers),
    'keepalive-time': `${keepaliveSeconds}s`,
    ...serverExtraArgs,
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: SERVER, namespace: NAMESPACE, labels: { component: SERVER, tier: 'control-plane' } },
    spec: {
      hostNetwork: true,
      priorityClassName: 'system-node-critical',
      securityContext: { runAsUser: 0, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: SERVER,
          image: images.server,
          command: ['/proxy-server'],
          args,
          ports: [{ name: 'agents', containerPort: SERVER_PORTS.agents, hostPort: SERVER_PORTS.agents }],
          livenessProbe: {
            httpGet: { host: LOOPBACK, path: '/healthz', port: SERVER_PORTS.health },
            initialDelaySeconds: 10,
            timeoutSeconds: 15,
          },
          resources: { requests: { cpu: '25m', memory: '64Mi' } },
          volumeMounts: [
            { name: 'konnectivity', mountPath: FOLDER, readOnly: true },
            { name: 'socket', mountPath: SOCKET_FOLDER },
          ],
        },
      ],
      volumes: [
        { name: 'konnectivity', hostPath: { path: FOLDER, type: 'Directory' } },
        { name: 'socket', hostPath: { path: SOCKET_FOLDER, type: 'DirectoryOrCreate' } },
      ],
    },
  };
}

const EGRESS = {
  apiVersion: 'apiserver.k8s.io/v1beta1',
  kind: 'EgressSelectorConfiguration',
  egressSelections: [
    {
      name: 'cluster',
      connection: { proxyProtocol: 'GRPC', transport: { uds: { udsName: `${SOCKET_FOLDER}/${SERVER}.socket` } } },
    },
  ],
};

/** Flags of kube-apiserver with which a kubelet is known by its name and its certificate. */
const AUTHORITY_FLAGS: Readonly<Record<string, string>> = {
  'kubelet-preferred-address-types': 'Hostname,InternalIP',
  'kubelet-certificate-authority': '/etc/kubernetes/pki/ca.crt',
};

/** All flags of kube-apiserver. Webhooks and aggregated APIs by Service go to a Pod, by the default route. */
export const API_SERVER_FLAGS: Readonly<Record<string, string>> = {
  ...AUTHORITY_FLAGS,
  'egress-selector-config-file': `${FOLDER}/egress-selector-configuration.yaml`,
  'enable-aggregator-routing': 'true',
};

const VOLUMES: readonly ExtraVolume[] = [
  { name: 'konnectivity', hostPath: FOLDER, mountPath: FOLDER, readOnly: true, pathType: 'DirectoryOrCreate' },
  { name: 'konnectivity-socket', hostPath: SOCKET_FOLDER, mountPath: SOCKET_FOLDER, pathType: 'DirectoryOrCreate' },
];

/** The work in the control plane: files, steps in their order, and the way back. */
export interface ControlPlaneWork {
  readonly files: readonly PreconditionFile[];
  readonly steps: readonly PreconditionStep[];
  readonly rollback: readonly PreconditionStep[];
  readonly rollbackFiles: readonly PreconditionFile[];
}

const STAGES = {
  authority: 'kubeadm/1-authority.yaml',
  egress: 'kubeadm/2-egress.yaml',
  before: 'kubeadm/before.yaml',
};

/** What the user makes of a part to merge; until then kubeadm finds no file. */
const MERGED = 'cluster-configuration.yaml';

/** Uploads a ClusterConfiguration, and writes the static Pods of a node again, with the address of that node. */
const rewritten = (file: string): string[] => [
  `kubeadm init phase upload-config kubeadm --config=${file}`,
  'kubeadm upgrade node phase control-plane',
];

export function controlPlaneWork(given: Konnectivity): ControlPlaneWork {
  const { cluster, endpoint, clusterConfiguration: present, servers } = given;
  const isKubeadm = cluster.distribution === 'kubeadm';
  const merge = present === undefined ? '# Merge this into your ClusterConfiguration.\n' : '';
  const configured = (values: Readonly<Record<string, string>>, volumes: readonly ExtraVolume[] = []): string =>
    `${merge}${withConfigured(cluster, present, 'apiServer', values, volumes)}`;
  const onEach = (what: string, ...commands: readonly string[]): PreconditionStep =>
    step(what, { where: 'control-plane', commands });
  const restart = (file: string): string[] => (isKubeadm ? rewritten(present === undefined ? MERGED : file) : []);
  /** What is to do with the file of a stage. */
  const how = (file: string, values: Readonly<Record<string, string>>): string =>
    !isKubeadm
      ? `: set ${flags(values).join(' ')}`
      : present === undefined
        ? `: merge ${file} into your ClusterConfiguration (ConfigMap kubeadm-config), as ${MERGED}`
        : '';
  const isMerged = isKubeadm && present === undefined;
  const byHand = `it needs in ${FOLDER} server.crt and server.key, signed by the cluster CA with certificate.ext`;
  const files = `a kubeconfig of the user ${AUDIENCE}, and egress-selector-configuration.yaml`;
  const balanced =
    servers === 1 ? '' : `, with a balancer ${endpoint.host} that reaches all ${servers} (else agents dial all day)`;
  const approved = '--field-selector=spec.signerName=kubernetes.io/kubelet-serving';
  const daemonSets = [AGENT, `${AGENT}-other`, `${AGENT}-default-route`].join(' ');
  return {
    files: [
      { path: 'egress-selector-configuration.yaml', content: printManifests([EGRESS]) },
      // not .yaml: it is for kubelets of the control plane, and not for the API server
      { path: 'konnectivity-server.manifest', content: printManifests([serverPod(given)]) },
      { path: 'certificate.ext', content: certificateExtensions(endpoint) },
      ...(isKubeadm
        ? [
            { path: 'proxy-server.sh', content: serverScript() },
            { path: STAGES.authority, content: configured(AUTHORITY_FLAGS) },
            { path: STAGES.egress, content: configured(API_SERVER_FLAGS, VOLUMES) },
          ]
        : []),
    ],
    steps: [
      step('wait until every kubelet has a serving certificate of the cluster (servingCertificates of joins)', {
        commands: [`kubectl get certificatesigningrequests ${approved}`],
      }),
      isKubeadm
        ? onEach(`start the proxy server${balanced}`, 'sh proxy-server.sh')
        : onEach(`start the static Pod konnectivity-server.manifest${balanced}: ${byHand}, ${files}`),
      step(`apply the manifests of this program, and wait until every node has an agent (TCP ${endpoint.port})`, {
        commands: [`kubectl --namespace=${NAMESPACE} get daemonsets ${daemonSets}`],
      }),
      onEach(
        `let the API server check the certificates of kubelets${how(STAGES.authority, AUTHORITY_FLAGS)}`,
        ...restart(STAGES.authority),
      ),
      onEach(
        `let it reach nodes by the proxy server (${FOLDER}, ${SOCKET_FOLDER})${how(STAGES.egress, API_SERVER_FLAGS)}`,
        ...restart(STAGES.egress),
      ),
    ],
    rollback: [
      onEach(
        `run the API server without --egress-selector-config-file${isMerged ? `: take it out of ${MERGED}` : ''}`,
        ...restart(STAGES.before),
      ),
      step('remove the NodeAccess from the program, and apply it', {}),
      onEach('end the proxy server', `rm -f /etc/kubernetes/manifests/${SERVER}.yaml`),
    ],
    rollbackFiles: isKubeadm && present !== undefined ? [{ path: STAGES.before, content: present }] : [],
  };
}

/** The names that agents dial. */
function certificateExtensions({ host }: ApiServerEndpoint): string {
  const name = `${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`;
  return [
    `subjectAltName=${name}`,
    'extendedKeyUsage=serverAuth',
    'keyUsage=digitalSignature,keyEncipherment',
    '',
  ].join('\n');
}

function serverScript(): string {
  return shellScript({
    comments: ['Runs on each control-plane node, beside its files.'],
    parts: [shell('own-folder'), shell('proxy-server')],
  });
}
