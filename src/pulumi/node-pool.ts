import type * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import type { Plan } from '../cluster/plan.js';
import type { Scope } from '../cluster/scope.js';
import { type NodePoolAttributes, planNodePool, type PoolKind } from '../pools/node-pool.js';
import type { NodePoolInput } from '../pools/node-pool-props.js';
import { EdgeComponent } from './component.js';
import { Declaration } from './declaration.js';
import type { AsOutputs } from './inputs.js';
import { logError } from './log.js';
import { clusterOfProgram, defineOutputs, noteAttributes } from './outputs.js';
import { Program } from './program.js';

/**
 * Attributes of a pool: {@link NodePoolAttributes} as Outputs, except for the cluster, the mode and the reservation.
 *
 * @category Declare pools
 */
export interface INodePool extends AsOutputs<NodePoolAttributes, 'cluster' | 'hostNetwork' | 'reservation'> {}

type AsOutput = <T>(part: T) => pulumi.Output<T>;

/** Gives a pool its attributes, and returns those that are Outputs; plans of other components get the planned attributes. */
function giveAttributes(pool: object, attributes: NodePoolAttributes, output: AsOutput): object {
  noteAttributes(pool, attributes);
  const { cluster, hostNetwork, reservation, ...rest } = attributes;
  Object.assign(pool, { cluster: clusterOfProgram(cluster), hostNetwork, reservation });
  const late = Object.entries(rest).filter(([, value]) => value !== undefined);
  defineOutputs(pool, Object.fromEntries(late.map(([name, value]) => [name, () => output(value)])));
  return Object.fromEntries(late);
}

/**
 * Base class of {@link HostNetworkNodePool} and {@link RegularNodePool}.
 *
 * @category Declare pools
 */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging -- the constructor gives it the attributes
export abstract class NodePoolComponent extends EdgeComponent {
  /** The NodePool; undefined without OpenYurt, where a pool consists of its labels, taints and workloads. */
  declare public readonly nodePool?: k8s.apiextensions.CustomResource;

  /** @internal */
  protected constructor(
    kind: PoolKind,
    name: string,
    args: object,
    options: pulumi.ComponentResourceOptions | undefined,
  ) {
    super(kind.subject, name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, input, output, resources } = this.render(args ?? {}, poolPlan(kind));
    Object.assign(this, { nodePool: resources[0] });
    this.registerOutputs(input(giveAttributes(this, attributes, output)));
  }
}

// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging -- see above
export interface NodePoolComponent extends INodePool {}

/** The plan of the pools of a kind. */
export function poolPlan(kind: PoolKind): (args: NodePoolInput, scope: Scope) => Plan<NodePoolAttributes> {
  return (args, scope) => planNodePool(kind, args, scope);
}

/** A pool that is created elsewhere: attributes without a resource. */
export function importedPool(kind: PoolKind, args: object): INodePool {
  const { poolName } = args as { readonly poolName?: unknown };
  const path = typeof poolName === 'string' ? poolName : 'of a pool';
  const rule = (input: NodePoolInput, scope: Scope): NodePoolAttributes => planNodePool(kind, input, scope).attributes;
  const declaration = new Declaration(path, args, rule, Program.current(), {
    subject: `${kind.subject} ${path}`,
    refused: (error) => logError(error),
    isData: () => false,
    warned: () => undefined,
  });
  const pool = {};
  giveAttributes(pool, declaration.made, (part) => declaration.output(part));
  return pool as INodePool;
}
