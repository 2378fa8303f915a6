import type { ProblemList } from '../errors.js';
import { isMap, type ObjectPath, type PlainMap, valueAt, withValueAt } from '../validation/plain-data.js';
import type { YamlNode, YamlTree } from '../text/yaml-nodes.js';
import type { NodeChange } from '../text/yaml-splice.js';
import { fieldOf, isMerge, valueOf } from '../text/yaml-values.js';

/** An object of a document in a stream. */
export interface StreamObject {
  readonly node: YamlNode;
  /** The value of the node. */
  readonly written: unknown;
  /** Of the object in the value. */
  readonly path: ObjectPath;
  /** With the kind of its list. */
  readonly object: PlainMap;
}

/** Fields of an object with other values. */
export interface ObjectChange {
  readonly place: StreamObject;
  readonly fields: readonly { readonly path: ObjectPath; readonly value: unknown }[];
}

/** The changes of the nodes of one document. */
export function changesOf(edits: readonly ObjectChange[]): NodeChange[] {
  const changes = new Map<YamlNode, NodeChange>();
  for (const { place, fields } of edits) {
    const { node, written, path } = place;
    const after = fields.reduce<unknown>(
      (value, field) => withValueAt(value, [...path, ...field.path], field.value),
      changes.get(node)?.after ?? written,
    );
    changes.set(node, { node, before: written, after });
  }
  return [...changes.values()];
}

/** The object of a document, or the items of a list; those of a DeploymentList, as the API server writes it, have no kind. */
export function objectsIn({ roots }: YamlTree, problems: ProblemList): StreamObject[] {
  return roots.flatMap((root) => objectsAt(root, problems));
}

function objectsAt(root: YamlNode, problems: ProblemList): StreamObject[] {
  if (root.kind === 'scalar' && valueOf(root) === null) {
    return [];
  }
  if (root.kind !== 'map') {
    problems.add('EDGE_YAML', 'the document is not a map', 'write YAML with fields: apiVersion, kind, …');
    return [];
  }
  const [kind, items] = [fieldOf(root, 'kind'), fieldOf(root, 'items')];
  const isList = kind !== undefined && String(valueOf(kind)).endsWith('List');
  if (isList && items?.kind === 'list' && !root.pairs.some(isMerge)) {
    // one by one, so that a long list needs little memory
    const apiVersion = fieldOf(root, 'apiVersion');
    const list = { apiVersion: apiVersion && valueOf(apiVersion), kind: valueOf(kind) };
    return items.items.map((node) => objectOf(node, valueOf(node), [], list));
  }
  const written = valueOf(root);
  const list = written as PlainMap;
  return isList && Array.isArray(list.items)
    ? list.items.map((_, index) => objectOf(root, written, ['items', index], list))
    : [objectOf(root, written, [])];
}

function objectOf(node: YamlNode, written: unknown, path: ObjectPath, list?: PlainMap): StreamObject {
  const object = withoutBigints(valueAt(written, path));
  const kind = typeof list?.kind === 'string' ? list.kind.replace(/List$/, '') : '';
  const inherited = kind === '' ? {} : { apiVersion: list?.apiVersion, kind };
  return { node, written, path, object: isMap(object) ? { ...inherited, ...object } : {} };
}

/** Only for reading: what is written keeps all digits. A value without such numbers is not copied. */
function withoutBigints(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(withoutBigints);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (isMap(value)) {
    const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, withoutBigints(item)]);
    return entries.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(entries);
  }
  return typeof value === 'bigint' ? Number(value) : value;
}
