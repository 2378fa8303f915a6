import type { Group } from '../harness/group.js';
import { accepted } from './accepted.js';
import { cloudInit } from './cloud-init.js';
import { admission } from './admission.js';
import { besideWebhooks } from './beside-webhooks.js';
import { corefile } from './corefile.js';
import { delivery } from './delivery.js';
import { edgeNode } from './edge-node.js';
import { excluded } from './excluded.js';
import { faults } from './faults.js';
import { join } from './join.js';
import { joins } from './joins.js';
import { ownership } from './ownership.js';
import { placement } from './placement.js';
import { pulumi } from './pulumi.js';
import { preconditionPrograms } from './precondition-programs.js';
import { preconditions } from './preconditions.js';
import { randomPlacement } from './random-placement.js';
import { stored } from './stored.js';
import { systemPolicy } from './system-policy.js';
import { webhooks } from './webhooks.js';

/** All groups, in the order in which they run. */
export const groups: readonly Group[] = [
  accepted,
  stored,
  joins,
  webhooks,
  excluded,
  placement,
  randomPlacement,
  ownership,
  delivery,
  systemPolicy,
  admission,
  besideWebhooks,
  pulumi,
  edgeNode,
  cloudInit,
  join,
  faults,
  corefile,
  preconditionPrograms,
  preconditions,
];
