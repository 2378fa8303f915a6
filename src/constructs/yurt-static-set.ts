import { Construct } from 'constructs';
import type { EdgeWarning } from '../base/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { planYurtStaticSet, type YurtStaticSetProps } from '../workloads/yurt-static-set.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * A YurtStaticSet: yurt-manager replaces a static Pod on the nodes that have one of its name. `staticPods` of a {@link NodeJoin} creates it.
 *
 * @category Run workloads on host-network nodes
 */
export class YurtStaticSet extends Construct {
  /** The resulting object, as plain data. */
  public readonly manifest: KubernetesObject;
  /** Warnings, which are also printed at synth. */
  public readonly warnings: readonly EdgeWarning[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props the pools and the Pod
   * @throws {@link EdgeError} with the codes of {@link HostNetworkWorkload}, EDGE_STATIC_POD or EDGE_NO_OPENYURT
   */
  constructor(scope: Construct, id: string, props: YurtStaticSetProps) {
    super(parentOf(scope, id, 'YurtStaticSet', props), id);
    const { manifest, warnings } = render(this, planYurtStaticSet(props, scopeOf(this))).attributes;
    this.manifest = manifest;
    this.warnings = warnings;
  }
}
