import { ApiObject, Chart } from 'cdk8s';
import { type EdgeApp, EdgeCluster, HostNetworkNodePool } from 'edge-nodepools';
import {
  type ArgoCdEngine,
  FleetDelivery,
  type FleetDeliveryProps,
  type FluxEngine,
  fromGit,
} from 'edge-nodepools/delivery';

/** E2E_DELIVERED_SITES=1000 delivers so many sites, and does nothing else; without it, none. */
export const SITES = Number(process.env.E2E_DELIVERED_SITES ?? 0);

export const SITE_NAMES = Array.from({ length: SITES }, (_, index) => `shop-${index}`);

/** The name of the delivery, and of its repository. */
export const MANY = 'many';

/** Sites with a pool and a ConfigMap each. They are in one cluster, which has a name for each, so their objects have names of their own. */
export function many(
  engine: ArgoCdEngine | FluxEngine,
  clusterOf: (name: string) => any,
  source: FleetDeliveryProps['source'] = fromGit({ url: `https://git.example/${MANY}.git`, path: 'dist' }),
): (app: EdgeApp) => void {
  return (app) => {
    new FleetDelivery(app, 'delivery', {
      name: MANY,
      source,
      engine,
      sites: SITE_NAMES.map((name) => {
        const chart = new Chart(app, name);
        const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', name });
        new HostNetworkNodePool(chart, 'pool', { cluster, poolName: name });
        new ApiObject(chart, 'settings', {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace: 'default' },
          data: { name },
        });
        return { name, cluster: clusterOf(name), charts: [chart] };
      }),
    });
  };
}
