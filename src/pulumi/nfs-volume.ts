import type * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { type NfsVolumeProps, planNfsVolume } from '../control-plane/nfs-volume.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import { noteAttributes } from './outputs.js';

/**
 * Arguments of an {@link NfsVolume}. `exportLocation` can be an Output of a share of `@pulumi/openstack`.
 *
 * @category Store data on OpenStack
 */
export interface NfsVolumeArgs extends WithInputs<NfsVolumeProps, 'mode' | 'accessMode'> {}

/**
 * A share that exists already, as a PersistentVolume and the claim that is bound to it, in one namespace. It works on nodes of any kind, also on
 * host-network nodes and outside of OpenStack: the node mounts it, and nothing asks OpenStack.
 *
 * @category Store data on OpenStack
 */
export class NfsVolume extends EdgeComponent {
  /** The PersistentVolume. */
  declare public readonly volume: k8s.core.v1.PersistentVolume;
  /** The claim. */
  declare public readonly claim: k8s.core.v1.PersistentVolumeClaim;
  /** Name of the claim. */
  declare public readonly claimName: pulumi.Output<string>;
  /** It is a share. */
  public readonly medium = 'nfs';

  /**
   * @param name name of the resource
   * @param args name, where the share is, and its size
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: NfsVolumeArgs, options?: pulumi.ComponentResourceOptions) {
    super('NfsVolume', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, output, resources } = this.render(args ?? {}, planNfsVolume);
    noteAttributes(this, attributes);
    const [volume, claim] = resources;
    Object.assign(this, { volume, claim });
    this.claimName = output(attributes.claimName);
    const { claimName, medium } = this;
    this.registerOutputs({ claimName, medium });
  }
}
