/** The page of `show --format html`. What a browser makes of it is in the group `page` of the end-to-end tests. */
import fc from 'fast-check';
import { fleetOverview, partOf } from '../../src/fleet/fleet-overview.js';
import { fleetPage } from '../../src/fleet/fleet-page.js';
import { fleetPicture } from '../../src/fleet/fleet-picture.js';
import { pool, workload } from '../cli/fleet-objects.js';
import { runs } from '../depth.js';

interface Data {
  readonly workloads: string[];
  readonly pools: { readonly names: string[]; readonly results: number[] }[];
  readonly results: [string, string][];
}

const dataOf = (page: string): Data => {
  const [, text = ''] = /<script type="application\/json" id="fleet">(.*?)<\/script>/s.exec(page) ?? [];
  return JSON.parse(text) as Data;
};
/** `pool workload outcome reason` of each cell. */
const cellsOf = ({ workloads, pools, results }: Data): string[] =>
  pools.flatMap(({ names, results: own }) =>
    own.flatMap((position, index) =>
      position === -1 ? [] : names.map((name) => [name, workloads[index], ...(results[position] ?? [])].join(' ')),
    ),
  );

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
      const page = fleetPage(overview);
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

it('loads nothing, and forbids to', () => {
  const page = fleetPage(fleetOverview([pool('p', true)]));
  expect(page).not.toMatch(/\b(src|href)=|https?:|@import|url\(/);
  expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"`);
});

describe('a rollout that gets stuck', () => {
  const surge = workload('surge', {
    hostNetwork: true,
    containers: [{ name: 'main', image: 'main', ports: [{ containerPort: 80 }] }],
  });
  surge.spec.updateStrategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };

  it.each([false, true])('is in the page and in the picture, only problems: %p', (onlyProblems) => {
    const overview = partOf(fleetOverview([pool('p', true), surge]), undefined, onlyProblems);
    expect(cellsOf(dataOf(fleetPage(overview)))).toEqual([
      expect.stringMatching(/^p DaemonSet default\/surge stuck rollout it runs, and .*maxSurge/),
    ]);
    expect(fleetPicture(overview)).toContain('stuck rollout: with maxSurge 1');
    expect(fleetPicture(overview).match(/DaemonSet default\/surge/g)).toHaveLength(1);
  });
});
