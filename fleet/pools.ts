import { ApiObject, Chart, JsonPatch } from 'cdk8s';
import type { Construct } from 'constructs';

/** The pools of the cluster. */
export class PoolsChart extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id);

    // A plain object: it is only a part, or has empty fields.
    const beijingNodePool = new ApiObject(this, 'beijing-node-pool', {
      apiVersion: 'apps.openyurt.io/v1beta1',
      kind: 'NodePool',
      metadata: { name: 'beijing' },
      spec: { type: 'Edge', hostNetwork: true },
    });
    // cdk8s leaves these fields out.
    beijingNodePool.addJsonPatch(JsonPatch.add('/metadata/annotations', {}));

    // A plain object: it is only a part, or has empty fields.
    const officeNodePool = new ApiObject(this, 'office-node-pool', {
      apiVersion: 'apps.openyurt.io/v1beta1',
      kind: 'NodePool',
      metadata: { name: 'office' },
      spec: { type: 'Edge' },
    });
    // cdk8s leaves these fields out.
    officeNodePool.addJsonPatch(JsonPatch.add('/metadata/annotations', {}));
  }
}
