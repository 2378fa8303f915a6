import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { nearest } from '../../validation/properties.js';
import { PACKAGE_MANAGERS } from '../project/project-kind.js';
import { type CommandLine, EXIT, guarded } from './command-line.js';
import { runInit } from './init.js';
import { runNodes } from './nodes.js';
import { runPostRender } from './post-render.js';
import { runPreconditions } from './preconditions.js';
import { showProgress } from './progress.js';
import { runSeedIso } from './seed-iso.js';
import { FORMATS, runShow } from './show.js';
import { readStdin } from './stdin.js';
import { runUpgrade } from './upgrade.js';

const PROCESS: CommandLine = {
  stdin: () => readStdin(),
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  begins: (command) => void showProgress(command, process.stderr.isTTY),
};

const EXIT_CODES = `
Exit code 0: nothing to do. 1: gaps found; the files that fix them are written,
or the report has the reason why not. 2: the input is invalid, or does not
contain something that the release requires (files for the other gaps are
written anyway).`;

const RENDERED = `
Exit code 0: the manifests were written; warnings are on stderr. 1: with
--strict, a warning says that Pods may not be excluded, and nothing was written.
2: an option or a manifest is invalid, and nothing was written.

Helm 3 gives no hooks to a post-renderer. Helm 4 does, and takes the plugin of
this package; see docs/post-render.md.`;

/**
 * The command `edge-nodepools`. None of its subcommands loads cdk8s.
 *
 * @param args arguments after the name of the command
 * @returns the exit code
 */
export function main(args: readonly string[], line: CommandLine = PROCESS): number {
  let code: number = EXIT.ok;
  const calls =
    <Options>(run: (options: Options, line: CommandLine) => number) =>
    (options: Options, command: Command): void =>
      void (code = guarded(line, flagsOfOne(command), () => run(options, line)));
  const callsWith =
    <Options>(run: (argument: string, options: Options, line: CommandLine) => number) =>
    (argument: string, options: Options, command: Command): void =>
      void (code = guarded(line, flagsOfOne(command), () => run(argument, options, line)));
  const program = new Command('edge-nodepools')
    .description('Host-network edge node pools: command-line tools.')
    .helpOption('-h, --help', 'show this help')
    .version(versionOf(), '--version', 'show the version')
    .helpCommand('help [command]', 'show the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: line.stdout,
      writeErr: line.stderr,
      outputError: (text, write) => write(rephrased(text, flagsOf(program))),
    });

  program
    .command('init')
    .description('writes a new project: a host-network pool, a workload on it, a workload excluded from it, and tests')
    .argument('[folder]', 'a new or empty folder', text, '.')
    .option('--pulumi', 'a Pulumi program instead of a cdk8s app')
    .option('--openyurt <release>', 'release of OpenYurt, for example 1.7, or none (default: the newest known)', text)
    .option(
      '--kubernetes <minor>',
      'minor of Kubernetes, for example 1.36 (default: the newest that fits to OpenYurt)',
      text,
    )
    .option('--api-server <host:port>', 'address of the API server for joining nodes; needs --ca-cert-hash', text)
    .option('--ca-cert-hash <hash>', 'hash of the CA of the cluster, sha256:<64 hex digits>', text)
    .addOption(new Option('--package-manager <name>', 'the package manager').choices(PACKAGE_MANAGERS).default('npm'))
    .addHelpText(
      'after',
      '\nExit code 0: the project is written. 2: the input is invalid, or a file exists\nalready; nothing is written.',
    )
    .action(callsWith(runInit));

  program
    .command('post-render')
    .description('excludes the workloads in manifests from host-network nodes (stdin to stdout)')
    .option('--only <Kind or Kind/name>', 'only these workloads; repeatable', eachText)
    .option('--skip <Kind or Kind/name>', 'not these workloads; repeatable', eachText)
    .option(
      '--pod-template-path <Kind=path>',
      "where a kind has its Pod template, for example 'Worker.example.com=spec.template'; repeatable",
      eachText,
    )
    .option('--strict', 'print nothing and exit with 1 if a warning says that Pods may not be excluded')
    .option('--openyurt <release>', 'release of OpenYurt, for example 1.7', text, 'none')
    .option('--kubernetes <minor>', 'minor of Kubernetes, for example 1.34 (default: the newest known)', text)
    .option('--allow-newer', 'treat a release newer than all known ones as the newest')
    .option(...HOST_NETWORK_LABEL)
    .addHelpText('after', RENDERED)
    .action(calls(runPostRender));

  program
    .command('show')
    .description('shows which workloads run on the nodes of which pools, and why not')
    .argument(
      '<folder or file>',
      'manifests, for example dist, or a dump of a cluster as YAML or JSON; - for stdin',
      text,
    )
    .addOption(new Option('--format <format>', 'format of the output').choices(FORMATS).default('text'))
    .option('--nodes <pool=number>', 'number of nodes of a pool, for the totals; repeatable', eachText)
    .option(...HOST_NETWORK_POOL)
    .option(
      '--node-pool-label <key>',
      'node label with the name of the pool, if OpenYurt was built with another one',
      text,
    )
    .option(...HOST_NETWORK_LABEL)
    .addHelpText('after', '\nExit code 0: shown. 2: the input is invalid, or has no pool.')
    .action(callsWith(runShow));

  program
    .command('nodes')
    .description('reports which Nodes are not as their pools want them, and writes the commands that repair them')
    .option('--dump <folder or file>', 'YAML or JSON of the cluster: kubectl get --output=yaml; - for stdin', text)
    .option('--out <folder>', 'output folder', text, 'nodes')
    .option(...HOST_NETWORK_POOL)
    .option(
      '--node-pool-label <key>',
      'node label with the name of the pool, if OpenYurt was built with another one',
      text,
    )
    .option(...HOST_NETWORK_LABEL)
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      '\nExit code 0: every Node is as its pool wants it. 1: gaps found; out/nodes.sh\nrepairs them. 2: the input is invalid, or does not say what the pool of a Node\nis.',
    )
    .action(calls(runNodes));

  program
    .command('preconditions')
    .description('reports which preconditions of edge pools a cluster lacks, and writes the files that fix them')
    .option(
      '--from <folder or file>',
      'YAML or JSON: kubectl get --output=yaml, static Pod manifests; - for stdin',
      text,
    )
    .option('--openyurt <release>', 'release of OpenYurt, for example 1.7, or none', text)
    .option('--kubernetes <minor>', 'minor of Kubernetes, for example 1.34', text)
    .option('--out <folder>', 'output folder', text, 'preconditions')
    .option('--era <era>', 'tunnel: follow the documentation of OpenYurt with yurt-tunnel', text)
    .option('--allow-newer', 'treat a release newer than all known ones as the newest (allowNewer)')
    .option('--distribution <name>', 'other: the control plane was not created by kubeadm', text)
    .option(...HOST_NETWORK_LABEL)
    .option('--json', 'print the report as JSON')
    .addHelpText('after', EXIT_CODES)
    .action(calls(runPreconditions));

  program
    .command('upgrade')
    .description('plans an upgrade of OpenYurt, Kubernetes or both, and writes scripts that do it step by step')
    .option('--dump <folder or file>', 'YAML or JSON of the cluster: kubectl get --output=yaml; - for stdin', text)
    .option('--from <release>', 'release of OpenYurt in the cluster, for example 1.5, or none', text)
    .option('--to <release>', 'release to upgrade to, for example 1.7.0 (default: the same)', text)
    .option('--kubernetes <minor or minors>', 'minor of Kubernetes, 1.30; or from which to which, 1.30..1.34', text)
    .option('--out <folder>', 'output folder', text, 'upgrade')
    .option(
      '--convert-nodes',
      'let OpenYurt 1.7 install yurthub on nodes of Edge pools that have none (stops their containers)',
    )
    .option('--distribution <name>', 'other: the control plane was not created by kubeadm', text)
    .option(
      '--node-pool-label <key>',
      'node label with the name of the pool, if OpenYurt was built with another one',
      text,
    )
    .option(
      '--cluster-name <name>',
      'refuse the dump of a cluster with another name in its kubeadm configuration',
      text,
    )
    .option('--ca-cert-hash <hash>', 'refuse the dump of a cluster with another CA, sha256:<64 hex digits>', text)
    .option('--json', 'print the plan as JSON')
    .addHelpText(
      'after',
      '\nExit code 0: the plan is written, or there is nothing to do. 2: the input is\ninvalid; nothing is written.',
    )
    .action(calls(runUpgrade));

  program
    .command('seed-iso')
    .description('makes a disc for cloud-init of each seed folder that a join with boxes has written')
    .argument('<folder>', 'the folder with the seed folders, for example dist/join', text)
    .option('--out <folder>', 'output folder', text, 'iso')
    .addHelpText(
      'after',
      '\nIt needs xorriso, genisoimage or mkisofs. Exit code 0: the discs are written.\n2: the input is invalid, or none of these is installed.',
    )
    .action(callsWith(runSeedIso));

  // last, so that no subcommand inherits it: an error about an option is one line
  try {
    program.hook('preAction', (_, command) => line.begins?.(command.name()));
    program.showHelpAfterError().parse(withoutHelp(args, program), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      throw error;
    }
    code = error.exitCode === 0 ? EXIT.ok : EXIT.unusable;
  }
  return code;
}

/** Options of several commands. */
const HOST_NETWORK_POOL = [
  '--host-network-pool <name>',
  'a host-network pool without NodePool object, as without OpenYurt; repeatable',
  eachText,
] as const;
const HOST_NETWORK_LABEL = [
  '--host-network-label <key=value>',
  'node label by which host-network nodes are known, without OpenYurt',
  text,
] as const;

/** The arguments without `help` in front of what is no command: commander would only show its general help, this way it says what was meant. */
function withoutHelp(args: readonly string[], { commands }: Command): readonly string[] {
  const [first, name] = args;
  const isUnknown = name !== undefined && !commands.some((command) => command.name() === name);
  return first === 'help' && isUnknown ? args.slice(1) : args;
}

/** The version of the package. */
function versionOf(): string {
  const file = join(__dirname, '..', '..', '..', 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** The value of an option; if it looks like another option, the value is missing. */
function text(value: string): string {
  if (/^-./.test(value)) {
    throw new InvalidArgumentError('A value is missing.');
  }
  return value;
}

function eachText(value: string, others: readonly string[] = []): readonly string[] {
  return [...others, text(value)];
}

/** The flags of all commands. */
function flagsOf({ commands }: Command): string[] {
  return commands.flatMap(flagsOfOne);
}

function flagsOfOne({ options }: Command): string[] {
  return options.flatMap(({ long }) => long ?? []);
}

/** A message of commander, shortened. */
function rephrased(problem: string, flags: readonly string[]): string {
  // commander compares the whole argument, also with a value after =
  const [, flag] = /^error: unknown option '(--[^=']+)=[^]*'\n$/.exec(problem) ?? [];
  const near = flag === undefined ? undefined : nearest(flag, flags);
  return `${problem}${near === undefined ? '' : `(Did you mean ${near}?)\n`}`
    .replace(/^error: /, '')
    .replace(/^unknown command '(.*)'/, 'there is no command $1')
    .replace(
      /^too many arguments for 'post-render'.*/,
      'post-render reads stdin: edge-nodepools post-render < manifests.yaml',
    )
    .replace(/^too many arguments for 'preconditions'.*/, 'preconditions takes only flags: --from <folder or file>');
}
