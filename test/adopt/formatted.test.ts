/** The first run of a formatter changes nothing in what is written: `prettier --check`, with the settings of the project. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { App, Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, manifestsOf, OpenYurtWebhooks, PoolAdmission } from 'edge-nodepools';
import { corpus } from '../corpus/corpus.js';
import { isFullDepth } from '../depth.js';
import { collector, storedDeployment, storedPool, storedSecret } from './imported-dump.js';
import { imported } from './programs.js';

const root = join(__dirname, '..', '..');
let folder: string;
beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-import-'));
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const RELEASES = { openYurt: '1.7', kubernetes: '1.36' };
const LONG = 'a-name-of-an-application-that-is-about-as-long-as-a-name-can-be';
const config = (name: string, data: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop' },
  data,
});

/** Policies with an older list of pools, and webhooks without the labels of this library: fields of them are kept as they are. */
function kept(): any[] {
  const cluster = EdgeCluster.of(RELEASES);
  const app = new App();
  const chart = new Chart(app, 'fleet');
  new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'beijing' });
  new PoolAdmission(chart, 'admission', { cluster });
  new OpenYurtWebhooks(chart, 'webhooks', { cluster });
  return [
    ...manifestsOf(app).map((object: any) =>
      object.kind.endsWith('WebhookConfiguration')
        ? { ...object, metadata: { ...object.metadata, labels: { 'app.kubernetes.io/managed-by': 'Helm' } } }
        : object,
    ),
    storedPool('paris'),
  ];
}

const SOURCES: readonly (readonly object[])[] = [
  kept(),
  [
    ...['1', '2', '3', '4', '5'].map((site) => storedPool(`site-${site}`, { labels: { site } })),
    storedPool('beijing', { taints: [{ key: 'site', value: 'x', effect: 'NoSchedule' }] }),
    storedDeployment({ name: LONG, namespace: LONG }),
    collector('site-2'),
    // names of variables that do not fit on the line of their key
    storedSecret(LONG, { [LONG]: 'eA==', a: 'eA==', constructor: 'eA==' }),
    storedSecret('constructor', { constructor: 'eA==' }),
  ],
  [
    config('texts', {
      a: 'x\n${y}\n`z`\n',
      null: null,
      abcd: 'x'.repeat(130),
      abcde: 'x'.repeat(130),
      'a-b': 'x'.repeat(130),
      quotes: `it's "both"`,
      '0': '0',
    }),
    {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'letters' },
      spec: {
        é: 1,
        ключ: 2,
        你好: 3,
        'a-b': 4,
        ª: 5,
        '𝒳': 6,
        aé1: 7,
        '\u0301a': 8,
        'a\u200db': 9,
        '②': 10,
        ⅷ: 11,
        'a·b': 12,
      },
    },
    config('constructor', { constructor: 'x'.repeat(130), toString: null }),
    {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w', labels: {}, annotations: { a: null } },
      spec: {
        numbers: Array.from({ length: 60 }, (_, index) => index * 1111),
        deep: [[1, 2], [3]],
        maps: [{ a: 1 }, { b: 2 }],
        list: [null, { constructor: { a: 'x'.repeat(110), b: [] } }],
        empty: [{}, []],
      },
    },
  ],
  ...(isFullDepth ? corpus().map(({ objects }) => distinct(objects)) : []),
];

/** The first object of each name. */
function distinct(objects: readonly any[]): any[] {
  const keyOf = ({ apiVersion, kind, metadata }: any): string =>
    [apiVersion.replace(/[^/]*$/, ''), kind, metadata.namespace ?? 'default', metadata.name].join(' ');
  return [...new Map([...objects].reverse().map((object) => [keyOf(object), object])).values()];
}

it('is as prettier writes it', () => {
  SOURCES.forEach((objects, index) =>
    (['cdk8s', 'pulumi'] as const).forEach((target) =>
      imported(objects, target, RELEASES)
        .files.filter(({ path }) => path.endsWith('.ts'))
        .forEach(({ path, content }) => {
          const file = join(folder, `${index}-${target}`, path);
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, content);
        }),
    ),
  );
  writeFileSync(join(folder, '.prettierrc.json'), '{ "singleQuote": true, "printWidth": 120 }\n');
  const bin = join(root, 'node_modules', '.bin', 'prettier');
  const { stdout, stderr } = spawnSync(process.execPath, [bin, '--list-different', '.'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stdout + stderr).toBe('');
});
