import { isMap, type PlainMap, same } from './plain-data.js';
import type { ListNode, MapNode, YamlNode, YamlPair, YamlTree } from './yaml-tree.js';
import { blockLines, fieldTexts, flowText, type FlowStyle, joinFlow } from './yaml-render.js';
import { TextLines } from './text-lines.js';
import { isBreak } from './yaml-reader.js';
import { type Edit, endOfLine, gapAfter, removeFields, removeItems } from './yaml-removal.js';
import { fieldOf, isMerge, valueOf } from './yaml-values.js';

const BLANKS = /[ \t]*/y;
const BLANKS_AT_END = / +$/y;
const BLANK_TO_END = /[^\S\r\n\u2028\u2029]*(?![^\r\n\u0085\u2028\u2029])/y;

/** The block map that a value stands in, if it is the value of a field. */
type Parent = { readonly column: number } | undefined;

/**
 * A text in which some nodes get other values. Only what differs is written, fields and items as new lines after the others; every other byte is
 * kept. An alias that would change too is replaced by its value.
 */
export class YamlSplicer {
  private readonly edits: Edit[] = [];
  /** Nodes of which there may be aliases. */
  private readonly touched = new Set<YamlNode>();
  private readonly lineBreak: string;
  private readonly isJson: boolean;
  private readonly lines: TextLines;

  constructor(
    private readonly text: string,
    private readonly tree: YamlTree,
  ) {
    this.lines = new TextLines(text);
    this.lineBreak = /\r?\n/.exec(text)?.[0] ?? '\n';
    const [root] = tree.roots;
    this.isJson = root !== undefined && text.startsWith('{', root.start);
  }

  /** Gives a node another value. */
  public change(node: YamlNode, before: unknown, after: unknown): void {
    if (!same(before, after)) {
      this.patch(node, before, after);
    }
  }

  private patch(node: YamlNode, before: unknown, after: unknown, parent?: Parent): void {
    if (node.anchor !== undefined) {
      this.touched.add(node);
    }
    if (this.replaceByBlock(node, after, parent)) {
      return;
    }
    const { length } = this.edits;
    const isDone =
      (node.kind === 'map' && isMap(before) && isMap(after) && this.patchMap(node, before, after)) ||
      (node.kind === 'list' && Array.isArray(before) && Array.isArray(after) && this.patchList(node, before, after));
    if (!isDone) {
      this.edits.length = length;
      this.replace(node, after);
    }
  }

  /** Aliases of a changed node keep their value. */
  private separateAliases(): void {
    const replaced = this.edits.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from);
    let next = 0;
    for (const alias of this.tree.aliases) {
      while (next < replaced.length && (replaced[next] as Edit).to <= alias.start) {
        next += 1;
      }
      const isReplaced = (replaced[next]?.from ?? Number.POSITIVE_INFINITY) <= alias.start;
      if (!isReplaced && this.touched.has(alias.target)) {
        this.edits.push({ from: alias.start, to: alias.end, text: this.flow(valueOf(alias), alias.start) });
      }
    }
  }

  /** The text with all changes. */
  public result(): string {
    this.separateAliases();
    const parts: string[] = [];
    let position = 0;
    // stable: of two insertions at one place the inner one was added first
    for (const { from, to, text } of this.edits.sort((a, b) => a.from - b.from)) {
      parts.push(this.text.slice(position, from), text);
      position = to;
    }
    return parts.join('') + this.text.slice(position);
  }

  private flow(value: unknown, offset: number): string {
    const [root] = this.tree.roots;
    const style = this.isJson && root?.kind === 'map' ? this.styleOf(root) : { isJson: false, isCompact: false };
    return flowText(value, style, this.indentAt(offset)).replaceAll('\n', this.lineBreak);
  }

  private patchMap(map: MapNode, before: PlainMap, after: PlainMap): boolean {
    const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
    if (map.style === 'bare' || !removeFields(this.text, map, removed, this.edits)) {
      return false;
    }
    const added: PlainMap = {};
    for (const [key, value] of Object.entries(after)) {
      if (Object.hasOwn(before, key) && same(before[key], value)) {
        continue;
      }
      const pair = Object.hasOwn(before, key) ? effectivePair(map, key) : undefined;
      if (pair === undefined) {
        added[key] = value;
      } else if (pair.hasColon) {
        const parent = map.style === 'block' ? { column: map.column } : undefined;
        this.patch(pair.value, before[key], value, parent);
      } else {
        return false;
      }
    }
    return Object.keys(added).length === 0 || this.addFields(map, added);
  }

  /** A merge key gives fields that only later ones replace. */
  private addFields(map: MapNode, fields: PlainMap): boolean {
    const last = map.pairs[map.pairs.length - 1];
    const hasMerge = map.pairs.some(isMerge);
    if (map.style === 'block') {
      const lines = blockLines(fields, this.tree.hasFlatLists, map.column);
      return this.insertAfter(map, lines) || (!hasMerge && this.insertBefore(map, lines));
    }
    if (hasMerge && last !== undefined) {
      this.edits.push({
        from: last.value.end,
        to: last.value.end,
        text: `${gapAfter(this.text, last.value.end)}, ${this.flow(fields, map.start).slice(1, -1)}`,
      });
      return true;
    }
    const style = this.styleOf(map);
    const indent = this.indentAt(map.start);
    const inner = indent + (style.step ?? '');
    const place = map.start + 1;
    const isEmpty = last === undefined;
    const isSpaced = /\s/.test(this.text.charAt(place));
    const text = joinFlow(fieldTexts(fields, style, inner), style, inner);
    const end = isEmpty ? (style.step === undefined ? '' : `\n${indent}`) : isSpaced || style.isCompact ? ',' : ', ';
    this.edits.push({ from: place, to: place, text: (text + end).replaceAll('\n', this.lineBreak) });
    return true;
  }

  /** The style of a map in braces, of the document if the map is empty. */
  private styleOf(map: MapNode): FlowStyle {
    const { isJson } = this;
    const [root] = this.tree.roots;
    const like = map.pairs.length === 0 && isJson && root?.kind === 'map' ? root : map;
    const [first] = like.pairs;
    if (first === undefined) {
      return { isJson, isCompact: false };
    }
    const lead = this.text.slice(like.start + 1, first.key.from);
    const isCompact = isJson && /^:\S/.test(this.text.slice(first.key.end, first.key.end + 2));
    if (!/^[ \t\r]*\n[ \t]*$/.test(lead)) {
      return { isJson, isCompact };
    }
    const inner = lead.slice(lead.lastIndexOf('\n') + 1);
    const outer = this.indentAt(like.start);
    return { isJson, isCompact, step: inner.startsWith(outer) ? inner.slice(outer.length) : '  ' };
  }

  private indentAt(offset: number): string {
    const start = this.lines.startAt(offset);
    BLANKS.lastIndex = start;
    return (BLANKS.exec(this.text)?.[0] ?? '').slice(0, offset - start);
  }

  /** Inserts lines in front of the first field of a block map, and in front of its comments. */
  private insertBefore(map: MapNode, lines: readonly string[]): boolean {
    const { text, lineBreak } = this;
    let place = text.lastIndexOf('\n', map.start - 1) + 1;
    if (text.slice(place, map.start).trim() !== '' || map === this.tree.roots[0]) {
      // after a dash, in the same line
      const inserted = lines.join(lineBreak).slice(map.column) + lineBreak + ' '.repeat(map.column);
      this.edits.push({ from: map.start, to: map.start, text: inserted });
      return true;
    }
    while (place > 1) {
      const previous = text.lastIndexOf('\n', place - 2) + 1;
      if (!/^[ \t]*(?:#[^\r\u0085\u2028\u2029]*)?\r?\n$/.test(text.slice(previous, place))) {
        break;
      }
      place = previous;
    }
    this.edits.push({ from: place, to: place, text: lines.map((line) => line + lineBreak).join('') });
    return true;
  }

  /** Inserts lines after a block collection; not after a block of text that ends without a line break, because it would get one. */
  private insertAfter(node: MapNode | ListNode, lines: readonly string[]): boolean {
    const { text, lineBreak } = this;
    const inserted = lines.join(lineBreak);
    if (isBreak(text.charCodeAt(node.end - 1))) {
      // kubectl ends the last line with a break (apimachinery util/yaml, LineReader): one of blanks belongs to a block that keeps its breaks
      BLANKS_AT_END.lastIndex = node.end;
      if (BLANKS_AT_END.test(text) && endsWithBlock(node)) {
        return false;
      }
      this.edits.push({ from: node.end, to: node.end, text: inserted + lineBreak });
      return true;
    }
    const place = endsWithBlock(node) ? undefined : endOfLine(text, node.end);
    if (place === undefined) {
      return false;
    }
    this.edits.push({ from: place, to: place, text: lineBreak + inserted });
    return true;
  }

  private patchList(list: ListNode, before: unknown[], after: unknown[]): boolean {
    if (after.length < before.length) {
      const kept: unknown[] = [];
      const removed = list.items.filter((_, index) => {
        const isKept = kept.length < after.length && same(before[index], after[kept.length]);
        kept.push(...(isKept ? [before[index]] : []));
        return !isKept;
      });
      return kept.length === after.length && removeItems(this.text, list, removed, this.edits);
    }
    list.items.forEach((item, index) => this.change(item, before[index], after[index]));
    const added = after.slice(before.length);
    if (added.length === 0) {
      return true;
    }
    if (list.style === 'block') {
      return this.insertAfter(list, blockLines(added, this.tree.hasFlatLists, list.column));
    }
    const last = list.items[list.items.length - 1];
    const place = last?.end ?? list.start + 1;
    const text = added.map((item) => this.flow(item, list.start)).join(', ');
    this.edits.push({
      from: place,
      to: place,
      text: last === undefined ? text : `${gapAfter(this.text, place)}, ${text}`,
    });
    return true;
  }

  /** Lines in place of nothing, `null`, `{}` or `[]` after a key. */
  private replaceByBlock(node: YamlNode, value: unknown, parent: Parent): boolean {
    const isEmpty = (node.kind === 'map' ? node.pairs : node.kind === 'list' ? node.items : []).length === 0;
    const isBlock = node.kind === 'scalar' && node.style === 'block';
    if (parent === undefined || !isEmpty || isBlock || node.kind === 'alias' || node.from !== node.start) {
      return false;
    }
    const { text, lineBreak } = this;
    const lead = /:[ \t]*$/.exec(text.slice(Math.max(node.start - 100, 0), node.start))?.[0] ?? '';
    BLANK_TO_END.lastIndex = node.end;
    if (lead === '' || !isStructure(value) || !BLANK_TO_END.test(text)) {
      return false;
    }
    const column = parent.column + (Array.isArray(value) && this.tree.hasFlatLists ? 0 : 2);
    const lines = blockLines(value, this.tree.hasFlatLists, column);
    this.edits.push({
      from: node.start - lead.length + 1,
      to: node.end,
      text: lines.map((line) => lineBreak + line).join(''),
    });
    return true;
  }

  /** Writes another value in place of a node. Its anchor stays, for aliases of it. */
  private replace(node: YamlNode, value: unknown): void {
    const { text } = this;
    const from = node.tag === undefined ? node.start : node.from;
    const anchor = node.tag !== undefined && node.anchor !== undefined ? `&${node.anchor} ` : '';
    // a list may stand in the column of its key, brackets must not
    const isList = node.kind === 'list' && node.style === 'block';
    // no JSON has an empty value: its colon may follow a plain key
    const isTight = this.isJson && node.end > node.start;
    const gap = isList || (!isTight && from > 0 && !/[\s[{(,]/.test(text.charAt(from - 1))) ? ' ' : '';
    const end = node.end > from && isBreak(text.charCodeAt(node.end - 1)) ? this.lineBreak : '';
    this.edits.push({ from, to: node.end, text: gap + anchor + this.flow(value, from) + end });
  }
}

function isStructure(value: unknown): boolean {
  return (Array.isArray(value) && value.length > 0) || (isMap(value) && Object.keys(value).length > 0);
}

/** Whether the last text in a node is a block. */
function endsWithBlock(node: YamlNode): boolean {
  if (node.kind === 'map' && node.pairs.length > 0) {
    const { key, value, hasColon } = node.pairs[node.pairs.length - 1] as YamlPair;
    return endsWithBlock(hasColon ? value : key);
  }
  if (node.kind === 'list' && node.items.length > 0) {
    return endsWithBlock(node.items[node.items.length - 1] as YamlNode);
  }
  return node.kind === 'scalar' && node.style === 'block';
}

/** The field that gives a key its value; undefined if a merge key does. */
function effectivePair(map: MapNode, key: string): YamlPair | undefined {
  const value = fieldOf(map, key);
  return map.pairs.find((pair) => pair.value === value);
}
