import { readFileSync } from 'node:fs';
import { type CommandLine, EXIT, guarded } from './command-line.js';
import { runPostRender } from './post-render.js';
import { runPreconditions } from './preconditions.js';

const USAGES: Readonly<Record<string, string>> = {
  'post-render': `  post-render    manifests from stdin to stdout, their workloads kept off host-network nodes
      --only <Kind or Kind/name>   only these; can be repeated
      --skip <Kind or Kind/name>   not these; can be repeated
      --openyurt <release>         --kubernetes <minor>         --allow-newer
`,
  preconditions: `  preconditions  what a cluster has and lacks before edge pools work, and the files that close the gaps
      --from <folder or file>      YAML or JSON: kubectl get --output=yaml, static Pod manifests; - for stdin
      --openyurt <release>         for example 1.7, or none
      --kubernetes <minor>         for example 1.34
      --out <folder>               default: preconditions
      --era tunnel                 by the documents of OpenYurt with yurt-tunnel
      --allow-newer                a release newer than all known ones is taken for the newest (allowNewer)
      --distribution other         the control plane was not made by kubeadm
      --json                       the report as JSON
    exit code 0: nothing to do; 1: gaps found, and what closes them written, or why it is not; 2: what was given can not be read,
      or does not show what is required (files for the other gaps are written all the same)
`,
};

const USAGE = `edge-nodepools <command>

${Object.values(USAGES).join('\n')}`;

const HELP = ['--help', '-h'];

const PROCESS: CommandLine = {
  stdin: () => readFileSync(0, 'utf8'),
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
};

/**
 * The command `edge-nodepools`. Neither command loads cdk8s.
 *
 * @param args what follows the name of the command
 * @returns the exit code
 */
export function main(args: readonly string[], line: CommandLine = PROCESS): number {
  const [command, ...rest] = args;
  const usage = command === undefined ? undefined : USAGES[command];
  if (usage !== undefined && rest.some((word) => HELP.includes(word))) {
    line.stdout(`edge-nodepools <command>\n\n${usage}`);
    return EXIT.ok;
  }
  switch (command) {
    case 'post-render':
      return guarded(line, () => runPostRender(rest, line));
    case 'preconditions':
      return guarded(line, () => runPreconditions(rest, line));
    case 'help':
    case '--help':
    case '-h':
      line.stdout(USAGE);
      return EXIT.ok;
    default:
      line.stderr(command === undefined ? USAGE : `there is no command ${command}\n\n${USAGE}`);
      return EXIT.unusable;
  }
}
