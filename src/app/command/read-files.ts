import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { ReadFile } from '../../preconditions/cluster-state.js';
import { type CommandLine, UsageError } from './command-line.js';

/**
 * Every YAML and JSON file of a folder, ordered by name, without the output of an earlier run; or one file, or stdin.
 *
 * @param option the option that names the folder, for errors
 */
export function filesAt(from: string, option: string, out: string, line: CommandLine): ReadFile[] {
  if (from === '-') {
    return [{ path: 'stdin', text: line.stdin() }];
  }
  if (!statSync(from).isDirectory()) {
    return [{ path: from, text: readFileSync(from, 'utf8') }];
  }
  if (relative(resolve(out), resolve(from)) === '') {
    throw new UsageError(
      `--out is the folder that ${option} reads; write --out <another folder>, for example one below it`,
    );
  }
  // only an output folder below the input folder can contain files of an earlier run
  const isBelow = !relative(resolve(from), resolve(out)).startsWith('..');
  return readdirSync(from, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !isBelow || relative(resolve(out), resolve(file)).startsWith('..'))
    .sort()
    .map((file) => ({ path: relative(from, file).split(sep).join('/'), text: readFileSync(file, 'utf8') }));
}
