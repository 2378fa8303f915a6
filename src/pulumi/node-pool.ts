import * as pulumi from '@pulumi/pulumi';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { NodePoolInput } from '../pools/node-pool-props.js';
import { isMap, type PlainMap } from '../validation/plain-data.js';
import { describePool, type Pool, type PoolInput } from '../pools/pool.js';
import type { NodeReservation } from '../reservation/node-reservation.js';
import type { Taint, Toleration } from '../kubernetes/taint.js';
import { planNodePool, type PoolKind } from '../pools/node-pool.js';
import { EdgeComponent } from './component.js';
import type { Deployment } from './deployment.js';
import { Planned } from './planned.js';
import { resourceOf } from './resource.js';

/**
 * What every pool answers to its users, whether it is made here or elsewhere.
 *
 * @category Declare pools
 */
export interface INodePool {
  /** The cluster of the pool. */
  readonly cluster: EdgeCluster;
  /** Name of the pool; a legal node label value. */
  readonly poolName: pulumi.Output<string>;
  /** Whether its nodes run only hostNetwork Pods. */
  readonly hostNetwork: boolean;
  /** Labels that a node must carry when it joins. */
  readonly joinLabels: pulumi.Output<Record<string, string>>;
  /** Taints that a node must carry when it registers. */
  readonly registrationTaints: pulumi.Output<Taint[]>;
  /** All taints of the pool's nodes. */
  readonly taints: pulumi.Output<Taint[]>;
  /** Selects the nodes of the pool. */
  readonly nodeSelector: pulumi.Output<Record<string, string>>;
  /** Tolerations that a workload needs on the pool. */
  readonly tolerations: pulumi.Output<Toleration[]>;
  /** What each of its nodes keeps for itself; joins of the pool use it.
   * @default - not said */
  readonly reservation?: NodeReservation;
}

// openyurt pkg/yurtmanager/webhook/nodepool: fields that ValidateUpdate refuses to change
const IMMUTABLE = ['spec.type', 'spec.hostNetwork', 'spec.interConnectivity'];

/** How pools were declared: what other components plan with. */
const declared = new WeakMap<object, PlainMap>();

/** A pool as plain data, Inputs and all, for the plan of another component; what is no pool stays what it is. */
export function declarationOfPool(pool: unknown): unknown {
  return (typeof pool === 'object' && pool !== null ? declared.get(pool) : undefined) ?? pool;
}

/** The pool that a declaration describes, inside of a plan. */
export function poolOf(pool: unknown): Pool {
  return isMap(pool) && 'mode' in pool ? describePool(pool as unknown as PoolInput) : (pool as Pool);
}

function answersOf(pool: object, planned: Planned<NodePoolInput, { readonly pool: Pool }>, as: PlainMap): INodePool {
  declared.set(pool, as);
  const output = (select: (pool: Pool) => unknown): pulumi.Output<never> =>
    pulumi.output<unknown>(planned.lift((plan) => select(plan.pool)));
  const { cluster, hostNetwork, reservation } = planned.plan.pool;
  return {
    cluster,
    hostNetwork,
    reservation,
    poolName: output(({ poolName }) => poolName),
    joinLabels: output(({ joinLabels }) => joinLabels),
    registrationTaints: output(({ registrationTaints }) => registrationTaints),
    taints: output(({ taints }) => taints),
    nodeSelector: output(({ nodeSelector }) => nodeSelector),
    tolerations: output(({ tolerations }) => tolerations),
  };
}

function note(deployment: Deployment, planned: Planned<NodePoolInput, { readonly pool: Pool }>): void {
  const name = planned.lift(({ pool }) => pool.poolName);
  if (pulumi.Output.isInstance(name)) {
    deployment.noteLateName(planned.plan.pool.poolName, name as pulumi.Output<string>);
  }
  deployment.checkLists(planned.plan.pool);
}

/**
 * What all pool components share; see {@link HostNetworkNodePool} and {@link EdgeNodePool}.
 *
 * @category Declare pools
 */
export abstract class NodePoolComponent extends EdgeComponent implements INodePool {
  public readonly cluster!: EdgeCluster;
  public readonly poolName!: pulumi.Output<string>;
  public readonly hostNetwork!: boolean;
  public readonly joinLabels!: pulumi.Output<Record<string, string>>;
  public readonly registrationTaints!: pulumi.Output<Taint[]>;
  public readonly taints!: pulumi.Output<Taint[]>;
  public readonly nodeSelector!: pulumi.Output<Record<string, string>>;
  public readonly tolerations!: pulumi.Output<Toleration[]>;
  public readonly reservation?: NodeReservation;
  /** The NodePool; undefined without OpenYurt, where a pool is what its labels, taints and workloads say. */
  public readonly nodePool?: pulumi.CustomResource;

  /** @internal */
  protected constructor(
    kind: Omit<PoolKind, 'makesObject'>,
    name: string,
    args: object,
    options: pulumi.ComponentResourceOptions | undefined,
  ) {
    super(kind.subject, name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const planned = this.planned(args ?? {}, (input: NodePoolInput, declaration) =>
      planNodePool({ ...kind, makesObject: true }, input, declaration),
    );
    const answers = this.attempt(() => answersOf(this, planned, { ...args, mode: kind.mode }));
    Object.assign(this, answers);
    this.attempt(() => note(this.deployment, planned));
    const { manifest } = planned.plan;
    if (manifest !== undefined) {
      const object = this.attempt(() => planned.lift((plan) => plan.manifest, 2)) as typeof manifest;
      this.nodePool = resourceOf(name, object, {
        parent: this,
        // what can not be changed is made anew, and never beside the old one: both have the same name
        replaceOnChanges: IMMUTABLE,
        deleteBeforeReplace: true,
      });
    }
    this.warn(answers.cluster, []);
    const { poolName, joinLabels, registrationTaints, taints, nodeSelector, tolerations } = answers;
    this.registerOutputs({ poolName, joinLabels, registrationTaints, taints, nodeSelector, tolerations });
  }
}

/** A pool that is made elsewhere: no resource, only its answers. */
export function importedPool(kind: Omit<PoolKind, 'makesObject'>, args: object, deployment: Deployment): INodePool {
  const { poolName } = args as { readonly poolName?: unknown };
  const path = typeof poolName === 'string' ? poolName : 'of a pool';
  const planned = new Planned(
    args,
    (input: NodePoolInput, declaration) => planNodePool({ ...kind, makesObject: false }, input, declaration),
    { path, fleets: deployment.fleets },
    `${kind.subject} ${path}`,
    deployment,
  );
  const pool = {};
  Object.assign(pool, answersOf(pool, planned, { ...args, mode: kind.mode }));
  note(deployment, planned);
  return pool as INodePool;
}
