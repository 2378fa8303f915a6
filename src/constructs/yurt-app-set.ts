import { Construct } from 'constructs';
import type { EdgeWarning } from '../base/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { WorkloadChange } from '../workloads/host-network-pods.js';
import { planYurtAppSet, type YurtAppSetProps } from '../workloads/yurt-app-set.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * A YurtAppSet (OpenYurt 1.5+): a Deployment or StatefulSet in each of several host-network pools. {@link HostNetworkWorkload} says what becomes of it;
 * tweaks of other pools, and patches that undo something, are refused.
 *
 * @category Run workloads on host-network nodes
 */
export class YurtAppSet extends Construct {
  /** The resulting object, as plain data. */
  public readonly manifest: KubernetesObject;
  /** What differs from the properties, with the reasons. */
  public readonly changes: readonly WorkloadChange[];
  /** Warnings, which are also printed at synth. */
  public readonly warnings: readonly EdgeWarning[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props the pools and the templates
   * @throws {@link EdgeError} with the codes of {@link HostNetworkWorkload}, EDGE_NO_OPENYURT or EDGE_FIELD_NOT_IN_RELEASE
   */
  constructor(scope: Construct, id: string, props: YurtAppSetProps) {
    super(parentOf(scope, id, 'YurtAppSet', props), id);
    const { manifest, changes, warnings } = render(this, planYurtAppSet(props, scopeOf(this))).attributes;
    this.manifest = manifest;
    this.changes = changes;
    this.warnings = warnings;
  }
}
