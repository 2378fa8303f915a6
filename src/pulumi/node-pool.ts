import type * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { type NodePoolAttributes, planNodePool, type PoolKind } from '../pools/node-pool.js';
import type {
  HostNetworkNodePoolProps,
  ImportedHostNetworkNodePoolProps,
  NodePoolInput,
  RegularNodePoolProps,
} from '../pools/node-pool-props.js';
import { EdgeComponent, withFormerType } from './component.js';
import { Declaration } from './declaration.js';
import { ProblemList } from '../errors.js';
import { withInputErrors } from './input-errors.js';
import type { AsOutputs, WithInputs } from './inputs.js';
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
    const { attributes, input, output, resources } = this.render(args ?? {}, (given: NodePoolInput, scope) =>
      planNodePool(kind, given, scope),
    );
    Object.assign(this, { nodePool: resources[0] });
    this.registerOutputs(input(giveAttributes(this, attributes, output)));
  }
}

// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging -- see above
export interface NodePoolComponent extends INodePool {}

/** A pool that is created elsewhere: attributes without a resource. */
export function importedPool(kind: PoolKind, args: object): INodePool {
  const { poolName } = args as { readonly poolName?: unknown };
  const path = typeof poolName === 'string' ? poolName : 'of a pool';
  const rule = (input: NodePoolInput, scope: Parameters<typeof planNodePool>[2]): NodePoolAttributes =>
    planNodePool(kind, input, scope).attributes;
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

/**
 * A host-network pool, created here or elsewhere.
 *
 * @category Declare pools
 */
export interface IHostNetworkNodePool extends INodePool {
  /** Always true. */
  readonly hostNetwork: true;
}

/**
 * Arguments of a {@link HostNetworkNodePool}.
 *
 * @category Declare pools
 */
export interface HostNetworkNodePoolArgs extends WithInputs<HostNetworkNodePoolProps, 'cluster' | 'autonomy'> {}

/**
 * Arguments of {@link HostNetworkNodePool.fromPoolName}.
 *
 * @category Declare pools
 */
export interface ImportedHostNetworkNodePoolArgs extends WithInputs<
  ImportedHostNetworkNodePoolProps,
  'cluster' | 'autonomy'
> {}

/**
 * A pool of edge nodes that run only hostNetwork Pods: no kube-proxy, no CNI, no CoreDNS. Creates the NodePool object in the API version of the
 * cluster's OpenYurt release. Without OpenYurt it creates no object: the pool consists of its labels, taints and workloads.
 *
 * A change of `poolName` or `interConnectivity` replaces the NodePool: the old one is deleted first. OpenYurt refuses to delete a pool that has nodes,
 * so such an update fails and nothing is lost: move the nodes to another pool first.
 *
 * @category Declare pools
 */
export class HostNetworkNodePool extends NodePoolComponent implements IHostNetworkNodePool {
  /** Always true. */
  declare public readonly hostNetwork: true;

  /**
   * References a host-network pool that is created elsewhere; creates no resource.
   *
   * @param args name of the pool, and labels and taints of its nodes
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  public static fromPoolName(args: ImportedHostNetworkNodePoolArgs): IHostNetworkNodePool {
    const kind = { subject: 'HostNetworkNodePool.fromPoolName', mode: 'host-network', makesObject: false } as const;
    return withInputErrors(() => {
      const given: unknown = args;
      if (typeof given === 'string') {
        const problems = new ProblemList();
        problems.add(
          'EDGE_TYPE',
          'the properties are text, not a map',
          `write HostNetworkNodePool.fromPoolName({ cluster, poolName: '${given}' })`,
        );
        problems.throwIfAny(kind.subject);
      }
      return importedPool(kind, args ?? {}) as IHostNetworkNodePool;
    });
  }

  /**
   * @param name name of the resource
   * @param args properties of the pool
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: HostNetworkNodePoolArgs, options?: pulumi.ComponentResourceOptions) {
    super({ subject: 'HostNetworkNodePool', mode: 'host-network', makesObject: true }, name, args, options);
  }
}

/**
 * Arguments of a {@link RegularNodePool}.
 *
 * @category Declare pools
 */
export interface RegularNodePoolArgs extends WithInputs<RegularNodePoolProps, 'cluster' | 'autonomy'> {}

/**
 * A regular pool, with a Pod network. It has the properties of {@link HostNetworkNodePool}, except those of the host-network mode.
 *
 * @category Declare pools
 */
export class RegularNodePool extends NodePoolComponent {
  /**
   * @param name name of the resource
   * @param args properties of the pool
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: RegularNodePoolArgs, options?: pulumi.ComponentResourceOptions) {
    const kind = { subject: 'RegularNodePool', mode: 'regular', makesObject: true } as const;
    super(kind, name, args, withFormerType(options, 'edge-nodepools:index:EdgeNodePool'));
  }
}
