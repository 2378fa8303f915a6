import { type Command, Option } from 'commander';
import { ProblemList } from '../../errors.js';
import type { ListedPool } from '../../placement/pools-file.js';
import { readState } from '../../preconditions/cluster-state.js';
import { fleetMoves, type GivenFleet } from '../../diff/fleet-moves.js';
import { movesText } from '../../diff/moves-text.js';
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
  const problems = new ProblemList();
  const [first, second] = [fleetAt(before, line, problems), fleetAt(after, line, problems)];
  problems.throwIfAny('diff');
  const labels = labelsOf(options, [...first.declared, ...second.declared]);
  const named = poolsNamed(options.hostNetworkPool, labels, [...first.manifests, ...second.manifests], line);
  const of = ({ manifests, declared }: typeof first): GivenFleet => ({ manifests, declared: [...declared, ...named] });
  const moves = fleetMoves(of(first), of(second), labels);
  line.stdout(options.format === 'json' ? `${JSON.stringify(moves, undefined, 2)}\n` : movesText(moves));
  return moves.pools.length + moves.workloads.length === 0 ? EXIT.ok : EXIT.findings;
}

function fleetAt(from: string, line: CommandLine, problems: ProblemList): Required<GivenFleet> {
  const files = filesAt(from, 'diff', undefined, line);
  if (files.length === 0) {
    throw new UsageError(`there is no YAML or JSON file in ${sourceOf(from)}; write the folder of the manifests`);
  }
  const declared: readonly ListedPool[] = poolsBeside(from, problems);
  return { manifests: placeable(readState(files, problems).objects, line), declared };
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
      '\nOf a dump only the objects and the fields that the manifests write are compared;\nhow many objects they do not declare is said in the last line.\n\nExit code 0: no difference. 1: something differs. 2: the input is invalid.',
    )
    .action(action(runDiff));
}
