import type * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { type OpenStackMachinesProps, planOpenStackMachines } from '../control-plane/openstack-machines.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';
import type { INodePool } from './node-pool.js';

/**
 * Arguments of {@link OpenStackMachines}.
 *
 * @category Machines on OpenStack
 */
export interface OpenStackMachinesArgs extends WithInputs<
  Omit<OpenStackMachinesProps, 'pool'>,
  'failureDomains' | 'providerVersion' | 'clusterApiVersion'
> {
  /** The pool that the machines join. */
  readonly pool: INodePool;
}

/**
 * Machines of OpenStack for a pool, made by Cluster API: an OpenStackMachineTemplate, and a MachineDeployment for each failure domain, which use the
 * {@link KubeadmConfigTemplate} of the pool.
 *
 * @category Machines on OpenStack
 */
export class OpenStackMachines extends EdgeComponent {
  /** The template and the MachineDeployments. */
  declare public readonly resources: k8s.apiextensions.CustomResource[];
  /** Name of the OpenStackMachineTemplate; another machine is another template. */
  declare public readonly machineTemplateName: pulumi.Output<string>;
  /** Names of the MachineDeployments. */
  declare public readonly deploymentNames: pulumi.Output<string[]>;

  /**
   * @param name name of the resource
   * @param args the pool, and what its machines are
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: OpenStackMachinesArgs, options?: pulumi.ComponentResourceOptions) {
    super('OpenStackMachines', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, output, resources } = this.render(args ?? {}, planOpenStackMachines);
    this.resources = resources as k8s.apiextensions.CustomResource[];
    this.machineTemplateName = output(attributes.machineTemplateName);
    this.deploymentNames = output(attributes.deploymentNames);
    const { machineTemplateName, deploymentNames } = this;
    this.registerOutputs({ machineTemplateName, deploymentNames });
  }
}
