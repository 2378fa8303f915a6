import { isMap, mapAt, type ObjectPath, type PlainMap } from '../base/plain-data.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import type { Toleration } from '../kubernetes/taint.js';
import { compute, holdsUnknown, isUnknown, merged } from '../base/unknown.js';
import { reach } from './documents.js';
import { HOSTS_CONFIG_MAPS, HOSTS_FOLDER, type ProxyNames } from './proxy-names.js';

/** Differences of the Pods of the DaemonSet; values may be unknown. */
export interface PodEdits {
  readonly image?: string;
  readonly tolerations?: readonly Toleration[];
  /** Which hosts file is mounted. */
  readonly names?: ProxyNames;
}

/** A DaemonSet with the Pod template of the Deployment; it differs only as far as the kind requires. */
export function daemonSetOf(deployment: PlainMap, edits: PodEdits): PlainMap {
  const { spec } = deployment;
  const { labels } = mapAt(deployment, 'metadata');
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {
      namespace: 'kube-system',
      name: 'coredns',
      labels: merged(isMap(labels) || isUnknown(labels) ? labels : {}, OWN_LABELS),
    },
    spec: compute(
      { spec, edits },
      (known) => {
        const { selector, template } = known.spec as PlainMap;
        return {
          selector,
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
          template: templateOf(template as PlainMap, known.edits),
        };
      },
      isUnknown(spec) && spec,
    ),
  };
}

function templateOf(template: PlainMap, edits: PodEdits): PlainMap {
  return compute(
    { template, edits },
    (known) => {
      const labels = reach(known.template, ['metadata', 'labels']);
      return { ...known.template, spec: podSpecOf(known.template.spec as PlainMap, labels, known.edits) };
    },
    isUnknown(template) && template,
  );
}

function podSpecOf(podSpec: PlainMap, labels: unknown, edits: PodEdits): PlainMap {
  return compute(
    { podSpec, labels, edits },
    (known) => {
      const { containers, tolerations, volumes, affinity } = known.podSpec;
      const { names } = known.edits;
      return {
        ...known.podSpec,
        ...(affinity === undefined ? {} : { affinity: affinityOf(affinity, known.labels) }),
        tolerations: tolerationsOf(tolerations, known.edits.tolerations),
        containers: compute(
          { containers: containers as PlainMap[], edits: known.edits },
          (all) => all.containers.map((container) => containerOf(container, all.edits)),
          isUnknown(containers) && containers,
        ),
        ...(names === undefined ? {} : { volumes: withHosts(volumes, hostsVolume(names)) }),
      };
    },
    isUnknown(podSpec) && podSpec,
  );
}

/** Path of the required anti-affinity in a Pod spec. */
export const ANTI_AFFINITY: ObjectPath = [
  'affinity',
  'podAntiAffinity',
  'requiredDuringSchedulingIgnoredDuringExecution',
];
const [, , REQUIRED] = ANTI_AFFINITY as [string, string, string];

/** Whether required anti-affinity refuses Pods with these labels on the same node. */
export function refusesOwnPods(terms: unknown, labels: unknown): boolean {
  return Array.isArray(terms) && terms.some((term) => isOwn(term, labels));
}

function isOwn(term: unknown, labels: unknown): boolean {
  return (
    isMap(term) &&
    term.topologyKey === 'kubernetes.io/hostname' &&
    selects(mapAt(term, 'labelSelector'), mapAt({ labels }, 'labels'))
  );
}

/** The affinity without required anti-affinity to Pods with these labels on the same node. */
function affinityOf(affinity: unknown, labels: unknown): unknown {
  const terms = reach({ affinity }, ANTI_AFFINITY);
  if (terms === undefined) {
    return affinity;
  }
  if (isUnknown(affinity) || !holdsUnknown([terms, labels])) {
    return compute({ affinity, labels }, withoutOwnAntiAffinity, isUnknown(affinity) && [affinity, labels]);
  }
  const { podAntiAffinity } = affinity as PlainMap;
  return { ...(affinity as PlainMap), podAntiAffinity: compute({ podAntiAffinity, labels }, otherAntiAffinity) };
}

function withoutOwnAntiAffinity({
  affinity,
  labels,
}: {
  readonly affinity: unknown;
  readonly labels: unknown;
}): unknown {
  const { podAntiAffinity, ...others } = mapAt({ affinity }, 'affinity');
  const other = otherAntiAffinity({ podAntiAffinity, labels });
  if (other === podAntiAffinity) {
    return affinity;
  }
  return { ...others, ...(other === undefined ? {} : { podAntiAffinity: other }) };
}

/** The anti-affinity without the required terms for Pods with these labels on the same node; undefined if nothing remains. */
function otherAntiAffinity(given: { readonly podAntiAffinity: unknown; readonly labels: unknown }): unknown {
  const { [REQUIRED]: terms, ...preferred } = mapAt(given, 'podAntiAffinity');
  if (!refusesOwnPods(terms, given.labels)) {
    return given.podAntiAffinity;
  }
  const kept = (terms as unknown[]).filter((term) => !isOwn(term, given.labels));
  const rest = { ...preferred, ...(kept.length === 0 ? {} : { [REQUIRED]: kept }) };
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Whether a label selector matches labels (apimachinery, LabelSelector). */
function selects(selector: PlainMap, labels: PlainMap): boolean {
  const expressions: unknown[] = Array.isArray(selector.matchExpressions) ? selector.matchExpressions : [];
  const holds = (expression: unknown): boolean => {
    const { key, operator, values } = isMap(expression) ? expression : {};
    const value = labels[String(key)];
    const isIn = Array.isArray(values) && values.includes(value);
    switch (operator) {
      case 'In':
        return isIn;
      case 'NotIn':
        return !isIn;
      case 'Exists':
        return value !== undefined;
      default:
        return value === undefined;
    }
  };
  return (
    Object.entries(mapAt(selector, 'matchLabels')).every(([key, value]) => labels[key] === value) &&
    expressions.every(holds)
  );
}

/** Whether a list of tolerations tolerates every taint. */
export function isToleratingAll(tolerations: unknown): boolean {
  return Array.isArray(tolerations) && tolerations.some(isEverything);
}

const isEverything = (toleration: unknown): boolean =>
  isMap(toleration) && toleration.operator === 'Exists' && toleration.key === undefined;

/** The tolerations of the Deployment except the one for every taint, and additional ones. */
function tolerationsOf(own: unknown, more: unknown): unknown {
  const forms = Array.isArray(own) ? own.map((each: unknown) => (isMap(each) ? [each.operator, each.key] : each)) : own;
  return compute(
    { own, more },
    (all) => [
      ...(Array.isArray(all.own) ? (all.own as unknown[]) : []).filter((each) => !isEverything(each)),
      ...((all.more as unknown[] | undefined) ?? []),
    ],
    [forms, isUnknown(more) && more],
  );
}

/** A list with an additional item, which replaces one with the name hosts. */
function withHosts(list: unknown, added: PlainMap): unknown {
  const names = Array.isArray(list) ? list.map((each: unknown) => (isMap(each) ? each.name : each)) : list;
  const isHosts = (item: unknown): boolean => isMap(item) && item.name === 'hosts';
  return compute(
    { list, added },
    (all) => [...(Array.isArray(all.list) ? (all.list as unknown[]) : []).filter((each) => !isHosts(each)), all.added],
    names,
  );
}

/** Optional, because CoreDNS must start without it: the tunnel that writes it needs DNS. */
function hostsVolume(names: ProxyNames): PlainMap {
  return { name: 'hosts', configMap: { name: compute(names, (whose) => HOSTS_CONFIG_MAPS[whose]), optional: true } };
}

function containerOf(container: PlainMap, edits: PodEdits): PlainMap {
  return compute(
    { container, edits },
    (known) => {
      const { image, names } = known.edits;
      if (known.container.name !== 'coredns') {
        return known.container;
      }
      const mount = { name: 'hosts', mountPath: HOSTS_FOLDER, readOnly: true };
      return {
        ...known.container,
        ...(image === undefined ? {} : { image }),
        ...(names === undefined ? {} : { volumeMounts: withHosts(known.container.volumeMounts, mount) }),
      };
    },
    isMap(container) ? container.name : container,
  );
}
