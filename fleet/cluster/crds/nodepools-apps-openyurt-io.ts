import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';

/** The CustomResourceDefinition nodepools.apps.openyurt.io. */
export class CrdNodepoolsAppsOpenyurtIoChart extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id);

    new ApiObject(this, 'nodepools-apps-openyurt-io-custom-resource-definition', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'nodepools.apps.openyurt.io' },
      spec: {
        versions: [
          { name: 'v1alpha1', served: true },
          { name: 'v1beta1', served: true },
        ],
      },
    });
  }
}
