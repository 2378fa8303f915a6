import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { RELEASE_FIELDS } from '../cluster/openyurt-releases.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { HOST_NETWORK_LABEL, OWN_LABELS } from '../kubernetes/labels.js';
import { hostNetworkTaint } from '../kubernetes/taint.js';
import { type NodePoolAttributes, planNodePool } from '../pools/node-pool.js';
import type { NodePoolInput } from '../pools/node-pool-props.js';
import {
  isMap,
  mapAt,
  type ObjectPath,
  type PlainMap,
  same,
  valueAt,
  withoutValueAt,
} from '../validation/plain-data.js';
import { attempted, comparingScope, differences, type Recognition } from './recognized-object.js';

export function isNodePool(object: PlainMap): boolean {
  return groupKindOf(object) === 'NodePool.apps.openyurt.io';
}

/** Whether the nodes of a NodePool run only hostNetwork Pods: by its spec, or by the annotation that older releases need for an upgrade. */
export function isHostNetworkPool(object: PlainMap): boolean {
  const annotations = mapAt(mapAt(object, 'metadata'), 'annotations');
  return mapAt(object, 'spec').hostNetwork === true || annotations[HOST_NETWORK_LABEL] === 'true';
}

/** How a NodePool is declared. What the class adds to it and the object does not have, is removed again: the object stays what it is. */
export function recognizePool(object: PlainMap, cluster: EdgeCluster): Recognition {
  if (object.apiVersion !== cluster.nodePoolApiVersion()) {
    return {
      reason: `OpenYurt ${cluster.openYurt} writes NodePools in ${cluster.nodePoolApiVersion() ?? 'no version'}`,
    };
  }
  const [first, ...others] = [[HOST_NETWORK_LABEL], []].map((written) =>
    recognizedWith(poolProps(object, cluster, written), object, cluster),
  ) as [Recognition, ...Recognition[]];
  // a pool that was upgraded has the annotation that only older releases need
  return [first, ...others].find(({ recognized }) => recognized !== undefined) ?? first;
}

function recognizedWith(props: PlainMap, object: PlainMap, cluster: EdgeCluster): Recognition {
  const mode = isHostNetworkPool(object) ? 'host-network' : 'regular';
  const className = mode === 'regular' ? 'RegularNodePool' : 'HostNetworkNodePool';
  const poolName = String(mapAt(object, 'metadata').name);
  const input = { cluster, poolName, ...props } as NodePoolInput;
  const plan = attempted(() =>
    planNodePool({ subject: className, mode, makesObject: true }, input, comparingScope(poolName)),
  );
  if ('refused' in plan) {
    return { reason: `${className} refuses ${plan.refused}` };
  }
  const made = plan.made.objects[0]?.object as PlainMap;
  const without = addedFields(made, object);
  const recognized = { className, props, ...(without.length === 0 ? {} : { without }) } as const;
  const rest = without.reduce<unknown>((value, path) => withoutValueAt(value, path), made);
  return same(rest, object)
    ? { recognized }
    : { reason: `${className} would write another ${fieldsText(differences(made, object))}` };
}

/** A path of fields, for a comment. */
export function fieldsText(paths: readonly ObjectPath[]): string {
  const shown = paths.slice(0, 3).map((path) => path.join('.'));
  return `${shown.join(', ')}${paths.length > 3 ? ` and ${paths.length - 3} more` : ''}`;
}

/** What the class adds: its labels, and the default that a webhook would set. */
function addedFields(made: PlainMap, object: PlainMap): ObjectPath[] {
  const labels = mapAt(mapAt(object, 'metadata'), 'labels');
  const paths: ObjectPath[] =
    Object.keys(labels).length === 0 && !isMap(valueAt(object, ['metadata', 'labels']))
      ? [['metadata', 'labels']]
      : Object.keys(OWN_LABELS).map((key) => ['metadata', 'labels', key]);
  const candidates: ObjectPath[] = [
    ...paths,
    ['spec', 'leaderElectionStrategy'],
    ['metadata', 'annotations', HOST_NETWORK_LABEL],
  ];
  return candidates.filter((path) => valueAt(made, path) !== undefined && valueAt(object, path) === undefined);
}

/** @param written annotations that the class writes */
function poolProps(object: PlainMap, cluster: EdgeCluster, written: readonly string[]): PlainMap {
  const { labels, annotations, ...metadata } = withoutField(mapAt(object, 'metadata'), 'name');
  const { type, ...spec } = withoutField(mapAt(object, 'spec'), 'hostNetwork');
  const known = ['labels', 'annotations', 'taints', ...RELEASE_FIELDS];
  const fields = Object.entries(spec).filter(([field]) => known.includes(field));
  const extra = Object.entries(spec).filter(([field]) => !known.includes(field));
  const isDefault = cluster.hasNodePoolField('leaderElectionStrategy') && spec.leaderElectionStrategy === 'random';
  const own = {
    ...metadata,
    ...besides(labels, 'labels', Object.keys(OWN_LABELS)),
    ...besides(annotations, 'annotations', written),
  };
  const ofMode = hostNetworkTaint(cluster.hostNetworkLabel);
  const taints = Array.isArray(spec.taints) ? (spec.taints as unknown[]) : [];
  // the class adds it behind all others
  const isRegistered = isHostNetworkPool(object) && same(taints.at(-1), ofMode);
  const others = isRegistered ? { taints: taints.slice(0, -1) } : {};
  return {
    ...(type === 'Edge' || type === undefined ? {} : { type }),
    ...(isRegistered ? { registrationTaint: true } : {}),
    ...Object.fromEntries(
      Object.entries({ ...Object.fromEntries(fields), ...others }).filter(
        ([field, value]) =>
          !(isRegistered && field === 'taints' && same(value, [])) &&
          !(field === 'leaderElectionStrategy' && isDefault),
      ),
    ),
    ...(extra.length === 0 ? {} : { extraSpec: Object.fromEntries(extra) }),
    ...(Object.keys(own).length === 0 ? {} : { metadata: own }),
  };
}

function withoutField(map: PlainMap, field: string): PlainMap {
  return Object.fromEntries(Object.entries(map).filter(([key]) => key !== field));
}

function besides(map: unknown, field: string, keys: readonly string[]): PlainMap {
  const own = Object.entries(isMap(map) ? map : {}).filter(([key]) => !keys.includes(key));
  return own.length === 0 ? {} : { [field]: Object.fromEntries(own) };
}

/**
 * The attributes of a host-network pool.
 *
 * @param makesObject whether the program declares its NodePool
 */
export function poolAttributes(
  poolName: string,
  cluster: EdgeCluster,
  props: PlainMap,
  makesObject: boolean,
  declared = comparingScope(poolName).declared,
): NodePoolAttributes {
  const kind = { subject: 'HostNetworkNodePool', mode: 'host-network', makesObject } as const;
  return planNodePool(kind, { cluster, poolName, ...props }, comparingScope(poolName, declared)).attributes;
}
