import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import {
  EdgeCluster,
  EdgeWarnings,
  HostNetworkNodePool,
  HostNetworkWorkload,
  JoinToken,
  NodeJoin,
} from 'edge-nodepools';

const NAMESPACE = 'site';

/** A workload as its author wrote it. */
const workload = (kind: 'DaemonSet' | 'Deployment' | 'StatefulSet', name: string, port: number) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace: NAMESPACE },
  spec: {
    ...(kind === 'DaemonSet' ? {} : { replicas: 3 }),
    ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        automountServiceAccountToken: false,
        containers: [{ name, image: `registry.example/${name}:1.0.0`, ports: [{ containerPort: port }] }],
      },
    },
  },
});

/** Three sites of four nodes each, whose network is unreachable now and then. */
export class SitesChart extends Chart {
  public readonly pools: readonly HostNetworkNodePool[];
  public readonly joins: readonly NodeJoin[];

  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: NAMESPACE });
    const cluster = EdgeCluster.of({
      openYurt: 'none',
      kubernetes: '1.36',
      apiServer: '192.0.2.10:6443',
      // kubeadm token create --print-join-command prints it
      caCertHashes: ['sha256:4a6b1d2f8c90e37512ab34cd56ef78900b1c2d3e4f5061728394a5b6c7d8e9f0'],
    });
    const site = (poolName: string) => new HostNetworkNodePool(this, poolName, { cluster, poolName, expectedNodes: 4 });
    const canary = site('site-1');
    const others = [site('site-2'), site('site-3')];
    const pools = [canary, ...others];
    this.pools = pools;

    // Kubernetes' own 5 minutes: the Pods of a site that is unreachable for longer run twice
    new HostNetworkWorkload(this, 'shop', {
      pools,
      workload: workload('Deployment', 'shop', 8080),
      autonomy: 'default',
    });
    // two hours, and then twice as well, of which there is a warning
    new HostNetworkWorkload(this, 'report', {
      pools,
      workload: workload('Deployment', 'report', 8081),
      autonomy: '2h',
    });
    EdgeWarnings.accept(this, 'EDGE_AUTONOMY', 'a report that runs twice does no harm');
    // stays on its nodes however long the site is unreachable
    new HostNetworkWorkload(this, 'till', {
      pools,
      workload: workload('Deployment', 'till', 8082),
      autonomy: 'forever',
    });
    // never twice: its Pods wait for their node
    new HostNetworkWorkload(this, 'ledger', { pools, workload: workload('StatefulSet', 'ledger', 8083) });
    // on every node; a rollout goes on while one node of a site is unreachable, canaries (site-1) first
    new HostNetworkWorkload(this, 'camera-canary', {
      pool: canary,
      workload: workload('DaemonSet', 'camera-canary', 8084),
      rollout: 'rolling',
      nodesAway: 1,
      wave: 0,
    });
    new HostNetworkWorkload(this, 'camera', {
      pools: others,
      workload: workload('DaemonSet', 'camera', 8084),
      rollout: 'rolling',
      nodesAway: 1,
      wave: 1,
    });

    // starts with the machine, also while the API server is unreachable
    this.joins = pools.map(
      (one) =>
        new NodeJoin(this, `join-${one.poolName}`, {
          pool: one,
          token: JoinToken.fromFile('/var/lib/edge/join-token', { removeAfterJoin: true }),
          staticPods: [workload('DaemonSet', 'door', 8085)],
          machineSettings: { imageFolder: '/var/lib/edge/images' },
        }),
    );
  }
}
