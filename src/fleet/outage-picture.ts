import { svgEscaped, svgPicture, svgText, textWidth } from '../base/svg.js';
import { countText, rangeText } from './outage-text.js';
import type { OutageReport } from './outage.js';
import type { WorkloadOutage } from './workload-outage.js';

const ROW = 30;
const HEADER = 58;
const MARGIN = 12;
const TIME = 560;
const MOST_ROWS = 40;

const LIGHT = [
  '.line { stroke: #d1d9e0; }',
  '.runs { fill: #1a7f37; }',
  '.silent { fill: #9a6700; }',
  '.perhaps { fill: #bc4c00; fill-opacity: 0.4; }',
  '.evicted { fill: #bc4c00; }',
  '.elsewhere { fill: #0969da; }',
];

/** A part of a row: what the API server says of the Pods, from one time to another. */
interface Part {
  readonly style: string;
  readonly from: number;
  readonly until: number;
}

/** The workloads with Pods on Nodes that are unreachable over time, as SVG: Ready, not Ready, perhaps evicted, evicted, and their replacements below. */
export function outagePicture(report: OutageReport): string {
  const there = report.workloads.filter(({ outcome }) => outcome !== 'not there');
  const shown = there.slice(0, MOST_ROWS);
  const end = endOf(report);
  const first = Math.ceil(Math.max(60, ...shown.map((each) => textWidth(titleOf(each))))) + 2 * MARGIN;
  const x = (time: number): number => Math.round(first + (Math.min(time, end) / end) * TIME);
  const width = first + TIME + MARGIN;
  const more = there.length > shown.length ? [`and ${there.length - shown.length} more workloads`] : [];
  const height = HEADER + (shown.length + more.length + 1) * ROW + MARGIN;
  const ticks = ticksOf(end).map(
    (time) =>
      `<path class="line" d="M${x(time)} ${HEADER - 10}V${height - ROW - MARGIN}"/>${svgText(x(time) + 3, 42, time < 120 ? `${time} s` : `${time / 60} min`, 'small')}`,
  );
  const rows = shown.map((workload, index) => {
    const y = HEADER + index * ROW;
    const bars = partsOf(workload, report, end).map(({ style, from, until }) =>
      bar(
        style,
        x(from),
        y + (style === 'elsewhere' ? 18 : 8),
        Math.max(1, x(until) - x(from)),
        style === 'elsewhere' ? 4 : 9,
      ),
    );
    const said = `${countText(workload.pods)} Pods: ${workload.outcome}${workload.evictedAt === undefined ? '' : ` ${rangeText(workload.evictedAt)}`}`;
    return `<g><title>${svgEscaped(said)}</title>${svgText(MARGIN, y + 17, titleOf(workload))}${bars.join('')}</g>`;
  });
  const last = HEADER + shown.length * ROW + 17;
  const legend = [
    ['runs', 'Ready'],
    ['silent', 'not Ready, runs on'],
    ['perhaps', 'perhaps evicted'],
    ['evicted', 'evicted, runs on'],
    ['elsewhere', 'replacement'],
  ].map(([style = '', what = ''], index) => {
    const at = MARGIN + index * 138;
    return `${bar(style, at, height - 24, 10, 10)}${svgText(at + 15, height - 15, what, 'small')}`;
  });
  const away = report.nodesAway === 1 ? '1 Node is' : `${report.nodesAway} Nodes are`;
  return svgPicture({
    title: 'What the outage does to the Pods on the Nodes that are unreachable',
    ...{ width: Math.max(width, 720), height, light: LIGHT, dark: ['.line { stroke: #3d444d; }'] },
    parts: [
      svgText(MARGIN, 24, `${away} unreachable`),
      ...ticks,
      ...rows,
      ...more.map((line) => svgText(MARGIN, last, line, 'small')),
      ...legend,
    ],
  });
}

const titleOf = ({ workload, pool }: WorkloadOutage): string =>
  pool === undefined ? workload : `${workload} in ${pool}`;

/** The end of the picture: that of the outage and a tenth more, or all that happens and a fifth more. */
export function endOf({ lasts, workloads, zones, notReadyAt }: OutageReport): number {
  if (lasts !== undefined) {
    return Math.max(10, lasts * 1.1);
  }
  const times = [
    ...workloads.map(({ evictedAt }) => evictedAt),
    ...zones.map(({ taintedAt }) => taintedAt),
    notReadyAt,
  ];
  return (
    Math.max(120, ...times.flatMap((range) => (range === undefined ? [] : [range.latest ?? range.earliest]))) * 1.2
  );
}

function ticksOf(end: number): number[] {
  const step =
    [10, 30, 60, 120, 300, 600, 1800, 3600, 7200].find((seconds) => end / seconds <= 8) ?? 60 * Math.ceil(end / 480);
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step);
}

/** What the Pods of the Nodes do when the network is back: evicted ones end, and others start there, if the controller has waited for it. */
function styleAfter({ outcome, evictedAt, then }: WorkloadOutage): string | undefined {
  return evictedAt === undefined || then === 'waits for a Node' || then === 'waits for the same Node'
    ? 'runs'
    : outcome === 'perhaps evicted'
      ? 'perhaps'
      : undefined;
}

/** What is said of the Pods of a workload over time, on their Nodes and of their replacements. */
export function partsOf(workload: WorkloadOutage, { notReadyAt, lasts = Infinity }: OutageReport, end: number): Part[] {
  const { evictedAt, doubled } = workload;
  const after = styleAfter(workload);
  const over = Math.min(lasts, end);
  const silent = Math.min(notReadyAt?.latest ?? over, over);
  const first = Math.min(evictedAt?.earliest ?? over, over);
  const last = Math.min(evictedAt?.latest ?? over, over);
  return [
    { style: 'runs', from: 0, until: Math.min(silent, first) },
    { style: 'silent', from: silent, until: first },
    { style: 'perhaps', from: first, until: last },
    { style: 'evicted', from: last, until: over },
    ...(after === undefined ? [] : [{ style: after, from: over, until: end }]),
    ...(doubled ? [{ style: 'elsewhere', from: first, until: end }] : []),
  ].filter(({ from, until }) => until > from);
}

function bar(style: string, x: number, y: number, width: number, height: number): string {
  return `<rect class="${style}" x="${x}" y="${y}" width="${width}" height="${height}"/>`;
}
