import { Construct } from 'constructs';
import { type CinderStorageClassProps, planCinderStorageClass } from '../control-plane/cinder-storage-class.js';
import type { StorageAttributes } from '../control-plane/storage-attributes.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * A StorageClass for volumes of Cinder (`cinder.csi.openstack.org`), for data that must survive its Pods: the volumes are kept when their claims are
 * deleted, are made in the zone of their node, and can grow. The driver is installed with its own Helm chart.
 *
 * `ApiObject.of(storageClass)` is the StorageClass.
 *
 * @category Store data on OpenStack
 */
export class CinderStorageClass extends Construct implements StorageAttributes {
  /** Name of the StorageClass. */
  public readonly storageClassName: string;
  /** Volumes of Cinder are block devices. */
  public readonly medium = 'block';
  /** Whether the volumes are encrypted. */
  public readonly encrypted: boolean;

  /**
   * @param scope parent
   * @param id construct id
   * @param props name, volume type and zones
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_LABEL, EDGE_VALUE, EDGE_CONTRADICTION, EDGE_MATCHES_NOTHING, EDGE_DUPLICATE,
   * EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: CinderStorageClassProps) {
    super(parentOf(scope, id, 'CinderStorageClass', props), id);
    const { storageClassName, encrypted } = render(this, planCinderStorageClass(props, scopeOf(this))).attributes;
    this.storageClassName = storageClassName;
    this.encrypted = encrypted;
  }
}
