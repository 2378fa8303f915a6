/** A value that is unknown at preview, or secret, stays so at its own path, and nowhere else. */
import * as pulumi from '@pulumi/pulumi';
import {
  BootstrapToken,
  EdgeCluster,
  EdgeSystemComponents,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  NodeJoin,
  PoolAdmission,
  PoolWebhook,
  SystemComponent,
} from 'edge-nodepools/pulumi';
import { daemonSet } from '../bad-inputs/case.js';
import { record } from './recorded.js';

const cluster = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.36',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'0'.repeat(64)}`],
  yurthub: true,
});

const SECRET = '4dabf18193072939515e22adb298388d';
const UNKNOWN = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

/** An Output that is unknown at preview. */
function unknown(): any {
  const known = Promise.resolve(false);
  return new (pulumi.Output as any)(new Set(), Promise.resolve(undefined), known, known, Promise.resolve(new Set()));
}

type Leaf = pulumi.Input<string>;

/** Programs with one Output, whose value is a canary that is nowhere else. */
const PROGRAMS: [what: string, canary: string, program: (leaf: Leaf) => unknown][] = [
  ['the name of a pool', 'canary', (leaf) => new HostNetworkNodePool('it', { cluster, poolName: leaf })],
  [
    'a label of a pool',
    'canary',
    (leaf) => new HostNetworkNodePool('it', { cluster, poolName: 'hz', labels: { site: leaf, zone: 'a' } }),
  ],
  [
    'the value of a taint',
    'canary',
    (leaf) =>
      new HostNetworkNodePool('it', {
        cluster,
        poolName: 'hz',
        taints: [{ key: 'site', value: leaf, effect: 'NoSchedule' }],
      }),
  ],
  [
    'an annotation of the NodePool',
    'canary',
    (leaf) =>
      new HostNetworkNodePool('it', { cluster, poolName: 'hz', metadata: { annotations: { a: leaf, b: 'b' } } }),
  ],
  [
    'an environment variable of an excluded workload',
    'canary',
    (leaf) =>
      new ExcludedWorkload('it', {
        cluster,
        workload: daemonSet({ containers: [{ name: 'a', image: 'a', env: [{ name: 'A', value: leaf }] }] }),
      }),
  ],
  [
    'the name of an excluded workload',
    'canary',
    (leaf) => new ExcludedWorkload('it', { cluster, workload: { ...daemonSet(), metadata: { name: leaf } } }),
  ],
  [
    'the pool of a workload',
    'canary',
    (leaf) =>
      new HostNetworkWorkload('it', {
        pool: HostNetworkNodePool.fromPoolName({ cluster, poolName: leaf }),
        workload: daemonSet(),
      }),
  ],
  [
    'the API server of a workload',
    'canary.example:6443',
    (leaf) =>
      new HostNetworkWorkload('it', {
        pool: HostNetworkNodePool.fromPoolName({ cluster, poolName: 'hz' }),
        apiServer: leaf,
        workload: daemonSet(),
      }),
  ],
  [
    'the namespace of a system component',
    'canary',
    (leaf) =>
      new EdgeSystemComponents('it', {
        cluster: EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' }),
        exclude: [SystemComponent.FLANNEL, SystemComponent.KUBE_PROXY],
        components: { flannel: { namespace: leaf } },
      }),
  ],
  [
    'a group that breaks the glass',
    'canary',
    (leaf) => new PoolAdmission('it', { cluster, breakGlassGroups: ['admins', leaf] }),
  ],
  [
    'a namespace that is left out',
    'canary',
    (leaf) => new PoolAdmission('it', { cluster, excludedNamespaces: ['default', leaf, 'zoo'] }),
  ],
  [
    'the URL of a webhook',
    'https://canary.example/admit',
    (leaf) =>
      new PoolWebhook('it', {
        cluster,
        type: 'validating',
        metadata: { name: 'guard' },
        webhooks: [{ name: 'pods.guard.example', rules: ['nodepools'], url: leaf }],
      }),
  ],
  [
    'the token of a join',
    'canary.0123456789canary',
    (leaf) =>
      new NodeJoin('it', {
        pool: HostNetworkNodePool.fromPoolName({ cluster, poolName: 'hz' }),
        token: pulumi.output(leaf),
        publish: true,
      }),
  ],
  [
    'a bootstrap token',
    'canary.0123456789canary',
    (leaf) => new BootstrapToken('it', { token: pulumi.output(leaf), expiration: '2026-01-01T00:00:00Z' }),
  ],
];

/** All paths of a value, with the values there; a secret is one path. */
function places(value: any, path = ''): Map<string, unknown> {
  const isSecret = typeof value === 'object' && value !== null && SECRET in value;
  if (typeof value !== 'object' || value === null || isSecret) {
    return new Map([[path, value]]);
  }
  return new Map(Object.entries(value).flatMap(([key, item]) => [...places(item, `${path}/${key}`)]));
}

/** What the engine gets for this value, by resource and path. */
async function wireOf(program: (leaf: Leaf) => unknown, leaf: () => Leaf): Promise<Map<string, unknown>> {
  const { resources } = await record(() => program(leaf()), true);
  return new Map(resources.flatMap(({ type, name, wire }) => [...places(wire, `${type} ${name} `)]));
}

const holds = (value: unknown, text: string): boolean => JSON.stringify(value ?? null).includes(text);

describe.each(PROGRAMS)('%s', (_, canary, program) => {
  // parts of a secret URL or address are secret, too
  const part = canary.replace(/^https:\/\//, '').split(/[:.]/)[0] as string;

  it('as a secret is nowhere in plain text, and makes nothing else a secret', async () => {
    const wire = await wireOf(program, () => pulumi.secret(canary));
    const secrets = [...wire].filter(([, value]) => holds(value, SECRET));
    expect(secrets.length).toBeGreaterThan(0);
    const clear = [...wire].filter(
      ([path, value]) => !holds(value, SECRET) && (holds(value, part) || path.includes(part)),
    );
    expect(clear).toEqual([]);
  });

  it('while it is unknown makes no other path unknown', async () => {
    const known = await wireOf(program, () => pulumi.output(canary));
    const wire = await wireOf(program, () => unknown() as Leaf);
    const late = [...wire].filter(([, value]) => holds(value, UNKNOWN)).map(([path]) => path);
    expect(late.length).toBeGreaterThan(0);
    const isLate = (path: string): boolean => late.some((place) => path === place || path.startsWith(`${place}/`));
    const rest = (all: Map<string, unknown>): unknown => Object.fromEntries([...all].filter(([path]) => !isLate(path)));
    expect(rest(wire)).toEqual(rest(known));
    expect(JSON.stringify([...wire])).not.toContain('known-later');
  });
});

describe('a token that is not passed as a secret', () => {
  const TOKEN = 'canary.0123456789canary';
  const pool = (): any => HostNetworkNodePool.fromPoolName({ cluster, poolName: 'hz' });

  it.each<[string, (token: any) => unknown]>([
    ['NodeJoin', (token) => new NodeJoin('it', { pool: pool(), token, publish: true })],
    ['BootstrapToken', (token) => new BootstrapToken('it', { token, expiration: '2100-01-01T00:00:00Z' })],
  ])('is nowhere in plain text: %s', async (_, make) => {
    for (const token of [TOKEN, Promise.resolve(TOKEN), pulumi.output(TOKEN)]) {
      const { resources, errors } = await record(async () => {
        try {
          make(token);
        } catch {
          // plain text is refused, and is not recorded before
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      });
      expect(resources.length).toBeGreaterThan(0);
      const wires = resources.map(({ wire }) => wire);
      const open = JSON.stringify([wires, errors], (_key, value) =>
        typeof value === 'object' && value !== null && SECRET in value ? 'secret' : value,
      );
      expect(open).not.toContain('0123456789canary');
    }
  });
});
