import { resolve } from 'node:path';
import { ProblemList } from '../errors.js';
import { nameOf } from '../kubernetes/object.js';
import { isMap } from '../validation/plain-data.js';
import type { DeliveryFile } from './delivered-site.js';
import { engineName, namespaceOf, runsInSites } from './delivery-engine.js';
import { clusterOf } from './delivery-site.js';
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

/** The file in which a synth finds what the one before has delivered. Neither an engine nor `kubectl apply --filename` reads it. */
export const FORMER = '.edge-delivery';

/** What the synth before has delivered. */
interface Former {
  readonly engine: Delivered['engine']['engine'];
  readonly runsOn: 'hub' | 'sites';
  readonly name: string;
  readonly deletion: Delivered['deletion'];
  /** The cluster of each site. */
  readonly sites: Readonly<Record<string, string>>;
}

/** What the next synth needs to know of this one. */
export function formerFile({ engine, name, deletion, sites }: Delivered): DeliveryFile {
  const former: Former = {
    engine: engine.engine,
    runsOn: engine.runsOn ?? 'hub',
    name,
    deletion,
    sites: Object.fromEntries(sites.map(({ site }) => [site.name, clusterOf(site)])),
  };
  return { path: FORMER, text: `${JSON.stringify(former, null, 2)}\n` };
}

/**
 * Refuses another name for what an engine deletes when it no longer finds it by its name: it would take a cluster down while the same objects are delivered
 * by another name. Argo CD refuses them until they are gone (FailOnSharedResource), Flux deletes those that it has not yet taken over.
 *
 * @param text content of {@link FORMER}, undefined if there is none
 * @throws {@link EdgeError} with EDGE_CONTRADICTION, or EDGE_ARTIFACT if the file is not as a synth writes it
 */
export function checkFormer(text: string | undefined, { engine, name, sites }: Delivered, subject: string): void {
  if (text === undefined) {
    return;
  }
  const problems = new ProblemList();
  const former = formerOf(text);
  if (former === undefined) {
    problems
      .at(FORMER)
      .add(
        'EDGE_ARTIFACT',
        'the file is not as a synth writes it, so nobody knows which sites had another name',
        'take it from the last commit: git checkout HEAD -- .edge-delivery in the output folder',
      );
    problems.throwIfAny(subject);
    return;
  }
  if (former.deletion !== 'prune' || former.runsOn === 'sites') {
    return;
  }
  const { engine: by, runsOn = 'hub' } = engine;
  const deletes = `with deletion: 'prune' ${engineName(former.engine)} deletes all that the sites have, while it is created again`;
  const first = "first commit deletion: 'keep' alone, and wait until it is applied (docs/delivery.md#another-name)";
  if (!sites.some(({ site }) => site.name in former.sites || Object.values(former.sites).includes(clusterOf(site)))) {
    return;
  }
  if (former.engine !== by || former.runsOn !== runsOn) {
    problems.at('engine').add('EDGE_CONTRADICTION', `another engine delivered these sites: ${deletes}`, first);
  } else if (former.name !== name) {
    problems
      .at('name')
      .add(
        'EDGE_CONTRADICTION',
        `the delivery was called ${former.name}: ${deletes}`,
        `write name: '${former.name}'; or ${first}`,
      );
  } else {
    sites.forEach(({ site }, index) => {
      const cluster = clusterOf(site);
      const [before] = Object.entries(former.sites).find(([, each]) => each === cluster) ?? [];
      if (before !== undefined && before !== site.name) {
        problems
          .at('sites', index)
          .at('name')
          .add(
            'EDGE_CONTRADICTION',
            `the cluster (${cluster}) was the site ${before}: with deletion: 'prune' ${engineName(by)} deletes all that ${before} has, while ${site.name} is to create the same`,
            `write name: '${before}'; or ${first}; or leave the site out until its objects are gone`,
          );
      }
    });
  }
  problems.throwIfAny(subject);
}

function formerOf(text: string): Former | undefined {
  try {
    const { engine, runsOn, name, deletion, sites } = JSON.parse(text) as Former;
    const isWritten =
      ['argo-cd', 'flux'].includes(engine) &&
      ['hub', 'sites'].includes(runsOn) &&
      ['keep', 'prune'].includes(deletion) &&
      typeof name === 'string' &&
      isMap(sites) &&
      Object.values(sites).every((each) => typeof each === 'string');
    return isWritten ? { engine, runsOn, name, deletion, sites } : undefined;
  } catch {
    return undefined;
  }
}
