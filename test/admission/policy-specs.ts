import { EdgeCluster, type PoolAdmissionProps } from 'edge-nodepools';
import { planPoolAdmission } from '../../src/admission/pool-admission.js';
import { planScope } from '../plan-scope.js';

/** The spec of one policy of a declaration. */
export function specOf(
  name: string,
  props: Partial<PoolAdmissionProps> = {},
  openYurt = '1.7',
  kubernetes = '1.36',
): any {
  const cluster = EdgeCluster.of({ openYurt, kubernetes });
  const objects = planPoolAdmission({ cluster, ...props }, planScope()).objects.map(({ object }) => object);
  return objects.find(({ kind, metadata }) => kind.endsWith('Policy') && metadata?.name === `edge-nodepools-${name}`)
    ?.spec;
}

/** Expressions by name. */
export const text = (named: { name: string; expression: string }[]): Record<string, string> =>
  Object.fromEntries(named.map(({ name, expression }) => [name, expression]));

export const expressions = (validations: { expression: string }[]): string[] =>
  validations.map(({ expression }) => expression);
