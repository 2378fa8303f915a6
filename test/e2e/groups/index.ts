import type { Group } from '../harness/group.js';
import { accepted } from './accepted.js';
import { corefile } from './corefile.js';
import { edgeNode } from './edge-node.js';
import { excluded } from './excluded.js';
import { faults } from './faults.js';
import { joins } from './joins.js';
import { ownership } from './ownership.js';
import { placement } from './placement.js';
import { preconditions } from './preconditions.js';
import { randomPlacement } from './random-placement.js';
import { stored } from './stored.js';

/** All groups, in the order in which they run. */
export const groups: readonly Group[] = [
  accepted,
  stored,
  joins,
  excluded,
  placement,
  randomPlacement,
  ownership,
  edgeNode,
  faults,
  corefile,
  preconditions,
];
