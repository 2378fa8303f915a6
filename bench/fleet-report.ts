/** Writes what `npm run bench` has measured to docs/performance.md and docs/fleet-costs.svg. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import type { Peer, Shape } from './fleet-peers';

export interface Cost {
  readonly seconds: number;
  readonly megabytes: number;
}

/** Costs of each program at one size; nothing of one that would take too long. */
export interface Row {
  readonly shape: Shape;
  readonly count: number;
  readonly costs: ReadonlyMap<string, Cost>;
  /** Median over the rounds of what this library takes, by what the program takes. */
  readonly ratios: ReadonlyMap<string, number>;
}

/** A second synth without a change, in `costs` and `ratios`. */
export const AGAIN = 'again';

const docs = resolve(__dirname, '..', 'docs');
const BEGIN = '<!-- measured: npm run bench -->';
const END = '<!-- end measured -->';
const OURS = 'edge-nodepools';

const TITLES: Readonly<Record<Shape, string>> = {
  flat: 'One chart, a pool for each site',
  charts: 'A chart for each site, with its pool',
  sites: 'A chart for each site, with 100 objects',
  included:
    'A chart for each site, with 100 Deployments of a file (`Include`) that the mixin excludes; cdk8s includes what is excluded already',
  warned: 'A chart for each site, with its pool and a workload that has a warning',
};

export function writeReport(rows: readonly Row[], programs: readonly Peer[]): void {
  const page = join(docs, 'performance.md');
  const text = readFileSync(page, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) {
    throw new Error(`docs/performance.md has no lines ${BEGIN} and ${END}`);
  }
  const names = programs.map(({ name }) => name);
  writeFileSync(
    page,
    `${text.slice(0, begin)}${BEGIN}\n<!-- prettier-ignore-start -->\n\n${report(rows, names)}\n<!-- prettier-ignore-end -->\n${text.slice(end)}`,
  );
  writeFileSync(join(docs, 'fleet-costs.svg'), picture(rows, names));
}

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', cwd: docs }).trim();

function report(rows: readonly Row[], names: readonly string[]): string {
  const [processor] = cpus();
  const machine = `${cpus().length} x ${processor?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.versions.node}`;
  const date = new Date().toISOString().slice(0, 10);
  const head = `Measured on ${date}, commit ${git('rev-parse', '--short=8', 'HEAD')}, ${machine}.`;
  const shapes = [...new Set(rows.map(({ shape }) => shape))];
  return [head, ...shapes.map((shape) => table(shape, rows, names))].join('\n\n') + '\n';
}

function table(shape: Shape, rows: readonly Row[], names: readonly string[]): string {
  const ofShape = rows.filter((row) => row.shape === shape);
  const others = names.filter((name) => name !== OURS && ofShape.some(({ costs }) => costs.has(name)));
  const columns = [OURS, AGAIN, ...others];
  const titles = columns.map((name) => (name === AGAIN ? 'again, unchanged' : name));
  const lines = ofShape.map((row) => {
    const cells = columns.map((name) => cell(row, name));
    return `| ${row.count.toLocaleString('en')} | ${cells.join(' | ')} |`;
  });
  const exponents = columns.map((name) => exponent(ofShape, name)?.toFixed(2) ?? '-');
  return [
    `${TITLES[shape]}:`,
    '',
    `| sites | ${titles.join(' | ')} |`,
    `| ---: |${' ---: |'.repeat(columns.length)}`,
    ...lines,
    `| exponent | ${exponents.join(' | ')} |`,
  ].join('\n');
}

/** Seconds and memory; of others also what this library takes by what they take. */
function cell(row: Row, name: string): string {
  const cost = row.costs.get(name);
  if (cost === undefined) {
    return 'not run';
  }
  const figures = `${cost.seconds.toFixed(cost.seconds < 10 ? 2 : 0)} s, ${cost.megabytes.toFixed(0)} MB`;
  if (name === OURS) {
    return figures;
  }
  const ratio = name === AGAIN ? cost.seconds / (row.costs.get(OURS)?.seconds ?? NaN) : row.ratios.get(name);
  return `${figures} (${(ratio ?? NaN).toFixed(2)}x)`;
}

/** By least squares over the sizes, without what a program takes to start, which is what it took at the least size. */
function exponent(rows: readonly Row[], name: string): number | undefined {
  const start = rows[0]?.costs.get(name)?.seconds ?? 0;
  const points = rows.slice(1).flatMap((row) => {
    const seconds = (row.costs.get(name)?.seconds ?? 0) - start;
    return seconds > 0 ? [[Math.log(row.count), Math.log(seconds)] as const] : [];
  });
  if (points.length < 2) {
    return undefined;
  }
  const mean = (axis: 0 | 1): number => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const over = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return over / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

const PANEL = { width: 272, height: 240, left: 40, top: 32 };
const COLORS = ['a', 'b', 'c', 'd', 'e', 'f'];

/** One panel for each shape; both axes are logarithmic. */
function picture(rows: readonly Row[], names: readonly string[]): string {
  const shapes = [...new Set(rows.filter(({ costs }) => costs.size > 3).map(({ shape }) => shape))];
  const width = shapes.length * (PANEL.width + PANEL.left) + 24;
  const height = PANEL.height + PANEL.top + 72;
  const legend = names.map((name, index) => {
    const x = PANEL.left + index * 130;
    const y = height - 16;
    return `<path class="line ${COLORS[index]}" d="M${x} ${y - 4}h20"/><text x="${x + 26}" y="${y}">${name}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title id="title">CPU time by number of sites; both axes are logarithmic</title>
<style>
.back { fill: #ffffff; }
text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #1f2328; }
.small { font-size: 10px; fill: #59636e; }
.grid { stroke: #d1d9e0; }
.line { fill: none; stroke-width: 2; }
.a { stroke: #0969da; stroke-width: 3; } .b { stroke: #cf222e; } .c { stroke: #1a7f37; } .d { stroke: #8250df; } .e { stroke: #bc4c00; } .f { stroke: #59636e; }
@media (prefers-color-scheme: dark) {
  .back { fill: #0d1117; }
  text { fill: #f0f6fc; }
  .small { fill: #9198a1; }
  .grid { stroke: #30363d; }
  .a { stroke: #4493f8; } .b { stroke: #f85149; } .c { stroke: #3fb950; } .d { stroke: #ab7df8; } .e { stroke: #db6d28; } .f { stroke: #9198a1; }
}
</style>
<rect class="back" width="${width}" height="${height}" rx="6"/>
${shapes.map((shape, index) => panel(shape, index * (PANEL.width + PANEL.left), rows, names)).join('\n')}
${legend.join('')}
</svg>
`;
}

function panel(shape: Shape, offset: number, rows: readonly Row[], names: readonly string[]): string {
  const ofShape = rows.filter((row) => row.shape === shape);
  const counts = ofShape.map(({ count }) => count);
  const [least, most] = [0.1, 1000];
  const scale = (value: number, from: number, to: number, length: number): number =>
    ((Math.log(value) - Math.log(from)) / (Math.log(to) - Math.log(from))) * length;
  const x = (count: number): number =>
    offset + PANEL.left + scale(count, Math.min(...counts), Math.max(...counts), PANEL.width - 24);
  const y = (seconds: number): number =>
    PANEL.top + PANEL.height - scale(Math.max(seconds, least), least, most, PANEL.height);
  const right = offset + PANEL.left + PANEL.width - 24;
  const grid = [0.1, 1, 10, 100, 1000].map(
    (seconds) =>
      `<path class="grid" d="M${offset + PANEL.left} ${y(seconds).toFixed(1)}H${right}"/><text class="small" text-anchor="end" x="${offset + PANEL.left - 4}" y="${(y(seconds) + 3).toFixed(1)}">${seconds} s</text>`,
  );
  const ticks = counts.map(
    (count) =>
      `<text class="small" text-anchor="middle" x="${x(count).toFixed(1)}" y="${PANEL.top + PANEL.height + 16}">${count < 1000 ? count : `${count / 1000}k`}</text>`,
  );
  const lines = names.map((name, index) => {
    const points = ofShape.flatMap((row) => {
      const cost = row.costs.get(name);
      return cost === undefined ? [] : [`${x(row.count).toFixed(1)} ${y(cost.seconds).toFixed(1)}`];
    });
    return `<path class="line ${COLORS[index]}" d="M${points.join('L')}"/>`;
  });
  return `<text x="${offset + PANEL.left}" y="20">${TITLES[shape]}</text>${grid.join('')}${ticks.join('')}${lines.reverse().join('')}`;
}
