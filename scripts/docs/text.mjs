// Markdown of comments and types.
import { anchorOf } from './headings.mjs';

const named = new Map();

/** A link to another door is only a name to typedoc; this makes it a link. Of two symbols of a name it is the first, the construct. */
export function rememberNames(symbols) {
  named.clear();
  [...symbols].reverse().forEach((symbol) => named.set(symbol.name, symbol));
}

/** The parts of a comment as Markdown. A link that leads nowhere becomes a failure. */
export function markdown(parts, failures) {
  return (parts ?? [])
    .map((part) => {
      if (part.kind === 'code') {
        return part.text;
      }
      if (part.kind !== 'inline-tag') {
        return escaped(part.text);
      }
      const { text } = part;
      const target = part.target ?? named.get(text);
      if (typeof target === 'string') {
        return `[${text}](${target})`;
      }
      if (target === undefined || target.kind === undefined) {
        failures.push(`{${part.tag} ${text}} leads to nothing that is exported`);
        return `\`${text}\``;
      }
      return `[\`${text}\`](#${anchorOf(target)})`;
    })
    .join('')
    .trim();
}

/** Markdown whose lines are joined, with paragraphs kept: docstrings are wrapped for editors, not for readers. */
export function paragraphs(text) {
  return text
    .split(/(```[\s\S]*?```)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/(?<!\n)\n(?![\n]|[-*] |\d+\. )/g, ' ')))
    .join('');
}

/** Plain text as Markdown that is not taken for HTML. */
export function escaped(text) {
  return text.replace(/</g, '&lt;');
}

/** Text for a cell of a table. */
export function cell(text) {
  return text
    .replace(/\|/g, '\\|')
    .replace(/\n{2,}/g, '<br><br>')
    .replace(/\n/g, ' ');
}

export function table(head, rows) {
  const [title, ...lines] = [head, ...rows.map((row) => row.map(cell))].map((row) => `| ${row.join(' | ')} |`);
  // one dash is enough, and there are hundreds of tables
  return [title, `|${'-|'.repeat(head.length)}`, ...lines].join('\n');
}

/** A type as Markdown: code, in which the symbols of this page are links. */
export function typeMarkdown(pieces) {
  const joined = [];
  for (const piece of pieces) {
    const last = joined.length - 1;
    if (typeof piece === 'string' && typeof joined[last] === 'string') {
      joined[last] += piece;
    } else {
      joined.push(piece);
    }
  }
  return joined
    .filter((piece) => piece !== '')
    .map((piece) => (typeof piece === 'string' ? `\`${piece}\`` : `[\`${piece.name}\`](#${anchorOf(piece)})`))
    .join('');
}

/** A type as plain text. */
export function typeText(pieces) {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : piece.name)).join('');
}

export function sentences(text) {
  return text.split(/(?<=[.:]) (?=[A-Z`[])/);
}

/** The first sentence of a text. */
export function firstSentence(text) {
  const [paragraph = ''] = paragraphs(text).split('\n\n');
  return /^.*?[.:;](?=\s|$)/.exec(paragraph)?.[0].replace(/[:;]$/, '.') ?? paragraph;
}
