// API.md: one page with everything that src/index.ts exports, by what a reader wants to do.
import { ReflectionKind } from 'typedoc';
import { commentOf, readModel } from './model.mjs';
import { symbolSection } from './symbols.mjs';
import { anchorOf, firstSentence, markdown, slug } from './text.mjs';

const INTRO = `# API

Everything that \`edge-nodepools\` exports, by what you want to do. Written by \`npm run docs\` from the docstrings in \`src\`: change those, not this page.

A property with \`?\` may be left out; its default stands beside it. Everything is readonly, so \`readonly\` is not repeated here.`;

const NAMED = [ReflectionKind.Class, ReflectionKind.Function, ReflectionKind.Enum, ReflectionKind.Variable];

export async function apiPage() {
  const { categories, failures } = await readModel();
  const sections = [
    INTRO,
    '## What do you want to do?',
    categories.map(contentsOf).join('\n'),
    ...categories.flatMap(({ name, symbols: members }) => [
      `## ${name}`,
      ...members.flatMap((symbol) => [`### ${symbol.name}`, symbolSection(symbol, failures)]),
    ]),
  ];
  const text = `${sections.join('\n\n')}\n`;
  checkAnchors(text);
  return { files: new Map([['API.md', text]]), failures };
}

function contentsOf({ name, symbols }) {
  const link = (symbol) => `[${symbol.name}](#${anchorOf(symbol)})`;
  const values = symbols.filter(({ kind }) => NAMED.includes(kind));
  const types = symbols.filter(({ kind }) => !NAMED.includes(kind));
  return [
    `- [${name}](#${slug(name)})`,
    ...values.map((symbol) => `  - ${link(symbol)}: ${firstSentence(markdown(commentOf(symbol)?.summary, []))}`),
    ...(types.length === 0 ? [] : [`  - Types: ${types.map(link).join(', ')}`]),
  ].join('\n');
}

/** Two headings of one name would share an anchor, and links would lead to the wrong one. Every link must lead to a heading. */
function checkAnchors(text) {
  const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => slug(title));
  const twin = anchors.find((anchor, index) => anchors.indexOf(anchor) !== index);
  if (twin !== undefined) {
    throw new Error(`two headings of API.md have the anchor #${twin}`);
  }
  const lost = [...text.matchAll(/\]\(#([^)]*)\)/g)].find(([, anchor]) => !anchors.includes(anchor));
  if (lost !== undefined) {
    throw new Error(`a link of API.md leads to #${lost[1]}, which is no heading`);
  }
}
