import type * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { type ManilaStorageClassProps, planManilaStorageClass } from '../control-plane/manila-storage-class.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import { defineOutputs, noteAttributes } from './outputs.js';

/**
 * Arguments of a {@link ManilaStorageClass}.
 *
 * @category Store data on OpenStack
 */
export interface ManilaStorageClassArgs extends WithInputs<
  ManilaStorageClassProps,
  'protocol' | 'autoTopology' | 'hostNetworkPools' | 'driverRelease' | 'cluster'
> {}

/**
 * A StorageClass for shares of Manila, which many nodes mount at once (ReadWriteMany): over NFS, with the addresses that may mount them, or as CephFS. The
 * driver is installed with its own Helm chart, with `driverValues`. A change of what is immutable replaces the class; its volumes and claims stay.
 *
 * @category Store data on OpenStack
 */
export class ManilaStorageClass extends EdgeComponent {
  /** The StorageClass. */
  declare public readonly resource: k8s.storage.v1.StorageClass;
  /** Name of the StorageClass. */
  declare public readonly storageClassName: pulumi.Output<string>;
  /** What its volumes are. */
  declare public readonly medium: 'nfs' | 'cephfs';
  /** Values for the chart of the driver, `openstack-manila-csi`: its node plugin stays away from host-network nodes. */
  declare public readonly driverValues: pulumi.Output<Record<string, unknown>>;
  /** Arguments of the node plugin for machines outside of this OpenStack; empty unless hostNetworkPools is include. */
  declare public readonly nodeArguments: pulumi.Output<string[]>;

  /**
   * @param name name of the resource
   * @param args name, protocol, share type, and who may mount
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: ManilaStorageClassArgs, options?: pulumi.ComponentResourceOptions) {
    super('ManilaStorageClass', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, input, output, resources } = this.render(args ?? {}, planManilaStorageClass);
    const { storageClassName, medium, driverValues, nodeArguments } = attributes;
    noteAttributes(this, { storageClassName, medium });
    Object.assign(this, { medium });
    this.resource = resources[0] as k8s.storage.v1.StorageClass;
    defineOutputs(this, {
      storageClassName: () => output(storageClassName),
      driverValues: () => output(driverValues),
      nodeArguments: () => output(nodeArguments),
    });
    this.registerOutputs(input({ storageClassName, medium, driverValues, nodeArguments }));
  }
}
