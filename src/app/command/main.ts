import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { type CommandLine, EXIT, guarded } from './command-line.js';
import { runPostRender } from './post-render.js';
import { runPreconditions } from './preconditions.js';

const PROCESS: CommandLine = {
  stdin: () => readFileSync(0, 'utf8'),
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
};

const EXIT_CODES = `
Exit code 0: nothing to do. 1: gaps found, and what closes them written, or why it is not.
2: what was given can not be read, or does not show what is required (files for the other
gaps are written all the same).`;

/**
 * The command `edge-nodepools`. Neither command loads cdk8s.
 *
 * @param args what follows the name of the command
 * @returns the exit code
 */
export function main(args: readonly string[], line: CommandLine = PROCESS): number {
  let code: number = EXIT.ok;
  const calls =
    <Options>(run: (options: Options, line: CommandLine) => number) =>
    (options: Options): void =>
      void (code = guarded(line, () => run(options, line)));
  const program = new Command('edge-nodepools')
    .description('Host-network edge node pools: what helps beside the library.')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .exitOverride()
    .configureOutput({ writeOut: line.stdout, writeErr: line.stderr, outputError: (text, write) => write(said(text)) });

  program
    .command('post-render')
    .description('manifests from stdin to stdout, their workloads kept off host-network nodes')
    .option('--only <Kind or Kind/name>', 'only these; can be repeated', eachText)
    .option('--skip <Kind or Kind/name>', 'not these; can be repeated', eachText)
    .option('--openyurt <release>', 'release of OpenYurt, for example 1.7', text, 'none')
    .option('--kubernetes <minor>', 'minor of Kubernetes, for example 1.34 (default: the newest known)', text)
    .option('--allow-newer', 'a release newer than all known ones is taken for the newest')
    .action(calls(runPostRender));

  program
    .command('preconditions')
    .description('what a cluster has and lacks before edge pools work, and the files that close the gaps')
    .option(
      '--from <folder or file>',
      'YAML or JSON: kubectl get --output=yaml, static Pod manifests; - for stdin',
      text,
    )
    .option('--openyurt <release>', 'release of OpenYurt, for example 1.7, or none', text)
    .option('--kubernetes <minor>', 'minor of Kubernetes, for example 1.34', text)
    .option('--out <folder>', 'where files are written', text, 'preconditions')
    .option('--era <era>', 'tunnel: by the documents of OpenYurt with yurt-tunnel', text)
    .option('--allow-newer', 'a release newer than all known ones is taken for the newest (allowNewer)')
    .option('--distribution <name>', 'other: the control plane was not made by kubeadm', text)
    .option('--json', 'the report as JSON')
    .addHelpText('after', EXIT_CODES)
    .action(calls(runPreconditions));

  // last, so that no command inherits it: what is wrong with an option is one line
  try {
    program.showHelpAfterError().parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      throw error;
    }
    code = error.exitCode === 0 ? EXIT.ok : EXIT.unusable;
  }
  return code;
}

/** The value of an option; another option in its place means that the value was forgotten. */
function text(value: string): string {
  if (/^-./.test(value)) {
    throw new InvalidArgumentError('A value is missing.');
  }
  return value;
}

function eachText(value: string, others: readonly string[] = []): readonly string[] {
  return [...others, text(value)];
}

/** A problem of the command line in the words of this command. */
function said(problem: string): string {
  return problem.replace(/^error: /, '').replace(/^unknown command '(.*)'/, 'there is no command $1');
}
