import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';

/** Objects of the whole cluster: cluster roles. */
export class ClusterRolesChart extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id);

    new ApiObject(this, 'yurt-hub-cluster-role', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'yurt-hub' },
    });
  }
}
