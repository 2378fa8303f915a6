import * as pulumi from '@pulumi/pulumi';

/** Arguments of a virtual machine. */
export interface InstanceArgs {
  readonly name: pulumi.Input<string>;
  readonly imageName: pulumi.Input<string>;
  readonly flavorName: pulumi.Input<string>;
  readonly userData: pulumi.Input<string>;
}

/** Replaces `compute.Instance` of @pulumi/openstack, with the same type and properties, so that the example needs no cloud. */
export class Instance extends pulumi.CustomResource {
  constructor(name: string, args: InstanceArgs, options?: pulumi.CustomResourceOptions) {
    super('openstack:compute/instance:Instance', name, { ...args }, options);
  }
}
