/** A join computes its texts from Outputs, each from as few Outputs as possible. */
import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import * as constructs from 'edge-nodepools';
import {
  EdgeCluster,
  HostNetworkNodePool,
  JoinToken,
  KubeadmConfigTemplate,
  NodeJoin,
  type NodeJoinArgs,
  NodeReservation,
} from 'edge-nodepools/pulumi';
import { objectsIn, record } from './recorded.js';

const ADDRESS = { apiServer: '10.0.0.1:6443', caCertHashes: [`sha256:${'ab'.repeat(32)}`] };
const releases = { openYurt: '1.7', kubernetes: '1.34' } as const;
const token = JoinToken.fromFile('/var/lib/edge/join-token');

const TEXTS = [
  'userData',
  'script',
  'ignition',
  'files',
  'joinConfiguration',
  'contentHash',
  'leaveScript',
  'updateScript',
] as const;

const plain: any = {
  nodeName: 'till-1',
  labels: { site: 'hz' },
  taints: [{ key: 'site', value: 'hz', effect: 'NoSchedule' }],
  kubeletExtraArgs: { 'max-pods': '30' },
  kubeletConfiguration: { serializeImagePulls: false },
  runtime: 'cri-o',
  criSocket: 'unix:///run/crio/crio.sock',
  cniFolder: '/etc/edge/cni',
  sandboxImage: 'registry.example/pause:3.10',
  ignorePreflightErrors: ['Swap'],
  files: [{ path: '/etc/motd', content: 'edge\n', permissions: '0600' }],
  preJoinCommands: ['swapoff -a', ['modprobe', 'br_netfilter']],
  postJoinCommands: ['true'],
  ntpServers: ['0.pool.ntp.org'],
  timeouts: { discovery: '2m' },
  attempts: 2,
  secondsBetweenAttempts: 3,
  packages: { manager: 'apt', version: '1.34.2' },
  proxy: { httpsProxy: 'http://proxy.example:3128', noProxy: ['10.0.0.0/8'], credentialsFile: '/var/lib/edge/proxy' },
  provider: 'openstack',
  format: 'script',
  namespace: 'edge',
  artifactFolder: 'sites/join',
};

/** What rules read. */
const PLAIN = [
  'kubeletConfiguration',
  'runtime',
  'criSocket',
  'cniFolder',
  'ignorePreflightErrors',
  'ntpServers',
  'timeouts',
  'packages',
  'provider',
  'format',
];
/** What is passed on: maps are plain, their values need not be. */
const LATE: any = {
  ...Object.fromEntries(
    Object.entries(plain)
      .filter(([name]) => !PLAIN.includes(name))
      .map(([name, value]) => [name, pulumi.output(value)]),
  ),
  kubeletExtraArgs: { 'max-pods': pulumi.output('30') },
  proxy: { ...plain.proxy, httpsProxy: pulumi.output(plain.proxy.httpsProxy), noProxy: [pulumi.output('10.0.0.0/8')] },
};

const CLUSTER: any = { ...releases, ...ADDRESS, clusterDomain: 'edge.example' };
const reservation = NodeReservation.preset('edge-small', { diskSize: '16Gi' });
const POOL: any = { poolName: 'hz', taints: [{ key: 'a', effect: 'NoExecute' }], registrationTaint: true };

function expected(Noun: any, props: any): { readonly made: any; readonly objects: any[] } {
  const app = new App();
  const chart = new Chart(app, 'chart');
  constructs.EdgeWarnings.setMode(app, 'silent');
  const pool = constructs.HostNetworkNodePool.fromPoolName(chart, 'pool', {
    cluster: constructs.EdgeCluster.of(CLUSTER),
    ...POOL,
    reservation,
  });
  const made = new Noun(chart, 'it', { pool, ...props });
  return { made, objects: chart.toJson() };
}

const valueOf = (output: any): Promise<unknown> => output.promise(true) as Promise<unknown>;

async function made(args: any, cluster = CLUSTER, pool = POOL): Promise<any> {
  let values: any;
  const recording = await record(async () => {
    const join = new NodeJoin('it', {
      pool: HostNetworkNodePool.fromPoolName({ cluster: EdgeCluster.of(cluster), ...pool, reservation }),
      token,
      ...args,
    }) as any;
    values = Object.fromEntries(await Promise.all(TEXTS.map(async (name) => [name, await valueOf(join[name])])));
  });
  expect(recording.errors).toEqual([]);
  const [{ inputs } = { inputs: {} }] = objectsIn(recording);
  return { ...values, name: (inputs as any).metadata.name, data: (inputs as any).data };
}

/** Which outputs are secret if a part of the arguments is. */
async function secretsOf(args: any, cluster: any = CLUSTER, pool: any = POOL): Promise<string[]> {
  const found: string[] = [];
  await record(async () => {
    const join = new NodeJoin('it', {
      pool: HostNetworkNodePool.fromPoolName({ cluster: EdgeCluster.of(cluster), ...pool, reservation }),
      token,
      ...plain,
      ...args,
    }) as any;
    for (const name of TEXTS) {
      if (await pulumi.isSecret(join[name])) {
        found.push(name);
      }
    }
  });
  return found;
}

// nodes register with the hash of the join
const EVERY_TEXT = ['userData', 'script', 'files', 'joinConfiguration', 'contentHash', 'updateScript'];

describe('a join', () => {
  const { made: construct, objects } = expected(constructs.NodeJoin, { token, ...plain });
  const published = objects.find(({ kind }) => kind === 'ConfigMap');
  const attributes = {
    ...Object.fromEntries(TEXTS.map((name) => [name, construct[name]])),
    name: published.metadata.name,
    data: published.data,
  };

  it('equals the construct with plain values', async () => {
    expect(await made(plain)).toEqual(attributes);
  });

  it.each(Object.keys(LATE))('equals the construct with %s as an Output', async (name) => {
    expect(await made({ ...plain, [name]: LATE[name] })).toEqual(attributes);
  });

  it('is an Ignition config for each of its machines', async () => {
    const props = {
      ...plain,
      nodeName: undefined,
      packages: undefined,
      format: 'ignition',
      machines: [{ name: 'shop-1' }],
    };
    const { made: wanted, objects: all } = expected(constructs.NodeJoin, { token, ...props });
    const { data } = all.find(({ kind }) => kind === 'ConfigMap');
    const { ignition, data: published } = await made(props);
    expect([ignition, published]).toEqual([wanted.ignition, data]);
    expect(data).toEqual({ 'config.ign': expect.stringContaining('"version":"3.0.0"') });
    let files: any[] = [];
    await record(async () => {
      const pool = HostNetworkNodePool.fromPoolName({ cluster: EdgeCluster.of(CLUSTER), ...POOL, reservation });
      files = (await valueOf(new NodeJoin('it', { pool, token, ...props }).artifacts)) as any[];
    });
    expect(files).toEqual(constructs.artifactsOf(wanted));
    expect(files.map(({ path }) => path.replace(/^.*\//, ''))).toContain('shop-1.ign');
  });

  it('equals the construct with Outputs in the cluster and the pool', async () => {
    const cluster = { ...CLUSTER };
    const pool = { ...POOL };
    for (const name of ['apiServer', 'caCertHashes', 'clusterDomain']) {
      cluster[name] = pulumi.output(CLUSTER[name]);
    }
    for (const name of Object.keys(POOL)) {
      pool[name] = pulumi.output(POOL[name]);
    }
    expect(await made(plain, cluster, pool)).toEqual(attributes);
  });

  it('by yurtadm equals the construct with Outputs', async () => {
    const { timeouts: _, kubeletConfiguration: __, packages, ...others } = plain;
    const args = { ...others, via: 'yurtadm', format: 'cloud-config', yurtadm: { namespace: 'edge' } };
    const release: any = { ...CLUSTER, openYurt: '1.6', kubernetes: '1.30' };
    const late = Object.fromEntries(
      Object.entries(args).map(([name, value]) => [
        name,
        name === 'yurtadm' ? { namespace: pulumi.output('edge') } : (LATE[name] ?? value),
      ]),
    );
    expect(packages).toBeDefined();
    expect(await made(late, release)).toEqual(await made(args, release));
  });

  it.each<[string, string[]]>([
    ['namespace', []],
    ['artifactFolder', []],
    ['preJoinCommands', EVERY_TEXT],
    ['files', EVERY_TEXT],
    ['attempts', EVERY_TEXT],
    ['labels', EVERY_TEXT],
    ['sandboxImage', EVERY_TEXT],
  ])('with a secret %s hides only what depends on it', async (name, hidden) => {
    const found = await secretsOf({ [name]: pulumi.secret(plain[name]) });
    expect([...found].sort()).toEqual([...hidden].sort());
  });

  it('with a secret address hides only what contains it', async () => {
    const cluster = {
      ...CLUSTER,
      apiServer: pulumi.secret(CLUSTER.apiServer),
      clusterDomain: pulumi.secret('a.example'),
    };
    const { discoveryFile, proxy }: any = { discoveryFile: '/etc/kubernetes/discovery.conf' };
    expect(await secretsOf({ discoveryFile, proxy }, cluster)).toEqual([]);
    expect(await secretsOf({ proxy }, cluster)).toEqual([
      'userData',
      'script',
      'files',
      'joinConfiguration',
      'contentHash',
      'updateScript',
    ]);
  });
});

describe('a template of Cluster API', () => {
  const {
    via: _,
    timeouts: __,
    attempts: ___,
    secondsBetweenAttempts: ____,
    packages: _____,
    proxy: ______,
    ...rest
  } = plain;
  const { provider: _______, format: ________, artifactFolder: _________, ...props } = rest;

  const declared = async (args: any): Promise<any> => {
    const recording = await record(() => {
      const pool = HostNetworkNodePool.fromPoolName({ cluster: EdgeCluster.of(CLUSTER), ...POOL, reservation });
      new KubeadmConfigTemplate('it', { pool, ...args });
    });
    expect(recording.errors).toEqual([]);
    const { metadata, spec } = objectsIn(recording)[0]?.inputs as any;
    return JSON.parse(JSON.stringify({ metadata, spec }));
  };

  const {
    objects: [{ metadata, spec }],
  } = expected(constructs.KubeadmConfigTemplate, props) as any;

  const passedOn = Object.keys(props).filter((name) => name in LATE);

  it.each(passedOn)('equals the construct with %s as an Output', async (name) => {
    expect(await declared({ ...props, [name]: LATE[name] })).toEqual({ metadata, spec });
  });
});

describe('properties that determine what is made', () => {
  it.each<[string, any]>([
    ['via', { via: pulumi.output('kubeadm') }],
    ['publish', { publish: pulumi.output(true) }],
    ['pool', { pool: pulumi.output({}) }],
    ['yurtadm', { via: 'yurtadm', yurtadm: pulumi.output({}) }],
    ['yurtadm.membership', { via: 'yurtadm', yurtadm: { membership: pulumi.output('nodepool-name') } }],
    ...['proxy', 'kubeletExtraArgs', 'staticPods', ...PLAIN].map((name): [string, any] => [
      name,
      { [name]: pulumi.output(plain[name] ?? []) },
    ]),
    ['kubeletConfiguration', { kubeletConfiguration: { maxPods: pulumi.output(30) } }],
    ['kubeletExtraArgs', { kubeletExtraArgs: [{ name: 'max-pods', value: pulumi.output('30') }] }],
  ])('must be plain: %s', async (path, args) => {
    const codes: string[] = [];
    await record(async () => {
      const cluster = EdgeCluster.of({ ...CLUSTER, openYurt: '1.6', kubernetes: '1.30' });
      const pool = HostNetworkNodePool.fromPoolName({ cluster, ...POOL });
      try {
        new NodeJoin('it', { pool, token, ...args } as NodeJoinArgs);
      } catch (error) {
        const { errors } = error as pulumi.InputPropertiesError;
        codes.push(...errors.map(({ propertyPath, reason }) => `${reason.split(':')[0]} ${propertyPath}`));
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    });
    expect(codes).toEqual([`EDGE_KNOWN_LATER ${path}`]);
  });
});

describe('a token as an Output', () => {
  const pool = (): any => HostNetworkNodePool.fromPoolName({ cluster: EdgeCluster.of(CLUSTER), ...POOL, reservation });
  const VALUE = 'k3x9q2.7v1m0c8z4b6n5j2h';

  it.each([
    ['', VALUE],
    [' with a line end', `${VALUE}\r\n`],
  ])('creates the join of the construct with the same inline token, as secrets%s', async (_, value) => {
    const construct = expected(constructs.NodeJoin, { token: JoinToken.inline(VALUE), publish: true });
    let values: any;
    const open: string[] = [];
    const recording = await record(async () => {
      const join = new NodeJoin('it', { pool: pool(), token: pulumi.output(value), publish: true }) as any;
      values = await Promise.all(TEXTS.map((name) => valueOf(join[name])));
      for (const name of ['userData', 'userDataBase64', 'script', 'files', 'joinConfiguration', 'artifacts']) {
        if (!(await pulumi.isSecret(join[name]))) {
          open.push(name);
        }
      }
    });
    expect(values).toEqual(TEXTS.map((name) => construct.made[name]));
    expect(open).toEqual([]);
    const types = objectsIn(recording).map(({ type }) => type);
    expect(types.filter((type) => !type.includes('rbac'))).toEqual(['kubernetes:core/v1:Secret']);
  });

  it.each<[string, (chart: Chart, token: any) => unknown]>([
    [
      'NodeJoin',
      (chart, token) => {
        const cluster = constructs.EdgeCluster.of(CLUSTER);
        const fleet = constructs.HostNetworkNodePool.fromPoolName(chart, 'pool', { cluster, ...POOL });
        return new constructs.NodeJoin(chart, 'it', { pool: fleet, token });
      },
    ],
    ['BootstrapToken', (chart, token) => new constructs.BootstrapToken(chart, 'it', { token, expiration: 'never' })],
  ])('that is not a token is refused, and redacted: %s', (_, make) => {
    for (const value of ['canary-is-no-token', 'token0.placeholder00000', 17]) {
      // the resolved value of an Output
      const token = JoinToken.unchecked(value as string);
      let refused: unknown;
      try {
        make(new Chart(new App(), 'chart'), token);
      } catch (error) {
        refused = error;
      }
      expect(refused).toMatchObject({ code: 'EDGE_TOKEN', path: 'token' });
      expect(String(refused)).not.toMatch(/canary|placeholder00000/);
    }
  });
});
