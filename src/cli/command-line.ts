import type { Command } from 'commander';
import { checkHostNetworkLabel } from '../cluster/host-network-label.js';
import { EdgeError, type EdgeProblem, ProblemList, seeLine } from '../base/errors.js';
import type { HostNetworkLabel } from '../kubernetes/labels.js';

/** The streams that a command reads and writes. */
export interface CommandLine {
  readonly stdin: () => string;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Writes manifests to stdout: every character as it is.
   * @default - stdout */
  readonly manifests?: (text: string) => void;
  /** Called when a command begins.
   * @default - nothing shows that it is at work */
  readonly begins?: (command: string) => void;
  /** Runs kubectl with arguments: its output, or undefined if it failed.
   * @default - the kubectl on PATH */
  readonly kubectl?: (args: readonly string[]) => string | undefined;
  /** Runs curl with arguments: what it writes.
   * @default - the curl on PATH */
  readonly curl?: (args: readonly string[]) => string;
}

/** Makes the action of a subcommand of a function that gets its arguments and options, and returns the exit code. */
export type Action = <Given extends unknown[]>(
  run: (...given: [...Given, CommandLine]) => number,
) => (...given: [...Given, Command]) => void;

/** Exit codes: nothing to do or all done, gaps found, and input that is invalid or unreadable. */
export const EXIT = { ok: 0, findings: 1, unusable: 2 } as const;

/** An invalid command line; the message has the fix. */
export class UsageError extends Error {}

/** The error about options without which a command cannot run. */
export function missingOptions(given: Readonly<Record<string, unknown>>, usage: string): UsageError {
  const missing = Object.keys(given).flatMap((name) => (given[name] === undefined ? [`--${name}`] : []));
  return new UsageError(`${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing; write ${usage}`);
}

/**
 * Runs a command; invalid input is reported on stderr, with exit code 2.
 *
 * @param command its name, in place of the function of which it is the door
 * @param flags those of the command: no hint names another one
 */
export function guarded(line: CommandLine, command: string, flags: readonly string[], run: () => number): number {
  const said = (problem: EdgeProblem): EdgeProblem => {
    const { hint, ...rest } = inFlags(problem);
    return { ...rest, hint: flags.includes('--allow-newer') ? hint : hint.replace(/, or write --allow-newer .*$/, '') };
  };
  try {
    return run();
  } catch (error) {
    if (error instanceof EdgeError) {
      const subject = FUNCTIONS.includes(error.subject) ? command : error.subject;
      line.stderr(`${new EdgeError(subject, error.problems.map(said)).message}\n${seeLine(error.problems)}\n`);
      return EXIT.unusable;
    }
    if (error instanceof UsageError || isFileError(error)) {
      line.stderr(`${error instanceof UsageError ? error.message : fileErrorText(error)}\n`);
      return EXIT.unusable;
    }
    throw error;
  }
}

/** What the errors of a file system mean, by code (errno(3)). */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission',
  EPERM: 'you have no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  EEXIST: 'a file is there already',
  ENOTDIR: 'a part of this path is a file, not a folder',
};

/** An error of a file system, without the names of system calls. */
function fileErrorText({ code = '', path, message, syscall }: NodeJS.ErrnoException): string {
  const what = FILE_ERRORS[code];
  const done = syscall === 'open' ? 'opened' : /^(?:scandir|l?stat|read)$/.test(syscall ?? '') ? 'read' : 'written';
  return what === undefined || path === undefined ? message : `${path}: it cannot be ${done}: ${what} (${code})`;
}

/** Functions behind commands, which nobody has called who writes one. */
const FUNCTIONS: readonly string[] = ['simulateOutage', 'fleetOverview', 'footprint', 'checkFiles', 'readNodes'];

/** The flag of a property. */
const FLAGS: Readonly<Record<string, string>> = {
  openYurt: '--openyurt',
  kubernetes: '--kubernetes',
  allowNewer: '--allow-newer',
  apiServer: '--api-server',
  caCertHashes: '--ca-cert-hash',
  distribution: '--distribution',
  hostNetworkLabel: '--host-network-label',
  guide: '--guide',
  only: '--only',
  skip: '--skip',
  to: '--to',
  nodePoolLabel: '--node-pool-label',
  for: '--for',
  update: '--update',
  otherNodes: '--other-nodes',
};

/** A problem or a warning with the flags of the command instead of properties: `--allow-newer`, not `allowNewer: true`. */
export function inFlags<P extends EdgeProblem>(problem: P): P {
  const [name = '', ...rest] = problem.path.replace(/^(?:EdgeCluster|settings)\./, '').split(/(?=[.[])/);
  const [, down, pool] = /^(?:down\.(pool|node)s(?:\[\d+\])?|nodes\.([^[.]+))$/.exec(problem.path) ?? [];
  const ofSimulation = down !== undefined ? `--down ${down}` : pool !== undefined ? `--nodes ${pool}` : undefined;
  const said = (text: string): string =>
    text
      .replace(
        /\b(openYurt|kubernetes|distribution|guide): ('?)([\w.-]+)\2/g,
        (_, property: string, __, value: string) =>
          value === 'one' ? `${FLAGS[property]} with one` : `${FLAGS[property]} ${value}`,
      )
      .replace(/\ballowNewer: true/g, '--allow-newer')
      .replace("'10m', '90s' or a number of seconds", '10m or 90s')
      // on its own the word kubernetes is a name: of a cluster, a Service, a plugin of CoreDNS
      .replace(/\bopenYurt and kubernetes\b/g, '--openyurt and --kubernetes')
      .replace(/\bopenYurt\b/g, '--openyurt');
  return {
    ...problem,
    path:
      ofSimulation ??
      // a list that is one value of one flag
      (name === 'caCertHashes'
        ? '--ca-cert-hash'
        : Object.hasOwn(FLAGS, name)
          ? `${FLAGS[name]}${rest.join('')}`
          : fileIn(problem.path)),
    message: said(problem.message),
    hint: said(problem.hint),
  };
}

/** A path that begins with the name of a file, `["w.yaml"].spec`, as the file has it. */
function fileIn(path: string): string {
  const [, file, rest = ''] = /^\[("(?:[^"\\]|\\.)*")\](.*)$/s.exec(path) ?? [];
  return file === undefined ? path : `${JSON.parse(file) as string}${rest === '' ? '' : ` ${rest.replace(/^\./, '')}`}`;
}

/** `key=value` of `--host-network-label`, as a property of a cluster. */
export function hostNetworkLabelOf(text: string | undefined): { readonly hostNetworkLabel?: HostNetworkLabel } {
  if (text === undefined) {
    return {};
  }
  const [, key, value] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw new UsageError(
      `--host-network-label ${text} is not a label and its value; write eks.amazonaws.com/compute-type=hybrid, or node-role.kubernetes.io/edge= for a label without a value`,
    );
  }
  const problems = new ProblemList();
  checkHostNetworkLabel({ key, value }, problems.at('hostNetworkLabel'));
  problems.throwIfAny('EdgeCluster');
  return { hostNetworkLabel: { key, value } };
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return typeof (error as NodeJS.ErrnoException | undefined)?.syscall === 'string';
}
