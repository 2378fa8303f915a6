import { type PrintableReport, printable, textTable, wrappedText } from '../base/table.js';
import type { ExclusionStrategy } from './exclusion-strategy.js';

/**
 * How one workload of a system component is excluded from host-network nodes, and which events revert this.
 *
 * @category Exclude system components from host-network nodes
 */
export interface SystemComponentReport {
  /** Name of the component. */
  readonly component: string;
  /** The workload, `DaemonSet kube-system/kube-proxy`. */
  readonly workload: string;
  /** Strategies in use; empty if it cannot be excluded. */
  readonly strategies: readonly ExclusionStrategy[];
  /** Events after which the exclusion must be applied again. */
  readonly lostAfter: readonly ('node re-join' | 'kubeadm upgrade' | 'manifest or Helm upgrade' | 'operator')[];
  /** A kubectl command that excludes it at once, for any kind of installation; it can be repeated. With SERVER_SIDE_APPLY it sets exactly the required node
   * affinity. Use it for components that were created by client-side `kubectl apply`, whose fields a server-side apply would take over. With only
   * ADMISSION_POLICY, it is an empty patch, so that the policy changes the component.
   * @default - none, with only KUBEADM_PATCH or MANIFEST */
  readonly command?: string;
  /** Why it cannot be excluded, or a note; flags that the API server needs.
   * @default - none */
  readonly note?: string;
}

/** The report with its table. The commands are not in it: they are to be copied, whole. */
export function printableComponents<Rows extends readonly SystemComponentReport[]>(
  report: Rows,
  how: 'EXCLUDED BY' | 'PATCHED BY' = 'EXCLUDED BY',
): PrintableReport<Rows> {
  return printable(report, (rows) =>
    [
      textTable(
        ['WORKLOAD', how, 'APPLY AGAIN AFTER'],
        rows.map(({ workload, strategies, lostAfter }) =>
          strategies.length === 0
            ? [workload, 'nothing, see below', '-']
            : [workload, strategies.join(' + '), lostAfter.join(', ') || '-'],
        ),
      ),
      ...new Set(rows.flatMap(({ component, note }) => (note === undefined ? [] : [`\n${component}: ${note}`]))),
    ]
      .map((part, index) => (index === 0 ? part : wrappedText(part)))
      .join('\n'),
  );
}
