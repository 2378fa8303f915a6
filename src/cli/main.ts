import { Command, CommanderError } from 'commander';
import { visible } from '../base/errors.js';
import { type Action, type CommandLine, EXIT, guarded, UsageError } from './command-line.js';
import { addBundle } from './bundle.js';
import { addCheck } from './check.js';
import { addDiff } from './diff.js';
import { addDump } from './dump.js';
import { addExplain } from './explain.js';
import { addImport } from './import.js';
import { addInit } from './init.js';
import { addNodes } from './nodes.js';
import { packageVersion } from './package-version.js';
import { addPostRender } from './post-render.js';
import { addPreconditions } from './preconditions.js';
import { showProgress } from './progress.js';
import { addSeedIso } from './seed-iso.js';
import { addShow } from './show.js';
import { addSimulate } from './simulate.js';
import { readStdin } from './stdin.js';
import { addUpgrade } from './upgrade.js';
import { type CommandUsage, rephrased } from './usage-errors.js';

const SUBCOMMANDS = [
  addInit,
  addImport,
  addPostRender,
  addCheck,
  addShow,
  addExplain,
  addDiff,
  addSimulate,
  addDump,
  addNodes,
  addPreconditions,
  addUpgrade,
  addSeedIso,
  addBundle,
];

const PROCESS: CommandLine = {
  stdin: () => readStdin(),
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  begins: (command) => void showProgress(command, process.stderr.isTTY),
};

/**
 * The command `edge-nodepools`. None of its subcommands loads cdk8s.
 *
 * @param args arguments after the name of the command
 * @returns the exit code
 */
export function main(args: readonly string[], given: CommandLine = PROCESS): number {
  const line: CommandLine = {
    ...given,
    stdout: (text) => given.stdout(visible(text)),
    stderr: (text) => given.stderr(visible(text)),
    manifests: given.stdout,
  };
  let code: number = EXIT.ok;
  const action: Action =
    (run) =>
    (...values) => {
      const command = values.at(-1) as Command;
      code = guarded(line, command.name(), flagsOfOne(command), () => {
        refuseTwoFormats(command);
        return run(...(values.slice(0, -1) as Parameters<typeof run>), line);
      });
    };
  const program = new Command('edge-nodepools')
    .description('Host-network edge node pools: command-line tools.')
    .helpOption('-h, --help', 'show this help')
    .version(packageVersion(), '--version', 'show the version')
    .helpCommand('help [command]', 'show the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: line.stdout,
      writeErr: line.stderr,
      outputError: (text, write) => write(rephrased(text, usageOf(args, program), flagsOf(program))),
    });

  SUBCOMMANDS.forEach((add) => add(program, action));

  // last, so that no subcommand inherits it: an error about an option is one line
  try {
    program.hook('preAction', (_, command) => line.begins?.(command.name()));
    program.showHelpAfterError().parse(withoutHelp(args, program), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      throw error;
    }
    // of `help <command>`, commander returns process.exitCode, which is that of the program that calls main
    const isHelp = error.code === 'commander.help' && args[0] === 'help';
    code = error.exitCode === 0 || isHelp ? EXIT.ok : EXIT.unusable;
  }
  return code;
}

/** `--json` also says the format. */
function refuseTwoFormats(command: Command): void {
  const { json, format } = command.opts<{ json?: boolean; format?: string }>();
  if (json === true && command.getOptionValueSource('format') === 'cli' && format !== 'json') {
    throw new UsageError(`--json is --format json, and --format ${String(format)} is also given; write one of them`);
  }
}

/** The arguments without `help` in front of what is no command: commander would only show its general help, this way it says what was meant. */
function withoutHelp(args: readonly string[], { commands }: Command): readonly string[] {
  const [first, name] = args;
  const isUnknown = name !== undefined && !commands.some((command) => command.name() === name);
  return first === 'help' && isUnknown ? args.slice(1) : args;
}

/** The command of a command line. */
function usageOf([name = '']: readonly string[], { commands }: Command): CommandUsage {
  const command = commands.find((one) => one.name() === name);
  return { name, flags: command === undefined ? [] : flagsOfOne(command), usage: command?.usage() ?? '' };
}

/** The flags of all commands. */
function flagsOf({ commands }: Command): string[] {
  return commands.flatMap(flagsOfOne);
}

function flagsOfOne({ options }: Command): string[] {
  return options.flatMap(({ long }) => long ?? []);
}
