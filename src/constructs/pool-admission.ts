import { Construct } from 'constructs';
import { type AdmissionReport, printableAdmission } from '../admission/admission-report.js';
import { planPoolAdmission } from '../admission/pool-admission.js';
import type { PoolAdmissionProps } from '../admission/pool-admission-props.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { PrintableReport } from '../base/table.js';
import { parentOf } from './parent.js';
import { render, scopeOf } from './render.js';

/**
 * Admission policies that enforce guarantees around host-network pools in the API server itself, so no webhook server has to be available. The
 * Kubernetes minor of the cluster determines which policies are created. `report` shows what enforces each guarantee, and what happens to it while
 * yurt-manager is down.
 *
 * - Kubernetes 1.36+: ValidatingAdmissionPolicy and MutatingAdmissionPolicy (v1) for all guarantees.
 * - 1.30 to 1.35: ValidatingAdmissionPolicy (v1) for guarantees that refuse requests. Guarantees that change objects need OpenYurt's webhooks or, on
 *   1.34 and 1.35, MutatingAdmissionPolicy v1beta1 (`mutatingAdmissionPolicy`).
 * - before 1.30: OpenYurt's webhooks.
 *
 * To apply a policy that reads other objects, or its binding, a user needs RBAC permissions on these objects: `get` and `list` of NodePools for
 * `nodeLabel` with `pools: 'live'`, `get` and `list` of Nodes for `refusePresetNodeName` and `namespaceGate` (Kubernetes
 * pkg/registry/admissionregistration, authz.go).
 *
 * @category Admit Pods and Nodes
 */
export class PoolAdmission extends Construct {
  /** The cluster whose API server enforces the guarantees. */
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
    super(parentOf(scope, id, 'PoolAdmission', props), id);
    const { attributes } = render(this, planPoolAdmission(props, scopeOf(this)));
    this.cluster = attributes.cluster;
    this.reportOf = attributes.report;
  }

  /** What enforces each guarantee, one row per guarantee. It considers the pools that are declared so far.
   * `String(report)` is a table without the names of the policies. */
  public get report(): PrintableReport<readonly AdmissionReport[]> {
    return printableAdmission(this.reportOf());
  }
}
