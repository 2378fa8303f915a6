import { ApiObject, type App, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import {
  EdgeCluster,
  EdgeSystemComponents,
  HostNetworkNodePool,
  HostNetworkWorkload,
  PoolAdmission,
  SystemComponent,
} from 'edge-nodepools';
import { flux, FleetDelivery, fromGit } from 'edge-nodepools/delivery';

/** A shop: a cluster of its own, in which some nodes have no Pod network. */
export interface Shop {
  readonly name: string;
  /** Region, a label of the Kustomizations. */
  readonly region: string;
  /** Its wave: the shop of the headquarters gets every change first. */
  readonly wave: number;
  /** Its minor of Kubernetes. Up to 1.35 system components need patches, from 1.36 on a policy excludes them. */
  readonly kubernetes: '1.34' | '1.36';
  /** Secret with its kubeconfig, at the headquarters. */
  readonly kubeConfig: string;
}

export const SHOPS: readonly Shop[] = [
  { name: 'headquarters', region: 'north', wave: 0, kubernetes: '1.36', kubeConfig: 'headquarters-kubeconfig' },
  { name: 'beijing', region: 'north', wave: 1, kubernetes: '1.36', kubeConfig: 'beijing-kubeconfig' },
  { name: 'hangzhou', region: 'south', wave: 1, kubernetes: '1.34', kubeConfig: 'hangzhou-kubeconfig' },
];

/** What a shop gets from its administrators: its pool, the policies, and the exclusion of kube-proxy and CoreDNS. */
export class PlatformChart extends Chart {
  public readonly pool: HostNetworkNodePool;

  constructor(scope: Construct, id: string, { name, kubernetes }: Shop) {
    super(scope, id);
    // shops have the same names in them, so each cluster has a name
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes, yurthub: true, name });
    new PoolAdmission(this, 'admission', { cluster });
    this.pool = new HostNetworkNodePool(this, 'tills', { cluster, poolName: 'tills', labels: { shop: name } });
    new EdgeSystemComponents(this, 'system', {
      cluster,
      exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS],
    });
  }
}

/** What runs in a shop. */
export class ShopChart extends Chart {
  constructor(scope: Construct, id: string, pool: HostNetworkNodePool) {
    super(scope, id);
    new ApiObject(this, 'namespace', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'tills', labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
    });
    new HostNetworkWorkload(this, 'till', {
      pool,
      workload: {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'till', namespace: 'tills' },
        spec: {
          selector: { matchLabels: { app: 'till' } },
          template: {
            metadata: { labels: { app: 'till' } },
            spec: {
              automountServiceAccountToken: false,
              containers: [{ name: 'till', image: 'registry.example/till:3.1.0', ports: [{ containerPort: 9300 }] }],
            },
          },
        },
      },
    });
  }
}

/** All shops, delivered by one Flux at the headquarters from the folder `dist` of a repository. */
export function addFleet(app: App): FleetDelivery {
  return new FleetDelivery(app, 'delivery', {
    name: 'shops',
    source: fromGit({ url: 'https://git.example/shops.git', path: 'dist' }),
    engine: flux(),
    // the other shops change when the headquarters are healthy
    rollout: { steps: [{ wave: 0 }, { wave: 1 }] },
    // kubeadm has installed kube-proxy and CoreDNS, so their patches hold
    partials: 'engine',
    sites: SHOPS.map((shop) => {
      const platform = new PlatformChart(app, `${shop.name}-platform`, shop);
      const workloads = new ShopChart(app, `${shop.name}-shop`, platform.pool);
      return {
        name: shop.name,
        cluster: { kubeConfigSecret: shop.kubeConfig },
        labels: { region: shop.region },
        wave: shop.wave,
        charts: [platform, workloads],
      };
    }),
  });
}
