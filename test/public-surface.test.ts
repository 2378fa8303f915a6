// All exports of the two entry points are documented, listed and tested. Every message lists all violations.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '..');
const entries = [join(root, 'src', 'index.ts'), join(root, 'src', 'pulumi', 'index.ts')] as const;
const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
  config: unknown;
};
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const program = ts.createProgram([...entries], options);
const checker = program.getTypeChecker();

/** All exports of an entry point, with aliases resolved to their declarations. */
function exportsOf(entry: string): ts.Symbol[] {
  return checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile) as ts.Symbol)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
}

const main = exportsOf(entries[0]);
/** Exports of only the components; all others are exported by both. */
const components = exportsOf(entries[1]).filter((symbol) => !main.includes(symbol));
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
  return exported
    .filter((symbol) => has(symbol, ts.SymbolFlags.Interface))
    .flatMap((symbol) =>
      checker
        .getDeclaredTypeOfSymbol(symbol)
        .getProperties()
        .filter(isOurs)
        .map((property) => ({ path: `${symbol.name}.${property.name}`, property })),
    );
}

const classes = exported.filter((symbol) => has(symbol, ts.SymbolFlags.Class));

function declarationOf(symbol: ts.Symbol): ts.ClassDeclaration {
  return symbol.declarations?.find(ts.isClassDeclaration) as ts.ClassDeclaration;
}

function isConstruct(symbol: ts.Symbol): boolean {
  const bases = checker.getBaseTypes(checker.getDeclaredTypeOfSymbol(symbol) as ts.InterfaceType);
  return bases.some(
    (base) => ['Construct', 'ComponentResource'].includes(base.symbol.name) || isConstruct(base.symbol),
  );
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

test('both entry points have exports, most of them in common', () => {
  expect(main.length).toBeGreaterThan(100);
  expect(components.length).toBeGreaterThan(30);
  expect(exportsOf(entries[1]).length - components.length).toBeGreaterThan(100);
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
    .filter((symbol) => isConstruct(symbol) && isVisible(declarationOf(symbol)))
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

test('every exported name is a heading of API.md (npm run docs generates it)', () => {
  const page = join(root, 'API.md');
  const lines = existsSync(page) ? readFileSync(page, 'utf8').split(/\r?\n/) : [];
  const headings = [...main.map(({ name }) => name), ...components.map(({ name }) => `${name} (Pulumi)`)];
  expect(headings.filter((heading) => !lines.includes(`### ${heading}`))).toEqual([]);
});

test.each([
  ['constructs', main, false],
  ['components', components, true],
])('every exported value is mentioned in a test of %s', (_, symbols, ofComponents) => {
  const texts = testTexts(ofComponents);
  const isMentioned = ({ name }: ts.Symbol): boolean => texts.some((text) => new RegExp(`\\b${name}\\b`).test(text));
  const values = symbols.filter((symbol) => has(symbol, ts.SymbolFlags.Value));
  expect(values.filter((symbol) => !isMentioned(symbol)).map(({ name }) => name)).toEqual([]);
});
