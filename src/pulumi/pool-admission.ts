import type * as pulumi from '@pulumi/pulumi';
import { type AdmissionReport, printableAdmission } from '../admission/admission-report.js';
import { planPoolAdmission } from '../admission/pool-admission.js';
import type { PoolAdmissionProps } from '../admission/pool-admission-props.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { EdgeComponent } from './component.js';
import { clusterOfProgram } from './outputs.js';
import type { WithInputs } from './inputs.js';

/**
 * Arguments of a {@link PoolAdmission}. Arguments that determine which policies exist are plain values, not Outputs.
 *
 * @category Admit Pods and Nodes
 */
export interface PoolAdmissionArgs extends WithInputs<
  PoolAdmissionProps,
  'cluster' | 'guarantees' | 'pools' | 'checkPods' | 'mutatingAdmissionPolicy'
> {}

/**
 * Admission policies that enforce guarantees around host-network pools in the API server itself, so no webhook server has to be available. The
 * Kubernetes minor of the cluster determines which policies are created. `report` shows what enforces each guarantee, and what happens to it while
 * yurt-manager is down.
 *
 * The policy of `nodeLabel` contains the names of the host-network pools that the program declares before it awaits something for the first time; a pool
 * that is declared later is an error, unless `otherPools` names it.
 *
 * @category Admit Pods and Nodes
 */
export class PoolAdmission extends EdgeComponent {
  /** @internal */
  public static override readonly plan = planPoolAdmission;
  /** The cluster whose API server enforces the guarantees. */
  declare public readonly cluster: EdgeCluster;
  /** What enforces each guarantee, one row per guarantee; `report.apply(String)` is a table without the names of the policies. */
  declare public readonly report: pulumi.Output<AdmissionReport[]>;

  /**
   * @param name name of the resource
   * @param args the cluster and the guarantees
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: PoolAdmissionArgs, options?: pulumi.ComponentResourceOptions) {
    super('PoolAdmission', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { attributes, outputAtEnd } = this.render(args, planPoolAdmission);
    this.cluster = clusterOfProgram(attributes.cluster);
    this.report = outputAtEnd(attributes.report).apply(printableAdmission);
    this.registerOutputs({ report: this.report });
  }
}
