import { Chart } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { requireConstruct } from './parent.js';

/**
 * All objects that the synth of a tree writes, as plain data: those of each chart, and those of the charts that this library adds, such as the patches of
 * system components, which are partial objects. For {@link placeFleet}, {@link footprint}, {@link fleetDiff} and tests.
 *
 * @param scope the app, or one chart without the charts that this library adds to the app
 * @throws {@link EdgeError} with EDGE_MISSING or EDGE_TYPE, and what the synth of a chart throws
 * @returns the objects of each chart, in the order of the tree
 * @category Write the result
 */
export function manifestsOf(scope: IConstruct): Record<string, unknown>[] {
  requireConstruct(scope, 'manifestsOf');
  return scope.node
    .findAll()
    .filter((construct) => Chart.isChart(construct))
    .flatMap((chart) => chart.toJson() as Record<string, unknown>[]);
}
