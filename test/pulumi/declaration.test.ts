/**
 * Outputs in plans: nothing is planned more than twice, and nothing that is refused when its values are known is registered.
 * @jest-environment ./test/pulumi/rejections-environment.cjs
 */
import * as pulumi from '@pulumi/pulumi';
import fc from 'fast-check';
import {
  EdgeCluster,
  excludeFromHostNetworkPools,
  HostNetworkNodePool,
  HostNetworkWorkload,
  JoinToken,
  NodeJoin,
  PoolAdmission,
} from 'edge-nodepools/pulumi';
import { EdgeComponent } from '../../src/pulumi/component.js';
import { Declaration } from '../../src/pulumi/declaration.js';
import { daemonSet } from '../bad-inputs/case.js';
import { isFullDepth, samples } from '../depth.js';
import { randomOf, withOutputs } from './equality/late.js';
import { TWINS } from './equality/twins.js';
import { objectsIn, record, type Recorded, recordRefusal } from './recorded.js';

const late = (value: unknown): any => pulumi.output(value);
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });

describe('plan runs', () => {
  afterEach(() => jest.restoreAllMocks());

  /** How often the rules of a program ran, and for how many declarations: of the component, and of pools that it refers to. */
  const countRuns = async (program: () => unknown): Promise<{ runs: number; declared: number }> => {
    const run = jest.spyOn(Declaration.prototype as any, 'run');
    await recordRefusal(() => {
      try {
        program();
      } catch {
        // refused at once, after one run
      }
    });
    const count = { runs: run.mock.calls.length, declared: new Set(run.mock.contexts).size };
    jest.restoreAllMocks();
    return count;
  };

  const OWN_SECRETS = ['KuryrKubernetes', 'ManilaCredentials'];

  it.each(TWINS)('%s plans once, and once more when its Outputs are known', async (noun, twin) => {
    let again = 0;
    for (const [index, given] of fc.sample(twin.arbitrary, { numRuns: samples(80), seed: 13 }).entries()) {
      const plain = await countRuns(() => twin.component('it', given));
      // a component that makes secrets of its arguments has Outputs of its own
      const times = plain.runs / plain.declared;
      expect({ noun, times }).toEqual({ noun, times: OWN_SECRETS.includes(noun) ? Math.min(times, 2) : 1 });
      const late = await countRuns(() => twin.component('it', withOutputs(given, randomOf(index))));
      expect(late.runs).toBeLessThanOrEqual(2 * late.declared);
      again += late.runs - late.declared;
      if (!isFullDepth && index > 0 && again > 0) {
        break;
      }
    }
    // all properties of ControlPlaneQos are plain
    expect({ again: again > 0 }).toEqual({ again: noun !== 'ControlPlaneQos' });
  });
});

describe('values that are refused when they are known', () => {
  it.each<[string, RegExp, () => unknown]>([
    [
      'a label value',
      /EDGE_LABEL +labels\.site/,
      () => new HostNetworkNodePool('it', { cluster, poolName: 'a', labels: { site: late('no label') } }),
    ],
    [
      'a key in a map',
      /EDGE_RESERVED_KEY +labels\["apps\.openyurt\.io\/nodepool"\]/,
      () =>
        new HostNetworkNodePool('it', {
          cluster,
          poolName: 'a',
          labels: late({ 'apps.openyurt.io/nodepool': 'b' }),
        }),
    ],
    [
      'two values that are the same',
      /EDGE_DUPLICATE +taints\[1\]/,
      () =>
        new HostNetworkNodePool('it', {
          cluster,
          poolName: 'a',
          taints: ['a', 'a'].map((key) => ({ key: late(key), effect: 'NoSchedule' as const })),
        }),
    ],
    [
      'a word that is none of the list',
      /EDGE_TAINT +taints\[0\]\.effect/,
      () => new HostNetworkNodePool('it', { cluster, poolName: 'a', taints: [{ key: 'a', effect: late('NoWay') }] }),
    ],
    [
      'an address of the cluster',
      /EDGE_API_SERVER +apiServer/,
      () =>
        new NodeJoin('it', {
          pool: HostNetworkNodePool.fromPoolName({
            cluster: EdgeCluster.of({
              openYurt: '1.7',
              kubernetes: '1.36',
              apiServer: late('no address'),
              caCertHashes: [`sha256:${'0'.repeat(64)}`],
            }),
            poolName: 'a',
          }),
          token: JoinToken.fromFile('/run/token'),
        }),
    ],
    [
      'a whole workload',
      /EDGE_PORT +workload\.spec\.template\.spec\.containers\[0\]\.ports\[0\]\.containerPort/,
      () =>
        new HostNetworkWorkload('it', {
          pool: HostNetworkNodePool.fromPoolName({ cluster, poolName: 'a' }),
          workload: late(daemonSet({ containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 0 }] }] })),
        }),
    ],
    [
      'a value that is written nowhere',
      /EDGE_VALUE +expectedNodes/,
      () => new HostNetworkNodePool('it', { cluster, poolName: 'a', expectedNodes: late(-5) }),
    ],
  ])('%s fails the update with its code and path, and says where to read about it', async (_, expected, program) => {
    const shown = await recordRefusal(program);
    expect(shown).toMatch(expected);
    const code = expected.source.split(' ', 1)[0] ?? '';
    expect(shown).toMatch(new RegExp(`see \\S+/docs/troubleshooting\\.md#${code.toLowerCase()}$`, 'm'));
  });

  it('is redacted if it is a secret', async () => {
    const labels = { site: pulumi.secret('canary is no label'), other: late('this is none either') };
    const shown = await recordRefusal(() => new HostNetworkNodePool('it', { cluster, poolName: 'a', labels }));
    expect(shown).toMatch(/EDGE_LABEL +labels\.site: .*\(value redacted\)/);
    expect(shown).toContain('this is none either');
    expect(shown).not.toContain('canary');
  });

  it('is reported once, and never registered, nor what depends on it', async () => {
    const registered: Recorded[] = [];
    const shown = await recordRefusal(() => {
      const pool = new HostNetworkNodePool('it', {
        cluster,
        poolName: late('No Name'),
        labels: { site: late('here') },
      });
      new HostNetworkWorkload('agent', { pool, workload: daemonSet() });
      pulumi.interpolate`${pool.joinLabels}`.apply((text) => text);
    }, registered);
    expect(shown.match(/EDGE_NAME/g)).toHaveLength(1);
    expect(registered.map(({ type, name }) => `${type.split(':').at(-1)} ${name}`).sort()).toEqual([
      'HostNetworkNodePool it',
      'HostNetworkWorkload agent',
    ]);
  });

  it('is reported once if the program itself throws it, without the frames of the SDK', async () => {
    const registered: Recorded[] = [];
    const failing = (): pulumi.Output<string> =>
      late('a').apply((): string => {
        throw Object.assign(new Error('own mistake'), {
          stack: `own mistake\n    at /app/node_modules/@pulumi/output.ts:1:1`,
        });
      });
    const shown = await recordRefusal(() => {
      const pool = new HostNetworkNodePool('it', { cluster, poolName: failing() });
      pulumi.interpolate`${pool.joinLabels}`.apply((text) => text);
    }, registered);
    expect(shown).toContain('own mistake');
    expect(objectsIn({ resources: registered, warnings: [], errors: [] })).toEqual([]);
  });
});

describe('values that must be plain', () => {
  const problemsOf = (error: any): string[] =>
    (error.errors ?? error.problems).map((one: any) =>
      one.code === undefined ? `${one.reason.split(':')[0]} ${one.propertyPath}` : `${one.code} ${one.path}`,
    );
  const js = (value: unknown): any => value;

  it.each<[string, string, () => unknown]>([
    ['the cluster', 'cluster', () => new HostNetworkNodePool('it', js({ cluster: late(cluster), poolName: 'a' }))],
    ['its release', 'openYurt', () => EdgeCluster.of(js({ openYurt: late('1.7'), kubernetes: '1.34' }))],
    ['all of it', '', () => EdgeCluster.of(js(late({ openYurt: '1.7', kubernetes: '1.34' })))],
    [
      'the kind of a workload',
      'workload.kind',
      () =>
        new HostNetworkWorkload('it', {
          pool: HostNetworkNodePool.fromPoolName({ cluster, poolName: 'a' }),
          workload: { ...daemonSet(), kind: late('DaemonSet') },
        }),
    ],
  ])('%s is in the error, with the reason', async (_, path, program) => {
    let codes: string[] = [];
    let text = '';
    await record(() => {
      try {
        program();
      } catch (error) {
        codes = problemsOf(error);
        text = String(error);
      }
    });
    expect(codes).toEqual([`EDGE_KNOWN_LATER ${path}`]);
    expect(text).toContain('must be a plain value, not an Output: it determines what is made');
  });
});

it('a cluster takes Outputs of its addresses, and is the same cluster with the same Output', async () => {
  const apiServer = late('10.0.0.1:6443');
  await record(() => {
    const make = (): EdgeCluster => EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', apiServer });
    new HostNetworkNodePool('one', { cluster: make(), poolName: 'a' });
    expect(() => new HostNetworkNodePool('two', { cluster: make(), poolName: 'a' })).toThrow(/EDGE_DUPLICATE/);
  });
});

describe('names of children', () => {
  it('are different if the names of the objects are unknown', async () => {
    const { resources } = await record(() => {
      new PoolAdmission('admission', { cluster, namePrefix: late('edge') });
    });
    const children = resources.filter(({ type }) => type.startsWith('kubernetes:')).map(({ name }) => name);
    expect(children).toContain('admission-validatingadmissionpolicy-immutable-pools');
    expect(children.length).toBeGreaterThan(5);
  });
});

it('an error about unknown values shows no placeholder', async () => {
  await record(() => {
    const asked = daemonSet({ nodeSelector: { 'nodepool.openyurt.io/hostnetwork': 'true' } });
    const props = { ...asked, metadata: { name: late('web') } };
    const args: any = { custom: true, type: 'kubernetes:apps/v1:DaemonSet', name: 'it', props, opts: {} };
    let text = '';
    try {
      void excludeFromHostNetworkPools(cluster)(args);
    } catch (error) {
      text = String(error);
    }
    expect(text).toContain('excludeFromHostNetworkPools (DaemonSet (name unknown at preview))');
    expect(text).not.toMatch(/unknown \d/);
  });
});

it('no resource is created from a text that contains an unknown value', async () => {
  class Careless extends EdgeComponent {
    constructor(args: { readonly site: unknown }) {
      super('Careless', 'it', args, undefined);
      this.render(args, ({ site }: { site: string }) => ({
        subject: 'Careless it',
        objects: [
          {
            object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { site: `in ${site}` } },
            apply: 'create',
          },
        ],
        attributes: {},
        warnings: [],
        artifacts: [],
      }));
    }
  }
  const recording = await record(() => {
    expect(() => new Careless({ site: late('beijing') })).toThrow(/EDGE_KNOWN_LATER +site/);
  });
  expect(objectsIn(recording)).toEqual([]);
});
