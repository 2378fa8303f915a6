import type { ProblemList } from '../base/errors.js';
import type { PlainMap } from '../base/plain-data.js';
import { checkJson, objectsFromYaml } from '../base/yaml-text.js';
import { nameOf } from '../kubernetes/object.js';
import { looksLikeWorkload } from '../kubernetes/pod-places.js';
import { checkNames, isManagerManifest } from '../preconditions/cluster-state.js';
import { contradictionsIn, isObject, unplaceable } from './check-manifests.js';
import type { ManifestFile } from './check-settings.js';
import { FieldLines } from './field-lines.js';
import type { Finding } from './finding.js';
import { itemsOf } from './placement-input.js';
import type { PlacedObject } from './placed-object.js';
import { filesBySite } from './site-files.js';

/** What is written for one cluster. */
export interface FleetSite {
  /** Name of the site of a FleetDelivery; undefined if the input is one cluster. */
  readonly name?: string;
  /** All objects, each with its place. */
  readonly placed: readonly PlacedObject[];
  /** The objects of which it can be said where they run. */
  readonly objects: readonly PlainMap[];
  /** Why it cannot be said of the others. */
  readonly leftOut: readonly Finding[];
  /** Manifests of kube-controller-manager from the disk of a control-plane node: no objects of the cluster. */
  readonly managers: readonly PlainMap[];
}

/**
 * Reads files into sites, each a cluster of its own. Whatever is said of a fleet is said of what this function returns.
 *
 * @param problems what is not YAML, and an object that a site has twice with other content
 * @param pathOf path of a file, by which places name it
 * @param minorOf minor of Kubernetes of a site; undefined for the newest
 */
export function readSites(
  files: readonly ManifestFile[],
  problems: ProblemList,
  pathOf: (path: string) => string,
  minorOf: (site?: string) => string | undefined,
): readonly FleetSite[] {
  const { sites, others } = filesBySite(files);
  const named = [...sites].map(([name, list]): FleetSite => ({
    name,
    ...siteOf(list, problems, pathOf, minorOf(name)),
  }));
  const rest = siteOf(others, problems, pathOf, minorOf());
  // an engine has objects of its own beside those of the sites
  const isOfEngine =
    named.length > 0 && !rest.objects.some((object) => object.kind === 'NodePool' || looksLikeWorkload(object));
  return isOfEngine ? named : [...named, rest];
}

function siteOf(
  files: readonly ManifestFile[],
  problems: ProblemList,
  pathOf: (path: string) => string,
  minor: string | undefined,
): Omit<FleetSite, 'name'> {
  const managers: PlainMap[] = [];
  const placed = files.flatMap(({ path, text }): PlacedObject[] => {
    const lines = new FieldLines(text);
    const found = (objectsFromYaml(text, problems.at(path), 'rounded') ?? []).flatMap(itemsOf);
    checkJson(text, found, problems.at(path));
    found.filter(isObject).forEach((object) => checkNames(object, problems.at(path)));
    if (isManagerManifest(found)) {
      managers.push(...found);
      return [];
    }
    return found.map((object, index) => ({ object, file: pathOf(path), lines, index }));
  });
  for (const { object, file, earlier } of contradictionsIn(placed)) {
    problems.add(
      'EDGE_DUPLICATE',
      `${nameOf(object)} is in ${earlier.file} and, with other content, in ${file}`,
      'write the folder of one cluster, or remove one of the two',
    );
  }
  const objects: PlainMap[] = [];
  const leftOut: Finding[] = [];
  for (const each of placed) {
    const fault = unplaceable(each, minor);
    if (fault === undefined) {
      objects.push(each.object);
    } else {
      leftOut.push(fault);
    }
  }
  return { placed, objects, leftOut, managers };
}
