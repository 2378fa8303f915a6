import type { ProblemList } from '../base/errors.js';
import { Quantity } from '../kubernetes/quantity.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { showValue } from '../base/properties.js';
import { itemsOf } from '../kubernetes/field-values.js';

/**
 * Resource requests of a Pod, from those of its containers.
 *
 * @category Test where things run
 */
export interface PodRequests {
  /** Kubernetes quantity, `100m`; `0` where nothing is requested; `unknown` where the manifests do not show it. */
  readonly cpu: string;
  /** Kubernetes quantity, `70Mi`; `0` where nothing is requested; `unknown` where the manifests do not show it. */
  readonly memory: string;
}

const UNKNOWN = 'unknown';

/** Requests as exact amounts, by the name of the resource. One that is not there is not requested. */
export type Amounts = Readonly<Record<string, Quantity>>;

/** No requests. */
export const NOTHING: Amounts = {};

/** The sum of two requests. */
export function plus(a: Amounts, b: Amounts): Amounts {
  return combined(a, b, (one, other) => one.plus(other));
}

/** The larger one of each amount. */
export function larger(a: Amounts, b: Amounts): Amounts {
  return combined(a, b, (one, other) => (one.nano >= other.nano ? one : other));
}

function combined(a: Amounts, b: Amounts, of: (one: Quantity, other: Quantity) => Quantity): Amounts {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(
    names.map((name) => [name, of(a[name] ?? Quantity.ZERO, b[name] ?? Quantity.ZERO)] as const),
  );
}

/** Requests as they are printed. */
export function shownRequests(amounts: Amounts | undefined): PodRequests {
  return amounts === undefined
    ? { cpu: UNKNOWN, memory: UNKNOWN }
    : { cpu: (amounts.cpu ?? Quantity.ZERO).toString(), memory: (amounts.memory ?? Quantity.ZERO).toString() };
}

/**
 * The requests of a Pod as the scheduler computes them (component-helpers, PodRequests): the sum of all containers and sidecars, or the largest init
 * container plus the sidecars started before it, whichever is larger; Pod-level requests (spec.resources, Kubernetes 1.34+) replace that; plus the
 * overhead of the runtime class. A limit without a request counts as a request. Undefined if the Pod spec has no containers, as in a partial object: then
 * the requests are unknown.
 */
export function requestsOf(podSpec: PlainMap, problems: ProblemList): Amounts | undefined {
  const requestsIn = (field: string): { readonly isSidecar: boolean; readonly requests: Amounts }[] => {
    const list = itemsOf(podSpec[field]);
    return list.map((container, index) => ({
      isSidecar: isMap(container) && container.restartPolicy === 'Always',
      requests: amountsIn(requestedBy(isMap(container) ? container : {}), problems.at(field, index, 'resources')),
    }));
  };
  let sidecars = NOTHING;
  let starting = NOTHING;
  for (const { isSidecar, requests } of requestsIn('initContainers')) {
    if (isSidecar) {
      sidecars = plus(sidecars, requests);
      starting = larger(starting, sidecars);
    } else {
      starting = larger(starting, plus(sidecars, requests));
    }
  }
  const running = requestsIn('containers')
    .map(({ requests }) => requests)
    .reduce(plus, sidecars);
  const all = larger(running, starting);
  const { requests } = mapAt(podSpec, 'resources');
  const ofPod = amountsIn(requestedBy(podSpec), problems.at('resources'));
  // a limit of the Pod is its request only for what no container requests, be it 0 (defaults.go, defaultPodRequests)
  const isOfPod = (name: string): boolean =>
    OF_PODS.test(name) &&
    ((isMap(requests) && requests[name] !== undefined) || all[name] === undefined || name.startsWith('hugepages-'));
  const counted = { ...all, ...Object.fromEntries(Object.entries(ofPod).filter(([name]) => isOfPod(name))) };
  const total = plus(counted, amountsIn(mapAt(podSpec, 'overhead'), problems.at('overhead')));
  return Array.isArray(podSpec.containers) && podSpec.containers.length > 0 ? total : undefined;
}

/** The resources that spec.resources of a Pod may have (component-helpers resource/helpers.go, IsSupportedPodLevelResource). */
const OF_PODS = /^(cpu|memory|hugepages-.+)$/;

/** What a container, or a Pod as a whole, requests: a limit is a request, too. */
export function requestedBy(containerOrPod: PlainMap): PlainMap {
  const { requests, limits } = mapAt(containerOrPod, 'resources');
  return { ...(isMap(limits) ? limits : {}), ...(isMap(requests) ? requests : {}) };
}

/** The amounts in a map of resources; what is not a quantity is a problem. */
export function amountsIn(resources: PlainMap, problems: ProblemList): Amounts {
  const amounts = Object.entries(resources).flatMap(([name, value]) => {
    const quantity = typeof value === 'string' || typeof value === 'number' ? Quantity.parse(String(value)) : undefined;
    if (value !== undefined && value !== null && quantity === undefined) {
      problems.at(name).add('EDGE_QUANTITY', `${showValue(value)} is not a quantity`, "write '100m' or '64Mi'");
    }
    return quantity === undefined ? [] : [[name, quantity] as const];
  });
  return Object.fromEntries(amounts);
}
