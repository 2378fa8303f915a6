import { sectionsOf } from '../base/shell-sections.js';
import upgrade from './upgrade.sh';
import upgradeSteps from './upgrade-steps.sh';

/** What runs on machines, by the name of its section. */
export const shell = sectionsOf(upgrade, upgradeSteps);
