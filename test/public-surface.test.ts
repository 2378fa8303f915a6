// All exports of the entry points are documented, listed and tested, and each construct has a component of the same name with the same properties.
// Every message lists all violations.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '..');
/** For cdk8s and for Pulumi: the core, and the control plane; and the checks, for both. */
const doors = ['index.ts', 'types.ts', 'control-plane.ts', 'checks.ts', 'delivery.ts'].map((name) =>
  join(root, 'src', name),
);
const PAGES = [
  'API.md',
  join('docs', 'api-checks.md'),
  join('docs', 'api-control-plane.md'),
  join('docs', 'api-delivery.md'),
];
const pulumiDoors = ['index.ts', 'control-plane.ts', 'delivery.ts'].map((name) => join(root, 'src', 'pulumi', name));
const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
  config: unknown;
};
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const program = ts.createProgram([...doors, ...pulumiDoors], options, hostOf(options));
const checker = program.getTypeChecker();

/** Resolves the imports of the library but not those of its dependencies: they are most of what the compiler would read, and no test needs them. */
function hostOf(settings: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(settings);
  const cache = ts.createModuleResolutionCache(root, (path) => path, settings);
  const resolve = (name: ts.StringLiteralLike, from: ts.SourceFile): ts.ResolvedModuleWithFailedLookupLocations => {
    const isFollowed = name.text.startsWith('.') || !from.fileName.includes('/node_modules/');
    const mode = ts.getModeForUsageLocation(from, name, settings);
    return isFollowed
      ? ts.resolveModuleName(name.text, from.fileName, settings, host, cache, undefined, mode)
      : { resolvedModule: undefined };
  };
  host.resolveModuleNameLiterals = (names, _file, _redirected, _settings, from) =>
    names.map((name) => resolve(name, from));
  host.resolveTypeReferenceDirectiveReferences = (types: readonly unknown[]) =>
    types.map(() => ({ resolvedTypeReferenceDirective: undefined }));
  return host;
}

/** All exports of an entry point, with aliases resolved to their declarations. */
function exportsOf(entry: string): ts.Symbol[] {
  return checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile) as ts.Symbol)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
}

const main = doors.flatMap(exportsOf);
const ofChecks = exportsOf(join(root, 'src', 'checks.ts')).map(({ name }) => name);
/** Exports of only the components; all others are exported by both. */
const components = pulumiDoors.flatMap(exportsOf).filter((symbol) => !main.includes(symbol));
const exported = [...main, ...components];

const has = (symbol: ts.Symbol, flags: ts.SymbolFlags): boolean => (symbol.flags & flags) !== 0;
const textOf = (symbol: ts.Symbol): string => ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
const tagsOf = (symbol: ts.Symbol): string[] =>
  symbol
    .getJsDocTags(checker)
    .filter(({ text }) => ts.displayPartsToString(text).trim() !== '')
    .map(({ name }) => name);
const isOurs = (symbol: ts.Symbol): boolean =>
  (symbol.declarations ?? []).some((declaration) =>
    declaration.getSourceFile().fileName.startsWith(join(root, 'src').replaceAll('\\', '/')),
  );

/** Properties of the exported interfaces, also those of interfaces that are extended and not exported. */
function propertiesOfInterfaces(): { readonly path: string; readonly property: ts.Symbol }[] {
  return (
    exported
      // a class that is also an interface inherits its attributes from an exported one
      .filter((symbol) => has(symbol, ts.SymbolFlags.Interface) && !has(symbol, ts.SymbolFlags.Class))
      .flatMap((symbol) =>
        checker
          .getDeclaredTypeOfSymbol(symbol)
          .getProperties()
          .filter(isOurs)
          .map((property) => ({ path: `${symbol.name}.${property.name}`, property })),
      )
  );
}

const classes = exported.filter((symbol) => has(symbol, ts.SymbolFlags.Class));

function declarationOf(symbol: ts.Symbol): ts.ClassDeclaration {
  return symbol.declarations?.find(ts.isClassDeclaration) as ts.ClassDeclaration;
}

/** Whether a class extends a class of one of these names, directly or not. */
function isA(symbol: ts.Symbol, names: readonly string[]): boolean {
  const bases = checker.getBaseTypes(checker.getDeclaredTypeOfSymbol(symbol) as ts.InterfaceType);
  return bases.some((base) => names.includes(base.symbol.name) || isA(base.symbol, names));
}

function isVisible(declaration: ts.Declaration): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected | ts.ModifierFlags.Abstract;
  const isInternal = ts.getJSDocTags(declaration).some(({ tagName }) => tagName.text === 'internal');
  return !isInternal && (ts.getCombinedModifierFlags(declaration) & hidden) === 0;
}

function throwsNothing(declaration: ts.Node): boolean {
  return !ts.getJSDocTags(declaration).some(({ tagName }) => tagName.text === 'throws');
}

/** Static methods that return one object of a class or an interface that is exported. */
function factoriesOf(symbol: ts.Symbol): ts.MethodDeclaration[] {
  return declarationOf(symbol)
    .members.filter(ts.isMethodDeclaration)
    .filter((method) => (ts.getCombinedModifierFlags(method) & ts.ModifierFlags.Static) !== 0 && isVisible(method))
    .filter((method) => {
      const signature = checker.getSignatureFromDeclaration(method) as ts.Signature;
      return exported.includes(checker.getReturnTypeOfSignature(signature).symbol);
    });
}

/** All other tests, as text, of constructs or of components. */
function testTexts(ofComponents: boolean): string[] {
  const found = (folder: string): string[] =>
    existsSync(folder)
      ? readdirSync(folder, { withFileTypes: true, recursive: true })
          .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
          .map((entry) => join(entry.parentPath, entry.name))
          .filter((file) => !relative(root, file).split(/[\\/]/).includes('dist'))
      : [];
  return [join(root, 'test'), join(root, 'examples')]
    .flatMap(found)
    .filter((file) => file !== __filename && /[\\/]pulumi/.test(relative(root, file)) === ofComponents)
    .map((file) => readFileSync(file, 'utf8'));
}

/** What a user has to know: a type that is written once, and never by its name, is part of the property that it is of. */
test.each([
  ['index.ts', 40, 100],
  ['control-plane.ts', 40, 70],
  ['checks.ts', 5, 30],
  ['delivery.ts', 5, 40],
])('src/%s exports %i to %i names, and the page of the API has each once', (entry, fewest, most) => {
  const names = exportsOf(join(root, 'src', entry)).map(({ name }) => name);
  const page = entry === 'index.ts' ? 'API.md' : join('docs', `api-${entry.replace('.ts', '.md')}`);
  const headings = readFileSync(join(root, page), 'utf8').match(/^### \w+$/gm) ?? [];
  expect(names.length).toBeGreaterThan(fewest);
  expect(names.length).toBeLessThanOrEqual(most);
  // the page of the core has the types of single properties, too
  const all =
    entry === 'index.ts' ? [...names, ...exportsOf(join(root, 'src', 'types.ts')).map(({ name }) => name)] : names;
  expect(headings.map((heading) => heading.slice('### '.length)).sort()).toEqual(all.sort());
});

test('the entry points of both bindings have exports, most of them in common', () => {
  expect(main.length).toBeGreaterThan(100);
  expect(components.length).toBeGreaterThan(30);
  expect(pulumiDoors.flatMap(exportsOf).length - components.length).toBeGreaterThan(100);
});

test('no door exports what another one for the same framework exports', () => {
  const repeated = [doors, pulumiDoors].flatMap(([core = '', ...others]) => {
    const names = exportsOf(core).map(({ name }) => name);
    return others.flatMap(exportsOf).filter(({ name }) => names.includes(name));
  });
  expect(repeated.map(({ name }) => name)).toEqual([]);
});

test('every exported symbol has a docstring', () => {
  expect(exported.filter((symbol) => textOf(symbol) === '').map(({ name }) => name)).toEqual([]);
});

test('every exported symbol has a @category, the section of API.md', () => {
  expect(exported.filter((symbol) => !tagsOf(symbol).includes('category')).map(({ name }) => name)).toEqual([]);
});

test('every property of an exported interface has a docstring', () => {
  const bare = propertiesOfInterfaces().filter(({ property }) => textOf(property) === '');
  expect(bare.map(({ path }) => path)).toEqual([]);
});

test('every optional property of an exported interface has a @default', () => {
  const bare = propertiesOfInterfaces()
    .filter(({ property }) => has(property, ts.SymbolFlags.Optional))
    .filter(({ property }) => !tagsOf(property).includes('default'));
  expect(bare.map(({ path }) => path)).toEqual([]);
});

test('every constructor of an exported construct or component has a @throws', () => {
  const silent = classes
    .filter((symbol) => isA(symbol, ['Construct', 'ComponentResource']) && isVisible(declarationOf(symbol)))
    .filter((symbol) => {
      const constructors = declarationOf(symbol).members.filter(ts.isConstructorDeclaration).filter(isVisible);
      return constructors.length === 0 || constructors.every(throwsNothing);
    });
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('every static factory has a @throws', () => {
  const silent = classes.flatMap((symbol) =>
    factoriesOf(symbol)
      .filter(throwsNothing)
      .map((method) => `${symbol.name}.${method.name.getText()}`),
  );
  expect(silent).toEqual([]);
});

test.each([
  [PAGES, main, ''],
  [['pulumi', 'control-plane', 'delivery'].map((page) => join('docs', `api-${page}.md`)), components, ' (Pulumi)'],
])('every exported name is a heading of %s (npm run docs generates it)', (paths, symbols, suffix) => {
  const pages = paths.map((path) => join(root, path)).filter((page) => existsSync(page));
  const lines = pages.flatMap((page) => readFileSync(page, 'utf8').split(/\r?\n/));
  const headings = symbols.map(({ name }) => `${name}${suffix}`);
  expect(headings.filter((heading) => !lines.includes(`### ${heading}`))).toEqual([]);
});

/** Two sections that refer to each other cannot both come before every mention of their names; so the contents have every name. */
test.each([
  // the page of the checks has a few names, all in its contents
  ['API.md', (_: readonly string[], name: string) => !ofChecks.includes(name)],
  [join('docs', 'api-control-plane.md'), (lines: readonly string[], name: string) => lines.includes(`### ${name}`)],
])(
  'whoever searches for a name in %s finds its heading first, or a link to it in the contents',
  (page, isOf: (lines: readonly string[], name: string) => boolean) => {
    const lines = readFileSync(join(root, page), 'utf8').split(/\r?\n/);
    const end = lines.indexOf(
      '',
      lines.findIndex((line) => line.startsWith('- [')),
    );
    const names = main.map(({ name }) => name).filter((name) => isOf(lines, name));
    const found = names.flatMap((name) => {
      const index = lines.findIndex((line) => new RegExp(`(?<!\\w)${name}(?!\\w)`).test(line));
      return index < 0 ? [] : [{ name, line: lines[index] as string, isOfContents: index < end }];
    });
    const isFirst = ({ name, line, isOfContents }: (typeof found)[number]): boolean =>
      line === `### ${name}` || (isOfContents && /^ *- /.test(line) && line.includes(`[\`${name}\`]`));
    expect(found.length).toBeGreaterThan(40);
    expect(found.filter((each) => !isFirst(each))).toEqual([]);
  },
);

test.each([
  ['constructs', main, false],
  ['components', components, true],
])('every exported value is mentioned in a test of %s', (_, symbols, ofComponents) => {
  const texts = testTexts(ofComponents);
  const isMentioned = ({ name }: ts.Symbol): boolean => texts.some((text) => new RegExp(`\\b${name}\\b`).test(text));
  const values = symbols.filter((symbol) => has(symbol, ts.SymbolFlags.Value));
  expect(values.filter((symbol) => !isMentioned(symbol)).map(({ name }) => name)).toEqual([]);
});

interface Property {
  readonly isOptional: boolean;
  readonly documentation: string;
  readonly default: string;
}

/** The properties of a class, by name: the parameter of its constructor at this position. */
function propertiesOf(symbol: ts.Symbol, position: number): Map<string, Property> {
  const type = checker.getTypeOfSymbolAtLocation(symbol, symbol.valueDeclaration as ts.Declaration);
  const [signature] = type.getConstructSignatures();
  const parameter = signature?.getParameters()[position] as ts.Symbol;
  const given = checker.getTypeOfSymbolAtLocation(parameter, parameter.valueDeclaration as ts.Declaration);
  return new Map(
    checker.getPropertiesOfType(given).map((property) => [
      property.name,
      {
        isOptional: (property.flags & ts.SymbolFlags.Optional) !== 0,
        // where its lines break means nothing
        documentation: textOf(property).replace(/\s+/g, ' '),
        default: property
          .getJsDocTags(checker)
          .filter(({ name }) => name === 'default')
          .map(({ text }) => ts.displayPartsToString(text))
          .join(),
      },
    ]),
  );
}

/** The exported classes of one binding that extend this class and are not abstract. */
function nounsOf(entries: readonly string[], base: string): Map<string, ts.Symbol> {
  const found = entries.flatMap(exportsOf).filter((symbol) => has(symbol, ts.SymbolFlags.Class) && isA(symbol, [base]));
  return new Map(found.filter((symbol) => !isAbstract(symbol)).map((symbol) => [symbol.name, symbol]));
}

function isAbstract(symbol: ts.Symbol): boolean {
  return (ts.getCombinedModifierFlags(declarationOf(symbol)) & ts.ModifierFlags.Abstract) !== 0;
}

/** Differences between the bindings, and the reasons. */
const AWAIT = { await: 'cdk8s waits for nothing' };
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  EdgeSystemComponents: {
    ...AWAIT,
    patchChart: 'Pulumi makes a patch resource of each partial object',
    fieldManager: 'cdk8s applies nothing',
    force: 'cdk8s applies nothing',
  },
  EdgePreconditions: { fieldManager: 'cdk8s applies nothing' },
  ExcludedWorkload: AWAIT,
  HostNetworkWorkload: AWAIT,
  NodeJoin: {
    token: 'Pulumi has secrets, so the token may be one',
    retainPublished: 'cdk8s destroys nothing',
  },
  ManilaCredentials: { inManifest: 'Pulumi has secrets' },
  KuryrKubernetes: { inManifest: 'Pulumi has secrets' },
  BootstrapToken: { token: 'Pulumi has secrets, so the token may be one' },
  FleetDelivery: { folder: 'an app of cdk8s has a folder', prune: 'an EdgeApp has it' },
};

describe('the two bindings', () => {
  const constructs = nounsOf(doors, 'Construct');
  const ofPulumi = nounsOf(pulumiDoors, 'ComponentResource');

  it('have the same nouns', () => {
    expect(constructs.size).toBeGreaterThan(11);
    expect([...ofPulumi.keys()].sort()).toEqual([...constructs.keys()].sort());
  });

  it.each([...constructs.keys()])('%s has the same properties, with the same meaning and default', (name) => {
    const construct = propertiesOf(constructs.get(name) as ts.Symbol, 2);
    const component = propertiesOf(ofPulumi.get(name) as ts.Symbol, 1);
    Object.keys(OWN[name] ?? {}).forEach((property) => {
      expect(construct.has(property) || component.has(property)).toBe(true);
      construct.delete(property);
      component.delete(property);
    });
    expect(construct.size).toBeGreaterThan(0);
    expect(Object.fromEntries(component)).toEqual(Object.fromEntries(construct));
  });
});
