import type { types } from '@pulumi/kubernetes';
import {
  EdgeCluster,
  EdgeSystemComponents,
  HostNetworkNodePool,
  HostNetworkWorkload,
  PoolAdmission,
  SystemComponent,
} from 'edge-nodepools/pulumi';
import { argoCd, declared, FleetDelivery, fromGit } from 'edge-nodepools/pulumi/delivery';

/** A shop: a cluster of its own, in which some nodes have no Pod network. */
interface Shop {
  readonly name: string;
  readonly region: string;
  readonly wave: number;
  readonly kubernetes: '1.34' | '1.36';
}

const shops: readonly Shop[] = [
  { name: 'headquarters', region: 'north', wave: 0, kubernetes: '1.36' },
  { name: 'beijing', region: 'north', wave: 1, kubernetes: '1.36' },
  { name: 'hangzhou', region: 'south', wave: 1, kubernetes: '1.34' },
];

const namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'tills', labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
};

const till: types.input.apps.v1.DaemonSet = {
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
};

const delivery = new FleetDelivery('shops', {
  name: 'shops',
  source: fromGit({ url: 'https://git.example/shops.git', path: 'dist' }),
  engine: argoCd(),
  // the other shops change when the headquarters are healthy, two at once
  rollout: { steps: [{ wave: 0 }, { wave: 1, atOnce: 2 }] },
  // kubeadm has installed kube-proxy and CoreDNS, so their patches hold
  partials: 'engine',
  sites: shops.map(({ name, region, wave, kubernetes }) => {
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes, yurthub: true, name });
    const exclude = [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS];
    // the pool is created by Argo CD, so this only names it
    const pool = HostNetworkNodePool.fromPoolName({ cluster, poolName: 'tills', labels: { shop: name } });
    return {
      ...{ name, wave, labels: { region }, cluster: { name } },
      manifests: [
        declared(PoolAdmission, { cluster }),
        declared(HostNetworkNodePool, { cluster, poolName: 'tills', labels: { shop: name } }),
        declared(EdgeSystemComponents, { cluster, exclude }),
        namespace,
        declared(HostNetworkWorkload, { pool, workload: till }),
      ],
    };
  }),
});

/** What each shop gets, in which wave. */
export const report = String(delivery.report);
