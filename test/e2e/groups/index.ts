import type { Group } from '../harness/group.js';
import { accepted } from './accepted.js';

/** All groups, in the order in which they run. */
export const groups: readonly Group[] = [accepted];
