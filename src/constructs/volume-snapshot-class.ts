import { Construct } from 'constructs';
import { planVolumeSnapshotClass, type VolumeSnapshotClassProps } from '../control-plane/volume-snapshot-class.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * A VolumeSnapshotClass for snapshots or backups of volumes of Cinder, or for snapshots of shares of Manila. It needs the resource definitions and the
 * controller of external-snapshotter.
 *
 * `ApiObject.of(snapshotClass)` is the VolumeSnapshotClass.
 *
 * @category Store data on OpenStack
 */
export class VolumeSnapshotClass extends Construct {
  /** Name of the VolumeSnapshotClass. */
  public readonly snapshotClassName: string;

  /**
   * @param scope parent
   * @param id construct id
   * @param props name, and what is made
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_VALUE, EDGE_CONTRADICTION, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: VolumeSnapshotClassProps) {
    super(parentOf(scope, id, 'VolumeSnapshotClass', props), id);
    this.snapshotClassName = render(this, planVolumeSnapshotClass(props, scopeOf(this))).attributes.snapshotClassName;
  }
}
