import type { Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, JoinToken, NodeJoin } from 'edge-nodepools';
import { type BadInput, untyped } from './case.js';

const bad = (
  path: string,
  packages: object,
  code: BadInput['code'],
  hint: string,
  props: object = {},
  kubernetes = '1.34',
): BadInput => ({
  what: `packages: ${path} as ${JSON.stringify(packages)}`,
  code,
  path,
  hint,
  make: (chart: Chart) =>
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
        packages: { manager: 'apt', version: `${kubernetes}.2`, ...packages },
        ...props,
      }),
    ),
});

const mirror = 'https://packages.example/deb';
const core = (path: string): string => `https://pkgs.k8s.io/core:/${path}`;
const opensuse = (path: string): string => `https://download.opensuse.org/repositories/isv:/cri-o:/stable:/${path}`;
const docker = (path: string): object => ({ name: 'containerd.io', repository: `https://download.docker.com/${path}` });
const ofCrio = { runtime: 'cri-o' };
const folder = '/var/lib/edge/packages';
const containerd = { name: 'containerd' };
const crio = { name: 'cri-o' };

/** The container runtime as a package, and packages in a folder. */
export const joinPackages: BadInput[] = [
  bad('packages.runtime', { runtime: 'containerd' }, 'EDGE_TYPE', "name: 'containerd'"),
  bad('packages.runtime.name', { runtime: {} }, 'EDGE_MISSING', "'containerd.io'"),
  bad('packages.runtime.name', { runtime: { name: 'docker' } }, 'EDGE_VALUE', "'containerd'"),
  bad('packages.runtime.channel', { runtime: { ...containerd, channel: 'test' } }, 'EDGE_UNKNOWN_PROPERTY', 'name'),
  bad('packages.runtime.version', { runtime: { ...containerd, version: '1.7' } }, 'EDGE_VALUE', '1.7.27'),
  bad('packages.runtime.version', { runtime: { ...containerd, version: 1.7 } }, 'EDGE_VALUE', 'in quotes'),
  bad('packages.runtime.name', { runtime: crio }, 'EDGE_CONTRADICTION', "runtime: 'cri-o'"),
  bad('packages.runtime.name', { runtime: containerd }, 'EDGE_CONTRADICTION', "'containerd'", { runtime: 'cri-o' }),
  bad('packages.runtime.repository', { runtime: { ...containerd, repository: mirror } }, 'EDGE_CONTRADICTION', 'out'),
  bad(
    'packages.runtime.repository',
    { runtime: { name: 'containerd.io', repository: 'https://x/$(id)' } },
    'EDGE_VALUE',
    'https://packages.example',
  ),
  bad(
    'packages.runtime.repository',
    { folder, runtime: { name: 'containerd.io', repository: mirror } },
    'EDGE_CONTRADICTION',
    'leave it out',
  ),
  bad('packages.runtime.repository', { runtime: crio }, 'EDGE_MISSING', 'your mirror', { runtime: 'cri-o' }, '1.27'),
  bad('packages.runtime.version', { runtime: { ...crio, version: '1.33.1' } }, 'EDGE_CONTRADICTION', '1.34.0', {
    runtime: 'cri-o',
  }),
  bad('packages.folder', { folder: 'packages' }, 'EDGE_VALUE', '/var/lib/edge/packages'),
  ...['/var/lib/edge-nodepools', '/var/lib/edge-nodepools/packages', '/run/edge-nodepools/packages'].map((own) =>
    bad('packages.folder', { folder: own }, 'EDGE_RESERVED_KEY', '/var/lib/edge/packages'),
  ),
  bad('packages.repository', { folder, repository: mirror }, 'EDGE_CONTRADICTION', 'folder out'),
  bad('packages.repository', { repository: core('stable:/v1.30/deb/') }, 'EDGE_CONTRADICTION', '/v1.34/deb'),
  bad('packages.repository', { repository: core('stable:/v1.34/rpm/') }, 'EDGE_CONTRADICTION', '/v1.34/deb'),
  bad('packages.repository', { manager: 'dnf', repository: core('stable:/v1.34/deb') }, 'EDGE_CONTRADICTION', '/rpm'),
  bad('packages.repository', { repository: core('') }, 'EDGE_VALUE', 'core:/stable:/v1.34/deb'),
  bad(
    'packages.repository',
    { repository: 'https://mirror.example/core:/stable:/v1.33/deb' },
    'EDGE_CONTRADICTION',
    '/v1.34/deb',
  ),
  bad('packages.repository', { repository: 'https://apt.kubernetes.io/' }, 'EDGE_VALUE', 'leave it out'),
  bad('packages.repository', { repository: 'https://packages.cloud.google.com/apt' }, 'EDGE_VALUE', 'leave it out'),
  bad(
    'packages.runtime.repository',
    { runtime: { ...crio, repository: opensuse('v1.30/deb') } },
    'EDGE_CONTRADICTION',
    '/v1.34/deb',
    ofCrio,
  ),
  bad(
    'packages.runtime.repository',
    { runtime: { ...crio, repository: opensuse('v1.34/rpm') } },
    'EDGE_CONTRADICTION',
    '/v1.34/deb',
    ofCrio,
  ),
  bad('packages.runtime.repository', { runtime: docker('linux/rhel') }, 'EDGE_CONTRADICTION', 'linux/debian'),
  bad(
    'packages.runtime.repository',
    { manager: 'dnf', runtime: docker('linux/debian') },
    'EDGE_CONTRADICTION',
    'linux/rhel',
  ),
  bad('files[0].path', { runtime: { name: 'containerd.io' } }, 'EDGE_RESERVED_KEY', 'another path', {
    files: [{ path: '/etc/apt/sources.list.d/docker.list', content: 'x' }],
  }),
  bad('files[0].path', { manager: 'dnf', runtime: crio }, 'EDGE_RESERVED_KEY', 'another path', {
    runtime: 'cri-o',
    files: [{ path: '/etc/yum.repos.d/edge-nodepools-cri-o.repo', content: 'x' }],
  }),
];
