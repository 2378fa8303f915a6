import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';

/** web, in the namespace that kubectl uses. */
export class WebChart extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id);

    new ApiObject(this, 'web-daemon-set', {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            automountServiceAccountToken: false,
            containers: [{ name: 'web', image: 'web', ports: [{ containerPort: 8080 }] }],
          },
        },
      },
    });
  }
}
