import { sectionsOf } from '../base/shell-sections.js';
import scripts from './scripts.sh';
import webhooks from './webhooks.sh';

/** What runs on machines, by the name of its section. */
export const shell = sectionsOf(scripts, webhooks);
