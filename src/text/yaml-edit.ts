import {
  type Document,
  isMap as isYamlMap,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type Scalar,
} from 'yaml';
import type { ProblemList } from '../errors.js';
import type { ObjectPath } from '../validation/plain-data.js';
import { expandAliases } from './yaml-aliases.js';
import { parseOptions } from './yaml-text.js';

/**
 * Edits of given YAML text: comments, order, quotes and unknown fields are kept. An edit that replaces one scalar, or comments out one line, keeps
 * every other byte; one that adds or removes fields prints the document again, with its comments.
 */
export class YamlText {
  /** Parses one document; undefined, with a problem, if it is not valid YAML with a map. */
  public static read(text: string, problems: ProblemList): YamlText | undefined {
    const document = parseDocument(text, parseOptions());
    const [error] = document.errors;
    if (error !== undefined) {
      const place = error.linePos?.[0];
      const where = place === undefined ? '' : ` (line ${place.line}, column ${place.col})`;
      const what = error.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '');
      problems.add('EDGE_YAML', `invalid YAML${where}: ${what}`, 'fix the YAML at that position');
      return undefined;
    }
    if (!isYamlMap(document.contents)) {
      problems.add('EDGE_YAML', 'the text is not a map', 'write YAML with fields: apiVersion, kind, …');
      return undefined;
    }
    try {
      document.toJS();
    } catch (failure) {
      // an alias without anchor, or too many of them
      problems.add('EDGE_YAML', `invalid YAML: ${(failure as Error).message}`, 'fix the alias');
      return undefined;
    }
    return new YamlText(text, document);
  }

  private constructor(
    private readonly text: string,
    private readonly document: Document,
  ) {}

  /** The value at a path as plain data; undefined if there is none. */
  public get(path: ObjectPath): unknown {
    const node: unknown = this.document.getIn(path, true);
    return node !== null && typeof node === 'object' && 'toJS' in node
      ? (node as Scalar).toJS(this.document, { reviver: plainNumber })
      : node;
  }

  /** The whole document as plain data; integers that a number cannot represent exactly are bigints. */
  public exact(): unknown {
    return this.document.toJS({ reviver: exactNumber });
  }

  /** With every alias and merge key expanded, so that an edit changes one place only; comments are kept. */
  public withoutAliases(): YamlText {
    return this.changed(expandAliases);
  }

  /** With another text at a path that has text. */
  public withText(path: ObjectPath, value: string): YamlText {
    const node: unknown = this.document.getIn(path, true);
    const range = isScalar(node) ? node.range : undefined;
    const isBlock = isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED');
    if (range === undefined || range === null || isBlock) {
      return this.changed((copy) => copy.setIn(path, value));
    }
    const plain = /^[A-Za-z-][^\s#:'"{}[\]&*!|>%@`,]*$/.test(value) || /^--[a-z-]+=[^\s#:'"{}[\]]*$/.test(value);
    const isPlain = (node as Scalar).type === 'PLAIN' && plain;
    return this.spliced(range[0], range[1], isPlain ? value : JSON.stringify(value));
  }

  /** With a value at a path; missing maps are created. */
  public withValue(path: ObjectPath, value: unknown): YamlText {
    return this.changed((copy) => {
      // setIn fails on null, and creates missing parents as ordered maps of YAML 1.1
      path.forEach((_, depth) => {
        const parent = path.slice(0, depth);
        if (depth > 0 && (copy.getIn(parent) ?? undefined) === undefined) {
          copy.setIn(parent, copy.createNode({}));
        }
      });
      copy.setIn(path, copy.createNode(value));
    });
  }

  /** With one more item at the end of the list at a path. */
  public withItem(path: ObjectPath, value: unknown): YamlText {
    return this.changed((copy) => copy.addIn(path, copy.createNode(value)));
  }

  /** Without the field at a path. */
  public without(path: ObjectPath): YamlText {
    return this.document.hasIn(path) ? this.changed((copy) => copy.deleteIn(path)) : this;
  }

  /** With the line of a field commented out; without the field if it has no line of its own. */
  public withComment(path: ObjectPath): YamlText {
    const parent: unknown = this.document.getIn(path.slice(0, -1), true);
    const pair = isYamlMap(parent) && !parent.flow ? pairOf(parent.items, path[path.length - 1]) : undefined;
    const from = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
    const to = isScalar(pair?.value) ? pair.value.range?.[1] : undefined;
    if (from === undefined || to === undefined || this.text.slice(from, to).includes('\n')) {
      return this.without(path);
    }
    const lineStart = this.text.lastIndexOf('\n', from - 1) + 1;
    const startsLine = this.text.slice(lineStart, from).trim() === '';
    return startsLine ? this.spliced(from, from, '#') : this.without(path);
  }

  public toString(): string {
    return this.text;
  }

  private spliced(from: number, to: number, text: string): YamlText {
    return this.again(this.text.slice(0, from) + text + this.text.slice(to));
  }

  private changed(change: (copy: Document) => void): YamlText {
    const copy = this.document.clone();
    change(copy);
    return this.again(printDocument(copy, this.text));
  }

  private again(text: string): YamlText {
    return new YamlText(text, parseDocument(text, parseOptions()));
  }
}

/** Integers are parsed as bigints, and become numbers in plain data. */
function plainNumber(_: unknown, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

function exactNumber(_: unknown, value: unknown): unknown {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function pairOf(items: readonly unknown[], name: unknown): Pair | undefined {
  return items.find((item): item is Pair => isPair(item) && isScalar(item.key) && item.key.value === name);
}

/** Prints a document in the style of a text: indentation of lists, no line folding, final line break. */
export function printDocument(document: Document, like: string): string {
  const flat = /^( *)(?:- )?[^\s#-][^\n]*:[^\S\n]*\n\1- /m.test(like) || !hasBlockList(document);
  const text = document.toString({ lineWidth: 0, indentSeq: !flat, flowCollectionPadding: false });
  return like.endsWith('\n') ? text : text.replace(/\n$/, '');
}

function hasBlockList(document: Document): boolean {
  let found = false;
  const look = (node: unknown): void => {
    found ||= isSeq(node) && node.flow !== true;
    if (isYamlMap(node) || isSeq(node)) {
      node.items.forEach((item: unknown) => look(isPair(item) ? item.value : item));
    }
  };
  look(document.contents);
  return found;
}
