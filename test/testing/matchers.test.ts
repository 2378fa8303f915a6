import type * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import {
  EdgeCluster,
  RegularNodePool,
  EdgeSystemComponents,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  NodeReservation,
  placeFleet,
  SystemComponent,
} from 'edge-nodepools';
import type * as edgePulumi from 'edge-nodepools/pulumi';
import { Testing } from 'edge-nodepools/testing';
import fc from 'fast-check';
import { daemonSet, deployment } from '../bad-inputs/case.js';
import { runs } from '../depth.js';

const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34' });
const named = (object: any, name: string): any => ({ ...object, metadata: { name, namespace: 'default' } });

const chart = new Chart(new App(), 'fleet');
const edge = new HostNetworkNodePool(chart, 'edge', { cluster, poolName: 'edge' });
const office = new RegularNodePool(chart, 'office', { cluster, poolName: 'office' });
const web = new ExcludedWorkload(chart, 'web', { cluster, workload: named(deployment(), 'web') });
const agent = new HostNetworkWorkload(chart, 'agent', { pool: edge, workload: named(daemonSet(), 'agent') });
const system = new EdgeSystemComponents(chart, 'system', { cluster, exclude: [SystemComponent.KUBE_PROXY] });
const plain = named(deployment(), 'plain');

/** The message of a failed expectation. */
function failure(run: () => void): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return 'no failure';
}

describe('toLandOn and toBeExcludedFrom', () => {
  it('pass over no kind, and read what decides about the others', () => {
    const widget = named({ apiVersion: 'acme.io/v1', kind: 'Widget', spec: plain.spec }, 'widget');
    expect([web.manifest, widget]).not.toBeExcludedFrom(edge);
    expect([agent.manifest, widget]).not.toLandOn(edge);
    const kata = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'kata' }, handler: 'kata' };
    const sandboxed = named(daemonSet({ hostNetwork: true, runtimeClassName: 'kata' }), 'sandboxed');
    expect([sandboxed, kata]).toLandOn(edge);
    expect(sandboxed).not.toLandOn(edge);
  });

  it('take manifests, constructs, charts and lists of them, and pools and nodes', () => {
    expect(agent).toLandOn(edge);
    expect(web.manifest).toBeExcludedFrom(edge);
    expect([web, system]).toBeExcludedFrom(edge);
    expect([web, system, plain]).toLandOn(office);
    // it can be scheduled there, and never starts
    expect(plain).not.toLandOn(edge);
    expect(plain).not.toBeExcludedFrom(edge);
    expect(agent).toBeExcludedFrom({ name: 'worker', labels: {} });
    expect(chart).not.toBeExcludedFrom(edge);
    expect(chart).not.toLandOn(edge);
    expect({ apiVersion: 'v1', kind: 'List', items: [plain] }).toLandOn(office);
  });

  it.each(['1.7', 'none'] as const)('know the labels of a pool, with OpenYurt %s', (openYurt) => {
    const labels = { site: 'north', 'kubernetes.io/arch': 'arm64' };
    const of = EdgeCluster.of({ openYurt, kubernetes: '1.34' });
    const pool = new HostNetworkNodePool(new Chart(new App(), 'own'), 'n', { cluster: of, poolName: 'n', labels });
    expect(daemonSet({ hostNetwork: true, nodeSelector: labels })).toLandOn(pool);
    expect(daemonSet({ hostNetwork: true, nodeSelector: { site: 'south' } })).toBeExcludedFrom(pool);
  });

  it('see the patch of a component that is in the chart, too', () => {
    const own = new Chart(new App(), 'own');
    const proxy = { ...daemonSet({ hostNetwork: true }), metadata: { name: 'kube-proxy', namespace: 'kube-system' } };
    expect(proxy).toLandOn(edge);
    const components = new EdgeSystemComponents(own, 'system', { cluster, exclude: [SystemComponent.KUBE_PROXY] });
    expect([proxy, ...Testing.synth(own)]).toBeExcludedFrom(edge);
    expect([proxy, components]).toBeExcludedFrom(edge);
  });

  it('agree with placeFleet', () => {
    const all = [web.manifest, ...Testing.synth(agent), ...Testing.synth(system), plain];
    fc.assert(
      fc.property(fc.subarray(all, { minLength: 1 }), fc.constantFrom(edge, office), (some, pool) => {
        const [placed] = placeFleet(some, [pool]);
        const fails = (run: () => void): boolean => failure(run) !== 'no failure';
        expect(fails(() => expect(some).toLandOn(pool))).toBe(placed?.runs.length !== some.length);
        expect(fails(() => expect(some).toBeExcludedFrom(pool))).toBe(placed?.excluded.length !== some.length);
      }),
      runs(60),
    );
  });

  it('name the workloads and the reasons', () => {
    expect(failure(() => expect([web, plain, agent]).toLandOn(edge))).toBe(
      'expected to run on the nodes of the pool edge, but cannot:\n  Deployment default/web: excluded from host-network nodes\n  Deployment default/plain: never starts, it needs a Pod network, which the node does not have',
    );
    expect(failure(() => expect([web, plain]).toBeExcludedFrom(edge))).toBe(
      'expected to be kept off the nodes of the pool edge, but are not:\n  Deployment default/plain: never starts',
    );
    expect(failure(() => expect(plain).not.toLandOn({ name: 'worker', labels: {} }))).toMatch(
      /can all run on the node worker[^]*Deployment default\/plain/,
    );
    const worker = { name: 'worker', labels: { disk: 'ssd' } };
    expect(failure(() => expect(agent).toLandOn(worker))).toBe(
      'expected to run on the node worker, but cannot:\n  DaemonSet default/agent: only edge\nlabels of worker: beta.kubernetes.io/arch=amd64, beta.kubernetes.io/os=linux, disk=ssd, kubernetes.io/arch=amd64, kubernetes.io/hostname=worker, kubernetes.io/os=linux',
    );
    expect(failure(() => expect(plain).toBeExcludedFrom(worker))).toMatch(/labels of worker: .*disk=ssd/);
    expect(failure(() => expect(web).not.toBeExcludedFrom(edge))).toMatch(/are all kept off[^]*excluded from/);
  });

  it.each([
    [undefined, 'EDGE_TYPE'],
    ['web', 'EDGE_TYPE'],
    [[], 'EDGE_NO_POD_TEMPLATE'],
    [{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } }, 'EDGE_NO_POD_TEMPLATE'],
  ])('refuse %p, also where nothing is expected to land', (received, code) => {
    const thrown = expect.objectContaining({ code, hint: expect.stringContaining('Testing.synth(chart)') });
    expect(() => expect(received).toLandOn(edge)).toThrow(thrown);
    expect(() => expect(received).not.toLandOn(edge)).toThrow(thrown);
    expect(() => expect(received).toBeExcludedFrom(edge)).toThrow(thrown);
  });

  it.each([[undefined], ['edge'], [{ name: 'edge' }]])('refuse %p as a pool', (pool) => {
    expect(() => expect(web).toLandOn(pool as never)).toThrow(expect.objectContaining({ code: 'EDGE_TYPE' }));
    if (typeof pool !== 'object') {
      expect(() => expect(web).toBeExcludedFrom(pool as never)).toThrow(
        /^toBeExcludedFrom: [^]*write expect\(workload\)\.toBeExcludedFrom\(pool\)/,
      );
    }
  });
});

describe('Testing.preview', () => {
  it('ends when the warnings of the program are shown: Jest fails what is logged after a test', async () => {
    const warn = jest.spyOn(console, 'warn').mockReturnValue();
    await Testing.preview(() => {
      const { HostNetworkNodePool: Pool } = jest.requireActual<typeof edgePulumi>('edge-nodepools/pulumi');
      return {
        pool: new Pool('edge', { cluster, poolName: 'edge', reservation: NodeReservation.preset('edge-small') }),
      };
    });
    const shown = warn.mock.calls.flat().join('\n');
    warn.mockRestore();
    expect(shown).toContain('EDGE_UNUSED reservation');
  });

  it('has the objects of a Pulumi program and its exports', async () => {
    const { objects, outputs } = await Testing.preview(
      () => jest.requireActual('../../examples/pulumi-existing-labels/index.js'),
      { 'fleet:site': 'north' },
    );
    expect(outputs.joinLabels).toEqual({ 'rail.example/depot': 'north' });
    const labels = { 'node-role.kubernetes.io/edge': '', 'rail.example/depot': 'north' };
    const node = { name: 'locomotive', labels };
    const signals = objects.filter(({ metadata }) => metadata?.name === 'signals');
    expect(signals).toLandOn(node);
    expect(objects.filter((object) => !signals.includes(object))).toBeExcludedFrom(node);
  });

  it('fails as the program does', async () => {
    const broken = (): never => {
      throw new Error('broken');
    };
    await expect(Testing.preview(broken)).rejects.toThrow('broken');
  });

  it('refuses two components of one name, as the engine does, and a key that no program reads', async () => {
    const program = (): object => {
      const { EdgeCluster: Cluster, HostNetworkNodePool: Pool } = jest.requireActual('edge-nodepools/pulumi');
      const cluster = Cluster.of({ openYurt: '1.7', kubernetes: '1.34' });
      ['north', 'south'].forEach((poolName) => new Pool('site', { cluster, poolName }));
      return {};
    };
    await expect(Testing.preview(program)).rejects.toThrow(/EDGE_DUPLICATE[^]*give each component its own name/);
    await expect(Testing.preview(program, { site: 'north' })).rejects.toThrow("write 'project:site'");
  });

  /** A program with one pool for each list of labels, which are Outputs; the exports are those of the first pool, or none. */
  const programOf =
    (exports: boolean, ...labels: readonly object[]): (() => object) =>
    () => {
      const { EdgeCluster: Cluster, HostNetworkNodePool: Pool } = jest.requireActual('edge-nodepools/pulumi');
      const { output } = jest.requireActual<typeof pulumi>('@pulumi/pulumi');
      const cluster = Cluster.of({ openYurt: '1.7', kubernetes: '1.34' });
      const pools = labels.map(
        (each, index) => new Pool(`p${index}`, { cluster, poolName: `p${index}`, labels: output(each) }),
      );
      return exports ? { labels: pools[0].joinLabels } : {};
    };

  it.each([true, false])(
    'fails with what is refused when an Output is known, also if nothing waits for it',
    async (exports) => {
      await expect(Testing.preview(programOf(exports, { 'a b': 'x' }))).rejects.toThrow(
        /HostNetworkNodePool p0: 1 problem[^]*EDGE_LABEL {2}labels\["a b"\]/,
      );
      // two that are refused are both told
      await expect(Testing.preview(programOf(exports, { 'a b': 'x' }, { 'c d': 'x' }))).rejects.toThrow(
        /labels\["a b"\][^]*labels\["c d"\]/,
      );
      // and the next program is fine
      const { objects } = await Testing.preview(programOf(exports, { site: 'north' }));
      expect(objects).toHaveLength(1);
    },
  );

  const { Config, runtime } = jest.requireActual<typeof pulumi>('@pulumi/pulumi');
  const reads = (project?: string) => () => ({ site: new Config(project).require('site') });

  it('has its own configuration, not that of the preview before', async () => {
    const before = runtime.allConfig();
    const first = await Testing.preview(reads('fleet'), { 'fleet:site': 'north' });
    expect(first.outputs).toEqual({ site: 'north' });
    const missing = /EDGE_MISSING {2}config\.fleet:site[^]*\{ 'fleet:site': '…' \}/;
    await expect(Testing.preview(reads('fleet'))).rejects.toThrow(missing);
    await expect(Testing.preview(reads('fleet'), { 'fleet:siet': 'south' })).rejects.toThrow(missing);
    expect(runtime.allConfig()).toEqual(before);
    // what the program of another test has set stays
    runtime.setConfig('fleet:site', 'east');
    expect((await Testing.preview(reads('fleet'))).outputs).toEqual({ site: 'east' });
    runtime.setAllConfig(before);
  });

  it('says which name a project has in a preview', async () => {
    await expect(Testing.preview(reads(), { 'fleet:site': 'north' })).rejects.toThrow(
      "{ 'project:site': '…' }), not 'fleet:site': project is the name of every project",
    );
    expect((await Testing.preview(reads(), { 'project:site': 'north' })).outputs).toEqual({ site: 'north' });
  });

  it.each(['a resource', 'the stack'])('refuses transforms of %s at once, which mocks do not know', async (of) => {
    const transform = (): undefined => undefined;
    const program = (): object => {
      const { EdgeCluster: Cluster, HostNetworkNodePool: Pool } = jest.requireActual('edge-nodepools/pulumi');
      const cluster = Cluster.of({ openYurt: '1.7', kubernetes: '1.34' });
      if (of === 'the stack') {
        runtime.registerResourceTransform(transform);
      }
      const pool = new Pool('p', { cluster, poolName: 'p' }, { transforms: [transform] });
      return { labels: pool.joinLabels };
    };
    await expect(Testing.preview(program)).rejects.toThrow(
      /EDGE_VALUE {2}the program has transforms[^]*JEST_WORKER_ID/,
    );
    // the next one is a preview as ever
    expect((await Testing.preview(programOf(true, {}))).objects).toHaveLength(1);
  });
});
