import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  EdgeSystemComponents,
  EdgeWarnings,
  type KeepOffStrategy,
  type SystemComponent,
} from 'edge-nodepools';

export const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });

/** Keeps one component off, by one strategy. */
export function keepOff(
  component: SystemComponent,
  strategy?: KeepOffStrategy,
): { system: EdgeSystemComponents; chart: Chart; partials: any[] } {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'system');
  const system = new EdgeSystemComponents(chart, 'components', { cluster, keepOff: [component], strategy });
  return { system, chart, partials: system.patchChart === undefined ? [] : Testing.synth(system.patchChart) };
}

export const requiredOf = (object: any): any =>
  object.spec.template.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;

/** Whether every alternative of the stored template keeps off host-network nodes. */
export function isKeptOff(object: any): boolean {
  const terms: any[] = requiredOf(object)?.nodeSelectorTerms ?? [];
  const excludes = ({ key, operator, values }: any): boolean =>
    key === 'nodepool.openyurt.io/hostnetwork' && operator === 'NotIn' && values.includes('true');
  return terms.length > 0 && terms.every(({ matchExpressions = [] }) => matchExpressions.some(excludes));
}
