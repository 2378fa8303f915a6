/** @jest-environment ./test/pulumi/rejections-environment.cjs */
import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import {
  EdgeCluster,
  EdgePreconditions,
  EdgeSystemComponents,
  ExcludedWorkload,
  excludeFromHostNetworkPools,
  HostNetworkNodePool,
  HostNetworkWorkload,
  JoinToken,
  NodeJoin,
  NodeReservation,
  PoolAdmission,
  SystemComponent,
} from 'edge-nodepools/pulumi';
import { objectsIn, record, type Recorded, recordRefusal } from './recorded.js';

/**
 * Where only a plain value makes sense, an Output is refused with its path, and there is no other problem about it.
 */
describe('a value that must be plain', () => {
  const late: any = pulumi.output('late');
  const cluster = EdgeCluster.of({
    openYurt: '1.7',
    kubernetes: '1.34',
    apiServer: '10.0.0.1:6443',
    caCertHashes: [`sha256:${'0'.repeat(64)}`],
  });
  const components = { flannel: { namespace: 'cni' } };
  const join = (more: any): NodeJoin => {
    const pool = HostNetworkNodePool.fromPoolName({ cluster, poolName: 'hz' });
    return new NodeJoin('it', { pool, token: JoinToken.fromFile('/run/token'), ...more });
  };
  const hz = (): any => HostNetworkNodePool.fromPoolName({ cluster, poolName: 'hz' });
  const WEB: any = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { template: { spec: { containers: [{ name: 'web', image: 'web:1' }] } } },
  };
  const exclude = (more: any): EdgeSystemComponents =>
    new EdgeSystemComponents('it', { cluster, exclude: [SystemComponent.FLANNEL], ...more });

  it.each<[path: string, () => unknown]>([
    ['systemReserved.cpu', () => NodeReservation.of({ systemReserved: { cpu: late } })],
    ['', () => NodeReservation.of(late)],
    ['diskSize', () => NodeReservation.of({ diskSize: late })],
    ['diskSize', () => NodeReservation.preset('edge-small', { diskSize: late })],
    ['kubeReserved', () => NodeReservation.of({ kubeReserved: late })],
    ['cluster', () => excludeFromHostNetworkPools(late)],
    ['path', () => JoinToken.fromFile(late)],
    ['command', () => JoinToken.fromCommand(late)],
    ['options', () => JoinToken.fromCommand('x', late)],
    ['options.timeoutSeconds', () => JoinToken.fromCommand('x', { timeoutSeconds: late })],
    ['', () => JoinToken.fromSecret(late)],
    ['reservation', () => new HostNetworkNodePool('it', { cluster, poolName: 'hz', reservation: late })],
    ['', () => NodeReservation.preset(late, { capacity: { cpu: '2', memory: '4Gi' } })],
    ['name', () => SystemComponent.of({ name: late, kind: 'DaemonSet', namespace: 'kube-system' })],
    ['namespace', () => SystemComponent.of({ name: 'agent', kind: 'DaemonSet', namespace: late })],
    ['kind', () => SystemComponent.of({ name: 'agent', kind: late, namespace: 'kube-system' })],
    [
      'metadata.name',
      () => SystemComponent.fromManifest({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: late } }),
    ],
    ['name', () => JoinToken.fromSecret({ name: late, namespace: 'kube-system' })],
    ['kinds', () => excludeFromHostNetworkPools(cluster, { kinds: late })],
    ['kinds[0]', () => excludeFromHostNetworkPools(cluster, { kinds: [late] })],
    ['names[1]', () => excludeFromHostNetworkPools(cluster, { names: ['web', late] })],
    ['namespaces[0]', () => excludeFromHostNetworkPools(cluster, { namespaces: [late] })],
    ['onContradiction', () => excludeFromHostNetworkPools(cluster, { onContradiction: late })],
    ['podTemplatePaths.CronJob', () => excludeFromHostNetworkPools(cluster, { podTemplatePaths: { CronJob: late } })],
    ['openYurt', () => EdgeCluster.of({ openYurt: late, kubernetes: '1.34' })],
    ['allowNewer', () => EdgeCluster.of({ openYurt: '1.99', kubernetes: '1.34', allowNewer: late })],
    ['distribution', () => EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', distribution: late })],
    ['exclude', () => exclude({ exclude: late, components })],
    ['exclude', () => exclude({ exclude: [late], components })],
    ['components', () => exclude({ components: late })],
    ['components.flannel', () => exclude({ components: { flannel: late } })],
    ['components.flannel.strategy', () => exclude({ components: { flannel: { strategy: late } } })],
    ['components.flannel.absent', () => exclude({ components: { flannel: { absent: [late] } } })],
    ['via', () => join({ via: late, yurtadm: { membership: 'node-labels' } })],
    ['yurtadm', () => join({ via: 'yurtadm', yurtadm: late })],
    ['publish', () => join({ publish: late })],
    ['machines', () => join({ machines: late })],
    ['service', () => join({ service: { until: late } })],
    ['retainPublished', () => join({ retainPublished: late })],
    ['fieldManager', () => exclude({ fieldManager: late })],
    ['force', () => exclude({ force: late })],
    ['await', () => exclude({ await: late })],
    ['await', () => new ExcludedWorkload('it', { cluster, workload: WEB, await: late })],
    ['await', () => new HostNetworkWorkload('it', { pool: hz(), workload: WEB, await: late })],
    ['fieldManager', () => new EdgePreconditions('it', { cluster, only: ['corefile'], fieldManager: late })],
    ['corefile.forwarders', () => new EdgePreconditions('it', { cluster, corefile: { forwarders: late } })],
  ])('%s', async (path, declare) => {
    let error: any;
    await record(() => {
      try {
        declare();
      } catch (thrown) {
        error = thrown;
      }
    });
    const problems: string[] = error.problems
      ? error.problems.map((problem: any) => `${problem.code} ${problem.path}: ${problem.message}`)
      : error.errors.map((problem: any) => `${problem.reason.split(':')[0]} ${problem.propertyPath}:${problem.reason}`);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.startsWith(`EDGE_KNOWN_LATER ${path}:`)).toBe(true);
    expect(problems[0]).toContain('must be a plain value, not an Output');
  });

  it('a token that is an Output is given as it is', () => {
    expect(() => JoinToken.inline(late)).toThrow('write token: output; it is always treated as a secret');
  });

  it('what was given to a cluster as an Output cannot be read from it', async () => {
    const releases = { openYurt: '1.7', kubernetes: '1.36' } as const;
    const given = EdgeCluster.of({ ...releases, apiServer: late, caCertHashes: [late], yurthub: late });
    expect(given.openYurt).toBe('1.7');
    expect(given.toString()).toBe('OpenYurt 1.7 on Kubernetes 1.36');
    await recordRefusal(() => {
      const pool = new HostNetworkNodePool('it', { cluster: given, poolName: 'hz' });
      for (const each of [given, pool.cluster]) {
        expect(each).toBeInstanceOf(EdgeCluster);
        for (const read of [
          () => each.apiServer,
          () => each.caCertHashes,
          () => each.yurthub,
          () => each.apiServerEndpoint(),
        ]) {
          expect(read).toThrow(/EDGE_KNOWN_LATER {2}\w+: this was given as an Output/);
        }
        expect(each.clusterDomain).toBe('cluster.local');
      }
    });
    expect(cluster.apiServer).toBe('10.0.0.1:6443');
  });
});

/**
 * Outputs whose value contains others, and attributes that are accessors of a class.
 */
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });

/** An Output of labels, one of which is an Output itself: `apply` does not look into what it returns. */
const labelsWith = (site: unknown): any => pulumi.output('east').apply((region) => ({ region, site }) as any);

const poolWith = (labels: unknown): HostNetworkNodePool =>
  new HostNetworkNodePool('it', { cluster, poolName: 'a', labels: labels as any });

async function nodePoolWith(site: unknown): Promise<Recorded> {
  const { resources } = await record(() => poolWith(labelsWith(site)));
  return resources.find(({ type }) => type.endsWith(':NodePool')) as Recorded;
}

/** The key by which the engine knows a secret. */
const SECRET = '4dabf18193072939515e22adb298388d';

describe('an Output in the value of an Output', () => {
  it.each<[string, () => unknown]>([
    ['an Output', () => pulumi.output('north')],
    ['a Promise', () => Promise.resolve('north')],
    ['an Output of an Output', () => pulumi.output('x').apply(() => pulumi.output('north'))],
  ])('%s is unwrapped', async (_, site) => {
    const { inputs, wire } = await nodePoolWith(site());
    expect(inputs.spec).toMatchObject({ labels: { region: 'east', site: 'north' } });
    expect(JSON.stringify(wire)).not.toContain(SECRET);
  });

  it('that is secret keeps the value secret', async () => {
    expect(JSON.stringify((await nodePoolWith(pulumi.secret('north'))).wire)).toContain(SECRET);
  });

  it('is validated', async () => {
    const errors = await recordRefusal(() => poolWith(labelsWith(pulumi.output('no label'))));
    expect(errors).toMatch(/EDGE_LABEL +labels\.site/);
  });
});

/** A preview gives what the API server adds as undefined, not as unknown, also inside of a text. */
describe('a field that only the API server knows', () => {
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
  const NAMES: Readonly<Record<string, (uid: pulumi.Output<string>) => pulumi.Output<string>>> = {
    'as it is': (uid) => uid,
    'in a text': (uid) => pulumi.interpolate`site-${uid}`,
  };
  const program = (name: (uid: pulumi.Output<string>) => pulumi.Output<string>) => () => {
    const site = new kubernetes.core.v1.ConfigMap('site', { metadata: { name: 'site' } });
    return new HostNetworkNodePool('late', { cluster, poolName: name(site.metadata.uid) });
  };

  it.each(Object.entries(NAMES))('is not known in a preview, %s', async (_, name) => {
    expect(objectsIn(await record(program(name), true)).map(({ type }) => type)).toContain(
      'kubernetes:apps.openyurt.io/v1beta2:NodePool',
    );
  });

  it.each(Object.entries(NAMES))('must be there in an update, %s', async (_, name) => {
    expect(await recordRefusal(program(name))).toMatch(/poolName/);
  });

  it('is refused in a preview, too, if no resource has it', async () => {
    const made = (): unknown => new HostNetworkNodePool('late', { cluster, poolName: pulumi.output('site-undefined') });
    expect(await recordRefusal(made, [], true)).toMatch(/poolName/);
  });
});

describe('arguments that a program changes later', () => {
  it.each([
    ['plain values', () => 'north'],
    ['an Output', () => pulumi.output('north')],
  ])('are those of the declaration: %s', async (_, siteOf: () => any) => {
    const found: unknown[] = [];
    const { resources } = await record(() => {
      const site = siteOf();
      const taints: any[] = [{ key: 'a', value: 'a', effect: 'NoSchedule' }];
      const metadata = { annotations: { depot: 'a' } };
      const pool = new HostNetworkNodePool('it', { cluster, poolName: 'a', labels: { site }, taints, metadata });
      taints.push({ key: 'b', value: 'b', effect: 'NoExecute' });
      taints[0].value = 'b';
      metadata.annotations.depot = 'b';
      pulumi.output(pool.taints).apply((all) => found.push(all));
    });
    const nodePool = resources.find(({ type }) => type.endsWith(':NodePool')) as Recorded;
    const taints = [{ key: 'a', value: 'a', effect: 'NoSchedule' }];
    expect(nodePool.inputs).toMatchObject({ spec: { taints }, metadata: { annotations: { depot: 'a' } } });
    expect(found).toEqual([taints]);
  });
});

describe('attributes of pools', () => {
  class DepotPool extends HostNetworkNodePool {}

  it('are Outputs of their own pool, and the same at every read', async () => {
    const names: string[][] = [];
    await record(() => {
      const pools = [
        new HostNetworkNodePool('a', { cluster, poolName: 'a' }),
        new HostNetworkNodePool('b', { cluster, poolName: 'b', expectedNodes: 3 }),
        new DepotPool('c', { cluster, poolName: 'c' }),
      ];
      for (const pool of pools) {
        expect(pool.poolName).toBe(pool.poolName);
      }
      expect(pools.map(({ expectedNodes }) => expectedNodes === undefined)).toEqual([true, false, true]);
      pulumi.all(pools.map(({ poolName }) => poolName)).apply((all) => names.push(all));
    });
    expect(names).toEqual([['a', 'b', 'c']]);
  });
});

/**
 * The list of pools of a PoolAdmission, which is written when the program is declared.
 *
 */
describe('a list of pools', () => {
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
  const SECRET = '4dabf18193072939515e22adb298388d';

  const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const after = async <T>(milliseconds: number, value: T): Promise<T> => {
    await wait(milliseconds);
    return value;
  };

  async function listed(
    program: () => Promise<void> | void,
  ): Promise<{ names: string; isSecret: boolean; errors: readonly string[] }> {
    const recording = await record(async () => {
      new PoolAdmission('admission', { cluster, otherPools: pulumi.output(['zoo', 'abroad']) });
      await program();
      await wait(100);
    });
    const policy = objectsIn(recording).find(
      ({ type, inputs }: any) =>
        type.endsWith(':MutatingAdmissionPolicy') && inputs.metadata.name === 'edge-nodepools-node-label',
    );
    // read back, a value with a secret in it is a secret as a whole
    const { spec } = policy?.inputs as any;
    const isSecret = SECRET in spec;
    const { variables } = isSecret ? spec.value : spec;
    const { expression } = variables.find(({ name }: { name: string }) => name === 'member');
    return { names: expression.split(' in ')[1], isSecret, errors: recording.errors };
  }

  it.each([0, 50])(
    'contains a pool whose name is known after %d ms, as a secret if it is one',
    async (milliseconds) => {
      const result = await listed(() => {
        new HostNetworkNodePool('late', { cluster, poolName: pulumi.secret(after(milliseconds, 'late')) });
        new HostNetworkNodePool('now', { cluster, poolName: 'now' });
      });
      expect(result).toEqual({ names: `['abroad', 'late', 'now', 'zoo']`, isSecret: true, errors: [] });
    },
  );

  it('refuses a pool that is declared too late', async () => {
    const { names } = await listed(async () => {
      // several turns of the event loop, because the first components load @pulumi/kubernetes
      for (let turn = 0; turn < 5; turn++) {
        await wait(20);
      }
      expect(() => new HostNetworkNodePool('late', { cluster, poolName: 'late' })).toThrow(/EDGE_CONTRADICTION/);
      // whatever its name will be
      const poolName = pulumi.output('later');
      expect(() => new HostNetworkNodePool('later', { cluster, poolName })).toThrow(/EDGE_CONTRADICTION/);
    });
    expect(names).toBe(`['abroad', 'zoo']`);
  });

  it('is not written with a name that is refused', async () => {
    const registered: Recorded[] = [];
    const shown = await recordRefusal(async () => {
      new HostNetworkNodePool('bad', { cluster, poolName: pulumi.output('Bad_') });
      new PoolAdmission('admission', { cluster });
      await wait(100);
    }, registered);
    expect(shown).toMatch(/EDGE_NAME {2}poolName/);
    expect(registered.map(({ type }) => type)).toContain('edge-nodepools:index:PoolAdmission');
    expect(registered.filter(({ type }) => /:(MutatingAdmissionPolicy|NodePool)$/.test(type))).toEqual([]);
  });
});
