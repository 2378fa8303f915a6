import { App, Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, HostNetworkWorkload, NodeAccess, RegularNodePool } from 'edge-nodepools';
import { type BadInput, daemonSet, untyped } from './case.js';
import type { Bad } from './storage.js';

const RELEASES = { openYurt: '1.7', kubernetes: '1.36' } as const;
const cluster = EdgeCluster.of({ ...RELEASES, apiServer: '192.0.2.1:6443' });
const silent = EdgeCluster.of(RELEASES);
const old = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.28', apiServer: '192.0.2.1:6443' });
const without = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36', apiServer: '192.0.2.1:6443' });
const away = EdgeCluster.of({ ...RELEASES, name: 'away' });

const elsewhere = new Chart(new App(), 'elsewhere');
const shops = (on = cluster, poolName = 'shops'): object =>
  HostNetworkNodePool.fromPoolName(elsewhere, `pool-${elsewhere.node.children.length}`, { cluster: on, poolName });
const through = (konnectivity: unknown): object => ({ konnectivity });
const configured = (lines: string): object =>
  through({ clusterConfiguration: `apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\n${lines}` });
const ofApiServer = (...args: readonly string[]): object =>
  configured(`apiServer:\n  extraArgs:\n${args.map((line) => `    ${line}\n`).join('')}`);
const raven = (gatewayNodes: unknown): object => ({ via: 'raven', gatewayNodes });
const ARGS = 'konnectivity.clusterConfiguration.apiServer.extraArgs';

const changed: [string, Bad[1], string, string | RegExp, object][] = [
  ['access without a cluster', 'EDGE_MISSING', 'cluster', 'EdgeCluster.of', { cluster: undefined }],
  ['access without pools', 'EDGE_MISSING', 'pools', 'pools: [beijing]', { pools: undefined }],
  ['access to no pool', 'EDGE_MISSING', 'pools', 'pools: [beijing]', { pools: [] }],
  ['access to a pool by its name', 'EDGE_TYPE', 'pools[0]', 'fromPoolName', { pools: ['shops'] }],
  ['access to one pool as pool', 'EDGE_UNKNOWN_PROPERTY', 'pool', 'pools: [beijing]', { pool: shops() }],
  ['access to a pool twice', 'EDGE_DUPLICATE', 'pools[1]', 'once', { pools: [shops(), shops()] }],
  ['access to a pool of another cluster', 'EDGE_CONTRADICTION', 'pools[0]', 'cluster of the pools', { cluster: away }],
  [
    'access to pools of two clusters',
    'EDGE_CONTRADICTION',
    'pools[1]',
    'NodeAccess',
    { pools: [shops(), shops(away)] },
  ],
  ['access in no way', 'EDGE_MISSING', 'via', 'konnectivity', { via: undefined }],
  ['access by the tunnel of former releases', 'EDGE_VALUE', 'via', 'konnectivity', { via: 'yurt-tunnel' }],
  ['konnectivity of an old minor', 'EDGE_CONTRADICTION', 'via', 'serverImage', { cluster: old, pools: [shops(old)] }],
  [
    'konnectivity without an address',
    'EDGE_MISSING',
    'konnectivity.server',
    'control.example',
    { cluster: silent, pools: [shops(silent)] },
  ],
  ['konnectivity as true', 'EDGE_TYPE', 'konnectivity', '{ server:', through(true)],
  [
    'a server with a scheme',
    'EDGE_VALUE',
    'konnectivity.server',
    '192.0.2.1',
    through({ server: 'https://a.example' }),
  ],
  ['a server at localhost', 'EDGE_VALUE', 'konnectivity.server', '192.0.2.1', through({ server: 'localhost:8132' })],
  ['a server at 127.0.0.1', 'EDGE_VALUE', 'konnectivity.server', '192.0.2.1', through({ server: '127.0.0.1' })],
  [
    'a server behind a Service',
    'EDGE_VALUE',
    'konnectivity.server',
    'control.example',
    through({ server: 'konnectivity-server.kube-system.svc:8132' }),
  ],
  ['a server at the address of a Service', 'EDGE_VALUE', 'konnectivity.server', /./, through({ server: '10.96.0.1' })],
  ['a server by a short name', 'EDGE_VALUE', 'konnectivity.server', 'control.example', through({ server: 'control' })],
  ['no server', 'EDGE_VALUE', 'konnectivity.servers', /1/, through({ servers: 0 })],
  [
    'a keepalive that servers refuse',
    'EDGE_VALUE',
    'konnectivity.keepaliveSeconds',
    '30',
    through({ keepaliveSeconds: 10 }),
  ],
  ['a keepalive of an hour', 'EDGE_VALUE', 'konnectivity.keepaliveSeconds', '30', through({ keepaliveSeconds: 3600 })],
  [
    'the keepalive of the flag',
    'EDGE_UNKNOWN_PROPERTY',
    'konnectivity.keepaliveTime',
    'keepaliveSeconds',
    through({ keepaliveTime: '1h' }),
  ],
  [
    'an image without a tag',
    'EDGE_VALUE',
    'konnectivity.agentImage',
    'proxy-agent:v1',
    through({ agentImage: 'a/agent' }),
  ],
  [
    'the strategy default',
    'EDGE_RESERVED_KEY',
    'konnectivity.serverExtraArgs["proxy-strategies"]',
    'log of another site',
    through({ serverExtraArgs: { 'proxy-strategies': 'destHost,default' } }),
  ],
  [
    'agents known by an address',
    'EDGE_RESERVED_KEY',
    'konnectivity.agentExtraArgs["agent-identifiers"]',
    'same addresses',
    through({ agentExtraArgs: { 'agent-identifiers': 'ipv4=192.168.50.10' } }),
  ],
  [
    'an agent that synchronizes forever',
    'EDGE_RESERVED_KEY',
    'konnectivity.agentExtraArgs["sync-forever"]',
    'MiB an hour',
    through({ agentExtraArgs: { 'sync-forever': 'true' } }),
  ],
  [
    'a flag with capitals',
    'EDGE_VALUE',
    'konnectivity.agentExtraArgs.Verbose',
    "{ v: '4' }",
    through({ agentExtraArgs: { Verbose: '4' } }),
  ],
  [
    'a flag that is a number',
    'EDGE_TYPE',
    'konnectivity.agentExtraArgs.v',
    "'4'",
    through({ agentExtraArgs: { v: 4 } }),
  ],
  [
    'flags as a list',
    'EDGE_TYPE',
    'konnectivity.serverExtraArgs',
    "{ v: '4' }",
    through({ serverExtraArgs: ['--v=4'] }),
  ],
  [
    'a configuration of kubelet',
    'EDGE_WRONG_OBJECT',
    'konnectivity.clusterConfiguration',
    'ClusterConfiguration',
    through({ clusterConfiguration: 'kind: KubeletConfiguration\n' }),
  ],
  [
    'arguments as a list in v1beta3',
    'EDGE_TYPE',
    ARGS,
    '{ controllers',
    configured('apiServer: {extraArgs: [{name: v, value: "2"}]}\n'),
  ],
  [
    'kubelets by their address first',
    'EDGE_CONTRADICTION',
    `${ARGS}["kubelet-preferred-address-types"]`,
    'Hostname,InternalIP',
    ofApiServer('kubelet-preferred-address-types: InternalIP,Hostname'),
  ],
  [
    'the egress before the authority',
    'EDGE_CONTRADICTION',
    `${ARGS}["egress-selector-config-file"]`,
    'authority first',
    ofApiServer('egress-selector-config-file: /etc/kubernetes/egress.yaml'),
  ],
  [
    'the egress selector of somebody else',
    'EDGE_CONTRADICTION',
    `${ARGS}["egress-selector-config-file"]`,
    'leave it out',
    ofApiServer('egress-selector-config-file: /etc/kubernetes/egress.yaml', 'kubelet-certificate-authority: /ca.crt'),
  ],
  [
    'no routing of aggregated APIs',
    'EDGE_CONTRADICTION',
    `${ARGS}["enable-aggregator-routing"]`,
    'leave it out',
    ofApiServer('enable-aggregator-routing: "false"'),
  ],
  ['the settings beside konnectivity', 'EDGE_UNKNOWN_PROPERTY', 'server', 'konnectivity: {', { server: '192.0.2.1' }],
  [
    'settings of konnectivity for a direct way',
    'EDGE_CONTRADICTION',
    'konnectivity',
    'leave it out',
    { via: 'direct', ...through({}) },
  ],
  [
    'gateways for a direct way',
    'EDGE_CONTRADICTION',
    'gatewayNodes',
    'leave it out',
    { via: 'direct', gatewayNodes: { shops: ['a'] } },
  ],
  [
    'Raven without OpenYurt',
    'EDGE_NO_OPENYURT',
    'via',
    'konnectivity',
    { cluster: without, pools: [shops(without)], ...raven({ shops: ['a'] }) },
  ],
  ['Raven without a node that dials', 'EDGE_MISSING', 'gatewayNodes.shops', 'gatewayNodes: { shops', raven(undefined)],
  ['a gateway of another pool', 'EDGE_VALUE', 'gatewayNodes.labs', 'pools', raven({ shops: ['a'], labs: ['b'] })],
  ['a gateway on a node with capitals', 'EDGE_NAME', 'gatewayNodes.shops', "['shop-0001']", raven({ shops: ['Shop'] })],
  ['a gateway on no node', 'EDGE_NAME', 'gatewayNodes.shops', "['shop-0001']", raven({ shops: [] })],
  ['gateways as a list', 'EDGE_TYPE', 'gatewayNodes', '{ beijing:', raven(['shop-0001'])],
  ['a folder above', 'EDGE_ARTIFACT', 'artifactFolder', 'access', { artifactFolder: '../up' }],
];

const make = (chart: Chart, id: string, props: object): unknown =>
  new NodeAccess(chart, id, untyped({ cluster, pools: [shops()], via: 'konnectivity', ...props }));

/** Access to nodes for logs and exec. */
export const nodeAccess: BadInput[] = [
  ...changed.map(([what, code, path, hint, props]): BadInput => ({
    what,
    code,
    path,
    hint,
    make: (chart) => make(chart, 'access', props),
  })),
  {
    what: 'access to a regular pool',
    code: 'EDGE_CONTRADICTION',
    path: 'pools[0]',
    hint: 'HostNetworkNodePool',
    make: (chart) =>
      make(chart, 'access', { pools: [new RegularNodePool(chart, 'cloud', { cluster, poolName: 'cloud' })] }),
  },
  {
    what: 'two ways to one pool',
    code: 'EDGE_DUPLICATE',
    path: 'pools[0]',
    hint: 'one of them',
    make: (chart) => {
      make(chart, 'one', { via: 'direct' });
      return make(chart, 'two', {});
    },
  },
  {
    what: 'two konnectivities of one control plane',
    code: 'EDGE_DUPLICATE',
    path: 'via',
    hint: 'one NodeAccess',
    make: (chart) => {
      make(chart, 'one', {});
      return make(chart, 'two', { pools: [shops(cluster, 'labs')] });
    },
  },
  {
    what: 'an agent whose port a workload takes',
    code: 'EDGE_PORT_CONFLICT',
    path: '',
    hint: /port/,
    make: (chart) => {
      const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'shops' });
      const container = { name: 'web', image: 'web:1', ports: [{ containerPort: 8093 }] };
      new HostNetworkWorkload(chart, 'web', { pool, workload: daemonSet({ containers: [container] }) });
      return make(chart, 'access', { pools: [pool] });
    },
  },
];
