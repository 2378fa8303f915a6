import { titleOf } from '../cluster/declared-objects.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { EdgeWarning } from '../base/errors.js';
import type { ArgoCdCluster, DeliverySite } from './delivery-site.js';

/** A site, and the clusters for which its charts or manifests are. */
export interface SiteClusters {
  readonly site: DeliverySite;
  readonly clusters: readonly EdgeCluster[];
}

/**
 * Warns of sites with charts or manifests of other clusters: all that a site has is applied to its own.
 *
 * @param what what a site has
 */
export function siteClusterWarnings(
  sites: readonly SiteClusters[],
  what: 'chart' | 'manifest' = 'chart',
): EdgeWarning[] {
  return sites.flatMap((given, index): EdgeWarning[] => {
    const { site, clusters } = given;
    const [first] = clusters;
    const path = `sites[${index}].${what}s`;
    const second = clusters.find((cluster) => first !== undefined && areTwo(first, cluster));
    if (first !== undefined && second !== undefined) {
      return [
        {
          code: 'EDGE_WRONG_CLUSTER',
          path,
          message: `the site ${site.name} has ${what}s for ${titleOf(first)} and for ${titleOf(second)}: a site is one cluster`,
          hint: `give each cluster a site of its own, or both ${what}s the same EdgeCluster`,
        },
      ];
    }
    const stray = clusters.map(({ name }) => name).find((name) => name !== undefined && !isOf(site, name));
    const owner = stray === undefined ? undefined : sites.find((other) => isOf(other.site, stray));
    // a chart for several clusters has the name of one of them
    return stray === undefined || owner === undefined || owner.clusters.some(({ name }) => name === stray)
      ? []
      : [
          {
            code: 'EDGE_WRONG_CLUSTER',
            path,
            message: `the site ${site.name} has a ${what} for the cluster ${stray}, and the site ${owner.site.name} has none`,
            hint: `give the ${what} to the site ${owner.site.name}`,
          },
        ];
  });
}

/** Whether a site is the cluster of a name. */
function isOf({ name, cluster }: DeliverySite, wanted: string): boolean {
  return name === wanted || (cluster as ArgoCdCluster | undefined)?.name === wanted;
}

/** Whether two descriptions are surely of two clusters: one may have more properties than another of the same cluster. */
function areTwo(one: EdgeCluster, other: EdgeCluster): boolean {
  const differ = (a: unknown, b: unknown): boolean => a !== undefined && b !== undefined && a !== b;
  return (
    differ(one.name, other.name) ||
    (one.name === undefined &&
      other.name === undefined &&
      (one.openYurt !== other.openYurt ||
        one.kubernetes !== other.kubernetes ||
        differ(one.apiServer, other.apiServer)))
  );
}
