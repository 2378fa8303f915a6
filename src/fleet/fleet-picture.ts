import { CHARACTER, svgPicture, svgText } from '../base/svg.js';
import { poolNames } from './fleet.js';
import { type FleetOverview, poolFacts, type PoolGroup } from './fleet-overview.js';

const ROW = 22;
const HEADER = 52;
const MARGIN = 12;
const MOST_ROWS = 40;
const MOST_GROUPS = 8;
/** Width of the picture, in places of equal width beside each other. */
const WIDTH = 1180;

const LIGHT = [
  '.host { stroke-width: 2; }',
  '.runs { fill: #1a7f37; }',
  '.out { stroke: #59636e; stroke-width: 1.5; fill: none; }',
  '.other { fill: #bc4c00; }',
];
const DARK = ['.runs { fill: #3fb950; }', '.out { stroke: #9198a1; }', '.other { fill: #db6d28; }'];

/** A line in a place: what becomes of one workload. */
interface Entry {
  readonly mark: 'runs' | 'other' | 'out';
  readonly workload: string;
  readonly why: string;
}

/**
 * Pools as places, with the workloads in them: a green mark for what runs, an orange one for what neither runs nor is excluded, and below an empty one for
 * what is kept out, each with its reason.
 */
export function fleetPicture({ groups }: FleetOverview): string {
  const shown = groups.slice(0, MOST_GROUPS).map((group) => ({ group, ...linesOf(group) }));
  const widest = Math.max(...shown.map(({ group, entries }) => widthOf(group, entries)));
  const columns = Math.max(1, Math.min(shown.length, Math.floor((WIDTH - MARGIN) / (widest + MARGIN))));
  const places: string[] = [];
  let top = MARGIN;
  for (let first = 0; first < shown.length; first += columns) {
    const row = shown.slice(first, first + columns);
    const height =
      HEADER + Math.max(...row.map(({ entries, more }) => entries.length + more.length)) * ROW + MARGIN / 2;
    row.forEach(({ group, entries, more }, column) =>
      places.push(placeOf(group, entries, more, MARGIN + column * (widest + MARGIN), top, widest, height)),
    );
    top += height + MARGIN;
  }
  const left = groups.length - shown.length;
  const rest = left > 0 ? [svgText(MARGIN, top + 12, `and ${left} more groups of pools`, 'small')] : [];
  const [width, height] = [MARGIN + columns * (widest + MARGIN), top + rest.length * ROW];
  return svgPicture({
    title: 'Which workloads run on the nodes of which pools',
    ...{ width, height, light: LIGHT, dark: DARK },
    parts: [...places, ...rest],
  });
}

function linesOf({ runs, others, excluded, stuckRollouts = [] }: PoolGroup): {
  readonly entries: readonly Entry[];
  readonly more: string[];
} {
  const stuck = new Map(stuckRollouts.map(({ workload, reason }) => [workload, `stuck rollout: ${reason}`]));
  // with --only-problems they are not among those that run
  const all: Entry[] = [
    ...[...new Set([...runs, ...stuck.keys()])].map((workload): Entry => ({
      mark: 'runs',
      workload,
      why: stuck.get(workload) ?? '',
    })),
    ...others.map(({ workload, outcome, reason }): Entry => ({
      mark: 'other',
      workload,
      why: `${outcome}: ${reason}`,
    })),
    ...excluded.map(({ workload, reason }): Entry => ({
      mark: 'out',
      workload,
      why: reason.replace('excluded from host-network nodes', 'excluded'),
    })),
  ];
  const more = all.length - MOST_ROWS;
  return { entries: all.slice(0, MOST_ROWS), more: more > 0 ? [`and ${more} more workloads`] : [] };
}

function placeOf(
  group: PoolGroup,
  entries: readonly Entry[],
  more: readonly string[],
  x: number,
  y: number,
  width: number,
  height: number,
): string {
  const style = group.hostNetwork ? 'place host' : 'place';
  return [
    `<rect class="${style}" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`,
    svgText(x + MARGIN, y + 22, poolNames(group.pools, 2)),
    svgText(x + MARGIN, y + 40, poolFacts(group), 'small'),
    ...entries.map(({ mark, workload, why }, index) => {
      const line = y + HEADER + index * ROW + 12;
      const reported =
        why === '' ? '' : svgText(Math.round(x + MARGIN + 18 + (workload.length + 1) * CHARACTER), line, why, 'small');
      return `<circle class="${mark}" cx="${x + MARGIN + 6}" cy="${line - 5}" r="5"/>${svgText(x + MARGIN + 18, line, workload)}${reported}`;
    }),
    ...more.map((line) => svgText(x + MARGIN, y + HEADER + entries.length * ROW + 12, line, 'small')),
  ].join('');
}

function widthOf(group: PoolGroup, entries: readonly Entry[]): number {
  const characters = Math.max(
    poolNames(group.pools, 2).length,
    poolFacts(group).length,
    ...entries.map(({ workload, why }) => workload.length + 1 + why.length * 0.85 + 2),
  );
  return Math.ceil(characters * CHARACTER + 2 * MARGIN);
}
