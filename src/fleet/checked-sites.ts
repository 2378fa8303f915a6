import { checkFiles } from './check-manifests.js';
import type { CheckSettings, ManifestFile } from './check-settings.js';
import type { CheckedManifests } from './finding.js';
import { filesBySite } from './site-files.js';

/** The result of a check of one site. */
export interface CheckedSite extends CheckedManifests {
  readonly site: string;
}

/** The result of a check of several sites: all findings, and each site alone. */
export interface CheckedSites extends CheckedManifests {
  readonly sites: readonly CheckedSite[];
  /** What is in no site. */
  readonly others: CheckedManifests;
}

/**
 * Checks files with folders of sites, each alone: what two sites have, such as a pool of one name, is in two clusters.
 *
 * @param settingsOf what is known beside the manifests of a site, or of what is in none
 * @param pathOf path of a file in findings
 * @returns undefined if there is no folder of a site
 */
export function checkSites(
  files: readonly ManifestFile[],
  settingsOf: (site: string | undefined) => CheckSettings,
  pathOf: (path: string) => string,
): CheckedSites | undefined {
  const { sites, others } = filesBySite(files);
  if (sites.size === 0) {
    return undefined;
  }
  const checked = (list: readonly ManifestFile[], site?: string): CheckedManifests =>
    checkFiles(
      list.map(({ path, text }) => ({ path: pathOf(path), text })),
      settingsOf(site),
    );
  const each = [...sites].map(([site, list]): CheckedSite => ({ site, ...checked(list, site) }));
  const rest = checked(others);
  const all = [rest, ...each];
  const sum = (of: (one: CheckedManifests) => number): number => all.reduce((total, one) => total + of(one), 0);
  return {
    findings: all.flatMap(({ findings }) => findings),
    files: sum((one) => one.files),
    objects: sum(({ objects }) => objects),
    pools: [...new Set(all.flatMap(({ pools }) => pools))],
    unknown: sum(({ unknown }) => unknown),
    sites: each,
    others: rest,
  };
}
