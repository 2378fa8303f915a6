import { Construct } from 'constructs';
import { type ManilaStorageClassProps, planManilaStorageClass } from '../control-plane/manila-storage-class.js';
import type { StorageAttributes } from '../control-plane/storage-attributes.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * A StorageClass for shares of Manila, which many nodes mount at once (ReadWriteMany): over NFS, with the addresses that may mount them, or as CephFS. The
 * driver is installed with its own Helm chart, with `driverValues`.
 *
 * `ApiObject.of(storageClass)` is the StorageClass.
 *
 * @category Store data on OpenStack
 */
export class ManilaStorageClass extends Construct implements StorageAttributes {
  /** Name of the StorageClass. */
  public readonly storageClassName!: string;
  /** What its volumes are. */
  public readonly medium!: 'nfs' | 'cephfs';
  /** Values for the chart of the driver, `openstack-manila-csi`: its node plugin stays away from host-network nodes. */
  public readonly driverValues!: Record<string, unknown>;
  /** Arguments of the node plugin for machines outside of this OpenStack; empty unless hostNetworkPools is include. */
  public readonly nodeArguments!: string[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props name, protocol, share type, and who may mount
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_LABEL, EDGE_VALUE, EDGE_CONTRADICTION, EDGE_DUPLICATE, EDGE_TYPE, EDGE_MISSING or
   * EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: ManilaStorageClassProps) {
    super(parentOf(scope, id, 'ManilaStorageClass', props), id);
    Object.assign(this, render(this, planManilaStorageClass(props, scopeOf(this))).attributes);
  }
}
