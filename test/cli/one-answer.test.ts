/** Every command says the same of a fleet: `show`, `explain`, `check`, `diff`, `simulate`, the matchers and the page of `show`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { ApiObject, App, Chart } from 'cdk8s';
import { main } from '../../src/cli/main.js';
import { argoCd, FleetDelivery } from '../../src/delivery.js';
import { EdgeCluster, EdgeWarnings, HostNetworkNodePool, placeFleet, writeArtifacts } from '../../src/index.js';
import { clusterOf, GIT } from '../delivery/shops.js';
import { runs } from '../depth.js';
import { dataOf, outcomesOfPage } from '../fleet/page-data.js';
import { EXCLUDED, HOST, MEMBER, node, pool, run, sized, workload } from './fleet-objects.js';

type Outcomes = Readonly<Record<string, string>>;

/** What becomes of each workload on each pool, `Deployment default/web on beijing`. */
function outcomesOf(
  pools: readonly {
    readonly pools: readonly string[];
    readonly runs: any;
    readonly excluded: any;
    readonly others: any;
  }[],
): Outcomes {
  const all = pools.flatMap(({ pools: names, runs: running, excluded, others }) =>
    names.flatMap((name) => [
      ...running.map((each: string) => [`${each} on ${name}`, 'runs']),
      ...excluded.map((each: any) => [`${each.workload} on ${name}`, 'excluded']),
      ...others.map((each: any) => [`${each.workload} on ${name}`, each.outcome]),
    ]),
  );
  return Object.fromEntries(all);
}

function shown(objects: readonly object[]): Outcomes {
  return outcomesOf(JSON.parse(run(objects, 'show', '-', '--json').out).groups);
}

function explained(objects: readonly object[], names: readonly string[]): Outcomes {
  const all = names.flatMap((name) => {
    const { out } = run(objects, 'explain', name, '-', '--json');
    return JSON.parse(out).explanations.flatMap(({ pools, outcome }: any) =>
      pools.map((each: string) => [`${name} on ${each}`, outcome]),
    );
  });
  return Object.fromEntries(all);
}

describe('the commands of one fleet', () => {
  const amount = fc.constantFrom('100m', '2', '100', '1e3', 'much');
  const spec = fc.record(
    {
      hostNetwork: fc.boolean(),
      nodeSelector: fc.constantFrom({}, { [MEMBER]: 'a' }, { [HOST]: 'true' }),
      affinity: fc.constantFrom(undefined, EXCLUDED),
      tolerations: fc.constantFrom([], [{ operator: 'Exists' }]),
      containers: amount.map((cpu) => [{ name: 'main', image: 'a:1', resources: { requests: { cpu } } }]),
    },
    { requiredKeys: ['containers'] },
  );
  const kind = fc.constantFrom('Deployment', 'DaemonSet', 'StatefulSet');
  const workloads = fc.uniqueArray(fc.tuple(fc.constantFrom('w', 'x', 'y', 'z'), kind, spec), {
    minLength: 1,
    maxLength: 4,
    selector: ([name]) => name,
  });
  const allocatable = { cpu: '4', memory: '8Gi', pods: '110' };
  const machine = (name: string, of: string, isHost: boolean): object => ({
    ...node(name, { [MEMBER]: of, ...(isHost ? { [HOST]: 'true' } : {}) }),
    status: { allocatable },
  });
  const FLEET = [
    pool('a', true, ['a1', 'a2']),
    pool('b', false, ['b1']),
    machine('a1', 'a', true),
    machine('a2', 'a', true),
    machine('b1', 'b', false),
  ];

  it('agree, workload by workload and pool by pool', () => {
    fc.assert(
      fc.property(workloads, (made) => {
        const declared = made.map(([name, of, podSpec]) => {
          const labels = { app: name };
          const object = sized(of, name, 2, podSpec, { selector: { matchLabels: labels }, serviceName: name });
          object.spec.template.metadata = { labels };
          return object;
        });
        const objects = [...FLEET, ...declared];
        const fromShow = shown(objects);
        const names = [...new Set(Object.keys(fromShow).map((each) => each.replace(/ on .*/, '')))];
        const left = declared.filter((each) => !names.includes(`${each.kind} default/${each.metadata.name}`));
        // only what is no amount at all is left out
        expect(left.every((each) => JSON.stringify(each).includes('"much"'))).toBe(true);
        expect(explained(objects, names)).toEqual(fromShow);
        const readable = objects.filter((each) => !left.includes(each));
        expect(outcomesOf(placeFleet(readable).map((each) => ({ ...each, pools: [each.pool] })))).toEqual(fromShow);
        left.forEach(({ metadata: { name } }) => {
          expect(run(objects, 'explain', name, '-')).toMatchObject({ code: 2, out: '' });
        });
        ['a', 'b'].forEach((down) => {
          const outage = ['--down', `pool=${down}`, '--for', '10m', '--json'];
          const fates = JSON.parse(run(objects, 'simulate', '-', ...outage).out).workloads.map(
            ({ workload: each, outcome }: any) => [`${each} on ${down}`, outcome !== 'not there'],
          );
          // room is of all Pods together, and an outage looks at one
          const isKnown = ([key]: [string, boolean]): boolean =>
            ['runs', 'excluded', 'never starts'].includes(fromShow[key] ?? '');
          const known = fates.filter(isKnown);
          expect(known.filter(([key, isThere]: [string, boolean]) => isThere !== (fromShow[key] === 'runs'))).toEqual(
            [],
          );
        });
        const { findings } = JSON.parse(run(objects, 'check', '-', '--json').out);
        const page = dataOf(run(objects, 'show', '-', '--format', 'html').out);
        const told = Object.entries(outcomesOfPage(page)).map(([key, each]) => [
          key,
          each === 'stuck rollout' ? 'runs' : each,
        ]);
        expect(Object.fromEntries(told)).toEqual(fromShow);
        const inCheck = ({ code, object, hint, level }: any): object => ({ code, object, hint, level });
        expect(page.findings.map(inCheck)).toEqual(findings.map(inCheck));
        ['a', 'b'].forEach((down) => {
          const outage = ['--down', `pool=${down}`, '--for', '10m', '--json'];
          const there = JSON.parse(run(objects, 'simulate', '-', ...outage).out).workloads.flatMap(
            ({ workload: each, outcome, rule }: any) => (outcome === 'not there' ? [] : [[each, outcome, rule]]),
          );
          const [, found = []] = page.away.find(([each]) => each === down) ?? [];
          const rows = page.outages[Number(found[page.durations.indexOf('10m')])]?.rows ?? [];
          expect(rows.map((each) => page.rows[each]).map((row) => [row?.[0], row?.[2], row?.[4]])).toEqual(there);
        });
        const starts = (code: string): string[] =>
          findings.filter((each: any) => each.code === code).map((each: any) => each.object);
        const inShow = (outcome: string): string[] =>
          Object.entries(fromShow).flatMap(([key, value]) => (value === outcome ? [key.replace(/ on .*/, '')] : []));
        expect(new Set(starts('EDGE_NEVER_STARTS'))).toEqual(new Set(inShow('never starts')));
        expect(new Set(starts('EDGE_NO_ROOM'))).toEqual(new Set(inShow('no room')));
      }),
      runs(200),
    );
  });

  it('place what has a suspicious amount', () => {
    const large = workload('large', { containers: [{ name: 'main', resources: { requests: { cpu: '100' } } }] });
    expect(shown([...FLEET, large])['DaemonSet default/large on b']).toBe('no room');
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-one-'));
    const file = join(folder, 'old.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...FLEET, large] }));
    const { code, out } = run(FLEET, 'diff', file, '-');
    rmSync(folder, { recursive: true });
    expect(code).toBe(1);
    expect(out).toContain('- DaemonSet large');
  });
});

/** A DaemonSet that is no part of one. */
function complete(podSpec: object): any {
  const labels = { app: 'web' };
  const object = workload('web', { containers: [{ name: 'web', image: 'web:1' }], ...podSpec });
  return {
    ...object,
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, ...object.spec.template } },
  };
}

describe('the commands of several sites', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-sites-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const command = (...args: string[]): { code: number; out: string; err: string } => {
    let [out, err] = ['', ''];
    const code = main(args, {
      stdin: () => '',
      stdout: (text) => (out += text),
      stderr: (text) => (err += text),
    });
    return { code, out, err };
  };
  const write = (path: string, ...objects: readonly object[]): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  };
  const site = (name: string, podSpec: object): void => {
    write(`sites/${name}/10-pools/pools.json`, pool('shop', true, ['n1']));
    write(`sites/${name}/30-workloads/web.json`, complete(podSpec));
  };

  it('say it of each site by itself', () => {
    site('beijing', { affinity: EXCLUDED });
    site('hangzhou', {});
    write('argo-cd/project.json', { apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', metadata: { name: 'a' } });
    expect(outcomesOf(JSON.parse(command('show', folder, '--json').out).groups)).toEqual({
      'DaemonSet default/web on beijing/shop': 'excluded',
      'DaemonSet default/web on hangzhou/shop': 'never starts',
    });
    expect(command('show', folder, '--pool', 'hangzhou/shop').out).toMatch(/^hangzhou\/shop \(host network/);
    expect(command('show', folder, '--pool', 'shop', '--nodes', 'beijing/shop=3').out).toContain(
      'beijing/shop (host network, 3 nodes)',
    );
    expect(command('show', folder, '--pool', 'linyi').code).toBe(2);
    const page = dataOf(command('show', folder, '--format', 'html', '--nodes', 'hangzhou/shop=3').out);
    expect(page.pools).toMatchObject([
      { name: 'beijing/shop', site: 'beijing', nodes: 1 },
      { name: 'hangzhou/shop', site: 'hangzhou', nodes: 3 },
    ]);
    expect(page.findings).toMatchObject([{ site: 'hangzhou', code: 'EDGE_NEVER_STARTS' }]);
    expect(page.findings[0]?.at).toContain('sites/hangzhou/30-workloads/web.json:1');
    expect(page.reasons.some(([, , at]) => at.includes('sites/hangzhou/30-workloads/web.json:1'))).toBe(true);
    expect(page.away.map(([pool, outages]) => [pool, outages.length])).toEqual([
      ['beijing/shop', 5],
      ['hangzhou/shop', 5],
    ]);
    const { out } = command('explain', 'web', folder);
    expect(out).toContain('beijing/shop (host network): excluded');
    expect(out).toContain('hangzhou/shop (host network): never starts');
    expect(out).toContain('sites/hangzhou/30-workloads/web.json:1');
    expect(JSON.parse(command('explain', 'web', folder, '--json').out).sites.map((each: any) => each.site)).toEqual([
      'beijing',
      'hangzhou',
    ]);
    expect(command('explain', 'web', folder, '--pool', 'beijing/shop').out).not.toContain('hangzhou');
    const down = command('simulate', folder, '--down', 'pool=shop', '--for', '10m');
    expect(down).toMatchObject({ code: 2, out: '' });
    expect(down.err).toContain('has 2 sites');
    expect(command('simulate', join(folder, 'sites/beijing'), '--down', 'pool=shop', '--for', '10m').code).toBe(0);
  });

  it('say what was meant', () => {
    site('beijing', {});
    expect(command('explain', 'wbe', folder).err).toContain("did you mean 'DaemonSet default/web'?");
    const beijing = join(folder, 'sites/beijing');
    expect(command('simulate', beijing, '--down', 'shop').err).toContain(
      '--down shop is a pool; write --down pool=shop',
    );
    write('sites/beijing/10-pools/more.json', pool('depot', true));
    const { err } = command('simulate', beijing, '--down', 'pool=shpo', '--for', '10m');
    expect([err.includes('did you mean shop?'), err.includes('EDGE_MISSING')]).toEqual([true, false]);
    expect(command('simulate', beijing, '--down', 'pool=shop', '--for', '10').err).toContain(
      '--for 10 has no unit; write --for 10m or',
    );
  });

  it('tell sites that say the same together', () => {
    ['a', 'b', 'c', 'd', 'e'].forEach((name) => site(name, { affinity: EXCLUDED }));
    expect(command('explain', 'web', folder).out.match(/excluded/g)).toHaveLength(2);
    expect(command('show', folder).out).toMatch(/^a\/shop, b\/shop, c\/shop and 2 more \(host network, 5 nodes\)/);
  });

  it('read the same objects, and refuse the same names', () => {
    site('beijing', { affinity: EXCLUDED });
    const codes = (object: object): number[] => {
      writeFileSync(join(folder, 'sites/beijing/more.json'), JSON.stringify({ metadata: { name: '${A}' }, ...object }));
      return ['show', 'check'].map((name) => command(name, join(folder, 'sites/beijing')).code);
    };
    // values of another program
    expect(codes({ title: 'a' })).toEqual([0, 0]);
    expect(codes({ apiVersion: 'v1', kind: 'ConfigMap' })).toEqual([2, 1]);
  });

  it('refuse an object that one cluster has twice with other content', () => {
    write('overlays/a/web.json', pool('shop', true), complete({ affinity: EXCLUDED }));
    write('overlays/b/web.json', complete({}));
    for (const args of [['show'], ['explain', 'web'], ['simulate', '--down', 'pool=shop']]) {
      const { code, err } = command(...args, folder);
      expect([args[0], code]).toEqual([args[0], 2]);
      expect(err).toMatch(
        /DaemonSet default\/web is in \S*overlays\/a\/web.json and, with other content, in \S*overlays\/b/,
      );
    }
    expect(command('check', folder).out).toContain('EDGE_DUPLICATE');
    write('overlays/b/web.json', complete({ affinity: EXCLUDED }));
    expect(command('show', folder).code).toBe(0);
  });

  it('know the pools of a site that have no object', () => {
    const app = new App({ outdir: folder });
    EdgeWarnings.setMode(app, 'silent');
    const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34' });
    const sites = ['beijing', 'hangzhou'].map((name) => {
      const chart = new Chart(app, name);
      new HostNetworkNodePool(chart, 'pool', { cluster, poolName: `pool-of-${name}` });
      new ApiObject(chart, 'web', complete({}));
      return { name, charts: [chart], cluster: clusterOf('argo-cd', name) };
    });
    new FleetDelivery(app, 'delivery', { source: GIT, engine: argoCd(), sites });
    app.synth();
    writeArtifacts(app);
    const ofAll = ['beijing/pool-of-beijing', 'hangzhou/pool-of-hangzhou'];
    expect(JSON.parse(command('show', folder, '--json').out).groups.flatMap(({ pools }: any) => pools)).toEqual(ofAll);
    // what is in no site is not in their clusters
    write('more/web.json', complete({}));
    expect(JSON.parse(command('show', folder, '--json').out).groups.flatMap(({ pools }: any) => pools)).toEqual(ofAll);
    const ofOne = JSON.parse(command('show', join(folder, 'sites/beijing'), '--json').out);
    expect(ofOne.groups.flatMap(({ pools }: any) => pools)).toEqual(['pool-of-beijing']);
    const down = ['--down', 'pool=pool-of-beijing', '--for', '10m', '--nodes', 'pool-of-beijing=2', '--json'];
    const report = JSON.parse(command('simulate', join(folder, 'sites/beijing'), ...down).out);
    expect([report.kubernetes, report.assumed]).toEqual(['1.34', undefined]);
    expect(JSON.parse(command('check', folder, '--json').out).pools).toEqual(['pool-of-beijing', 'pool-of-hangzhou']);
    // of a fleet with one site, too
    rmSync(join(folder, 'sites/hangzhou'), { recursive: true });
    rmSync(join(folder, 'more'), { recursive: true });
    const ofFleet = JSON.parse(command('simulate', folder, ...down).out);
    expect([ofFleet.kubernetes, ofFleet.assumed]).toEqual(['1.34', undefined]);
  });
});
