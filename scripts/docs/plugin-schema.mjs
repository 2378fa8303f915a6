// The schema of pulumi-plugin, from which Pulumi generates SDKs for other languages: the components of both entries for Pulumi, with the properties, the
// documentation and the defaults of their TypeScript types. The inference of @pulumi/pulumi was tried first: it has no whole numbers, secrets and unions,
// and cannot read WithInputs.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { root } from '../install.mjs';
import { DOORS, PULUMI_DOORS } from './headings.mjs';
import { ALSO, ANYTHING, CLUSTER_OF, inEveryLanguage, INSTEAD, LEFT_OUT, NAMES, TEXTS } from './plugin-differences.mjs';

const FILE = 'pulumi-plugin/schema.json';
const PREFIX = 'edge-nodepools:index:';
const REF = `#/types/${PREFIX}`;
const require = createRequire(import.meta.url);
const ANY = { $ref: 'pulumi.json#/Any' };

/** The file of the schema. */
export async function pluginSchema() {
  const { version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { resources, types, failures } = new Reader().read();
  const schema = {
    name: 'edge-nodepools',
    displayName: 'edge-nodepools',
    version,
    description,
    license,
    keywords: ['category/infrastructure', 'kind/component'],
    language: {
      csharp: { respectSchemaVersion: true },
      go: { respectSchemaVersion: true },
      java: {},
      nodejs: { respectSchemaVersion: true },
      python: { respectSchemaVersion: true, pyproject: { enabled: true } },
    },
    types,
    resources,
  };
  const file = join(root, FILE);
  const text = await format(JSON.stringify(schema), { ...(await resolveConfig(file)), filepath: file });
  return { files: new Map([[FILE, text]]), failures };
}

/** The classes that a type extends. */
function basesOf(type) {
  return type.getBaseTypes()?.flatMap((base) => [base, ...basesOf(base)]) ?? [];
}

class Reader {
  types = new Map();
  failures = [];

  constructor() {
    const { options } = ts.getParsedCommandLineOfConfigFile(join(root, 'tsconfig.build.json'), {}, ts.sys);
    // a delivery writes files beside the program, and its manifests are made by a function
    const { 'pulumi/delivery': _, ...doors } = PULUMI_DOORS;
    const entries = [...Object.values(doors), DOORS.types].map((path) => join(root, 'src', path));
    const program = ts.createProgram(entries, { ...options, incremental: false, tsBuildInfoFile: undefined });
    this.checker = program.getTypeChecker();
    this.exported = entries
      .map((entry) => this.checker.getSymbolAtLocation(program.getSourceFile(entry)))
      .flatMap((file) => this.checker.getExportsOfModule(file))
      .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol));
  }

  read() {
    const components = this.exported
      .filter((symbol) => this.isComponent(symbol))
      .map((symbol) => this.component(symbol));
    return {
      resources: sorted(components),
      types: sorted([...this.types].map(([name, type]) => [`${PREFIX}${name}`, type])),
      failures: this.failures,
    };
  }

  isComponent(symbol) {
    const declaration = symbol.valueDeclaration;
    if (declaration === undefined || !ts.isClassDeclaration(declaration) || isAbstract(declaration)) {
      return false;
    }
    return basesOf(this.checker.getDeclaredTypeOfSymbol(symbol)).some((base) => base.symbol.name === 'EdgeComponent');
  }

  component(symbol) {
    const { name } = symbol;
    const [constructor] = this.checker.getTypeOfSymbol(symbol).getConstructSignatures();
    const args = this.checker.getTypeOfSymbol(constructor.parameters[1]);
    const leftOut = LEFT_OUT[name] ?? {};
    const isPublic = (property) => property.declarations.every((one) => !(ts.getCombinedModifierFlags(one) & HIDDEN));
    const outputs = this.checker
      .getPropertiesOfType(this.checker.getDeclaredTypeOfSymbol(symbol))
      .filter((property) => property.flags & ts.SymbolFlags.Property && isPublic(property))
      .filter((property) => property.declarations[0].getSourceFile().fileName.startsWith(join(root, 'src')))
      .filter((property) => !this.isHeldInProgram(this.checker.getTypeOfSymbol(property)));
    const inputs = this.checker.getPropertiesOfType(args).filter((property) => !(property.name in leftOut));
    const also = this.also({ ...this.clusterOf(inputs), ...ALSO[name] }, name);
    const given = this.properties(inputs, name, false);
    const all = [...given.filter(([property]) => !also.some(([other]) => other === property)), ...also];
    const made = this.properties(outputs, name, true);
    const shape = {
      isComponent: true,
      description: this.textOf(symbol),
      inputProperties: Object.fromEntries(all),
      requiredInputs: all.filter(([, , isOptional]) => !isOptional).map(([property]) => property),
      properties: Object.fromEntries(made),
      required: made.filter(([, , isOptional]) => !isOptional).map(([property]) => property),
    };
    return [`${PREFIX}${name}`, shape];
  }

  /** Whether an output is a resource of another package, or one of the classes that INSTEAD is for, or several of them. */
  isHeldInProgram(type) {
    // an Output of a union is a union itself
    const held = type.aliasSymbol?.name === 'Output' ? type.aliasTypeArguments[0] : this.withoutOutput(type);
    const value = this.checker.getNonNullableType(held);
    if (this.checker.isArrayType(value)) {
      return this.isHeldInProgram(this.checker.getTypeArguments(value)[0]);
    }
    return value.isUnion()
      ? value.types.every((one) => this.isHeldInProgram(one))
      : value.symbol?.name in INSTEAD || basesOf(value).some(({ symbol }) => symbol?.name === 'Resource');
  }

  /** The cluster, of a component that gets it from its pools in TypeScript. */
  clusterOf(inputs) {
    const ofPools = (name) => {
      const input = inputs.find((one) => one.name === name);
      const type = input && this.withoutOutput(this.checker.getNonNullableType(this.checker.getTypeOfSymbol(input)));
      const item = type && this.checker.isArrayType(type) ? this.checker.getTypeArguments(type)[0] : type;
      return INSTEAD[item?.symbol?.name]?.is === INSTEAD.INodePool.is;
    };
    const name = inputs.some((one) => one.name === 'cluster') ? undefined : ['pools', 'pool'].find(ofPools);
    return name === undefined ? {} : { cluster: CLUSTER_OF[name] };
  }

  also(properties, owner) {
    return Object.entries(properties).map(([property, [type, description, need]]) => [
      property,
      { ...this.shape(this.typeNamed(type), `${owner}.${property}`, true), description },
      need !== 'required',
    ]);
  }

  /** Name, specification, and whether it may be left out. */
  properties(symbols, owner, isDeep) {
    return symbols.map((symbol) => {
      const path = `${owner}.${symbol.name}`;
      const declaration = symbol.declarations?.[0];
      const type = this.checker.getTypeOfSymbol(symbol);
      const given = declaration?.type === undefined ? type : this.checker.getTypeFromTypeNode(declaration.type);
      const shape = this.shape(given, path, isDeep || holdsOutput(type));
      // the properties of a Record have none
      const description = TEXTS[path] ?? (declaration === undefined ? TEXTS[owner] : this.textOf(symbol));
      if (!description) {
        this.failures.push(`${path} has no documentation`);
      }
      return [symbol.name, { ...shape, description }, (symbol.flags & ts.SymbolFlags.Optional) !== 0];
    });
  }

  /**
   * A type in the words of the schema.
   *
   * @param isDeep whether every value in it may be an Output: then nothing is plain
   */
  shape(given, path, isDeep) {
    const alias = given.aliasSymbol?.name;
    if (ANYTHING.includes(alias)) {
      return ANY;
    }
    if (typeof INSTEAD[alias]?.is === 'object') {
      return INSTEAD[alias].is;
    }
    const type = this.withoutOutput(given);
    const isInput = isDeep || type !== given;
    const spec = this.specification(type, path, isInput);
    // an object of which only some values are plain says so itself, and a list of such objects is as plain as they are
    const inner = spec.items ?? spec.additionalProperties;
    const isOwn = '$ref' in spec && this.types.get(spec.$ref.slice(REF.length))?.isMixed === true;
    return isInput || isOwn || spec.secret || (inner !== undefined && inner.plain !== true)
      ? spec
      : { ...spec, plain: true };
  }

  specification(type, path, isDeep) {
    const name = type.aliasSymbol?.name ?? type.symbol?.name;
    if (ANYTHING.includes(name) || type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) {
      return ANY;
    }
    if (name in INSTEAD) {
      return this.instead(INSTEAD[name]);
    }
    if (type.isUnion()) {
      return this.union(type, path, isDeep);
    }
    if (type.flags & ts.TypeFlags.StringLiteral) {
      return this.enumeration(nameFor(path), [type.value]);
    }
    if (type.flags & ts.TypeFlags.StringLike) {
      return { type: 'string' };
    }
    if (type.flags & ts.TypeFlags.NumberLike) {
      return { type: 'integer' };
    }
    if (type.flags & ts.TypeFlags.BooleanLike) {
      return { type: 'boolean' };
    }
    if (this.checker.isArrayType(type)) {
      const [item] = this.checker.getTypeArguments(type);
      const { plain, ...items } = this.shape(item, singular(path), isDeep);
      // an object that is only plain, in a list, is an undefined type in the SDK for Go; its properties are plain nevertheless
      const isObject = '$ref' in items && this.types.get(items.$ref.slice(REF.length))?.type === 'object';
      return { type: 'array', items: plain === true && !isObject ? { ...items, plain } : items };
    }
    if (type.getCallSignatures().length > 0) {
      this.failures.push(`${path} is a function: leave it out in plugin-differences.mjs`);
      return ANY;
    }
    return this.object(type, path, isDeep);
  }

  object(type, path, isDeep) {
    const properties = this.checker.getPropertiesOfType(type);
    const isMap = properties.length === 0 || properties.some(({ name }) => !/^\w+$/.test(name));
    if (isMap) {
      const items =
        this.checker.getIndexInfoOfType(type, ts.IndexKind.String)?.type ??
        (properties[0] && this.checker.getNonNullableType(this.checker.getTypeOfSymbol(properties[0])));
      if (items === undefined) {
        this.failures.push(`${path} has no properties`);
        return ANY;
      }
      return { type: 'object', additionalProperties: this.shape(items, singular(path), isDeep) };
    }
    return this.named(nameOf(type) ?? nameFor(path), isDeep, this.textOfType(type), () =>
      this.properties(properties, nameOf(type) ?? nameFor(path), isDeep),
    );
  }

  /** Another type in place of one that only programs in TypeScript can make. */
  instead({ is, of, text, members, without = [], and = {} }) {
    return members === undefined
      ? this.named(is, false, text, () => {
          const properties = this.checker.getPropertiesOfType(this.typeNamed(of));
          const kept = properties.filter(({ name }) => !without.includes(name));
          return [...this.properties(kept, is, false), ...this.also(and, is)];
        })
      : this.enumeration(is, this.members(members), text);
  }

  /** The instances of a class that it has itself. */
  members(name) {
    const known = require(join(root, 'lib/pulumi/index.js'))[name];
    return Object.values(known)
      .filter((value) => value instanceof known)
      .map((value) => value.name);
  }

  named(name, isDeep, description, read) {
    const known = this.types.get(name);
    if (known === undefined || (isDeep && !known.isDeep)) {
      // before its properties: types may hold each other
      this.types.set(name, hidden({}, { isDeep }));
      const all = read();
      const shapes = all.map(([, shape]) => shape);
      const type = {
        description: description || `${name}.`,
        type: 'object',
        properties: Object.fromEntries(all),
        required: all.filter(([, , isOptional]) => !isOptional).map(([property]) => property),
      };
      this.types.set(name, hidden(type, { isDeep, isMixed: shapes.some(({ plain }) => plain !== true) }));
    }
    return { $ref: `${REF}${name}` };
  }

  union(type, path, isDeep) {
    const members = type.types.filter((one) => !(one.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Null)));
    if (members.every((one) => one.flags & ts.TypeFlags.BooleanLike)) {
      return { type: 'boolean' };
    }
    if (members.length === 1) {
      return this.specification(this.withoutOutput(members[0]), path, isDeep);
    }
    if (members.every((one) => one.flags & ts.TypeFlags.StringLiteral)) {
      const text = type.aliasSymbol === undefined ? '' : this.textOf(type.aliasSymbol);
      return this.enumeration(
        type.aliasSymbol?.name ?? nameFor(path),
        members.map(({ value }) => value),
        text,
      );
    }
    if (members.every((one) => one.flags & ts.TypeFlags.StringLike || isText(one))) {
      return { type: 'string' };
    }
    const list = members.find((one) => this.checker.isArrayType(one));
    const item = list && this.checker.getTypeArguments(list)[0];
    const isItem = (one) => one === item || (item.isUnion() && item.types.includes(one));
    if (list && !(item.flags & ts.TypeFlags.StringLike) && members.every((one) => one === list || isItem(one))) {
      // one value or a list of them: the list
      return this.specification(list, path, isDeep);
    }
    const isBoolean = (one) => one.flags & ts.TypeFlags.BooleanLike;
    const isWord = (one) => one.flags & ts.TypeFlags.StringLiteral;
    const words = members.filter(isWord).map(({ value }) => value);
    const others = members.filter((one) => !isBoolean(one) && !isWord(one)).map((one) => this.shape(one, path, true));
    return {
      oneOf: [
        // a quantity may have a fraction
        ...others.map((one) => (one.type === 'integer' ? { type: 'number' } : one)),
        ...(words.length > 0 ? [this.enumeration(nameFor(path), words)] : []),
        ...(members.some(isBoolean) ? [{ type: 'boolean' }] : []),
      ],
    };
  }

  enumeration(name, values, description = '') {
    const known = this.types.get(name)?.enum.length ?? 0;
    if (known < values.length) {
      const members = [...values].sort().map((value) => ({ name: memberName(value), value }));
      this.types.set(name, {
        description: description || `One of ${[...values].sort().join(', ')}.`,
        type: 'string',
        enum: members,
      });
    }
    return { $ref: `${REF}${name}` };
  }

  /** The type of the value that an Input or Output holds. */
  withoutOutput(type) {
    if (type.aliasSymbol?.name === 'Input') {
      return this.withoutOutput(type.aliasTypeArguments[0]);
    }
    const output = type.isUnion() ? type.types.find(isOutputType) : isOutputType(type) ? type : undefined;
    const held = output?.aliasTypeArguments ?? (output && this.checker.getTypeArguments(output));
    return held === undefined ? type : this.withoutOutput(held[0]);
  }

  typeNamed(name) {
    const primitive = { string: 'getStringType', boolean: 'getBooleanType', integer: 'getNumberType' }[name];
    if (primitive !== undefined) {
      return this.checker[primitive]();
    }
    if (name.endsWith('[]')) {
      const item = this.typeNamed(name.slice(0, -2));
      return this.checker.createArrayType(item);
    }
    return this.checker.getDeclaredTypeOfSymbol(this.exported.find((symbol) => symbol.name === name));
  }

  textOfType(type) {
    const [first] = type.aliasTypeArguments ?? [];
    const symbol = first?.aliasSymbol ?? first?.symbol ?? type.aliasSymbol ?? type.symbol;
    return symbol === undefined ? '' : this.textOf(symbol);
  }

  /** The documentation of a symbol, and its default. */
  textOf(symbol) {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.checker));
    const tag = symbol.getJsDocTags(this.checker).find(({ name }) => name === 'default');
    const byDefault = tag && `Default: ${ts.displayPartsToString(tag.text).replace(/^- /, '')}.`;
    return inEveryLanguage([text, byDefault].filter(Boolean).join('\n').trim());
  }
}

const HIDDEN = ts.ModifierFlags.Private | ts.ModifierFlags.Protected | ts.ModifierFlags.Static;

function isAbstract(declaration) {
  return (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Abstract) !== 0;
}

function isOutputType(type) {
  return type.symbol?.name === 'OutputInstance' || type.aliasSymbol?.name === 'Output';
}

function holdsOutput(type) {
  return type.aliasSymbol?.name === 'Input' || isOutputType(type) || (type.isUnion() && type.types.some(isOutputType));
}

/** `string & {}`, which keeps the suggestions of an editor. */
function isText(type) {
  return type.isIntersection() && type.types.some((one) => one.flags & ts.TypeFlags.String);
}

/** The name of the interface: of WithInputs<Omit<X, …>> that of X. */
function nameOf(type) {
  const [first] = type.aliasTypeArguments ?? [];
  if (first !== undefined && first.flags & ts.TypeFlags.Object) {
    return nameOf(first);
  }
  if (type.isIntersection()) {
    return type.types.map(nameOf).find((name) => name !== undefined);
  }
  const name = type.aliasSymbol?.name ?? type.symbol?.name;
  return name === undefined || /^(__|Record$)/.test(name)
    ? undefined
    : (NAMES[name] ?? name.replace(/(Args|Props)$/, ''));
}

/** `NodeJoin.packages` becomes NodeJoinPackages. */
function nameFor(path) {
  const known = NAMES[path] ?? NAMES[path.replace(/^.*\./, '')];
  return known ?? path.replace(/\.(.)/g, (_, letter) => letter.toUpperCase());
}

function singular(path) {
  return path.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
}

/** `kube-proxy` becomes KubeProxy, `1.4` becomes V1_4. */
function memberName(value) {
  const name = value
    .replace(/^\*$/, 'all')
    .replace(/'s\b/, '')
    .replace(/^(?=\d)/, 'v')
    .replace(/\./g, '_')
    .replace(/(?:^|[^A-Za-z0-9_]+)(.)/g, (_, letter) => letter.toUpperCase());
  return /^[A-Z_]+$/.test(value)
    ? value.toLowerCase().replace(/(?:^|_)(.)/g, (_, letter) => letter.toUpperCase())
    : name;
}

function sorted(entries) {
  return Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** With properties that are not written. */
function hidden(object, properties) {
  return Object.defineProperties(
    object,
    Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, { value }])),
  );
}
