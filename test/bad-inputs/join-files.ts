import type { Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, JoinToken, KubeadmConfigTemplate, NodeJoin } from 'edge-nodepools';
import { type BadInput, untyped } from './case.js';

const hash = `sha256:${'ab'.repeat(32)}`;
const TOKEN = 'k3x9q2.7v1m0c8z4b6n5j2h';
const poolOn = (chart: Chart, kubernetes: string, openYurt: string, props: object = {}): HostNetworkNodePool =>
  new HostNetworkNodePool(chart, 'pool', {
    cluster: EdgeCluster.of({ openYurt, kubernetes, apiServer: '10.0.0.1:6443', caCertHashes: [hash] }),
    poolName: 'hz',
    ...props,
  });

const join =
  (props: object, kubernetes = '1.34', openYurt = 'none') =>
  (chart: Chart) =>
    new NodeJoin(
      chart,
      'join',
      untyped({
        pool: poolOn(chart, kubernetes, openYurt),
        token: JoinToken.fromFile('/var/lib/edge/join-token'),
        ...props,
      }),
    );

const taken = (path: string, props: object = {}, openYurt = 'none'): BadInput => ({
  what: `a file at ${path}`,
  code: 'EDGE_RESERVED_KEY',
  path: 'files[0].path',
  hint: 'another path',
  make: join({ files: [{ path, content: '' }], ...props }, '1.34', openYurt),
});

const inTemplate = (path: string): BadInput => ({
  what: `a file of a template at ${path}`,
  code: 'EDGE_RESERVED_KEY',
  path: 'files[0].path',
  hint: 'another path',
  make: (chart) =>
    new KubeadmConfigTemplate(chart, 'template', {
      pool: poolOn(chart, '1.34', 'none'),
      files: [{ path, content: '' }],
    }),
});

const holding = (what: string, props: object, path: string): BadInput => ({
  what: `a token in ${what}`,
  code: 'EDGE_TOKEN',
  path,
  hint: /as token of the join|another value/,
  make: join(props),
});

/** Files, commands and packages that conflict with the join. */
export const joinFiles: BadInput[] = [
  ...['kubernetes.io/os', 'kubernetes.io/arch', 'kubernetes.io/hostname', 'beta.kubernetes.io/os'].map(
    (key): BadInput => ({
      what: `a label that kubelet sets: ${key}`,
      code: 'EDGE_RESERVED_KEY',
      path: `labels["${key}"]`,
      hint: 'leave it out',
      make: join({ labels: { [key]: 'windows' } }),
    }),
  ),
  ...['apps.openyurt.io/desired-nodepool', 'nodepool.openyurt.io/type', 'edge-nodepools/join'].map((key): BadInput => ({
    what: `a label that something else sets: ${key}`,
    code: 'EDGE_RESERVED_KEY',
    path: `labels["${key}"]`,
    hint: 'leave it out',
    make: join({ labels: { [key]: 'x' } }),
  })),
  ...[`/etc/${'a'.repeat(256)}`, `/${'a/'.repeat(2047)}ab`].map((path): BadInput => ({
    what: `a file whose path is too long for Linux: ${path.length} bytes`,
    code: 'EDGE_VALUE',
    path: 'files[0].path',
    hint: 'at most 255',
    make: join({ files: [{ path, content: 'a\n' }] }),
  })),
  {
    what: 'a file beside which an update has no room for its own',
    code: 'EDGE_VALUE',
    path: 'files[0].path',
    hint: 'a shorter name',
    make: join({ files: [{ path: `/etc/${'a'.repeat(240)}`, content: 'a\n' }] }),
  },
  {
    what: 'a file below another file',
    code: 'EDGE_DUPLICATE',
    path: 'files[1].path',
    hint: 'another path',
    make: join({
      files: [
        { path: '/etc/a', content: 'a\n' },
        { path: '/etc/a/b', content: 'b\n' },
      ],
    }),
  },
  taken('/etc/kubernetes/kubelet.conf'),
  taken('/etc/kubernetes/bootstrap-kubelet.conf'),
  taken('/etc/kubernetes/pki/ca.crt'),
  taken('/etc/kubernetes/patches'),
  taken('/var/lib/kubelet/config.yaml'),
  taken('/run/edge-nodepools'),
  taken('/var/run/edge-nodepools/join.yaml'),
  taken('/var/lib/edge-nodepools/joined'),
  taken('/etc/systemd/system/containerd.service.d/10-edge-nodepools.conf'),
  taken('/etc/tmpfiles.d/edge-nodepools.conf'),
  taken('/var/lib/cloud/scripts/per-boot/edge-nodepools-join'),
  taken('/etc/systemd/timesyncd.conf.d/10-edge-nodepools.conf', { ntpServers: ['0.pool.ntp.org'] }),
  taken('/etc/apt/sources.list.d/kubernetes.list', { packages: { manager: 'apt', version: '1.34.1' } }),
  taken('/etc/yum.repos.d/kubernetes.repo', { packages: { manager: 'dnf', version: '1.34.1' } }),
  taken('/etc/default/kubelet', { via: 'yurtadm' }, '1.7'),
  inTemplate('/run/kubeadm/kubeadm-join-config.yaml'),
  inTemplate('/etc/kubernetes/kubelet.conf'),
  holding('a file', { files: [{ path: '/etc/edge', content: `token=${TOKEN}\n` }] }, 'files[0].content'),
  holding('a command', { preJoinCommands: [`echo ${TOKEN}`] }, 'preJoinCommands[0]'),
  holding('a word of a command', { postJoinCommands: ['true', ['echo', TOKEN]] }, 'postJoinCommands[1]'),
  holding('a label', { labels: { site: TOKEN } }, 'labels.site'),
  {
    what: 'too many attempts',
    code: 'EDGE_VALUE',
    path: 'attempts',
    hint: 'at most 100',
    make: join({ attempts: 1e9 }),
  },
  {
    what: 'a pause of a day between two attempts',
    code: 'EDGE_VALUE',
    path: 'secondsBetweenAttempts',
    hint: 'at most 3600',
    make: join({ secondsBetweenAttempts: 86_400 }),
  },
  {
    what: 'packages of a minor that pkgs.k8s.io does not have',
    code: 'EDGE_MISSING',
    path: 'packages.repository',
    hint: 'the URL of your mirror',
    make: join({ packages: { manager: 'apt', version: '1.23.17' } }, '1.23'),
  },
];
