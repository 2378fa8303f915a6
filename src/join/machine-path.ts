import { type Check, optional } from '../base/property-table.js';
import { RUN_FOLDER, STATE_FOLDER } from './node-paths.js';

// kernel, limits.h: NAME_MAX and PATH_MAX, with its end
const LONGEST_NAME = 255;
const LONGEST_PATH = 4095;

/** Whether this is an absolute path without special characters, `.` and `..`, with names that Linux allows: at most 255
 * bytes each, 4095 in all. */
export function isAbsolutePath(path: unknown): path is string {
  return typeof path === 'string' && wrongIn(path) === undefined;
}

/** What is wrong with what is no such path: the end of a sentence. */
export function pathProblem(path: unknown): string {
  return (typeof path === 'string' ? wrongIn(path) : undefined) ?? 'is not an absolute path';
}

function wrongIn(path: string): string | undefined {
  const [root, ...names] = path.split('/');
  if (root !== '' || names.length === 0) {
    return 'is not an absolute path';
  }
  if (!/^[A-Za-z0-9._@:+=,/-]*$/.test(path)) {
    return 'has other characters than letters, digits and ._@:+=,- between its slashes';
  }
  if (names.includes('')) {
    return 'has an empty name: two slashes, or one at its end';
  }
  if (names.some((name) => name === '.' || name === '..')) {
    return 'has a name . or ..';
  }
  if (names.some(({ length }) => length > LONGEST_NAME)) {
    return `has a name of more than ${LONGEST_NAME} bytes`;
  }
  return path.length > LONGEST_PATH ? `has more than ${LONGEST_PATH} bytes` : undefined;
}

/**
 * A path on the machine at which the user keeps something for the join: not in the folders that the scripts empty.
 *
 * @param example what to write
 * @param redacted said behind what is wrong, if the value can be a secret
 */
export function pathOnMachine(example: string, redacted = ''): Check {
  return optional((path, problems) => {
    if (!isAbsolutePath(path)) {
      problems.add('EDGE_VALUE', `this ${pathProblem(path)}${redacted}`, `write '${example}'`);
    } else if ([RUN_FOLDER, STATE_FOLDER].some((own) => `${path}/`.startsWith(`${own}/`))) {
      problems.add('EDGE_RESERVED_KEY', 'the scripts of the join write and remove what is there', `write '${example}'`);
    }
  });
}
