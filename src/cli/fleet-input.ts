import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ProblemList } from '../base/errors.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { checkFiles } from '../fleet/check-manifests.js';
import type { CheckSettings, ManifestFile } from '../fleet/check-settings.js';
import { type CheckedSites, checkSites } from '../fleet/checked-sites.js';
import type { CheckedManifests } from '../fleet/finding.js';
import { type FleetSite, readSites } from '../fleet/fleet-sites.js';
import { withoutPatches } from '../fleet/unchecked-files.js';
import { type FleetLabels, fleetLabelsOf } from '../fleet/node.js';
import { type ListedPool, minorOfPools, poolNamed, POOLS_FILE, poolsIn } from '../fleet/pools-file.js';
import { HOST_NETWORK_LABEL } from '../kubernetes/labels.js';
import { poolMeant, poolNamesIn } from '../workloads/misplaced-workloads.js';
import { type CommandLine, hostNetworkLabelOf, UsageError } from './command-line.js';
import { filesAt, pathFrom } from './read-files.js';

/** The options of all commands that read a fleet. */
export interface FleetOptions {
  readonly hostNetworkPool?: readonly string[];
  readonly nodePoolLabel?: string;
  readonly hostNetworkLabel?: string;
}

/** What is read of a folder, a file or stdin. */
export interface ReadFleet {
  readonly from: string;
  readonly files: readonly ManifestFile[];
  readonly sites: readonly FleetSite[];
  /** The pools that the program has written beside its manifests. */
  readonly written: readonly ListedPool[];
}

/**
 * Reads a fleet, for every command that says something of one.
 *
 * @param command name of the command, for errors
 */
export function readFleet(from: string, command: string, line: CommandLine): ReadFleet {
  const problems = new ProblemList();
  const { manifests: files, notes } = withoutPatches(filesAt(from, command, undefined, line), (path) =>
    pathFrom(from, path),
  );
  notes.forEach((note) => line.stderr(`${note}\n`));
  const written = poolsBeside(from, problems);
  const minorOf = (site?: string): string | undefined => minorOfPools(poolsOfSite(written, site));
  const sites = readSites(files, problems, (path) => pathFrom(from, path), minorOf);
  problems.throwIfAny(command);
  for (const { name, leftOut } of sites) {
    const of = name === undefined ? '' : ` of the site ${name}`;
    leftOut.forEach(({ object, path, message }) => line.stderr(`${object}${of} is left out: ${path}: ${message}\n`));
  }
  return { from, files, sites, written };
}

/** The labels of fleets that are compared, or of one, and the pools of a site that need not have a NodePool. */
export function settingsOf(
  options: FleetOptions,
  line: CommandLine,
  ...fleets: readonly ReadFleet[]
): { readonly labels: Required<FleetLabels>; readonly declaredIn: (fleet: ReadFleet, site?: string) => ListedPool[] } {
  const labels = labelsOf(
    options,
    fleets.flatMap(({ written }) => written),
  );
  const objects = fleets.flatMap(({ sites }) => sites.flatMap((site) => site.objects));
  const named = poolsNamed(options.hostNetworkPool, labels, objects, line);
  return { labels, declaredIn: ({ written }, site) => [...poolsOfSite(written, site), ...named] };
}

/**
 * What is wrong in files, as `check` says it; each site alone.
 *
 * @param poolsOf the pools of a site, or of what is in none
 * @param counts numbers of nodes that the user gives
 */
export function checkRead(
  { from, files }: Pick<ReadFleet, 'from' | 'files'>,
  labels: Required<FleetLabels>,
  poolsOf: (site?: string) => readonly ListedPool[],
  counts: ReadonlyMap<string, number>,
  kubernetes?: string,
): CheckedManifests | CheckedSites {
  const pathOf = (file: string): string => pathFrom(from, file);
  const settings = (site?: string): CheckSettings => ({
    labels,
    pools: poolsOf(site),
    nodes: Object.fromEntries(countsIn(site, counts)),
    kubernetes: kubernetes ?? minorOfPools(poolsOf(site)),
  });
  const whole = files.map((file) => ({ ...file, path: pathOf(file.path) }));
  return checkSites(files, settings, pathOf) ?? checkFiles(whole, settings());
}

/** The numbers of nodes of the pools of a site, which are called by their names in it, or with it. */
export function countsIn(site: string | undefined, counts: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...counts].map(([pool, count]) => [site === undefined ? pool : pool.replace(`${site}/`, ''), count]));
}

/** The only site of a fleet. */
export function onlySite({ from, sites }: ReadFleet, why: string): FleetSite {
  const [site, ...others] = sites;
  if (site === undefined || others.length > 0) {
    const names = sites.flatMap(({ name }) => name ?? []);
    throw new UsageError(
      `${from} has ${sites.length} sites, and ${why}; write the folder of one, ${from}/sites/${names[0] ?? ''}`,
    );
  }
  return site;
}

/** The pools that are declared for a site, or for what is in none. */
export function poolsOfSite(written: readonly ListedPool[], site: string | undefined): ListedPool[] {
  return written.filter((pool) => pool.site === undefined || pool.site === site);
}

/**
 * The pools of `--host-network-pool`.
 *
 * @param objects those that are read: a NodePool says itself what it is
 */
export function poolsNamed(
  names: readonly string[] | undefined = [],
  labels: Required<FleetLabels>,
  objects: readonly PlainMap[],
  line: CommandLine,
): ListedPool[] {
  const regular = new Set(
    objects
      .filter(({ kind, spec, metadata }) => {
        const annotations = isMap(metadata) ? mapAt(metadata, 'annotations') : {};
        return (
          kind === 'NodePool' &&
          mapAt({ spec }, 'spec').hostNetwork !== true &&
          annotations[HOST_NETWORK_LABEL] !== 'true'
        );
      })
      .map((pool) => mapAt(pool, 'metadata').name),
  );
  const wrong = names.find((name) => regular.has(name));
  if (wrong !== undefined) {
    throw new UsageError(
      `--host-network-pool ${wrong}: its NodePool has no hostNetwork: true, so it is a regular pool; leave the option out, or write hostNetwork: true into the NodePool`,
    );
  }
  const there = new Set(objects.flatMap((object) => poolNamesIn(object, labels.nodePoolLabel)));
  for (const name of names) {
    const meant = there.has(name) ? undefined : poolMeant(name, there);
    if (meant !== undefined) {
      line.stderr(
        `--host-network-pool ${name}: nothing here has this name, and something has ${meant}: did you mean it?\n`,
      );
    }
  }
  return names.map((name) => poolNamed(name, labels));
}

/** The pools that a program has written beside its manifests; of the folder of a site, those of the site. */
export function poolsBeside(from: string, problems: ProblemList): ListedPool[] {
  const site = basename(resolve(from));
  const above = dirname(dirname(resolve(from)));
  const read = (folder: string): ListedPool[] | undefined => {
    const file = join(folder, POOLS_FILE);
    return existsSync(file) ? poolsIn(readFileSync(file, 'utf8'), problems.at(POOLS_FILE)) : undefined;
  };
  if (from === '-') {
    return [];
  }
  return read(from) ?? (read(above) ?? []).flatMap(({ site: of, ...pool }) => (of === site ? [pool] : []));
}

/** The labels that the user gives, or those of the pools, if they are the same for all. */
export function labelsOf(options: FleetOptions, pools: readonly ListedPool[]): Required<FleetLabels> {
  const { nodePoolLabel } = options;
  const { hostNetworkLabel } = hostNetworkLabelOf(options.hostNetworkLabel);
  const of = <Label>(values: readonly Label[], option: string, text: (label: Label) => string): Label | undefined => {
    const texts = [...new Set(values.map(text))];
    if (texts.length > 1) {
      throw new UsageError(
        `the pools have different labels; write ${texts.map((each) => `${option} ${each}`).join(' or ')}`,
      );
    }
    return values[0];
  };
  return fleetLabelsOf({
    nodePoolLabel:
      nodePoolLabel ??
      of(
        pools.map((pool) => pool.nodePoolLabel),
        '--node-pool-label',
        (key) => key,
      ),
    hostNetworkLabel:
      hostNetworkLabel ??
      of(
        pools.map((pool) => pool.hostNetworkLabel),
        '--host-network-label',
        ({ key, value }) => `${key}=${value}`,
      ),
  });
}

/** `beijing=12`. */
export function countOf(text: string): [string, number] {
  const [, pool, count] = /^([^=]+)=(\d{1,9})$/.exec(text) ?? [];
  if (pool === undefined) {
    throw new UsageError(`--nodes ${text} is not a pool and its number of nodes; write --nodes beijing=12`);
  }
  return [pool, Number(count)];
}
