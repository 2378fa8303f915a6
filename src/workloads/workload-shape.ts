import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { type EdgeWarning, joinPath, ProblemList } from '../base/errors.js';
import { holdsUnresolved, isAbsent, itemsOf } from '../kubernetes/field-values.js';
import { objectKind } from '../kubernetes/group-kind.js';
import { selectsLabels } from '../kubernetes/label-selector.js';
import { refuseNoTerms } from '../kubernetes/node-affinity.js';
import { podCounts } from '../kubernetes/pod-places.js';
import { fieldsOfType, shapesOfType, typeOfKind, type ValueShape } from '../kubernetes/workload-fields.js';
import { entryOf, isMap, mapAt, type ObjectPath, type PlainMap, valueAt } from '../base/plain-data.js';
import { checkWholeNumber, nearMiss, quoted, showValue, whatIs } from '../base/properties.js';
import { holdsUnknown } from '../base/unknown.js';
import { CONTAINER_RULES, OWN_CONTAINER_RULES } from './container-rules.js';
import { CONTROLLER_RULES, OWN_CONTROLLER_RULES } from './controller-rules.js';
import { OWN_POD_RULES, POD_RULES } from './pod-rules.js';
import type { RulePlace, RuleTable } from './rule-builders.js';
import { UNLIKELY_RULES } from './unlikely-rules.js';

/** What the API server refuses as people write it, of Kubernetes' own kinds: operators complete the Pods of theirs. */
const OWN_RULES: RuleTable = { ...OWN_CONTROLLER_RULES, PodSpec: OWN_POD_RULES, Container: OWN_CONTAINER_RULES };
/** What the API server refuses in every kind whose fields are known. */
const RULES: RuleTable = { ...POD_RULES, ...CONTAINER_RULES, ...CONTROLLER_RULES };

/** What is odd about a workload, besides what the API server refuses. */
export interface WorkloadShape {
  /** What nobody means, and fields that Kubernetes does not have, with paths in the workload. */
  readonly warnings: readonly EdgeWarning[];
  /** All fields that Kubernetes does not have: a misspelt one may be the reason of another problem. */
  readonly unknown: readonly UnknownField[];
}

/**
 * Refuses what the API server refuses of a workload: a selector that does not select its Pods, a number of Pods that is
 * none, a container without name or image, a required node affinity without terms, values of another type, and misspelt
 * fields, which it may drop instead.
 *
 * @param templates paths of its Pod templates
 * @param problems gets what is refused; where it is only a warning, a list of its own
 * @param isHostNetwork whether what a host-network Pod needs is checked elsewhere
 */
export function checkShape(
  workload: PlainMap,
  templates: readonly ObjectPath[],
  problems: ProblemList,
  isHostNetwork = false,
  kind = objectKind(workload),
): WorkloadShape {
  const { groupKind, row, isOfKubernetes } = kind;
  if (SELECTING.includes(groupKind)) {
    checkSelector(workload, groupKind === 'ReplicationController', problems.at('spec', 'selector'));
  }
  const counts = podCounts(workload, row).flatMap((paths) => (paths === 'every node' ? [] : paths));
  for (const path of new Map(counts.map((each) => [each.join(), each])).values()) {
    const count = valueAt(workload, path) ?? undefined;
    if (!holdsUnresolved(count)) {
      checkWholeNumber(count, 0, problems.at(...path));
    }
  }
  for (const path of templates) {
    const podSpec = valueAt(workload, [...path, 'spec']);
    if (isMap(podSpec)) {
      refuseNoTerms(podSpec, problems.at(...path, 'spec'));
    }
  }
  const type = typeOfKind(groupKind);
  const place = {
    isHostNetwork,
    isOperators: type === undefined,
    restarts: restartsOf(groupKind),
    claims: claimsOf(workload),
  };
  const unlikely = new ProblemList();
  const walk = new Walk({ problems, place, unlikely, isOwn: isOfKubernetes, isTyped: type !== undefined });
  const unknown = walk.fields(workload, type, templates);
  const refused = new Set(problems.problems.map(({ path }) => path));
  const unlikelyAt = new Set(unlikely.problems.map(({ path }) => path));
  const fields = unknown
    .filter(({ path }) => !refused.has(problems.at(...path).path))
    .map(asWarning)
    .filter(({ path }) => !unlikelyAt.has(path));
  return { warnings: [...unlikely.problems, ...fields], unknown };
}

/** The fields that Kubernetes does not have. Of other kinds than those of Kubernetes and OpenYurt only what is likely misspelt. */
export function unknownFields(workload: PlainMap, groupKind: string, templates: readonly ObjectPath[]): UnknownField[] {
  return new Walk({}).fields(workload, typeOfKind(groupKind), templates);
}

/**
 * Refuses values that the API server cannot decode: it wants text and gets a number (`value: 8080` of a variable), a map
 * and gets text. Values that are not known yet are not read, null is absent, and what is refused already is not refused
 * again.
 *
 * @param type type of the object, as in {@link fieldsOfType}
 */
export function checkFieldTypes(object: unknown, type: string, problems: ProblemList): void {
  new Walk({ problems, isTyped: true }).visit(object, type);
}

/** What a walk is for; what is not there is not looked for. */
interface WalkFor {
  /** Gets what is refused. */
  readonly problems?: ProblemList;
  /** Whether values of another type are refused. */
  readonly isTyped?: boolean;
  /** Where rules stand. */
  readonly place?: Omit<RulePlace, 'fields'>;
  /** Whether the rules for Kubernetes' own kinds are, too. */
  readonly isOwn?: boolean;
  /** Gets what nobody means. */
  readonly unlikely?: ProblemList;
}

/** One walk over an object by the types of its fields: finds fields that its types do not have, checks types and rules. */
class Walk {
  private readonly unknown: UnknownField[] = [];
  /** Path of the value that is visited. Little is found, so it is one list. */
  private readonly path: (string | number)[] = [];
  /** Paths of what is refused already, without what RULES refuse. */
  private readonly refused: Set<string>;

  constructor(private readonly goal: WalkFor) {
    this.refused = new Set(goal.problems?.problems.map(({ path }) => path));
  }

  /** Visits a workload of a type; of one without only its metadata and Pod templates are known. */
  public fields(workload: PlainMap, type: string | undefined, templates: readonly ObjectPath[]): UnknownField[] {
    this.visit(workload, type ?? 'Object');
    if (type !== undefined) {
      return this.unknown.map((field) =>
        field.near === undefined ? { ...field, elsewhere: otherPlace(type, field.path) } : field,
      );
    }
    for (const path of templates) {
      this.path.splice(0, Infinity, ...path);
      this.visit(valueAt(workload, path), 'PodTemplateSpec');
    }
    return this.unknown.filter(({ near }) => near !== undefined);
  }

  /** @param isRight whether what is around the value has the right type, and types are not checked where it is used */
  public visit(value: unknown, type: string, isRight = true): void {
    if (Array.isArray(value)) {
      value.forEach((item: unknown, index) => {
        this.path.push(index);
        this.visit(item, type, isRight && !Array.isArray(item));
        this.path.pop();
      });
    } else if (isMap(value)) {
      this.checkRules(value, type, isRight);
      this.visitMap(value, type, isRight);
    }
  }

  private visitMap(map: PlainMap, type: string, isRight: boolean): void {
    const [known, shapes] = [fieldsOfType(type), shapesOfType(type)];
    for (const [field, value] of Object.entries(map)) {
      this.path.push(field);
      const [of, shape] = [known.get(field), shapes.get(field)];
      if (!known.has(field)) {
        this.addUnknown(value, type, field);
      } else if (!isAbsent(value)) {
        const isRead = isRight && !READ_ELSEWHERE.has(field);
        const hasType = isRead && (shape === undefined || this.checkType(value, shape, `${type}.${field}`));
        if (of !== undefined) {
          this.visit(value, of, hasType);
        }
      }
      this.path.pop();
    }
  }

  private addUnknown(value: unknown, type: string, field: string): void {
    // a directive of a patch: $patch, $retainKeys, $setElementOrder/containers
    if (isAbsent(value) || field.startsWith('$')) {
      return;
    }
    const names = [...fieldsOfType(type).keys()];
    const near = entryOf(MEANT, `${type}.${field}`) ?? nearMiss(field, names) ?? beginsAs(field, names);
    const unknown = { path: [...this.path], ...(near === undefined ? {} : { near }) };
    this.unknown.push(unknown);
    if (this.goal.place?.isOperators === false && this.goal.problems !== undefined) {
      addMisspelt([unknown], this.goal.problems);
    }
  }

  private checkRules(map: PlainMap, type: string, isRight: boolean): void {
    const { place, problems, unlikely, isOwn, isTyped } = this.goal;
    if (place === undefined || problems === undefined) {
      return;
    }
    const run = (rules: RuleTable, part: PlainMap, list: ProblemList): void => {
      const here = { ...place, fields: fieldsOfType(type) };
      rules[type]?.forEach((rule) => rule(part, list.at(...this.path), here));
    };
    if (isOwn === true && isRight && type in OWN_RULES) {
      const found = problems.problems.length;
      run(OWN_RULES, map, problems);
      problems.problems.slice(found).forEach(({ path }) => this.refused.add(path));
    }
    if (isTyped === true && type in RULES) {
      // the Pods get hostNetwork, which the workload need not say
      const isPod = place.isHostNetwork && type === 'PodSpec';
      run(RULES, isPod ? { ...map, hostNetwork: true } : map, problems);
    }
    if (unlikely !== undefined && isRight && type in UNLIKELY_RULES) {
      run(UNLIKELY_RULES, map, unlikely);
    }
  }

  /** Whether a value, and every item of a list or map, is one that the API server can decode. */
  private checkType(value: unknown, { value: wanted, many }: ValueShape, field: string): boolean {
    if (many === undefined ? isOf(value, wanted) : many === 'list' ? Array.isArray(value) : isMap(value)) {
      const items = many === undefined ? [] : Object.entries(value as object);
      for (const [step, item] of items) {
        if (!isAbsent(item) && !isOf(item, wanted)) {
          this.refuse(item, WANTED[wanted], field, many === 'list' ? Number(step) : step);
        }
      }
      return true;
    }
    this.refuse(value, many === undefined ? WANTED[wanted] : `a ${many}`, field);
    return false;
  }

  private refuse(value: unknown, wanted: string, field: string, ...step: (string | number)[]): void {
    // a value of a class, such as an Output or a token of cdk8s, is not known yet
    const isUnresolved = typeof value === 'object' && !Array.isArray(value) && !isMap(value);
    const at = this.goal.isTyped === true ? this.goal.problems?.at(...this.path, ...step) : undefined;
    if (at !== undefined && !isUnresolved && !this.refused.has(at.path)) {
      const message = `this must be ${wanted}, and is ${quoted(value)}: the API server refuses it`;
      at.add('EDGE_TYPE', message, instead(value, wanted, field));
    }
  }
}

/** What is meant by fields of other types, by type and field. */
const MEANT: Readonly<Record<string, string>> = {
  'DaemonSetSpec.strategy': 'updateStrategy',
  'StatefulSetSpec.strategy': 'updateStrategy',
  'DeploymentSpec.updateStrategy': 'strategy',
  'DaemonSetSpec.rollingUpdate': 'updateStrategy.rollingUpdate',
  'DeploymentSpec.rollingUpdate': 'strategy.rollingUpdate',
  'StatefulSetSpec.rollingUpdate': 'updateStrategy.rollingUpdate',
  'Volume.configMapName': "configMap: { name: '…' }",
  'Volume.secretName': "secret: { secretName: '…' }",
  'Volume.claimName': "persistentVolumeClaim: { claimName: '…' }",
  'SecretVolumeSource.name': 'secretName',
  'ConfigMapVolumeSource.configMapName': 'name',
  'PersistentVolumeClaimVolumeSource.name': 'claimName',
  'Container.environment': 'env',
  'ContainerPort.port': 'containerPort',
  'ResourceRequirements.cpu': "requests: { cpu: '…' }",
  'ResourceRequirements.memory': "requests: { memory: '…' }",
  'NodeSelectorTerm.matchLabels': "matchExpressions: [{ key: '…', operator: 'In', values: ['…'] }]",
  'Probe.path': "httpGet: { path: '…', port: … }",
  'Probe.port': "httpGet: { path: '…', port: … }",
  'Probe.host': "httpGet: { host: '…', port: … }",
  'Probe.scheme': "httpGet: { scheme: '…', port: … }",
  'Probe.command': "exec: { command: ['…'] }",
  'SecretKeySelector.secret': 'name',
  'SecretKeySelector.secretName': 'name',
  'ConfigMapKeySelector.configMap': 'name',
  'ConfigMapKeySelector.configMapName': 'name',
};

/** A field that Kubernetes does not have here: misspelt, or in the wrong place. */
export interface UnknownField {
  readonly path: ObjectPath;
  /** The one that was meant.
   * @default - none is close */
  readonly near?: string;
  /** Paths of the fields of this name in such a workload.
   * @default - there is none */
  readonly elsewhere?: string;
}

/** Adds what is surely misspelt, once. A field that is like no other may be one of a newer minor. */
export function addMisspelt(fields: readonly UnknownField[], problems: ProblemList): void {
  for (const field of fields.filter(({ near }) => near !== undefined)) {
    const { code, message, hint } = asWarning(field);
    const at = problems.at(...field.path);
    if (!problems.problems.some((problem) => problem.code === code && problem.path === at.path)) {
      at.add(code, message, hint);
    }
  }
}

export function asWarning({ path, near, elsewhere }: UnknownField): EdgeWarning {
  return {
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: path.reduce<string>(joinPath, ''),
    message: `Kubernetes has no field ${String(path.at(-1))} here: the API server drops or refuses it`,
    hint:
      near !== undefined
        ? `did you mean ${near}?`
        : elsewhere !== undefined
          ? `did you mean ${elsewhere}?`
          : 'remove it, unless your Kubernetes is newer than this library',
  };
}

/** Where a field belongs that is not here: elsewhere in the workload, or in one of another kind. */
function otherPlace(type: string, path: ObjectPath): string | undefined {
  const field = String(path.at(-1));
  const others = path.length === 2 && path[0] === 'spec' ? ['StatefulSet', 'Deployment', 'CronJob', 'Job'] : [];
  const kind = others.find((each) => each !== type && fieldsOfType(`${each}Spec`).has(field));
  // a workload in a YurtAppSet has its fields beside the misplaced one
  const inner = path.findIndex((step) => fieldsOfType('YurtTemplate').has(String(step)));
  const template = inner < 0 ? undefined : fieldsOfType('YurtTemplate').get(String(path[inner]));
  const beside = template === undefined ? undefined : placeOfField(template, field);
  if (beside !== undefined) {
    return `${path.slice(0, inner + 1).reduce<string>(joinPath, '')}.${beside}`;
  }
  return placeOfField(type, field) ?? (kind === undefined ? undefined : `a ${kind}, which has ${field}`);
}

/** The shortest path from the fields of a type to a field: `spec.template.spec.containers.image`. */
function placeOfField(type: string, field: string): string | undefined {
  const seen = new Set([type]);
  let open: { readonly of: string; readonly path: string }[] = [{ of: type, path: '' }];
  while (open.length > 0) {
    const next: typeof open = [];
    for (const { of, path } of open) {
      for (const [name, inner] of fieldsOfType(of)) {
        const at = joinPath(path, name);
        if (name === field) {
          return at;
        }
        if (inner !== undefined && !seen.has(inner)) {
          seen.add(inner);
          next.push({ of: inner, path: at });
        }
      }
    }
    open = next;
  }
  return undefined;
}

/** The long name of which a word is the beginning: of requiredDuringSchedulingIgnoredDuringExecution people write the first half. */
function beginsAs(word: string, names: readonly string[]): string | undefined {
  const found = word.length < 8 ? [] : names.filter((name) => name.toLowerCase().startsWith(word.toLowerCase()));
  return found.length === 1 ? found[0] : undefined;
}

/** What the scheduling and the network need is read, and checked, where it is used; so are labels and annotations. */
const READ_ELSEWHERE = new Set([
  'affinity',
  'hostNetwork',
  'metadata',
  'nodeSelector',
  'ports',
  'selector',
  'tolerations',
  'topologySpreadConstraints',
]);

const WANTED: Readonly<Record<ValueShape['value'], string>> = {
  text: 'text in quotes',
  number: 'a number',
  boolean: 'true or false',
  map: 'a map',
};

/** What people write in place of a map, and what they mean. */
const SHORT: Readonly<Record<string, (value: string) => string>> = {
  'Volume.hostPath': (path) => `{ path: ${path} }`,
  'Volume.emptyDir': () => '{}',
  'Volume.configMap': (name) => `{ name: ${name} }`,
  'Volume.secret': (name) => `{ secretName: ${name} }`,
  'Volume.persistentVolumeClaim': (name) => `{ claimName: ${name} }`,
  'EnvVarSource.fieldRef': (path) => `{ fieldPath: ${path} }`,
  'SecurityContext.capabilities': (names) => `{ add: ${names.startsWith('[') ? names : `[${names}]`} }`,
};

function isOf(value: unknown, wanted: ValueShape['value']): boolean {
  return wanted === 'map' ? isMap(value) : typeof value === (wanted === 'text' ? 'string' : wanted);
}

function instead(value: unknown, wanted: string, field: string): string {
  const short = wanted === WANTED.map ? entryOf(SHORT, field) : undefined;
  if (short !== undefined) {
    return `write ${field.slice(field.indexOf('.') + 1)}: ${short(typeof value === 'string' ? `'${value}'` : quoted(value))}`;
  }
  const amount =
    wanted === WANTED.number && typeof value === 'string' ? /^(\d+) ?s(?:ec(?:onds?)?)?$/.exec(value)?.[1] : undefined;
  if (amount !== undefined && /Seconds$/.test(field)) {
    return `write ${amount}, without quotes and without a unit`;
  }
  if (wanted === WANTED.text && ['number', 'boolean'].includes(typeof value)) {
    return `write '${String(value)}', in quotes`;
  }
  // in manifests of other kinds the type is text of its own
  if (wanted === WANTED.map && ['Recreate', 'RollingUpdate', 'OnDelete'].includes(value as string)) {
    const isKnown = value !== (field === 'DeploymentSpec.strategy' ? 'OnDelete' : 'Recreate');
    return `write { type: '${isKnown ? String(value) : 'RollingUpdate'}' }`;
  }
  const isMeant =
    typeof value === 'string' &&
    ((wanted === WANTED.number && /^-?\d+$/.test(value)) ||
      (wanted === WANTED.boolean && /^(true|false)$/.test(value)));
  return isMeant ? `write ${value}, without quotes` : `write ${wanted}, or leave it out`;
}

/** Kinds whose selector must select the labels of their template (apps/validation ValidateDeploymentSpec and others). */
const SELECTING = ['Deployment.apps', 'DaemonSet.apps', 'StatefulSet.apps', 'ReplicaSet.apps', 'ReplicationController'];

/** What restartPolicy a kind allows (apps and batch validation). */
function restartsOf(groupKind: string): readonly string[] {
  return SELECTING.includes(groupKind)
    ? ['Always']
    : ['Job.batch', 'CronJob.batch'].includes(groupKind)
      ? ['OnFailure', 'Never']
      : ['Always', 'OnFailure', 'Never'];
}

/** Names of the claims of a StatefulSet, which become volumes of its Pods. */
function claimsOf(workload: PlainMap): readonly unknown[] | undefined {
  const claims = valueAt(workload, ['spec', 'volumeClaimTemplates']);
  return holdsUnresolved(claims) ? undefined : itemsOf(claims).map((claim) => valueAt(claim, ['metadata', 'name']));
}

/** @param isDefaulted whether the API server makes one of the labels of the template (core/v1 SetDefaults_ReplicationController) */
function checkSelector({ kind, spec }: PlainMap, isDefaulted: boolean, problems: ProblemList): void {
  const { selector, template } = isMap(spec) ? spec : {};
  const metadata = isMap(template) ? template.metadata : undefined;
  const labels = isMap(metadata) ? metadata.labels : metadata;
  if (isAbsent(template) || holdsUnresolved(selector) || (isDefaulted && !isMap(selector))) {
    return;
  }
  const isEmpty = isMap(selector) && isNothing(selector.matchLabels) && isNothing(selector.matchExpressions);
  if (!isDefaulted && (!isMap(selector) || isEmpty)) {
    const what = isEmpty ? 'the selector is empty' : `the selector is ${whatIs(selector)}`;
    problems.add(
      'EDGE_MISSING',
      `${isAbsent(selector) ? 'a selector is required' : what}: the API server refuses the ${String(kind)}`,
      isMap(labels) && !isNothing(labels) && !holdsUnresolved(labels)
        ? `write selector: { matchLabels: ${showValue(labels)} }, labels of the Pod template`
        : "write selector: { matchLabels: { app: 'web' } }, and the same labels in spec.template.metadata.labels",
    );
    return;
  }
  const chosen = isMap(selector) && !isDefaulted ? selector.matchLabels : undefined;
  if (!isAbsent(chosen) && !isMap(chosen) && !holdsUnresolved(chosen)) {
    const message = `matchLabels must be a map, and is ${whatIs(chosen)}: the API server refuses the ${String(kind)}`;
    const hint = isMap(labels) ? `write matchLabels: ${showValue(labels)}` : "write matchLabels: { app: 'web' }";
    problems.at('matchLabels').add('EDGE_TYPE', message, hint);
    return;
  }
  const given = isMap(labels) ? labels : {};
  if (!holdsUnknown(labels) && !selectsLabels(isDefaulted ? { matchLabels: selector } : selector, given)) {
    problems.add(
      'EDGE_CONTRADICTION',
      `conflicting settings: the selector ${showValue(selector)} does not select the labels of the Pod template, ${showValue(given)}; the API server refuses the ${String(kind)}`,
      'give spec.template.metadata.labels what the selector requires',
    );
  }
}

/** Whether a list or a map is absent or empty. */
function isNothing(value: unknown): boolean {
  return (
    isAbsent(value) || (Array.isArray(value) ? value.length === 0 : isMap(value) && Object.keys(value).length === 0)
  );
}

/** Versions that API servers no longer serve (Kubernetes' deprecated API migration guide), with the minor from which on. */
const REMOVED: Readonly<Record<string, readonly [minor: number, instead: string]>> = {
  'extensions/v1beta1': [16, 'apps/v1'],
  'apps/v1beta1': [16, 'apps/v1'],
  'apps/v1beta2': [16, 'apps/v1'],
  'batch/v2alpha1': [21, 'batch/v1'],
  'batch/v1beta1': [25, 'batch/v1'],
};

/** What an API server sets, and refuses to take from elsewhere: with these no object is created, or another one would be changed. */
const OF_SERVER = ['managedFields', 'resourceVersion', 'uid'];

/**
 * Refuses what a workload that is to be created cannot have: a version that the API server does not serve, and what another API server has written into it.
 */
export function checkDeclaredWorkload(cluster: EdgeCluster, workload: PlainMap, problems: ProblemList): void {
  const { apiVersion } = workload;
  const removed = typeof apiVersion === 'string' ? REMOVED[apiVersion] : undefined;
  if (removed !== undefined && Number(cluster.kubernetes.split('.')[1]) >= removed[0]) {
    problems
      .at('apiVersion')
      .add(
        'EDGE_VALUE',
        `Kubernetes ${cluster.kubernetes} does not serve ${String(apiVersion)}: it ended with 1.${removed[0]}`,
        `write apiVersion: '${removed[1]}'`,
      );
  }
  const metadata = mapAt(workload, 'metadata');
  const written = OF_SERVER.filter((field) => !isAbsent(metadata[field])).map((field) => `metadata.${field}`);
  if (written.length > 0) {
    problems.add(
      'EDGE_VALUE',
      `${written.join(' and ')} ${written.length === 1 ? 'comes' : 'come'} from an API server: the workload was read from a cluster`,
      'remove what the API server has written: status, and metadata but for name, namespace, labels and annotations',
    );
  }
}
