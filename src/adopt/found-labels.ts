import type { EdgeCluster, EdgeClusterProps } from '../cluster/edge-cluster.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { nameOf } from '../kubernetes/object.js';
import { EXCLUDE_ANNOTATION, HOST_NETWORK_LABEL, type HostNetworkLabel } from '../kubernetes/labels.js';
import { expressionsOf, requiredTerms } from '../kubernetes/node-affinity.js';
import { podPlaces, podSpecAt } from '../kubernetes/pod-places.js';
import { type PlainMap, isMap, mapAt, valueAt } from '../base/plain-data.js';
import { isPolicy } from './recognized-admission.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** What the user says. */
export type GivenLabels = Pick<EdgeClusterProps, 'hostNetworkLabel' | 'nodePoolLabel'>;

/**
 * Labels by which a fleet without OpenYurt marks its nodes, where they are not those of OpenYurt: by the policies of this library, or by workloads with the
 * exclude annotation.
 */
export function findLabels(objects: readonly PlainMap[]): GivenLabels {
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
  return itemsOf(variables)
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

/** Labels that a fleet may mark its nodes with, and what shows it. */
export interface ProposedLabel {
  /** `--host-network-label site-role=till` */
  readonly option: string;
  readonly shownBy: string;
}

/** Labels that kubelets and clouds set: they say nothing of a pool. */
const OF_KUBELET = /^(?:beta\.)?kubernetes\.io\/|^(?:node|topology|failure-domain\.beta)\.kubernetes\.io\//;

const KUBE_PROXY = 'DaemonSet kube-system/kube-proxy';

/** Nodes of Fargate and of virtual kubelets, off which providers keep kube-proxy: it is no use there. */
const VIRTUAL = /=(?:fargate|virtual-kubelet)$/;

/**
 * Labels of which the Nodes and the workloads agree that they mark host-network nodes, as far as nothing says which one does: some Nodes have it, a workload
 * of the host network selects it, another one is kept off it by NotIn (or DoesNotExist), and if these Nodes are tainted, no other one is in this way.
 * kube-proxy that is kept off shows it by itself: without it a Pod network has no Services.
 */
export function proposeLabels(objects: readonly PlainMap[], cluster: EdgeCluster): ProposedLabel[] {
  const nodes = objects.filter((object) => groupKindOf(object) === 'Node');
  if (cluster.hasOpenYurt() || cluster.hostNetworkLabel.key !== HOST_NETWORK_LABEL || nodes.length === 0) {
    return [];
  }
  const selects = objects.flatMap((object) => requirementsOf(object).map((each) => ({ ...each, object })));
  const labels = new Map<string, PlainMap[]>();
  for (const node of nodes) {
    for (const [key, value] of Object.entries(mapAt(mapAt(node, 'metadata'), 'labels'))) {
      const label = `${key}=${String(value)}`;
      labels.set(label, [...(labels.get(label) ?? []), node]);
    }
  }
  return [...labels].flatMap(([label, marked]): ProposedLabel[] => {
    const [key = '', value = ''] = [label.slice(0, label.indexOf('=')), label.slice(label.indexOf('=') + 1)];
    const onHosts = selects.find(
      (each) => each.isHost && !each.isOff && each.key === key && each.values.includes(value),
    );
    const offs = selects.filter((each) => each.isOff && each.key === key && each.values.every((one) => one === value));
    const proxy = offs.find(({ object }) => nameOf(object) === KUBE_PROXY);
    const off = proxy ?? offs[0];
    const [taint] = taintsOf(marked[0]).filter((each) => marked.every((node) => taintsOf(node).includes(each)));
    const isOfOthers = nodes.some(
      (node) => !marked.includes(node) && taint !== undefined && taintsOf(node).includes(taint),
    );
    const isTainted = marked.some((node) => taintsOf(node).length > 0);
    if (
      OF_KUBELET.test(key) ||
      marked.length === nodes.length ||
      off === undefined ||
      (onHosts === undefined && (proxy === undefined || VIRTUAL.test(label))) ||
      (isTainted && (taint === undefined || isOfOthers))
    ) {
      return [];
    }
    const shownBy = [
      `${marked.length} of ${nodes.length} Nodes have it`,
      ...(taint === undefined ? [] : [`only they have the taint ${taint}`]),
      ...(onHosts === undefined ? [] : [`${nameOf(onHosts.object)} is on the host network and selects it`]),
      `${nameOf(off.object)} is kept off it`,
    ].join(', ');
    const pools = [...new Set(selects.filter((each) => each.isHost && !each.isOff).map((each) => each.key))].filter(
      (each) =>
        each !== key &&
        each !== cluster.nodePoolLabel &&
        !OF_KUBELET.test(each) &&
        marked.every((node) => mapAt(mapAt(node, 'metadata'), 'labels')[each] !== undefined),
    );
    return [
      { option: `--host-network-label ${label}`, shownBy },
      ...pools.map((pool) => ({
        option: `--node-pool-label ${pool}`,
        shownBy: 'all of these Nodes have it, and workloads of the host network select it',
      })),
    ];
  });
}

/** `dedicated=till:NoSchedule`, those that people set. */
const taintsOf = (node: PlainMap | undefined): string[] => ownTaints(node).map(taintText);

export const taintText = ({ key, value, effect }: PlainMap): string =>
  `${String(key)}${typeof value === 'string' ? `=${value}` : ''}:${String(effect)}`;

/** The taints of a Node that people set, without when. */
function ownTaints(node: PlainMap | undefined): PlainMap[] {
  const { taints } = mapAt(node ?? {}, 'spec');
  return itemsOf(taints)
    .filter(isMap)
    .filter(({ key }) => !OF_KUBELET.test(String(key)))
    .map(({ key, value, effect }) => ({ key, ...(typeof value === 'string' ? { value } : {}), effect }));
}

/** Nodes of one pool, or of none. */
export interface ShownPool {
  /** Empty: the Nodes have no label of a pool. */
  readonly pool: string;
  readonly nodes: readonly string[];
  /** Whether all of them have the label of host-network nodes. */
  readonly isHost: boolean;
  /** The taints that people have set on all of them. */
  readonly taints: readonly PlainMap[];
  /** Those that only some of them have. */
  readonly others: readonly string[];
}

/** The pools that the labels of Nodes show, and Nodes with taints that are in none. */
export function shownPools(objects: readonly PlainMap[], cluster: EdgeCluster): ShownPool[] {
  const pools = new Map<string, PlainMap[]>();
  for (const node of objects.filter((object) => groupKindOf(object) === 'Node')) {
    const named = mapAt(mapAt(node, 'metadata'), 'labels')[cluster.nodePoolLabel];
    const pool = typeof named === 'string' ? named : '';
    const isOfPeople = ownTaints(node).some(({ key }) => !String(key).startsWith('node-role.kubernetes.io/'));
    if (pool !== '' || isOfPeople) {
      pools.set(pool, [...(pools.get(pool) ?? []), node]);
    }
  }
  const { key: label, value } = cluster.hostNetworkLabel;
  return [...pools].map(([pool, nodes]) => {
    const counts = new Map<string, number>();
    nodes.flatMap(taintsOf).forEach((text) => counts.set(text, (counts.get(text) ?? 0) + 1));
    const isCommon = (text: string): boolean => counts.get(text) === nodes.length;
    return {
      pool,
      nodes: nodes.map((node) => String(mapAt(node, 'metadata').name)),
      isHost: nodes.every((node) => mapAt(mapAt(node, 'metadata'), 'labels')[label] === value),
      taints: ownTaints(nodes[0]).filter((taint) => isCommon(taintText(taint))),
      others: [...counts.keys()].filter((text) => !isCommon(text)),
    };
  });
}

/** What the Pods of a workload require of the labels of their nodes. */
function requirementsOf(
  object: PlainMap,
): { readonly key: string; readonly values: readonly string[]; readonly isOff: boolean; readonly isHost: boolean }[] {
  return podPlaces(object).flatMap((place) => {
    const podSpec = place.isTemplate ? podSpecAt(object, place) : undefined;
    if (podSpec === undefined) {
      return [];
    }
    const isHost = podSpec.hostNetwork === true;
    const selected = Object.entries(mapAt(podSpec, 'nodeSelector')).map(([key, value]) => ({
      ...{ key, values: [String(value)], isOff: false, isHost },
    }));
    const required = (requiredTerms(podSpec) ?? []).flatMap(expressionsOf).map(({ key, operator, values }) => ({
      key: String(key),
      values: itemsOf(values).map(String),
      isOff: operator === 'NotIn' || operator === 'DoesNotExist',
      isHost,
    }));
    return [...selected, ...required];
  });
}
