import type { Command } from 'commander';
import { ProblemList } from '../../errors.js';
import { type DeclaredPool, poolNamed } from '../../placement/pools-file.js';
import { readState } from '../../preconditions/cluster-state.js';
import { fleetMoves, type GivenFleet } from '../../diff/fleet-moves.js';
import { movesText } from '../../diff/moves-text.js';
import { type Action, type CommandLine, EXIT, UsageError } from './command-line.js';
import { hostNetworkLabel, hostNetworkPool, json, nodePoolLabel, reportFormat, text } from './options.js';
import { filesAt, sourceOf } from './read-files.js';
import { labelsOf, poolsBeside } from './show.js';

interface Options {
  readonly format: 'text' | 'json';
  readonly hostNetworkPool?: readonly string[];
  readonly nodePoolLabel?: string;
  readonly hostNetworkLabel?: string;
}

/** `edge-nodepools diff`: what moves, rolls out, appears and goes between two fleets. */
function runDiff(before: string, after: string, options: Options, line: CommandLine): number {
  if (before === '-' && after === '-') {
    throw new UsageError('only one of the two can be -, stdin; write a folder or a file for the other');
  }
  const problems = new ProblemList();
  const [first, second] = [fleetAt(before, line, problems), fleetAt(after, line, problems)];
  problems.throwIfAny('diff');
  const labels = labelsOf(options, [...first.declared, ...second.declared]);
  const named = (options.hostNetworkPool ?? []).map((pool) => poolNamed(pool, labels));
  const of = ({ manifests, declared }: typeof first): GivenFleet => ({ manifests, declared: [...declared, ...named] });
  const moves = fleetMoves(of(first), of(second), labels);
  line.stdout(options.format === 'json' ? `${JSON.stringify(moves, undefined, 2)}\n` : movesText(moves));
  return moves.pools.length + moves.workloads.length === 0 ? EXIT.ok : EXIT.gaps;
}

function fleetAt(from: string, line: CommandLine, problems: ProblemList): Required<GivenFleet> {
  const files = filesAt(from, 'diff', undefined, line);
  if (files.length === 0) {
    throw new UsageError(`there is no YAML or JSON file in ${sourceOf(from)}; write the folder of the manifests`);
  }
  const declared: readonly DeclaredPool[] = poolsBeside(from, problems);
  return { manifests: readState(files, problems).objects, declared };
}

/** The options of `edge-nodepools diff`. */
export function addDiff(program: Command, action: Action): void {
  const what = 'folder or file with manifests, or a dump of a cluster as YAML or JSON; - for stdin';
  program
    .command('diff')
    .description('shows what moves, rolls out, appears and goes between two versions of a fleet')
    .argument('<old>', what, text)
    .argument('<new>', 'the same', text)
    .addOption(reportFormat('output'))
    .addOption(json())
    .addOption(hostNetworkPool())
    .addOption(nodePoolLabel())
    .addOption(hostNetworkLabel())
    .addHelpText(
      'after',
      '\nOf a dump only the fields that the manifests write are compared.\n\nExit code 0: no difference. 1: something differs. 2: the input is invalid.',
    )
    .action(action(runDiff));
}
