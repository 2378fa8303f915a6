/** Objects whose names are words of TypeScript, files of Jest or members of every object: the program compiles, and makes the same objects. */
import { distOf, imported, stacksOf, objectsOf, RELEASES, sorted, sourcesOf } from './programs.js';
import fc from 'fast-check';
import { Testing } from '../../src/testing.js';
import { isFullDepth, runs } from '../depth.js';
import { anyCharacter } from '../properties/hostile-text.js';

const NAMES = [
  ...['class', 'default', 'delete', 'constructor', 'new', 'await', 'async', 'let', 'static', 'yield', 'null', 'true'],
  ...[
    'undefined',
    'this',
    '1st',
    '0',
    'a.b',
    'a-b',
    'ab',
    'import',
    'type',
    'interface',
    'of',
    'app',
    'chart',
    'cluster',
  ],
  ...['pool', 'pools', 'index', 'construct', 'process', 'require', 'module', 'exports', 'console', 'string', 'object'],
  ...['main', 'test', 'spec', 'fleet', 'node-modules', 'dist', 'eval', 'arguments', 'con'],
];

const objects = NAMES.filter(
  (name, index) => isFullDepth || ['default', 'test', 'spec'].includes(name) || index % 3 === 0,
).flatMap((name, index) => {
  const namespace = name.replace('.', '-');
  const deployment = (of: string) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: of, labels: { 'app.kubernetes.io/name': name } },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          hostNetwork: true,
          nodeSelector: { 'apps.openyurt.io/nodepool': name },
          containers: [{ name: 'web', image: 'registry.example/web:1' }],
        },
      },
    },
  });
  return [
    {
      apiVersion: 'apps.openyurt.io/v1beta2',
      kind: 'NodePool',
      metadata: { name, ...(index % 3 === 0 ? { labels: { name } } : {}) },
      spec: { type: 'Edge', hostNetwork: true, labels: { [name]: 'v' } },
    },
    deployment(namespace),
    ...(name === 'default' ? [] : [deployment('default')]),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { [name]: 'v', constructor: 'x' } },
  ];
});

beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => jest.restoreAllMocks());

it('makes the same objects, in files that Jest does not take for tests', () => {
  const program = imported(objects);
  expect(objectsOf(program)).toEqual(sorted(objects));
  const files = program.files.map(({ path }) => path);
  expect(files.filter((path) => /(^|\/)(test|spec)\.ts$/.test(path))).toEqual([]);
});

/** Random objects: none is lost, and none is changed. */
describe('a CustomResourceDefinition', () => {
  const crd = (name: string, fields: object): any => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: { group: 'example.com', scope: 'Namespaced', ...fields },
  });
  // what readers of YAML 1.1 and 1.2 take for something else
  const TEXTS = [
    'on',
    'y',
    '0o7',
    '017',
    '1:30',
    '1e3',
    '2026-01-02',
    '~',
    '<<',
    '\tx\n y',
    '\n a',
    'a \n\n',
    '\u2028 # x: y',
  ];
  const DEFINITIONS = [
    crd('sites.example.com', {
      enum: TEXTS,
      properties: Object.fromEntries(TEXTS.filter((key) => key !== '<<').map((key, at) => [key, at])),
    }),
    crd('a-b.c', { maximum: 2 ** 63, minimum: -0.5 }),
    crd('a.b-c', {}),
    crd('A.example.com', {}),
    crd('Ä.example.com', {}),
  ];

  it('is a file of YAML, of which the program makes the same object', async () => {
    const programs = [imported(DEFINITIONS, 'cdk8s', RELEASES), imported(DEFINITIONS, 'pulumi', RELEASES)] as const;
    for (const { files } of programs) {
      const definitions = files.filter(({ path }) => path.startsWith('crds/')).map(({ path }) => path);
      expect(definitions).toHaveLength(DEFINITIONS.length);
      expect(definitions).toContain('crds/sites.example.com.yaml');
      expect(files.filter(({ path, content }) => path.endsWith('.ts') && content.includes('Namespaced'))).toEqual([]);
    }
    const [app, stack] = programs;
    expect(objectsOf(app)).toEqual(sorted(DEFINITIONS));
    const { objects: made } = await Testing.preview(() => stacksOf(stack));
    expect(sorted(made)).toEqual(sorted(DEFINITIONS));
  });

  it('imported again is the same file', () => {
    // App of cdk8s itself writes some of the texts otherwise, EdgeApp does not
    const program = imported(DEFINITIONS.slice(1), 'cdk8s', RELEASES);
    expect(sourcesOf(imported(distOf(program), 'cdk8s', RELEASES))).toEqual(sourcesOf(program));
  });

  it('with fields that cdk8s leaves out or reads otherwise is not a file of YAML', () => {
    const definitions = [
      crd('b.example.com', { default: null }),
      crd('c.example.com', { constructor: { type: 'string' } }),
      crd('d.example.com', { '<<': { type: 'string' } }),
    ];
    const program = imported(definitions, 'cdk8s', RELEASES);
    expect(program.files.map(({ path }) => path)).toContain('cluster/custom-resource-definitions.ts');
    expect(objectsOf(program)).toEqual(sorted(definitions));
  });
});

describe('random objects', () => {
  const key = fc.oneof(
    fc.constantFrom('constructor', 'class', 'a-b', 'ключ', '8080', '1_0', 'toString', 'data', ''),
    fc.string({ maxLength: 8 }).filter((text) => text !== '__proto__'),
  );
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 12 }),
    fc.constantFrom("it's", '"both" it\'s', '`${x}`\n', 'a\nb\\n${c}`\n', '\u2028', '\ud800', '\r\nx\n', 'yes', '0x1f'),
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .filter((number) => !Number.isInteger(number) || Number.isSafeInteger(number)),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(key, tie('any'), { maxKeys: 4 }),
    ),
  })).any;
  const texts = fc.dictionary(key, text, { maxKeys: 3 });
  const name = fc.oneof(
    fc.constantFrom(
      'class',
      'default',
      'await',
      'web',
      'web-1',
      'node-modules',
      '1st',
      'имя',
      '你好',
      'a.b.c',
      'constructor',
      'test',
      'spec',
    ),
    fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,20}$/),
  );

  const object = fc.record(
    {
      apiVersion: fc.constantFrom('v1', 'apps/v1', 'apps.openyurt.io/v1beta2', 'example.com/v1'),
      kind: fc.constantFrom('ConfigMap', 'Deployment', 'DaemonSet', 'NodePool', 'Service', 'Widget', 'class', 'Secret'),
      metadata: fc.record(
        { name, namespace: name, labels: texts, annotations: texts, finalizers: fc.array(text, { maxLength: 2 }) },
        { requiredKeys: ['name'] },
      ),
      spec: value,
      data: fc.dictionary(key, text, { maxKeys: 3 }),
      extra: value,
    },
    { requiredKeys: ['apiVersion', 'kind', 'metadata'] },
  );
  // others are refused, as by an API server
  const isKey = /^(?!\.\.|\.$)[-._a-zA-Z0-9]+$/;
  const hasKeys = ({ apiVersion, kind, data = {} }: any): boolean =>
    apiVersion !== 'v1' ||
    !['ConfigMap', 'Secret'].includes(kind) ||
    Object.keys(data).every((each) => isKey.test(each));
  const objects = fc.uniqueArray(object.filter(hasKeys), {
    minLength: 1,
    maxLength: 8,
    selector: ({ apiVersion, kind, metadata }) =>
      [
        apiVersion.split('/').length > 1 ? apiVersion.split('/')[0] : '',
        kind,
        kind === 'NodePool' ? '' : (metadata.namespace ?? 'default'),
        metadata.name,
      ].join(' '),
  });

  beforeEach(() => {
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => jest.restoreAllMocks());

  // as a shell takes it
  const isVariable = /^[A-Z_][A-Z\d_]*$/;

  it('names each key of a Secret by a variable of its own', () => {
    const data = Object.fromEntries(['a.b', 'a-b', 'a_b', 'A.B', 'a.b_2', '1', '-'].map((each) => [each, 'eA==']));
    const { secrets } = imported([{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data }]);
    const variables = secrets.map(({ variable }) => variable);
    expect(new Set(variables).size).toBe(Object.keys(data).length);
    expect(variables.filter((each) => !isVariable.test(each))).toEqual([]);
  });

  it('makes of random objects the same objects', () => {
    fc.assert(
      fc.property(objects, (given) => {
        // what JSON says: lone surrogates stay, and -0 is 0
        const input = JSON.parse(JSON.stringify(given)) as any[];
        const program = imported(input);
        const secrets = new Map(
          program.secrets.map(({ object: of, key: field, variable }) => [`${of} ${field}`, variable]),
        );
        program.secrets.forEach(({ variable }) => (process.env[variable] = `<${variable}>`));
        expect(program.secrets.map(({ variable }) => variable).filter((each) => !isVariable.test(each))).toEqual([]);
        const expected = input.map((each) =>
          each.kind === 'Secret' && each.data !== undefined && each.apiVersion === 'v1'
            ? {
                ...each,
                data: Object.fromEntries(
                  Object.entries(each.data).map(([field, old]) => {
                    const place = each.metadata.namespace === undefined ? '' : `${each.metadata.namespace}/`;
                    const variable = secrets.get(`Secret ${place}${each.metadata.name} ${field}`);
                    return [field, old === '' ? old : `<${variable}>`];
                  }),
                ),
              }
            : each,
        );
        const secretTexts = input.flatMap((each) =>
          each.kind === 'Secret' && each.apiVersion === 'v1' ? Object.values(each.data ?? {}) : [],
        );
        const source = program.files.map(({ content }) => content).join('');
        expect(objectsOf(program)).toEqual(sorted(expected));
        // a long value cannot be there by chance
        expect(secretTexts.filter((each) => String(each).length > 8 && source.includes(String(each)))).toEqual([]);
      }),
      runs(400),
    );
  });
});
