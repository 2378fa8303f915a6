import { DeclarationKind, type Scope } from '../cluster/scope.js';
import type { EdgeWarning } from '../base/errors.js';
import { isUnknown } from '../base/unknown.js';
import type { NodeJoinProps } from './node-join-props.js';

/** What approves serving certificates of kubelets, by cluster. */
export const CERTIFICATE_APPROVERS = new DeclarationKind<{ readonly path: string; readonly owner: object }>(
  'approvers of serving certificates',
);

/** Whether the kubelets of a join ask the cluster for their serving certificates. */
export function asksForCertificates({ machineSettings: machine, kubeletConfiguration }: NodeJoinProps): boolean {
  const isKnown = kubeletConfiguration !== undefined && !isUnknown(kubeletConfiguration);
  return machine?.servingCertificates === true || (isKnown && kubeletConfiguration.serverTLSBootstrap === true);
}

/** Warns, when the whole program is declared, that nothing in it approves them. Kubernetes itself has no controller for it. */
export function unapprovedWarnings(
  { pool, machineSettings: machine }: NodeJoinProps,
  scope: Scope,
): readonly EdgeWarning[] {
  return scope.declared.of(pool.cluster, CERTIFICATE_APPROVERS).size > 0
    ? []
    : [
        {
          code: 'EDGE_CERTIFICATE',
          path: machine?.servingCertificates === true ? 'machineSettings.servingCertificates' : 'kubeletConfiguration',
          message:
            'kubelets ask for serving certificates, and nothing in this program approves them: until somebody does, kubectl logs, kubectl exec and metrics fail on these nodes',
          hint: 'declare a ServingCertificateApprover; if something else in the cluster approves them, accept this warning with EdgeWarnings.accept',
        },
      ];
}
