import type { Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, JoinToken, NodeJoin, NodeReservation } from 'edge-nodepools';
import { type BadInput, untyped } from './case.js';

const join =
  (machine: unknown, props: object = {}, kubernetes = '1.34') =>
  (chart: Chart) =>
    new NodeJoin(
      chart,
      'join',
      untyped({
        pool: new HostNetworkNodePool(chart, 'pool', {
          cluster: EdgeCluster.of({
            openYurt: 'none',
            kubernetes,
            apiServer: '10.0.0.1:6443',
            caCertHashes: [`sha256:${'ab'.repeat(32)}`],
          }),
          poolName: 'hz',
        }),
        token: JoinToken.fromFile('/var/lib/edge/join-token'),
        machineSettings: machine,
        ...props,
      }),
    );

const bad = (
  path: string,
  machine: unknown,
  code: BadInput['code'],
  hint: string,
  props: object = {},
  kubernetes = '1.34',
): BadInput => ({
  what: `settings of a machine: ${path} as ${JSON.stringify(machine)}`,
  code,
  path,
  hint,
  make: join(machine, props, kubernetes),
});

const docker = { registry: 'docker.io', mirrors: ['https://mirror.example'] };

/** What a bare machine is given before it joins. */
export const machineSettings: BadInput[] = [
  bad('machineSettings', 'swap', 'EDGE_TYPE', "swap: 'off'"),
  bad('machineSettings.swapoff', { swapoff: true }, 'EDGE_UNKNOWN_PROPERTY', 'swap'),
  bad('machineSettings.swap', { swap: 'on' }, 'EDGE_VALUE', "'off'"),
  bad('machineSettings.logQuery', { logQuery: 'yes' }, 'EDGE_TYPE', 'true or false'),
  bad('machineSettings.logQuery', { logQuery: true }, 'EDGE_JOIN', 'leave it out', {}, '1.26'),
  bad('machineSettings.systemdCgroup', { systemdCgroup: 'true' }, 'EDGE_TYPE', 'true or false'),
  bad('machineSettings.modules[0]', { modules: ['overlay; reboot'] }, 'EDGE_VALUE', 'br_netfilter'),
  bad(
    'machineSettings.sysctl["../../etc/x"]',
    { sysctl: { '../../etc/x': '1' } },
    'EDGE_VALUE',
    'vm.overcommit_memory',
  ),
  bad('machineSettings.sysctl["vm.swappiness"]', { sysctl: { 'vm.swappiness': 10 } }, 'EDGE_TYPE', 'in quotes'),
  bad(
    'machineSettings.registries[0].registry',
    { registries: [{ ...docker, registry: '../x' }] },
    'EDGE_VALUE',
    'docker.io',
  ),
  bad(
    'machineSettings.registries[0].mirrors',
    { registries: [{ ...docker, mirrors: [] }] },
    'EDGE_MISSING',
    'https://',
  ),
  bad(
    'machineSettings.registries[0].mirrors[0]',
    { registries: [{ ...docker, mirrors: ['a"b'] }] },
    'EDGE_VALUE',
    'https://',
  ),
  bad(
    'machineSettings.registries[0].ca',
    { registries: [{ ...docker, ca: '/etc/ca.crt' }] },
    'EDGE_VALUE',
    'readFileSync',
  ),
  bad('machineSettings.registries[1].registry', { registries: [docker, docker] }, 'EDGE_DUPLICATE', 'in one'),
  bad('machineSettings.diskSize', { diskSize: 'small' }, 'EDGE_QUANTITY', '32Gi'),
  bad('machineSettings.watchdogSeconds', { watchdogSeconds: 5 }, 'EDGE_VALUE', '30'),
  bad('machineSettings.imageFolder', { imageFolder: 'images' }, 'EDGE_VALUE', '/var/lib/edge/images'),
  bad(
    'machineSettings.registries[0].registry',
    { registries: [{ ...docker, registry: '_default' }] },
    'EDGE_JOIN',
    'each registry',
    { runtime: 'cri-o' },
  ),
  bad(
    'machineSettings.registries[0].mirrors[1]',
    { registries: [{ ...docker, mirrors: ['https://a.example/v2/hub', 'https://a.example/hub'] }] },
    'EDGE_JOIN',
    '/v2/docker-hub',
    { runtime: 'cri-o' },
  ),
  bad('machineSettings.diskSize', { diskSize: '8Gi' }, 'EDGE_JOIN', 'leave it out', {}, '1.24'),
  bad('machineSettings.diskSize', { diskSize: '8Gi' }, 'EDGE_CONTRADICTION', "with diskSize: '8Gi'", {
    reservation: NodeReservation.of({ diskSize: '32Gi' }),
  }),
  bad('machineSettings.diskSize', { diskSize: '32GiB' }, 'EDGE_QUANTITY', '32Gi', {
    reservation: NodeReservation.of({ diskSize: '32Gi' }),
  }),
  bad(
    'kubeletConfiguration.imageGCHighThresholdPercent',
    { diskSize: '8Gi' },
    'EDGE_CONTRADICTION',
    'imageGCLowThresholdPercent',
    { kubeletConfiguration: { imageGCHighThresholdPercent: 60 } },
  ),
  bad(
    'kubeletConfiguration.imageGCLowThresholdPercent',
    undefined,
    'EDGE_CONTRADICTION',
    'imageGCHighThresholdPercent',
    {
      kubeletConfiguration: { imageGCLowThresholdPercent: 75 },
      reservation: NodeReservation.preset('edge-small', { diskSize: '16Gi' }),
    },
  ),
  bad('files[0].path', { swap: 'off' }, 'EDGE_RESERVED_KEY', 'another path', {
    files: [{ path: '/etc/sysctl.d/90-edge-nodepools.conf', content: 'x' }],
  }),
  bad('files[0].path', { registries: [docker] }, 'EDGE_RESERVED_KEY', 'another path', {
    runtime: 'cri-o',
    files: [{ path: '/etc/containers/certs.d/mirror.example/ca.crt', content: 'x' }],
  }),
  bad('sandboxImage.imageRepository', undefined, 'EDGE_VALUE', 'registry.example', {
    sandboxImage: { imageRepository: 'https://registry.example' },
  }),
  bad('sandboxImage.repository', undefined, 'EDGE_UNKNOWN_PROPERTY', 'imageRepository', {
    sandboxImage: { repository: 'registry.example' },
  }),
  bad('sandboxImage', undefined, 'EDGE_VALUE', "'kubeadm'", { sandboxImage: 3 }),
  bad(
    'machineSettings.imageFolder',
    { imageFolder: '/var/lib/edge-nodepools/images' },
    'EDGE_RESERVED_KEY',
    '/var/lib/edge/images',
  ),
  bad('sandboxImage', {}, 'EDGE_VALUE', 'without https://', {
    sandboxImage: 'https://registry.example/pause:3.10',
  }),
];
