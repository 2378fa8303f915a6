import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import {
  EdgeCluster,
  RegularNodePool,
  EdgeSystemComponents,
  HostNetworkNodePool,
  HostNetworkWorkload,
  ExclusionStrategy,
  PoolAdmission,
  SystemComponent,
} from 'edge-nodepools';

export const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', yurthub: true });

/** The chart of the administrators: pools, and guarantees that the API server enforces. */
export class PlatformChart extends Chart {
  public readonly quays: readonly HostNetworkNodePool[];
  public readonly admission: PoolAdmission;
  public readonly systemComponents: EdgeSystemComponents;

  constructor(scope: Construct, id: string) {
    super(scope, id);

    // It can be declared before the pools, because it reads them at synth.
    this.admission = new PoolAdmission(this, 'admission', {
      cluster,
      guarantees: {
        // Pods in this cluster have no annotation, so all Pods without hostNetwork are excluded.
        strict: true,
        // In the first week: warn, do not refuse.
        frozenNodeLabels: { validationActions: ['Warn', 'Audit'] },
      },
      // This pool was created with kubectl.
      otherPools: ['quay-west'],
      // The system components in these namespaces are excluded below.
      excludedNamespaces: ['kube-system', 'kube-flannel'],
      breakGlassGroups: ['harbour:break-glass'],
    });

    this.quays = ['quay-north', 'quay-south'].map(
      (poolName) => new HostNetworkNodePool(this, poolName, { cluster, poolName, expectedNodes: 12 }),
    );
    new RegularNodePool(this, 'offices', { cluster, poolName: 'offices' });

    this.systemComponents = new EdgeSystemComponents(this, 'system-components', {
      cluster,
      exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS, SystemComponent.FLANNEL],
      strategy: ExclusionStrategy.ADMISSION_POLICY,
    });
  }
}

/** The chart of a team: a workload on the quays, and a Deployment that is not aware of pools. */
export class HarbourChart extends Chart {
  constructor(scope: Construct, id: string, pools: readonly HostNetworkNodePool[]) {
    super(scope, id);

    for (const [name, labels] of [
      ['cranes', { 'pod-security.kubernetes.io/enforce': 'privileged' }],
      ['booking', {}],
    ] as const) {
      new ApiObject(this, name, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
    }

    new HostNetworkWorkload(this, 'crane-telemetry', {
      pools: [...pools],
      workload: {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'crane-telemetry', namespace: 'cranes' },
        spec: {
          selector: { matchLabels: { app: 'crane-telemetry' } },
          template: {
            metadata: { labels: { app: 'crane-telemetry' } },
            spec: {
              automountServiceAccountToken: false,
              containers: [
                { name: 'telemetry', image: 'registry.example/telemetry:4.0.2', ports: [{ containerPort: 9200 }] },
              ],
            },
          },
        },
      },
    });

    // A Deployment without annotation and affinity. The API server excludes its Pods from the quays.
    new ApiObject(this, 'berths', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'berths', namespace: 'booking' },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'berths' } },
        template: {
          metadata: { labels: { app: 'berths' } },
          spec: { containers: [{ name: 'berths', image: 'registry.example/berths:1.12.0' }] },
        },
      },
    });
  }
}
