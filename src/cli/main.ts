import { Command, CommanderError } from 'commander';
import { visible } from '../base/errors.js';
import { type Action, type CommandLine, EXIT, UsageError, guarded } from './command-line.js';
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
import { addShow } from './show.js';
import { addSimulate } from './simulate.js';
import { readStdin } from './stdin.js';
import { addUpgrade } from './upgrade.js';
import { Worker } from 'node:worker_threads';
import { nearest } from '../base/properties.js';

/** The command that was called. */
interface CommandUsage {
  readonly name: string;
  readonly flags: readonly string[];
  /** `[options] [folder or file]` */
  readonly usage: string;
}

/** What other tools call the folder of manifests. */
const FOLDER_FLAGS = ['-f', '--file', '--files', '--filename', '--folder', '--dir', '--directory', '--path', '--input'];
/** What they call the format. */
const FORMAT_FLAGS = ['-o', '--output', '--output-format'];

/** Commands of other tools, and what there is here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['apply', 'deploy', 'delete', 'install'].map((name) => [
      name,
      'this connects to no cluster: kubectl apply --server-side -f dist',
    ]),
  ),
  ...Object.fromEntries(
    ['validate', 'lint', 'verify', 'test'].map((name) => [name, 'write edge-nodepools check dist']),
  ),
  ...Object.fromEntries(['list', 'get', 'status', 'report'].map((name) => [name, 'write edge-nodepools show dist'])),
  ...Object.fromEntries(['synth', 'build', 'generate'].map((name) => [name, 'run the program: npm run synth'])),
  render: 'write edge-nodepools post-render',
  version: 'write edge-nodepools --version',
};

/** A line for each command that needs an argument. */
const EXAMPLES: Readonly<Record<string, string>> = {
  dump: 'dump nodes > dump.yaml',
  explain: "explain 'Deployment default/web' dist",
  import: 'import dump.yaml',
};
const TOO_MANY: Readonly<Record<string, string>> = {
  explain: `the kind and the name are one argument: ${EXAMPLES.explain}`,
  diff: 'diff compares two folders or files: diff old dist',
};

/** A message of commander, shortened, with what to write. */
function rephrased(problem: string, command: CommandUsage, flags: readonly string[]): string {
  const advice = adviceOn(problem, command, flags);
  return `${problem}${advice === undefined ? '' : `(${advice})\n`}`
    .replace(/^error: /, '')
    .replace(/^unknown command '(.*)'/, 'there is no command $1')
    .replace(/^command-argument value '(.*)' is invalid for argument 'command'/, 'no command $1 reads a dump')
    .replace(
      /^too many arguments for 'post-render'.*/,
      'post-render reads stdin: edge-nodepools post-render < manifests.yaml',
    )
    .replace(
      /^too many arguments for '(nodes|upgrade|preconditions)'.*/,
      '$1 takes only flags: --dump <folder or file>',
    );
}

function adviceOn(problem: string, command: CommandUsage, flags: readonly string[]): string | undefined {
  const { name } = command;
  const reads = command.usage.includes('[folder or file]');
  if (/^error: unknown command/.test(problem)) {
    return Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : undefined;
  }
  const [, given = '', choices = ''] = /'([^']*)' is invalid[^.]*\. Allowed choices are (.*)\./.exec(problem) ?? [];
  const choice = choices === '' ? undefined : nearest(given, choices.split(', '));
  if (choice !== undefined) {
    return `Did you mean ${choice}?`;
  }
  if (/^error: missing required argument/.test(problem)) {
    return `write edge-nodepools ${EXAMPLES[name] ?? `${name} ${command.usage}`}`;
  }
  if (/^error: too many arguments/.test(problem)) {
    return reads
      ? `${name} reads one: give the folder, all of whose files are read, or run it for each file`
      : TOO_MANY[name];
  }
  // commander compares the whole argument, also with a value after =
  const [, flag = '', value] = /^error: unknown option '(--?[^=']+)(=[^]*)?'\n$/.exec(problem) ?? [];
  if (FOLDER_FLAGS.includes(flag)) {
    if (reads) {
      return `the folder or file has no flag: edge-nodepools ${name} dist`;
    }
    const stdin = name === 'post-render' ? 'it reads stdin: edge-nodepools post-render < manifests.yaml' : undefined;
    return command.flags.includes('--dump') ? 'Did you mean --dump?' : stdin;
  }
  if (FORMAT_FLAGS.includes(flag)) {
    const meant = ['--format', '--out'].find((one) => command.flags.includes(one));
    return meant === undefined ? undefined : `Did you mean ${meant}?`;
  }
  if (['-v', '-V'].includes(flag)) {
    return 'Did you mean --version?';
  }
  if (name === 'simulate' && ['--pool', '--node'].includes(flag)) {
    return `write --down ${flag.slice(2)}=<name>`;
  }
  const near = flag === '' || value === undefined ? undefined : nearest(flag, flags);
  return near === undefined ? undefined : `Did you mean ${near}?`;
}

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

/** What a worker needs to say how long a command takes: it writes to stderr itself, because the thread of the command is busy. */
export interface Ticker {
  readonly write: (text: string) => void;
  /** Calls back every second. */
  readonly everySecond: (run: () => void) => void;
}

/** Says that a command is still at work after 2, 4, 8 … seconds. Its text runs in a worker, so it knows nothing but its arguments. */
export function tick(command: string, { write, everySecond }: Ticker): void {
  let [seconds, next] = [0, 2];
  everySecond(() => {
    seconds += 1;
    if (seconds === next) {
      next *= 2;
      write(`edge-nodepools ${command}: still working, ${seconds} s\n`);
    }
  });
}

const START = `
const { workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
(${tick.toString()})(workerData, { write: (text) => writeSync(2, text), everySecond: (run) => setInterval(run, 1000) });
`;

/** Shows on a terminal that a command is at work. Ends with the process. */
export function showProgress(command: string, isTerminal: boolean): Worker | undefined {
  if (!isTerminal) {
    return undefined;
  }
  const worker = new Worker(START, { eval: true, workerData: command });
  worker.unref();
  return worker;
}
