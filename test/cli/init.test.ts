import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as pulumi from '@pulumi/pulumi';
import { transformSync } from 'esbuild';
import { main } from '../../src/cli/main.js';
import { KUBERNETES_MINORS } from '../../src/cluster/kubernetes-minors.js';
import { App } from 'cdk8s';
import { EdgeWarnings, SystemComponent } from 'edge-nodepools';
import { OPENYURT_RELEASES } from '../../src/cluster/openyurt-releases.js';
import { isFullDepth, samples } from '../depth.js';
import { makeChange, PROJECT_CHANGES } from './project-changes.js';

const root = join(__dirname, '..', '..');
let folder: string;
beforeEach(() => {
  // warnings about pairs that OpenYurt does not test
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.spyOn(console, 'warn').mockReturnValue();
  folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-init-'));
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

function init(...args: readonly string[]): { code: number; out: string; err: string } {
  let out = '';
  let err = '';
  const line = { stdin: () => '', stdout: (text: string) => (out += text), stderr: (text: string) => (err += text) };
  const code = main(['init', ...args], line);
  return { code, out, err };
}

const HASH = `sha256:${'0f'.repeat(32)}`;
const JOIN = ['--api-server=api.example:6443', `--ca-cert-hash=${HASH}`];

/** A file of the project, run as jest would run it; its tests are collected. */
function run(project: string, name: string): Record<string, any> {
  const tests: (() => unknown)[] = [];
  const befores: (() => unknown)[] = [];
  const load = (file: string): Record<string, any> => {
    const { code } = transformSync(readFileSync(join(project, `${file}.ts`), 'utf8'), { loader: 'ts', format: 'cjs' });
    const module = { exports: {} };
    const wanted = (path: string): unknown => (path.startsWith('./') ? load(path.slice(2)) : jest.requireActual(path));
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    const body = new Function('require', 'module', 'exports', 'describe', 'it', 'beforeAll', 'jest', '__dirname', code);
    const collect = (list: unknown[]) => (test: unknown, fn?: unknown) => void list.push(fn ?? test);
    const own = { requireActual: wanted };
    body(
      wanted,
      module,
      module.exports,
      (_: string, fn: () => void) => fn(),
      collect(tests),
      collect(befores),
      own,
      project,
    );
    return module.exports;
  };
  return { ...load(name), tests, befores };
}

const PAIRS = ['none', ...OPENYURT_RELEASES.map(({ release }) => release)].flatMap((openYurt) =>
  KUBERNETES_MINORS.map(({ minor }) => [openYurt, minor] as const),
);

/** Some of the pairs, spread over all of them; all of them at full depth. */
const CHOSEN = PAIRS.filter((_, index) => index % Math.floor(PAIRS.length / samples(PAIRS.length)) === 0);

describe('edge-nodepools init', () => {
  it('writes an app that synthesizes, and whose tests pass, for every release and minor', () => {
    for (const [index, [openYurt, kubernetes]] of CHOSEN.entries()) {
      const project = join(folder, `fleet-${index}`);
      const joins = index % 2 === 0;
      const args = [`--openyurt=${openYurt}`, `--kubernetes=${kubernetes}`, ...(joins ? JOIN : [])];
      const { code, out, err } = init(project, ...args);
      expect([args, code, err]).toEqual([args, 0, '']);
      expect(out).toMatch(
        /next:\n {2}cd \S+\n {2}npm install\n {2}npm test\n {2}npm run synth\n {2}npx edge-nodepools show dist\n$/,
      );
      const { tests } = run(project, 'fleet.test');
      expect(tests).toHaveLength(2);
      tests.forEach((test: () => void) => test());
      const source = readFileSync(join(project, 'fleet.ts'), 'utf8');
      expect([source.includes('NodeJoin'), source.includes(HASH)]).toEqual([joins, joins]);
    }
    expect(CHOSEN.length).toBeGreaterThan(3);
  });

  /** Runs the tests of a project to the end, also what the components of a Pulumi program still do; returns how many. */
  const passes = async (project: string, file: string): Promise<number> => {
    const { tests, befores } = run(project, file);
    for (const each of [...befores, ...tests]) {
      await each();
    }
    await jest.requireActual<typeof pulumi>('@pulumi/pulumi').runtime.disconnect();
    return tests.length;
  };

  (isFullDepth ? it : it.skip)('writes a Pulumi program whose tests pass, for every release and minor', async () => {
    for (const [index, [openYurt, kubernetes]] of PAIRS.entries()) {
      const project = join(folder, `fleet-${index}`);
      const args = [
        '--pulumi',
        `--openyurt=${openYurt}`,
        `--kubernetes=${kubernetes}`,
        ...(index % 2 === 0 ? JOIN : []),
      ];
      expect(init(project, ...args)).toMatchObject({ code: 0, err: '' });
      await passes(project, 'index.test');
    }
  });

  /** A list in a file of the project gets more components. */
  const addComponents = (file: string, ...names: readonly string[]): void => {
    const source = readFileSync(file, 'utf8');
    const list = 'exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS]';
    // what the comment above the list says
    expect(source).toMatch(
      /Add the CNI of your cluster to the list, for example SystemComponent\.FLANNEL\.\n[^]*exclude: \[/,
    );
    expect(source).toContain(list);
    const more = names.map((name) => `, SystemComponent.${name}`).join('');
    writeFileSync(file, source.replace(list, `${list.slice(0, -1)}${more}]`));
  };

  it('gives advice that its own test passes: the CNI of the cluster among the components', async () => {
    // CoreDNS is a Deployment or a DaemonSet, and Calico is installed in one of two ways
    const cnis = Object.keys(SystemComponent).filter((name) => !/^(KUBE_PROXY|COREDNS|COREDNS_DAEMON_SET)$/.test(name));
    expect(cnis).toContain('FLANNEL');
    for (const openYurt of ['none', '1.7']) {
      const project = join(folder, `cdk8s-${openYurt}`);
      init(project, `--openyurt=${openYurt}`);
      addComponents(join(project, 'fleet.ts'), ...cnis);
      run(project, 'fleet.test').tests.forEach((test: () => void) => test());
    }
    const project = join(folder, 'pulumi');
    init(project, '--pulumi');
    addComponents(join(project, 'index.ts'), ...cnis);
    await passes(project, 'index.test');
  });

  it.each(PROJECT_CHANGES)('stays green with $what', async (change) => {
    const { page, text } = change.advice;
    for (const kind of ['cdk8s', 'pulumi'] as const) {
      const project = join(folder, kind);
      expect(init(project, '--openyurt=1.7', ...(kind === 'pulumi' ? ['--pulumi'] : [])).code).toBe(0);
      const file = kind === 'pulumi' ? 'index' : 'fleet';
      const advised = page === undefined ? [`${file}.ts`, `${file}.test.ts`] : [];
      const texts = advised.map((name) => readFileSync(join(project, name), 'utf8'));
      expect(page === undefined ? texts.join('') : readFileSync(join(root, page), 'utf8')).toMatch(text);
      makeChange(project, kind, change);
      expect(await passes(project, `${file}.test`)).toBe(2);
    }
  });

  it('tells in its test what is declared in the program only', () => {
    // a workload that its user forgot in the list of the test
    const change = PROJECT_CHANGES.find(({ tests }) => tests !== undefined) as (typeof PROJECT_CHANGES)[number];
    const project = join(folder, 'a');
    init(project);
    makeChange(project, 'cdk8s', { ...change, tests: [] });
    const [first, second] = run(project, 'fleet.test').tests as (() => void)[];
    expect(first).toThrow(/collector/);
    expect(second).toThrow(/collector/);
  });

  it('names a workload in the list of its test that the program does not have, and takes a pool without workloads', () => {
    const row = "workloads: ['hello'] }";
    const changed = (by: string): { tests: (() => void)[] } => {
      const project = join(folder, `list-${by.length}`);
      init(project);
      const file = join(project, 'fleet.test.ts');
      writeFileSync(file, readFileSync(file, 'utf8').replace(row, by));
      return run(project, 'fleet.test') as { tests: (() => void)[] };
    };
    changed("workloads: ['helo'] }").tests.forEach((test) => expect(test).toThrow(/helo"/));
    const { tests } = changed(
      `${row}, { pool: { name: 'n', labels: fleet.edge.joinLabels, taints: [TAINT] }, workloads: [] }`.replace(
        'TAINT',
        "{ key: 'other', value: '', effect: 'NoSchedule' as const }",
      ),
    );
    // nothing tolerates the taint
    tests.forEach((test) => test());
  });

  it('makes a join of nodes with yurthub that warns of nothing, also on minors whose kubelet asks otherwise', () => {
    for (const kubernetes of ['1.34', '1.36']) {
      for (const kind of [[], ['--pulumi']]) {
        const project = join(folder, `join-${kubernetes}-${kind.length}`);
        init(project, '--openyurt=1.7', `--kubernetes=${kubernetes}`, ...JOIN, ...kind);
        const source = readFileSync(join(project, kind.length === 0 ? 'fleet.ts' : 'index.ts'), 'utf8');
        expect(source.includes('WatchListClient: false')).toBe(kubernetes === '1.36');
      }
    }
    const { FleetChart } = run(join(folder, 'join-1.36-0'), 'fleet');
    const warnings = EdgeWarnings.of(new FleetChart(new App(), 'fleet'));
    expect(warnings.map(({ code }) => code).filter((code) => code !== 'EDGE_UNCLAIMED_PAIR')).toEqual([]);
  });

  it('ends with the commands without which the next one fails', () => {
    expect(init(join(folder, 'a'), '--pulumi').out).toMatch(
      /npm install\n {2}npm test\n {2}pulumi stack init dev\n {2}pulumi preview\n$/,
    );
    for (const [kind, readme] of [
      [[], /npm run synth +# writes dist\nnpx edge-nodepools show dist +# what/],
      [['--pulumi'], /pulumi stack init dev +# once; .*\npulumi preview +# what pulumi up would do\n/],
    ] as const) {
      const project = join(folder, `b${kind.length}`);
      init(project, ...kind);
      expect(readFileSync(join(project, 'README.md'), 'utf8')).toMatch(readme);
    }
    // the check of cdk8s-cli prints a stack trace where the registry does not answer
    const { scripts } = JSON.parse(readFileSync(join(folder, 'b0', 'package.json'), 'utf8'));
    expect(scripts.synth).toBe('cdk8s synth --check-upgrade=false');
  });

  it('writes what each package manager needs, and only versions of this package', () => {
    const { version, devDependencies } = JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8'));
    for (const manager of ['npm', 'pnpm', 'yarn']) {
      for (const kind of [[], ['--pulumi']]) {
        const project = join(folder, `${manager}${kind.length}`);
        expect(init(project, ...kind, `--package-manager=${manager}`).out).toContain(`\n  ${manager} install\n`);
        const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
        const { 'edge-nodepools': own, ...others } = { ...manifest.dependencies, ...manifest.devDependencies };
        expect(own).toBe(`^${version}`);
        expect(others).toEqual(Object.fromEntries(Object.keys(others).map((name) => [name, devDependencies[name]])));
        // without it, Jest warns of each warning of a Pulumi program
        const { testEnvironmentOptions } = jest.requireActual<{ testEnvironmentOptions?: object }>(
          join(project, 'jest.config.js'),
        );
        expect(testEnvironmentOptions).toEqual(kind.length > 0 ? { globalsCleanup: 'off' } : undefined);
        // one copy of @pulumi/pulumi
        expect(manifest.resolutions).toEqual(
          manager === 'yarn' && kind.length > 0 ? { '@pulumi/pulumi': others['@pulumi/pulumi'] } : undefined,
        );
        expect(readdirSync(project).includes('.yarnrc.yml')).toBe(manager === 'yarn');
        expect(readdirSync(project).includes('pnpm-workspace.yaml')).toBe(manager === 'pnpm');
        // no script and no page speaks of another package manager
        const texts = readdirSync(project).map((file) => readFileSync(join(project, file), 'utf8'));
        expect(texts.join('').match(/\b(npm|pnpm|yarn) (install|test)/g)).toEqual([
          `${manager} install`,
          `${manager} test`,
        ]);
      }
    }
  });

  it('overwrites no file, and writes nothing if one is there', () => {
    const project = join(folder, 'My Fleet!');
    expect(init(project).out).toContain(`cd '${project}'`);
    expect(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).name).toBe('my-fleet');
    const other = join(folder, 'other');
    mkdirSync(other);
    ['fleet.ts', 'notes.txt'].forEach((name) => writeFileSync(join(other, name), 'mine'));
    expect(init(other)).toEqual({
      code: 2,
      out: '',
      err: `${other} already has fleet.ts; nothing is written: write a folder without them\n`,
    });
    expect(readdirSync(other)).toEqual(['fleet.ts', 'notes.txt']);
    expect(readFileSync(join(other, 'fleet.ts'), 'utf8')).toBe('mine');
    // a symbolic link to nothing is there, too
    const linked = join(folder, 'linked');
    mkdirSync(linked);
    symlinkSync('nowhere', join(linked, 'main.ts'));
    expect(init(linked)).toMatchObject({ code: 2, err: expect.stringContaining('already has main.ts; nothing') });
    expect(readdirSync(linked)).toEqual(['main.ts']);
    expect(init(join(other, 'notes.txt'))).toMatchObject({ code: 2, err: expect.stringMatching(/is a file/) });
    // beside other files it is fine
    expect(init(other, '--pulumi').code).toBe(0);
  });

  it('takes the newest minor that fits to the release, however the release is written', () => {
    for (const { release, claimedKubernetes } of OPENYURT_RELEASES) {
      for (const written of [release, `v${release}`, `${release}.0`]) {
        const { out } = init(join(folder, written), `--openyurt=${written}`);
        expect([written, out.split(':')[0]]).toEqual([
          written,
          `a project for OpenYurt ${release} on Kubernetes ${claimedKubernetes}`,
        ]);
      }
    }
    expect(init(join(folder, 'none'), '--openyurt=none').out).toContain(
      `Kubernetes ${KUBERNETES_MINORS.at(-1)?.minor} `,
    );
  });

  it('says what is wrong with the input', () => {
    for (const [args, said] of [
      [['--openyurt=9'], /--openyurt: "9" is not a known OpenYurt/],
      [['--kubernetes=1.99'], /--kubernetes: Kubernetes 1\.99 is newer/],
      [['--openyurt=1.36', '--kubernetes=1.7'], /swapped: write --openyurt 1\.7, --kubernetes 1\.36/],
      [
        ['--package-manager=bun'],
        /--package-manager <name>' argument 'bun' is invalid. Allowed choices are npm, pnpm, yarn/,
      ],
      [['--api-server=api.example:6443'], /needs both; write --ca-cert-hash/],
      [[`--ca-cert-hash=${HASH}`], /needs both; write --api-server/],
      [['--openyurt=1.36'], /--openyurt: /],
      [['--openyurt='], /write --openyurt with one of/],
      [['--api-server=api.example:6443', '--ca-cert-hash=sha256:12'], /EDGE_CA_CERT_HASH {2}--ca-cert-hash: /],
      [['--api-server=https://api.example', `--ca-cert-hash=${HASH}`], /EDGE_API_SERVER {2}--api-server/],
      [['--pulumy'], /Did you mean --pulumi\?/],
      [['a', 'b'], /too many arguments/],
    ] as const) {
      const { code, out, err } = init(...args, ...(args[0] === 'a' ? [] : [join(folder, 'new')]));
      expect([args, code, out, err]).toEqual([args, 2, '', expect.stringMatching(said)]);
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});
