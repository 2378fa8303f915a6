import { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { type OpenStackMachinesProps, planOpenStackMachines } from '../control-plane/openstack-machines.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * Machines of OpenStack for a pool, made by Cluster API: an OpenStackMachineTemplate, and a MachineDeployment for each failure domain, which use the
 * {@link KubeadmConfigTemplate} of the pool.
 *
 * @category Machines on OpenStack
 */
export class OpenStackMachines extends Construct {
  /** Name of the OpenStackMachineTemplate; another machine is another template. */
  public readonly machineTemplateName!: string;
  /** Names of the MachineDeployments. */
  public readonly deploymentNames!: string[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props the pool, and what its machines are
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_LABEL, EDGE_VALUE, EDGE_CONTRADICTION, EDGE_MATCHES_NOTHING, EDGE_DUPLICATE,
   * EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: OpenStackMachinesProps) {
    super(parentOf(scope, id, 'OpenStackMachines', props), id);
    Object.assign(this, render(this, planOpenStackMachines(props, scopeOf(this, Chart.of(this).namespace))).attributes);
  }
}
