/** Rules for the source files, in addition to the lint rules. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';
import rooms from '../scripts/rooms.json';

const root = resolve(__dirname, '..');
const src = join(root, 'src');

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}

const sources = filesBelow(src).filter((file) => file.endsWith('.ts'));

const OPTIONS = { languageVersion: ts.ScriptTarget.ES2022, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
const parsed = new Map(
  sources.map((file) => [file, ts.createSourceFile(file, readFileSync(file, 'utf8'), OPTIONS, true)]),
);
const parse = (file: string): ts.SourceFile => parsed.get(file) as ts.SourceFile;

function importsOf(file: string): string[] {
  return parse(file).statements.flatMap((statement) =>
    (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) && statement.moduleSpecifier !== undefined
      ? [(statement.moduleSpecifier as ts.StringLiteral).text]
      : [],
  );
}

function target(file: string, specifier: string): string {
  return specifier.startsWith('.') ? resolve(dirname(file), specifier.replace(/\.js$/, '.ts')) : specifier;
}

const roomOf = (file: string): string => relative(src, file).split(sep)[0] ?? '';
/** The entry points: they only export, but `testing`, which is of both frameworks. */
const DOORS = ['index.ts', 'types.ts', 'control-plane.ts', 'checks.ts', 'delivery.ts', 'testing.ts'];
/** A room imports only rooms above it in this list. */
const ORDER = [...rooms, 'constructs', 'pulumi', 'cli', ...DOORS, 'texts.d.ts'];
const BINDINGS = ['constructs', 'pulumi', 'cli', ...DOORS];
/** What writes and reads files, below commands and bindings. */
const WITH_FILES = ['base/output.ts', 'base/peers.ts', 'fleet/edge-validation.ts'].map((file) => join(src, file));

/** What lists the names of the doors. */
const ENTRIES = sources.filter(
  (file) => DOORS.includes(roomOf(file)) || /[\\/]index\.ts$|[\\/]pulumi[\\/](control-plane|delivery)\.ts$/.test(file),
);

/** Each file, and the files that it imports. */
const graph = new Map(
  sources.map((file) => [
    file,
    importsOf(file)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => target(file, specifier)),
  ]),
);

describe('the folders of src', () => {
  it('import only folders above them', () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((specifier) => specifier.startsWith('.'))
        .filter((specifier) => ORDER.indexOf(roomOf(target(file, specifier))) > ORDER.indexOf(roomOf(file)))
        .map((specifier) => `${relative(src, file)} -> ${specifier}`),
    );
    expect(sources.map(roomOf).filter((room) => !ORDER.includes(room))).toEqual([]);
    expect(wrong).toEqual([]);
  });

  it('are all in the list, and none is empty', () => {
    const rooms = new Set(sources.map(roomOf));
    expect(ORDER.filter((room) => !rooms.has(room))).toEqual([]);
  });

  it('are described in CONTRIBUTING, in this order', () => {
    const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    const described = [...page.matchAll(/^ {2}([a-z-]+)\/ {2,}\S/gm)].map(([, room]) => room);
    expect(described).toEqual(ORDER.filter((room) => !room.endsWith('.ts')));
  });

  it('of the plans are pure: no framework, no file, no clock, no randomness', () => {
    const pure = sources.filter((file) => !BINDINGS.includes(roomOf(file)) && !WITH_FILES.includes(file));
    const packages = new Set(
      pure.flatMap((file) => importsOf(file).filter((specifier) => !/^\.|\.(sh|html)$/.test(specifier))),
    );
    // node:zlib only for gzip, which is deterministic; node:path and node:util for stack traces of errors
    expect([...packages].sort()).toEqual([
      'csv-parse/sync',
      'diff',
      'node:crypto',
      'node:net',
      'node:path',
      'node:util',
      'node:zlib',
      'yaml',
    ]);
    // neither random nor secret: a digest, and whether certificates and keys that are given belong together
    const taken = pure.flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/import \{ (.*) \} from 'node:crypto'/g),
    ]);
    const names = new Set(taken.flatMap(([, list = '']) => list.replaceAll('type ', '').split(', ')));
    expect([...names].sort()).toEqual(['KeyObject', 'X509Certificate', 'createHash', 'createPrivateKey']);
    const impure = /\bDate\.now|new Date\(\)|Math\.random|process\./;
    const found = pure.filter((file) => impure.test(readFileSync(file, 'utf8'))).map((file) => relative(src, file));
    // the programs that they print read the environment
    expect(found.filter((file) => !/^adopt\b.*program/.test(file))).toEqual([]);
  });

  it('of the control plane are behind a door of their own: the core loads none of them', () => {
    const isControlPlane = (file: string): boolean => relative(src, file).includes('control-plane');
    const reached = (...entries: string[]): string[] => {
      const all = new Set(entries.map((entry) => join(src, entry)));
      // a set yields what is added while it is read
      all.forEach((file) => (graph.get(file) ?? []).forEach((next) => all.add(next)));
      return [...all].map((file) => relative(src, file));
    };
    const core = reached('index.ts', 'pulumi/index.ts', 'cli/main.ts', 'testing.ts');
    expect(core.filter((file) => isControlPlane(join(src, file)))).toEqual([]);
    const both = reached('control-plane.ts', 'pulumi/control-plane.ts');
    const all = sources.map((file) => relative(src, file)).filter((file) => isControlPlane(join(src, file)));
    expect(all.length).toBeGreaterThan(30);
    expect(all.filter((file) => !both.includes(file))).toEqual([]);
  });

  it('have no import cycles', () => {
    const state = new Map<string, 'open' | 'done'>();
    const cycles: string[] = [];
    const visit = (file: string, trail: string[]): void => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        cycles.push([...trail.slice(trail.indexOf(file)), file].map((step) => relative(src, step)).join(' -> '));
        return;
      }
      state.set(file, 'open');
      (graph.get(file) ?? []).forEach((next) => visit(next, [...trail, file]));
      state.set(file, 'done');
    };
    sources.forEach((file) => visit(file, []));
    expect(graph.size).toBeGreaterThan(30);
    expect(cycles).toEqual([]);
  });

  it('have no version outside of the release table', () => {
    const found: string[] = [];
    const tables = ['openyurt-releases.ts', 'kubernetes-minors.ts'].map((name) => join(src, 'cluster', name));
    for (const file of sources.filter((candidate) => !tables.includes(candidate))) {
      const visit = (node: ts.Node): void => {
        // a YAML version is not a release
        const isYamlVersion =
          ts.isPropertyAssignment(node.parent ?? node) &&
          (node.parent as ts.PropertyAssignment).name.getText() === 'version';
        if (ts.isStringLiteralLike(node) && /^v?1\.\d+(\.\d+)?$/.test(node.text) && !isYamlVersion) {
          found.push(`${relative(src, file)}: ${node.text}`);
        }
        ts.forEachChild(node, visit);
      };
      visit(parse(file));
    }
    expect(found).toEqual([]);
  });

  it('have files of at most 700 lines and names in kebab-case', () => {
    const long = [...sources, ...filesBelow(join(root, 'test')).filter((file) => file.endsWith('.ts'))].filter(
      (file) => readFileSync(file, 'utf8').split('\n').length > 701,
    );
    expect(long.map((file) => relative(root, file))).toEqual([]);
    expect(
      sources
        .map((file) => relative(src, file))
        .filter((file) => !/^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.ts$/.test(file)),
    ).toEqual([]);
    expect(sources.filter((file) => /util|helper|common|misc/.test(relative(src, file)))).toEqual([]);
  });

  it('export by a door or an index.ts whatever has an @category, the section of API.md', () => {
    const lists = [...ENTRIES].map((file) => readFileSync(file, 'utf8')).join('\n');
    const declared = sources.flatMap((file) =>
      [
        ...readFileSync(file, 'utf8').matchAll(
          /\/\*\*(?<comment>(?:(?!\*\/)[^])*)\*\/\n(?:\/\/[^\n]*\n)*export (?:abstract )?(?:async )?(?:class|interface|type|function|enum|const) (?<name>\w+)/g,
        ),
      ]
        .filter(({ groups }) => groups?.comment?.includes('@category '))
        .map(({ groups }) => ({ name: groups?.name ?? '', file })),
    );
    expect(declared.length).toBeGreaterThan(200);
    expect(
      declared.filter(({ name, file }) => !ENTRIES.includes(file) && !new RegExp(`\\b${name}\\b`).test(lists)),
    ).toEqual([]);
  });

  it('export what the scripts take from them', () => {
    const scripts = filesBelow(join(root, 'scripts')).filter((file) => file.endsWith('.mjs'));
    const taken = scripts.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/const \{ (.*?) \} = source\('(.*?)'\)/g)].flatMap(
        ([, names = '', path = '']) => names.split(', ').map((name) => ({ name, path })),
      ),
    );
    const isExported = ({ name, path }: { name: string; path: string }): boolean =>
      new RegExp(`^export ((async )?function|class|enum|const|\\{[^}]*) ?\\b${name}\\b`, 'm').test(
        parse(join(src, path)).text,
      );
    expect(taken.length).toBeGreaterThan(5);
    expect(taken.filter((one) => one.path !== 'index.ts' && !isExported(one))).toEqual([]);
  });

  it('have constructs and components of at most 40 lines of code: the rules are in the plan', () => {
    const classes = sources
      .filter((file) => ['constructs', 'pulumi'].includes(roomOf(file)))
      .flatMap((file) => parse(file).statements.filter(ts.isClassDeclaration))
      .filter(({ heritageClauses }) =>
        heritageClauses?.some(({ types }) =>
          /^(Construct|EdgeComponent|NodePoolComponent)\b/.test(types[0]?.getText() ?? ''),
        ),
      )
      .map((node) => ({
        name: node.name?.text,
        isBase: node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword),
        node,
      }))
      .filter(({ isBase }) => isBase !== true);
    const linesOf = (node: ts.Node): number =>
      node
        .getText()
        .replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '')
        .split('\n')
        .filter((line) => line.trim() !== '').length;
    expect(classes.length).toBeGreaterThan(30);
    expect(classes.filter(({ node }) => linesOf(node) > 40).map(({ name }) => name)).toEqual([]);
  });

  it('have only declarations at the top level', () => {
    const topLevelCalls = sources.flatMap((file) =>
      parse(file)
        .statements.filter((statement) => ts.isExpressionStatement(statement))
        .map((statement) => `${relative(src, file)}: ${statement.getText().slice(0, 60)}`),
    );
    expect(topLevelCalls).toEqual([]);
  });
});

it('is no larger than its bounds: npm run house', () => {
  const { stdout, status } = spawnSync(process.execPath, [join(root, 'scripts/house.mjs'), '--check'], {
    encoding: 'utf8',
  });
  expect(status === 0 ? '' : stdout).toBe('');
});

it.each([
  ['README.md', 10],
  ['CONTRIBUTING.md', 18],
  ['API.md', 150],
])('%s is read as a whole: at most %i KB', (page, most) => {
  expect(readFileSync(join(root, page)).length).toBeLessThanOrEqual(most * 1000);
});

it('a property has a seed, so that a test is red only by a change', () => {
  const tests = filesBelow(__dirname).filter((file) => file.endsWith('.ts'));
  const unseeded = tests.flatMap((file) => {
    const content = readFileSync(file, 'utf8');
    if (!/\bfc\.(?:assert|sample)\b/.test(content)) {
      return [];
    }
    const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true);
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && ['fc.assert', 'fc.sample'].includes(node.expression.getText(source))) {
        const text = node.getText(source);
        if (!/\bruns\(|\bseed\b/.test(text)) {
          found.push(`${relative(__dirname, file)}: ${text.slice(0, 60)}`);
        }
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
  expect(unseeded).toEqual([]);
});

it('every trap of the policies names its test, and the test exists', () => {
  const [, ...traps] = readFileSync(join(root, 'docs/admission-traps.md'), 'utf8').split(/^## /m);
  expect(traps.length).toBeGreaterThan(10);
  const groups = filesBelow(join(__dirname, 'e2e/groups')).filter((file) => file.endsWith('.ts'));
  const code = groups.map((file) => readFileSync(file, 'utf8')).join('\n');
  // a number in the page may be a variable in the test
  const isTest = (text: string): boolean =>
    new RegExp(
      text
        .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replace(/\b(?:v\d\w*|[\d,\\.]*\d)\b/g, (number) => `(?:${number}|\\$\\{[^}]*\\})`),
    ).test(code);
  const wrong = traps.flatMap((trap) => {
    const [name = ''] = trap.split('\n');
    const [, tests = ''] = /Tests?: ([^]*?)(?:\n\n|\n?$)/.exec(trap) ?? [];
    const groupNames = [...tests.matchAll(/(?:^|, |; )`([a-z-]+)`/g)].map(([, group = '']) => `name: '${group}'`);
    const files = [...tests.matchAll(/`([a-z-]+\.ts)`/g)].map(([, file = '']) => sep + file);
    const quoted = [...tests.matchAll(/"([^"]+)"/g)].map(([, text = '']) => text);
    return [
      ...(groupNames.length === 0 ? [`${name}: no group`] : []),
      ...groupNames.filter((group) => !code.includes(group)),
      ...files.filter((file) => !groups.some((path) => path.endsWith(file))),
      ...quoted.filter((text) => !isTest(text)).map((text) => `${name}: ${text}`),
    ];
  });
  expect(wrong).toEqual([]);
});
