import { type Command, Option } from 'commander';
import { ProblemList } from '../base/errors.js';
import type { ListedPool } from '../fleet/pools-file.js';
import { type ReadFile, readState } from '../preconditions/cluster-state.js';
import { filesBySite } from '../fleet/site-files.js';
import { type FleetMoves, fleetMoves, type GivenFleet } from '../fleet/fleet-moves.js';
import { movesText } from '../fleet/moves-text.js';
import type { PlainMap } from '../base/plain-data.js';
import { type Action, type CommandLine, EXIT, UsageError } from './command-line.js';
import { hostNetworkLabel, hostNetworkPool, json, nodePoolLabel, reportFormat, text } from './options.js';
import { filesAt, sourceOf } from './read-files.js';
import { labelsOf, placeable, poolsBeside, poolsNamed } from './show.js';

interface Options {
  readonly format: 'text' | 'json';
  readonly dump?: string;
  readonly hostNetworkPool?: readonly string[];
  readonly nodePoolLabel?: string;
  readonly hostNetworkLabel?: string;
}

/** `edge-nodepools diff`: what moves, rolls out, appears and goes between two fleets. */
function runDiff(one: string | undefined, other: string | undefined, options: Options, line: CommandLine): number {
  const [before, after] = options.dump === undefined ? [one, other] : [options.dump, one];
  if (before === undefined || after === undefined || (options.dump !== undefined && other !== undefined)) {
    throw new UsageError(
      'diff compares two versions; write edge-nodepools diff old dist, or diff --dump dump.yaml dist for a cluster and what would be applied',
    );
  }
  if (before === '-' && after === '-') {
    throw new UsageError('only one of the two can be -, stdin; write a folder or a file for the other');
  }
  const [first, second] = [readAt(before, line), readAt(after, line)];
  const [olds, news] = [filesBySite(first.files), filesBySite(second.files)];
  if (olds.sites.size === 0 && news.sites.size === 0) {
    const moves = movesBetween(first, second, options, line);
    line.stdout(options.format === 'json' ? jsonText(moves) : movesText(moves));
    return exitCode([moves]);
  }
  if (olds.sites.size === 0 || news.sites.size === 0) {
    const [one, all] = olds.sites.size === 0 ? [before, after] : [after, before];
    throw new UsageError(
      `${sourceOf(all)} has folders of sites, and ${sourceOf(one)} has none; write the folder of one site, ${all}/sites/…`,
    );
  }
  const names = [...new Set([...olds.sites.keys(), ...news.sites.keys()])].sort();
  const sites = names.map((site) => {
    const of = (read: ReadManifests, files: ReadonlyMap<string, readonly ReadFile[]>): ReadManifests => ({
      ...read,
      files: files.get(site) ?? [],
    });
    return { site, ...movesBetween(of(first, olds.sites), of(second, news.sites), options, line) };
  });
  line.stdout(options.format === 'json' ? jsonText({ sites }) : sitesText(sites));
  return exitCode(sites);
}

/** What is read of an argument. */
interface ReadManifests {
  readonly from: string;
  readonly files: readonly ReadFile[];
}

function readAt(from: string, line: CommandLine): ReadManifests {
  const files = filesAt(from, 'diff', undefined, line);
  if (files.length === 0) {
    throw new UsageError(`there is no YAML or JSON file in ${sourceOf(from)}; write the folder of the manifests`);
  }
  return { from, files };
}

function movesBetween(before: ReadManifests, after: ReadManifests, options: Options, line: CommandLine): FleetMoves {
  const problems = new ProblemList();
  const [first, second] = [fleetAt(before, line, problems), fleetAt(after, line, problems)];
  problems.throwIfAny('diff');
  const labels = labelsOf(options, [...first.declared, ...second.declared]);
  const named = poolsNamed(options.hostNetworkPool, labels, [...first.manifests, ...second.manifests], line);
  const of = ({ manifests, declared }: typeof first): GivenFleet => ({ manifests, declared: [...declared, ...named] });
  return fleetMoves(of(first), of(second), labels);
}

function fleetAt({ from, files }: ReadManifests, line: CommandLine, problems: ProblemList): Required<GivenFleet> {
  const declared: readonly ListedPool[] = poolsBeside(from, problems);
  const { objects } = readState(files, problems);
  // a file of another tool is not a fleet that is gone; a site that is new or gone has no file
  if (files.length > 0 && (objects.length > 0 || from === '-') && !objects.some(isKubernetesObject)) {
    throw new UsageError(`there is no Kubernetes object in ${sourceOf(from)}; write the folder of the manifests`);
  }
  return { manifests: placeable(objects, line), declared };
}

const isKubernetesObject = ({ apiVersion, kind }: PlainMap): boolean =>
  typeof apiVersion === 'string' && typeof kind === 'string';

const isSame = ({ pools, workloads }: FleetMoves): boolean => pools.length + workloads.length === 0;

function exitCode(moves: readonly FleetMoves[]): number {
  return moves.every(isSame) ? EXIT.ok : EXIT.findings;
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** The sites that differ, each below its name, and a line for all. */
function sitesText(sites: readonly (FleetMoves & { readonly site: string })[]): string {
  const differing = sites.filter((moves) => !isSame(moves));
  const count = `${differing.length} of ${sites.length} ${sites.length === 1 ? 'site' : 'sites'}`;
  return [
    ...differing.map((moves) => `site ${moves.site}\n\n${movesText(moves)}\n`),
    `${count} ${differing.length === 1 ? 'differs' : 'differ'}\n`,
  ].join('');
}

/** The options of `edge-nodepools diff`. */
export function addDiff(program: Command, action: Action): void {
  const what = 'folder or file with manifests, or a dump of a cluster as YAML or JSON; - for stdin';
  program
    .command('diff')
    .description('shows what moves, rolls out, appears and goes between two versions of a fleet')
    .argument('[old]', what, text)
    .argument('[new]', 'the same', text)
    .addOption(new Option('--dump <file>', 'the same as <old>: a dump of a cluster').argParser(text))
    .addOption(reportFormat('output'))
    .addOption(json())
    .addOption(hostNetworkPool())
    .addOption(nodePoolLabel())
    .addOption(hostNetworkLabel())
    .addHelpText(
      'after',
      '\nOf a dump only the objects and the fields that the manifests write are compared;\nhow many objects they do not declare is said in the last line.\n\nFolders of sites, as a FleetDelivery writes them, are compared site by site.\n\nExit code 0: no difference. 1: something differs. 2: the input is invalid.',
    )
    .action(action(runDiff));
}
