/** Objects whose names are words of TypeScript, files of Jest or members of every object: the program compiles, and makes the same objects. */
import { imported, objectsOf, sorted } from './programs.js';

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

const objects = NAMES.flatMap((name, index) => {
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
