import { mapAt, type PlainMap } from '../base/plain-data.js';
import type { Places } from './outage-places.js';
import type { OutageUnit } from './outage-units.js';
import type { CountRange } from './zone-outage.js';

/**
 * What follows an eviction; a Node without network goes on running the Pod until it is back. `unknown`: a controller that is not in the manifests decides.
 *
 * @category Foresee an outage
 */
export type AfterEviction =
  'replaced' | 'waits for a Node' | 'waits for the same Node' | 'not created again' | 'unknown';

/** What follows an eviction, in the fields of the report. */
interface Following {
  readonly then: AfterEviction;
  readonly replacedOn?: readonly string[];
  readonly doubled: boolean;
  /** Why, where the kind of the workload does not say it. */
  readonly why: readonly string[];
}

/** What the controller does after an eviction. The kubelet of a Node without network never hears of it: its Pod goes on, and stays Terminating. */
export function afterEviction(
  { kind, spec, pod, demand: total, controller }: OutageUnit,
  { groups, up, onePerNode, unread: ofPod }: Places,
  away: CountRange,
): Following {
  // Nodes on which the port is free
  const free = onePerNode && typeof total === 'number' ? up - (total - away.max) : up;
  if (kind === 'Pod') {
    return controller === undefined
      ? { then: 'not created again', doubled: false, why: [] }
      : { then: 'unknown', doubled: false, why: [`${controller}, which is not in the manifests, controls it`] };
  }
  // the API server removes it at once, whatever its kubelet does (pkg/registry/core/pod, CheckGracefulDelete)
  const isRemoved = pod.spec.terminationGracePeriodSeconds === 0;
  // a StatefulSet waits until a Pod of that name is gone
  if (kind === 'DaemonSet' || (kind === 'StatefulSet' && !isRemoved)) {
    return { then: 'waits for the same Node', doubled: false, why: [] };
  }
  const waits = isRemoved ? undefined : whyJobWaits(kind, spec);
  if (waits !== undefined) {
    return { then: 'waits for the same Node', doubled: false, why: [waits] };
  }
  const { volumeClaimTemplates: made } = spec;
  const unread = [...ofPod, ...(Array.isArray(made) && made.length > 0 ? ['volumeClaimTemplates'] : [])];
  return up === 0 || free <= 0
    ? { then: 'waits for a Node', doubled: false, why: [] }
    : {
        then: 'replaced',
        replacedOn: [...new Set(groups.filter((group) => group.up > 0).map(({ example }) => example.pool))],
        doubled: true,
        why: [
          ...(isRemoved && kind === 'StatefulSet'
            ? ['with terminationGracePeriodSeconds 0 its Pod is removed at once']
            : []),
          ...(unread.length === 0 ? [] : [`if its ${unread.join(' and ')}, not considered here, allows it`]),
        ],
      };
}

/**
 * Why the Job controller makes no other Pod while the old one is Terminating (pkg/controller/job isPodFailed, onlyReplaceFailedPods; SetDefaults_Job: with
 * podFailurePolicy the default is Failed). The Node must be back, or gone, before the Pod is Failed.
 */
function whyJobWaits(kind: string, spec: PlainMap): string | undefined {
  const { podReplacementPolicy, podFailurePolicy } =
    kind === 'Job' ? spec : kind === 'CronJob' ? mapAt(mapAt(spec, 'jobTemplate'), 'spec') : {};
  return (podReplacementPolicy ?? (podFailurePolicy === undefined ? undefined : 'Failed')) === 'Failed'
    ? `podReplacementPolicy Failed${podReplacementPolicy === undefined ? ', by podFailurePolicy' : ''}: a Terminating Pod is not replaced`
    : undefined;
}
