import type * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { planVolumeSnapshotClass, type VolumeSnapshotClassProps } from '../control-plane/volume-snapshot-class.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';

/**
 * Arguments of a {@link VolumeSnapshotClass}.
 *
 * @category Store data on OpenStack
 */
export interface VolumeSnapshotClassArgs extends WithInputs<VolumeSnapshotClassProps, 'driver'> {}

/**
 * A VolumeSnapshotClass for snapshots or backups of volumes of Cinder, or for snapshots of shares of Manila. It needs the resource definitions and the
 * controller of external-snapshotter.
 *
 * @category Store data on OpenStack
 */
export class VolumeSnapshotClass extends EdgeComponent {
  /** The VolumeSnapshotClass. */
  declare public readonly resource: k8s.apiextensions.CustomResource;
  /** Name of the VolumeSnapshotClass. */
  declare public readonly snapshotClassName: pulumi.Output<string>;

  /**
   * @param name name of the resource
   * @param args name, and what is made
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: VolumeSnapshotClassArgs, options?: pulumi.ComponentResourceOptions) {
    super('VolumeSnapshotClass', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, output, resources } = this.render(args ?? {}, planVolumeSnapshotClass);
    this.resource = resources[0] as k8s.apiextensions.CustomResource;
    this.snapshotClassName = output(attributes.snapshotClassName);
    this.registerOutputs({ snapshotClassName: this.snapshotClassName });
  }
}
