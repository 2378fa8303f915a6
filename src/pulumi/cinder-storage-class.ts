import type * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { type CinderStorageClassProps, planCinderStorageClass } from '../control-plane/cinder-storage-class.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import { noteAttributes } from './outputs.js';

/**
 * Arguments of a {@link CinderStorageClass}.
 *
 * @category Store data on OpenStack
 */
export interface CinderStorageClassArgs extends WithInputs<CinderStorageClassProps, 'encrypted'> {}

/**
 * A StorageClass for volumes of Cinder (`cinder.csi.openstack.org`), for data that must survive its Pods: the volumes are kept when their claims are
 * deleted, are made in the zone of their node, and can grow. The driver is installed with its own Helm chart. A change of what is immutable replaces
 * the class; its volumes and claims stay.
 *
 * @category Store data on OpenStack
 */
export class CinderStorageClass extends EdgeComponent {
  /** The StorageClass. */
  declare public readonly resource: k8s.storage.v1.StorageClass;
  /** Name of the StorageClass. */
  declare public readonly storageClassName: pulumi.Output<string>;
  /** Volumes of Cinder are block devices. */
  public readonly medium = 'block';
  /** Whether the volumes are encrypted. */
  declare public readonly encrypted: boolean;

  /**
   * @param name name of the resource
   * @param args name, volume type and zones
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: CinderStorageClassArgs, options?: pulumi.ComponentResourceOptions) {
    super('CinderStorageClass', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, output, resources } = this.render(args ?? {}, planCinderStorageClass);
    noteAttributes(this, attributes);
    this.resource = resources[0] as k8s.storage.v1.StorageClass;
    this.storageClassName = output(attributes.storageClassName);
    this.encrypted = attributes.encrypted;
    const { storageClassName, medium, encrypted } = this;
    this.registerOutputs({ storageClassName, medium, encrypted });
  }
}
