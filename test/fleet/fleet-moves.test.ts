/** What moves, rolls out, appears and goes between two fleets, and the command `diff`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { main } from '../../src/cli/main.js';
import { fleetLabelsOf } from '../../src/fleet/node.js';
import { type Difference, type FleetMoves, fleetMoves } from '../../src/fleet/fleet-moves.js';
import { movesText } from '../../src/fleet/moves-text.js';
import { runs } from '../depth.js';
import { podSpec } from '../properties/arbitraries.js';
import { exampleFolders } from '../adopt/example-folders.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'diff-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const pool = (name: string, more: object = {}): any => ({
  apiVersion: 'apps.openyurt.io/v1beta2',
  kind: 'NodePool',
  metadata: { name },
  spec: { type: 'Edge', hostNetwork: true, ...more },
});
const regular = (name: string): any => pool(name, { hostNetwork: false });
const workload = (name: string, podSpecFields: object = {}, more: any = {}): any => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'shop' },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'a', image: 'a:1' }], ...podSpecFields },
    },
    ...more,
  },
});
const HOST = { hostNetwork: true };
const onlyOn = (name: string): object => ({ ...HOST, nodeSelector: { 'apps.openyurt.io/nodepool': name } });

const between = (before: any[], after: any[]): FleetMoves =>
  fleetMoves({ manifests: before }, { manifests: after }, fleetLabelsOf({}));
const shown = ({ object, change, rollsOut, versions, moves }: Difference): string =>
  [
    `${change} ${object}`,
    ...(rollsOut === true ? ['rolls out'] : []),
    ...(versions === undefined ? [] : [versions.join('->')]),
    ...moves.map(
      ({ pools, before, after }) => `${pools.join()}: ${before?.outcome ?? '-'} -> ${after?.outcome ?? '-'}`,
    ),
  ].join('; ');
const all = ({ pools, workloads }: FleetMoves): string[] => [...pools, ...workloads].map(shown);

describe('fleetMoves', () => {
  it.each<[string, any[], any[], string[]]>([
    ['nothing', [pool('a'), workload('web')], [workload('web'), pool('a')], []],
    [
      'a move',
      [pool('a'), pool('b'), workload('x', onlyOn('a'))],
      [pool('a'), pool('b'), workload('x', onlyOn('b'))],
      ['changes Deployment shop/x; rolls out; a: runs -> excluded; b: excluded -> runs'],
    ],
    [
      'a rollout that moves nothing',
      [pool('a'), workload('x', HOST)],
      [pool('a'), workload('x', { ...HOST, priorityClassName: 'system-node-critical' })],
      ['changes Deployment shop/x; rolls out'],
    ],
    [
      'what appears, and what goes',
      [pool('a'), workload('old', HOST)],
      [pool('a'), pool('c'), workload('new', HOST)],
      ['appears NodePool c', 'appears Deployment shop/new; a,c: - -> runs', 'goes Deployment shop/old; a: runs -> -'],
    ],
    [
      'a pool that becomes regular',
      [pool('a'), workload('web')],
      [regular('a'), workload('web')],
      ['changes NodePool a', 'changes Deployment shop/web; a: never starts -> runs'],
    ],
    [
      'another API version',
      [{ ...pool('a'), apiVersion: 'apps.openyurt.io/v1beta1' }],
      [pool('a')],
      ['changes NodePool a; apps.openyurt.io/v1beta1->apps.openyurt.io/v1beta2'],
    ],
    ['a number of replicas', [workload('x')], [workload('x', {}, { replicas: 3 })], ['changes Deployment shop/x']],
    ['what is no workload and no pool', [], [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }], []],
  ])('says %s', (_, before, after, expected) => {
    expect(all(between(before, after))).toEqual(expected);
  });

  it('compares a dump only with what the manifests write', () => {
    const { metadata, spec, ...rest } = workload('x', HOST);
    const live = {
      ...rest,
      metadata: { ...metadata, uid: '1', resourceVersion: '7', generation: 2 },
      spec: {
        ...spec,
        progressDeadlineSeconds: 600,
        template: {
          ...spec.template,
          spec: {
            ...HOST,
            restartPolicy: 'Always',
            containers: [{ name: 'a', image: 'a:1', imagePullPolicy: 'IfNotPresent' }],
          },
        },
      },
      status: { replicas: 1 },
    };
    expect(all(between([live], [workload('x', HOST)]))).toEqual([]);
    expect(all(between([workload('x', HOST)], [live]))).toEqual([]);
    const other = workload('x', { ...HOST, containers: [{ name: 'a', image: 'a:2' }] });
    expect(all(between([live], [other]))).toEqual(['changes Deployment shop/x; rolls out']);
    expect(between([live], [other]).workloads[0]?.fields).toEqual([
      { path: 'spec.template.spec.containers[name=a].image', before: 'a:1', after: 'a:2' },
    ]);
    // two dumps are compared as they are
    expect(all(between([live], [{ ...live, spec: { ...live.spec, progressDeadlineSeconds: 5 } }]))).toHaveLength(1);
  });

  it('says of a dump that a field of the scheduling goes, and what the manifests do not declare', () => {
    const live = (object: any): any => ({ ...object, metadata: { ...object.metadata, uid: '1' } });
    const dump = [live(pool('a')), live(workload('x', onlyOn('b'))), live(workload('other', HOST)), live(regular('c'))];
    const { workloads, pools, undeclared } = between(dump, [pool('a'), workload('x', HOST)]);
    expect(workloads.map(shown)).toEqual(['changes Deployment shop/x; rolls out; a: excluded -> runs']);
    expect(workloads[0]?.fields.map(({ path }) => path)).toEqual(['spec.template.spec.nodeSelector']);
    expect([pools, undeclared]).toEqual([[], ['NodePool c', 'Deployment shop/other']]);
    expect(movesText(between(dump, [pool('a'), workload('x', HOST)]))).toContain(
      '; 2 objects of the dump are not declared\n',
    );
    // what the API server adds to a template is none
    const added = { ...HOST, schedulerName: 'default-scheduler', dnsPolicy: 'ClusterFirst', tolerations: undefined };
    expect(all(between([live(workload('x', added))], [workload('x', HOST)]))).toEqual([]);
  });

  it('takes amounts that are written otherwise for the same', () => {
    const of = (cpu: string, memory: string): any =>
      workload('x', { containers: [{ name: 'a', image: 'a:1', resources: { requests: { cpu, memory } } }] });
    expect(all(between([of('1000m', '1Gi')], [of('1', '1024Mi')]))).toEqual([]);
    expect(all(between([of('1000m', '1Gi')], [of('2', '1024Mi')]))).toEqual(['changes Deployment shop/x; rolls out']);
  });

  it('says of a changed selector that the object must be created again, and not that its Pods are replaced', () => {
    const [before, after] = [workload('x'), workload('x', {}, { selector: { matchLabels: { app: 'y' } } })];
    after.spec.template.metadata.labels = { app: 'y' };
    const text = movesText(between([before], [after]));
    expect(text).toContain('spec.selector cannot be changed');
    expect(text).not.toMatch(/are replaced|rolls out/);
  });

  it('takes the namespace that a manifest leaves out for default', () => {
    const named = { ...workload('x'), metadata: { name: 'x', namespace: 'default' } };
    expect(all(between([named], [{ ...named, metadata: { name: 'x' } }]))).toEqual([]);
  });
});

const fleet = fc
  .record({
    pools: fc.subarray(['a', 'b', 'c']),
    hostNetwork: fc.boolean(),
    specs: fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.tuple(podSpec, fc.boolean()), { maxKeys: 3 }),
  })
  .map(({ pools, hostNetwork, specs }) => [
    ...pools.map((name) => (hostNetwork ? pool(name) : regular(name))),
    ...Object.entries(specs).map(([name, [spec, isHost]]) => workload(name, { ...spec, hostNetwork: isHost })),
  ]);

describe('of any two fleets', () => {
  it('one has no difference from itself, in whatever order', () => {
    fc.assert(
      fc.property(fleet, (objects) => {
        expect(all(between(objects, [...objects].reverse()))).toEqual([]);
      }),
      runs(200),
    );
  });

  it('the differences are mirrored', () => {
    const mirrored = (each: Difference): string => {
      const change = { appears: 'goes', goes: 'appears', changes: 'changes' }[each.change];
      const moves = each.moves.map(({ pools, before, after }) => ({
        pools: [...pools].sort(),
        before: after,
        after: before,
      }));
      return comparable({ ...each, change: change as Difference['change'], moves });
    };
    const comparable = (each: Difference): string =>
      JSON.stringify([
        each.object,
        each.change,
        each.rollsOut,
        each.moves
          .map(({ pools, before, after }) => JSON.stringify([[...pools].sort(), before ?? null, after ?? null]))
          .sort(),
      ]);
    fc.assert(
      fc.property(fleet, fleet, (one, other) => {
        const [there, back] = [between(one, other), between(other, one)];
        const list = ({ pools, workloads }: FleetMoves): Difference[] => [...pools, ...workloads];
        expect(list(back).map(mirrored).sort()).toEqual(list(there).map(comparable).sort());
      }),
      runs(300),
    );
  });

  it('what is reported fits into 100 columns', () => {
    fc.assert(
      fc.property(fleet, fleet, (one, other) => {
        const lines = movesText(between(one, other)).split('\n');
        expect(lines.filter((line) => line.length > 100)).toEqual([]);
      }),
      runs(100),
    );
  });
});

/** Runs the command. */
function run(...args: string[]): { code: number; out: string; err: string } {
  let [out, err] = ['', ''];
  const code = main(args, {
    stdin: () => JSON.stringify(workload('web', HOST)),
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
  });
  return { code, out, err };
}

describe('edge-nodepools diff', () => {
  const written = (name: string, objects: any[], declared?: object): string => {
    const path = join(folder, name);
    mkdirSync(path);
    writeFileSync(join(path, 'a.yaml'), objects.map((each) => JSON.stringify(each)).join('\n---\n'));
    if (declared !== undefined) {
      writeFileSync(join(path, 'pools.jsonl'), `${JSON.stringify(declared)}\n`);
    }
    return path;
  };

  it('ends as kubectl diff: 0 for no difference, 1 for one, 2 for what cannot be compared', () => {
    const [one, other] = [
      written('one', [pool('hz'), workload('web')]),
      written('other', [pool('hz'), workload('web', HOST)]),
    ];
    expect(run('diff', one, one)).toEqual({ code: 0, out: 'no difference\n', err: '' });
    expect(run('diff', one, other)).toEqual({
      code: 1,
      out: `~ Deployment shop/web: its Pods are replaced
    hz: never starts (it needs a Pod network, which the node does not have) -> runs
    spec.template.spec.hostNetwork: appears -> true
1 workload differs: 1 moves, 1 rolls out
`,
      err: '',
    });
    expect(run('diff', other, '-').out).toContain('- NodePool hz\n');
    expect(JSON.parse(run('diff', one, other, '--format', 'json').out).workloads[0].rollsOut).toBe(true);
    expect(run('diff', one).code).toBe(2);
    expect(run('diff', '-', '-')).toMatchObject({ code: 2, err: expect.stringContaining('only one of the two') });
    expect(run('diff', one, join(folder, 'none'))).toMatchObject({ code: 2, err: expect.stringContaining('no such') });
  });

  it('knows pools without an object', () => {
    const labels = { 'apps.openyurt.io/nodepool': 'hz', 'nodepool.openyurt.io/hostnetwork': 'true' };
    const declared = { name: 'hz-node', labels, taints: [], nodePoolLabel: 'apps.openyurt.io/nodepool', hostNetworkLabel: { key: 'nodepool.openyurt.io/hostnetwork', value: 'true' } }; // prettier-ignore
    const one = written('one', [workload('web', HOST)], declared);
    const other = written('other', [workload('web', HOST)], { ...declared, expectedNodes: 3, taints: [{ key: 'a', effect: 'NoExecute' }] }); // prettier-ignore
    expect(run('diff', one, other).out).toBe(`~ pool hz
    taints[key=a]: appears -> {"key":"a","effect":"NoExecute"}
~ Deployment shop/web
    hz: runs -> excluded (taint a:NoExecute)
1 pool differs; 1 workload differs: 1 moves
`);
    expect(run('diff', one, one).code).toBe(0);
  });

  it('finds no difference between an example and itself', () => {
    const folders = exampleFolders(folder);
    expect(folders.length).toBeGreaterThan(3);
    for (const path of folders) {
      const out = expect.stringMatching(/^(?:no difference|0 of \d sites differ)\n$/) as string;
      // their folders have the files of several clusters
      const said = /(?:upgrade|every-release)$/.test(path)
        ? { code: 2, out: '', err: expect.stringContaining('EDGE_DUPLICATE') as string }
        : { code: 0, out, err: '' };
      expect([path, run('diff', path, path)]).toEqual([path, said]);
    }
  });
});
