import type { ProblemList } from './errors.js';
import { type ObjectPath, valueAt, withoutValueAt, withValueAt } from './plain-data.js';
import { parseNodes } from './yaml-nodes.js';
import type { MapNode, YamlNode, YamlPair, YamlTree } from './yaml-tree.js';
import { endOfLine } from './yaml-removal.js';
import { YamlSplicer } from './yaml-splice.js';
import { addSyntaxProblem } from './yaml-text.js';
import { isMerge, keyOf, valueOf } from './yaml-values.js';

/** Edits of one YAML document: every byte is kept, except for the fields and items that are added, changed or removed. */
export class YamlText {
  /** Parses one document; undefined, with a problem, if it is not valid YAML with a map. */
  public static read(text: string, problems: ProblemList): YamlText | undefined {
    try {
      const tree = parseNodes(text);
      const [root, ...more] = tree.roots;
      if (root?.kind === 'map' && more.length === 0) {
        // aliases and keys must be readable, too
        valueOf(root);
        return new YamlText(text, tree, root);
      }
      problems.add('EDGE_YAML', 'the text is not a map', 'write YAML with fields: apiVersion, kind, …');
    } catch (error) {
      addSyntaxProblem(error, text, 0, problems);
    }
    return undefined;
  }

  private constructor(
    private readonly text: string,
    private readonly tree: YamlTree,
    private readonly root: MapNode,
  ) {}

  /** The value at a path as plain data; undefined if there is none. */
  public get(path: ObjectPath): unknown {
    return valueAt(valueOf(this.root, Number), path);
  }

  /** With another text at a path that has text. */
  public withText(path: ObjectPath, value: string): YamlText {
    const node = this.pairAt(path)?.value ?? this.itemAt(path);
    if (node?.kind !== 'scalar' || node.style === 'block' || node.start === node.end) {
      return this.withValue(path, value);
    }
    const isPlainText = /^[A-Za-z-][^\s#:'"{}[\]&*!|>%@`,]*$/.test(value) || /^--[a-z-]+=[^\s#:'"{}[\]]*$/.test(value);
    const printed = node.style === 'plain' && isPlainText ? value : JSON.stringify(value);
    return this.spliced(node.start, node.end, printed);
  }

  /** With a value at a path; missing maps are created. */
  public withValue(path: ObjectPath, value: unknown): YamlText {
    return this.changed((root) => withValueAt(root, path, value));
  }

  /** With one more item at the end of the list at a path. */
  public withItem(path: ObjectPath, value: unknown): YamlText {
    return this.changed((root) => withValueAt(root, path, [...(valueAt(root, path) as unknown[]), value]));
  }

  /** Without the field or item at a path. */
  public without(path: ObjectPath): YamlText {
    return this.changed((root) => withoutValueAt(root, path));
  }

  /** With the line of a field commented out; without the field if it has no line of its own. */
  public withComment(path: ObjectPath): YamlText {
    const pair = this.pairAt(path);
    if (pair === undefined) {
      return this.without(path);
    }
    const { from } = pair.key;
    const { end } = pair.value;
    const lead = this.text.slice(this.text.lastIndexOf('\n', from - 1) + 1, from);
    const isLine = lead.trim() === '' && !this.text.slice(from, end).includes('\n');
    return isLine && pair.value.kind === 'scalar' && endOfLine(this.text, end) !== undefined
      ? this.spliced(from, from, '#')
      : this.without(path);
  }

  public toString(): string {
    return this.text;
  }

  /** The field at a path, if no alias or merge leads to it. */
  private pairAt(path: ObjectPath): YamlPair | undefined {
    const parent = this.nodeAt(path.slice(0, -1));
    const name = path[path.length - 1];
    return parent?.kind === 'map' && !parent.pairs.some(isMerge)
      ? parent.pairs.findLast(({ key }) => keyOf(key) === name)
      : undefined;
  }

  private itemAt(path: ObjectPath): YamlNode | undefined {
    const parent = this.nodeAt(path.slice(0, -1));
    return parent?.kind === 'list' ? parent.items[Number(path[path.length - 1])] : undefined;
  }

  private nodeAt(path: ObjectPath): YamlNode | undefined {
    return path.length === 0 ? this.root : (this.pairAt(path)?.value ?? this.itemAt(path));
  }

  private spliced(from: number, to: number, text: string): YamlText {
    return this.again(this.text.slice(0, from) + text + this.text.slice(to));
  }

  private changed(change: (root: unknown) => unknown): YamlText {
    const before = valueOf(this.root);
    const splicer = new YamlSplicer(this.text, this.tree);
    splicer.change(this.root, before, change(before));
    return this.again(splicer.result());
  }

  private again(text: string): YamlText {
    const tree = parseNodes(text);
    return new YamlText(text, tree, tree.roots[0] as MapNode);
  }
}
