import * as pulumi from '@pulumi/pulumi';

/** What this example says of a virtual machine. */
export interface InstanceArgs {
  readonly name: pulumi.Input<string>;
  readonly imageName: pulumi.Input<string>;
  readonly flavorName: pulumi.Input<string>;
  readonly userData: pulumi.Input<string>;
}

/** Stands for `compute.Instance` of @pulumi/openstack, so that the example needs no cloud: the same type and the same properties. */
export class Instance extends pulumi.CustomResource {
  constructor(name: string, args: InstanceArgs, options?: pulumi.CustomResourceOptions) {
    super('openstack:compute/instance:Instance', name, { ...args }, options);
  }
}
