// The section of one symbol. Nothing is said twice: what is inherited stands with the base, and what a component shares with the construct of its
// name stands there.
import { ReflectionKind } from 'typedoc';
import { anchorOf, headingOf, titleOfStatic, twinOf } from './headings.mjs';
import { commentOf, tagOf } from './model.mjs';
import { markdown, paragraphs, sentences, table, typeMarkdown, typeText } from './text.mjs';
import { isOptional, parameterPieces, typePieces } from './types.mjs';

const REQUIRED = 'required';

const CODE = /\bEDGE_[A-Z_]+\b/g;

/** A list of codes, what begins a sentence or a last part of it with the list, and its end. */
const CODE_LIST = /(^Throws |; |)`EDGE_[A-Z_]+`(?:(?:, | or )`EDGE_[A-Z_]+`)*(\.$|)/g;

/** What everything that takes parameters throws; the introduction of the page says so. */
export const USUAL_CODES = ['`EDGE_TYPE`', '`EDGE_MISSING`', '`EDGE_UNKNOWN_PROPERTY`'];

/** What every `Throws` says; so does the introduction of the page. */
const EDGE_ERROR = /^Throws (\[`EdgeError`\]\(#edgeerror\)|InputPropertiesError) with (all problems at once: )?/;

/** Bases of all constructs and components, which the introductions name. */
const USUAL_BASES = ['Construct', 'EdgeComponent'];

/** Parameters that mean the same everywhere; the introductions of the page say what. */
const CUSTOMARY = ['scope', 'id', 'props', 'name', 'args', 'options'];

/** The Markdown below the heading of a symbol. */
export function symbolSection(symbol, failures) {
  const section = SECTIONS[symbol.kind];
  if (section === undefined) {
    throw new Error(`${symbol.name}: no section for ${ReflectionKind[symbol.kind]}`);
  }
  const note = { push: (problem) => failures.push(`${symbol.name}: ${problem}`) };
  const bases = extendsLine(symbol);
  const text = descriptionBesides(twinOf(symbol), symbol, note);
  // what the line of its bases says better: of which properties these are the arguments
  const isPlain = bases !== '' && /^Arguments of an? [^ ]+\.$/.test(text);
  const from = symbol.parent?.name === 'types' ? '_types_' : '';
  return [isPlain ? '' : text, from, bases, ...section(symbol, note)].filter((block) => block !== '').join('\n\n');
}

/** What a construct does not say already. */
function descriptionBesides(twin, reflection, failures) {
  const said = twin === undefined ? [] : sentences(description(twin, []));
  const text = description(reflection, failures);
  return said.length === 0
    ? text
    : text
        .split('\n\n')
        .map((paragraph) =>
          sentences(paragraph)
            .filter((sentence) => !said.includes(sentence))
            .join(' '),
        )
        .filter((paragraph) => paragraph !== '')
        .join('\n\n');
}

const SECTIONS = {
  [ReflectionKind.Class]: classBlocks,
  [ReflectionKind.Interface]: interfaceBlocks,
  [ReflectionKind.Function]: (symbol, failures) => callBlocks(symbol, symbol.name, failures),
  [ReflectionKind.Enum]: enumBlocks,
  [ReflectionKind.Variable]: variableBlocks,
  [ReflectionKind.TypeAlias]: aliasBlocks,
};

function aliasBlocks({ name, type, typeParameters = [] }) {
  const parameters = typeParameters.length === 0 ? '' : `<${typeParameters.map((one) => one.name).join(', ')}>`;
  return [code(`type ${name}${parameters} = ${typeText(typePieces(type))}`)];
}

function description(reflection, failures) {
  const deprecated = tagOf(reflection, '@deprecated');
  return [
    ...(deprecated === undefined ? [] : [`**Deprecated.** ${paragraphs(markdown(deprecated, failures))}`]),
    paragraphs(markdown(commentOf(reflection)?.summary, failures)),
  ].join('\n\n');
}

function code(text) {
  return ['```ts', text, '```'].join('\n');
}

function classBlocks(symbol, failures) {
  const members = ownMembers(symbol);
  const constructor = (symbol.children ?? []).find(({ kind }) => kind === ReflectionKind.Constructor);
  const data = members.filter(({ kind }) => kind === ReflectionKind.Property || kind === ReflectionKind.Accessor);
  const methods = members.filter(({ kind }) => kind === ReflectionKind.Method);
  const twin = twinOf(symbol);
  return [
    ...(constructor === undefined || symbol.flags.isAbstract
      ? []
      : [...exampleBlocks(symbol), ...callBlocks(constructor, `new ${symbol.name}`, failures)]),
    ...meaningTable(
      'constant',
      asDeclared(data.filter(({ flags }) => flags.isStatic)).map((constant) => [
        `\`${symbol.name}.${constant.name}\``,
        description(constant, failures),
      ]),
    ),
    ...asDeclared(methods.filter(({ flags }) => flags.isStatic)).flatMap((method) => [
      `#### ${titleOfStatic(method)}`,
      descriptionBesides(memberOf(twin, method), method, failures),
      ...callBlocks(method, `${symbol.name}.${method.name}`, failures),
    ]),
    ...memberBlocks(
      symbol,
      [...data, ...methods].filter(({ flags }) => !flags.isStatic),
      failures,
    ),
  ];
}

function interfaceBlocks(symbol, failures) {
  const index = (symbol.indexSignatures ?? []).map((signature) => [
    `\`[${signature.parameters[0].name}: ${typeText(typePieces(signature.parameters[0].type))}]\``,
    typeMarkdown(typePieces(signature.type)),
    '',
    description(signature, failures),
  ]);
  const members = ownMembers(symbol);
  if (twinOf(symbol) !== undefined) {
    return memberBlocks(symbol, members, failures);
  }
  const properties = requiredFirst(members.filter(({ kind }) => kind === ReflectionKind.Property)).map((property) => [
    nameCell(property),
    typeMarkdown(typePieces(property.type)),
    defaultCell(property, failures),
    description(property, failures),
  ]);
  return [
    propertyTable([...properties, ...index]),
    ...memberBlocks(
      symbol,
      members.filter(({ kind }) => kind === ReflectionKind.Method),
      failures,
    ),
  ];
}

/** Those that no base or interface on the page has already. */
function ownMembers({ children = [], extendedTypes = [], implementedTypes = [] }) {
  const isOnPage = (types) => types.some((type) => typePieces(type).some((piece) => typeof piece !== 'string'));
  const [extended, implemented] = [extendedTypes, implementedTypes].map(isOnPage);
  return children.filter(
    (member) =>
      !(extended && member.inheritedFrom !== undefined) && !(implemented && member.implementationOf !== undefined),
  );
}

function memberOf(symbol, { name, flags }) {
  return symbol?.children?.find((member) => member.name === name && member.flags.isStatic === flags.isStatic);
}

/** A table of members; those that a construct explains are only named, with their types here. */
function memberBlocks(symbol, members, failures) {
  const twin = twinOf(symbol);
  const [known, own] = [true, false].map((isKnown) =>
    asDeclared(members).filter((member) => (memberOf(twin, member) !== undefined) === isKnown),
  );
  const names = known.map((member) => `\`${typeText(memberPieces(member))}\``);
  return [
    names.length === 0 ? '' : `As in ${linkTo(twin)}: ${names.join(', ')}.`,
    ...meaningTable(
      'member',
      own.map((member) => [typeMarkdown(memberPieces(member)), memberMeaning(member, failures)]),
    ),
  ];
}

function memberPieces(member) {
  const [signature] = member.signatures ?? [];
  return signature === undefined
    ? [`${member.name}${member.flags.isOptional ? '?' : ''}: `, ...typePieces(member.type ?? member.getSignature?.type)]
    : [member.name, ...parameterPieces(signature.parameters), ': ', ...typePieces(signature.type)];
}

function memberMeaning(member, failures) {
  const [signature] = member.signatures ?? [];
  const parts = [
    description(member, failures),
    ...parameterMeanings(signature?.parameters, failures),
    ...(signature === undefined
      ? []
      : [tagLine('Returns', signature, '@returns', failures), throwsLine(signature, failures)]),
  ];
  return parts.filter((text) => text !== '').join('\n\n');
}

function linkTo(symbol) {
  return `[\`${symbol.name}\`](#${anchorOf(symbol)})`;
}

/** Without the column of defaults where there are none, as in reports. */
function propertyTable(rows) {
  if (rows.length === 0) {
    return '';
  }
  return rows.some(([, , value]) => value !== '' && value !== REQUIRED)
    ? table(['property', 'type', 'default', 'meaning'], rows)
    : table(
        ['property', 'type', 'meaning'],
        rows.map(([name, type, , meaning]) => [name, type, meaning]),
      );
}

function enumBlocks(symbol, failures) {
  return [
    table(
      ['member', 'meaning'],
      asDeclared(symbol.children ?? []).map((member) => [
        `\`${symbol.name}.${member.name}\``,
        description(member, failures),
      ]),
    ),
  ];
}

/** Of a constant map of texts, as EDGE_CODES is one, the keys: what they mean is on the page that its docstring names. */
function variableBlocks(symbol) {
  const entries = symbol.type?.declaration?.children;
  return entries?.every(({ type }) => type?.type === 'literal') === true
    ? [
        asDeclared(entries)
          .map(({ name }) => `\`${name}\``)
          .join(', ') + '.',
      ]
    : [code(`const ${symbol.name}: ${typeText(typePieces(symbol.type))}`)];
}

/** Signature, parameters, result and errors of something that is called. */
function callBlocks(callable, name, failures) {
  const [signature] = callable.signatures;
  const { parameters = [] } = signature;
  const isConstructor = callable.kind === ReflectionKind.Constructor;
  const result = isConstructor ? [] : [': ', ...typePieces(signature.type)];
  const construct = memberOf(twinOf(callable.parent), callable);
  return [
    typeMarkdown([name, ...parameterPieces(parameters), ...result]),
    parameterMeanings(parameters, failures)
      .map((text) => `- ${text}`)
      .join('\n'),
    tagLine('Returns', signature, '@returns', failures),
    throwsLine(signature, failures, construct),
    ...(isConstructor ? [] : exampleBlocks(callable)),
  ];
}

function parameterMeanings(parameters = [], failures) {
  return parameters
    .filter(({ name }) => !CUSTOMARY.includes(name))
    .map((parameter) => [parameter.name, parameterMeaning(parameter, failures)])
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `\`${name}\`: ${text}`);
}

function parameterMeaning(parameter, failures) {
  const text = paragraphs(markdown(parameter.comment?.summary, failures));
  const { defaultValue } = parameter;
  return defaultValue === undefined ? text : `${text} (default \`${defaultValue.replaceAll('"', "'")}\`)`.trim();
}

/** Of a component only the codes that its construct does not have. */
function throwsLine(signature, failures, construct) {
  const text = withoutUsualCodes(
    tagLine('Throws', signature, '@throws', failures).replace(CODE, '`$&`').replace(EDGE_ERROR, 'Throws '),
  );
  const said = construct === undefined ? [] : codesOf(throwsLine(construct.signatures[0], []));
  if (said.length === 0) {
    return text;
  }
  const added = codesOf(text).map((code) => ` and ${code}`);
  return `Throws the codes of ${linkTo(construct.parent)}${added.join('')}.`;
}

/** Codes without those that everything with parameters throws; empty if nothing else is thrown. */
function withoutUsualCodes(text) {
  const left = text.replace(CODE_LIST, (list, before, end) => {
    const others = codesOf(list).filter((code) => !USUAL_CODES.includes(code));
    return others.length > 0
      ? `${before}${others.join(', ').replace(/, (?=[^,]*$)/, ' or ')}${end}`
      : before !== '' && end !== ''
        ? end
        : list;
  });
  return left === '.' ? '' : left;
}

function codesOf(text) {
  return text.match(/`EDGE_[A-Z_]+`/g) ?? [];
}

function tagLine(title, reflection, tag, failures) {
  const content = tagOf(reflection, tag);
  return content === undefined ? '' : `${title} ${paragraphs(markdown(content, failures))}.`.replace(/\.\.$/, '.');
}

function exampleBlocks(reflection) {
  const examples = commentOf(reflection)?.getTags('@example') ?? [];
  return examples.map(({ content }) =>
    content
      .map(({ text }) => text)
      .join('')
      .trim(),
  );
}

function extendsLine(symbol) {
  const clause = (verb, types = []) =>
    types.length === 0 ? [] : [`${verb} ${types.map((type) => typeMarkdown(typePieces(type))).join(', ')}`];
  const text = [
    ...clause(
      'extends',
      symbol.extendedTypes?.filter(({ name }) => !USUAL_BASES.includes(name)),
    ),
    ...clause('implements', symbol.implementedTypes),
  ].join(', ');
  return text === '' ? '' : `${text[0].toUpperCase()}${text.slice(1)}.`;
}

function nameCell({ name, flags }, isLeftOut = flags.isOptional) {
  return `\`${name}${isLeftOut ? '?' : ''}\``;
}

function defaultCell(property, failures) {
  const text = paragraphs(markdown(tagOf(property, '@default'), failures));
  if (text === '') {
    return property.flags.isOptional ? '' : REQUIRED;
  }
  return text.startsWith('- ') ? text.slice(2) : `\`${text}\``;
}

function meaningTable(head, rows) {
  return rows.length === 0 ? [] : [table([head, 'meaning'], rows)];
}

/** By file, then by line: a file that grows must not reorder what comes from several. */
function asDeclared(members) {
  const placeOf = ({ sources }) => ({ fileName: '', line: 0, ...sources?.[0] });
  return [...members].sort((a, b) => {
    const [one, other] = [placeOf(a), placeOf(b)];
    return one.fileName === other.fileName ? one.line - other.line : one.fileName < other.fileName ? -1 : 1;
  });
}

/** Required before optional, inherited before own, then as declared. */
function requiredFirst(members) {
  const rank = (member) => (member.flags.isOptional ? 2 : 0) + (member.inheritedFrom === undefined ? 1 : 0);
  return asDeclared(members).sort((a, b) => rank(a) - rank(b));
}
