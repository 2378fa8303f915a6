import { sha256Of } from '../base/content-hash.js';
import { STATE_FOLDER } from './node-paths.js';

/** What a machine has joined with; written when everything is done. */
export const APPLIED_FILE = `${STATE_FOLDER}/applied`;

/** One line for each part that a join has: a hash, and what to call it. */
export function appliedLines(parts: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(parts).flatMap(([name, part]) =>
    isEmpty(part) ? [] : [`${sha256Of(JSON.stringify(part)).slice(0, 8)} ${name}`],
  );
}

/** Nothing, or lists and maps of nothing. */
function isEmpty(part: unknown): boolean {
  return part === undefined || (typeof part === 'object' && part !== null && Object.values(part).every(isEmpty));
}
