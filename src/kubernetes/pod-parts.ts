import { isMap, type PlainMap } from '../validation/plain-data.js';
import { isUnknown } from '../validation/unknown.js';
import { fieldsOfType } from './workload-fields.js';

/** Two of them are in no other object: one alone may be, such as the service account of a Kustomization. */
export const POD_FIELDS: readonly string[] = [
  ...[
    'automountServiceAccountToken',
    'dnsConfig',
    'dnsPolicy',
    'enableServiceLinks',
    'hostAliases',
    'hostIPC',
    'hostNetwork',
  ],
  ...['hostPID', 'imagePullSecrets', 'nodeSelector', 'priorityClassName', 'readinessGates', 'restartPolicy'],
  ...['runtimeClassName', 'schedulerName', 'securityContext', 'serviceAccountName', 'terminationGracePeriodSeconds'],
];

/** What is empty, as in the values of a Helm chart, says nothing. */
function isGiven(value: unknown): boolean {
  const isEmpty = (isMap(value) || Array.isArray(value)) && Object.keys(value).length === 0;
  return !isEmpty && ![undefined, null, false, ''].includes(value as never);
}

/** A field of Pod specs by which something is recognized as one. */
interface PodPart {
  readonly field: string;
  readonly what: string;
  /** Whether an affinity of the same Pods cannot stand beside it. */
  readonly isElsewhere?: boolean;
}

interface Part extends PodPart {
  readonly is: (value: unknown, map: PlainMap) => boolean;
}

/** The fields of an affinity. */
export const AFFINITIES: readonly string[] = ['nodeAffinity', 'podAffinity', 'podAntiAffinity'];

const PARTS: readonly Part[] = [
  { field: 'containers', what: 'containers', is: isUnknown },
  { field: 'initContainers', what: 'init containers', is: (value) => isUnknown(value) || hasContainers(value) },
  {
    field: 'affinity',
    what: 'an affinity',
    is: (value) => isUnknown(value) || (isMap(value) && AFFINITIES.some((field) => isAffinity(value[field]))),
  },
  ...AFFINITIES.map((field): Part => ({ field, what: 'an affinity', is: isAffinity })),
  {
    field: 'tolerations',
    what: 'tolerations',
    is: (value) => isUnknown(value) || isListOf(value, isToleration),
  },
  {
    field: 'topologySpreadConstraints',
    what: 'topology spread constraints',
    is: (value) => isUnknown(value) || isListOf(value, ({ topologyKey }) => isText(topologyKey)),
  },
  {
    field: 'nodeSelector',
    what: 'a node selector',
    is: (value, { tolerations }) =>
      isGiven(value) && isMap(value) && (Array.isArray(tolerations) || Object.values(value).every(isText)),
  },
  {
    field: 'nodeSelector',
    what: 'the terms of a node affinity',
    isElsewhere: true,
    is: (value) => isMap(value) && Array.isArray(value.nodeSelectorTerms),
  },
];

const TERMS = ['requiredDuringSchedulingIgnoredDuringExecution', 'preferredDuringSchedulingIgnoredDuringExecution'];

/** Not that of a PersistentVolume: it has `required`. */
function isAffinity(value: unknown): boolean {
  return isMap(value) && TERMS.some((field) => (value[field] ?? undefined) !== undefined);
}

const TOLERATION = fieldsOfType('Toleration');

function isToleration(item: PlainMap): boolean {
  return (isText(item.key) || isText(item.operator)) && Object.keys(item).every((field) => TOLERATION.has(field));
}

export function hasContainers(value: unknown): boolean {
  return isListOf(value, ({ name, image }) => isText(name) || isText(image));
}

function isListOf(value: unknown, is: (item: PlainMap) => boolean): boolean {
  return Array.isArray(value) && value.some((item: unknown) => isMap(item) && is(item));
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || isUnknown(value);
}

/** The part of a Pod spec in a map. @param isWide whether anything but init containers is one */
export function podPartOf(map: PlainMap, isWide: boolean): PodPart | undefined {
  const part = PARTS.find(({ field, is }) => (isWide || field === 'initContainers') && is(map[field], map));
  if (part !== undefined || !isWide) {
    return part;
  }
  const fields = POD_FIELDS.filter((field) => isGiven(map[field]));
  return fields.length > 1
    ? { field: fields[0] as string, what: 'fields of a Pod spec' }
    : map.hostNetwork === true
      ? { field: 'hostNetwork', what: 'hostNetwork' }
      : otherPartOf(map);
}

/** Whether a field is reported together with the part of a Pod spec beside it. */
export function isPodPart(field: string): boolean {
  return PARTS.some((part) => part.field === field);
}

/** A part of a Pod spec by another name: `controlPlaneNodeSelector` of Tigera, `container` of Chaos Mesh, `sidecars`; or by its path in the values of a chart. */
function otherPartOf(map: PlainMap): PodPart | undefined {
  const setting = [map.name, map.key].find((name) => typeof name === 'string' && SETTING.test(name));
  if (setting !== undefined && isGiven(map.value) && map.value !== 'false') {
    return { field: 'value', what: 'a field of Pod specs in a chart', isElsewhere: true };
  }
  for (const [field, value] of Object.entries(map)) {
    const like = /(?:NodeSelector|Tolerations|Affinity)$/.exec(field)?.[0].toLowerCase();
    const part = like === undefined ? undefined : PARTS.find(({ field: known }) => known.toLowerCase() === like);
    if (part?.is(value, map) === true) {
      return { field, what: part.what, isElsewhere: true };
    }
    if (Array.isArray(value) && (value.some(isContainer) || (/Containers$/.test(field) && hasContainers(value)))) {
      return { field, what: 'containers' };
    }
    if (field === 'container' && isMap(value) && isText(value.image)) {
      return { field, what: 'a container' };
    }
    if (field.includes('.') && SETTING.test(field) && isGiven(value) && value !== 'false') {
      return { field, what: 'a field of Pod specs in a chart', isElsewhere: true };
    }
  }
  return undefined;
}

/** The path of a field of Pod specs in the values of a chart, as in `helm.parameters` of an Argo Application. */
const SETTING = /(?:^|\.)(?:hostNetwork|nodeSelector|tolerations|affinity)(?:[.[\\]|$)/;

/** A container, and not only the name of its image. */
function isContainer(value: unknown): boolean {
  return isMap(value) && isText(value.image) && CONTAINER_FIELDS.some((field) => value[field] !== undefined);
}

const CONTAINER_FIELDS = ['args', 'command', 'env', 'envFrom', 'imagePullPolicy', 'ports', 'resources', 'volumeMounts'];

/** Whether a map is a Pod template by its name, also one with an empty spec, of which a controller makes Pods too. */
export function isTemplate(name: unknown, map: PlainMap): boolean {
  const isEmptySpec = isMap(map.spec) && Object.keys(map.spec).length === 0;
  return (
    (POD_TEMPLATES.includes(name as string) && Object.keys(map).length > 0) || (name === 'template' && isEmptySpec)
  );
}

const POD_TEMPLATES = ['podTemplate', 'podTemplateSpec', 'podSpec'];
