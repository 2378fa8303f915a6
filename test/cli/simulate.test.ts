import { type EdgeError } from '../../src/base/errors.js';
import type { Outage, OutageReport } from '../../src/fleet/outage.js';
import { outagePicture } from '../../src/fleet/outage-picture.js';
import { simulateOutage } from '../../src/fleet/simulate-outage.js';
import { daemonSetRollout, deploymentRollout } from '../../src/fleet/rollouts.js';
import { FOUR, ON_A, POOLS, run, sized, workload } from './fleet-objects.js';

function simulate(objects: readonly object[], outage: Omit<Outage, 'down'>): OutageReport {
  return simulateOutage([...POOLS, ...objects], { down: { pools: ['a'] }, nodes: FOUR, zones: 'pool', ...outage });
}

const endOf = ([, x, width]: RegExpMatchArray): number => Number(x) + Number(width);

describe('an update while Nodes are unreachable', () => {
  it.each<[updateStrategy: object, away: number, updated: number | undefined]>([
    [{}, 0, 10],
    [{}, 1, 0],
    [{ rollingUpdate: { maxUnavailable: 2 } }, 1, 9],
    [{ rollingUpdate: { maxUnavailable: 2 } }, 2, 0],
    [{ rollingUpdate: { maxUnavailable: '11%' } }, 1, 9],
    [{ rollingUpdate: { maxUnavailable: '10%' } }, 1, 0],
    [{ rollingUpdate: { maxUnavailable: 0, maxSurge: 2 } }, 1, 9],
    [{ rollingUpdate: { maxUnavailable: 0, maxSurge: 2 } }, 3, 2],
    [{ type: 'OnDelete' }, 5, undefined],
  ])('DaemonSet of 10 Pods, %j, %i away', (updateStrategy, away, updated) => {
    expect(daemonSetRollout({ updateStrategy }, { pods: 10, away, up: 10 - away })?.updated).toBe(updated);
  });

  it.each<[rollingUpdate: object, away: number, up: number, updated: number]>([
    [{ maxSurge: 0, maxUnavailable: 1 }, 0, 4, 4],
    [{ maxSurge: 0, maxUnavailable: 1 }, 1, 3, 0],
    [{ maxSurge: 0, maxUnavailable: 2 }, 1, 3, 3],
    [{ maxSurge: 0, maxUnavailable: 1 }, 1, 5, 4],
    [{ maxSurge: 1, maxUnavailable: 0 }, 0, 4, 0],
    [{ maxSurge: 1, maxUnavailable: 0 }, 0, Infinity, 4],
    [{ maxSurge: 1, maxUnavailable: 0 }, 2, Infinity, 4],
  ])('Deployment of 4 Pods, %j, %i away, %d Nodes', (rollingUpdate, away, up, updated) => {
    expect(deploymentRollout({ strategy: { rollingUpdate } }, { pods: 4, away, up }).updated).toBe(updated);
  });

  it('finishes, hangs, or depends on where the Pods are', () => {
    const update = (object: any, outage: Partial<Outage> = {}): unknown => {
      const { outcome, updated, away } =
        simulate([object], { ...outage, update: `${object.kind} default/x` }).update ?? {};
      return [outcome, updated?.min, updated?.max, away?.max];
    };
    const strategy = (maxUnavailable: number): object => ({ updateStrategy: { rollingUpdate: { maxUnavailable } } });
    expect(update(sized('DaemonSet', 'x', 1, {}, strategy(4)))).toEqual(['hangs', 0, 0, 4]);
    expect(update(sized('DaemonSet', 'x', 1, {}, strategy(5)))).toEqual(['finishes', 8, 8, 4]);
    expect(update(sized('DaemonSet', 'x', 1, {}, { updateStrategy: { type: 'OnDelete' } }))).toEqual([
      'by hand',
      0,
      0,
      4,
    ]);
    expect(update(sized('StatefulSet', 'x', 2, ON_A))).toEqual(['hangs', 0, 0, 2]);
    expect(update(sized('StatefulSet', 'x', 3, {}, { podManagementPolicy: 'Parallel' }))).toEqual([
      'perhaps hangs',
      0,
      3,
      3,
    ]);
    expect(update(sized('Deployment', 'x', 2, {}, { strategy: { type: 'Recreate' } }))).toEqual([
      'perhaps hangs',
      0,
      2,
      2,
    ]);
  });
});

describe('input that is wrong', () => {
  const refused = (objects: readonly object[], outage: unknown): unknown => {
    try {
      simulateOutage(objects, outage as Outage);
      return undefined;
    } catch (error) {
      const { code, path, hint } = error as EdgeError;
      return [code, path, hint];
    }
  };
  const down = { pools: ['a'] };

  it.each<[what: string, outage: object, code: string, path: string, hint: RegExp]>([
    [
      'a pool that is not there',
      { down: { pools: ['aa'] }, nodes: FOUR },
      'EDGE_MATCHES_NOTHING',
      'down.pools[0]',
      /a, b, c|did you mean a/,
    ],
    [
      'a Node that is not there',
      { down: { nodes: ['a-9'] }, nodes: FOUR },
      'EDGE_MATCHES_NOTHING',
      'down.nodes[0]',
      /a-1/,
    ],
    ['a number of no pool', { down, nodes: { ...FOUR, d: 1 } }, 'EDGE_MATCHES_NOTHING', 'nodes.d', /did you mean a/],
    ['nothing', { down: {} }, 'EDGE_MISSING', 'down', /site-17/],
    ['text', { down: 'a' }, 'EDGE_TYPE', 'down', /pools/],
    ['a negative time', { down, for: -1 }, 'EDGE_VALUE', 'for', /10m/],
    ['a negative time as text', { down, for: '-10m' }, 'EDGE_VALUE', 'for', /10m/],
    ['no time', { down, for: 'long' }, 'EDGE_VALUE', 'for', /10m/],
    ['no minor', { down, kubernetes: '2' }, 'EDGE_UNKNOWN_RELEASE', 'kubernetes', /1\.\d\d/],
    [
      'a share of more than all',
      { down, flags: { unhealthyZoneThreshold: 55 } },
      'EDGE_VALUE',
      'flags.unhealthyZoneThreshold',
      /0\.55/,
    ],
    [
      'no flag',
      { down, flags: { evictionRate: 1 } },
      'EDGE_UNKNOWN_PROPERTY',
      'flags.evictionRate',
      /nodeEvictionRate|write one of/,
    ],
    ['an unknown number of Nodes', { down }, 'EDGE_MISSING', 'nodes.a', /expectedNodes/],
    [
      'a workload that is not there',
      { down, nodes: FOUR, update: 'DaemonSet default/agen' },
      'EDGE_MATCHES_NOTHING',
      'update',
      /did you mean 'DaemonSet default\/agent'/,
    ],
    ['a property that is not there', { down, duration: 5 }, 'EDGE_UNKNOWN_PROPERTY', 'duration', /./],
  ])('%s', (_, outage, code, path, hint) => {
    expect(refused([...POOLS, workload('agent')], outage)).toEqual([code, path, expect.stringMatching(hint)]);
  });

  it('no Node at all', () => {
    expect(refused([workload('agent')], { down })).toEqual([
      'EDGE_MISSING',
      'manifests',
      expect.stringMatching(/edge-nodepools dump simulate/),
    ]);
  });
});

describe('edge-nodepools simulate', () => {
  const objects = [...POOLS, workload('agent'), sized('Deployment', 'web', 2, ON_A)];
  const args = ['simulate', '-', '--nodes', 'a=4', '--nodes', 'b=4', '--nodes', 'c=4', '--zones', 'pool'];

  it('prints the same table, JSON and picture each time', () => {
    const table = run(
      objects,
      ...args,
      '--down',
      'pool=a,pool=b',
      '--for',
      '10m',
      '--update',
      'DaemonSet default/agent',
      '--flag',
      'node-eviction-rate=1',
    );
    expect(table.code).toBe(0);
    expect(table.out).toContain('8 Nodes are unreachable for 10 min');
    expect(table.out).toMatch(/a, b +full +4, 40 s to 64 s/);
    expect(table.out).toMatch(/update of DaemonSet default\/agent: hangs; 0 of 12/);
    expect(table.out.split('\n').every((line) => line.length <= 100)).toBe(true);
    const json = run(objects, ...args, '--down', 'pool=a', '--format', 'json');
    const given = simulateOutage(objects, { down: { pools: ['a'] }, nodes: FOUR, zones: 'pool' });
    expect(JSON.parse(json.out)).toEqual(JSON.parse(JSON.stringify(given)));
    const picture = run(objects, ...args, '--down', 'pool=a', '--format', 'svg').out;
    expect(picture).toBe(outagePicture(given));
    expect(picture).toMatch(/<title>2 Pods: evicted 5\.7 min to 6\.7 min<\/title>/);
  });

  it('draws after the outage what starts again', () => {
    const port = { hostNetwork: true, containers: [{ name: 'main', ports: [{ containerPort: 80 }] }] };
    const bare = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bare' }, spec: { ...ON_A, containers: [] } };
    const kinds = [
      workload('agent', { hostNetwork: true }),
      sized('Deployment', 'pinned', 2, ON_A),
      sized('StatefulSet', 'db', 2, ON_A),
      sized('Deployment', 'full', 8, { ...port, ...ON_A }),
      sized('Deployment', 'almost', 10, port),
      bare,
    ];
    const picture = outagePicture(simulate(kinds, { for: '15m' }));
    const [, ...rows] = picture.split('<g>');
    const right = Math.max(...rows.flatMap((row) => [...row.matchAll(/ x="(\d+)"[^>]* width="(\d+)"/g)].map(endOf)));
    const last = rows.map((row) =>
      [...row.matchAll(/<rect class="(\w+)" x="(\d+)" y="\d+" width="(\d+)"/g)]
        .filter(([, , x, width]) => Number(x) + Number(width) === right)
        .map(([, style]) => style)
        .join(),
    );
    expect(last).toEqual(['runs', 'runs', 'runs', 'runs', 'elsewhere', '']);
  });

  it('says what to write instead', () => {
    expect(run(objects, ...args).err).toContain('--down pool=<name>');
    expect(run(objects, ...args, '--down', 'a').err).toContain('--down a is a pool; write --down pool=a');
    expect(run(objects, ...args, '--down', 'pool=z').err).toMatch(/EDGE_MATCHES_NOTHING[^]*there is no pool z/);
    expect(run(objects, ...args, '--down', 'pool=a', '--for', '-5').code).toBe(2);
    expect(run(objects, ...args, '--down', 'pool=a', '--flag', 'rate').err).toContain('--flag node-eviction-rate=1');
  });
});
