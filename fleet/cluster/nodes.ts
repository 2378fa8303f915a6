import { ApiObject, Chart, JsonPatch } from 'cdk8s';
import type { Construct } from 'constructs';

/** Objects of the whole cluster: nodes. */
export class NodesChart extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id);

    const controlPlaneNode = new ApiObject(this, 'control-plane-node', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'control-plane' },
      status: { nodeInfo: { kubeletVersion: 'v1.30.4' } },
    });
    // cdk8s leaves these fields out.
    controlPlaneNode.addJsonPatch(JsonPatch.add('/metadata/labels', {}));

    new ApiObject(this, 'edge-1-node', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'edge-1', labels: { 'apps.openyurt.io/nodepool': 'beijing' } },
      status: { nodeInfo: { kubeletVersion: 'v1.30.4' } },
    });
  }
}
