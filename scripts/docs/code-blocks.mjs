// The TypeScript blocks of a page or of the @example tags of a source file, with the line at which each begins.
import ts from 'typescript';
import { linesOf } from './pages.mjs';

const LANGUAGES = ['ts', 'typescript', 'mts', 'cts', 'tsx'];

/** `firstLine` is the line of the file at which the text begins. */
export function blocksOfPage(path, text, firstLine = 1) {
  const blocks = [];
  const failures = [];
  let current;
  for (const [index, { line, opens, closes }] of linesOf(text).entries()) {
    if (opens !== undefined) {
      const [language, ...rest] = opens.info.split(/\s+/);
      if (LANGUAGES.includes(language.toLowerCase())) {
        current = { line: firstLine + index + 1, code: [] };
        if (language !== 'ts' || rest.length > 0) {
          failures.push(
            `${path}:${firstLine + index}: write \`\`\`ts and nothing after it: every block is type-checked`,
          );
        }
      }
    } else if (closes && current !== undefined) {
      blocks.push({ path, line: current.line, code: current.code.join('\n') });
      current = undefined;
    } else {
      current?.code.push(line);
    }
  }
  if (current !== undefined) {
    failures.push(`${path}:${current.line - 1}: this code block has no end`);
  }
  return { blocks, failures };
}

/** The blocks of every @example, exported or not. An example without a fence is code as a whole. */
export function blocksOfSource(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = examplesIn(source).map(({ tagName, end }) => {
    const line = source.getLineAndCharacterOfPosition(tagName.end).line + 1;
    const body = withoutStars(text.slice(tagName.end, end));
    return /^ {0,3}(```|~~~)/m.test(body)
      ? blocksOfPage(path, body, line)
      : { blocks: [{ path, line, code: body }], failures: [] };
  });
  return { blocks: found.flatMap(({ blocks }) => blocks), failures: found.flatMap(({ failures }) => failures) };
}

function examplesIn(source) {
  // By position: a comment is found at every declaration of its statement.
  const tags = new Map();
  const visit = (node) => {
    for (const tag of ts.getJSDocTags(node).filter(({ tagName }) => tagName.text === 'example')) {
      tags.set(tag.pos, tag);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...tags.values()];
}

function withoutStars(comment) {
  return comment
    .replace(/\s*(\*\/)?\s*$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n');
}
