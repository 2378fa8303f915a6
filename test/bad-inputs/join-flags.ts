import type { Chart } from 'cdk8s';
import {
  EdgeCluster,
  HostNetworkNodePool,
  JoinToken,
  KubeadmConfigTemplate,
  NodeJoin,
  NodeReservation,
} from 'edge-nodepools';
import { type BadInput, untyped } from './case.js';

const hash = `sha256:${'ab'.repeat(32)}`;
const poolOn = (chart: Chart, kubernetes: string, props: object = {}): HostNetworkNodePool =>
  new HostNetworkNodePool(chart, 'pool', {
    cluster: EdgeCluster.of({ openYurt: 'none', kubernetes, apiServer: '10.0.0.1:6443', caCertHashes: [hash] }),
    poolName: 'hz',
    ...props,
  });

export const join =
  (props: object, kubernetes = '1.34') =>
  (chart: Chart) =>
    new NodeJoin(
      chart,
      'join',
      untyped({
        pool: poolOn(chart, kubernetes),
        token: JoinToken.fromFile('/var/lib/edge/join-token'),
        ...props,
      }),
    );

const flag = (minor: string, name: string, hint: string | RegExp): BadInput => ({
  what: `the kubelet flag ${name} on Kubernetes ${minor}`,
  code: 'EDGE_KUBELET_FLAG',
  path: `kubeletExtraArgs${/^[a-z]+$/.test(name) ? `.${name}` : `["${name}"]`}`,
  hint,
  make: join({ kubeletExtraArgs: { [name]: 'x' } }, minor),
});

const field = (name: string, value: unknown): BadInput => ({
  what: `${name} as a field of the KubeletConfiguration`,
  code: 'EDGE_RESERVED_KEY',
  path: `kubeletConfiguration.${name}`,
  hint: 'in the reservation',
  make: join({ kubeletConfiguration: { [name]: value } }),
});

const compressible = NodeReservation.of({
  kubeReserved: { cpu: '100m' },
  enforceNodeAllocatable: ['pods', 'kube-reserved-compressible'],
  kubeReservedCgroup: '/kube.slice',
});

/** Settings with which the kubelet or kubeadm of some minors fails. */
export const joinFlags: BadInput[] = [
  ...['\u007f', '\u0001', '\u0085', '\u00a0'].map((character): BadInput => ({
    what: `${JSON.stringify(character)} in a kubelet flag`,
    code: 'EDGE_VALUE',
    path: 'kubeletExtraArgs["root-dir"]',
    hint: 'kubeletConfiguration',
    make: join({ kubeletExtraArgs: { 'root-dir': `/var/lib/${character}` } }),
  })),
  flag('1.22', 'redirect-container-streaming', 'leave it out'),
  flag('1.22', 'bootstrap-checkpoint-path', 'leave it out'),
  flag('1.22', 'enable-cadvisor-json-endpoints', 'leave it out'),
  flag('1.24', 'docker', 'leave it out'),
  flag('1.24', 'docker-root', 'leave it out'),
  flag('1.24', 'experimental-logging-sanitization', 'leave it out'),
  ...[
    'add-dir-header',
    'alsologtostderr',
    'log-backtrace-at',
    'log-dir',
    'log-file',
    'log-file-max-size',
    'logtostderr',
    'one-output',
    'skip-headers',
    'skip-log-headers',
    'stderrthreshold',
  ].map((name) => flag('1.26', name, 'leave it out')),
  flag('1.30', 'azure-container-registry-config', 'leave it out'),
  flag('1.37', 'storage-driver-user', 'leave it out'),
  flag('1.24', 'local-storage-capacity-isolation', 'leave it out'),
  flag('1.27', 'config-dir', 'leave it out'),
  flag('1.30', 'fail-cgroupv1', 'leave it out'),
  flag('1.36', 'max-pod', 'did you mean max-pods?'),
  flag('1.36', 'node-label', 'did you mean node-labels?'),
  flag('1.36', 'turbo-mode-of-the-node', 'kubelet --help'),
  flag('1.36', 'enforce-node-allocatable', 'in the reservation'),
  flag('1.36', 'eviction-soft', 'in the reservation'),
  field('enforceNodeAllocatable', ['pods']),
  field('evictionSoft', { 'memory.available': '1Gi' }),
  {
    what: 'a function in the KubeletConfiguration',
    code: 'EDGE_TYPE',
    path: 'kubeletConfiguration.maxPods',
    hint: /./,
    make: join({ kubeletConfiguration: { maxPods: () => 30 } }),
  },
  {
    what: 'all checks ignored together with one check',
    code: 'EDGE_CONTRADICTION',
    path: 'ignorePreflightErrors',
    hint: "['all']",
    make: join({ ignorePreflightErrors: ['All', 'Swap'] }),
  },
  {
    what: 'a reservation of CPU alone on Kubernetes 1.31',
    code: 'EDGE_RESERVATION',
    path: 'reservation.enforceNodeAllocatable',
    hint: "'kube-reserved'",
    make: join({ reservation: compressible }, '1.31'),
  },
  {
    what: 'a pool with a reservation of CPU alone on Kubernetes 1.31',
    code: 'EDGE_RESERVATION',
    path: 'reservation.enforceNodeAllocatable',
    hint: "'kube-reserved'",
    make: (chart) => poolOn(chart, '1.31', { reservation: compressible }),
  },
  {
    what: 'a template with a reservation of CPU alone on Kubernetes 1.30',
    code: 'EDGE_RESERVATION',
    path: 'reservation.enforceNodeAllocatable',
    hint: "'kube-reserved'",
    make: (chart) =>
      new KubeadmConfigTemplate(chart, 'template', { pool: poolOn(chart, '1.30'), reservation: compressible }),
  },
  {
    what: 'an enforced reservation of nothing',
    code: 'EDGE_MISSING',
    path: 'kubeReserved',
    hint: "cpu: '100m', memory",
    make: () => NodeReservation.of({ enforceNodeAllocatable: ['kube-reserved'], kubeReservedCgroup: '/kube.slice' }),
  },
  {
    what: 'an enforced reservation of CPU without CPU',
    code: 'EDGE_MISSING',
    path: 'systemReserved',
    hint: "cpu: '100m'",
    make: () =>
      NodeReservation.of({
        systemReserved: { memory: '256Mi' },
        enforceNodeAllocatable: ['system-reserved-compressible'],
        systemReservedCgroup: '/system.slice',
      }),
  },
  {
    what: 'a minimum reclaim of 0%',
    code: 'EDGE_VALUE',
    path: 'evictionMinimumReclaim["nodefs.available"]',
    hint: "'0'",
    make: () => NodeReservation.of({ evictionMinimumReclaim: { 'nodefs.available': '0%' } }),
  },
];
