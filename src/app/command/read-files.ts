import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { ReadFile } from '../../preconditions/cluster-state.js';
import { type CommandLine, UsageError } from './command-line.js';

/** What is read, for messages. */
export function sourceOf(from: string): string {
  return from === '-' ? 'stdin' : from;
}

/**
 * Every YAML and JSON file of a folder, ordered by name, without the output of an earlier run, patches of kubeadm and packages of npm; or one file, or stdin.
 *
 * @param option the option that names the folder, for errors
 * @param out the folder of the output; undefined if the command writes no files
 */
export function filesAt(from: string, option: string, out: string | undefined, line: CommandLine): ReadFile[] {
  if (from === '-') {
    return [{ path: 'stdin', text: line.stdin() }];
  }
  if (!existsSync(from)) {
    throw new UsageError(`${option} ${from}: there is no such file or folder`);
  }
  if (!statSync(from).isDirectory()) {
    return [{ path: from, text: readFileSync(from, 'utf8') }];
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
    .filter((file) => !isOutput(file) && !relative(from, file).split(sep).includes('node_modules'))
    .sort()
    .map((file) => ({ path: relative(from, file).split(sep).join('/'), text: readFileSync(file, 'utf8') }));
}

/** A patch file of kubeadm, by the name that kubeadm wants: it is no manifest. A program writes them beside its manifests. */
const KUBEADM_PATCH = /\+(strategic|merge|json)\.(ya?ml|json)$/;

function isBelow(folder: string, path: string): boolean {
  return !relative(resolve(folder), resolve(path)).startsWith('..');
}
