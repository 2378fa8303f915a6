import type { ProblemList } from '../errors.js';
import { isMap, type ObjectPath, type PlainMap, valueAt, withValueAt } from '../validation/plain-data.js';
import { parseNodes } from '../text/yaml-nodes.js';
import { YamlSplicer } from '../text/yaml-splice.js';
import type { MapNode, YamlNode } from '../text/yaml-tree.js';
import { fieldOf, isMerge, keyOf, valueOf } from '../text/yaml-values.js';

/** A field of an object, and its new value. */
export interface FieldChange {
  readonly path: ObjectPath;
  readonly value: unknown;
}

/** Gets each object of a document, those in a list with the kind of the list, and gives the fields to change. */
export type ChangeObject = (object: PlainMap) => readonly FieldChange[];

/**
 * The text of a document in which fields of its objects have other values.
 *
 * The items of a list are read one by one, so that a long list needs little memory. Of some documents only their end tells that this is right; if it is
 * not, they are read again as a whole.
 *
 * @param begin begins a reading; what was found in an earlier one does not count
 */
export function withChangedObjects(text: string, begin: () => ChangeObject, problems: ProblemList): string {
  const { length } = problems.problems;
  try {
    return new ItemByItem(text, begin(), problems).result();
  } catch {
    problems.problems.length = length;
    return new AsAWhole(text, begin(), problems).result();
  }
}

/** The objects of a document that is read as a whole. */
class AsAWhole {
  constructor(
    protected readonly text: string,
    private readonly changeObject: ChangeObject,
    private readonly problems: ProblemList,
  ) {}

  public result(): string {
    const tree = parseNodes(this.text);
    const splicer = new YamlSplicer(this.text, tree);
    tree.roots.forEach((root) => this.changeRoot(root, splicer));
    return splicer.result();
  }

  /** The object of a document, or the items of a list. */
  protected changeRoot(root: YamlNode, splicer: YamlSplicer): void {
    if (root.kind === 'scalar' && valueOf(root) === null) {
      return;
    }
    if (root.kind !== 'map') {
      this.problems.add('EDGE_YAML', 'the document is not a map', 'write YAML with fields: apiVersion, kind, …');
      return;
    }
    if (isTwoObjects(root)) {
      this.problems.add(
        'EDGE_DUPLICATE',
        'a second object begins in it without ---: the fields of the first would be lost, and its workload not excluded',
        'write --- between the two objects',
      );
      return;
    }
    const head = headOf(root);
    if (this.changeItems(root, head, splicer)) {
      return;
    }
    const { written, value } = read(root);
    splicer.change(root, written, this.changed(written, value as PlainMap));
  }

  protected changeItem(item: YamlNode, head: ListHead, splicer: YamlSplicer): void {
    // kubectl reads a List in a List, too
    if (item.kind === 'map' && this.changeItems(item, headOf(item), splicer)) {
      return;
    }
    const { written, value } = read(item);
    splicer.change(item, written, this.changed(written, asItem(value, head)));
  }

  /** Whether a map is a list whose items can be read one by one. */
  private changeItems(map: MapNode, head: ListHead, splicer: YamlSplicer): boolean {
    const items = isList(head.kind) ? fieldOf(map, 'items') : undefined;
    if (items?.kind !== 'list' || map.pairs.some(isMerge)) {
      return false;
    }
    items.items.forEach((item) => this.changeItem(item, head, splicer));
    return true;
  }

  /** A value with the changes of an object, or of the objects in a list, in it. */
  private changed(value: unknown, object: PlainMap): unknown {
    const { apiVersion, kind, items } = object;
    if (isList(kind) && Array.isArray(items)) {
      const written = valueAt(value, ['items']) as unknown[];
      const changed = items.map((item, index) => this.changed(written[index], asItem(item, { apiVersion, kind })));
      return withValueAt(value, ['items'], changed);
    }
    return this.changeObject(object).reduce((whole, field) => withValueAt(whole, field.path, field.value), value);
  }
}

interface ListHead {
  readonly apiVersion: unknown;
  readonly kind: unknown;
}

/** The same, with the items of lists one by one. */
class ItemByItem extends AsAWhole {
  private readonly heads = new Map<YamlNode, ListHead>();

  /** @throws if this cannot be known before the end of the document */
  public override result(): string {
    let splicer: YamlSplicer | undefined;
    const tree = parseNodes(this.text, {
      item: (item, open) => {
        splicer ??= new YamlSplicer(this.text, open);
        const root = open.roots[open.roots.length - 1] as MapNode;
        const head = this.heads.get(root) ?? headOf(root);
        this.heads.set(root, head);
        this.changeItem(item, head, splicer);
      },
      root: (root, open) => {
        splicer ??= new YamlSplicer(this.text, open);
        this.changeRoot(root, splicer);
        this.heads.delete(root);
      },
    });
    return (splicer ?? new YamlSplicer(this.text, tree)).result();
  }

  protected override changeItem(item: YamlNode, head: ListHead, splicer: YamlSplicer): void {
    const isKnown = (field: 'apiVersion' | 'kind'): boolean =>
      head[field] !== undefined || (item.kind === 'map' && fieldOf(item, field) !== undefined);
    if (!isKnown('apiVersion') || !isKnown('kind')) {
      throw new TypeError('the kind of an item may follow');
    }
    super.changeItem(item, head, splicer);
  }

  protected override changeRoot(root: YamlNode, splicer: YamlSplicer): void {
    const before = this.heads.get(root);
    if (before === undefined) {
      super.changeRoot(root, splicer);
      return;
    }
    const { pairs } = root as MapNode;
    const after = headOf(root as MapNode);
    const isSame = (['apiVersion', 'kind'] as const).every((field) =>
      [undefined, after[field]].includes(before[field]),
    );
    const hasOneList = !pairs.some(isMerge) && pairs.filter(({ key }) => keyOf(key) === 'items').length === 1;
    if (!isList(after.kind) || !isSame || !hasOneList || isTwoObjects(root as MapNode)) {
      throw new TypeError('not a list, or one with other items');
    }
  }
}

/** The value of a node, and the same for reading only: without integers that a number cannot represent. */
function read(node: YamlNode): { readonly written: unknown; readonly value: unknown } {
  let isExact = true;
  const written = valueOf(node, (integer) => {
    isExact = false;
    return integer;
  });
  return { written, value: isExact ? written : valueOf(node, Number) };
}

/** Whether a second object begins in a document, as where files that do not begin with --- are joined. */
function isTwoObjects({ pairs }: MapNode): boolean {
  return pairs.filter(({ key }) => keyOf(key) === 'kind').length > 1;
}

function headOf(root: MapNode): ListHead {
  const [apiVersion, kind] = ['apiVersion', 'kind'].map((field) => fieldOf(root, field));
  return { apiVersion: apiVersion && valueOf(apiVersion), kind: kind && valueOf(kind) };
}

function isList(kind: unknown): boolean {
  return typeof kind === 'string' && kind.endsWith('List');
}

/** An item of a list; those of a DeploymentList, as the API server writes it, have no kind. */
function asItem(item: unknown, { apiVersion, kind }: ListHead): PlainMap {
  const own = typeof kind === 'string' ? kind.replace(/List$/, '') : '';
  return isMap(item) ? { ...(own === '' ? {} : { apiVersion, kind: own }), ...item } : {};
}
