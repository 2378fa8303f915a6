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
import { joinStream, splitStream } from '../text/yaml-stream.js';

/** Which workloads of a stream are kept off host-network nodes. */
export interface PostRenderInput {
  readonly cluster: EdgeCluster;
  /** `Kind`, or `Kind/name`: only these.
   * @default - all */
  readonly only?: readonly string[];
  /** `Kind`, or `Kind/name`: not these.
   * @default - none */
  readonly skip?: readonly string[];
}

/** A stream of manifests in which workloads are kept off. */
export interface PostRendered {
  /** The stream. Documents in which nothing changes are the same bytes; the others keep comments and order. */
  readonly text: string;
  /** What was changed, `DaemonSet kube-system/kube-proxy`. */
  readonly changed: readonly string[];
  readonly warnings: readonly EdgeWarning[];
}

/**
 * Keeps the workloads of a stream of manifests off host-network nodes: the annotation and the affinity in each Pod template. Looks inside of Lists,
 * and of the ResourceList in which kustomize speaks to its functions. Idempotent.
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

/** One workload, and the fields that change in it. */
interface Edit {
  readonly name: string;
  readonly fields: readonly { readonly path: ObjectPath; readonly value: unknown }[];
  readonly warnings: readonly EdgeWarning[];
}

function isEmpty(body: string): boolean {
  return body.split('\n').every((line) => /^(\s*(#.*|\.\.\.)?|%.*)$/.test(line));
}

/** Where the objects of a document are: the document itself, or the items of a list. */
function objectsIn(root: PlainMap): ObjectPath[] {
  const { kind, items } = root;
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)
    ? items.map((_, index) => ['items', index])
    : [[]];
}

/** An object of a document; the items of a DeploymentList have no kind of their own, as the API server writes them. */
function objectAt(root: PlainMap, place: ObjectPath): PlainMap {
  const object = valueAt(root, place);
  const kind = place.length > 0 && typeof root.kind === 'string' ? root.kind.replace(/List$/, '') : '';
  const inherited = kind === '' ? {} : { apiVersion: root.apiVersion, kind };
  return isMap(object) ? { ...inherited, ...object } : {};
}

/** By which names `only` and `skip` take an object. */
function namesOf(object: PlainMap): string[] {
  return [String(object.kind), `${String(object.kind)}/${String(mapAt(object, 'metadata').name)}`];
}

function isMeant(object: PlainMap, { only, skip = [] }: PostRenderInput): boolean {
  const names = namesOf(object);
  const isNamed = (list: readonly string[]): boolean => list.some((each) => names.includes(each));
  return (only === undefined || isNamed(only)) && !isNamed(skip);
}

/** Names that nothing in the stream has: most often they are misspelt. */
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
  if (!isKnownWorkload(object) || !isMeant(object, input)) {
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
 * The document with the fields set in its text. Where a field is shared with another place by an alias, the aliases are written out first, so that only
 * the one place changes; comments stay. JSON stays JSON.
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
      // an alias stands where a field would have to be set
      return undefined;
    }
  };
  const text = edited(document) ?? edited(document.withoutAliases()) ?? printManifests([wanted]);
  return body.endsWith('\n') ? text : text.replace(/\n$/, '');
}

/** JSON, with integers that no number holds exactly as they are. */
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

/** Whether two plain values say the same; the order of fields does not matter. */
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
