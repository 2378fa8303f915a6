import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { type Autonomy, autonomySeconds } from '../kubernetes/autonomy.js';
import type { Taint } from '../kubernetes/taint.js';
import { tolerates } from '../workloads/pool-selection.js';

/** The taint of a Node that is silent. How long it is silent before it gets the taint: controller-flags.ts. */
export const UNREACHABLE: Taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' };
const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' };

/** `tolerationSeconds` that the admission plugin DefaultTolerationSeconds writes. */
const DEFAULT_SECONDS = 300;

/** How long a Pod stays on a Node after the taint, in seconds, and by which rule. */
export interface Stay {
  /** Infinity: forever. */
  readonly seconds: number;
  readonly rule: string;
  /** Whether OpenYurt's PodBinding writes other seconds on autonomous Nodes: for a toleration of just this taint. */
  readonly isBound?: boolean;
}

function tolerationsIn(podSpec: PlainMap): PlainMap[] {
  return Array.isArray(podSpec.tolerations) ? podSpec.tolerations.filter(isMap) : [];
}

/** The tolerations of a Pod of a DaemonSet: its controller replaces the same toleration with less time (AddOrUpdateTolerationInPodSpec). */
function ofDaemon(own: readonly PlainMap[]): PlainMap[] {
  const added = [NOT_READY, UNREACHABLE].map((taint): PlainMap => ({ ...taint, operator: 'Exists' }));
  const isSame = (one: PlainMap, other: PlainMap): boolean =>
    ['key', 'effect', 'operator', 'value'].every((field) => (one[field] ?? '') === (other[field] ?? ''));
  const kept = own.map((toleration) => added.find((each) => isSame(each, toleration)) ?? toleration);
  return [...kept, ...added.filter((each) => !kept.includes(each))];
}

/** What the admission plugin adds, if the Pod says nothing about the taint (plugin/pkg/admission/defaulttolerationseconds). */
function withDefaults(own: readonly PlainMap[]): PlainMap[] {
  const isSaid = own.some(
    ({ key = '', effect = '' }) =>
      ['', UNREACHABLE.key].includes(key as string) && ['', 'NoExecute'].includes(effect as string),
  );
  return isSaid ? [...own] : [...own, { ...UNREACHABLE, operator: 'Exists', tolerationSeconds: DEFAULT_SECONDS }];
}

/**
 * How long a Pod stays after its Node is unreachable (tainteviction processPodOnNode): the first toleration that matches counts.
 *
 * @param isTemplate whether this is a Pod template, to which the controller and the admission plugin still add tolerations
 */
export function stayOf(podSpec: PlainMap, isDaemon: boolean, isTemplate: boolean): Stay {
  const own = tolerationsIn(podSpec);
  const all = isTemplate ? withDefaults(isDaemon ? ofDaemon(own) : own) : own;
  const used = all.find((toleration) => tolerates(toleration, UNREACHABLE));
  if (used === undefined) {
    return { seconds: 0, rule: `does not tolerate ${UNREACHABLE.key}` };
  }
  const { tolerationSeconds } = used;
  if (typeof tolerationSeconds !== 'number') {
    const by = isDaemon && !own.includes(used) ? 'every Pod of a DaemonSet tolerates' : 'tolerates';
    return { seconds: Infinity, rule: `${by} ${UNREACHABLE.key} forever` };
  }
  const by = own.includes(used) ? '' : ', by default';
  const isBound = used.key === UNREACHABLE.key && used.effect === UNREACHABLE.effect;
  return { seconds: Math.max(0, tolerationSeconds), rule: `tolerationSeconds ${tolerationSeconds}${by}`, isBound };
}

/**
 * How long a Pod of a template stays on Nodes of which OpenYurt's PodBinding controller has set `tolerationSeconds`. It
 * leaves as they are: Pods of a DaemonSet, Pods that tolerate forever, and tolerations of other taints
 * (pod_binding_controller.go, reconcilePod). Where Nodes differ, the shortest counts, and `differs` is set.
 */
export function stayOnNodes(
  own: Stay,
  isDaemon: boolean,
  autonomies: readonly (Autonomy | undefined)[],
): Stay & { readonly differs: boolean } {
  const stays = isDaemon
    ? [own]
    : [...new Set(autonomies)].map((autonomy): Stay => {
        const seconds = own.isBound === true ? autonomySeconds(autonomy) : undefined;
        return seconds === undefined
          ? own
          : { seconds, rule: `the Node has the autonomy ${String(autonomy)}, which OpenYurt writes into its Pods` };
      });
  const [shortest = own] = [...stays].sort((one, other) => (one.seconds < other.seconds ? -1 : 1));
  return { ...shortest, differs: stays.some(({ seconds }) => seconds !== shortest.seconds) };
}

/** Name of the workload to which a Pod belongs, as its controller names it: of the Deployment, not of its ReplicaSet. */
export function ownerOf(pod: PlainMap): string | undefined {
  const { namespace, ownerReferences, labels } = mapAt(pod, 'metadata');
  const owner = (Array.isArray(ownerReferences) ? ownerReferences.filter(isMap) : []).find(
    ({ controller }) => controller === true,
  );
  if (owner === undefined || owner.kind === 'Node') {
    return undefined;
  }
  const place = typeof namespace === 'string' ? `${namespace}/` : '';
  const hash = isMap(labels) ? labels['pod-template-hash'] : undefined;
  const suffix = `-${String(hash)}`;
  const name = String(owner.name);
  return owner.kind === 'ReplicaSet' && hash !== undefined && name.endsWith(suffix)
    ? `Deployment ${place}${name.slice(0, -suffix.length)}`
    : `${String(owner.kind)} ${place}${name}`;
}

/** Whether kubelet runs a Pod from a file, and this is what it shows of it (pkg/kubelet/types ConfigMirrorAnnotationKey). */
export function isMirrorPod(object: PlainMap): boolean {
  return object.kind === 'Pod' && 'kubernetes.io/config.mirror' in mapAt(mapAt(object, 'metadata'), 'annotations');
}
