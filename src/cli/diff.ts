import { type Command, Option } from 'commander';
import type { PlainMap } from '../base/plain-data.js';
import { type FleetMoves, fleetMoves, type GivenFleet } from '../fleet/fleet-moves.js';
import { movesText } from '../fleet/moves-text.js';
import { type Action, type CommandLine, EXIT, UsageError } from './command-line.js';
import { type FleetOptions, readFleet, type ReadFleet, settingsOf } from './fleet-input.js';
import { hostNetworkLabel, hostNetworkPool, json, nodePoolLabel, reportFormat, text } from './options.js';
import { sourceOf } from './read-files.js';

interface Options extends FleetOptions {
  readonly format: 'text' | 'json';
  readonly dump?: string;
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
  const [first, second] = [readFleet(before, 'diff', line), readFleet(after, 'diff', line)];
  [first, second].forEach(requireObjects);
  const { labels, declaredIn } = settingsOf(options, line, first, second);
  const between = (site?: string): FleetMoves => {
    const [one, other] = [first, second].map((fleet): GivenFleet => ({
      manifests: fleet.sites.find(({ name }) => name === site)?.objects ?? [],
      declared: declaredIn(fleet, site),
    }));
    return fleetMoves(one as GivenFleet, other as GivenFleet, labels);
  };
  const [olds, news] = [namesOf(first), namesOf(second)];
  if (olds.length === 0 && news.length === 0) {
    const moves = between();
    line.stdout(options.format === 'json' ? jsonText(moves) : movesText(moves));
    return exitCode([moves]);
  }
  if (olds.length === 0 || news.length === 0) {
    const [one, all] = olds.length === 0 ? [before, after] : [after, before];
    throw new UsageError(
      `${sourceOf(all)} has folders of sites, and ${sourceOf(one)} has none; write the folder of one site, ${all}/sites/…`,
    );
  }
  const sites = [...new Set([...olds, ...news])].sort().map((site) => ({ site, ...between(site) }));
  line.stdout(options.format === 'json' ? jsonText({ sites }) : sitesText(sites));
  return exitCode(sites);
}

const namesOf = ({ sites }: ReadFleet): string[] => sites.flatMap(({ name }) => name ?? []);

/** A file of another tool is not a fleet that is gone. */
function requireObjects({ from, files, sites }: ReadFleet): void {
  if (files.length === 0) {
    throw new UsageError(`there is no YAML or JSON file in ${sourceOf(from)}; write the folder of the manifests`);
  }
  const all = sites.flatMap(({ placed }) => placed);
  if (all.length > 0 ? !all.some(({ object }) => isKubernetesObject(object)) : from === '-') {
    throw new UsageError(`there is no Kubernetes object in ${sourceOf(from)}; write the folder of the manifests`);
  }
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
