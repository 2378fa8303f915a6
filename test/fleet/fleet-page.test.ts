/** The page of `show --format html`. What a browser makes of it is in the group `page` of the end-to-end tests. */
import fc from 'fast-check';
import { fittedText, textWidth } from '../../src/base/svg.js';
import { type FleetOverview, fleetOverview, partOf } from '../../src/fleet/fleet-overview.js';
import { fleetPage } from '../../src/fleet/fleet-page.js';
import { fleetPicture } from '../../src/fleet/fleet-picture.js';
import { pool, run, workload } from '../cli/fleet-objects.js';
import { runs } from '../depth.js';
import { cellsOf, dataOf } from './page-data.js';

const pageOf = (overview: FleetOverview): string => fleetPage({ source: 'dist', overview, sites: [], findings: [] });

const name = fc.constantFrom('web', '</script><b>', '<!--', "$&$`$'", '\u2028', 'api');
const fleet = fc
  .tuple(fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }), fc.uniqueArray(name, { maxLength: 5 }), fc.boolean())
  .map(([pools, names, hostNetwork]) => [
    ...pools.map((isHost, index) => pool(`p${index}`, isHost)),
    ...names.map((each, index) => workload(each, index % 2 === 0 ? { hostNetwork } : {}, 'DaemonSet')),
  ]);

it('has what the overview has, whatever the names are', () => {
  fc.assert(
    fc.property(fleet, fc.boolean(), (objects, onlyProblems) => {
      const overview = partOf(fleetOverview(objects), undefined, onlyProblems);
      const page = pageOf(overview);
      const wanted = overview.groups.flatMap(({ pools, runs: running, excluded, others }) =>
        pools.flatMap((each) => [
          ...running.map((one) => `${each} ${one} runs `),
          ...others.map(({ workload: one, outcome, reason }) => `${each} ${one} ${outcome} ${reason}`),
          ...excluded.map(({ workload: one, reason }) => `${each} ${one} excluded ${reason}`),
        ]),
      );
      expect(cellsOf(dataOf(page)).sort()).toEqual(wanted.sort());
      expect(page.match(/<\/script>/g)).toHaveLength(2);
      expect(page).not.toMatch(/<!--|<b>/);
    }),
    runs(200),
  );
});

it('loads nothing, forbids to, and makes no markup of texts', () => {
  const page = pageOf(fleetOverview([pool('p', true)]));
  expect(page).not.toMatch(/\b(src|href)="(?!#)|https?:|@import|url\(|innerHTML|insertAdjacent|document\.write/);
  expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"`);
});

describe('the report of a fleet', () => {
  const FLEET = [pool('a', true, ['a1', 'a2', 'a3']), pool('b', false, ['b1', 'b2', 'b3']), workload('web')];
  const report = (...args: string[]): ReturnType<typeof dataOf> =>
    dataOf(run(FLEET, 'show', '-', '--format', 'html', ...args).out);

  it('has the reasons of explain, with their lines, and what check says to write', () => {
    const { workloads, groups, results, reasons, findings } = report();
    const [explained] = JSON.parse(run(FLEET, 'explain', 'web', '-', '--json').out).explanations;
    const [outcome, , told] = results[groups[0]?.results[workloads.indexOf('DaemonSet default/web')] ?? -1] ?? [];
    expect(outcome).toBe('never starts');
    const ofExplain = explained.reasons.map(({ by, reason, file, line }: any) => [by, reason, `${file}:${line}`]);
    expect(told?.map((each) => reasons[each])).toEqual(ofExplain);
    const { findings: checked } = JSON.parse(run(FLEET, 'check', '-', '--json').out);
    expect(findings.map(({ code, object, hint }) => ({ code, object, hint }))).toEqual(
      checked.map(({ code, object, hint }: any) => ({ code, object, hint })),
    );
    expect(findings[0]).toMatchObject({ at: 'stdin:1', level: 'error' });
  });

  it('has the nodes of each pool, and of the pools that are asked for only', () => {
    expect(report().pools).toEqual([
      { name: 'a', host: true, group: 0, nodes: 3 },
      { name: 'b', host: false, group: 1, nodes: 3 },
    ]);
    const { pools, away } = report('--pool', 'b');
    expect([pools.map((each) => each.name), away.map(([each]) => each)]).toEqual([['b'], ['b']]);
  });

  it('says why no outage was simulated', () => {
    const { out } = run([pool('a', true), workload('web')], 'show', '-', '--format', 'html');
    expect(dataOf(out).away).toEqual([['a', expect.stringMatching(/how many nodes pool a has.*--nodes a=4/)]]);
    const counted = run([pool('a', true), workload('web')], 'show', '-', '--format', 'html', '--nodes', 'a=4');
    const { away, outages } = dataOf(counted.out);
    const said = (away[0]?.[1] as number[]).map(
      (each) => / unreachable (.*), with /.exec(outages[each]?.said ?? '')?.[1],
    );
    expect(said).toEqual(['for 60 s', 'for 5 min', 'for 10 min', 'for 60 min', 'without end']);
  });
});

describe('a rollout that gets stuck', () => {
  const surge = workload('surge', {
    hostNetwork: true,
    containers: [{ name: 'main', image: 'main', ports: [{ containerPort: 80 }] }],
  });
  surge.spec.updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };

  it.each([false, true])('is in the page and in the picture, only problems: %p', (onlyProblems) => {
    const overview = partOf(fleetOverview([pool('p', true), surge]), undefined, onlyProblems);
    expect(cellsOf(dataOf(pageOf(overview)))).toEqual([
      expect.stringMatching(/^p DaemonSet default\/surge stuck rollout it runs, and .*maxSurge/),
    ]);
    expect(fleetPicture(overview)).toContain('DaemonSet default/surge: stuck rollout: with maxSurge 1');
    expect(fleetPicture(overview).match(/DaemonSet default\/surge/g)).toHaveLength(1);
  });
});

describe('the picture of a fleet', () => {
  const TEXT = /<text(?: class="(small)")? x="([\d.]+)" y="[\d.]+" textLength="([\d.]+)"/g;

  it('keeps every text in its place, and draws a box for each node', () => {
    const names = fc.string({ minLength: 1, maxLength: 90 });
    const workloads = fc.array(names, { maxLength: 40 });
    fc.assert(
      fc.property(workloads, workloads, fc.option(fc.nat(30), { nil: undefined }), (running, wrong, nodes) => {
        const others = wrong.map((each) => ({ workload: `Pod ${each}`, outcome: 'waits', reason: each }) as const);
        const counted = nodes === undefined ? {} : { nodes };
        const group = {
          pools: running.slice(0, 3),
          hostNetwork: true,
          runs: running,
          excluded: [],
          others,
          ...counted,
        };
        const picture = fleetPicture({ groups: [group] });
        const ends = [...picture.matchAll(TEXT)].map(([, , x, width]) => Number(x) + Number(width));
        expect(ends.filter((end) => end > 440)).toEqual([]);
        expect(picture.split('class="node"').length - 1).toBe(Math.min(nodes ?? 3, 18));
      }),
      runs(100),
    );
  });

  it('measures texts', () => {
    expect([textWidth('iii'), textWidth('WWW'), textWidth('中中中')]).toEqual([8.7, 36.9, 39]);
    expect(fittedText('short', 100)).toBe('short');
    expect(fittedText('W'.repeat(20), 60)).toBe('WWW…');
  });
});
