import type * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Taint, Toleration } from '../kubernetes/taint.js';
import { type NodePoolAttributes, planNodePool, type PoolKind } from '../pools/node-pool.js';
import type { NodePoolInput } from '../pools/node-pool-props.js';
import type { NodeReservation } from '../reservation/node-reservation.js';
import { EdgeComponent } from './component.js';
import { Declaration } from './declaration.js';
import { logError } from './log.js';
import { clusterOfProgram, defineOutputs, noteAttributes } from './outputs.js';
import { Program } from './program.js';

/**
 * Attributes of a pool: {@link NodePoolAttributes} as Outputs.
 *
 * @category Declare pools
 */
export interface INodePool {
  /** The cluster of the pool. */
  readonly cluster: EdgeCluster;
  /** Name of the pool; a valid node label value. */
  readonly poolName: pulumi.Output<string>;
  /** Whether its nodes run only hostNetwork Pods. */
  readonly hostNetwork: boolean;
  /** Type of the pool, `spec.type` of the NodePool. */
  readonly type: pulumi.Output<'Edge' | 'Cloud'>;
  /** Labels that a node must have when it joins: the membership label, the host-network label, and without OpenYurt the labels of the pool. */
  readonly joinLabels: pulumi.Output<Record<string, string>>;
  /** Taints that a node must have when it registers. */
  readonly registrationTaints: pulumi.Output<Taint[]>;
  /** All taints of the pool's nodes. */
  readonly taints: pulumi.Output<Taint[]>;
  /** Node selector for the nodes of the pool. */
  readonly nodeSelector: pulumi.Output<Record<string, string>>;
  /** Tolerations that a workload needs on the pool. */
  readonly tolerations: pulumi.Output<Toleration[]>;
  /** Expected number of nodes in the pool.
   * @default - unknown */
  readonly expectedNodes?: pulumi.Output<number>;
  /** Resources that each of its nodes reserves; joins of the pool use it.
   * @default - nothing */
  readonly reservation?: NodeReservation;
}

type AsOutput = <T>(part: T) => pulumi.Output<T>;

/** The attributes of a pool that are Outputs. */
const OUTPUTS = [
  'poolName',
  'type',
  'joinLabels',
  'registrationTaints',
  'taints',
  'nodeSelector',
  'tolerations',
] as const;

/** Gives a pool its attributes, as Outputs; plans of other components get the planned attributes. */
function giveAnswers(pool: object, answers: NodePoolAttributes, output: AsOutput): void {
  noteAttributes(pool, answers);
  const { cluster, hostNetwork, reservation, expectedNodes } = answers;
  Object.assign(pool, { cluster: clusterOfProgram(cluster), hostNetwork, reservation });
  const names = [...OUTPUTS, ...(expectedNodes === undefined ? [] : (['expectedNodes'] as const))];
  const make = (name: string): unknown => output(answers[name as (typeof names)[number]]);
  defineOutputs(pool, Object.fromEntries(names.map((name) => [name, make])));
}

/**
 * Base class of {@link HostNetworkNodePool} and {@link EdgeNodePool}.
 *
 * @category Declare pools
 */
export abstract class NodePoolComponent extends EdgeComponent implements INodePool {
  declare public readonly cluster: EdgeCluster;
  declare public readonly poolName: pulumi.Output<string>;
  declare public readonly hostNetwork: boolean;
  declare public readonly type: pulumi.Output<'Edge' | 'Cloud'>;
  declare public readonly joinLabels: pulumi.Output<Record<string, string>>;
  declare public readonly registrationTaints: pulumi.Output<Taint[]>;
  declare public readonly taints: pulumi.Output<Taint[]>;
  declare public readonly nodeSelector: pulumi.Output<Record<string, string>>;
  declare public readonly tolerations: pulumi.Output<Toleration[]>;
  declare public readonly expectedNodes?: pulumi.Output<number>;
  declare public readonly reservation?: NodeReservation;
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
    const { answers, input, output, resources } = this.render(args ?? {}, (given: NodePoolInput, scope) =>
      planNodePool(kind, given, scope),
    );
    giveAnswers(this, answers, output);
    Object.assign(this, { nodePool: resources[0] });
    const { poolName, joinLabels, registrationTaints, taints, nodeSelector, tolerations } = answers;
    this.registerOutputs(input({ poolName, joinLabels, registrationTaints, taints, nodeSelector, tolerations }));
  }
}

/** A pool that is created elsewhere: attributes without a resource. */
export function importedPool(kind: PoolKind, args: object): INodePool {
  const { poolName } = args as { readonly poolName?: unknown };
  const path = typeof poolName === 'string' ? poolName : 'of a pool';
  const rule = (input: NodePoolInput, scope: Parameters<typeof planNodePool>[2]): NodePoolAttributes =>
    planNodePool(kind, input, scope).answers;
  const declaration = new Declaration(path, args, rule, Program.current(), {
    subject: `${kind.subject} ${path}`,
    refused: (error) => logError(error),
    isData: () => false,
    warned: () => undefined,
  });
  const pool = {};
  giveAnswers(pool, declaration.made, (part) => declaration.output(part));
  return pool as INodePool;
}
