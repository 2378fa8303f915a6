import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { type NfsVolumeProps, planNfsVolume } from '../control-plane/nfs-volume.js';
import type { StorageAttributes } from '../control-plane/storage-attributes.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * A share that exists already, as a PersistentVolume and the claim that is bound to it, in one namespace. It works on nodes of any kind, also on
 * host-network nodes and outside of OpenStack: the node mounts it, and nothing asks OpenStack.
 *
 * @category Store data on OpenStack
 */
export class NfsVolume extends Construct implements StorageAttributes {
  /** Name of the claim. */
  public readonly claimName: string;
  /** Namespace of the claim. */
  public readonly claimNamespace: string;
  /** It is a share. */
  public readonly medium = 'nfs';
  /** Size of the share. */
  public readonly size: string;
  /** Where it is. */
  public readonly exportLocation: string;

  /**
   * @param scope parent
   * @param id construct id
   * @param props name, where the share is, and its size
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_VALUE, EDGE_QUANTITY, EDGE_CLUSTER_SERVICE, EDGE_CONTRADICTION, EDGE_DUPLICATE,
   * EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: NfsVolumeProps) {
    super(parentOf(scope, id, 'NfsVolume', props), id);
    const { attributes } = render(this, planNfsVolume(props, scopeOf(this, Chart.of(this).namespace)));
    this.claimName = attributes.claimName;
    this.claimNamespace = attributes.claimNamespace;
    this.size = attributes.size;
    this.exportLocation = attributes.exportLocation;
  }
}
