import { requiredTerms } from '../kubernetes/node-affinity.js';
import type { Taint } from '../kubernetes/taint.js';
import { isMap, mapAt, type ObjectPath, type PlainMap } from '../base/plain-data.js';
import { tolerates } from '../workloads/pool-selection.js';
import { termHolds } from './node-affinity-match.js';
import type { ClusterNode } from './placement-cluster.js';
import { nodeNameOf, type PlacementPod, tolerationsOf } from './placement-pod.js';
import { shownTaint } from './scheduler.js';

/** What a Pod says about nodes that lets it run on one: who reads it, what, and its field in the Pod spec. */
export interface RunGround {
  readonly by: string;
  readonly reason: string;
  readonly field: ObjectPath;
}

const REQUIRED = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms'];

/** Why a Pod may run on a node: what of it selects the node, and what tolerates the taints of the node. */
export function groundsOf({ spec, isDaemon = false }: PlacementPod, node: ClusterNode): RunGround[] {
  const name = nodeNameOf(spec);
  const selected = Object.keys(mapAt(spec, 'nodeSelector')).map((key): RunGround => ({
    by: 'NodeAffinity',
    reason: `the node has the label ${key}=${node.labels[key] ?? ''}`,
    field: ['nodeSelector', key],
  }));
  const terms = requiredTerms(spec) ?? [];
  const term = terms.findIndex((each) => termHolds(each, node) === true);
  const required: RunGround[] =
    term < 0
      ? []
      : [
          {
            by: 'NodeAffinity',
            reason:
              terms.length === 1
                ? 'the node matches the required term'
                : `the node matches term ${term + 1} of ${terms.length}`,
            field: [...REQUIRED, term],
          },
        ];
  const named: RunGround[] =
    name === undefined ? [] : [{ by: 'NodeName', reason: `names ${name}`, field: ['nodeName'] }];
  const grounds = [...named, ...selected, ...required];
  return [
    ...(grounds.length > 0
      ? grounds
      : [
          {
            by: 'NodeAffinity',
            reason: 'requires nothing of a node: no nodeSelector, no required node affinity',
            field: [],
          },
        ]),
    ...(node.taints ?? []).flatMap((taint) => toleratedBy(spec, isDaemon, taint)),
  ];
}

/** How a taint that keeps Pods away is tolerated; nothing for others. */
function toleratedBy(spec: PlacementPod['spec'], isDaemon: boolean, taint: Taint): RunGround[] {
  const isMeant = (toleration: PlainMap): boolean => tolerates(toleration, taint);
  const index = (Array.isArray(spec.tolerations) ? spec.tolerations : []).findIndex(
    (each: unknown) => isMap(each) && isMeant(each),
  );
  if (taint.effect === 'PreferNoSchedule' || !tolerationsOf(spec, isDaemon).some(isMeant)) {
    return [];
  }
  const reason = `tolerates the taint ${shownTaint(taint)}`;
  return [
    index < 0
      ? { by: 'TaintToleration', reason: `${reason}, as its controller or the API server adds it`, field: [] }
      : { by: 'TaintToleration', reason, field: ['tolerations', index] },
  ];
}
