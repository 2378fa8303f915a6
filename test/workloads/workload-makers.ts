import { ApiObject, App, Chart } from 'cdk8s';
import { type EdgeError, type EdgeProblem, EdgeWarnings, ExcludedWorkload, HostNetworkWorkload } from 'edge-nodepools';
import { cluster, pool } from '../bad-inputs/case.js';
import { isFullDepth } from '../depth.js';

/** Whether the workload is a property of what is made, and how that is made. */
export type Maker = [noun: string, isGiven: boolean, make: (chart: Chart, workload: any) => unknown];
/** What takes a workload. */
export const makers: Maker[] = [
  ['ExcludedWorkload', true, (chart, workload) => new ExcludedWorkload(chart, 'it', { cluster, workload })],
  [
    'HostNetworkWorkload',
    true,
    (chart, workload) => new HostNetworkWorkload(chart, 'it', { pool: pool(chart), workload }),
  ],
  [
    'ExcludedWorkload.mixin',
    false,
    (chart, workload) => {
      new ApiObject(chart, 'it', workload);
      chart.with(ExcludedWorkload.mixin({ cluster }));
    },
  ],
];

/** The problems of a refused workload, or its warnings. */
export function problemsOf(make: Maker[2], workload: object): EdgeProblem[] {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  try {
    make(new Chart(app, 'chart'), workload);
  } catch (error) {
    return [...(error as EdgeError).problems];
  }
  return EdgeWarnings.of(app);
}

/**
 * The rows that run with a maker. One rule judges the workloads of all makers, so by default every row runs with one of them, in turn; at full depth with
 * each.
 */
export function rowsFor<Row>(noun: string, rows: readonly Row[]): Row[] {
  const turn = makers.findIndex(([name]) => name === noun);
  return rows.filter((_, index) => isFullDepth || index % makers.length === turn);
}
