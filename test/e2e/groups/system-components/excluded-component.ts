import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  EdgeSystemComponents,
  EdgeWarnings,
  type ExclusionStrategy,
  type SystemComponent,
} from 'edge-nodepools';

export const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });

/** Excludes one component, by one strategy. */
export function excludeComponent(
  component: SystemComponent,
  strategy?: ExclusionStrategy,
): { system: EdgeSystemComponents; chart: Chart; partials: any[] } {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'system');
  const system = new EdgeSystemComponents(chart, 'components', { cluster, exclude: [component], strategy });
  return { system, chart, partials: system.patchChart === undefined ? [] : Testing.synth(system.patchChart) };
}

export const requiredOf = (object: any): any =>
  object.spec.template.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;

/** Whether every alternative of the stored template excludes host-network nodes. */
export function isExcluded(object: any): boolean {
  const terms: any[] = requiredOf(object)?.nodeSelectorTerms ?? [];
  const excludes = ({ key, operator, values }: any): boolean =>
    key === 'nodepool.openyurt.io/hostnetwork' && operator === 'NotIn' && values.includes('true');
  return terms.length > 0 && terms.every(({ matchExpressions = [] }) => matchExpressions.some(excludes));
}
