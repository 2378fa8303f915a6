import type { ListNode, MapNode, YamlNode } from './yaml-tree.js';
import { isBreak } from './yaml-reader.js';
import { isMerge, keyOf } from './yaml-values.js';

/** A part of a text with other text in its place. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

const COMMENT_TO_END = /[ \t]*(?:#[^\r\n\u0085\u2028\u2029]*)?(?![^\r\n\u0085\u2028\u2029])/y;

/** The end of the line, before its break, if nothing but a comment follows an offset. Does not read the rest of a line that has more: it may be all the text. */
export function endOfLine(text: string, offset: number): number | undefined {
  COMMENT_TO_END.lastIndex = offset;
  return COMMENT_TO_END.test(text) ? COMMENT_TO_END.lastIndex : undefined;
}

/** Goes between an empty value in braces and what is written after it: without a space, `a:}` and `a:,` are text with a colon. */
export function gapAfter(text: string, end: number): string {
  return /^:\s/.test(text.slice(end - 1, end + 1)) ? ' ' : '';
}

/** Removes fields with their lines; false, without an edit, if they are not fields of their own or none would remain. */
export function removeFields(text: string, map: MapNode, keys: readonly string[], edits: Edit[]): boolean {
  if (keys.length === 0) {
    return true;
  }
  const isRemoved = map.pairs.map((pair) => !isMerge(pair) && keys.includes(keyOf(pair.key)));
  if (isRemoved.every(Boolean) || map.pairs.some(isMerge)) {
    return false;
  }
  const parts = map.pairs.map(({ key, value, hasColon }) => ({ from: key.from, end: hasColon ? value.end : key.end }));
  return removeParts(text, map, parts, isRemoved, edits);
}

/** Removes items with their lines; false, without an edit, if none would remain. */
export function removeItems(text: string, list: ListNode, items: readonly YamlNode[], edits: Edit[]): boolean {
  const isRemoved = list.items.map((item) => items.includes(item));
  const parts = list.items.map((item) => {
    const dash =
      list.style === 'block' ? (/-[ \t]*$/.exec(text.slice(Math.max(item.from - 100, 0), item.from))?.[0] ?? '') : '';
    return { from: item.from - dash.length, end: item.end };
  });
  return !isRemoved.every(Boolean) && removeParts(text, list, parts, isRemoved, edits);
}

function removeParts(
  text: string,
  { style, start }: MapNode | ListNode,
  parts: readonly { readonly from: number; readonly end: number }[],
  isRemoved: readonly boolean[],
  edits: Edit[],
): boolean {
  const found: Edit[] = [];
  for (const [index, { from, end }] of parts.entries()) {
    if (isRemoved[index] !== true) {
      continue;
    }
    const next = parts[index + 1];
    const previous = parts.slice(0, index).findLast((_, position) => isRemoved[position] !== true);
    if (style !== 'block') {
      const lead = text.slice(parts[index - 1]?.end ?? start + 1, from);
      if (!/^[\s,]*$/.test(lead)) {
        return false;
      }
      // without the comma before the last one
      const place = next === undefined ? (previous?.end ?? from) : from;
      found.push({ from: place, to: next?.from ?? end, text: gapAfter(text, place) });
      continue;
    }
    const lineStart = text.lastIndexOf('\n', from - 1) + 1;
    const lineEnd = isBreak(text.charCodeAt(end - 1)) ? end : endOfLine(text, end);
    const lead = text.slice(lineStart, from);
    if (lineEnd === undefined || !/^[ -]*$/.test(lead)) {
      return false;
    }
    if (lead.includes('-')) {
      // in the line of a dash, to which the next one moves up
      if (next === undefined) {
        return false;
      }
      found.push({ from, to: next.from, text: '' });
      continue;
    }
    const lineBreak =
      lineEnd === end && isBreak(text.charCodeAt(end - 1))
        ? ''
        : (/\r?\n?/y.exec(text.slice(lineEnd, lineEnd + 2))?.[0] ?? '');
    found.push({ from: lineStart, to: lineEnd + lineBreak.length, text: '' });
  }
  edits.push(...found);
  return true;
}
