import type * as pulumi from '@pulumi/pulumi';
import type { AdmissionReport } from '../admission/admission-report.js';
import { planPoolAdmission } from '../admission/pool-admission.js';
import type { PoolAdmissionProps } from '../admission/pool-admission-props.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';

/**
 * Arguments of a {@link PoolAdmission}. What determines which policies exist is plain.
 *
 * @category Admit Pods and Nodes
 */
export interface PoolAdmissionArgs extends WithInputs<
  PoolAdmissionProps,
  'cluster' | 'guarantees' | 'pools' | 'mutatingAdmissionPolicy'
> {}

/**
 * Guarantees around host-network pools, held by the API server itself: no webhook server that can be down. Which policies those are follows from
 * the Kubernetes minor of the cluster; `report` shows what holds each guarantee, and what becomes of it while yurt-manager is down.
 *
 * With `pools: 'listed'` the list holds every host-network pool that the program declares before it waits for something for the first time. It is a
 * ConfigMap, and by default the Kubernetes provider of Pulumi deletes a ConfigMap whose data changes and creates it again: a node that registers in
 * between is not labelled. Give the component a provider with `enableConfigMapMutable: true`, and the list is updated in place.
 *
 * @category Admit Pods and Nodes
 */
export class PoolAdmission extends EdgeComponent {
  /** The cluster whose API server holds the guarantees. */
  public readonly cluster!: EdgeCluster;
  /** How each guarantee is held, one row each; `admission.report.apply((rows) => console.table(rows))` prints it. */
  public readonly report!: pulumi.Output<AdmissionReport[]>;

  /**
   * @param name name of the resource
   * @param args the cluster and the guarantees
   * @param options options of the component
   * @throws InputPropertiesError with all problems at once: EDGE_NOT_GUARANTEED, EDGE_CONTRADICTION, EDGE_DUPLICATE, EDGE_NAME, EDGE_LABEL,
   * EDGE_ANNOTATION, EDGE_RESERVED_KEY, EDGE_KNOWN_LATER, EDGE_TYPE, EDGE_VALUE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(name: string, args: PoolAdmissionArgs, options?: pulumi.ComponentResourceOptions) {
    super('PoolAdmission', name, args, options);
    if (options?.urn !== undefined) {
      return;
    }
    const { answers, outputAtEnd } = this.render(args, planPoolAdmission);
    this.cluster = answers.cluster;
    this.report = outputAtEnd(answers.report);
    this.registerOutputs({ report: this.report });
  }
}
