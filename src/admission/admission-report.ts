import type { PoolGuarantee } from './guarantee.js';
import { GUARANTEES } from './guarantee.js';
import { actionsOf, type Mechanism } from './mechanism.js';
import { mutatingPolicies } from './mutating-policies.js';
import type { PoolAdmissionProps } from './pool-admission-props.js';
import { EXCLUDED_LABEL } from '../kubernetes/labels.js';
import { convertsStoredNodePools } from '../cluster/openyurt-capabilities.js';
import { type PrintableReport, printable, textTable, wrappedText } from '../base/table.js';
import { compute } from '../base/unknown.js';

/**
 * What enforces one guarantee. All fields are text of one line.
 *
 * @category Admit Pods and Nodes
 */
export interface AdmissionReport {
  /** The guarantee. */
  readonly guarantee: PoolGuarantee;
  /** What enforces it: a policy in the API server, a webhook of yurt-manager, or nothing. */
  readonly mechanism: 'ValidatingAdmissionPolicy' | 'MutatingAdmissionPolicy' | "OpenYurt's webhook" | 'nothing';
  /** API version of the policy; empty if no policy enforces it. */
  readonly apiVersion: string;
  /** What happens while yurt-manager is down. `held`: the guarantee is enforced. `not held`: it is not. `writes refused`: all writes are refused until it is
   * back. `reported only`: a policy without `Deny` in its `validationActions` only warns or audits. */
  readonly withYurtManagerDown: 'held' | 'not held' | 'writes refused' | 'reported only';
  /** Names of the policies, separated by commas; empty if no policy enforces it. */
  readonly policies: string;
  /** Notes: flags that the API server needs, costs that grow, pools that must be written once, an empty list of pools. Empty if there are none. */
  readonly note: string;
}

const MUST_BE_WRITTEN_ONCE =
  'pools that an older OpenYurt release stored must be written once while yurt-manager runs (docs/admission-traps.md)';

const OFF_AFTER_START = 'without effect for up to half a minute after each start of an API server';

const ONLY_LABELLED = `only for Pods with the label ${EXCLUDED_LABEL}: "true"`;

const LIST_IS_EMPTY = 'the list of pools is empty, so no node gets the label';

/**
 * The report, in the order of the guarantees.
 *
 * @param names names of the policies that enforce a guarantee
 * @param listIsEmpty whether the list of pools is empty now
 */
export function reportAdmission(
  props: PoolAdmissionProps,
  mechanisms: ReadonlyMap<PoolGuarantee, Mechanism>,
  names: ReadonlyMap<PoolGuarantee, readonly string[]>,
  listIsEmpty: boolean,
): AdmissionReport[] {
  const mutates = mutatingPolicies(props.cluster, props.mutatingAdmissionPolicy) !== undefined;
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
    const isLive = guarantee === 'nodeLabel' && props.pools === 'live';
    const isLabelled =
      props.cluster.labelsExcludedPods && (guarantee === 'annotatedPods' || guarantee === 'presetNodeName');
    const notes = [
      ...(isLabelled ? [ONLY_LABELLED] : []),
      ...(mechanism.flags === undefined ? [] : [`the API server needs ${mechanism.flags}`]),
      ...(facts.growsWithNodes === undefined
        ? []
        : [`the cost of ${facts.growsWithNodes(mutates)} grows with the number of host-network nodes`]),
      ...(isLive ? [OFF_AFTER_START] : []),
      ...(isLive && convertsStoredNodePools(props.cluster) ? [MUST_BE_WRITTEN_ONCE] : []),
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

/** The report with its table, without the names of the policies. */
export function printableAdmission<Rows extends readonly AdmissionReport[]>(report: Rows): PrintableReport<Rows> {
  return printable(report, (rows) =>
    [
      textTable(
        ['GUARANTEE', 'ENFORCED BY', 'YURT-MANAGER DOWN'],
        rows.map(({ guarantee, mechanism, apiVersion, withYurtManagerDown }) => [
          guarantee,
          `${mechanism} ${apiVersion.replace(/^.*\//, '')}`.trimEnd(),
          withYurtManagerDown,
        ]),
      ),
      ...rows
        .filter(({ note }) => note !== '')
        .map(({ guarantee, note }) => `\n${wrappedText(`${guarantee}: ${note}`)}`),
    ].join('\n'),
  );
}
