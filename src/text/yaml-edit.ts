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
 * Edits of YAML text that somebody else wrote: comments, order, quotes and unknown fields stay. What replaces one scalar, or turns one line into a
 * comment, leaves every other byte as it is; what adds or removes fields is printed anew from the document, with its comments.
 */
export class YamlText {
  /** Reads one document; undefined (and a problem) when it can not be read. */
  public static read(text: string, problems: ProblemList): YamlText | undefined {
    const document = parseDocument(text, parseOptions());
    const [error] = document.errors;
    if (error !== undefined) {
      const place = error.linePos?.[0];
      const where = place === undefined ? '' : ` (line ${place.line}, column ${place.col})`;
      const what = error.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '');
      problems.add('EDGE_YAML', `the YAML can not be read${where}: ${what}`, 'mend the YAML at that place');
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
      problems.add('EDGE_YAML', `the YAML can not be read: ${(failure as Error).message}`, 'mend the alias');
      return undefined;
    }
    return new YamlText(text, document);
  }

  private constructor(
    private readonly text: string,
    private readonly document: Document,
  ) {}

  /** The value at a path as plain data; undefined where there is none. */
  public get(path: ObjectPath): unknown {
    const node: unknown = this.document.getIn(path, true);
    return node !== null && typeof node === 'object' && 'toJS' in node
      ? (node as Scalar).toJS(this.document, { reviver: plainNumber })
      : node;
  }

  /** The whole document as plain data, with integers that no number holds exactly as they are. */
  public exact(): unknown {
    return this.document.toJS({ reviver: exactNumber });
  }

  /** With every alias and merge key replaced by what it refers to; comments stay. So what is edited is not shared with another place. */
  public withoutAliases(): YamlText {
    return this.changed(expandAliases);
  }

  /** With another text at a path where text stands now. */
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

  /** With a value at a path; maps that are missing on the way are made. */
  public withValue(path: ObjectPath, value: unknown): YamlText {
    return this.changed((copy) => {
      // into a null nothing can be set, and what setIn makes on the way is an ordered map, as YAML 1.1 has it
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

  /** With the line of a field turned into a comment; without the field, where it is not on a line of its own. */
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

/** Integers are read exactly, and are numbers again in plain data. */
function plainNumber(_: unknown, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

function exactNumber(_: unknown, value: unknown): unknown {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function pairOf(items: readonly unknown[], name: unknown): Pair | undefined {
  return items.find((item): item is Pair => isPair(item) && isScalar(item.key) && item.key.value === name);
}

/** A document as text, in the manner in which the text was written: lists indented or not, lines as long as they are. */
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
