import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { spawnSync } from 'node:child_process';
import { App, Chart, Testing } from 'cdk8s';
import {
  artifactsOf,
  BootstrapToken,
  EdgeCluster,
  EdgeNodePool,
  EdgeWarnings,
  HostNetworkNodePool,
  JoinToken,
  KubeadmConfigTemplate,
  NodeJoin,
  type NodeJoinProps,
  NodeReservation,
  writeArtifacts,
} from 'edge-nodepools';
import { parse } from 'yaml';
import { untyped } from '../bad-inputs/case.js';
import { declareJoin, tokenOf, WAYS } from '../properties/join-arbitraries.js';

const TOKEN = 'abcdef.0123456789abcdef';
const FILE = JoinToken.fromFile('/run/edge/join-token');

const on = (kubernetes: string, props: Partial<NodeJoinProps> = {}, openYurt = 'none', token = FILE) =>
  declareJoin({ openYurt, kubernetes, via: props.via }, token, props);

const contentOf = (join: NodeJoin, path: string): string =>
  join.files.find((file) => file.path === path)?.content ?? `no ${path}`;

describe('NodeJoin by kubeadm', () => {
  it('writes v1beta4, with labels and taints that are there when the node registers', () => {
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
            value: 'apps.openyurt.io/nodepool=beijing,nodepool.openyurt.io/hostnetwork=true',
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

  it('keeps the placeholder in what it shows, and the token on the node', () => {
    const { join } = on('1.34');
    expect((join.joinConfiguration as any).discovery.bootstrapToken.token).toBe('token0.placeholder00000');
    expect(join.files.map(({ path, permissions }) => [path, permissions])).toEqual([
      ['/etc/cni/net.d/0-loopback.conflist', '0644'],
      ['/var/lib/edge-nodepools/join.yaml', '0600'],
      ['/var/lib/edge-nodepools/join.sh', '0700'],
    ]);
  });

  it('discovers by a file where one is named, and needs no address then', () => {
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

  it('writes the CNI version that the runtimes of the minor read, and nothing for an ordinary pool', () => {
    const versionOn = (kubernetes: string): unknown =>
      JSON.parse(contentOf(on(kubernetes).join, '/etc/cni/net.d/0-loopback.conflist')).cniVersion;
    expect([versionOn('1.22'), versionOn('1.24'), versionOn('1.36')]).toEqual(['0.4.0', '1.0.0', '1.0.0']);
    const { chart, pool } = on('1.34');
    const ordinary = new EdgeNodePool(chart, 'ordinary', { cluster: pool.cluster, poolName: 'depot' });
    const { files, joinConfiguration } = new NodeJoin(chart, 'depot', { pool: ordinary, token: FILE });
    expect(files.map(({ path }) => path).filter((path) => path.includes('cni'))).toEqual([]);
    expect((joinConfiguration as any).nodeRegistration.ignorePreflightErrors).toBeUndefined();
  });

  it('takes the reservation of the pool, unless it has one of its own: as a patch, or as flags before 1.25', () => {
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

  it('tells the runtime only what differs from its defaults', () => {
    const file = '/etc/containerd/conf.d/10-edge-nodepools.toml';
    expect(contentOf(on('1.34').join, file)).toBe(`no ${file}`);
    const { join } = on('1.34', { cniFolder: '/etc/edge/cni', sandboxImage: 'registry.example/pause:3.10' });
    expect(contentOf(join, file)).toContain('conf_dir = "/etc/edge/cni"');
    expect(contentOf(join, file)).toContain('sandbox_image = "registry.example/pause:3.10"');
    expect(contentOf(join, '/etc/edge/cni/0-loopback.conflist')).toContain('loopback');
    const crio = on('1.34', { runtime: 'cri-o', cniFolder: '/etc/edge/cni' });
    expect(contentOf(crio.join, '/etc/crio/crio.conf.d/10-edge-nodepools.conf')).toContain('network_dir');
    expect((crio.join.joinConfiguration as any).nodeRegistration.criSocket).toBe('unix:///run/crio/crio.sock');
  });

  it('installs packages of one version and holds them', () => {
    const script = (manager: 'apt' | 'dnf'): string =>
      contentOf(on('1.34', { packages: { manager, version: '1.34.2' } }).join, '/var/lib/edge-nodepools/join.sh');
    expect(script('apt')).toContain("'kubelet=1.34.2-*' 'kubeadm=1.34.2-*'");
    expect(script('apt')).toContain('https://pkgs.k8s.io/core:/stable:/v1.34/deb/');
    expect(script('apt')).toContain('apt-mark hold kubelet kubeadm');
    expect(script('dnf')).toContain("'kubelet-1.34.2' 'kubeadm-1.34.2'");
    expect(script('dnf')).toContain('exclude=kubelet kubeadm');
  });

  it('never asks a proxy for the API server', () => {
    const { join } = on('1.34', { proxy: { httpsProxy: 'http://proxy.example:3128', noProxy: ['10.0.0.0/8'] } });
    const script = contentOf(join, '/var/lib/edge-nodepools/join.sh');
    expect(script).toContain("export NO_PROXY='192.0.2.10,127.0.0.1,localhost,.cluster.local,10.0.0.0/8'");
    expect(contentOf(join, '/etc/systemd/system/containerd.service.d/10-edge-nodepools.conf')).toContain(
      'Environment="HTTPS_PROXY=http://proxy.example:3128"',
    );
  });

  it('warns where OpenYurt 1.7 will convert the node, and is label-driven there by default', () => {
    const warningsOf = (via: NodeJoinProps['via']): string[] =>
      EdgeWarnings.of(on('1.34', { via }, '1.7').app).map(({ code }) => code);
    expect(warningsOf('kubeadm')).toEqual(['EDGE_JOIN']);
    expect(warningsOf(undefined)).toEqual([]);
    expect(on('1.34', {}, '1.7').join.userData).toContain('by label-driven');
    expect(on('1.30', {}, '1.6').join.userData).toContain('by kubeadm');
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
    expect(script).toContain(
      `yurtadm join '192.0.2.10:6443' --token="$token" '--node-type=edge' '--node-labels=apps.openyurt.io/nodepool=beijing,nodepool.openyurt.io/hostnetwork=true'`,
    );
    expect(join.joinConfiguration).toEqual({});
    expect(Testing.synth(chart).map(({ kind }) => kind as string)).toEqual(['NodePool', 'ConfigMap']);
  });

  it('joins by the name of the pool with the Role that no chart has', () => {
    const { join, chart } = yurtadm('1.6', '1.30', { yurtadm: { membership: 'nodepool-name' } });
    const script = contentOf(join, '/var/lib/edge-nodepools/join.sh');
    expect(script).toContain(`'--nodepool-name=beijing' '--node-labels=nodepool.openyurt.io/hostnetwork=true'`);
    const [role, binding] = Testing.synth(chart).filter(({ kind }) => /^ClusterRole/.test(kind as string));
    expect(role.rules).toEqual([
      { apiGroups: ['apps.openyurt.io'], resources: ['nodepools'], resourceNames: ['beijing'], verbs: ['get'] },
    ]);
    expect(binding.subjects).toEqual([
      { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:bootstrappers' },
    ]);
    expect(binding.roleRef.name).toBe(role.metadata.name);
  });

  it('gives kubelet what yurtadm has no flag for, through its environment file', () => {
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

  it('is the inverse of its leaving: every file of the join but the user’s is removed', () => {
    for (const way of WAYS) {
      const { join } = declareJoin(way, FILE, {
        reservation: NodeReservation.preset('edge-small'),
        files: [{ path: '/etc/motd', content: 'edge\n' }],
      });
      const own = join.files.map(({ path }) => path).filter((path) => path !== '/etc/motd');
      const removed = own.filter(
        (path) => join.leaveScript.includes(`'${path}'`) || path.startsWith('/var/lib/edge-nodepools/'),
      );
      expect(removed).toEqual(own);
      expect(join.leaveScript).not.toContain('/etc/motd');
      expect(join.leaveScript).toContain(way.via === 'yurtadm' ? 'yurtadm reset --force' : 'kubeadm reset --force');
    }
  });
});

describe('a published join', () => {
  it('is an immutable ConfigMap with the hash in its name, and the same file beside the YAML', () => {
    const { join, chart, app } = on('1.34', {}, '1.7');
    const object = Testing.synth(chart).find(({ kind }) => kind === 'ConfigMap');
    expect(object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `beijing-join-${join.contentHash.slice(0, 10)}`,
        namespace: 'kube-system',
        labels: {
          'app.kubernetes.io/managed-by': 'edge-nodepools',
          'edge-nodepools/manifest-format': '1',
          'edge-nodepools/pool': 'beijing',
          'edge-nodepools/openyurt': '1.7',
          'edge-nodepools/kubernetes': '1.34',
          'edge-nodepools/join-format': '1',
        },
      },
      immutable: true,
      data: { 'user-data': join.userData },
    });
    expect(artifactsOf(app)).toEqual([
      { path: `join/beijing-join-${join.contentHash.slice(0, 10)}.cloud-config`, content: join.userData },
    ]);
    expect(join.snippetName).toBe(object.metadata.name);
  });

  it('is another object as soon as anything is another', () => {
    const hashes = [
      on('1.34'),
      on('1.33'),
      on('1.34', { nodeName: 'a' }),
      on('1.34', { format: 'script' }),
      on('1.34', { preJoinCommands: ['true'] }),
      on('1.34', {}, 'none', JoinToken.inline(TOKEN)),
      on('1.34', {}, 'none', JoinToken.inline(TOKEN.replace('a', 'b'))),
    ].map(({ join }) => join.contentHash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('names the Secret whose token a controller puts in', () => {
    const { chart } = on('1.34', {}, 'none', tokenOf('secret', ''));
    expect(Testing.synth(chart)[0].metadata.annotations).toEqual({
      'edge-nodepools/join-token': 'kube-system/join-token/token',
    });
  });

  it('with an inline token is a Secret, and only on demand; its file is for the owner alone', () => {
    expect(Testing.synth(on('1.34', {}, 'none', JoinToken.inline(TOKEN)).chart)).toEqual([]);
    const { app, chart } = on('1.34', { publish: true, format: 'script' }, 'none', JoinToken.inline(TOKEN));
    expect(Testing.synth(chart).map(({ kind, type }) => [kind, type])).toEqual([['Secret', 'Opaque']]);
    const outdir = mkdtempSync(pathOf(tmpdir(), 'join-'));
    try {
      Object.defineProperty(app, 'outdir', { value: outdir });
      const [file = ''] = writeArtifacts(app);
      expect(file).toMatch(/beijing-join-[0-9a-f]{10}\.sh$/);
      expect(readFileSync(file, 'utf8')).toContain(TOKEN);
      if (process.platform !== 'win32') {
        expect(statSync(file).mode & 0o777).toBe(0o600);
      }
    } finally {
      rmSync(outdir, { recursive: true, force: true });
    }
  });

  it('is taken over by a controller with one replacement, which leaves the check of the script alone', () => {
    const { join } = on('1.34', {}, 'none', tokenOf('secret', ''));
    const filled = join.userData.replaceAll('token0.placeholder00000', TOKEN);
    expect(filled.split(TOKEN)).toHaveLength(2);
    const inline = on('1.34', {}, 'none', JoinToken.inline(TOKEN));
    expect(parse(filled).write_files[1]).toEqual(parse(inline.join.userData).write_files[1]);
  });

  it('says scripts that a shell can read', () => {
    for (const way of WAYS) {
      for (const kind of ['inline', 'file', 'command', 'secret'] as const) {
        const { join } = declareJoin(way, tokenOf(kind, TOKEN), {
          preJoinCommands: ["it's (", ['echo', '`']],
          postJoinCommands: ['if'],
          sandboxImage: 'pause:1',
          ntpServers: ['a'],
        });
        for (const text of [join.script, join.leaveScript, contentOf(join, '/var/lib/edge-nodepools/join.sh')]) {
          const { status, error, stderr } = spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' });
          if (error === undefined) {
            expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
          }
        }
      }
    }
  });
});

describe('BootstrapToken', () => {
  const expiring = (hours: number): string => `${new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19)}Z`;
  const declare = (expiration: string, props: object = {}) => {
    const app = new App();
    EdgeWarnings.setMode(app, 'silent');
    const chart = new Chart(app, 'tokens');
    const token = new BootstrapToken(chart, 'token', untyped({ token: JoinToken.inline(TOKEN), expiration, ...props }));
    return { token, objects: Testing.synth(chart), warnings: EdgeWarnings.of(app) };
  };

  it('is the Secret that kubeadm makes, with the usages and the group that a node needs', () => {
    const expiration = expiring(1);
    const { token, objects, warnings } = declare(expiration, { description: 'nodes of hangzhou' });
    expect(token.secretName).toBe('bootstrap-token-abcdef');
    expect(objects).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'bootstrap-token-abcdef',
          namespace: 'kube-system',
          labels: { 'app.kubernetes.io/managed-by': 'edge-nodepools', 'edge-nodepools/manifest-format': '1' },
        },
        type: 'bootstrap.kubernetes.io/token',
        stringData: {
          'token-id': 'abcdef',
          'token-secret': '0123456789abcdef',
          expiration,
          'usage-bootstrap-signing': 'true',
          'usage-bootstrap-authentication': 'true',
          'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
          description: 'nodes of hangzhou',
        },
      },
    ]);
    expect(warnings).toEqual([]);
  });

  it('warns of a token that lives long, for ever, or no more', () => {
    for (const expiration of [expiring(48), 'never', '2020-01-31T12:00:00Z']) {
      expect(declare(expiration).warnings.map(({ code }) => code)).toEqual(['EDGE_TOKEN_TTL']);
    }
    expect(declare('never').objects[0].stringData.expiration).toBeUndefined();
  });
});

describe('KubeadmConfigTemplate', () => {
  const declare = (version: 'v1beta1' | 'v1beta2', kubernetes = '1.34', props: object = {}) => {
    const { chart, pool } = on(kubernetes);
    const template = new KubeadmConfigTemplate(chart, 'template', {
      pool,
      version,
      reservation: NodeReservation.preset('edge-small'),
      kubeletExtraArgs: { 'max-pods': '30' },
      files: [{ path: '/etc/motd', content: '{{ edge }}\n' }],
      preJoinCommands: [['echo', "it's"]],
      postJoinCommands: ['true'],
      ...props,
    });
    const object = Testing.synth(chart).find(({ kind }) => kind === 'KubeadmConfigTemplate');
    return { template, object, spec: object.spec.template.spec };
  };

  it.each(['v1beta1', 'v1beta2'] as const)('%s: arguments in its form, files, and no token anywhere', (version) => {
    const { object, spec, template } = declare(version);
    expect(object.apiVersion).toBe(`bootstrap.cluster.x-k8s.io/${version}`);
    expect(object.metadata.name).toBe(template.templateName);
    expect(template.templateName).toMatch(/^beijing-join-[0-9a-f]{10}$/);
    const labels = 'apps.openyurt.io/nodepool=beijing,nodepool.openyurt.io/hostnetwork=true';
    expect(spec.joinConfiguration.nodeRegistration.kubeletExtraArgs).toEqual(
      version === 'v1beta1'
        ? { 'node-labels': labels, 'max-pods': '30' }
        : [
            { name: 'node-labels', value: labels },
            { name: 'max-pods', value: '30' },
          ],
    );
    expect(spec.joinConfiguration.patches).toEqual({ directory: '/etc/kubernetes/patches' });
    expect(spec.files.map(({ path }: any) => path)).toEqual([
      '/etc/cni/net.d/0-loopback.conflist',
      '/etc/kubernetes/patches/kubeletconfiguration0+strategic.json',
      '/etc/motd',
    ]);
    expect(spec.preKubeadmCommands).toEqual(["'echo' 'it'\\''s'"]);
    expect(spec.postKubeadmCommands).toEqual(["sh -c 'true'"]);
    expect(JSON.stringify(object)).not.toMatch(/token0|discovery/);
  });

  it('encodes what cloud-init would take for a template', () => {
    const { spec } = declare('v1beta2');
    expect(spec.files[2]).toMatchObject({
      encoding: 'base64',
      content: Buffer.from('{{ edge }}\n').toString('base64'),
    });
    expect(JSON.stringify(spec)).not.toMatch(/\{\{|\{%/);
  });

  it('has a name that ends in what it says, because nobody may change it', () => {
    const nameOf = (props: object): string => declare('v1beta2', '1.34', props).template.templateName;
    expect(nameOf({})).toBe(nameOf({}));
    expect(nameOf({ ntpServers: ['a'] })).not.toBe(nameOf({}));
    expect(nameOf({ name: 'mine' })).toBe('mine');
  });
});
