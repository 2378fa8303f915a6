import * as pulumi from '@pulumi/pulumi';
import type { WorkloadChange } from '../workloads/host-network-pods.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import {
  type HostNetworkWorkloadInput,
  type HostNetworkWorkloadSettings,
  planHostNetworkWorkload,
} from '../workloads/host-network-workload.js';
import { EdgeComponent } from './component.js';
import type { IHostNetworkNodePool } from './host-network-node-pool.js';
import type { WithInputs } from './inputs.js';
import { declarationOfPool, poolOf } from './node-pool.js';
import { resourceOf } from './resource.js';

/**
 * Arguments of a {@link HostNetworkWorkload}.
 *
 * @category Run workloads on host-network nodes
 */
export interface HostNetworkWorkloadArgs extends WithInputs<HostNetworkWorkloadSettings> {
  /** The pool on which the workload runs. Either this or `pools`.
   * @default - the pools of `pools` */
  readonly pool?: IHostNetworkNodePool;
  /** The pools on which the workload runs, all of one cluster. Either this or `pool`.
   * @default - the one of `pool` */
  readonly pools?: IHostNetworkNodePool[];
}

/**
 * A workload that runs on host-network pools: the same object with hostNetwork, a dnsPolicy that works there, node selection, tolerations,
 * host ports and rollout settings that can finish. `changes` says what was changed and why.
 *
 * @category Run workloads on host-network nodes
 */
export class HostNetworkWorkload extends EdgeComponent {
  /** The workload. */
  public readonly resource!: pulumi.CustomResource;
  /** What was changed in the user's workload, and why. */
  public readonly changes!: pulumi.Output<WorkloadChange[]>;
  /** Ports that each Pod takes on its node, `8080/TCP`. */
  public readonly ports!: pulumi.Output<string[]>;

  /**
   * @param name name of the resource
   * @param args the pools and the workload
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: EDGE_CONTRADICTION, EDGE_PORT, EDGE_PORT_MISMATCH, EDGE_DUPLICATE_PORT,
   * EDGE_PORT_CONFLICT, EDGE_ROLLOUT, EDGE_DNS, EDGE_API_SERVER, EDGE_AFFINITY, EDGE_YAML, EDGE_NOT_AN_OBJECT, EDGE_NO_POD_TEMPLATE,
   * EDGE_NAME, EDGE_LABEL, EDGE_ANNOTATION, EDGE_KNOWN_LATER, EDGE_TYPE, EDGE_VALUE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(name: string, args: HostNetworkWorkloadArgs, options?: pulumi.ComponentResourceOptions) {
    super('HostNetworkWorkload', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const planned = this.planned(withPools(args), (props: HostNetworkWorkloadInput, declaration) =>
      planHostNetworkWorkload(
        {
          ...props,
          ...('pool' in props ? { pool: poolOf(props.pool) } : {}),
          ...(Array.isArray(props.pools) ? { pools: props.pools.map(poolOf) } : {}),
        },
        declaration,
      ),
    );
    const object = this.attempt(() => planned.lift(({ manifest }) => manifest, 1)) as KubernetesObject;
    this.resource = resourceOf(name, object, { parent: this });
    this.deployment.leaveAlone(object.kind, name, 'runs on a host-network pool (HostNetworkWorkload)');
    this.changes = pulumi.output(planned.lift(({ changes }) => changes) as WorkloadChange[]);
    this.ports = pulumi.output(planned.lift(({ ports }) => ports) as string[]);
    this.warn(
      planned.plan.cluster,
      planned.warnings(({ warnings }) => warnings),
    );
    this.registerOutputs({ changes: this.changes, ports: this.ports });
  }
}

function withPools(args: HostNetworkWorkloadArgs | undefined): object {
  const { pool, pools, ...settings } = (args ?? {}) as HostNetworkWorkloadArgs;
  return {
    ...settings,
    ...(pool === undefined ? {} : { pool: declarationOfPool(pool) }),
    ...(pools === undefined ? {} : { pools: Array.isArray(pools) ? pools.map(declarationOfPool) : pools }),
  };
}
