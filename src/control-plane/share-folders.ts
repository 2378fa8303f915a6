import { posix } from 'node:path';
import { DeclarationKind, type Scope } from '../cluster/scope.js';
import type { ProblemList } from '../base/errors.js';
import { spellingOf } from '../kubernetes/hosts.js';
import { isUnknown } from '../base/unknown.js';
import type { PersistentDataProps } from './persistent-data-props.js';

/** What keeps its data in a folder of a share. */
const FOLDERS = new DeclarationKind<{ readonly path: string; readonly owner: object }>('folders of shares');

/** A share is the same for every cluster and chart of a program. */
const PROGRAM = {};

/** Refuses data in a folder of a share that has data of another declaration, which each would overwrite. What is only read can be shared. */
export function noteFolder(
  { storage, accessMode }: PersistentDataProps,
  { declared, path, owner }: Scope,
  problems: ProblemList,
): void {
  const { exportLocation } = storage;
  if (
    exportLocation === undefined ||
    isUnknown(exportLocation) ||
    isUnknown(accessMode) ||
    accessMode === 'ReadOnlyMany'
  ) {
    return;
  }
  const folders = declared.at(PROGRAM, FOLDERS);
  const folder = folderOf(exportLocation);
  const earlier = folders.get(folder);
  if (earlier === undefined) {
    folders.set(folder, { path, owner });
  } else if (earlier.owner !== owner) {
    problems
      .at('storage')
      .add(
        'EDGE_DUPLICATE',
        `${earlier.path} keeps its data in ${folder}, too, and each would overwrite the other`,
        "give each a share or a folder of its own; what only reads the data of another is accessMode: 'ReadOnlyMany'",
      );
  }
}

/** Server and folder in one spelling. */
function folderOf(location: string): string {
  const at = location.indexOf(':/');
  const server = location.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  const folder = posix.normalize(location.slice(at + 1)).replace(/(.)\/$/, '$1');
  return `${String(spellingOf(server)).toLowerCase()}:${folder}`;
}
