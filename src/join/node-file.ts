import type { ProblemList } from '../errors.js';
import { isMap } from '../validation/plain-data.js';
import { showValue } from '../validation/properties.js';
import { type Check, checkProperties, listOf, optional, type PropertyTable } from '../validation/property-table.js';
import { holdsToken, isAbsolutePath } from './join-token.js';

/**
 * A file on the node.
 *
 * @category Join nodes
 */
export interface NodeFile {
  /** Absolute path. */
  readonly path: string;
  /** The whole text. */
  readonly content: string;
  /** Octal mode, as text.
   * @default 0644 */
  readonly permissions?: string;
}

/**
 * A command on the node: a line for `sh`, or a program and its arguments.
 *
 * @category Join nodes
 */
export type NodeCommand = string | string[];

export const DEFAULT_PERMISSIONS = '0644';

// no NUL (no shell holds it) and no half of a surrogate pair (no UTF-8 for it)
const UNWRITABLE = /\0|\p{Surrogate}/u;

/** Whether a file and a shell can hold a text. */
export function isWritable(text: string): boolean {
  return !UNWRITABLE.test(text);
}

/** Refuses what is published with the join and holds a token. */
function checkHoldsNoToken(text: unknown, problems: ProblemList): void {
  if (typeof text === 'string' && holdsToken(text)) {
    problems.add(
      'EDGE_TOKEN',
      'this holds what has the form of a bootstrap token, and it would be published with the join (value redacted)',
      "give it as token: JoinToken.inline(…), or better leave it on the machine: JoinToken.fromFile('/run/edge/join-token'); if it only looks like one, write it in base64 and decode it on the machine",
    );
  }
}

/** @param taken paths that the join writes or reads itself */
export function checkNodeFiles(files: unknown, taken: ReadonlySet<string>, problems: ProblemList): void {
  const seen = new Set<string>();
  const example = "write [{ path: '/etc/motd', content: 'edge\\n' }]";
  const checkFile: Check = (file, at) => {
    if (!isMap(file)) {
      at.add('EDGE_TYPE', 'a file is a map', "write { path: '/etc/motd', content: 'edge\\n' }");
    } else {
      checkProperties<NodeFile>(file, fileTable(taken, seen), at, { mode: 'did you mean permissions?' });
    }
  };
  listOf(checkFile, example, 'files must be a list')(files, problems);
}

function fileTable(taken: ReadonlySet<string>, seen: Set<string>): PropertyTable<NodeFile> {
  return {
    path: (path, problems) => checkPath(path, taken, seen, problems),
    content: checkContent,
    permissions: optional(checkPermissions),
  };
}

function checkContent(content: unknown, problems: ProblemList): void {
  if (typeof content !== 'string' || !isWritable(content)) {
    problems.add(
      'EDGE_TYPE',
      typeof content === 'string'
        ? 'the content has characters that UTF-8 cannot encode, or NUL'
        : 'the content is not text',
      'write the content as text; encode bytes and decode them with a command',
    );
  }
  checkHoldsNoToken(content, problems);
}

function checkPath(path: unknown, taken: ReadonlySet<string>, seen: Set<string>, problems: ProblemList): void {
  if (!isAbsolutePath(path)) {
    problems.add(
      'EDGE_VALUE',
      `${path === undefined ? 'nothing' : JSON.stringify(path)} is not an absolute path`,
      "write '/etc/…': letters, digits and ._@:+=,- between the slashes",
    );
  } else if (isTaken(path.replace(/^\/var\/run\//, '/run/'), taken)) {
    problems.add('EDGE_RESERVED_KEY', `${path} is written by the join itself`, 'take another path');
  } else if (seen.has(path)) {
    problems.add('EDGE_DUPLICATE', `${path} is written twice`, 'write each file once');
  } else {
    seen.add(path);
  }
}

/** Whether a path is one of those that are taken, is inside one that is a folder, or would be a file where one needs a folder. */
function isTaken(path: string, taken: ReadonlySet<string>): boolean {
  return [...taken].some((own) => own === path || path.startsWith(`${own}/`) || own.startsWith(`${path}/`));
}

function checkPermissions(permissions: unknown, problems: ProblemList): void {
  if (typeof permissions !== 'string' || !/^0?[0-7]{3}$/.test(permissions)) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(permissions)} is not an octal mode`,
      "write '0644', in quotes: as a number it would be read as decimal",
    );
  }
}

export const checkCommands = listOf(
  checkCommand,
  "write ['modprobe br_netfilter', ['touch', '/etc/edge']]",
  'commands must be a list',
);

function checkCommand(command: unknown, problems: ProblemList): void {
  const words: unknown[] = Array.isArray(command) ? command : [command];
  if (words.length === 0 || words.some((word) => typeof word !== 'string' || !isWritable(word)) || words[0] === '') {
    problems.add('EDGE_TYPE', 'a command is text, or a list of words', "write 'swapoff -a' or ['swapoff', '-a']");
  }
  words.forEach((word) => checkHoldsNoToken(word, problems));
}
