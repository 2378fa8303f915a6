import * as pulumi from '@pulumi/pulumi';
import { ProblemList } from '../errors.js';
import type { AdmissionReport } from '../admission/admission-report.js';
import { listedPoolsData } from '../admission/node-label-policy.js';
import type { PoolAdmissionProps } from '../admission/pool-admission-props.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { hostNetworkPoolNames } from '../cluster/fleet.js';
import { checkDeclaredPools, planPoolAdmission, reportNow } from '../admission/pool-admission.js';
import { childName } from './child-name.js';
import { EdgeComponent } from './component.js';
import type { WithInputs } from './inputs.js';

/**
 * Arguments of a {@link PoolAdmission}.
 *
 * @category Admit Pods and Nodes
 */
export interface PoolAdmissionArgs extends WithInputs<PoolAdmissionProps> {}

/**
 * Guarantees around host-network pools, held by the API server itself: no webhook server that can be down. Which policies those are follows from
 * the Kubernetes minor of the cluster; `report` says what holds each guarantee, and what becomes of it while yurt-manager is down.
 *
 * With `pools: 'listed'` the list holds every host-network pool that the program declares before it waits for something for the first time. It is a
 * ConfigMap, and unless it is told otherwise the Kubernetes provider of Pulumi deletes a ConfigMap whose data changes and makes it anew: a node that registers in
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
    const declaration = { path: name, fleets: this.deployment.fleets };
    const listed = this.deployment.atEnd(this, () => {
      const problems = new ProblemList();
      this.warn(this.cluster, checkDeclaredPools(planned.plan, this.cluster, declaration, problems));
      problems.throwIfAny(`PoolAdmission ${name}`);
      if (planned.plan.pools === 'listed') {
        this.deployment.listWritten(this.cluster, name);
      }
    });
    const data: pulumi.Output<Record<string, string>> = pulumi
      .output(listed)
      .apply(() => {
        const declared = hostNetworkPoolNames(this.deployment.fleets.of(this.cluster));
        const others = planned.lift(({ otherPools }) => otherPools ?? []) as pulumi.Input<pulumi.Input<string>[]>;
        return pulumi.all([pulumi.all(this.deployment.withLateNames(declared)), others]);
      })
      .apply(([declared, others]) => listedPoolsData([...declared, ...others]));
    const planned = this.planned(args, (given: PoolAdmissionProps, beside) => planPoolAdmission(given, data, beside));
    this.cluster = args.cluster;
    this.makeInOrder(planned, ({ objects }) => objects, childName(name));
    this.warn(
      this.cluster,
      planned.warnings(({ warnings }) => warnings),
    );
    this.report = pulumi
      .output(listed)
      .apply(() =>
        pulumi.output(planned.lift((plan) => reportNow(plan, this.cluster, declaration)) as AdmissionReport[]),
      );
    this.registerOutputs({ report: this.report });
  }
}
