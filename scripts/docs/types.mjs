// A type as a list of pieces: text, or a symbol of the page. `readonly` is left out, since everything public is.
import { ReflectionKind } from 'typedoc';
import { isTopLevel } from './headings.mjs';

const keyTypes = new Map();

/** TypeScript forgets the name of `type Code = keyof typeof CODES` and repeats all codes wherever it is used; this brings the name back. */
export function rememberKeyTypes(symbols) {
  keyTypes.clear();
  for (const symbol of symbols) {
    const { type } = symbol;
    if (type?.type === 'typeOperator' && type.operator === 'keyof' && type.target.type === 'query') {
      const constant = type.target.queryType.reflection;
      keyTypes.set(keysOf(constant?.type?.declaration?.children?.map(({ name }) => name) ?? []), symbol);
    }
  }
}

function keysOf(names) {
  return [...names].sort().join(' ');
}

export function typePieces(type) {
  switch (type?.type) {
    case undefined:
      return ['void'];
    case 'literal':
      return [typeof type.value === 'string' ? quoted(type.value) : String(type.value)];
    case 'reference':
      return referencePieces(type);
    case 'array':
      return [...inParentheses(type.elementType), '[]'];
    case 'union':
      return unionPieces(type.types);
    case 'intersection':
      return separated(type.types.map(inParentheses), ' & ');
    case 'typeOperator':
      return type.operator === 'readonly' ? typePieces(type.target) : [`${type.operator} `, ...typePieces(type.target)];
    case 'indexedAccess':
      return [...typePieces(type.objectType), '[', ...typePieces(type.indexType), ']'];
    case 'query':
      return ['typeof ', ...typePieces(type.queryType)];
    case 'predicate':
      return [`${type.name} is `, ...typePieces(type.targetType)];
    case 'reflection':
      return objectPieces(type.declaration);
    default:
      return [type.toString()];
  }
}

/** `(scope: Construct, id?: string)`. */
export function parameterPieces(parameters = []) {
  const list = parameters.map((parameter) => [
    `${parameter.flags.isRest ? '...' : ''}${parameter.name}${isOptional(parameter) ? '?' : ''}: `,
    ...typePieces(parameter.type),
  ]);
  return ['(', ...separated(list, ', '), ')'];
}

export function isOptional(parameter) {
  return parameter.flags.isOptional || parameter.defaultValue !== undefined;
}

function unionPieces(types) {
  const name = keyTypes.get(keysOf(types.map(({ value }) => String(value))));
  return name === undefined ? separated(types.map(inUnion), ' | ') : [name];
}

function inUnion(type) {
  return type.type === 'intersection' ? ['(', ...typePieces(type), ')'] : typePieces(type);
}

function referencePieces(type) {
  const { name, reflection, typeArguments = [] } = type;
  if (name === 'Readonly' && reflection === undefined && typeArguments.length === 1) {
    return typePieces(typeArguments[0]);
  }
  const isOnPage = reflection?.parent !== undefined && isTopLevel(reflection);
  const args = typeArguments.length === 0 ? [] : ['<', ...separated(typeArguments.map(typePieces), ', '), '>'];
  return [isOnPage ? reflection : name, ...args];
}

function objectPieces(declaration) {
  const [signature] = declaration.signatures ?? [];
  if (signature !== undefined) {
    return [...parameterPieces(signature.parameters), ' => ', ...typePieces(signature.type)];
  }
  const fields = (declaration.children ?? [])
    .filter(({ kind }) => kind === ReflectionKind.Property)
    .map((field) => [`${field.name}${field.flags.isOptional ? '?' : ''}: `, ...typePieces(field.type)]);
  const [index] = declaration.indexSignatures ?? [];
  if (fields.length === 0 && index !== undefined) {
    return ['Record<', ...typePieces(index.parameters[0].type), ', ', ...typePieces(index.type), '>'];
  }
  return fields.length === 0 ? ['{}'] : ['{ ', ...separated(fields, '; '), ' }'];
}

function inParentheses(type) {
  const isOperator = type.type === 'typeOperator' && type.operator !== 'readonly';
  const needed = isOperator || type.type === 'union' || type.type === 'intersection';
  return needed ? ['(', ...typePieces(type), ')'] : typePieces(type);
}

function separated(lists, separator) {
  return lists.flatMap((list, index) => (index === 0 ? list : [separator, ...list]));
}

function quoted(text) {
  return `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}
