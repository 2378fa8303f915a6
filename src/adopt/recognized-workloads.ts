import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { EXCLUDE_ANNOTATION, EXCLUDED_LABEL } from '../kubernetes/labels.js';
import { expressionsOf, REQUIRED_PATH, requiredTerms } from '../kubernetes/node-affinity.js';
import { termsExclude } from '../workloads/exclusion-affinity.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import {
  copyOf,
  isMap,
  mapAt,
  type ObjectPath,
  type PlainMap,
  same,
  valueAt,
  withoutValueAt,
  withValueAt,
} from '../base/plain-data.js';
import { namedPools } from '../workloads/yurt-app.js';
import { planExcludedWorkload } from '../workloads/excluded-workload.js';
import { type HostNetworkWorkloadProps, planHostNetworkWorkload } from '../workloads/host-network-workload.js';
import { attempted, comparingScope, differences, type Recognition } from './recognized-object.js';
import { fieldsText } from './recognized-pools.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** What is known of the pools of a cluster. */
export interface KnownPools {
  /** The attributes of a host-network pool, by its name; undefined for a regular one. */
  readonly of: (name: string) => NodePoolAttributes | undefined;
}

/** Whether Pods of an object are excluded from host-network nodes in the way of this library or of OpenYurt. */
export function isExcluded(object: PlainMap, cluster: EdgeCluster): boolean {
  return isByTerms(object, cluster) || isAnnotated(object);
}

function isByTerms(object: PlainMap, cluster: EdgeCluster): boolean {
  return podPlaces(object).some((place) => {
    const terms = requiredTerms(podSpecAt(object, place));
    return terms !== undefined && terms.length > 0 && termsExclude(terms, cluster.hostNetworkLabel);
  });
}

function isAnnotated(object: PlainMap): boolean {
  return podPlaces(object).some(
    ({ path, isTemplate }) =>
      mapAt(mapAt(isTemplate ? mapValue(object, path) : {}, 'metadata'), 'annotations')[EXCLUDE_ANNOTATION] !==
      undefined,
  );
}

/** The annotation that the class adds to templates which are excluded by their affinity alone. */
function addedAnnotations(made: PlainMap, object: PlainMap): ObjectPath[] {
  return podPlaces(object)
    .filter(({ isTemplate }) => isTemplate)
    .map(({ path }) => [...path, 'metadata', 'annotations', EXCLUDE_ANNOTATION])
    .filter((path) => valueAt(made, path) !== undefined && valueAt(object, path) === undefined)
    .map((path) => {
      // with the map that has nothing else, and that the object does not have
      const above = [2, 1].map((count) => path.slice(0, -count));
      return above.find((each) => valueAt(object, each) === undefined) ?? path;
    });
}

function mapValue(object: PlainMap, path: ObjectPath): PlainMap {
  const value = valueAt(object, path);
  return isMap(value) ? value : {};
}

/** Names of the pools to which the Pods of an object are bound, if they use the network of the node. */
export function poolsOfWorkload(object: PlainMap, cluster: EdgeCluster): readonly string[] {
  const [place] = podPlaces(object);
  if (place === undefined || !place.isTemplate) {
    return [];
  }
  const spec = podSpecAt(object, place);
  const selected = mapAt(spec, 'nodeSelector')[cluster.nodePoolLabel];
  if (spec.hostNetwork !== true) {
    return [];
  }
  if (typeof selected === 'string') {
    return [selected];
  }
  if (groupKindOf(object) === 'YurtAppSet.apps.openyurt.io') {
    return namedPools(object).map(({ name }) => String(name));
  }
  const names = (requiredTerms(spec) ?? []).flatMap((term) =>
    expressionsOf(term)
      .filter(({ key, operator }) => key === cluster.nodePoolLabel && operator === 'In')
      .flatMap(({ values }) => (Array.isArray(values) ? values.map(String) : [])),
  );
  return [...new Set(names)];
}

/** How an excluded workload is declared. */
export function recognizeExcluded(object: PlainMap, cluster: EdgeCluster): Recognition {
  const made = (workload: PlainMap): ReturnType<typeof attempted<PlainMap>> =>
    attempted(
      () =>
        planExcludedWorkload({ cluster, workload: workload as never }, comparingScope('it')).objects[0]
          ?.object as PlainMap,
    );
  const whole = made(object);
  if ('refused' in whole) {
    return { reason: `ExcludedWorkload refuses ${whole.refused}` };
  }
  const without = addedAnnotations(whole.made, object);
  const asItIs = (all: PlainMap): unknown => without.reduce<unknown>((rest, path) => withoutValueAt(rest, path), all);
  if (!same(asItIs(whole.made), object)) {
    const paths = differences(whole.made, object);
    const isAffinity = paths.every((path) => path.includes('affinity')) && !isByTerms(object, cluster);
    const why =
      isAffinity && isAnnotated(object) ? ': only the webhook of OpenYurt keeps it off, by its annotation' : '';
    return { reason: `ExcludedWorkload would write another ${fieldsText(paths)}${why}` };
  }
  const isMade = (workload: PlainMap): boolean => {
    const again = made(workload);
    return 'made' in again && same(asItIs(again.made), object);
  };
  return {
    recognized: {
      className: 'ExcludedWorkload',
      props: { workload: shortest(object, exclusionFields(object), isMade) },
      ...(without.length === 0 ? {} : { without }),
    },
  };
}

/** How a workload on host-network pools is declared. */
export function recognizeHostNetwork(
  object: PlainMap,
  cluster: EdgeCluster,
  names: readonly string[],
  pools: KnownPools,
): Recognition {
  const attributes = names.map((name) => pools.of(name));
  const regular = names.find((_, index) => attributes[index] === undefined);
  if (regular !== undefined) {
    return { reason: `HostNetworkWorkload needs host-network pools, and ${regular} is none` };
  }
  const on = attributes as HostNetworkWorkloadProps['pools'] & object;
  const made = (workload: PlainMap): ReturnType<typeof attempted<PlainMap>> =>
    attempted(
      () =>
        planHostNetworkWorkload(
          {
            ...(on.length === 1 ? { pool: on[0] } : { pools: on }),
            ...dnsOf(object),
            workload: workload as never,
          },
          comparingScope('it'),
        ).objects[0]?.object as PlainMap,
    );
  const whole = made(object);
  if ('refused' in whole) {
    return { reason: `HostNetworkWorkload refuses ${whole.refused}` };
  }
  const without = differences(whole.made, object).filter(
    (path) => valueAt(object, path) === undefined && NOT_NEEDED.includes(String(path.at(-1))),
  );
  const asItIs = (all: PlainMap): unknown => without.reduce<unknown>((rest, path) => withoutValueAt(rest, path), all);
  if (!same(asItIs(whole.made), object)) {
    const paths = differences(asItIs(whole.made), object);
    const isSelector = paths.every((path) => path.includes('nodeSelector') && valueAt(object, path) === undefined);
    const why = isSelector ? ': its affinity or its list binds it to its pool' : '';
    return { reason: `HostNetworkWorkload would write another ${fieldsText(paths)}${why}` };
  }
  const isMade = (workload: PlainMap): boolean => {
    const again = made(workload);
    return 'made' in again && same(asItIs(again.made), object);
  };
  const workload = shortest(object, hostNetworkFields(object, cluster), isMade);
  return {
    recognized: {
      className: 'HostNetworkWorkload',
      pools: names,
      props: { ...dnsOf(object), workload },
      ...(without.length === 0 ? {} : { without }),
    },
  };
}

/** Fields that the class writes although the API server or kubelet does the same without: the object stays as it is. */
const NOT_NEEDED = ['dnsPolicy', 'hostPort'];

/** The policy, where it is not the one that is set by default. */
function dnsOf(object: PlainMap): PlainMap {
  const [place] = podPlaces(object);
  const policy = place === undefined ? undefined : podSpecAt(object, place).dnsPolicy;
  return policy === 'ClusterFirstWithHostNet' ? { dnsPolicy: policy } : {};
}

/** The object without what the class adds: each change is kept if the class still makes the same object. */
function shortest(
  object: PlainMap,
  changes: readonly ((object: PlainMap) => PlainMap)[],
  isMade: (workload: PlainMap) => boolean,
): PlainMap {
  return changes.reduce((workload, change) => {
    const shorter = change(copyOf(workload));
    return !same(shorter, workload) && isMade(shorter) ? shorter : workload;
  }, object);
}

type Change = (object: PlainMap) => PlainMap;

/** Removes a field, and what is empty then above it, up to a map that an object has to have. */
const removing =
  (path: ObjectPath, keeps: number): Change =>
  (object) => {
    if (valueAt(object, path) === undefined) {
      return object;
    }
    let rest = withoutValueAt(object, path) as PlainMap;
    for (let length = path.length - 1; length > keeps; length--) {
      const above = valueAt(rest, path.slice(0, length));
      if (!isMap(above) || Object.keys(above).length > 0) {
        break;
      }
      rest = withoutValueAt(rest, path.slice(0, length)) as PlainMap;
    }
    return rest;
  };

function exclusionFields(object: PlainMap): Change[] {
  return podPlaces(object)
    .filter(({ isTemplate }) => isTemplate)
    .flatMap(({ path }) => [
      removing([...path, 'metadata', 'annotations', EXCLUDE_ANNOTATION], path.length),
      removing([...path, 'metadata', 'labels', EXCLUDED_LABEL], path.length),
      ...affinityChanges(object, path),
    ]);
}

/** Without each of the required expressions, the last ones first: that is where the classes add theirs. */
function affinityChanges(object: PlainMap, path: ObjectPath): Change[] {
  const terms = [...path, 'spec', ...REQUIRED_PATH, 'nodeSelectorTerms'];
  const required = path.length === 0 ? [] : valueAt(object, terms);
  const count = Math.max(0, ...itemsOf(required).map((term) => (isMap(term) ? expressionsOf(term).length : 0)));
  const last: Change = (given) => {
    const list = valueAt(given, terms);
    if (!Array.isArray(list)) {
      return given;
    }
    const shorter = list.map((term: unknown) =>
      isMap(term) ? { ...term, matchExpressions: expressionsOf(term).slice(0, -1) } : term,
    );
    return withValueAt(given, terms, shorter) as PlainMap;
  };
  return [
    // all of it, if the class makes it
    removing([...path, 'spec', ...REQUIRED_PATH], path.length + 1),
    ...Array.from({ length: Math.min(count, 2) }, () => last),
  ];
}

function hostNetworkFields(object: PlainMap, cluster: EdgeCluster): Change[] {
  return podPlaces(object)
    .filter(({ isTemplate }) => isTemplate)
    .flatMap(({ path }) => {
      const spec = [...path, 'spec'];
      return [
        removing([...spec, 'hostNetwork'], spec.length),
        removing([...spec, 'dnsPolicy'], spec.length),
        removing([...spec, 'nodeSelector', cluster.nodePoolLabel], spec.length),
        removing([...spec, 'tolerations'], spec.length),
        ...affinityChanges(object, path),
        ...['containers', 'initContainers'].map((field) => withoutHostPorts([...spec, field])),
        ...['updateStrategy', 'strategy'].map((field) => removing(['spec', field], 1)),
      ];
    });
}

/** Host ports are the ports of the containers. */
const withoutHostPorts =
  (path: ObjectPath): Change =>
  (object) => {
    const containers = valueAt(object, path);
    if (!Array.isArray(containers)) {
      return object;
    }
    const shorter = containers.map((container: unknown) =>
      isMap(container) && Array.isArray(container.ports)
        ? {
            ...container,
            ports: container.ports.map((port: unknown) => (isMap(port) ? withoutValueAt(port, ['hostPort']) : port)),
          }
        : container,
    );
    return withValueAt(object, path, shorter) as PlainMap;
  };
