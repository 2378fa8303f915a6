import type { PoolGuarantee } from './guarantee.js';
import { GUARANTEES } from './guarantee.js';
import type { Mechanism } from './mechanism.js';

/**
 * How one guarantee is held. All fields are text, so that `console.table(admission.report)` prints it.
 *
 * @category Admit Pods and Nodes
 */
export interface AdmissionReport {
  /** The guarantee. */
  readonly guarantee: PoolGuarantee;
  /** What holds it: a policy in the API server, a webhook of yurt-manager, or nothing. */
  readonly mechanism: 'ValidatingAdmissionPolicy' | 'MutatingAdmissionPolicy' | "OpenYurt's webhook" | 'nothing';
  /** API version of the policy; empty for anything else. */
  readonly apiVersion: string;
  /** What becomes of it while yurt-manager is down. `writes refused`: nothing can be changed until it is back, so nothing wrong comes in. */
  readonly withYurtManagerDown: 'held' | 'not held' | 'writes refused';
  /** Names of the policies, separated by commas; empty for anything else. */
  readonly policies: string;
  /** What else to know: flags that the API server needs, costs that grow. Empty when there is nothing. */
  readonly note: string;
}

/** The report, in the order of the guarantees. */
export function reportAdmission(
  mechanisms: ReadonlyMap<PoolGuarantee, Mechanism>,
  names: ReadonlyMap<PoolGuarantee, readonly string[]>,
): AdmissionReport[] {
  return [...mechanisms].map(([guarantee, mechanism]) => {
    const facts = GUARANTEES[guarantee];
    const policies = (names.get(guarantee) ?? []).join(', ');
    if (mechanism.kind !== 'policy') {
      const isWebhook = mechanism.kind === 'webhook';
      return {
        guarantee,
        mechanism: isWebhook ? "OpenYurt's webhook" : 'nothing',
        apiVersion: '',
        withYurtManagerDown: isWebhook ? mechanism.whileDown : 'not held',
        policies: '',
        note: '',
      };
    }
    const notes = [
      ...(mechanism.flags === undefined ? [] : [`the API server needs ${mechanism.flags}`]),
      ...(facts.growsWithNodes === true ? ['the cost of a request grows with the number of host-network nodes'] : []),
    ];
    return {
      guarantee,
      mechanism: facts.policy === 'mutating' ? 'MutatingAdmissionPolicy' : 'ValidatingAdmissionPolicy',
      apiVersion: mechanism.apiVersion,
      withYurtManagerDown: 'held',
      policies,
      note: notes.join('; '),
    };
  });
}
