/** A word, a number, a text, an operator or a bracket of CEL. */
const TOKEN = /\s*("""[^]*?"""|'''[^]*?'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\w.?]+|\|\||&&|[=!<>]=|[^\s])/gy;
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
    return comparison(tokens.slice(0, at).join(''), tokens[at] as string, tokens.slice(at + 1).join(''));
  }
  if (tokens[0] === '!') {
    const value = inner(tokens.slice(1));
    return value === undefined ? undefined : !value;
  }
  return isGroup(tokens) ? inner(tokens.slice(1, -1)) : value(tokens.join(''));
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

function comparison(left: string, operator: string, right: string): boolean | undefined {
  const isSame = left === right;
  const bothConstant = !dependsOnRequest(left) && !dependsOnRequest(right);
  const isEmpty = right === "''" || right === 'null';
  switch (operator) {
    case '==':
      return isSame ? true : bothConstant || (isEmpty && ALWAYS_THERE.has(left)) ? false : undefined;
    case '!=':
      return isSame ? false : bothConstant || (isEmpty && ALWAYS_THERE.has(left)) ? true : undefined;
    case 'in':
      return left === 'request.operation'
        ? OPERATIONS.every((operation) => right.includes(`'${operation}'`)) || undefined
        : bothConstant
          ? right.includes(left)
          : undefined;
    case '>=':
      return isSame || (right === '0' && left.startsWith('size(')) || bothConstant || undefined;
    default:
      return (operator === '<=' && isSame) || bothConstant || undefined;
  }
}

function value(text: string): boolean | undefined {
  if (text === 'false') {
    return false;
  }
  const there = /^has\(([\w.]+)\)$/.exec(text)?.[1];
  const takesAll = /\.(?:startsWith|endsWith|contains|matches)\('(?:\.\*)?'\)$/.test(text);
  return (there !== undefined && ALWAYS_THERE.has(there)) || takesAll || !dependsOnRequest(text) || undefined;
}

function dependsOnRequest(text: string): boolean {
  return /\b(?:object|oldObject|request|authorizer|namespaceObject)\b/.test(text.replace(/'[^']*'/g, "''"));
}
