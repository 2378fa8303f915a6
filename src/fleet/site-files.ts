import type { ManifestFile } from './check-settings.js';

/** A folder of a layer in the folder of a site, as a FleetDelivery writes it: `sites/beijing/20-policies/shop.k8s.yaml`. */
const IN_SITE = /(?:^|\/)([a-z0-9-]+)\/\d0-(?:pools|policies|workloads|patches)\/[^/]+$/;

/** The site that gets a file; undefined for a file of no site, such as those of the engine. */
export function siteOfFile(path: string): string | undefined {
  return IN_SITE.exec(path)?.[1];
}

/** Files of sites, each of which is a cluster of its own, and the others. */
export interface FilesBySite<File> {
  readonly sites: ReadonlyMap<string, readonly File[]>;
  readonly others: readonly File[];
}

/** Divides files by site. */
export function filesBySite<File extends Pick<ManifestFile, 'path'>>(files: readonly File[]): FilesBySite<File> {
  const sites = new Map<string, File[]>();
  const others: File[] = [];
  for (const file of files) {
    const site = siteOfFile(file.path);
    const list = site === undefined ? others : (sites.get(site) ?? []);
    list.push(file);
    if (site !== undefined) {
      sites.set(site, list);
    }
  }
  return { sites, others };
}
