import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Chart } from 'cdk8s';
import fc from 'fast-check';
import { main } from '../../src/cli/main.js';
import { placeFleet } from '../../src/fleet/fleet.js';
import { fleetOverview, overviewText } from '../../src/fleet/fleet-overview.js';
import { fleetPicture } from '../../src/fleet/fleet-picture.js';
import { EdgeCluster, RegularNodePool, HostNetworkNodePool, manifestsOf, writeArtifacts } from '../../src/index.js';
import { runs } from '../depth.js';
import { EXCLUDED, HOST, MEMBER, node, pool, run, workload } from './fleet-objects.js';

const FLEET = [
  pool('beijing', true, ['a', 'b']),
  pool('hangzhou', true, ['c']),
  pool('shanghai', false),
  workload('proxy', { affinity: EXCLUDED }),
  workload('collector', { hostNetwork: true }),
];

const show = (objects: readonly object[], ...args: string[]): ReturnType<typeof run> =>
  run(objects, 'show', '-', ...args);

describe('edge-nodepools show', () => {
  it('shows pools with the same workloads once, and what their nodes save', () => {
    const { code, out } = show(FLEET);
    expect(code).toBe(0);
    expect(out).toBe(`beijing, hangzhou (host network, 3 nodes)
  runs             DaemonSet default/collector
  excluded         DaemonSet default/proxy  excluded from host-network nodes
  saved requests   cpu 100m, memory 50Mi

shanghai (regular)
  runs             DaemonSet default/proxy
                   DaemonSet default/collector

3 host-network nodes save requests of cpu 300m, memory 150Mi
`);
  });

  it('prints what a terminal would obey as an escape, and JSON that means the same', () => {
    const named = { ...pool('hz', true, ['a']), metadata: { name: 'hz', labels: { a: 'b' } } };
    const odd = workload('web', { nodeSelector: { disk: 'a\u001b[2J\u0007\u202eb\u009b' } });
    for (const args of [[], ['--format', 'json'], ['--format', 'svg']]) {
      const { out } = show([named, odd], ...args);
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
    expect(show([named, odd]).out).toContain('a\\u001b[2J\\u0007\\u202eb');
    expect(JSON.stringify(JSON.parse(show([named, odd], '--format', 'json').out))).toContain('\u202e');
    expect(String(placeFleet([named, odd], [{ name: 'a\u202eb', labels: {} }]))).toContain('a\\u202eb');
  });

  it('counts the nodes that the user gives, and says nothing of what is unknown', () => {
    expect(show(FLEET, '--nodes', 'hangzhou=10').out).toContain('12 host-network nodes save requests of cpu 1200m');
    const unknown = [pool('beijing', true), workload('proxy', { affinity: EXCLUDED, containers: undefined })];
    expect(show(unknown).out).not.toMatch(/save|nodes\)/);
  });

  it('shows Nodes that are in no NodePool, by their labels and taints', () => {
    const taint = { key: 'site', effect: 'NoSchedule' };
    const { out } = show([
      node('n1', { [MEMBER]: 'depot', [HOST]: 'true' }, [taint]),
      node('n2', { [MEMBER]: 'depot', [HOST]: 'true' }, [taint]),
      node('n3', {}),
      workload('proxy', { affinity: EXCLUDED }),
    ]);
    expect(out).toContain('depot (host network, 2 nodes)');
    expect(out).toContain('(no pool) (regular, 1 node)');
  });

  it('reads a folder, and prints JSON', () => {
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-show-'));
    FLEET.forEach((object, index) => writeFileSync(join(folder, `${index}.json`), JSON.stringify(object)));
    let out = '';
    main(['show', folder, '--format', 'json'], { stdin: () => '', stdout: (text) => (out += text), stderr: () => {} });
    rmSync(folder, { recursive: true });
    expect(JSON.parse(out)).toEqual(fleetOverview(FLEET));
  });

  it('shows one pool, or only what is wrong', () => {
    const fleet = [...FLEET, workload('web', {}, 'Deployment')];
    expect(show(fleet, '--pool', 'shanghai').out).toMatch(/^shanghai[^]*Deployment default\/web\n$/);
    expect(show(fleet, '--only-problems').out).toBe(`beijing, hangzhou (host network, 3 nodes)
  never starts     Deployment default/web  it needs a Pod network, which the node does not have
`);
    expect(show(FLEET, '--only-problems').out).toMatch(/^every workload runs, or is excluded, on all pools/);
  });

  it.each<[string, readonly object[], string[], RegExp]>([
    [
      'an unknown pool to show',
      FLEET,
      ['--pool', 'beijin'],
      /--pool beijin: there is no such pool; there are beijing, /,
    ],
    ['no pool', [workload('web')], [], /there is no NodePool, no Node and no pools\.jsonl in stdin; write the folder/],
    ['an unknown pool', FLEET, ['--nodes', 'beijin=3'], /--nodes beijin: there is no such pool; there are beijing, /],
    ['no number', FLEET, ['--nodes', 'beijing'], /write --nodes beijing=12/],
    ['a format', FLEET, ['--format', 'png'], /Allowed choices are text, json, svg/],
  ])('refuses %s', (_, objects, args, message) => {
    const { code, out, err } = show(objects, ...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });

  it('says of every pool and workload what placeFleet says, in every format', () => {
    const spec = fc.constantFrom({}, { affinity: EXCLUDED }, { nodeSelector: { [MEMBER]: 'p1' } });
    const fleet = fc
      .tuple(fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }), fc.array(spec, { maxLength: 6 }))
      .map(([pools, specs]) => [
        ...pools.map((isHost, index) => pool(`p${index}`, isHost)),
        ...specs.map((each, index) => workload(`w<${index}>`, each, index % 2 === 0 ? 'DaemonSet' : 'Deployment')),
      ]);
    fc.assert(
      fc.property(fleet, (objects) => {
        const overview = fleetOverview(objects);
        const attributes = overview.groups.flatMap(({ pools, hostNetwork, runs, excluded, others }) =>
          pools.map((name) => ({ pool: name, hostNetwork, runs, excluded, others })),
        );
        expect(attributes.sort((a, b) => a.pool.localeCompare(b.pool))).toEqual(placeFleet(objects));
        const text = overviewText(overview);
        expect(text.split('\n').every((line) => line.length <= 100)).toBe(true);
        const picture = fleetPicture(overview);
        const marks = (style: string): number => picture.split(`<circle class="${style}"`).length - 1;
        const sizes = (of: 'runs' | 'excluded' | 'others'): number =>
          overview.groups.reduce((sum, group) => sum + group[of].length, 0);
        expect(['runs', 'other', 'out'].map(marks)).toEqual([sizes('runs'), sizes('others'), sizes('excluded')]);
        expect(picture.replace(/<(\/?[a-z]+)[^<>]*>/g, '')).not.toMatch(/[<>]/);
        for (const { metadata, kind } of objects.filter((each) => each.kind !== 'NodePool')) {
          expect(text).toContain(`${kind} default/${metadata.name}`);
        }
      }),
      runs(200),
    );
  });
});

it('show, nodes and preconditions agree on the same dump of a plain Deployment', () => {
  const coredns = workload('coredns', {}, 'Deployment');
  const here = { ...coredns, metadata: { ...coredns.metadata, namespace: 'kube-system' } };
  const edge = node('a', { [MEMBER]: 'beijing', [HOST]: 'true' });
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'coredns-1', namespace: 'kube-system' },
    spec: { nodeName: 'a', containers: [{ name: 'a', image: 'a' }] },
  };
  const dump = [pool('beijing', true, ['a']), edge, here, pod];
  expect(show(dump).out).toMatch(/never starts +Deployment kube-system\/coredns/);
  expect(fleetPicture(fleetOverview(dump))).not.toContain('class="runs" ');
  const out = mkdtempSync(join(tmpdir(), 'agree-'));
  const nodes = run(dump, 'nodes', '--dump=-', `--out=${out}`);
  expect(nodes.out + nodes.err).toMatch(/coredns-1 runs here, and is not a hostNetwork Pod/);
  const found = run(dump, 'preconditions', `--out=${out}`, '--dump=-', '--openyurt=1.7', '--kubernetes=1.34');
  expect(found.out + found.err).toMatch(/^missing +Deployment kube-system\/coredns$/m);
});

describe('the picture', () => {
  const style = /<style>([^]*)<\/style>/.exec(fleetPicture(fleetOverview(FLEET)))?.[1] ?? '';
  const [light = '', dark = ''] = style.split('@media (prefers-color-scheme: dark)');
  const fillsIn = (part: string): Map<string, string> =>
    new Map(
      [...part.matchAll(/^ *(\S+) \{[^}]*(?:fill|stroke): (#[0-9a-f]{6});/gm)].map(([, of = '', c = '']) => [of, c]),
    );

  /** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = parseInt(colour.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (a: string, b: string): number => {
    const [less = 0, more = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (more + 0.05) / (less + 0.05);
  };

  it.each([
    ['light', fillsIn(light)],
    ['dark', fillsIn(dark)],
  ])('is readable on its own background: %s', (_, fills) => {
    const back = fills.get('.back') ?? '';
    expect([...fills.keys()]).toEqual([
      '.back',
      'text',
      '.small',
      '.place',
      '.node',
      '.chip',
      '.runs',
      '.out',
      '.other',
    ]);
    for (const [of, least] of [
      ['text', 7],
      ['.small', 4.5],
      ['.runs', 3],
      ['.out', 3],
      ['.other', 3],
      ['.place', 3],
      ['.node', 3],
      ['.chip', 3],
    ] as const) {
      expect([of, contrast(fills.get(of) ?? '', back) >= least]).toEqual([of, true]);
    }
  });
});

describe('edge-nodepools show, of what a program writes', () => {
  let out: string;
  beforeEach(() => (out = mkdtempSync(join(tmpdir(), 'edge-nodepools-pools-'))));
  afterEach(() => rmSync(out, { recursive: true }));
  const shown = (...args: string[]): ReturnType<typeof run> => run([], 'show', out, ...args);

  it('says of every pool what placeFleet says, with and without OpenYurt, and counts the expected nodes', () => {
    const pools = fc.uniqueArray(
      fc.record({
        poolName: fc.constantFrom('a', 'b', 'c', 'd'),
        isHost: fc.boolean(),
        registrationTaint: fc.boolean(),
        expectedNodes: fc.option(fc.nat({ max: 99 }), { nil: undefined }),
      }),
      { selector: ({ poolName }) => poolName, minLength: 1 },
    );
    const hostNetworkLabel = fc.constantFrom(undefined, { key: 'node-role.kubernetes.io/edge', value: '' });
    fc.assert(
      fc.property(pools, fc.constantFrom('1.7', 'none'), hostNetworkLabel, (given, openYurt, label) => {
        rmSync(out, { recursive: true });
        const app = new App({ outdir: out });
        const chart = new Chart(app, 'fleet');
        const own = openYurt === 'none' && label !== undefined ? { hostNetworkLabel: label } : {};
        const cluster = EdgeCluster.of({ openYurt, kubernetes: '1.34', ...own });
        const made = given.map(({ isHost, registrationTaint, ...props }) =>
          isHost
            ? new HostNetworkNodePool(chart, props.poolName, { cluster, registrationTaint, ...props })
            : new RegularNodePool(chart, props.poolName, { cluster, ...props }),
        );
        app.synth();
        writeFileSync(join(out, 'web.json'), JSON.stringify(workload('web')));
        writeArtifacts(app);
        const { groups } = JSON.parse(shown('--format=json').out) as ReturnType<typeof fleetOverview>;
        const objects = [...manifestsOf(app), workload('web')];
        const expected = placeFleet(objects, made);
        const attributes = groups.flatMap(({ pools: names, hostNetwork, runs, excluded, others }) =>
          names.map((name) => ({ pool: name, hostNetwork, runs, excluded, others })),
        );
        const byName = (a: { pool: string }, b: { pool: string }): number => a.pool.localeCompare(b.pool);
        expect(attributes.sort(byName)).toEqual([...expected].sort(byName));
        for (const { pools: names, nodes } of groups) {
          const counts = given.filter(({ poolName }) => names.includes(poolName)).map((each) => each.expectedNodes);
          const isUnknown = counts.includes(undefined);
          expect(nodes).toBe(isUnknown ? undefined : counts.reduce<number>((sum, each) => sum + (each ?? 0), 0));
        }
      }),
      runs(200),
    );
  });

  const line = (about: object = {}): string =>
    JSON.stringify({
      name: 'depot-node',
      labels: { [MEMBER]: 'depot', [HOST]: 'true' },
      taints: [{ key: 'site', effect: 'NoSchedule' }],
      expectedNodes: 9,
      nodePoolLabel: MEMBER,
      hostNetworkLabel: { key: HOST, value: 'true' },
      ...about,
    });
  const write = (pools: string, ...objects: object[]): void => {
    writeFileSync(join(out, 'pools.jsonl'), pools);
    writeFileSync(join(out, 'all.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  };

  it('counts the nodes that are there, not those that are expected', () => {
    write(`${line()}\n`, workload('web'));
    expect(shown().out).toContain('depot (host network, 9 nodes)');
    expect(shown('--nodes', 'depot=2').out).toContain('depot (host network, 2 nodes)');
    write(line(), workload('web'), node('n', { [MEMBER]: 'depot', [HOST]: 'true' }));
    expect(shown().out).toContain('depot (host network, 1 node)');
    write(line(), workload('web'), pool('depot', true));
    expect(shown().out).toMatch(/^depot \(host network, 9 nodes\)\n[^(]*$/);
  });

  it('takes pools that the user names', () => {
    const { out: said } = show([workload('web', { affinity: EXCLUDED })], '--host-network-pool=depot');
    expect(said).toContain('depot (host network)\n  runs             none');
    const label = '--host-network-label=eks.amazonaws.com/compute-type=hybrid';
    expect(show([workload('web', { affinity: EXCLUDED })], '--host-network-pool=depot', label).out).toContain(
      'depot (host network)\n  never starts     DaemonSet default/web',
    );
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', `${line()}\n{`, /pools\.jsonl[^ ]* line 2 is not a pool/],
    ['no pool', '[]', /run cdk8s synth again/],
    ['no labels', line({ labels: { [MEMBER]: 1 } }), /run cdk8s synth again/],
    ['no taints', line({ taints: 'all' }), /run cdk8s synth again/],
    ['half a node', line({ expectedNodes: 1.5 }), /run cdk8s synth again/],
    [
      'pools of two clusters',
      `${line()}\n${line({ nodePoolLabel: 'own/pool' })}`,
      /write --node-pool-label apps\.openyurt\.io\/nodepool or --node-pool-label own\/pool/,
    ],
  ])('refuses %s in pools.jsonl', (_, text, message) => {
    write(text, workload('web'));
    const { code, out: said, err } = shown();
    expect([code, said, err]).toEqual([2, '', expect.stringMatching(message)]);
  });
});
