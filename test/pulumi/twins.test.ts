/** Every construct has a component of the same name with the same properties, and every component a construct. */
import { join } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '..', '..');
const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
  config: unknown;
};
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const entries = ['src/index.ts', 'src/pulumi/index.ts'].map((path) => join(root, path));
const program = ts.createProgram(entries, options);
const checker = program.getTypeChecker();

function classesOf(entry: string, base: string): Map<string, ts.Symbol> {
  const module = checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile) as ts.Symbol;
  const found = checker
    .getExportsOfModule(module)
    .map((symbol) => ((symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol))
    .filter((symbol) => (symbol.flags & ts.SymbolFlags.Class) !== 0 && isA(symbol, base) && !isAbstract(symbol));
  return new Map(found.map((symbol) => [symbol.name, symbol]));
}

function isA(symbol: ts.Symbol, base: string): boolean {
  return checker
    .getBaseTypes(checker.getDeclaredTypeOfSymbol(symbol) as ts.InterfaceType)
    .some((parent) => parent.symbol.name === base || isA(parent.symbol, base));
}

function isAbstract(symbol: ts.Symbol): boolean {
  const declaration = symbol.declarations?.find(ts.isClassDeclaration) as ts.ClassDeclaration;
  return (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Abstract) !== 0;
}

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
        documentation: ts.displayPartsToString(property.getDocumentationComment(checker)).trim(),
        default: property
          .getJsDocTags(checker)
          .filter(({ name }) => name === 'default')
          .map(({ text }) => ts.displayPartsToString(text))
          .join(),
      },
    ]),
  );
}

const constructs = classesOf(entries[0] as string, 'Construct');
const components = classesOf(entries[1] as string, 'ComponentResource');

/** Differences between the bindings, and the reasons. */
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  EdgeSystemComponents: { patchChart: 'Pulumi makes a patch resource of each partial object' },
  NodeJoin: { token: 'Pulumi has secrets, so the token may be one' },
  BootstrapToken: { token: 'Pulumi has secrets, so the token may be one' },
};

describe('the two bindings', () => {
  it('have the same nouns', () => {
    expect(constructs.size).toBeGreaterThan(11);
    expect([...components.keys()].sort()).toEqual([...constructs.keys()].sort());
  });

  it.each([...constructs.keys()])('%s has the same properties, with the same meaning and default', (name) => {
    const construct = propertiesOf(constructs.get(name) as ts.Symbol, 2);
    const component = propertiesOf(components.get(name) as ts.Symbol, 1);
    Object.keys(OWN[name] ?? {}).forEach((property) => {
      expect(construct.has(property) || component.has(property)).toBe(true);
      construct.delete(property);
      component.delete(property);
    });
    expect(construct.size).toBeGreaterThan(0);
    expect(Object.fromEntries(component)).toEqual(Object.fromEntries(construct));
  });
});
