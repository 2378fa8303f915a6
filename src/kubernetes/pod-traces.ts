import { isMap, type PlainMap, type ObjectPath } from '../base/plain-data.js';
import { isUnknown, holdsUnknown, Unknown } from '../base/unknown.js';
import { fieldsOfType } from './workload-fields.js';
import { ProblemList } from '../base/errors.js';
import { objectsFromYaml } from '../base/yaml-text.js';
import { type ObjectKind, objectKind, workloadKindOf } from './group-kind.js';
import { POD_MAKERS } from './workload-kinds.js';

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

function hasContainers(value: unknown): boolean {
  return isListOf(value, ({ name, image }) => isText(name) || isText(image));
}

function isListOf(value: unknown, is: (item: PlainMap) => boolean): boolean {
  return Array.isArray(value) && value.some((item: unknown) => isMap(item) && is(item));
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || isUnknown(value);
}

/** The part of a Pod spec in a map. @param isWide whether anything but init containers is one */
function podPartOf(map: PlainMap, isWide: boolean): PodPart | undefined {
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
function isPodPart(field: string): boolean {
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
function isTemplate(name: unknown, map: PlainMap): boolean {
  const isEmptySpec = isMap(map.spec) && Object.keys(map.spec).length === 0;
  return (
    (POD_TEMPLATES.includes(name as string) && Object.keys(map).length > 0) || (name === 'template' && isEmptySpec)
  );
}

const POD_TEMPLATES = ['podTemplate', 'podTemplateSpec', 'podSpec'];

/** Something in an object from which a controller probably makes Pods. */
export interface PodTrace {
  /** Where it is. */
  readonly path: ObjectPath;
  /** What it is: `a Pod spec`. */
  readonly what: string;
  /** Path of the Pod spec, or of the map that has some of its fields; undefined for text, and for the terms of an affinity that are elsewhere. */
  readonly podSpec: ObjectPath | undefined;
  /** Whether it is a Pod spec as a whole, with everything in it. */
  readonly isWhole: boolean;
}

/** Kinds whose objects have fields of Pod specs, or text of them, and make no Pods. */
const WITHOUT_PODS: ReadonlySet<string> = new Set([
  // schemas of other kinds
  'CustomResourceDefinition.apiextensions.k8s.io',
  'CompositeResourceDefinition.apiextensions.crossplane.io',
  // they check or change what others declare: kyverno api/kyverno/v1, flux kustomize-controller api/v1, kruise apis/apps/v1alpha1/workloadspread_types.go
  ...['ClusterPolicy.kyverno.io', 'Policy.kyverno.io', 'Kustomization.kustomize.toolkit.fluxcd.io'],
  'WorkloadSpread.apps.kruise.io',
  // tolerations of Pods that others declare, and of clusters: kueue apis/kueue/v1beta1/resourceflavor_types.go, open-cluster-management api
  // cluster/v1beta1/types_placement.go, karmada pkg/apis/work/v1alpha2/binding_types.go
  ...['ResourceFlavor.kueue.x-k8s.io', 'Placement.cluster.open-cluster-management.io'],
  ...['ResourceBinding.work.karmada.io', 'ClusterResourceBinding.work.karmada.io'],
  // pools of nodes, host-network ones too
  'NodePool.apps.openyurt.io',
  // settings of the nodes that they select: sriov-network-operator config/samples, kubernetes-nmstate docs, hypershift docs performance-profiling.md
  ...['SriovNetworkNodePolicy.sriovnetwork.openshift.io', 'NodeNetworkConfigurationPolicy.nmstate.io'],
  'PerformanceProfile.performance.openshift.io',
]);

/** A kind of Kubernetes itself whose text may be that of Pods: Airflow, for example, makes Pods of a file in one. */
const WITH_TEXT = 'ConfigMap';

/**
 * The traces of Pods in an object, outside of its metadata and status. In an object of a known kind only whole Pod specs are: its other fields are known.
 */
export function podTracesIn(object: PlainMap, kind = objectKind(object)): readonly PodTrace[] {
  const { groupKind } = kind;
  if (WITHOUT_PODS.has(groupKind)) {
    return [];
  }
  const search = new Search(isUnknownKind(kind), groupKind === WITH_TEXT);
  for (const field of fieldsOf(object)) {
    search.visit(field, object[field]);
  }
  if (groupKind.endsWith('.cluster.x-k8s.io')) {
    // templates of machines, which may be empty
    return search.traces.filter(({ path }) => path.at(-1) !== 'template');
  }
  return search.traces.length === 0 && POD_MAKERS.has(groupKind)
    ? [{ path: ['spec'], what: 'Pods of its operator', podSpec: undefined, isWhole: false }]
    : search.traces;
}

/** Whether there may be traces of Pods in what is not known yet of an object. */
export function mayHavePodTraces(object: PlainMap): boolean {
  const kind = objectKind(object);
  return (
    Unknown.exists &&
    (isUnknownKind(kind) || kind.groupKind === WITH_TEXT) &&
    !WITHOUT_PODS.has(kind.groupKind) &&
    fieldsOf(object).some((field) => holdsUnknown(object[field]))
  );
}

function isUnknownKind({ row, isOfKubernetes }: ObjectKind): boolean {
  return row === undefined && !isOfKubernetes;
}

function fieldsOf(object: PlainMap): string[] {
  return Object.keys(object).filter((field) => !['apiVersion', 'kind', 'metadata', 'status'].includes(field));
}

class Search {
  public readonly traces: PodTrace[] = [];
  /** Path of the value that is visited; the same list for all values. */
  private readonly path: (string | number)[] = [];

  /**
   * @param isWide whether a part of a Pod spec is a trace, and text
   * @param hasText whether only text is
   */
  constructor(
    private readonly isWide: boolean,
    private readonly hasText: boolean,
  ) {}

  public visit(step: string | number, value: unknown): void {
    this.path.push(step);
    if (Array.isArray(value)) {
      value.forEach((item, index) => this.visit(index, item));
    } else if (isMap(value)) {
      this.visitMap(value);
    } else if (typeof value === 'string' && this.readsText(step)) {
      const what = isTextOfPods(value)
        ? 'a Pod spec as text'
        : this.isWide && (settingsIn(value)?.length ?? 1) > 0
          ? 'fields of Pod specs as text'
          : undefined;
      this.traces.push(
        ...(what === undefined ? [] : [{ path: [...this.path], what, podSpec: undefined, isWhole: false }]),
      );
    }
    this.path.pop();
  }

  private readsText(step: string | number): boolean {
    return this.isWide || this.hasText || step === 'manifest';
  }

  public visitMap(map: PlainMap): void {
    const path = [...this.path];
    const name = path.at(-1);
    if (hasContainers(map.containers)) {
      this.traces.push({ path, what: 'a Pod spec', podSpec: path, isWhole: true });
      return;
    }
    const part = podPartOf(map, this.isWide);
    if (part !== undefined) {
      const { field, what, isElsewhere = false } = part;
      const podSpec = isElsewhere ? undefined : path;
      this.traces.push({ path: [...path, field], what, podSpec, isWhole: field === 'initContainers' });
    } else if (this.isWide && isTemplate(name, map)) {
      const podSpec = isMap(map.spec) ? [...path, 'spec'] : path;
      this.traces.push({ path, what: 'a Pod template', podSpec, isWhole: true });
      return;
    }
    const { length } = this.traces;
    for (const step of Object.keys(map)) {
      if (part === undefined || (step !== part.field && !isPodPart(step))) {
        this.visit(step, map[step]);
      }
    }
    if (this.isWide && length === this.traces.length && isMap(map.spec) && isWorkload(map)) {
      this.traces.push({ path, what: `an object of the kind ${String(map.kind)}`, podSpec: undefined, isWhole: false });
    }
  }
}

/**
 * The traces of Pods in the values of a chart; undefined if the text names fields of Pod specs and cannot be read, as a template.
 */
export function settingsIn(text: string): readonly (PodTrace & { readonly settings: PlainMap })[] | undefined {
  if (!/(?:odeSelector|olerations|hostNetwork|ffinity|opologySpreadConstraints)["']?[ \t]*:/.test(text)) {
    return [];
  }
  return objectsFromYaml(text, new ProblemList(), 'rounded')?.flatMap((settings) => {
    const search = new Search(true, false);
    search.visitMap(settings);
    return search.traces.map((trace) => ({ ...trace, settings }));
  });
}

/** Whether an object in another one is of a known kind with Pods. */
function isWorkload({ apiVersion, kind }: PlainMap): boolean {
  const row = typeof kind === 'string' ? workloadKindOf({ apiVersion, kind }) : undefined;
  return row?.templates !== undefined || row?.nodeAffinities !== undefined;
}

const FIELD_OF_CONTAINER = `["']?(?:${[...fieldsOfType('Container').keys()].join('|')})["']?[ \\t]*:`;
const CONTAINERS = `["']?(?:containers|initContainers)["']?[ \\t]*:`;
/** An empty line, a comment, or an action of a template. */
const OTHER_LINE = '[ \\t]*(?:(?:#|\\{\\{).*)?\\r?\\n';

/** Fields of Pod specs in YAML or JSON, also between the actions of a template ({{ … }}). */
const TEXTS = [
  new RegExp(
    `^[ \\t]*(?:- +)?${CONTAINERS}[ \\t]*(?:#.*)?\\r?\\n(?:${OTHER_LINE})*[ \\t]*- +${FIELD_OF_CONTAINER}`,
    'm',
  ),
  /"(?:containers|initContainers)"\s*:\s*\[\s*\{/,
  new RegExp(`[{,\\s]${CONTAINERS}\\s*\\[\\s*\\{\\s*${FIELD_OF_CONTAINER}`),
  /\b(?:required|preferred)DuringSchedulingIgnoredDuringExecution["']?:/,
];

function isTextOfPods(text: string): boolean {
  return TEXTS.some((pattern) => pattern.test(text));
}
