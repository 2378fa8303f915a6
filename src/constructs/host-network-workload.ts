import { Construct } from 'constructs';
import type { EdgeWarning } from '../base/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { WorkloadChange } from '../workloads/host-network-pods.js';
import { type HostNetworkWorkloadProps, planHostNetworkWorkload } from '../workloads/host-network-workload.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * A workload that runs on host-network pools: the same object with hostNetwork, a dnsPolicy that works there, node selection, tolerations, host ports, and
 * rollout settings with which a rollout can complete. `changes` lists all changes with their reasons. A JSON patch that undoes one of them, except a host port,
 * fails the synth.
 *
 * @category Run workloads on host-network nodes
 */
export class HostNetworkWorkload extends Construct {
  /** The resulting object, as plain data. */
  public readonly manifest: KubernetesObject;
  /** The changes of the given workload, with their reasons. */
  public readonly changes: readonly WorkloadChange[];
  /** Ports that each Pod uses on its node, `8080/TCP`. */
  public readonly ports: readonly string[];
  /** Warnings, which are also printed at synth. */
  public readonly warnings: readonly EdgeWarning[];
  private readonly addressOn: (port: unknown, from: unknown) => string;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the pools and the workload
   * @throws {@link EdgeError} with all problems at once: EDGE_CONTRADICTION, EDGE_PORT, EDGE_PORT_MISMATCH, EDGE_DUPLICATE_PORT,
   * EDGE_PORT_CONFLICT, EDGE_ROLLOUT, EDGE_DNS, EDGE_API_SERVER, EDGE_AFFINITY, EDGE_TAINT, EDGE_DUPLICATE, EDGE_YAML, EDGE_NOT_AN_OBJECT,
   * EDGE_NO_POD_TEMPLATE, EDGE_NAME, EDGE_LABEL, EDGE_ANNOTATION, EDGE_TYPE, EDGE_VALUE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: HostNetworkWorkloadProps) {
    super(parentOf(scope, id, 'HostNetworkWorkload', props), id);
    const { manifest, changes, ports, warnings, address } = render(
      this,
      planHostNetworkWorkload(props, scopeOf(this)),
    ).attributes;
    this.manifest = manifest;
    this.changes = changes;
    this.ports = ports;
    this.warnings = warnings;
    this.addressOn = address;
  }

  /**
   * The address of a port for other workloads on the same nodes, `127.0.0.1:9110`: no Service answers there. It is a
   * value, for example of a variable: `env: [{ name: 'METRICS', value: collector.address('metrics', beijing) }]`.
   *
   * @param port name or number of a port that a container declares
   * @param from the pool, or the pools, of the workload that connects; each of their nodes must have a Pod of this one
   * @throws {@link EdgeError} with EDGE_PORT for no such port, EDGE_CONTRADICTION or EDGE_REPLICAS where the two
   * do not meet on a node, or EDGE_MISSING
   */
  public address(port: number | string, from: NodePoolAttributes | readonly NodePoolAttributes[]): string {
    return this.addressOn(port, from);
  }
}
