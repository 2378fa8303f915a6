// API.md: one page with everything that the two entries export, by what a reader wants to do.
import { ReflectionKind } from 'typedoc';
import { anchorOf, headingOf, slug } from './headings.mjs';
import { commentOf, readModel } from './model.mjs';
import { symbolSection } from './symbols.mjs';
import { firstSentence, markdown } from './text.mjs';

const INTRO = `# API

Everything that \`edge-nodepools\` exports, by what you want to do, then what \`edge-nodepools/pulumi\` has of its own. Written by \`npm run docs\` from the docstrings in \`src\`: change those, not this page.

A property with \`?\` may be left out; its default stands beside it. Everything is readonly, so \`readonly\` is not repeated here. What a type extends or implements has members too, which stand there. What is thrown is an [EdgeError](#edgeerror) with all problems at once, by the codes of [EDGE_CODES](#edge_codes). Every construct extends \`Construct\`; of one, \`scope\` is the parent, \`id\` its construct id, \`props\` its properties.`;

const WITH_PULUMI = 'With Pulumi';

const PULUMI_INTRO = `The components of \`edge-nodepools/pulumi\`: each construct has one of the same name, which is given the same properties, with the same meaning and defaults, as [WithInputs](#withinputs-pulumi) of them. Here stands only what differs from the construct. Every component extends [EdgeComponent](#edgecomponent-pulumi). \`name\` is the name of the component, \`args\` its arguments, \`options\` the options of Pulumi; what can not be used is refused with an \`InputPropertiesError\`, which holds all problems with the same codes.`;

const NAMED = [ReflectionKind.Class, ReflectionKind.Function, ReflectionKind.Enum, ReflectionKind.Variable];

export async function apiPage() {
  const { categories, components, shared, failures } = await readModel();
  const sections = [
    INTRO,
    '## What do you want to do?',
    [
      ...categories.map(contentsOf),
      `- [${WITH_PULUMI}](#${slug(WITH_PULUMI)}): ${named(components).map(linkTo).join(', ')}`,
    ].join('\n'),
    ...categories.flatMap(({ name, symbols }) => [`## ${name}`, ...sectionsOf(symbols, failures)]),
    `## ${WITH_PULUMI}`,
    PULUMI_INTRO,
    `\`edge-nodepools/pulumi\` also exports everything that stands above, as it is, but not ${unshared(categories, components, shared)}.`,
    ...sectionsOf(components, failures),
  ];
  const text = `${sections.join('\n\n')}\n`;
  checkAnchors(text);
  return { files: new Map([['API.md', withShortLinks(text)]]), failures };
}

function sectionsOf(symbols, failures) {
  return symbols.flatMap((symbol) => [`### ${headingOf(symbol)}`, symbolSection(symbol, failures)]);
}

function linkTo(symbol) {
  return `[${symbol.name}](#${anchorOf(symbol)})`;
}

function contentsOf({ name, symbols }) {
  return [
    `- [${name}](#${slug(name)})`,
    ...named(symbols).map(
      (symbol) => `  - ${linkTo(symbol)}: ${firstSentence(markdown(commentOf(symbol)?.summary, []))}`,
    ),
  ].join('\n');
}

/** What is used by its name; types stand with what uses them. */
function named(symbols) {
  return symbols.filter(({ kind }) => NAMED.includes(kind));
}

/** What only the first entry exports, and nothing of that name the second. */
function unshared(categories, components, shared) {
  const names = new Set([...components, ...shared].map(({ name }) => name));
  const missing = categories.flatMap(({ symbols }) => symbols).filter(({ name }) => !names.has(name));
  return missing.map(({ name }) => `\`${name}\``).join(', ');
}

/** Links that are often used stand by name, with their targets at the end: less to read in the text of a table. */
function withShortLinks(text) {
  const link = /\[`(\w+)`\]\(#(\w+)\)(?![[(])/g;
  const uses = new Map();
  for (const [, name, anchor] of text.matchAll(link)) {
    uses.set(name, slug(name) === anchor ? (uses.get(name) ?? 0) + 1 : 0);
  }
  const often = [...uses.keys()].filter((name) => uses.get(name) > 2).sort();
  const short = text.replace(link, (whole, name) => (often.includes(name) ? `[\`${name}\`]` : whole));
  return `${short}\n${often.map((name) => `[\`${name}\`]: #${slug(name)}\n`).join('')}`;
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
