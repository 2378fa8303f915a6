import type { EdgeWarning, ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { excludeWorkload } from './exclusion.js';
import { nameOf } from '../kubernetes/object.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { EXCLUDE_ANNOTATION } from '../kubernetes/labels.js';
import { REQUIRED_PATH } from '../kubernetes/node-affinity.js';
import { isKnownWorkload, podTemplatePaths } from '../kubernetes/pod-template.js';
import { YamlText } from '../text/yaml-edit.js';
import { printManifests } from '../text/yaml-print.js';
import { checkYurtAppOverrider, isYurtAppOverrider, overriddenBy } from './yurt-app-patches.js';
import { joinStream, splitStream } from '../text/yaml-stream.js';

/** Which workloads of a stream are excluded from host-network nodes. */
export interface PostRenderInput {
  readonly cluster: EdgeCluster;
  /** `Kind`, or `Kind/name`: only these.
   * @default - all */
  readonly only?: readonly string[];
  /** `Kind`, or `Kind/name`: not these.
   * @default - none */
  readonly skip?: readonly string[];
}

/** A stream of manifests whose workloads are excluded. */
export interface PostRendered {
  /** The stream. Unchanged documents are the same bytes; the others keep comments and order. */
  readonly text: string;
  /** What was changed, `DaemonSet kube-system/kube-proxy`. */
  readonly changed: readonly string[];
  readonly warnings: readonly EdgeWarning[];
}

/**
 * Excludes the workloads of a stream of manifests from host-network nodes, with the annotation and the affinity in each Pod template. Reads Lists, and
 * the ResourceList that kustomize passes to its functions. Idempotent.
 */
export function postRender(stream: string, input: PostRenderInput, problems: ProblemList): PostRendered {
  const changed: string[] = [];
  const warnings: EdgeWarning[] = [];
  const seen = new Set<string>();
  const parts = splitStream(stream).map((part, index) => {
    if (isEmpty(part.body)) {
      return part;
    }
    const document = YamlText.read(part.body, problems.at('documents', index));
    const root = document?.get([]);
    if (document === undefined || !isMap(root)) {
      return part;
    }
    const edits = objectsIn(root).flatMap((place) => {
      namesOf(objectAt(root, place)).forEach((name) => seen.add(name));
      const edit = editOf(root, place, input, problems);
      warnings.push(...(edit?.warnings ?? []));
      return edit === undefined || edit.fields.length === 0 ? [] : [edit];
    });
    changed.push(...edits.map(({ name }) => name));
    return edits.length === 0 ? part : { ...part, body: written(part.body, document, edits) };
  });
  warnings.push(...unmatched(input, seen));
  return { text: joinStream(parts), changed, warnings };
}

/** The changed fields of one workload. */
interface Edit {
  readonly name: string;
  readonly fields: readonly { readonly path: ObjectPath; readonly value: unknown }[];
  readonly warnings: readonly EdgeWarning[];
}

function isEmpty(body: string): boolean {
  return body.split('\n').every((line) => /^(\s*(#.*|\.\.\.)?|%.*)$/.test(line));
}

/** Paths of the objects of a document: the document itself, or the items of a list. */
function objectsIn(root: PlainMap): ObjectPath[] {
  const { kind, items } = root;
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)
    ? items.map((_, index) => ['items', index])
    : [[]];
}

/** An object of a document; the items of a DeploymentList, as the API server writes it, have no kind. */
function objectAt(root: PlainMap, place: ObjectPath): PlainMap {
  const object = valueAt(root, place);
  const kind = place.length > 0 && typeof root.kind === 'string' ? root.kind.replace(/List$/, '') : '';
  const inherited = kind === '' ? {} : { apiVersion: root.apiVersion, kind };
  return isMap(object) ? { ...inherited, ...object } : {};
}

/** Names of an object for `only` and `skip`. */
function namesOf(object: PlainMap): string[] {
  return [String(object.kind), `${String(object.kind)}/${String(mapAt(object, 'metadata').name)}`];
}

function isSelected(object: PlainMap, { only, skip = [] }: PostRenderInput): boolean {
  const names = namesOf(object);
  const isNamed = (list: readonly string[]): boolean => list.some((each) => names.includes(each));
  return (only === undefined || isNamed(only)) && !isNamed(skip);
}

/** Warns of names without a match in the stream: they are probably misspelt. */
function unmatched({ only = [], skip = [] }: PostRenderInput, seen: ReadonlySet<string>): EdgeWarning[] {
  const lists: [string, readonly string[]][] = [
    ['only', only],
    ['skip', skip],
  ];
  return lists.flatMap(([path, names]) =>
    names
      .filter((name) => !seen.has(name))
      .map((name) => ({
        code: 'EDGE_MATCHES_NOTHING' as const,
        path,
        message: `no object of the stream is ${name}`,
        hint: 'write the kind as in the manifest, or Kind/name: DaemonSet or DaemonSet/kube-proxy',
      })),
  );
}

function editOf(root: PlainMap, place: ObjectPath, input: PostRenderInput, problems: ProblemList): Edit | undefined {
  const object = objectAt(root, place);
  if (isYurtAppOverrider(object) && isSelected(object, input) && isSelected(overriddenBy(object), input)) {
    checkYurtAppOverrider(object, problems.at(nameOf(object)));
  }
  if (!isKnownWorkload(object) || !isSelected(object, input)) {
    return undefined;
  }
  const paths = podTemplatePaths(object);
  if (paths.length === 0) {
    return undefined;
  }
  const name = nameOf(object);
  const excluded = excludeWorkload(input.cluster, object, {}, problems.at(name));
  if (excluded === undefined) {
    return undefined;
  }
  const fields = paths.flatMap((path) =>
    [
      [...path, 'metadata', 'annotations', EXCLUDE_ANNOTATION],
      [...path, 'spec', ...REQUIRED_PATH, 'nodeSelectorTerms'],
    ].flatMap((field) => {
      const value = valueAt(excluded.manifest, field);
      return same(value, valueAt(object, field)) ? [] : [{ path: [...place, ...field], value }];
    }),
  );
  return {
    name,
    fields,
    warnings: excluded.warnings.map((warning) => ({ ...warning, path: `${name}: ${warning.path}` })),
  };
}

/**
 * The text of the document with the fields set. If an alias shares a field with another place, the aliases are expanded first, so that only one place
 * changes. Comments are kept, and JSON stays JSON.
 */
function written(body: string, document: YamlText, edits: readonly Edit[]): string {
  const fields = edits.flatMap((edit) => edit.fields);
  const wanted = fields.reduce<unknown>(
    (value, { path, value: field }) => withValueAt(value, path, field),
    document.exact(),
  );
  if (isJson(body)) {
    return printJson(wanted, body.includes('\n  ') ? 2 : undefined) + (body.endsWith('\n') ? '\n' : '');
  }
  const edited = (text: YamlText): string | undefined => {
    try {
      const after = fields.reduce((each, { path, value }) => each.withValue(path, value), text);
      return same(after.exact(), wanted) ? after.toString() : undefined;
    } catch {
      // the parent of a field is an alias
      return undefined;
    }
  };
  const text = edited(document) ?? edited(document.withoutAliases()) ?? printManifests([wanted]);
  return body.endsWith('\n') ? text : text.replace(/\n$/, '');
}

/** Prints JSON, with bigints as integers. */
function printJson(value: unknown, indent: number | undefined): string {
  const mark = '\u0000integer:';
  const marked = (_: string, each: unknown): unknown => (typeof each === 'bigint' ? mark + String(each) : each);
  return JSON.stringify(value, marked, indent).replace(/"\\u0000integer:(-?\d+)"/g, '$1');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function withValueAt(root: unknown, path: ObjectPath, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) {
    return value;
  }
  if (typeof step === 'number') {
    return (root as unknown[]).map((item, index) => (index === step ? withValueAt(item, rest, value) : item));
  }
  const map = isMap(root) ? root : {};
  return { ...map, [step]: withValueAt(map[step], rest, value) };
}

/** Whether two plain values are equal; the order of fields does not matter. */
export function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => same(item, b[index]));
  }
  if (isMap(a) && isMap(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => key in b && same(a[key], b[key]));
  }
  return Object.is(a, b);
}
