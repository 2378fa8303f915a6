import type { EdgeWarning } from '../base/errors.js';
import type { Delivered } from './delivered.js';
import type { DeliveredSite } from './delivered-site.js';
import { runsInSites } from './delivery-engine.js';
import { LAYERS } from './delivery-layer.js';
import type { FleetDeliveryBaseProps } from './fleet-delivery-props.js';

/** The largest request that an API server stores (etcd --max-request-bytes, 1.5 MiB). */
export const LARGEST_OBJECT = 1_572_864;

/** Bytes in the status of an Application for each object: 736 KB for 1,000 NodePools, after a sync, with Argo CD 3.6. */
const ARGO_CD_BYTES = 736;
/** Bytes in the inventory of a Kustomization for each object: its id and its version, with names of usual length. */
const FLUX_BYTES = 120;
/**
 * The size of the status of the engine's largest object for a site: Argo CD has one for all layers but patches, and Flux one for each.
 */
export function engineBytesOf({ engine }: Pick<Delivered, 'engine'>, { layers }: DeliveredSite): number {
  const counts = LAYERS.map((layer) => ({ layer, count: countOf(layers.get(layer)) }));
  switch (engine.engine) {
    case 'flux':
      return FLUX_BYTES * Math.max(...counts.map(({ count }) => count));
    case 'argo-cd':
      return ARGO_CD_BYTES * counts.reduce((sum, { layer, count }) => sum + (layer === 'patches' ? 0 : count), 0);
  }
}

/** Number of objects in the files of a layer. */
export function countOf(files: ReturnType<DeliveredSite['layers']['get']>): number {
  return (files ?? []).reduce((sum, { objects = [] }) => sum + objects.length, 0);
}

/** Sites in one Git repository that Flux still delivers in minutes: about a million files are unpacked for a commit. */
const MOST_UNPACKED = 300;

/**
 * Warns of a repository with many sites that one Flux delivers: kustomize-controller unpacks the artifact of a source as a whole for each Kustomization, so
 * the files that it writes for a commit grow with the square of the sites.
 */
export function unpackWarnings(
  { engine, source }: Pick<FleetDeliveryBaseProps, 'engine' | 'source'>,
  siteCount: number,
): EdgeWarning[] {
  return engine.engine === 'flux' && !runsInSites(engine) && source?.source === 'git' && siteCount > MOST_UNPACKED
    ? [
        {
          code: 'EDGE_SIZE',
          path: 'source',
          message: `Flux unpacks the whole repository, with all ${siteCount} sites, for each layer of each site: at a commit this can take hours`,
          hint: "write source: fromOci({ url: 'oci://…' }), which has an archive for each site; or divide the sites among several repositories",
        },
      ]
    : [];
}
