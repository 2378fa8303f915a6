import type { ProblemList } from '../errors.js';
import { isUnknown } from '../validation/unknown.js';

/** Longest name of a field manager (`k8s.io/apimachinery/pkg/apis/meta/v1/validation`, ValidateFieldManager). */
export const LONGEST_FIELD_MANAGER = 128;

/** Characters of a name; the API server also accepts other printable ones. */
const PRINTABLE = /^[\x20-\x7e]+$/;

/** Checks the name of a field manager, if there is one. */
export function checkFieldManager(name: unknown, problems: ProblemList): void {
  if (name === undefined || isUnknown(name)) {
    return;
  }
  if (typeof name !== 'string') {
    problems.add('EDGE_TYPE', 'the field manager is not text', "write fieldManager: 'edge-nodepools-shops'");
  } else if (name.length > LONGEST_FIELD_MANAGER || !PRINTABLE.test(name)) {
    problems.add(
      'EDGE_VALUE',
      `the field manager must have 1 to ${LONGEST_FIELD_MANAGER} printable characters`,
      "write fieldManager: 'edge-nodepools-shops'",
    );
  }
}
