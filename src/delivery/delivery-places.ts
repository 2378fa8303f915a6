import { resolve } from 'node:path';
import { ProblemList } from '../base/errors.js';
import { nameOf } from '../kubernetes/object.js';
import { namespaceOf, runsInSites } from './delivery-engine.js';
import type { Delivered } from './delivered.js';
import type { DeliveryPlan } from './fleet-delivery.js';

/**
 * Where a delivery is: what no other delivery may have. An engine reads its folder as a whole, so in the folder of another delivery it would deliver the
 * sites of both, each time as the other's.
 */
export interface DeliveryPlace {
  /** The delivery in messages. */
  readonly title: string;
  /** Folder into which it is written, as an absolute path. */
  readonly folder: string;
  /** What its engine reads: a folder of a repository, or the artifacts of its sites. */
  readonly reads: readonly string[];
  /** Objects of its engine in the cluster of the engine. */
  readonly objects: readonly string[];
  /** What identifies that cluster, as far as it is known. */
  readonly hub: unknown;
}

/** The place of a delivery whose program applies the objects of the engine. */
export function placeOf(
  { delivered, engineObjects }: DeliveryPlan,
  { title, folder, hub }: Pick<DeliveryPlace, 'title' | 'folder' | 'hub'>,
): DeliveryPlace {
  const { engine, name, sites } = delivered;
  const inHub = !runsInSites(engine);
  // its ApplicationSet makes them
  const made =
    engine.engine === 'argo-cd'
      ? sites.map(({ site }) => `Application ${namespaceOf(engine)}/${name}-${site.name}`)
      : [];
  return {
    title,
    folder: resolve(folder),
    reads: readsOf(delivered),
    objects: inHub ? [...engineObjects.map(nameOf), ...made] : [],
    hub,
  };
}

function readsOf({ source, sites }: Delivered): string[] {
  switch (source.source) {
    case 'git':
      return [`${source.url} ${('path' in source && source.path) || '.'} ${revisionOf(source)}`];
    case 'oci':
      return sites.map(({ site }) => `${source.url}/${site.name}:${source.tag ?? 'latest'}`);
  }
}

function revisionOf(source: Delivered['source']): string {
  return source.tag ?? ('branch' in source ? source.branch : undefined) ?? 'main';
}

const OTHER_FOLDER =
  "give it a folder and a path in the repository of its own: folder: 'dist-shops', and source: fromGit({ …, path: 'dist-shops' })";

/**
 * Refuses a delivery in the place of another one of the program.
 *
 * @throws {@link EdgeError} with EDGE_DUPLICATE
 */
export function checkPlaces(place: DeliveryPlace, others: readonly DeliveryPlace[]): void {
  const problems = new ProblemList();
  for (const other of others) {
    const read = place.reads.find((each) => other.reads.includes(each));
    if (place.folder === other.folder) {
      problems
        .at('folder')
        .add(
          'EDGE_DUPLICATE',
          `${other.title} writes into the same folder, and an engine would deliver the sites of both`,
          OTHER_FOLDER,
        );
    } else if (read !== undefined) {
      problems
        .at('source')
        .add('EDGE_DUPLICATE', `the engine of ${other.title} reads the same place: ${read}`, OTHER_FOLDER);
    }
    const twin = place.hub === other.hub ? place.objects.find((each) => other.objects.includes(each)) : undefined;
    if (twin !== undefined) {
      problems
        .at('name')
        .add(
          'EDGE_DUPLICATE',
          `${twin} is also an object of ${other.title}`,
          'give each delivery a name of its own, which is not the beginning of the name of another one',
        );
    }
  }
  problems.throwIfAny(place.title);
}

/** What the apps of this process have delivered, by folder. */
const inFolders = new Map<
  string,
  { readonly app: WeakRef<object>; readonly name: string; sites: readonly string[] }[]
>();

/**
 * Refuses a delivery in the folder of that of another app. The same delivery once more, in a further synth, is none: it has its name, and some of its sites.
 *
 * @throws {@link EdgeError} with EDGE_DUPLICATE
 */
export function checkFolder(app: object, outdir: string, { name, sites }: Delivered, subject: string): void {
  const folder = resolve(outdir);
  const names = sites.map(({ site }) => site.name);
  const known = (inFolders.get(folder) ?? []).filter((one) => one.app.deref() !== undefined);
  const others = known.filter((one) => one.app.deref() !== app);
  const other = others.find((one) => one.name !== name || !one.sites.some((site) => names.includes(site)));
  if (other !== undefined) {
    const problems = new ProblemList();
    problems
      .at('scope')
      .add(
        'EDGE_DUPLICATE',
        `another app has written the delivery ${other.name} into ${outdir}, and an engine would deliver the sites of both`,
        "write another outdir, and its path in the repository: new EdgeApp({ outdir: 'dist-shops' }), and source: fromGit({ …, path: 'dist-shops' })",
      );
    problems.throwIfAny(subject);
  }
  inFolders.set(folder, [...others, { app: new WeakRef(app), name, sites: names }]);
}
