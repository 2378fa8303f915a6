import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  RegularNodePool,
  EdgeWarnings,
  HostNetworkNodePool,
  JoinToken,
  NodeJoin,
  type NodeJoinProps,
  NodeReservation,
} from 'edge-nodepools';
import { parse } from 'yaml';
import { declareJoin, WAYS } from '../properties/join-arbitraries.js';

const TOKEN = 'abcdef.0123456789abcdef';
const FILE = JoinToken.fromFile('/var/lib/edge/join-token');

const on = (kubernetes: string, props: Partial<NodeJoinProps> = {}, openYurt = 'none', token = FILE) =>
  declareJoin({ openYurt, kubernetes, via: props.via }, token, props);

const contentOf = (join: NodeJoin, path: string): string =>
  join.files.find((file) => file.path === path)?.content ?? `no ${path}`;

describe('NodeJoin by kubeadm', () => {
  it('writes v1beta4, with labels and taints for the registration', () => {
    const { join } = on('1.36', { registrationTaint: true } as object, 'none', JoinToken.inline(TOKEN));
    expect(join.joinConfiguration).toEqual({
      apiVersion: 'kubeadm.k8s.io/v1beta4',
      kind: 'JoinConfiguration',
      discovery: {
        bootstrapToken: {
          token: TOKEN,
          apiServerEndpoint: '192.0.2.10:6443',
          caCertHashes: [`sha256:${'ab'.repeat(32)}`],
        },
      },
      nodeRegistration: {
        criSocket: 'unix:///run/containerd/containerd.sock',
        kubeletExtraArgs: [
          {
            name: 'node-labels',
            value: `apps.openyurt.io/nodepool=beijing,nodepool.openyurt.io/hostnetwork=true,edge-nodepools/join=${join.contentHash.slice(0, 10)}`,
          },
        ],
        taints: [{ key: 'nodepool.openyurt.io/hostnetwork', value: 'true', effect: 'NoSchedule' }],
        ignorePreflightErrors: [
          'FileContent--proc-sys-net-ipv4-ip_forward',
          'FileContent--proc-sys-net-bridge-bridge-nf-call-iptables',
        ],
      },
    });
    expect(parse(contentOf(join, '/run/edge-nodepools/join.yaml'))).toEqual(join.joinConfiguration);
  });

  it.each(WAYS.filter(({ via }) => via !== 'yurtadm').map((way) => [way.kubernetes, way] as const))(
    'Kubernetes %s: the version that its kubeadm reads, arguments in its form',
    (kubernetes, way) => {
      const { join } = declareJoin(way, FILE, { kubeletExtraArgs: { 'max-pods': '30' } });
      const isNew = Number(kubernetes.split('.')[1]) >= 31;
      expect(join.joinConfiguration.apiVersion).toBe(`kubeadm.k8s.io/${isNew ? 'v1beta4' : 'v1beta3'}`);
      const { kubeletExtraArgs } = (join.joinConfiguration as any).nodeRegistration;
      expect(Array.isArray(kubeletExtraArgs)).toBe(isNew);
      expect(JSON.stringify(kubeletExtraArgs)).toContain('max-pods');
    },
  );

  it('has only the placeholder, because the token is on the node', () => {
    const { join } = on('1.34');
    expect((join.joinConfiguration as any).discovery.bootstrapToken.token).toBe('token0.placeholder00000');
    expect(join.files.map(({ path, permissions }) => [path, permissions])).toEqual([
      ['/etc/cni/net.d/0-loopback.conflist', '0644'],
      ['/var/lib/edge-nodepools/join.yaml', '0600'],
      // the last one: if it is there, all are
      ['/var/lib/edge-nodepools/join.sh', '0700'],
    ]);
  });

  it('supports a discovery file, and needs no address then', () => {
    const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34' });
    const chart = new Chart(new App(), 'site');
    const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz' });
    const token = JoinToken.inline(TOKEN);
    const { joinConfiguration } = new NodeJoin(chart, 'join', { pool, token, discoveryFile: '/etc/discovery.conf' });
    expect(joinConfiguration.discovery).toEqual({
      file: { kubeConfigPath: '/etc/discovery.conf' },
      tlsBootstrapToken: TOKEN,
    });
  });

  it('writes the CNI version that the runtimes of the minor support, and nothing for a regular pool', () => {
    const versionOn = (kubernetes: string): unknown =>
      JSON.parse(contentOf(on(kubernetes).join, '/etc/cni/net.d/0-loopback.conflist')).cniVersion;
    expect([versionOn('1.22'), versionOn('1.24'), versionOn('1.36')]).toEqual(['0.4.0', '1.0.0', '1.0.0']);
    const { chart, pool } = on('1.34');
    const ordinary = new RegularNodePool(chart, 'ordinary', { cluster: pool.cluster, poolName: 'depot' });
    const { files, joinConfiguration } = new NodeJoin(chart, 'depot', { pool: ordinary, token: FILE });
    expect(files.map(({ path }) => path).filter((path) => path.includes('cni'))).toEqual([]);
    expect((joinConfiguration as any).nodeRegistration.ignorePreflightErrors).toBeUndefined();
  });

  it('uses the reservation of the pool unless it has its own: as a patch, or as flags before 1.25', () => {
    const cluster = EdgeCluster.of({
      openYurt: 'none',
      kubernetes: '1.34',
      apiServer: '10.0.0.1:6443',
      caCertHashes: [`sha256:${'ab'.repeat(32)}`],
    });
    const chart = new Chart(new App(), 'site');
    const reservation = NodeReservation.of({ kubeReserved: { cpu: '100m' } });
    const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz', reservation });
    expect(pool.reservation).toBe(reservation);
    const path = '/etc/kubernetes/patches/kubeletconfiguration0+strategic.json';
    const first = new NodeJoin(chart, 'a', { pool, token: FILE, kubeletConfiguration: { maxPods: 30 } });
    expect(JSON.parse(contentOf(first, path))).toEqual({ ...reservation.kubeletConfiguration(), maxPods: 30 });
    expect(first.joinConfiguration.patches).toEqual({ directory: '/etc/kubernetes/patches' });
    const other = NodeReservation.preset('edge-small');
    const second = new NodeJoin(chart, 'b', { pool, token: FILE, reservation: other });
    expect(contentOf(second, path)).toBe(other.kubeadmPatch().content);

    const { join } = on('1.24', { reservation });
    expect((join.joinConfiguration as any).nodeRegistration.kubeletExtraArgs).toMatchObject({
      'kube-reserved': 'cpu=100m',
      'eviction-hard': expect.stringContaining('memory.available<100Mi'),
    });
    expect(join.joinConfiguration.patches).toBeUndefined();
  });

  it('configures only what differs from the defaults of the runtime', () => {
    const script = (made: NodeJoin): string => contentOf(made, '/var/lib/edge-nodepools/join.sh');
    expect(script(on('1.34').join)).not.toContain('set_containerd');
    const { join } = on('1.34', { cniFolder: '/etc/edge/cni', sandboxImage: 'registry.example/pause:3.10' });
    expect(script(join)).toContain('conf_dir "/etc/edge/cni"');
    expect(script(join)).toContain('sandbox_image "registry.example/pause:3.10"');
    expect(contentOf(join, '/etc/edge/cni/0-loopback.conflist')).toContain('loopback');
    const crio = on('1.34', { runtime: 'cri-o', cniFolder: '/etc/edge/cni' });
    expect(contentOf(crio.join, '/etc/crio/crio.conf.d/10-edge-nodepools.conf')).toContain('network_dir');
    expect((crio.join.joinConfiguration as any).nodeRegistration.criSocket).toBe('unix:///run/crio/crio.sock');
  });

  it('installs packages of one version and holds them', () => {
    const script = (manager: 'apt' | 'dnf'): string =>
      contentOf(on('1.34', { packages: { manager, version: '1.34.2' } }).join, '/var/lib/edge-nodepools/join.sh');
    expect(script('apt')).toMatch(/\bkubelet_version=1\.34\.2\b/);
    expect(script('apt')).toMatch(/\brepository=https:\/\/pkgs[.]k8s[.]io\/core:\/stable:\/v1[.]34\/deb(?= |$)/m);
    expect(script('apt')).toContain('apt-mark hold kubelet kubeadm');
    expect(script('dnf')).toMatch(/\bkubelet_version=1\.34\.2\b/);
    expect(script('dnf')).toContain("'kubelet kubeadm kubectl cri-tools kubernetes-cni'");
  });

  it('never uses a proxy for the API server', () => {
    const { join } = on('1.34', { proxy: { httpsProxy: 'http://proxy.example:3128', noProxy: ['10.0.0.0/8'] } });
    const script = contentOf(join, '/var/lib/edge-nodepools/join.sh');
    expect(script).toContain("export NO_PROXY='192.0.2.10,127.0.0.1,localhost,.cluster.local,10.0.0.0/8'");
    expect(contentOf(join, '/etc/systemd/system/containerd.service.d/10-edge-nodepools.conf')).toContain(
      'Environment="HTTPS_PROXY=http://proxy.example:3128"',
    );
  });

  it('warns if OpenYurt 1.7 will convert the node, and is label-driven there by default', () => {
    const warningsOf = (via: NodeJoinProps['via']): string[] =>
      EdgeWarnings.of(on('1.34', { via }, '1.7').app).map(({ code }) => code);
    expect(warningsOf('kubeadm')).toEqual(['EDGE_JOIN']);
    expect(warningsOf(undefined)).toEqual([]);
    expect(on('1.34', {}, '1.7').join.userData).toContain('by label-driven');
    expect(on('1.30', {}, '1.6').join.userData).toContain('by kubeadm');
  });
});

describe('NodeJoin of a Cloud pool', () => {
  const cloud = (openYurt: string, kubernetes: string, props: Partial<NodeJoinProps> = {}): NodeJoin => {
    const { chart, pool } = on(kubernetes, {}, openYurt);
    const ordinary = new RegularNodePool(chart, 'cloud', { cluster: pool.cluster, poolName: 'depot', type: 'Cloud' });
    expect(ordinary.type).toBe('Cloud');
    return new NodeJoin(chart, 'depot', { pool: ordinary, token: FILE, ...props });
  };

  it('joins by kubeadm, because its nodes are not converted, or by yurtadm as a cloud node', () => {
    expect(cloud('1.7', '1.34').userData).toContain('by kubeadm');
    expect(cloud('1.7', '1.34', { via: 'yurtadm' }).userData).toContain('--node-type=cloud');
    expect(() => cloud('1.7', '1.34', { via: 'label-driven' })).toThrow(/this is a Cloud pool/);
  });
});

describe('NodeJoin next to another', () => {
  const another = (first: Partial<NodeJoinProps>, second: Partial<NodeJoinProps>, token = FILE) => {
    const { chart, pool } = on('1.34', first, 'none', token);
    return () => new NodeJoin(chart, 'other', { pool, token, via: 'kubeadm', ...second });
  };

  it('is refused only if both are one object', () => {
    const via = { via: 'kubeadm' } as const;
    expect(another(via, {})).toThrow(/EDGE_DUPLICATE.*site\/join already publishes the ConfigMap/);
    expect(another(via, { publish: false })).not.toThrow();
    expect(another(via, { namespace: 'edge' })).not.toThrow();
    expect(another(via, { nodeName: 'edge-1' })).not.toThrow();
  });

  it('is refused with another secret of the same token id, whose Secret would have the same name', () => {
    const published = { via: 'kubeadm', publish: true } as const;
    const other = JoinToken.inline(TOKEN.replace('9', '8'));
    expect(another(published, { publish: true, token: other }, JoinToken.inline(TOKEN))).toThrow(/EDGE_DUPLICATE/);
  });
});

describe('NodeJoin by yurtadm', () => {
  const yurtadm = (openYurt: string, kubernetes: string, props: Partial<NodeJoinProps> = {}) =>
    on(kubernetes, { via: 'yurtadm', ...props }, openYurt);

  it.each([
    ['1.4', '1.23'],
    ['1.5', '1.28'],
    ['1.6', '1.30'],
    ['1.7', '1.34'],
  ])('%s: a command line with the labels of the pool', (openYurt, kubernetes) => {
    const { join, chart } = yurtadm(openYurt, kubernetes);
    const script = contentOf(join, '/var/lib/edge-nodepools/join.sh');
    // a long list takes several lines
    expect(script.replaceAll("'\\\n'", '')).toContain(
      `yurtadm_arguments='192.0.2.10:6443\n--node-type=edge\n--node-labels=apps.openyurt.io/nodepool=beijing,nodepool.openyurt.io/hostnetwork=true,edge-nodepools/join=${join.contentHash.slice(0, 10)}\n`,
    );
    expect(join.joinConfiguration).toEqual({});
    expect(Testing.synth(chart).map(({ kind }) => kind as string)).toEqual(['NodePool', 'ConfigMap']);
  });

  it('joins by the name of the pool, with the ClusterRole that no chart has', () => {
    const { join, chart } = yurtadm('1.6', '1.30', { yurtadm: { membership: 'nodepool-name' } });
    const script = contentOf(join, '/var/lib/edge-nodepools/join.sh');
    expect(script).toContain(
      `--nodepool-name=beijing\n--node-labels=nodepool.openyurt.io/hostnetwork=true,edge-nodepools/join=${join.contentHash.slice(0, 10)}\n`,
    );
    const [role, binding] = Testing.synth(chart).filter(({ kind }) => /^ClusterRole/.test(kind as string));
    expect(role.rules).toEqual([
      { apiGroups: ['apps.openyurt.io'], resources: ['nodepools'], resourceNames: ['beijing'], verbs: ['get'] },
    ]);
    expect(binding.subjects).toEqual([
      { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:bootstrappers' },
    ]);
    expect(binding.roleRef.name).toBe(role.metadata.name);
  });

  it('passes settings without a yurtadm flag to kubelet in its environment file', () => {
    const { join } = yurtadm('1.7', '1.34', {
      registrationTaint: true,
      reservation: NodeReservation.of({ kubeReserved: { cpu: '100m' } }),
      kubeletExtraArgs: { 'max-pods': '30' },
    } as object);
    const text = contentOf(join, '/etc/default/kubelet');
    expect(text).toMatch(
      /^KUBELET_EXTRA_ARGS="--register-with-taints=nodepool\.openyurt\.io\/hostnetwork=true:NoSchedule --kube-reserved=cpu=100m .* --max-pods=30"\n$/,
    );
  });

  it('warns about timeouts, which yurtadm does not support', () => {
    const { app } = yurtadm('1.7', '1.34', { timeouts: { discovery: '2m' } });
    expect(EdgeWarnings.of(app)).toEqual([expect.objectContaining({ code: 'EDGE_UNUSED', path: 'timeouts' })]);
  });

  it('treats an empty list of NTP servers as absent', () => {
    expect(on('1.34', { ntpServers: [] }).join.userData).toBe(on('1.34').join.userData);
    expect(on('1.34', { ntpServers: [] }).join.script).toBe(on('1.34').join.script);
  });

  it('has a leave script that removes every file of the join except the user’s', () => {
    for (const way of WAYS) {
      const { join } = declareJoin(way, FILE, {
        reservation: NodeReservation.preset('edge-small'),
        files: [{ path: '/etc/motd', content: 'edge\n' }],
      });
      const own = join.files.map(({ path }) => path).filter((path) => path !== '/etc/motd');
      const removed = own.filter(
        (path) =>
          /(?<=^join_files=')[^']*/m.exec(join.leaveScript)?.[0].split(/\s+/).includes(path) === true ||
          path.startsWith('/var/lib/edge-nodepools/'),
      );
      expect(removed).toEqual(own);
      expect(join.leaveScript).not.toContain('/etc/motd');
      expect(join.leaveScript).toContain(way.via === 'yurtadm' ? 'yurtadm reset --force' : 'kubeadm reset --force');
    }
  });
});

describe('NodeJoin of OpenYurt 1.7, whose chart lacks the rights of yurthub', () => {
  const clusterOf = (openYurt: string, name = 'shops'): EdgeCluster =>
    EdgeCluster.of({
      name,
      openYurt,
      kubernetes: '1.34',
      apiServer: '192.0.2.10:6443',
      caCertHashes: [`sha256:${'ab'.repeat(32)}`],
    });
  const joinOf = (chart: Chart, cluster: EdgeCluster, poolName: string, props: Partial<NodeJoinProps> = {}): NodeJoin =>
    new NodeJoin(chart, poolName, {
      pool: new RegularNodePool(chart, `${poolName}-pool`, { cluster, poolName }),
      token: FILE,
      ...props,
    });
  const rightsIn = (chart: Chart): string[] =>
    Testing.synth(chart)
      .filter(({ metadata }) => metadata.name === 'edge-nodepools-yurthub')
      .map(({ kind }) => kind as string);
  const ALL = ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];

  it('writes them once for a cluster, whichever charts its joins are in', () => {
    const app = new App();
    const [first, second, third] = ['first', 'second', 'third'].map((id) => new Chart(app, id, { namespace: 'edge' }));
    joinOf(first as Chart, clusterOf('1.7'), 'hz');
    joinOf(first as Chart, clusterOf('1.7'), 'sh');
    joinOf(second as Chart, clusterOf('1.7'), 'bj');
    joinOf(third as Chart, clusterOf('1.7', 'other'), 'hz');
    expect([first, second, third].map((chart) => rightsIn(chart as Chart).sort())).toEqual([ALL, [], ALL]);
    const [role] = Testing.synth(first as Chart).filter(({ kind }) => kind === 'Role');
    // not the namespace of the chart; and nothing that applies the chart takes them away
    expect(role.metadata).toMatchObject({
      namespace: 'kube-system',
      annotations: {
        'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
        'helm.sh/resource-policy': 'keep',
        'kustomize.toolkit.fluxcd.io/prune': 'disabled',
      },
    });
  });

  it.each<[string, string, Partial<NodeJoinProps>, boolean]>([
    ['label-driven', '1.7', {}, true],
    ['kubeadm, after which the label converts the node too', '1.7', { via: 'kubeadm' }, true],
    ['yurtadm, which needs the chart yurthub', '1.7', { via: 'yurtadm' }, false],
    ['a release that converts nothing', '1.6', {}, false],
    ['no OpenYurt', 'none', {}, false],
  ])('%s', (_, openYurt, props, writes) => {
    const chart = new Chart(new App(), 'chart');
    const join = joinOf(chart, clusterOf(openYurt), 'hz', props);
    expect(rightsIn(chart).length).toBe(writes ? 4 : 0);
    // what has to be on the machine, and the name that a Node may have
    expect(/\bis_converted=yes\b/.test(join.preflightScript)).toBe(writes);
    expect(join.preflightScript).toContain(`longest_name=${writes ? 39 : 63}`);
    expect(/^programs='[^']*\bcrictl\b/m.test(join.preflightScript)).toBe(writes);
  });

  it('leaves by a script that says what leaving needs, in its order', () => {
    const script = joinOf(new Chart(new App(), 'chart'), clusterOf('1.7'), 'hz').leaveScript;
    const places = ['nodepool-\n', '=Reverted\n', 'kubectl delete node NODE', 'delete job'].map((text) =>
      script.indexOf(text),
    );
    expect(places.every((place) => place > 0)).toBe(true);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
    expect(joinOf(new Chart(new App(), 'chart'), clusterOf('1.6'), 'hz').leaveScript).not.toMatch(
      /yurthub\.service\.d|Reverted/,
    );
  });
});
