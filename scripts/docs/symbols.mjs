// The section of one symbol.
import { ReflectionKind } from 'typedoc';
import { headingOf, titleOfStatic } from './headings.mjs';
import { commentOf, tagOf } from './model.mjs';
import { escaped, markdown, paragraphs, table, typeMarkdown, typeText } from './text.mjs';
import { isOptional, parameterPieces, typePieces } from './types.mjs';

const REQUIRED = 'required';

/** The Markdown below the heading of a symbol. */
export function symbolSection(symbol, failures) {
  const section = SECTIONS[symbol.kind];
  if (section === undefined) {
    throw new Error(`${symbol.name}: no section for ${ReflectionKind[symbol.kind]}`);
  }
  const note = (problem) => failures.push(`${symbol.name}: ${problem}`);
  const blocks = section(symbol, { push: note });
  return [description(symbol, { push: note }), ...blocks].filter((block) => block !== '').join('\n\n');
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
  const members = symbol.children ?? [];
  const [constructor] = members.filter(({ kind }) => kind === ReflectionKind.Constructor);
  const methods = members.filter(({ kind }) => kind === ReflectionKind.Method);
  const data = members.filter(({ kind }) => kind === ReflectionKind.Property || kind === ReflectionKind.Accessor);
  const constants = asDeclared(data.filter(({ flags }) => flags.isStatic));
  const properties = asDeclared(data.filter(({ flags }) => !flags.isStatic));
  return [
    extendsLine(symbol),
    ...(constructor === undefined || symbol.flags.isAbstract
      ? []
      : [...exampleBlocks(symbol), ...callBlocks(constructor, `new ${symbol.name}`, failures)]),
    ...titledTable(`Constants of ${headingOf(symbol)}`, ['constant', 'meaning'], constants, (constant) => [
      `\`${symbol.name}.${constant.name}\``,
      description(constant, failures),
    ]),
    ...asDeclared(methods.filter(({ flags }) => flags.isStatic)).flatMap((method) => [
      `#### ${titleOfStatic(method)}`,
      description(method, failures),
      ...callBlocks(method, `${symbol.name}.${method.name}`, failures),
    ]),
    ...titledTable(`Members of ${headingOf(symbol)}`, ['name', 'type', 'meaning'], properties, (property) => [
      nameCell(property),
      typeMarkdown(typePieces(property.type ?? property.getSignature?.type)),
      description(property, failures),
    ]),
    ...methodTable(
      symbol,
      methods.filter(({ flags }) => !flags.isStatic),
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
  const members = symbol.children ?? [];
  const properties = requiredFirst(members.filter(({ kind }) => kind === ReflectionKind.Property)).map((property) => [
    nameCell(property),
    typeMarkdown(typePieces(property.type)),
    defaultCell(property, failures),
    description(property, failures),
  ]);
  return [
    extendsLine(symbol),
    propertyTable([...properties, ...index]),
    ...methodTable(
      symbol,
      members.filter(({ kind }) => kind === ReflectionKind.Method),
      failures,
    ),
  ];
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

function methodTable(symbol, methods, failures) {
  return titledTable(`Methods of ${headingOf(symbol)}`, ['method', 'meaning'], asDeclared(methods), (method) =>
    methodRow(method, failures),
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

/** A constant map of texts, as EDGE_CODES is one, is a table of its entries. */
function variableBlocks(symbol) {
  const entries = symbol.type?.declaration?.children;
  if (entries?.every(({ type }) => type?.type === 'literal') !== true) {
    return [code(`const ${symbol.name}: ${typeText(typePieces(symbol.type))}`)];
  }
  return [
    table(
      ['code', 'meaning'],
      asDeclared(entries).map(({ name, type }) => [`\`${name}\``, escaped(String(type.value))]),
    ),
  ];
}

/** Signature, parameters, result and errors of something that is called. */
function callBlocks(callable, name, failures) {
  const [signature] = callable.signatures;
  const { parameters = [] } = signature;
  const result = callable.kind === ReflectionKind.Constructor ? '' : `: ${typeText(typePieces(signature.type))}`;
  const rows = parameters.map((parameter) => [
    nameCell(parameter, isOptional(parameter)),
    typeMarkdown(typePieces(parameter.type)),
    parameterMeaning(parameter, failures),
  ]);
  return [
    code(`${name}${typeText(parameterPieces(parameters))}${result}`),
    rows.length === 0 ? '' : table(['parameter', 'type', 'meaning'], rows),
    tagLine('Returns', signature, '@returns', failures),
    throwsLine(signature, failures),
    ...(callable.kind === ReflectionKind.Constructor ? [] : exampleBlocks(callable)),
  ];
}

function methodRow(method, failures) {
  const [signature] = method.signatures;
  const { parameters = [] } = signature;
  const meaning = [
    description(method, failures),
    ...parameters
      .map((parameter) => [parameter.name, parameterMeaning(parameter, failures)])
      .filter(([, text]) => text !== '')
      .map(([name, text]) => `\`${name}\`: ${text}`),
    tagLine('Returns', signature, '@returns', failures),
    throwsLine(signature, failures),
  ];
  const pieces = [method.name, ...parameterPieces(parameters), ': ', ...typePieces(signature.type)];
  return [typeMarkdown(pieces), meaning.filter((text) => text !== '').join('\n\n')];
}

function parameterMeaning(parameter, failures) {
  const text = paragraphs(markdown(parameter.comment?.summary, failures));
  const { defaultValue } = parameter;
  return defaultValue === undefined ? text : `${text} (default \`${defaultValue.replaceAll('"', "'")}\`)`.trim();
}

function throwsLine(signature, failures) {
  return tagLine('Throws', signature, '@throws', failures).replace(/\bEDGE_[A-Z_]+\b/g, '`$&`');
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
  const text = [...clause('extends', symbol.extendedTypes), ...clause('implements', symbol.implementedTypes)].join(
    ', ',
  );
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

function titledTable(title, head, items, rowOf) {
  return items.length === 0 ? [] : [`#### ${title}`, table(head, items.map(rowOf))];
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
