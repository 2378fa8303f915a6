import { EdgeCluster, HostNetworkNodePool } from 'edge-nodepools/pulumi';
import { argoCd, declared, FleetDelivery, flux, fromGit } from 'edge-nodepools/pulumi/delivery';

/** What a run delivers. */
export interface DeliveriesSettings {
  readonly sites: readonly string[];
  /** A value in an object of the first site. */
  readonly value: string;
}

const { sites, value } = JSON.parse(process.env.E2E_SETTINGS ?? '{}') as DeliveriesSettings;

for (const engine of [argoCd(), flux()]) {
  const name = engine.engine;
  new FleetDelivery(name, {
    ...{ name, engine, folder: `dist-${name}`, prune: true, deletion: 'prune', rollout: {} },
    source: fromGit({ url: `https://git.example/${name}.git`, path: 'dist' }),
    sites: sites.map((site, index) => {
      const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', name: site });
      return {
        ...{ name: site, wave: index },
        cluster: name === 'flux' ? { kubeConfigSecret: site } : { name: site },
        manifests: [
          declared(HostNetworkNodePool, { cluster, poolName: 'tills' }),
          {
            ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'tills', namespace: 'default' } },
            data: { value: index === 0 ? value : '' },
          },
        ],
      };
    }),
  });
}
