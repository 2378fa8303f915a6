import * as pulumi from '@pulumi/pulumi';
import { AcceptedWarnings } from '../cluster/warning-summary.js';
import type { EdgeCode } from '../base/error-codes.js';
import { EdgeError } from '../base/errors.js';
import { whatIs } from '../base/properties.js';
import { withInputErrors } from './input-errors.js';
import { Program } from './program.js';

/**
 * The warnings of a program. Pulumi shows them when the program has declared everything that it declares without waiting, with one entry per code at the
 * first component: a count, and the first three places.
 *
 * @category Understand errors and warnings
 */
export class EdgeWarnings {
  /**
   * Accepts the warnings of a code at a component and its children: they are not shown. Call it right after the component is declared, before the program
   * waits for anything.
   *
   * @param scope a component of this library or of yours, or `program` for all components
   * @param code code of the warnings
   * @param reason why they are fine here
   * @throws InputPropertiesError with EDGE_MISSING, EDGE_TYPE or EDGE_VALUE
   */
  public static accept(scope: pulumi.Resource | 'program', code: EdgeCode, reason: string): void {
    withInputErrors(() => {
      if (scope !== 'program' && !pulumi.Resource.isInstance(scope)) {
        throw new EdgeError('EdgeWarnings.accept', [
          {
            code: (scope as unknown) === undefined ? 'EDGE_MISSING' : 'EDGE_TYPE',
            path: 'scope',
            message: `the scope is ${whatIs(scope)}, not a component`,
            hint: "write EdgeWarnings.accept(component, code, reason), or 'program' for all components",
          },
        ]);
      }
      const { accepted } = Program.current().warnings;
      const known = accepted.get(scope) ?? new AcceptedWarnings();
      known.accept(code, reason);
      accepted.set(scope, known);
    });
  }

  private constructor() {}
}
