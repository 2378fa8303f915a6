import type * as pulumi from '@pulumi/pulumi';
import { checkBoolean } from '../base/properties.js';
import { plain } from '../base/property-table.js';
import type { WorkloadChange } from '../workloads/host-network-pods.js';
import { type HostNetworkWorkloadProps, planHostNetworkWorkload } from '../workloads/host-network-workload.js';
import { EdgeComponent } from './component.js';
import type { IHostNetworkNodePool } from './host-network-node-pool.js';
import type { WithInputs, WorkloadArgument, WorkloadResource } from './inputs.js';
import { withInputErrors } from './input-errors.js';
import { argumentsOf, defineOutputs } from './outputs.js';

/**
 * Arguments of a {@link HostNetworkWorkload}.
 *
 * @category Run workloads on host-network nodes
 */
export interface HostNetworkWorkloadArgs extends WithInputs<
  Omit<HostNetworkWorkloadProps, 'workload' | 'pool' | 'pools'>,
  'podTemplatePath' | 'portConflicts' | 'autonomy' | 'rollout' | 'nodesAway' | 'wave'
> {
  /** The workload: a plain object with a Pod template, or its YAML text. */
  readonly workload: WorkloadArgument;
  /** The pool on which the workload runs. Either this or `pools`.
   * @default - the pools of `pools` */
  readonly pool?: IHostNetworkNodePool;
  /** The pools on which the workload runs, all of one cluster. Either this or `pool`.
   * @default - the one of `pool` */
  readonly pools?: IHostNetworkNodePool[];
  /** Whether Pulumi awaits the rollout of the workload, and the end of its Pods when it is deleted. Neither ends while a node of the pool is offline, so the
   * object has the annotation `pulumi.com/skipAwait` if this is not true; an annotation of the workload has precedence.
   * @default false */
  readonly await?: boolean;
}

/**
 * A workload that runs on host-network pools: the same object with hostNetwork, a dnsPolicy that works there, node selection, tolerations,
 * host ports, and rollout settings with which a rollout can complete. `changes` lists all changes with their reasons.
 *
 * @category Run workloads on host-network nodes
 */
export class HostNetworkWorkload extends EdgeComponent {
  /** @internal */
  public static override readonly plan = planHostNetworkWorkload;
  /** The workload. For an Output of a whole workload the resource is created as soon as its kind is known. */
  declare public readonly resource: pulumi.Output<WorkloadResource>;
  /** The changes of the given workload, with their reasons. */
  declare public readonly changes: pulumi.Output<WorkloadChange[]>;
  /** Ports that each Pod uses on its node, `8080/TCP`. */
  declare public readonly ports: pulumi.Output<string[]>;
  declare private readonly addressOn: (port: unknown, from: unknown) => pulumi.Output<string>;

  /**
   * @param name name of the resource
   * @param args the pools and the workload
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: HostNetworkWorkloadArgs, options?: pulumi.ComponentResourceOptions) {
    super('HostNetworkWorkload', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, input, output, resource } = this.render(
      args,
      (props: HostNetworkWorkloadProps, scope) => planHostNetworkWorkload(props, scope, { await: plain(checkBoolean) }),
      { awaits: () => (args.await === true ? 'all' : 'nothing') },
    );
    const { changes, ports, address } = attributes;
    const addressOn = (port: unknown, from: unknown): pulumi.Output<string> =>
      withInputErrors(() => output(address(argumentsOf(port), argumentsOf(from))));
    Object.defineProperty(this, 'addressOn', { value: addressOn });
    defineOutputs(this, { resource, changes: () => output(changes), ports: () => output(ports) });
    this.registerOutputs(input({ changes, ports }));
  }

  /**
   * The address of a port for other workloads on the same nodes, `127.0.0.1:9110`: no Service answers there. It is a
   * value, for example of a variable: `env: [{ name: 'METRICS', value: collector.address('metrics', beijing) }]`.
   *
   * @param port name or number of a port that a container declares
   * @param from the pool, or the pools, of the workload that connects; each of their nodes must have a Pod of this one
   * @throws InputPropertiesError with EDGE_PORT for no such port, EDGE_CONTRADICTION or EDGE_REPLICAS where
   * the two do not meet on a node, or EDGE_MISSING
   */
  public address(
    port: pulumi.Input<number | string>,
    from: IHostNetworkNodePool | readonly IHostNetworkNodePool[],
  ): pulumi.Output<string> {
    return this.addressOn(port, from);
  }
}
