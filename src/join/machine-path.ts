import { type Check, optional } from '../base/property-table.js';
import { isAbsolutePath, pathProblem } from './absolute-path.js';
import { RUN_FOLDER, STATE_FOLDER } from './node-paths.js';

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
