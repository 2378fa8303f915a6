import { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import type { DeliveryFile } from './delivered-site.js';
import { engineName } from './delivery-engine.js';
import { clusterOf } from './delivery-site.js';
import type { Delivered } from './delivered.js';

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
  /** Those of sites that are no longer delivered, and whose objects an engine may still delete. */
  readonly left?: Readonly<Record<string, string>>;
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
 * The files, of which the record keeps the sites that are no longer delivered: one commit can have what several synths have changed.
 *
 * @param text content of {@link FORMER} before, undefined if there is none
 */
export function withDeparted(files: readonly DeliveryFile[], text: string | undefined): DeliveryFile[] {
  const former = text === undefined ? undefined : formerOf(text);
  return files.map((file) => {
    if (file.path !== FORMER || former?.deletion !== 'prune' || former.runsOn === 'sites') {
      return file;
    }
    const now = JSON.parse(file.text ?? '') as Former;
    const left = Object.entries({ ...former.left, ...former.sites }).filter(([site]) => !(site in now.sites));
    return left.length === 0
      ? file
      : { ...file, text: `${JSON.stringify({ ...now, left: Object.fromEntries(left) }, null, 2)}\n` };
  });
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
        `the file is ${text === '' ? 'empty, or gone' : 'not as a synth writes it'}, so nobody knows which sites had another name`,
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
  const left = Object.entries(former.left ?? {});
  const known = [...Object.entries(former.sites), ...left];
  if (!sites.some(({ site }) => known.some(([each, of]) => each === site.name || of === clusterOf(site)))) {
    return;
  }
  if (former.engine !== by || former.runsOn !== runsOn) {
    const moves = `${engineName(by)} ran on the hub, and now runs in each site`;
    const change = former.engine === by ? moves : `${engineName(former.engine)} delivered these sites`;
    problems.at('engine').add('EDGE_CONTRADICTION', `${change}: ${deletes}`, first);
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
      const [before] = known.find(([, each]) => each === cluster) ?? [];
      const gone = left.some(([each]) => each === before)
        ? `if its objects are gone, remove ${JSON.stringify(before)} from "left" in ${FORMER}`
        : 'leave the site out until its objects are gone';
      if (before !== undefined && before !== site.name) {
        problems
          .at('sites', index)
          .at('name')
          .add(
            'EDGE_CONTRADICTION',
            `the cluster (${cluster}) was the site ${before}: with deletion: 'prune' ${engineName(by)} deletes all that ${before} has, while ${site.name} is to create the same`,
            `write name: '${before}'; or ${first}; or ${gone}`,
          );
      }
    });
  }
  problems.throwIfAny(subject);
}

function formerOf(text: string): Former | undefined {
  try {
    const { engine, runsOn, name, deletion, sites, left = {} } = JSON.parse(text) as Former;
    const isWritten =
      ['argo-cd', 'flux'].includes(engine) &&
      ['hub', 'sites'].includes(runsOn) &&
      ['keep', 'prune'].includes(deletion) &&
      typeof name === 'string' &&
      [sites, left].every((each) => isMap(each) && Object.values(each).every((of) => typeof of === 'string'));
    return isWritten ? { engine, runsOn, name, deletion, sites, left } : undefined;
  } catch {
    return undefined;
  }
}
