import type { EdgeClusterProps } from '../cluster/edge-cluster-props.js';
import { EXCLUDE_ANNOTATION, HOST_NETWORK_LABEL, type HostNetworkLabel } from '../kubernetes/labels.js';
import { expressionsOf, requiredTerms } from '../kubernetes/node-affinity.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';
import { isPolicy } from './recognized-admission.js';

/**
 * Labels by which a fleet without OpenYurt marks its nodes, where they are not those of OpenYurt: by the policies of this library, or by workloads with the
 * exclude annotation.
 */
export function findLabels(objects: readonly PlainMap[]): Pick<EdgeClusterProps, 'hostNetworkLabel' | 'nodePoolLabel'> {
  const policies = objects.filter((object) => isPolicy({ object }));
  const label = policies.flatMap(labelIn)[0] ?? objects.flatMap(labelOfExcluded)[0];
  const pool = policies.flatMap(poolLabelIn)[0];
  return {
    ...(label === undefined || label.key === HOST_NETWORK_LABEL ? {} : { hostNetworkLabel: label }),
    ...(pool === undefined ? {} : { nodePoolLabel: pool }),
  };
}

function variablesOf(policy: PlainMap): readonly (readonly [name: string, expression: string])[] {
  const { variables } = mapAt(policy, 'spec');
  return (Array.isArray(variables) ? variables : [])
    .filter(isMap)
    .map(({ name, expression }) => [String(name), String(expression)]);
}

/** The requirement that a policy adds to Pods. */
function labelIn(policy: PlainMap): HostNetworkLabel[] {
  return variablesOf(policy).flatMap(([name, expression]) => {
    const [, key, value] =
      /^\{'key': dyn\('([^']+)'\), 'operator': dyn\('NotIn'\), 'values': dyn\(\['([^']*)'\]\)\}$/.exec(expression) ??
      [];
    return name === 'requirement' && key !== undefined && value !== undefined ? [{ key, value }] : [];
  });
}

/** The label whose change a policy refuses. */
function poolLabelIn(policy: PlainMap): string[] {
  return variablesOf(policy).flatMap(([name, expression]) => {
    const [, key] = /^object\.metadata\.\?labels\[\?'([^']+)'\]\.orValue\(''\)$/.exec(expression) ?? [];
    return name === 'pool' && key !== undefined ? [key] : [];
  });
}

/** The last requirement of an annotated Pod template: that is where it is added. */
function labelOfExcluded(object: PlainMap): HostNetworkLabel[] {
  return podPlaces(object).flatMap((place) => {
    const template = place.isTemplate ? valueAt(object, place.path) : undefined;
    const annotations = mapAt(isMap(template) ? mapAt(template, 'metadata') : {}, 'annotations');
    const [term] = requiredTerms(podSpecAt(object, place)) ?? [];
    const last = term === undefined ? undefined : expressionsOf(term).at(-1);
    const [value, ...others] = Array.isArray(last?.values) ? last.values.map(String) : [];
    return annotations[EXCLUDE_ANNOTATION] !== undefined &&
      last?.operator === 'NotIn' &&
      value !== undefined &&
      others.length === 0
      ? [{ key: String(last.key), value }]
      : [];
  });
}
