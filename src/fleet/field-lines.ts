import { TextLines } from '../base/text-lines.js';
import { parseNodes } from '../base/yaml-nodes.js';
import { YamlSyntaxError } from '../base/yaml-reader.js';
import { splitStream } from '../base/yaml-stream.js';
import type { MapNode, YamlNode } from '../base/yaml-tree.js';
import { fieldOf, keyOf, valueOf } from '../base/yaml-values.js';

/** A node of a document, and where the document begins in its text. */
interface Positioned {
  readonly node: YamlNode;
  readonly offset: number;
}

/** The lines of fields in a YAML or JSON text. The text is read when the first line is asked for, because most checks find nothing. */
export class FieldLines {
  private objects: readonly Positioned[] | undefined;
  /** The lines of the text. */
  public readonly lines: TextLines;

  constructor(private readonly text: string) {
    this.lines = new TextLines(text);
  }

  /**
   * The line of a field, from 1. If the field is not there, it is that of the field which would contain it.
   *
   * @param index which of the objects of the text, with the items of Lists
   * @param path `spec.template.spec.containers[0].image`
   */
  public lineOf(index: number, path: string): number | undefined {
    this.objects ??= objectsOf(this.text);
    const found = this.objects[index];
    return found === undefined ? undefined : this.lines.numberAt(found.offset + startOf(found.node, stepsOf(path)));
  }
}

/** The lines of items of Lists that are no objects. */
export function strayItems(text: string): number[] {
  const lines = new TextLines(text);
  return positioned(text, strayItemsOf).map(({ node, offset }) => lines.numberAt(offset + node.start));
}

function strayItemsOf(root: YamlNode): YamlNode[] {
  return (listOf(root) ?? []).flatMap((item) => (item.kind === 'map' ? strayItemsOf(item) : [item]));
}

/** The objects of a text, in the order in which they are read. */
function objectsOf(text: string): Positioned[] {
  return positioned(text, itemsOf);
}

function positioned(text: string, nodesOf: (root: YamlNode) => readonly YamlNode[]): Positioned[] {
  let offset = 0;
  try {
    return splitStream(text).flatMap(({ marker, body }) => {
      const begin = offset;
      offset += marker.length + body.length;
      return parseNodes(marker + body)
        .roots.flatMap(nodesOf)
        .map((node) => ({ node, offset: begin }));
    });
  } catch (error) {
    // JSON with characters that no YAML may contain: its objects are read from a text with escapes
    if (error instanceof YamlSyntaxError) {
      return [];
    }
    throw error;
  }
}

function itemsOf(root: YamlNode): YamlNode[] {
  const items = listOf(root);
  return items !== undefined
    ? items.filter(({ kind }) => kind === 'map').flatMap(itemsOf)
    : root.kind === 'map'
      ? [root]
      : [];
}

/** The items of a List; undefined for any other document. */
function listOf(root: YamlNode): readonly YamlNode[] | undefined {
  if (root.kind !== 'map') {
    return undefined;
  }
  const kind = fieldOf(root, 'kind');
  const items = fieldOf(root, 'items');
  return kind !== undefined && String(valueOf(kind)).endsWith('List') && items?.kind === 'list'
    ? items.items
    : undefined;
}

/** Where the field begins, or the deepest one above it that is there. */
function startOf(root: YamlNode, steps: readonly string[]): number {
  let node: YamlNode | undefined = root;
  let start = root.start;
  for (const step of steps) {
    if (node?.kind === 'alias') {
      node = node.target;
    }
    if (node?.kind === 'list') {
      node = node.items[Number(step)];
      start = node?.start ?? start;
    } else if (node?.kind === 'map') {
      const pair: MapNode['pairs'][number] | undefined = node.pairs.find(({ key }) => keyOf(key) === step);
      start = pair?.key.start ?? start;
      node = pair?.value;
    } else {
      break;
    }
  }
  return start;
}

/** The steps of a path as ProblemList writes it. */
function stepsOf(path: string): string[] {
  return [...path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)].map(
    ([, index, quoted, name]) => index ?? (quoted === undefined ? (name as string) : (JSON.parse(quoted) as string)),
  );
}
