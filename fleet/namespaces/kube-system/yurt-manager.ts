import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';

/** yurt-manager in the namespace kube-system. */
export class KubeSystemYurtManagerChart extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id);

    new ApiObject(this, 'yurt-manager-deployment', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'yurt-manager', namespace: 'kube-system' },
      spec: { template: { spec: { containers: [{ image: '10.0.0.1:5000/openyurt/yurt-manager:v1.6.1' }] } } },
    });
  }
}
