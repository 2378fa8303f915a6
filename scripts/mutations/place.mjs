// Finds what a mutation breaks by the name of a function and of something in it, so that neither a rewording nor another file of the room loses it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const LOGIC = [ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken];

const isOperand = ({ parent }) => ts.isBinaryExpression(parent) && LOGIC.includes(parent.operatorToken.kind);

/** What can be broken. */
const KINDS = {
  condition: (node) =>
    ((ts.isIfStatement(node.parent) || ts.isWhileStatement(node.parent)) && node.parent.expression === node) ||
    (ts.isConditionalExpression(node.parent) && node.parent.condition === node),
  operand: isOperand,
  /** An element of a list, an argument of a call, or a property of an object that is spread or dropped. */
  item: (node) =>
    ts.isArrayLiteralExpression(node.parent) ||
    (ts.isCallExpression(node.parent) && node.parent.arguments.includes(node)) ||
    ts.isObjectLiteralElementLike(node),
  /** The value of a property. */
  value: (node) => ts.isPropertyAssignment(node.parent) && node.parent.initializer === node,
  call: (node) => ts.isCallExpression(node),
  returned: (node) => (ts.isReturnStatement(node.parent) || ts.isArrowFunction(node.parent)) && ts.isExpression(node),
  choice: (node) => ts.isConditionalExpression(node.parent) && node.parent.condition !== node,
  statement: (node) => ts.isStatement(node) && !ts.isBlock(node),
  initial: (node) =>
    (ts.isVariableDeclaration(node.parent) || ts.isParameter(node.parent)) && node.parent.initializer === node,
  text: (node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isRegularExpressionLiteral(node),
};

export const kinds = Object.keys(KINDS);

/** The name of a node in a message or a selector: an identifier, or the text of a literal. */
const wordOf = (node) =>
  ts.isIdentifier(node) || ts.isStringLiteralLike(node) || ts.isPrivateIdentifier(node) ? node.text : undefined;

/** The words of a node, and for a value the name of its property. */
export function wordsOf(node) {
  const words = new Set();
  const visit = (one) => {
    const word = wordOf(one);
    if (word !== undefined) words.add(word);
    ts.forEachChild(one, visit);
  };
  visit(node);
  if (ts.isPropertyAssignment(node.parent)) visit(node.parent.name);
  if (ts.isVariableDeclaration(node.parent)) visit(node.parent.name);
  return words;
}

/** Functions, methods and constants at the top of a file, by name: `planNodePool`, `Unknown.toString`, `RELEASES`. */
export function namedIn(source) {
  const found = new Map();
  for (const statement of source.statements) {
    if (ts.isVariableStatement(statement)) {
      statement.declarationList.declarations.forEach((one) => found.set(one.name.getText(source), one));
    } else if (ts.isClassDeclaration(statement)) {
      statement.members
        .filter(({ body, initializer }) => body !== undefined || initializer !== undefined)
        .forEach((one) => found.set(`${statement.name.text}.${one.name?.getText(source) ?? 'constructor'}`, one));
    } else if (statement.name !== undefined) {
      found.set(statement.name.text, statement);
    }
  }
  return found;
}

export const parse = (path, text) => ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);

/** The nodes of a kind in a function that mention a word, without those around others of them. */
export function nodesOf(scope, kind, word) {
  const found = [];
  const visit = (node) => {
    const before = found.length;
    ts.forEachChild(node, visit);
    if (found.length === before && node !== scope && KINDS[kind](node) && wordsOf(node).has(word)) found.push(node);
  };
  visit(scope);
  return found;
}

let sources;

function sourcesOf(root) {
  sources ??= readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file: `src/${file}`, text: readFileSync(join(root, 'src', file), 'utf8') }))
    .map((source) => ({ ...source, named: () => (source.names ??= namedIn(parse(source.file, source.text))) }));
  return sources;
}

/** Removes a node together with the operator or the comma beside it. */
function removed(text, node) {
  if (isOperand(node)) {
    const { left, right } = node.parent;
    return { start: node.parent.getStart(), end: node.parent.end, to: (node === left ? right : left).getText() };
  }
  const [comma = ''] = /^\s*,/.exec(text.slice(node.end)) ?? [];
  return { start: node.getStart(), end: node.end + comma.length, to: '' };
}

/** The edit of a section of an .sh file: of one of its functions, or of all of it. */
function editOfShell(root, { file, section, name, from, to }) {
  const text = readFileSync(join(root, file), 'utf8');
  const begin = text.search(new RegExp(`^#: ${section}$`, 'm'));
  if (begin < 0) {
    return `${file} has no section ${section}`;
  }
  const below = text.slice(begin).split(/^(?=#: )/m)[0];
  const first = name === undefined ? 0 : below.search(new RegExp(`^${name}\\(\\) [{(]`, 'm'));
  if (first < 0) {
    return `${file}:${section} has no function ${name}`;
  }
  const length = name === undefined ? -1 : below.slice(first).search(/^[)}]$|(?<=^\w+\(\) .*) [)}]$/m);
  const scope = length < 0 ? below.slice(first) : below.slice(first, first + length);
  const start = begin + first + scope.indexOf(from);
  return scope.split(from).length === 2
    ? { file, text, start, end: start + from.length, to }
    : `${file}#${name} has ${scope.split(from).length - 1} times, not once: ${from}`;
}

/** The edit of a file that a mutation is, or a sentence that says why it is none. */
export function editOf(root, { at, breaks, from, to }) {
  const [place, name] = at.split('#');
  if (/\.sh\b/.test(place)) {
    const [path, section] = place.split(':');
    return editOfShell(root, { file: `src/${path}`, section, name, from, to });
  }
  const base = name.split('.')[0];
  const scopes = sourcesOf(root)
    .filter(({ file, text }) => file.startsWith(`src/${place}`) && text.includes(base))
    .map(({ file, text, named }) => ({ file, text, scope: named().get(name) }))
    .filter(({ scope }) => scope !== undefined);
  if (scopes.length !== 1) {
    return `${at} is ${scopes.length === 0 ? 'nowhere' : `in ${scopes.map(({ file }) => file).join(' and ')}`}`;
  }
  const [{ file, text, scope }] = scopes;
  if (from !== undefined) {
    const [start, again] = [
      text.indexOf(from, scope.getStart()),
      text.indexOf(from, text.indexOf(from, scope.getStart()) + 1),
    ];
    const isIn = (index) => index >= 0 && index + from.length <= scope.end;
    return isIn(start) && !isIn(again)
      ? { file, text, start, end: start + from.length, to }
      : `${at} has not once: ${from}`;
  }
  const [, kind, word, number] = /^(\w+) (.*?)(?: (\d+))?$/s.exec(breaks);
  const nodes = nodesOf(scope, kind, word);
  const node = number === undefined ? (nodes.length === 1 ? nodes[0] : undefined) : nodes[number - 1];
  if (node === undefined) {
    return `${at} has ${nodes.length} of: ${breaks}`;
  }
  const change =
    to === undefined
      ? removed(text, node)
      : { start: node.getStart(), end: node.end, to: to.replaceAll('$$', () => node.getText()) };
  return { file, text, ...change };
}

export const mutatedText = ({ text, start, end, to }) => text.slice(0, start) + to + text.slice(end);
