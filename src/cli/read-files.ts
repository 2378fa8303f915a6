import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { ReadFile } from '../preconditions/cluster-state.js';
import { nearMiss } from '../base/properties.js';
import { type CommandLine, UsageError } from './command-line.js';
import { textOf } from './stdin.js';

/** What is read, for messages. */
export function sourceOf(from: string): string {
  return from === '-' ? 'stdin' : from;
}

/**
 * What a command reads: its argument, or `--dump`.
 *
 * @param command with which arguments: `check`, `explain 'Deployment default/web'`
 */
export function sourceGiven(path: string | undefined, dump: string | undefined, command: string): string {
  const from = path ?? dump;
  if (from === undefined) {
    throw new UsageError(
      `nothing is given to read; write edge-nodepools ${command} dist, or ${command} --dump dump.yaml`,
    );
  }
  if (path !== undefined && dump !== undefined) {
    throw new UsageError(`${path} and --dump ${dump} are both given; write one of them, or one folder with both`);
  }
  return from;
}

/** The path of a file as seen from where the command runs: editors and code hosts open it. */
export function pathFrom(from: string, path: string): string {
  return from === '-' || path === from ? path : join(from, path).split(sep).join('/');
}

/**
 * Every YAML and JSON file of a folder, ordered by name, without the output of an earlier run, patches of kubeadm, packages of npm and hidden folders; or one file,
 * or stdin.
 *
 * @param option the option that names the folder, for errors
 * @param out the folder of the output; undefined if the command writes no files
 */
export function filesAt(from: string, option: string, out: string | undefined, line: CommandLine): ReadFile[] {
  if (from === '-') {
    return [{ path: 'stdin', text: line.stdin() }];
  }
  // of a file in a folder that may not be read, existsSync says that there is none
  if (statSync(from, { throwIfNoEntry: false }) === undefined) {
    const near = nearTo(from);
    throw new UsageError(
      `${option} ${from}: there is no such file or folder${near === undefined ? '' : `; did you mean ${near}?`}`,
    );
  }
  if (!statSync(from).isDirectory()) {
    if (/\.(md|markdown|adoc|rst|html?)$/i.test(from)) {
      throw new UsageError(`${from} is a page, and no manifest; write a file of YAML or JSON, or a folder with some`);
    }
    return [{ path: from, text: textOf(readFileSync(from), from) }];
  }
  if (out !== undefined && relative(resolve(out), resolve(from)) === '') {
    throw new UsageError(
      `--out is the folder that ${option} reads; write --out <another folder>, for example one below it`,
    );
  }
  // only an output folder below the input folder can contain files of an earlier run
  const isOutput = (file: string): boolean => out !== undefined && isBelow(from, out) && isBelow(out, file);
  return readdirSync(from, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name) && !KUBEADM_PATCH.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !isOutput(file) && !relative(from, file).split(sep).slice(0, -1).some(isOfTools))
    .sort()
    .map((file) => ({ path: relative(from, file).split(sep).join('/'), text: textOf(readFileSync(file), file) }));
}

/** A file or folder beside it with nearly the same name. */
function nearTo(path: string): string | undefined {
  const folder = dirname(path);
  const near = existsSync(folder) ? nearMiss(basename(path), readdirSync(folder)) : undefined;
  return near === undefined ? undefined : join(folder, near);
}

/** Whether a folder is one of tools: .git, .github, node_modules. */
function isOfTools(folder: string): boolean {
  return folder === 'node_modules' || (folder.startsWith('.') && !/^\.+$/.test(folder));
}

/** A patch file of kubeadm, by the name that kubeadm wants: it is not a manifest. A program writes them beside its manifests. */
const KUBEADM_PATCH = /\+(strategic|merge|json)\.(ya?ml|json)$/;

function isBelow(folder: string, path: string): boolean {
  return !relative(resolve(folder), resolve(path)).startsWith('..');
}
