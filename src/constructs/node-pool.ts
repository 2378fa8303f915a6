import { ApiObject } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';
import { ProblemList } from '../errors.js';
import type { EdgeCluster } from '../manifests/edge-cluster.js';
import type { KubernetesObject } from '../manifests/kubernetes-object.js';
import { nodePoolManifest } from '../manifests/node-pool.js';
import { checkNodePool, type NodePoolInput } from '../manifests/node-pool-props.js';
import { describePool, type PoolMode, taintsOf } from '../manifests/pool.js';
import type { Taint, Toleration } from '../manifests/taint.js';
import { withoutNamespace } from './cluster-scoped.js';
import { fleetOf } from './fleet-registry.js';
import { addClusterWarnings } from './warnings.js';

/**
 * What every pool answers to its users, whether it is made here or elsewhere.
 *
 * @category Declare pools
 */
export interface INodePool extends IConstruct {
  /** The cluster of the pool. */
  readonly cluster: EdgeCluster;
  /** Name of the pool; a legal node label value. */
  readonly poolName: string;
  /** Whether its nodes run only hostNetwork Pods. */
  readonly hostNetwork: boolean;
  /** Labels that a node must carry when it joins: membership, the host-network label, and without OpenYurt the pool's own labels. */
  readonly joinLabels: Readonly<Record<string, string>>;
  /** Taints that a node must carry when it registers. */
  readonly registrationTaints: readonly Taint[];
  /** All taints of the pool's nodes. */
  readonly taints: readonly Taint[];
  /** Selects the nodes of the pool. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Tolerations that a workload needs on the pool. */
  readonly tolerations: readonly Toleration[];
  /** How many nodes the pool is meant to have.
   * @default - not said */
  readonly expectedNodes?: number;
}

/**
 * What all pool constructs share; see {@link HostNetworkNodePool} and {@link EdgeNodePool}.
 *
 * @category Declare pools
 */
export abstract class NodePoolConstruct extends Construct implements INodePool {
  public readonly cluster: EdgeCluster;
  public readonly poolName: string;
  public readonly hostNetwork: boolean;
  public readonly joinLabels: Readonly<Record<string, string>>;
  public readonly registrationTaints: readonly Taint[];
  public readonly taints: readonly Taint[];
  public readonly nodeSelector: Readonly<Record<string, string>>;
  public readonly tolerations: readonly Toleration[];
  public readonly expectedNodes?: number;

  /**
   * @param scope parent
   * @param id construct id
   * @param subject name of the class, for errors
   * @param mode kind of pool
   * @param input everything about the pool
   * @param makesObject whether the NodePool object is made here
   */
  protected constructor(
    scope: Construct,
    id: string,
    subject: string,
    mode: PoolMode,
    input: NodePoolInput,
    makesObject: boolean,
  ) {
    super(scope, id);
    const problems = new ProblemList();
    checkNodePool(mode, input ?? {}, problems);
    if (problems.problems.length === 0) {
      this.declare(mode, input, makesObject, problems);
    }
    problems.throwIfAny(`${subject} ${this.node.path}`);

    const pool = describePool({ ...input, mode });
    this.cluster = pool.cluster;
    this.poolName = pool.poolName;
    this.hostNetwork = pool.hostNetwork;
    this.joinLabels = pool.joinLabels;
    this.registrationTaints = pool.registrationTaints;
    this.taints = pool.taints;
    this.nodeSelector = pool.nodeSelector;
    this.tolerations = pool.tolerations;
    this.expectedNodes = pool.expectedNodes;
    addClusterWarnings(this, pool.cluster);
    const manifest: KubernetesObject | undefined = makesObject ? nodePoolManifest(mode, input) : undefined;
    if (manifest !== undefined) {
      withoutNamespace(new ApiObject(this, 'Resource', manifest));
    }
  }

  private declare(mode: PoolMode, input: NodePoolInput, makesObject: boolean, problems: ProblemList): void {
    const { pools } = fleetOf(this, input.cluster);
    const earlier = pools.get(input.poolName);
    const hostNetwork = mode === 'host-network';
    const carries = JSON.stringify(taintsOf(input));
    const at = problems.at('poolName');
    if (earlier?.madeBy !== undefined && makesObject) {
      at.add(
        'EDGE_DUPLICATE',
        `the pool ${input.poolName} is already made by ${earlier.madeBy}`,
        'give each pool a name of its own (or each cluster a name, if these are two clusters)',
      );
    } else if (earlier !== undefined && (earlier.hostNetwork !== hostNetwork || earlier.carries !== carries)) {
      at.add(
        'EDGE_CONTRADICTION',
        `the pool ${input.poolName} is declared twice in this tree, with other taints or another mode`,
        'use the construct that makes the pool everywhere, or say the same taints in fromPoolName',
      );
    }
    if (problems.problems.length === 0 && (earlier === undefined || makesObject)) {
      pools.set(input.poolName, { hostNetwork, carries, ...(makesObject ? { madeBy: this.node.path } : {}) });
    }
  }
}
