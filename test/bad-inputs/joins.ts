import type { Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, JoinToken, NodeJoin } from 'edge-nodepools';
import { type BadInput, untyped } from './case.js';

const hash = `sha256:${'ab'.repeat(32)}`;
const on = (kubernetes: string, openYurt = 'none', more: object = {}): EdgeCluster =>
  EdgeCluster.of({ openYurt, kubernetes, apiServer: '10.0.0.1:6443', caCertHashes: [hash], ...more });

const join =
  (props: object, cluster: EdgeCluster = on('1.34')) =>
  (chart: Chart) =>
    new NodeJoin(
      chart,
      'join',
      untyped({
        pool: new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz' }),
        token: JoinToken.fromFile('/var/lib/edge/join-token'),
        ...props,
      }),
    );

const tooLarge = (provider: string | undefined, bytes: number): BadInput => ({
  what: `${bytes} bytes by ${provider ?? 'a ConfigMap'}`,
  code: 'EDGE_SIZE',
  path: 'provider',
  hint: 'into the machine image',
  make: join({ provider, files: [{ path: '/etc/large', content: 'x'.repeat(bytes) }] }),
});

/** Text that gzip hardly makes smaller. */
export function noise(length: number): string {
  let state = 7;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(33 + (Math.floor(state / 1000) % 90));
  }).join('');
}

/** Settings of a join: token, method, discovery, packages, size. */
export const joins: BadInput[] = [
  {
    what: 'a join without pool',
    code: 'EDGE_MISSING',
    path: 'pool',
    hint: 'HostNetworkNodePool',
    make: (chart) => new NodeJoin(chart, 'join', untyped({ token: JoinToken.fromFile('/run/token') })),
  },
  {
    what: 'a join with the name of a pool',
    code: 'EDGE_MISSING',
    path: 'pool',
    hint: 'fromPoolName',
    make: join({ pool: 'hz' }),
  },
  {
    what: 'a join without token',
    code: 'EDGE_MISSING',
    path: 'token',
    hint: 'JoinToken.fromFile',
    make: join({ token: undefined }),
  },
  {
    what: 'a join with a token as text',
    code: 'EDGE_TYPE',
    path: 'token',
    hint: 'JoinToken.inline',
    make: join({ token: 'abcdef.0123456789abcdef' }),
  },
  {
    what: 'a join with a token under another name',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'bootstrapToken',
    hint: 'did you mean token?',
    make: join({ bootstrapToken: 'abcdef.0123456789abcdef' }),
  },
  {
    what: 'a join to a cluster without address',
    code: 'EDGE_API_SERVER',
    path: 'pool.cluster.apiServer',
    hint: "apiServer: '10.0.0.1:6443'",
    make: join({}, on('1.34', 'none', { apiServer: undefined })),
  },
  {
    what: 'a join without CA hashes',
    code: 'EDGE_CA_CERT_HASH',
    path: 'pool.cluster.caCertHashes',
    hint: "caCertHashes: ['sha256:…']",
    make: join({}, on('1.34', 'none', { caCertHashes: [] })),
  },
  {
    what: 'a join to a cluster whose CA hash is too short',
    code: 'EDGE_CA_CERT_HASH',
    path: 'caCertHashes[0]',
    hint: '64 hex digits',
    make: () => on('1.34', 'none', { caCertHashes: [hash.slice(0, -1)] }),
  },
  {
    what: 'a join by kubectl',
    code: 'EDGE_VALUE',
    path: 'via',
    hint: "'kubeadm'",
    make: join({ via: 'kubectl' }),
  },
  {
    what: 'yurtadm without OpenYurt',
    code: 'EDGE_JOIN',
    path: 'via',
    hint: "via: 'kubeadm'",
    make: join({ via: 'yurtadm' }),
  },
  {
    what: 'yurtadm 1.7 with a kubelet that it stops',
    code: 'EDGE_JOIN',
    path: 'via',
    hint: "via: 'label-driven'",
    make: join({ via: 'yurtadm' }, on('1.35', '1.7')),
  },
  {
    what: 'yurtadm 1.6 with a kubelet that it stops',
    code: 'EDGE_JOIN',
    path: 'via',
    hint: 'older Kubernetes',
    make: join({ via: 'yurtadm' }, on('1.36', '1.6')),
  },
  {
    what: 'yurtadm 1.4 with a kubelet without --container-runtime',
    code: 'EDGE_JOIN',
    path: 'via',
    hint: "via: 'kubeadm'",
    make: join({ via: 'yurtadm' }, on('1.27', '1.4')),
  },
  {
    what: 'conversion by label before OpenYurt 1.7',
    code: 'EDGE_JOIN',
    path: 'via',
    hint: 'yurtadm',
    make: join({ via: 'label-driven' }, on('1.30', '1.6')),
  },
  {
    what: 'conversion by label without OpenYurt',
    code: 'EDGE_JOIN',
    path: 'via',
    hint: "via: 'kubeadm'",
    make: join({ via: 'label-driven' }),
  },
  {
    what: 'a discovery file over http',
    code: 'EDGE_VALUE',
    path: 'discoveryFile',
    hint: '/etc/kubernetes/discovery.conf',
    make: join({ discoveryFile: 'http://cluster.example/discovery' }),
  },
  {
    what: 'a discovery file for yurtadm',
    code: 'EDGE_JOIN',
    path: 'discoveryFile',
    hint: 'remove it',
    make: join({ via: 'yurtadm', discoveryFile: '/etc/kubernetes/discovery.conf' }, on('1.34', '1.7')),
  },
  {
    what: 'settings of yurtadm for kubeadm',
    code: 'EDGE_CONTRADICTION',
    path: 'yurtadm',
    hint: "via: 'yurtadm'",
    make: join({ yurtadm: { membership: 'node-labels' } }),
  },
  {
    what: 'membership by annotation',
    code: 'EDGE_VALUE',
    path: 'yurtadm.membership',
    hint: "'node-labels'",
    make: join({ via: 'yurtadm', yurtadm: { membership: 'annotation' } }, on('1.34', '1.7')),
  },
  {
    what: 'a resource server of yurtadm with a command',
    code: 'EDGE_VALUE',
    path: 'yurtadm.kubernetesResourceServer',
    hint: 'dl.k8s.io',
    make: join({ via: 'yurtadm', yurtadm: { kubernetesResourceServer: 'a; id' } }, on('1.34', '1.7')),
  },
  {
    what: 'a timeout in seconds',
    code: 'EDGE_VALUE',
    path: 'timeouts.discovery',
    hint: "'30s'",
    make: join({ timeouts: { discovery: 30 } }),
  },
  {
    what: 'a timeout that v1beta3 does not have',
    code: 'EDGE_JOIN',
    path: 'timeouts.tlsBootstrap',
    hint: 'discovery',
    make: join({ timeouts: { tlsBootstrap: '1m' } }, on('1.30')),
  },
  {
    what: 'no attempts',
    code: 'EDGE_VALUE',
    path: 'attempts',
    hint: '1 or more',
    make: join({ attempts: 0 }),
  },
  {
    what: 'packages of another minor',
    code: 'EDGE_CONTRADICTION',
    path: 'packages.version',
    hint: '1.34.2',
    make: join({ packages: { manager: 'apt', version: '1.33.1' } }),
  },
  {
    what: 'packages of a minor without patch release',
    code: 'EDGE_VALUE',
    path: 'packages.version',
    hint: '1.34.2',
    make: join({ packages: { manager: 'dnf', version: '1.34' } }),
  },
  {
    what: 'packages of an unknown manager',
    code: 'EDGE_VALUE',
    path: 'packages.manager',
    hint: "'apt'",
    make: join({ packages: { manager: 'apk', version: '1.34.1' } }),
  },
  {
    what: 'a repository with a command in it',
    code: 'EDGE_VALUE',
    path: 'packages.repository',
    hint: 'https://packages.example',
    make: join({ packages: { manager: 'apt', version: '1.34.1', repository: 'https://x/$(id)' } }),
  },
  {
    what: 'a proxy without scheme',
    code: 'EDGE_VALUE',
    path: 'proxy.httpsProxy',
    hint: 'http://proxy.example:3128',
    make: join({ proxy: { httpsProxy: 'proxy:3128' } }),
  },
  {
    what: 'an unknown provider',
    code: 'EDGE_VALUE',
    path: 'provider',
    hint: "'aws'",
    make: join({ provider: 'ovh' }),
  },
  tooLarge('aws', 16_384),
  tooLarge('openstack', 49_149),
  tooLarge('azure', 65_535),
  tooLarge(undefined, 1_048_576),
  {
    what: 'user-data that gzip would make small enough',
    code: 'EDGE_SIZE',
    path: 'provider',
    hint: 'write gzip: true',
    make: join({ provider: 'aws', service: {} }),
  },
  {
    what: 'user-data that is too large even with gzip',
    code: 'EDGE_SIZE',
    path: 'provider',
    hint: 'put large files into the machine image',
    make: join({ provider: 'aws', gzip: true, files: [{ path: '/etc/large', content: noise(30_000) }] }),
  },
  {
    what: 'gzip for a provider that takes text',
    code: 'EDGE_CONTRADICTION',
    path: 'gzip',
    hint: 'leave it out',
    make: join({ provider: 'ibm', gzip: true }),
  },
  {
    what: 'gzip of a script',
    code: 'EDGE_CONTRADICTION',
    path: 'gzip',
    hint: "format: 'cloud-config'",
    make: join({ format: 'script', gzip: true }),
  },
  { what: 'gzip as text', code: 'EDGE_TYPE', path: 'gzip', hint: 'true', make: join({ gzip: 'yes' }) },
  {
    what: 'a script that is larger than the cloud-config, because quotes take four bytes in it',
    code: 'EDGE_SIZE',
    path: 'provider',
    hint: 'into the machine image',
    make: join({ provider: 'aws', format: 'script', files: [{ path: '/etc/large', content: "'".repeat(5000) }] }),
  },
  {
    what: 'a join as a kickstart file',
    code: 'EDGE_VALUE',
    path: 'format',
    hint: "'script'",
    make: join({ format: 'kickstart' }),
  },
  {
    what: 'a join published in a namespace with capitals',
    code: 'EDGE_NAME',
    path: 'namespace',
    hint: 'lower-case',
    make: join({ namespace: 'Kube' }),
  },
  {
    what: 'a join in a folder above the output',
    code: 'EDGE_ARTIFACT',
    path: 'artifactFolder',
    hint: "'join'",
    make: join({ artifactFolder: '../out' }),
  },
  {
    what: 'publish as text',
    code: 'EDGE_TYPE',
    path: 'publish',
    hint: 'true or false',
    make: join({ publish: 'yes' }),
  },
];
