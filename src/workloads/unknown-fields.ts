import { type EdgeWarning, joinPath, type ProblemList } from '../errors.js';
import { isAbsent } from '../kubernetes/field-values.js';
import { fieldsOfType, typeOfKind } from '../kubernetes/workload-fields.js';
import { entryOf, isMap, type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { nearMiss } from '../validation/properties.js';

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

/** The fields that Kubernetes does not have. Of other kinds than those of Kubernetes and OpenYurt only what is likely misspelt. */
export function unknownFields(workload: PlainMap, groupKind: string, templates: readonly ObjectPath[]): UnknownField[] {
  const type = typeOfKind(groupKind);
  const found: UnknownField[] = [];
  if (type !== undefined) {
    find(workload, type, [], found);
    return found.map((field) =>
      field.near === undefined ? { ...field, elsewhere: otherPlace(type, field.path) } : field,
    );
  }
  find(workload, 'Object', [], found);
  templates.forEach((path) => find(valueAt(workload, path), 'PodTemplateSpec', [...path], found));
  return found.filter(({ near }) => near !== undefined);
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

/** Few fields are unknown, so `path` is one list, and copied for each of them. */
function find(value: unknown, type: string, path: (string | number)[], found: UnknownField[]): void {
  const visit = (step: string | number, inner: unknown, of: string): void => {
    path.push(step);
    find(inner, of, path, found);
    path.pop();
  };
  if (Array.isArray(value)) {
    value.forEach((item, index) => visit(index, item, type));
    return;
  }
  const known = fieldsOfType(type);
  for (const [field, inner] of isMap(value) ? Object.entries(value) : []) {
    const of = known.get(field);
    if (of !== undefined) {
      visit(field, inner, of);
      // a directive of a patch: $patch, $retainKeys, $setElementOrder/containers
    } else if (!known.has(field) && !isAbsent(inner) && !field.startsWith('$')) {
      const near =
        entryOf(MEANT, `${type}.${field}`) ?? nearMiss(field, [...known.keys()]) ?? beginsAs(field, [...known.keys()]);
      found.push({ path: [...path, field], ...(near === undefined ? {} : { near }) });
    }
  }
}

/** The long name of which a word is the beginning: of requiredDuringSchedulingIgnoredDuringExecution people write the first half. */
function beginsAs(word: string, names: readonly string[]): string | undefined {
  const found = word.length < 8 ? [] : names.filter((name) => name.toLowerCase().startsWith(word.toLowerCase()));
  return found.length === 1 ? found[0] : undefined;
}
