import { sectionsOf } from './shell-sections.js';
import script from './script.sh';

/** What runs on machines, by the name of its section. */
export const shell = sectionsOf(script);
