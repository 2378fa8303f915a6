// API.md: one page with everything that the two entries export, by what a reader wants to do.
import { ReflectionKind } from 'typedoc';
import { anchorOf, headingOf, slug } from './headings.mjs';
import { commentOf, readModel } from './model.mjs';
import { symbolSection } from './symbols.mjs';
import { firstSentence, markdown } from './text.mjs';

const INTRO = `# API

Everything that \`edge-nodepools\` exports, by what you want to do, then what \`edge-nodepools/pulumi\` has of its own. Written by \`npm run docs\` from the docstrings in \`src\`: change those, not this page.

A property with \`?\` may be left out; its default stands beside it. Everything is readonly, so \`readonly\` is not repeated here.`;

const WITH_PULUMI = 'With Pulumi';

const PULUMI_INTRO = `The components of \`edge-nodepools/pulumi\`: each construct has one of the same name, which is given the same properties, with the same meaning and defaults, as [WithInputs](#withinputs-pulumi) of them. What the objects look like, and what is refused, stands above.`;

const NAMED = [ReflectionKind.Class, ReflectionKind.Function, ReflectionKind.Enum, ReflectionKind.Variable];

export async function apiPage() {
  const { categories, components, shared, failures } = await readModel();
  const sections = [
    INTRO,
    '## What do you want to do?',
    [...categories, { name: WITH_PULUMI, symbols: components }].map(contentsOf).join('\n'),
    ...categories.flatMap(({ name, symbols }) => [`## ${name}`, ...sectionsOf(symbols, failures)]),
    `## ${WITH_PULUMI}`,
    PULUMI_INTRO,
    `\`edge-nodepools/pulumi\` also exports, as \`edge-nodepools\` does: ${shared.map(linkTo).join(', ')}.`,
    ...sectionsOf(components, failures),
  ];
  const text = `${sections.join('\n\n')}\n`;
  checkAnchors(text);
  return { files: new Map([['API.md', text]]), failures };
}

function sectionsOf(symbols, failures) {
  return symbols.flatMap((symbol) => [`### ${headingOf(symbol)}`, symbolSection(symbol, failures)]);
}

function linkTo(symbol) {
  return `[${symbol.name}](#${anchorOf(symbol)})`;
}

function contentsOf({ name, symbols }) {
  const values = symbols.filter(({ kind }) => NAMED.includes(kind));
  const types = symbols.filter(({ kind }) => !NAMED.includes(kind));
  return [
    `- [${name}](#${slug(name)})`,
    ...values.map((symbol) => `  - ${linkTo(symbol)}: ${firstSentence(markdown(commentOf(symbol)?.summary, []))}`),
    ...(types.length === 0 ? [] : [`  - Types: ${types.map(linkTo).join(', ')}`]),
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
