import { Construct } from 'constructs';
import type { AdmissionReport } from '../admission/admission-report.js';
import { planPoolAdmission } from '../admission/pool-admission.js';
import type { PoolAdmissionProps } from '../admission/pool-admission-props.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { render, scopeOf } from './render.js';

/**
 * Guarantees around host-network pools, held by the API server itself: no webhook server that can be down. Which policies those are follows from
 * the Kubernetes minor of the cluster; `report` shows what holds each guarantee, and what becomes of it while yurt-manager is down.
 *
 * - Kubernetes 1.36+: ValidatingAdmissionPolicy and MutatingAdmissionPolicy (v1) for everything.
 * - 1.30 to 1.35: ValidatingAdmissionPolicy (v1); what changes objects is left to OpenYurt's webhooks, or on 1.34 and 1.35 to
 *   MutatingAdmissionPolicy v1beta1 if you ask for it.
 * - before 1.30: OpenYurt's webhooks.
 *
 * Who applies a policy with parameters, and its binding, needs the right to `get` all objects of their kind and to `list` those that a selector
 * chooses: NodePools or, with `pools: 'listed'`, `get` of ConfigMaps for `nodeLabel`; Nodes for `refusePresetNodeName` and `namespaceGate`
 * (pkg/registry/admissionregistration, authz.go).
 *
 * @category Admit Pods and Nodes
 */
export class PoolAdmission extends Construct {
  /** The cluster whose API server holds the guarantees. */
  public readonly cluster: EdgeCluster;
  private readonly reportOf: () => readonly AdmissionReport[];

  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster and the guarantees
   * @throws {@link EdgeError} with all problems at once: EDGE_NOT_GUARANTEED, EDGE_CONTRADICTION, EDGE_DUPLICATE, EDGE_NAME, EDGE_LABEL,
   * EDGE_ANNOTATION, EDGE_RESERVED_KEY, EDGE_TYPE, EDGE_VALUE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: PoolAdmissionProps) {
    super(scope, id);
    const { answers } = render(this, planPoolAdmission(props, scopeOf(this)));
    this.cluster = answers.cluster;
    this.reportOf = answers.report;
  }

  /** How each guarantee is held, one row each, as far as the pools are declared when it is asked.
   * `console.table(admission.report, ['guarantee', 'mechanism', 'apiVersion', 'withYurtManagerDown'])` prints what is most often wanted. */
  public get report(): readonly AdmissionReport[] {
    return this.reportOf();
  }
}
