import { poolNames } from './fleet.js';
import { type FleetOverview, poolFacts, type PoolGroup } from './fleet-overview.js';

const ROW = 26;
const HEADER = 58;
const MARGIN = 12;
/** Width of one character of the 13 px font, about. */
const CHARACTER = 7.4;
const MOST_ROWS = 40;
const MOST_GROUPS = 8;

/** The colours follow the reader's theme. The background has one of its own: the page around the picture may have another theme than the reader. */
const STYLE = `
.back { fill: #ffffff; }
text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #1f2328; }
.small { font-size: 11px; fill: #59636e; }
.line { stroke: #d1d9e0; }
.runs { fill: #1a7f37; }
.out { stroke: #bc4c00; stroke-width: 1.5; fill: none; }
@media (prefers-color-scheme: dark) {
  .back { fill: #0d1117; }
  text { fill: #f0f6fc; }
  .small { fill: #9198a1; }
  .line { stroke: #3d444d; }
  .runs { fill: #3fb950; }
  .out { stroke: #db6d28; }
}`;

/** A table of workloads and pools as SVG: a filled mark where a workload runs, an empty one with the reason where it does not. */
export function fleetPicture({ groups }: FleetOverview): string {
  const shown = groups.slice(0, MOST_GROUPS);
  const all = [
    ...new Set(groups.flatMap(({ runs, excluded }) => [...runs, ...excluded.map(({ workload }) => workload)])),
  ];
  const workloads = all.slice(0, MOST_ROWS);
  const first = widthOf(['workload', ...workloads]);
  const columns = shown.map((group) =>
    widthOf(
      [poolNames(group.pools, 2), poolFacts(group), ...workloads.map((workload) => cellOf(group, workload).text)],
      22,
    ),
  );
  const starts = columns.map((_, index) => first + columns.slice(0, index).reduce((sum, width) => sum + width, 0));
  const more = [
    ...(all.length > workloads.length ? [`and ${all.length - workloads.length} more workloads`] : []),
    ...(groups.length > shown.length ? [`and ${groups.length - shown.length} more groups of pools`] : []),
  ];
  const width = Math.ceil(first + columns.reduce((sum, each) => sum + each, 0) + MARGIN);
  const height = HEADER + (workloads.length + more.length) * ROW + MARGIN;
  const headers = shown.map(
    (group, index) =>
      `${text(starts[index] as number, 24, poolNames(group.pools, 2))}${text(starts[index] as number, 42, poolFacts(group), 'small')}`,
  );
  const rows = workloads.map((workload, row) => {
    const y = HEADER + row * ROW;
    const cells = shown.map((group, index) => mark(starts[index] as number, y + 17, cellOf(group, workload)));
    return `<path class="line" d="M${MARGIN} ${y}H${width - MARGIN}"/>${text(MARGIN, y + 17, workload)}${cells.join('')}`;
  });
  const rest = more.map((line, index) => text(MARGIN, HEADER + (workloads.length + index) * ROW + 17, line, 'small'));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    '<title id="title">Which workloads run on the nodes of which pools</title>',
    `<style>${STYLE}\n</style>`,
    `<rect class="back" width="${width}" height="${height}" rx="6"/>`,
    text(MARGIN, 24, 'workload', 'small'),
    ...headers,
    ...rows,
    ...rest,
    '</svg>',
  ].join('\n')}\n`;
}

interface Cell {
  readonly runs: boolean;
  readonly text: string;
}

function cellOf({ runs, excluded }: PoolGroup, workload: string): Cell {
  const found = excluded.find((each) => each.workload === workload);
  return found === undefined
    ? { runs: runs.includes(workload), text: runs.includes(workload) ? 'runs' : '' }
    : { runs: false, text: found.reason.replace('excluded from host-network nodes', 'excluded') };
}

function mark(x: number, y: number, cell: Cell): string {
  const shape = cell.runs ? 'class="runs"' : 'class="out"';
  return `<circle ${shape} cx="${x + 6}" cy="${y - 5}" r="5"/>${text(x + 18, y, cell.text, 'small')}`;
}

function widthOf(texts: readonly string[], extra = MARGIN): number {
  return Math.ceil(Math.max(...texts.map((each) => each.length)) * CHARACTER + extra + MARGIN);
}

function text(x: number, y: number, content: string, style?: string): string {
  const escaped = content.replace(
    /[&<>]/g,
    (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? '',
  );
  // XML has no way to write them
  const printable = escaped.replace(/[\u0000-\u0008\u000b-\u001f]/g, '?');
  return `<text${style === undefined ? '' : ` class="${style}"`} x="${x}" y="${y}">${printable}</text>`;
}
