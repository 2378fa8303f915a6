import { type CreatedPod, excludesDaemonSets, podPolicies, type PodPolicy } from '../admission/pod-policies.js';
import { EXCLUDE_ANNOTATION, type HostNetworkLabel, TRUE } from '../kubernetes/labels.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import type { Workload } from './made-pods.js';
import { nodeNameOf, type PlacementPod } from './placement-pod.js';
import { enforcedLevel, forbiddenBy } from './pod-security.js';
import type { Refusal } from './verdict.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** A label that every namespace has. */
export const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/** The labels of a namespace of which only the name is known. */
export function namedNamespace(name: string): CreatedPod['namespace'] {
  return { [NAMESPACE_NAME]: name };
}

/** The labels of the namespaces among manifests. */
export function namespacesIn(objects: readonly PlainMap[]): ReadonlyMap<string, CreatedPod['namespace']> {
  return new Map(
    objects
      .filter(({ kind }) => kind === 'Namespace')
      .map((object) => {
        const { name, labels } = mapAt(object, 'metadata');
        return [String(name), { ...(isMap(labels) ? labels : {}), ...namedNamespace(String(name)) }];
      }),
  );
}

/** What one policy does to a Pod. */
export interface PolicyEffect {
  readonly policy: PodPolicy;
  readonly effect: ReturnType<PodPolicy['effectOn']>;
}

/** The classes that every cluster has (pkg/apis/scheduling/v1/helpers.go). */
const OF_SYSTEM: readonly unknown[] = ['system-node-critical', 'system-cluster-critical'];

const isOfSystem = ({ kind, metadata }: PlainMap): boolean =>
  kind === 'PriorityClass' && OF_SYSTEM.includes(mapAt({ metadata }, 'metadata').name);

/** What the API server does to Pods when they are created, by the objects that are there. */
export class PodAdmission {
  public readonly policies: readonly PodPolicy[];
  private readonly namespaces: ReadonlyMap<string, CreatedPod['namespace']>;
  private readonly runtimeClasses: ReadonlyMap<string, PlainMap>;
  private readonly priorityClasses: ReadonlySet<unknown>;
  private readonly effects = new WeakMap<PlainMap, readonly PolicyEffect[]>();
  private readonly daemons = new Map<string, boolean>();

  constructor(
    private readonly objects: readonly PlainMap[],
    label: HostNetworkLabel,
  ) {
    this.policies = podPolicies(objects, label);
    this.namespaces = namespacesIn(objects);
    this.priorityClasses = new Set([
      ...OF_SYSTEM,
      ...objects.filter(({ kind }) => kind === 'PriorityClass').map((each) => mapAt(each, 'metadata').name),
      // what Pods that are there have was there when they were made
      ...objects.filter((object) => isThere({ object })).map((pod) => mapAt(pod, 'spec').priorityClassName),
    ]);
    this.runtimeClasses = new Map(
      objects
        .filter(({ kind }) => kind === 'RuntimeClass')
        .map((object) => [String(mapAt(object, 'metadata').name), object]),
    );
  }

  /** A Pod, as the policies see it. */
  public created({ namespace, labels, annotations, spec }: PlacementPod): CreatedPod {
    return {
      namespace: this.namespaces.get(namespace) ?? namedNamespace(namespace),
      labels,
      annotations,
      namesItsNode: nodeNameOf(spec) !== undefined,
    };
  }

  /** What the policies do to a Pod without `hostNetwork`. */
  public effectsOn(pod: PlacementPod): readonly PolicyEffect[] {
    // a template is asked about for every pool
    const known = this.effects.get(pod.spec);
    if (known !== undefined) {
      return known;
    }
    const created = this.created(pod);
    const effects = this.policies.map((policy) => ({ policy, effect: policy.effectOn(created) }));
    this.effects.set(pod.spec, effects);
    return effects;
  }

  /** Whether the controller of a workload makes no Pods for the nodes from which policies exclude them. */
  public excludesItsPods({ isDaemon }: Pick<Workload, 'isDaemon'>, { namespace }: PlacementPod): boolean {
    if (!isDaemon) {
      return true;
    }
    const found =
      this.daemons.get(namespace) ??
      excludesDaemonSets(this.objects, this.namespaces.get(namespace) ?? namedNamespace(namespace));
    this.daemons.set(namespace, found);
    return found;
  }

  /** A Pod with what its RuntimeClass adds (plugin/pkg/admission/runtimeclass). */
  public withRuntimeClass(pod: PlacementPod): PlacementPod {
    const runtimeClass = this.runtimeClasses.get(String(pod.spec.runtimeClassName));
    if (runtimeClass === undefined) {
      return pod;
    }
    const { nodeSelector, tolerations } = mapAt(runtimeClass, 'scheduling');
    const { podFixed } = mapAt(runtimeClass, 'overhead');
    const own = itemsOf(pod.spec.tolerations);
    return {
      ...pod,
      spec: {
        ...pod.spec,
        nodeSelector: { ...mapAt(pod.spec, 'nodeSelector'), ...(isMap(nodeSelector) ? nodeSelector : {}) },
        tolerations: [...own, ...itemsOf(tolerations)],
        ...(isMap(podFixed) ? { overhead: podFixed } : {}),
      },
    };
  }

  /** The API server creates no Pod whose RuntimeClass is not there (plugin/pkg/admission/runtimeclass, prepareObjects); dumps need not have any. */
  public runtimeClass(workload: Workload, { spec }: PlacementPod): Refusal | undefined {
    const { runtimeClassName: name } = spec;
    return typeof name !== 'string' || name === '' || this.runtimeClasses.has(name) || isThere(workload)
      ? undefined
      : {
          by: 'admission',
          outcome: 'unknown',
          reason: `RuntimeClass ${name}, without which no Pod is created, is not in the manifests`,
          field: ['runtimeClassName'],
        };
  }

  /** The API server creates no Pod whose PriorityClass is not there (plugin/pkg/admission/priority). */
  public priorityClass(workload: Workload, { spec }: PlacementPod): Refusal | undefined {
    const { priorityClassName: name } = spec;
    if (typeof name !== 'string' || name === '' || isThere(workload) || this.priorityClasses.has(name)) {
      return undefined;
    }
    // every cluster has two, so a dump without any was not asked for them
    const areKnown = this.objects.some(isOfSystem);
    return {
      by: 'admission',
      outcome: areKnown ? 'never starts' : 'unknown',
      reason: areKnown
        ? `no Pod of it is created: there is no PriorityClass ${name}`
        : `PriorityClass ${name}, without which no Pod is created, is not in the manifests`,
      field: ['priorityClassName'],
    };
  }

  /** What keeps a Pod off a host-network node on which it would never start. */
  public exclusionOf(workload: Workload, pod: PlacementPod): Refusal | undefined {
    // no policy sees a Pod that is there already
    if (isThere(workload)) {
      return undefined;
    }
    const excluding = this.effectsOn(pod).find(({ effect }) => effect === 'excludes');
    if (excluding !== undefined) {
      const { name } = excluding.policy;
      return this.excludesItsPods(workload, pod)
        ? { by: 'admission', outcome: 'excluded', reason: name }
        : {
            by: 'admission',
            outcome: 'waits',
            reason: `forever: its controller makes a Pod for the node, which ${name} keeps off`,
          };
    }
    if (pod.annotations[EXCLUDE_ANNOTATION] !== TRUE) {
      return undefined;
    }
    const isServed = this.policies.some(({ isOfOpenYurt }) => isOfOpenYurt === true);
    return isServed
      ? {
          by: 'admission',
          outcome: 'excluded',
          reason: 'webhook of OpenYurt, by its annotation, while yurt-manager runs',
        }
      : {
          by: 'admission',
          outcome: 'unknown',
          reason: 'only a webhook of OpenYurt reads its annotation, and it is not in the manifests',
        };
  }

  /** Why no Pod of a workload is created: what the Pod Security Standard of its namespace forbids. */
  public podSecurity(workload: Workload, pod: PlacementPod, kubernetes: string): Refusal | undefined {
    const enforced = isThere(workload) ? undefined : enforcedLevel(this.namespaces.get(pod.namespace), kubernetes);
    const what = enforced === undefined ? undefined : forbiddenBy(enforced, pod);
    return what === undefined
      ? undefined
      : {
          by: 'PodSecurity',
          outcome: 'never starts',
          reason:
            `namespace ${pod.namespace} enforces the level ${enforced?.level}, ` +
            `with which no Pod with ${what} is created`,
        };
  }
}

/** Whether a Pod is one of the cluster: no policy sees it any more. */
export function isThere({ object }: Pick<Workload, 'object'>): boolean {
  return object.kind === 'Pod' && mapAt(object, 'metadata').uid !== undefined;
}
