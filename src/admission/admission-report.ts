import type { PoolGuarantee } from './guarantee.js';
import { GUARANTEES } from './guarantee.js';
import { actionsOf, type Mechanism } from './mechanism.js';
import { type PoolAdmissionProps, poolsOf } from './pool-admission-props.js';
import { convertsStoredNodePools } from '../cluster/openyurt-capabilities.js';
import { compute } from '../validation/unknown.js';

/**
 * How one guarantee is held. All fields are text of one line, so that `console.table` prints them. `policies` and `note` can be long; where the width
 * matters: `console.table(admission.report, ['guarantee', 'mechanism', 'apiVersion', 'withYurtManagerDown'])`.
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
  /** What becomes of it while yurt-manager is down. `writes refused`: nothing can be changed until it is back, so nothing wrong comes in.
   * `reported only`: the policy is there and only warns or audits (`validationActions` without `Deny`), whether yurt-manager is up or down. */
  readonly withYurtManagerDown: 'held' | 'not held' | 'writes refused' | 'reported only';
  /** Names of the policies, separated by commas; empty for anything else. */
  readonly policies: string;
  /** What else to know: flags that the API server needs, costs that grow, pools that must be written once, a list without pools. Empty when there
   * is nothing. */
  readonly note: string;
}

const MUST_BE_WRITTEN_ONCE =
  'pools that an older OpenYurt release stored must be written once while yurt-manager runs (docs/admission.md)';

const LIST_IS_EMPTY = 'the list of pools is empty, so no node gets the label';

/**
 * The report, in the order of the guarantees.
 *
 * @param names names of the policies that hold a guarantee
 * @param listIsEmpty whether the list of pools is empty now
 */
export function reportAdmission(
  props: PoolAdmissionProps,
  mechanisms: ReadonlyMap<PoolGuarantee, Mechanism>,
  names: ReadonlyMap<PoolGuarantee, readonly string[]>,
  listIsEmpty: boolean,
): AdmissionReport[] {
  return [...mechanisms].map(([guarantee, mechanism]) => {
    const facts = GUARANTEES[guarantee];
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
    const readsOldPools =
      guarantee === 'nodeLabel' && poolsOf(props) === 'live' && convertsStoredNodePools(props.cluster);
    const notes = [
      ...(mechanism.flags === undefined ? [] : [`the API server needs ${mechanism.flags}`]),
      ...(facts.growsWithNodes === true ? ['the cost of a request grows with the number of host-network nodes'] : []),
      ...(readsOldPools ? [MUST_BE_WRITTEN_ONCE] : []),
    ];
    return {
      guarantee,
      mechanism: facts.policy === 'mutating' ? 'MutatingAdmissionPolicy' : 'ValidatingAdmissionPolicy',
      apiVersion: mechanism.apiVersion,
      withYurtManagerDown:
        facts.policy === 'mutating'
          ? 'held'
          : compute(actionsOf(props, guarantee), (actions) => (actions.includes('Deny') ? 'held' : 'reported only')),
      policies: compute(names.get(guarantee) ?? [], (all) => all.join(', ')),
      note:
        guarantee === 'nodeLabel'
          ? compute({ notes, listIsEmpty }, (now) =>
              [...now.notes, ...(now.listIsEmpty ? [LIST_IS_EMPTY] : [])].join('; '),
            )
          : notes.join('; '),
    };
  });
}
