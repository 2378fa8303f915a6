import { sha256Of } from '../text/content-hash.js';
import { STATE_FOLDER } from './node-paths.js';

/** What a machine has joined with; written when everything is done. */
export const APPLIED_FILE = `${STATE_FOLDER}/applied`;

/** Exit status of a run on a node that has joined with other settings (EX_CONFIG of sysexits.h). */
export const NOT_APPLIED = 78;

/** One line for each part of a join: a hash, and what to call it. */
export function appliedLines(parts: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(parts).map(([name, part]) => `${sha256Of(JSON.stringify(part ?? null)).slice(0, 8)} ${name}`);
}
