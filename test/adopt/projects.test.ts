/** The projects that the command writes: whole or not at all, formatted, with types, and with a test that passes. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as pulumi from '@pulumi/pulumi';
import { main } from '../../src/cli/main.js';
import { Testing } from '../../src/testing.js';
import { isFullDepth } from '../depth.js';
import { collector, MADE, NODE, storedDeployment, storedPool, storedSecret } from './imported-dump.js';
import {
  imported,
  stacksOf,
  sorted,
  distOf,
  filesBelow,
  objectsOf,
  readAll,
  RELEASES,
  type TextFile,
} from './programs.js';

const root = join(__dirname, '..', '..');
let folder: string;
beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.spyOn(console, 'warn').mockReturnValue();
  folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-import-'));
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const SITES = ['1', '2', '3', '4', '5'].map((site) => storedPool(`site-${site}`, { labels: { site } }));
const excluded = storedDeployment(
  { name: 'class', namespace: 'default', uid: 'u-9' },
  {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] }] },
          ],
        },
      },
    },
  },
);
const DUMP = [
  NODE,
  ...MADE,
  ...SITES,
  storedPool('beijing', { taints: [{ key: 'site', value: 'x', effect: 'NoSchedule' }] }),
  storedPool('paris', { hostNetwork: false }),
  storedDeployment(),
  excluded,
  collector('site-2'),
  storedSecret(),
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'web', namespace: 'shop' },
    data: { a: 'x\n${y}\n`z`\n', n: null },
  },
  {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: '控制' },
    spec: { list: [1, 2], deep: [[1, 2], [3]] },
  },
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: { group: 'example.com', names: { plural: 'widgets', kind: 'Widget' } },
  },
];

function run(...args: readonly string[]): { code: number; out: string; err: string } {
  let out = '';
  let err = '';
  const code = main(['import', ...args], {
    stdin: () => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: DUMP }),
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
  });
  return { code, out, err };
}

/** Runs a program of node_modules in a folder. */
function tool(name: string, cwd: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'node_modules', '.bin', name), ...args], {
    cwd,
    encoding: 'utf8',
  });
  return `${status}\n${stdout}${stderr}`;
}

describe.each(['cdk8s', 'pulumi'])('a project for %s', (to) => {
  (isFullDepth ? it : it.skip)('is formatted by prettier, and has types', () => {
    const project = join(folder, 'fleet');
    expect(run('-', '--to', to, '--out', project)).toMatchObject({ code: 0, err: '' });
    expect(tool('prettier', project, '--check', '.')).toMatch(/^0\n/);
    mkdirSync(join(project, 'node_modules'));
    readdirSync(join(root, 'node_modules'))
      .filter((name) => !name.startsWith('.'))
      .forEach((name) => symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name)));
    const config = JSON.parse(readFileSync(join(project, 'tsconfig.json'), 'utf8'));
    const { paths } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).compilerOptions;
    const absolute = Object.entries(paths as Record<string, string[]>).map(([name, files]) => [
      name,
      files.map((file) => join(root, file)),
    ]);
    // the sources of this checkout need a newer library than its declarations
    config.compilerOptions.lib = ['es2023'];
    config.compilerOptions.paths = Object.fromEntries(absolute);
    config.include.push(join(root, 'src', 'texts.d.ts'));
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
    expect(tool('tsc', project)).toBe('0\n');
  });
});

/** Without annotations for the provider. */
function asApplied({ metadata, ...object }: any): any {
  const others = Object.entries(metadata.annotations ?? {}).filter(([key]) => !key.startsWith('pulumi.com/'));
  return {
    ...object,
    metadata: { ...metadata, annotations: others.length === 0 ? undefined : Object.fromEntries(others) },
  };
}

/** A DaemonSet on all nodes. */
const everywhere = {
  ...storedDeployment({ name: 'everywhere' }),
  kind: 'DaemonSet',
  spec: { ...storedDeployment().spec },
};
delete everywhere.spec.replicas;
delete everywhere.spec.strategy;
delete everywhere.spec.progressDeadlineSeconds;

describe.each([false, true])('a Pulumi program, takeOver: %s,', (takeOver) => {
  it('makes what was imported, object by object, and waits for nothing on edge nodes', async () => {
    const program = imported([...DUMP, everywhere], 'pulumi', {});
    const source = program.files.map(({ content }) => content).join('');
    expect(source).not.toMatch(/c2VjcmV0|await: true/);
    expect(source).toContain("password: secret('shop-db-password')");
    const config = Object.fromEntries(program.secrets.map(({ variable }) => [`project:${variable}`, `<${variable}>`]));
    const { runtime } = jest.requireActual<typeof pulumi>('@pulumi/pulumi');
    let transform: pulumi.ResourceTransformation = () => undefined;
    // mocks have no stack
    jest.spyOn(runtime, 'registerStackTransformation').mockImplementation((given) => (transform = given));
    const { objects } = await Testing.preview(() => stacksOf(program), {
      ...config,
      'project:takeOver': String(takeOver),
    });
    await runtime.disconnect();
    const secret = '4dabf18193072939515e22adb298388d';
    const made = objects.map((object): any => {
      const type = `kubernetes:${object.apiVersion}:${object.kind}`;
      const given = transform({ type, name: '', props: object, opts: {}, resource: undefined as any });
      expect(given?.opts.protect).toBe(takeOver ? true : undefined);
      return given?.props ?? object;
    });
    const plain = made.map((object) =>
      Object.fromEntries(
        Object.entries(object).map(([field, value]: [string, any]) => [
          field,
          value?.[secret] === undefined ? value : value.value,
        ]),
      ),
    );
    const record = program.files.find(({ path }) => path === 'imported.json')?.content ?? '';
    expect(sorted(plain.map(asApplied))).toEqual(sorted(JSON.parse(record).map(asApplied)));
    const unawaited = plain.filter(({ metadata }: any) => metadata.annotations?.['pulumi.com/skipAwait'] === 'true');
    expect(unawaited.map(({ metadata }: any) => metadata.name).sort()).toEqual(
      takeOver ? ['class', 'collector', 'everywhere', 'web'] : ['collector', 'everywhere'],
    );
  });
});

it.each([
  ['cdk8s', 'npm run synth:secrets'],
  ['pulumi', 'pulumi stack init dev-secrets'],
])('the next commands for %s name what has secrets', (to, command) => {
  const next = (...args: string[]): string => run('-', '--to', to, ...args).out.replace(/^[^]*\nnext:\n/, '');
  expect(next('--out', join(folder, 'a'))).toMatch(new RegExp(`^ {2}${command} +# .*README\\.md`, 'm'));
  expect(next('--out', join(folder, 'b'), '--secrets', 'leave-out')).not.toContain('secrets');
  expect(readFileSync(join(folder, 'a', 'README.md'), 'utf8')).toContain(command);
  // what reads the definitions
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'a', 'package.json'), 'utf8'));
  expect('yaml' in dependencies).toBe(to === 'pulumi');
});

describe('the folder', () => {
  it('that is not empty stays as it is', () => {
    writeFileSync(join(folder, 'mine.txt'), 'mine');
    const { code, err } = run('-', '--out', folder);
    expect([code, err]).toEqual([2, `${folder} is not empty; nothing is written: write --out <a new folder>\n`]);
    expect(readdirSync(folder)).toEqual(['mine.txt']);
  });

  it('that is a file is refused', () => {
    writeFileSync(join(folder, 'mine.txt'), 'mine');
    expect(run('-', '--out', join(folder, 'mine.txt')).err).toContain('is a file');
  });

  it('is not made if the input is invalid', () => {
    writeFileSync(join(folder, 'a.yaml'), 'a: [');
    expect(run(folder, '--out', join(folder, 'out')).code).toBe(2);
    expect(existsSync(join(folder, 'out'))).toBe(false);
    expect(readdirSync(folder)).toEqual(['a.yaml']);
  });
});

it('ends its report in what check finds in the input, with file and line', () => {
  const file = join(folder, 'web.yaml');
  const [pool, web] = [
    {
      apiVersion: 'apps.openyurt.io/v1beta2',
      kind: 'NodePool',
      metadata: { name: 'hz' },
      spec: { type: 'Edge', hostNetwork: true },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web' }] } },
      },
    },
  ];
  writeFileSync(file, `${JSON.stringify(pool)}\n---\n${JSON.stringify(web)}\n`);
  const { code, out } = run(file, '--kubernetes', '1.34', '--out', join(folder, 'fleet'));
  expect(code).toBe(0);
  expect(out).toContain(
    `${file}:3  error  Deployment shop/web\n  EDGE_NEVER_STARTS  spec.template.spec: never starts on hz`,
  );
  expect(out).toContain('1 error, 0 warnings in 2 objects of 1 file on 1 pool');
});

/** Every example in cdk8s: what it writes is imported, and the program makes the same objects. */
describe('the examples', () => {
  const EXAMPLES = join(__dirname, '..', '..', 'examples');
  const ALL = readdirSync(EXAMPLES)
    .filter((name) => existsSync(join(EXAMPLES, name, 'main.ts')))
    // it needs the program helm
    .filter((name) => name !== 'helm-and-include')
    // folders of several clusters, with what an engine reads besides
    .filter((name) => !['argo-cd', 'flux'].includes(name));
  const NAMES = isFullDepth ? ALL : ['existing-cluster', 'quickstart'];

  /** Releases that are not those of most examples: by example, or by the beginning of a file. */
  const OTHERS: Readonly<Record<string, object>> = {
    admission: { openYurt: '1.7', kubernetes: '1.36' },
    'existing-cluster': { openYurt: '1.7', kubernetes: '1.37' },
    'existing-labels': { openYurt: 'none', kubernetes: '1.36' },
    'without-openyurt': { openYurt: 'none', kubernetes: '1.34' },
  };

  function releasesOf(name: string, [first]: readonly TextFile[]): object | undefined {
    const [, release] = /^openyurt-(1-\d|none)/.exec(first?.path ?? '') ?? [];
    return release === undefined ? OTHERS[name] : { ...RELEASES, openYurt: release.replace('-', '.') };
  }

  /** The files of an example, of which one has the objects of one cluster. */
  function filesOf(name: string): readonly (readonly TextFile[])[] {
    const outdir = mkdtempSync(join(tmpdir(), 'edge-nodepools-example-'));
    const before = process.env.CDK8S_OUTDIR;
    process.env.CDK8S_OUTDIR = outdir;
    try {
      jest.isolateModules(() => jest.requireActual(join(EXAMPLES, name, 'main.ts')));
      const files = filesBelow(outdir);
      // these two have a chart for each of several clusters
      return ['every-release', 'upgrade'].includes(name) ? files.map((file) => [file]) : [files];
    } finally {
      process.env.CDK8S_OUTDIR = before;
      rmSync(outdir, { recursive: true, force: true });
    }
  }

  let files: ReadonlyMap<string, readonly (readonly TextFile[])[]>;
  beforeAll(() => {
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    jest.spyOn(console, 'warn').mockReturnValue();
    jest.spyOn(console, 'error').mockReturnValue();
    files = new Map(NAMES.map((name) => [name, filesOf(name)]));
  });
  afterAll(() => jest.restoreAllMocks());

  /** Runs a test for the clusters of each example. */
  function each(test: (dist: readonly TextFile[], given?: object) => void): void {
    files.forEach((clusters, name) => clusters.forEach((dist) => test(dist, releasesOf(name, dist))));
    expect(files.size).toBe(NAMES.length);
  }

  describe('the import of what an example writes', () => {
    it('makes the same objects, and none is lost', () => {
      each((dist, given) => {
        const program = imported(dist, 'cdk8s', given);
        program.secrets.forEach(({ variable }) => (process.env[variable] = `<${variable}>`));
        const secrets = program.secrets.length > 0;
        expect(program.counts.objects).toBe(readAll(dist).length);
        const made = objectsOf(program);
        expect(secrets ? made.filter(({ kind }) => kind !== 'Secret') : made).toEqual(
          readAll(dist).filter(({ kind }) => !secrets || kind !== 'Secret'),
        );
      });
    });

    it('declares four of five objects that concern edge pools, or that this library has written', () => {
      let [ofEdge, recognized] = [0, 0];
      each((dist, given) => {
        const { counts } = imported(dist, 'cdk8s', given);
        // a thousand pools would hide the others
        ofEdge += Math.min(counts.ofEdge, 30);
        recognized += Math.min(counts.recognized, 30);
      });
      expect(ofEdge).toBeGreaterThan(10);
      expect(recognized / ofEdge).toBeGreaterThanOrEqual(0.8);
    });

    it('gives the same program again for what that program writes', () => {
      each((dist, given) => {
        const first = imported(dist, 'cdk8s', given);
        first.secrets.forEach(({ variable }) => (process.env[variable] = `<${variable}>`));
        const second = imported(distOf(first), 'cdk8s', given);
        expect(second.files).toEqual(first.files);
      });
    });
  });
});
