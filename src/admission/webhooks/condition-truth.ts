/** A word, a number, a text, an operator or a bracket of CEL. */
const TOKEN =
  /\s*("""[^]*?"""|'''[^]*?'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\w+(?:\.\??\w+)*|\|\||&&|[=!<>]=|[^\s])/gy;
const OPENING = new Set(['(', '[', '{']);
const CLOSING = new Set([')', ']', '}']);
const COMPARISON = new Set(['==', '!=', '<=', '>=', '<', '>', 'in']);

/** Fields that every request has, with a value. */
const ALWAYS_THERE = new Set([
  'request',
  'request.operation',
  'request.kind',
  'request.kind.kind',
  'request.resource',
  'request.resource.resource',
  'request.uid',
  'request.userInfo',
  'request.userInfo.username',
  'object',
  'object.metadata',
  'object.kind',
  'object.apiVersion',
]);
const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE'];

/** Conditions that nest deeper, or are longer, are not analyzed. */
const MAX_DEPTH = 20;
const MAX_LENGTH = 5000;

/**
 * Whether a match condition is `true` for every request, or `false` for every request; undefined if it depends on the request, or if that is not
 * obvious. It knows constants, logic, comparisons of equal texts, and fields that every request has.
 */
export function conditionTruth(expression: string): boolean | undefined {
  if (expression.length > MAX_LENGTH) {
    return undefined;
  }
  return truthOf(
    [...expression.matchAll(TOKEN)].map(([, token = '']) => (/^["']/.test(token) ? textToken(token) : token)),
    0,
  );
}

/** The same text has the same token, in any quotes. */
function textToken(token: string): string {
  return `'${token.replace(/^("""|'''|"|')([^]*)\1$/, '$2')}'`;
}

function truthOf(tokens: readonly string[], depth: number): boolean | undefined {
  if (tokens.length === 0 || depth > MAX_DEPTH) {
    return undefined;
  }
  const inner = (part: readonly string[]): boolean | undefined => truthOf(part, depth + 1);
  const [condition, ...choice] = split(tokens, '?');
  if (condition !== undefined && choice.length > 0) {
    const rest = tokens.slice(condition.length + 1);
    const [yes = [], ...no] = split(rest, ':');
    const ways = [inner(yes), no.length === 1 ? inner(no[0] as string[]) : undefined];
    const chosen = inner(condition);
    return chosen === undefined ? (ways[0] === ways[1] ? ways[0] : undefined) : ways[chosen ? 0 : 1];
  }
  for (const [operator, deciding] of [
    ['||', true],
    ['&&', false],
  ] as const) {
    const parts = split(tokens, operator);
    if (parts.length > 1) {
      const values = parts.map(inner);
      return values.includes(deciding) ? deciding : values.includes(undefined) ? undefined : !deciding;
    }
  }
  const at = topLevel(tokens).find((index) => COMPARISON.has(tokens[index] as string));
  if (at !== undefined) {
    return comparison(tokens.slice(0, at), tokens[at] as string, tokens.slice(at + 1), inner);
  }
  if (tokens[0] === '!') {
    const value = inner(tokens.slice(1));
    return value === undefined ? undefined : !value;
  }
  return isGroup(tokens) ? inner(tokens.slice(1, -1)) : value(tokens);
}

/** Indices of the tokens outside of all brackets. */
function topLevel(tokens: readonly string[]): number[] {
  let open = 0;
  return tokens.flatMap((token, index) => {
    open -= CLOSING.has(token) ? 1 : 0;
    const isTop = open === 0 && !CLOSING.has(token);
    open += OPENING.has(token) ? 1 : 0;
    return isTop ? [index] : [];
  });
}

function split(tokens: readonly string[], operator: string): string[][] {
  const cuts = topLevel(tokens).filter((index) => tokens[index] === operator);
  return [...cuts, tokens.length].map((end, part) =>
    tokens.slice(part === 0 ? 0 : (cuts[part - 1] as number) + 1, end),
  );
}

/** Whether one pair of parentheses is around everything. */
function isGroup(tokens: readonly string[]): boolean {
  return tokens[0] === '(' && tokens.at(-1) === ')' && topLevel(tokens).length === 1;
}

function comparison(
  left: readonly string[],
  operator: string,
  right: readonly string[],
  truth: (tokens: readonly string[]) => boolean | undefined,
): boolean | undefined {
  const [one, other] = [left.join(''), right.join('')];
  if (operator === 'in') {
    const items = constantsOf(right);
    const own = constantOf(left);
    return one === 'request.operation'
      ? OPERATIONS.every((operation) => items?.some(({ value }) => value === operation) === true) || undefined
      : own && items?.every(({ type }) => type === own.type) && items.some(({ value }) => value === own.value);
  }
  if (one === other) {
    return ['==', '<=', '>='].includes(operator);
  }
  const [first, second] = [left, right].map((tokens): Constant | undefined => {
    const value = truth(tokens);
    return value === undefined ? constantOf(tokens) : { type: 'bool', value };
  });
  if (first !== undefined && second !== undefined) {
    return ordered(first, second, operator);
  }
  // what is never empty, on either side of == and !=
  const [there, empty] = ALWAYS_THERE.has(one) ? [one, other] : [other, one];
  if (ALWAYS_THERE.has(there) && (empty === "''" || empty === 'null')) {
    return operator === '!=' ? true : operator === '==' ? false : undefined;
  }
  const [size, bound, way] = other.startsWith('size(') ? [other, one, MIRRORED[operator]] : [one, other, operator];
  return /^size\([^()]*\)$/.test(size) && bound === '0'
    ? way === '>='
      ? true
      : way === '<'
        ? false
        : undefined
    : undefined;
}

const MIRRORED: Readonly<Record<string, string>> = { '<=': '>=', '>': '<' };

interface Constant {
  readonly type: 'int' | 'uint' | 'double' | 'text' | 'bool' | 'null';
  readonly value: bigint | number | string | boolean | null;
}

const isNumber = ({ type }: Constant): boolean => type === 'int' || type === 'uint' || type === 'double';

/** CEL has no equality of different types; numbers of different types are ordered by their value, and texts by their characters. */
function ordered(one: Constant, other: Constant, operator: string): boolean | undefined {
  const [{ type, value: left }, { value: right }] = [one, other];
  if (operator === '==' || operator === '!=') {
    return type === other.type ? (left === right) === (operator === '==') : undefined;
  }
  const isOrder = isNumber(one) ? isNumber(other) : type === other.type && type !== 'null';
  // JavaScript orders other texts by halves of characters
  if (!isOrder || !/^[\0-\x7f]*$/.test(`${left}${right}`) || left === null || right === null) {
    return undefined;
  }
  const [least, most] = operator.startsWith('<') ? [left, right] : [right, left];
  return operator.endsWith('=') ? least <= most : least < most;
}

/** A literal without escapes; undefined for everything else. */
function constantOf(tokens: readonly string[]): Constant | undefined {
  if (isGroup(tokens)) {
    return constantOf(tokens.slice(1, -1));
  }
  const [sign, digits] = tokens[0] === '-' ? ['-', tokens[1]] : ['', tokens[0]];
  const text = `${sign}${digits ?? ''}`;
  if (tokens.length > (sign === '' ? 1 : 2)) {
    return undefined;
  }
  if (text === 'true' || text === 'false') {
    return { type: 'bool', value: text === 'true' };
  }
  if (text === 'null') {
    return { type: 'null', value: null };
  }
  if (/^-?\d{1,18}$/.test(text)) {
    return { type: 'int', value: BigInt(text) };
  }
  if (/^\d{1,18}[uU]$/.test(text)) {
    return { type: 'uint', value: BigInt(text.slice(0, -1)) };
  }
  if (/^-?\d{1,15}\.\d{1,15}$/.test(text)) {
    return { type: 'double', value: Number(text) };
  }
  return text.startsWith("'") && !text.includes('\\') ? { type: 'text', value: text.slice(1, -1) } : undefined;
}

/** The literals of a list of them. */
function constantsOf(tokens: readonly string[]): readonly Constant[] | undefined {
  if (tokens[0] !== '[' || tokens.at(-1) !== ']') {
    return undefined;
  }
  const inner = tokens.slice(1, -1);
  const items = inner.length === 0 ? [] : split(inner, ',').map(constantOf);
  return items.every((item) => item !== undefined) ? items : undefined;
}

function value(tokens: readonly string[]): boolean | undefined {
  const text = tokens.join('');
  if (text === 'true' || text === 'false') {
    return text === 'true';
  }
  const there = /^has\(([\w.]+)\)$/.exec(text)?.[1];
  if (there !== undefined) {
    return ALWAYS_THERE.has(there) || undefined;
  }
  const [, of, method, argument] =
    /^([\w.]+|'[^'\\]*')\.(startsWith|endsWith|contains|matches)\('([^'\\]*)'\)$/.exec(text) ?? [];
  if (of === undefined || argument === '' || (method === 'matches' && argument === '.*')) {
    return of === undefined ? undefined : true;
  }
  const whole = of.startsWith("'") ? of.slice(1, -1) : undefined;
  switch (method) {
    case 'startsWith':
      return whole?.startsWith(argument as string);
    case 'endsWith':
      return whole?.endsWith(argument as string);
    default:
      return method === 'contains' ? whole?.includes(argument as string) : undefined;
  }
}
