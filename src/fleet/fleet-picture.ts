import { fittedText, svgEscaped, svgPicture, svgText, textWidth } from '../base/svg.js';
import { poolNames } from './fleet.js';
import { type FleetOverview, poolFacts, type PoolGroup } from './fleet-overview.js';

const [PLACE, MARGIN, ROW, GAP] = [440, 14, 24, 6];
const INSIDE = PLACE - 2 * MARGIN;
const [MOST_CHIPS, MOST_GROUPS, MOST_NODES] = [24, 8, 18];

const LIGHT = [
  '.host { stroke-width: 2; }',
  '.node { stroke: #59636e; fill: none; }',
  '.chip { stroke: #818b98; fill: none; }',
  '.runs { fill: #1a7f37; }',
  '.out { stroke: #59636e; stroke-width: 1.5; fill: none; }',
  '.other { fill: #bc4c00; }',
];
const DARK = [
  '.node { stroke: #9198a1; }',
  '.chip { stroke: #656c76; }',
  '.runs { fill: #3fb950; }',
  '.out { stroke: #9198a1; }',
  '.other { fill: #db6d28; }',
];

/** What becomes of one workload in a place. */
interface Entry {
  readonly mark: 'runs' | 'other' | 'out';
  readonly workload: string;
  readonly why: string;
}

/** Something that is drawn, from the top of its place on. */
interface Drawn {
  readonly parts: readonly string[];
  readonly height: number;
}

/**
 * Pools as places with their nodes: in them what runs there, what neither runs nor is excluded with its reason, and below what is kept out of them. Pools with
 * the same workloads are one place.
 */
export function fleetPicture({ groups }: FleetOverview): string {
  const shown = groups.slice(0, MOST_GROUPS).map((group) => ({ group, ...insideOf(group) }));
  const columns = Math.min(2, Math.max(1, shown.length));
  const places: string[] = [];
  let top = MARGIN;
  for (let first = 0; first < shown.length; first += columns) {
    const row = shown.slice(first, first + columns);
    const height = Math.max(...row.map((each) => each.height));
    row.forEach(({ group, parts }, column) => {
      const style = group.hostNetwork ? 'place host' : 'place';
      const border = `<rect class="${style}" width="${PLACE}" height="${height}" rx="10"/>`;
      const at = `translate(${MARGIN + column * (PLACE + MARGIN)} ${top})`;
      places.push(`<g transform="${at}">${border}${parts.join('')}</g>`);
    });
    top += height + MARGIN;
  }
  const left = groups.length - shown.length;
  const rest = left > 0 ? [svgText(MARGIN, top + 12, `and ${left} more groups of pools`, 'small')] : [];
  return svgPicture({
    title: 'Which workloads run on the nodes of which pools',
    ...{ width: MARGIN + columns * (PLACE + MARGIN), height: top + rest.length * ROW, light: LIGHT, dark: DARK },
    parts: [...places, ...rest],
  });
}

function insideOf(group: PoolGroup): Drawn {
  const { runs, others, excluded, stuckRollouts = [] } = group;
  const stuck = new Set(stuckRollouts.map(({ workload }) => workload));
  const wrong = [
    ...others.map(({ workload, outcome, reason }): Entry => ({
      mark: 'other',
      workload,
      why: `${outcome}: ${reason}`,
    })),
    ...stuckRollouts.map(({ workload, reason }): Entry => ({
      mark: 'runs',
      workload,
      why: `stuck rollout: ${reason}`,
    })),
  ];
  const running = runs
    .filter((each) => !stuck.has(each))
    .map((workload): Entry => ({ mark: 'runs', workload, why: '' }));
  const out = excluded.map(({ workload, reason }): Entry => ({ mark: 'out', workload, why: reason }));
  const name = fittedText(poolNames(group.pools, 2), INSIDE);
  return below(
    { parts: [svgText(MARGIN, 24, name), svgText(MARGIN, 41, poolFacts(group), 'small')], height: 50 },
    (y) => nodesOf(group, y),
    (y) => reasonsOf(wrong, y),
    (y) => chipsOf(running, y),
    (y) => (out.length === 0 ? { parts: [], height: 0 } : keptOut(out, y)),
    () => ({ parts: [], height: GAP }),
  );
}

function below(first: Drawn, ...others: readonly ((y: number) => Drawn)[]): Drawn {
  return others.reduce((above, draw) => {
    const { parts, height } = draw(above.height);
    return { parts: [...above.parts, ...parts], height: above.height + height };
  }, first);
}

/** A box for each node, or dashed ones if it is not known how many there are. */
function nodesOf({ nodes }: PoolGroup, y: number): Drawn {
  const count = Math.min(nodes ?? 3, MOST_NODES);
  const dashes = nodes === undefined ? ' stroke-dasharray="3 2"' : '';
  const boxes = Array.from({ length: count }, (_, index) => {
    const x = MARGIN + 0.5 + index * 20;
    return `<path class="node"${dashes} d="M${x} ${y}.5h14v18h-14zm3 5h8m-8 4h8"/>`;
  });
  const more = (nodes ?? 0) > count ? [svgText(MARGIN + count * 20, y + 14, `+${(nodes ?? 0) - count}`, 'small')] : [];
  return { parts: [...boxes, ...more], height: boxes.length === 0 ? 0 : 30 };
}

/** One line for each, with as much of the reason as there is room for. */
function reasonsOf(entries: readonly Entry[], y: number): Drawn {
  const lines = entries.slice(0, MOST_CHIPS).map((entry, index) => {
    const name = fittedText(shortOf(entry.workload), INSIDE / 2);
    const x = MARGIN + 18 + textWidth(name) + 8;
    const why = fittedText(entry.why, PLACE - MARGIN - x, 'small');
    const line = y + index * ROW + 14;
    return titled(
      entry,
      `${markOf(entry, MARGIN + 6, line - 4)}${svgText(MARGIN + 18, line, name)}${svgText(x, line, why, 'small')}`,
    );
  });
  return withMore(lines, entries.length, y + lines.length * ROW, lines.length * ROW);
}

/** As many beside each other as there is room for. */
function chipsOf(entries: readonly Entry[], y: number): Drawn {
  let [x, top] = [MARGIN, y];
  const chips = entries.slice(0, MOST_CHIPS).map((entry) => {
    const name = fittedText(shortOf(entry.workload), INSIDE - 36);
    const width = Math.ceil(textWidth(name)) + 36;
    [x, top] = x > MARGIN && x + width > PLACE - MARGIN ? [MARGIN, top + ROW + GAP] : [x, top];
    const box = `<rect class="chip" x="${x}.5" y="${top}.5" width="${width}" height="${ROW}" rx="12"/>`;
    const drawn = titled(entry, `${box}${markOf(entry, x + 14, top + 12.5)}${svgText(x + 25, top + 17, name)}`);
    x += width + GAP;
    return drawn;
  });
  const height = chips.length === 0 ? 0 : top - y + ROW + GAP;
  return withMore(chips, entries.length, y + height, height);
}

function keptOut(entries: readonly Entry[], y: number): Drawn {
  const line = `<path class="chip" stroke-dasharray="4 3" d="M${MARGIN} ${y + 8}.5h${INSIDE}"/>`;
  const { parts, height } = chipsOf(entries, y + 34);
  return { parts: [line, svgText(MARGIN, y + 26, 'kept out', 'small'), ...parts], height: height + 34 };
}

function withMore(parts: readonly string[], all: number, y: number, height: number): Drawn {
  const more = all - parts.length;
  return more > 0
    ? { parts: [...parts, svgText(MARGIN, y + 12, `and ${more} more workloads`, 'small')], height: height + ROW }
    : { parts, height };
}

const shortOf = (workload: string): string => workload.replace(/^\S+ /, '');

const markOf = ({ mark }: Entry, x: number, y: number): string => `<circle class="${mark}" cx="${x}" cy="${y}" r="5"/>`;

function titled({ workload, why }: Entry, drawn: string): string {
  return `<g><title>${svgEscaped(why === '' ? workload : `${workload}: ${why}`)}</title>${drawn}</g>`;
}
