import type { ApiObject, Chart } from 'cdk8s';
import type { IConstruct } from 'constructs';
import type { EdgePreconditions } from './edge-preconditions.js';
import type { EdgeSystemComponents } from './edge-system-components.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { asOneSynth } from './synth-run.js';
import { requireConstruct } from './tree.js';

/** How `Chart.isChart` and `ApiObject.isApiObject` know theirs (cdk8s/lib/chart.js, api-object.js). Tests of Pulumi programs read this file without cdk8s. */
const CHART = Symbol.for('cdk8s.Chart');
const API_OBJECT = Symbol.for('cdk8s.ApiObject');

/**
 * All objects that the synth of a tree writes, as plain data: those of each chart, and those of the charts that this library adds, such as the patches of
 * system components, which are partial objects. For {@link placeFleet}, {@link footprint}, `fleetDiff` and tests.
 *
 * @param scope the app, a chart, or any construct in a chart
 * @throws {@link EdgeError} with EDGE_MISSING or EDGE_TYPE, and what the synth of a chart throws
 * @returns the objects in the order of the tree, then those of the added charts
 * @category Write the result
 */
export function manifestsOf(scope: IConstruct): KubernetesObject[] {
  requireConstruct(scope, 'manifestsOf');
  const tree = scope.node.findAll();
  const charts = tree.filter((construct): construct is Chart => CHART in construct);
  const objects = tree.filter((construct): construct is ApiObject => API_OBJECT in construct);
  const added = tree.flatMap((construct) => {
    const { patchChart, stepCharts = [] } = construct as Partial<EdgeSystemComponents & EdgePreconditions>;
    return [...(patchChart === undefined ? [] : [patchChart]), ...stepCharts];
  });
  // an object that is in none of the charts is in a chart above the scope
  const isInChart = (object: ApiObject): boolean => charts.includes(object.chart);
  return [
    ...objects.filter((object) => !isInChart(object)).map((object) => object.toJson() as KubernetesObject),
    ...asOneSynth(scope, () =>
      [...new Set([...charts, ...added])].flatMap((chart) => chart.toJson() as KubernetesObject[]),
    ),
  ];
}
