import type { SystemComponentReport } from 'edge-nodepools';

/** The report of EdgeSystemComponents as a text table, with notes below it. */
export function reportTable(report: readonly SystemComponentReport[]): string {
  const rows = [
    ['WORKLOAD', 'EXCLUDED BY', 'APPLY AGAIN AFTER'],
    ...report.map(({ workload, strategies, lostAfter }) =>
      strategies.length === 0
        ? [workload, 'nothing, see below', '-']
        : [workload, strategies.join(' + '), lostAfter.join(', ') || '-'],
    ),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const table = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const notes = new Map(report.flatMap(({ component, note }) => (note === undefined ? [] : [[component, note]])));
  return [...table, ...[...notes].map(([component, note]) => `\n${component}: ${note}`)].join('\n');
}
