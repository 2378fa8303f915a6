import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as cdk8s from 'cdk8s';
import * as library from 'edge-nodepools';
import ts from 'typescript';
import { stringify } from 'yaml';
import { main } from '../../src/cli/main.js';
import { printManifests } from '../../src/base/yaml-print.js';
import {
  corednsConfigMap,
  corednsDeployment,
  kubeDns,
  kubeProxyConfigMap,
  kubeProxyDaemonSet,
  on,
  restOfDump,
  staticPod,
  V1BETA4,
} from '../corpus/kube-system.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-command-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(args: readonly string[], stdin = ''): { code: number; out: string; err: string } {
  let out = '';
  let err = '';
  const code = main(args, {
    stdin: () => stdin,
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
  });
  return { code, out, err };
}

const OBJECTS = [
  corednsConfigMap(),
  kubeDns(),
  corednsDeployment(on('1.5')),
  kubeProxyConfigMap(),
  kubeProxyDaemonSet(),
];

/** A folder with objects of a cluster. */
function collected(objects: readonly object[] = OBJECTS, pod: string | null = staticPod()): string {
  const from = join(folder, 'cluster');
  mkdirSync(join(from, 'manifests'), { recursive: true });
  writeFileSync(join(from, 'kube-system.yaml'), stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  if (pod !== null) {
    writeFileSync(join(from, 'manifests', 'kube-controller-manager.yaml'), pod);
  }
  writeFileSync(join(from, 'notes.txt'), 'not: [yaml');
  return from;
}

const preconditions = (from: string, openYurt: string, ...more: string[]): ReturnType<typeof run> =>
  run([
    'preconditions',
    `--dump=${from}`,
    `--openyurt=${openYurt}`,
    '--kubernetes=1.29',
    `--out=${folder}/out`,
    ...more,
  ]);

const filesBelow = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();

describe('edge-nodepools preconditions', () => {
  it('finds the gaps, writes files that fix them, and finds none in the result', () => {
    const first = preconditions(collected(), '1.5');
    expect(first.code).toBe(1);
    expect(first.out).toMatch(/^missing +kube-controller-manager \(required\): --controllers=/m);
    expect(first.out).toMatch(/^fine +corefile \(none\)/m);
    expect(first.out).toMatch(/^missing +DaemonSet kube-system\/kube-proxy$/m);
    const files = filesBelow(join(folder, 'out'));
    expect(files).toEqual(
      expect.arrayContaining([
        'apply.sh',
        'apply/static-pods/kube-controller-manager.yaml',
        'keep-off/apply.sh',
        'keep-off/kustomize-component/kustomization.yaml',
        'keep-off/system-components.yaml',
        'preconditions.ts',
        'revert.sh',
        'revert/static-pods/kube-controller-manager.yaml',
      ]),
    );
    expect(statSync(join(folder, 'out', 'apply.sh')).mode & 0o111).not.toBe(0);

    const pod = readFileSync(join(folder, 'out', 'apply', 'static-pods', 'kube-controller-manager.yaml'), 'utf8');
    const kept = OBJECTS.map((object) =>
      ['Deployment', 'DaemonSet'].includes(object.kind)
        ? JSON.parse(run(['post-render'], JSON.stringify(object)).out)
        : object,
    );
    const second = preconditions(collected(kept, pod), '1.5');
    expect(second).toMatchObject({ code: 0 });
    expect(second.out).toMatch(/^nothing to do for the objects that were read$/m);
    const whole = preconditions(collected([...kept, ...restOfDump()], pod), '1.5');
    expect(whole).toMatchObject({ code: 0 });
    expect(whole.out).toMatch(/^nothing to do$/m);
  });

  it('treats a newer release as the newest known one on request, and so does the program that it writes', () => {
    const refused = preconditions(collected(), '1.99');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('EDGE_NEWER_RELEASE');
    const { code } = preconditions(collected(), '1.99', '--allow-newer');
    expect(code).toBe(1);
    const program = readFileSync(join(folder, 'out', 'preconditions.ts'), 'utf8');
    expect(program).toContain("EdgeCluster.of({ openYurt: '1.99', kubernetes: '1.29', allowNewer: true })");
    const pipe = ['post-render', '--openyurt=1.99'];
    expect(run(pipe, JSON.stringify(OBJECTS[0])).code).toBe(2);
    expect(run([...pipe, '--allow-newer'], JSON.stringify(OBJECTS[0])).code).toBe(0);
  });

  it.each([
    ['all that the tunnel needs', OBJECTS, staticPod(), 1],
    ['what was not read is not changed', OBJECTS, null, 2],
    ['what exists already is not changed', OBJECTS.slice(1), staticPod('--controllers=-nodelifecycle,*'), 2],
  ])('writes a program with the same result: %s', (_, objects, pod, expected) => {
    const { code } = preconditions(collected(objects, pod), '1.5', '--guide=tunnel');
    // 2 if something required was not read: the files for the other gaps are written anyway
    expect(code).toBe(expected);
    const out = join(folder, 'out');
    const written = new Map(
      filesBelow(out)
        .filter((path) => /^(apply|revert)/.test(path))
        .map((path) => [`preconditions/${path}`, readFileSync(join(out, path), 'utf8')]),
    );
    expect(new Map(madeBy(readFileSync(join(out, 'preconditions.ts'), 'utf8')))).toEqual(written);
  });

  /** Runs the text of a program, and returns the files of its preconditions. */
  function madeBy(text: string): [string, string][] {
    const options = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
    const code = ts.transpileModule(text, { compilerOptions: options }).outputText;
    const app = new cdk8s.App({ outdir: join(folder, 'dist') });
    library.EdgeWarnings.setMode(app, 'silent');
    const modules: Record<string, unknown> = {
      cdk8s: {
        ...cdk8s,
        App: function one() {
          return app;
        },
      },
      'edge-nodepools': library,
    };
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    new Function('require', 'exports', code)((name: string) => modules[name], {});
    return library
      .artifactsOf(app)
      .filter(({ path }) => path.startsWith('preconditions/'))
      .map(({ path, content }) => [path, content]);
  }

  it('reverts what is harmful or obsolete in another release', () => {
    const off = '--controllers=-nodelifecycle,*,bootstrapsigner,tokencleaner';
    const withoutKubeconfig = kubeProxyConfigMap(
      kubeProxyConfigMap().data['config.conf'].replace('kubeconfig:', '#kubeconfig:'),
    );
    const { code, out } = preconditions(collected([withoutKubeconfig], staticPod(off)), '1.7');
    expect(code).toBe(1);
    expect(out).toMatch(/^harmful +kube-controller-manager/m);
    expect(out).toMatch(/^obsolete +kube-proxy/m);
    const written = (path: string): string => readFileSync(join(folder, 'out', path), 'utf8');
    expect(written('apply/static-pods/kube-controller-manager.yaml')).toBe(
      staticPod(off).replace('-nodelifecycle,', ''),
    );
    expect(written('revert/static-pods/kube-controller-manager.yaml')).toBe(staticPod(off));
  });

  it('prints its report as JSON, with the footprint of the pools', () => {
    const { code, out } = preconditions(collected([...OBJECTS, restOfDump()[0] as object]), '1.7', '--json');
    const report = JSON.parse(out);
    expect(code).toBe(1);
    expect(report.gaps).toBe(2);
    expect(report.footprint[0]).toMatchObject({ pool: 'beijing', savedOnEachNode: { cpu: '50m', memory: '0' } });
    expect(report.files.every((file: string) => statSync(file).isFile())).toBe(true);
  });

  it('reads a file, stdin, a list of Pods and a configuration of kubeadm', () => {
    const text = printManifests(OBJECTS);
    writeFileSync(join(folder, 'all.yaml'), text);
    const whole = preconditions(join(folder, 'all.yaml'), '1.7', `--out=${folder}/whole`);
    const piped = run(['preconditions', '--dump=-', '--openyurt=1.7', '--kubernetes=1.29', `--out=${folder}/o`], text);
    expect([whole.code, piped.code]).toEqual([1, 1]);
    const mirror = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'kube-controller-manager-a', annotations: { 'kubernetes.io/config.mirror': 'x' } },
      spec: { containers: [{ command: ['kube-controller-manager', '--controllers=*,-nodelifecycle'] }] },
    };
    expect(preconditions(collected([mirror], null), '1.5').out).toMatch(/^fine +kube-controller-manager/m);
    writeFileSync(join(folder, 'kubeadm.yaml'), V1BETA4);
    const configured = preconditions(join(folder, 'kubeadm.yaml'), '1.5', `--out=${folder}/configured`);
    expect(configured.out).toMatch(/^missing +kube-controller-manager/m);
    expect(
      readFileSync(join(folder, 'configured', 'apply', 'kubeadm', 'cluster-configuration.yaml'), 'utf8'),
    ).toContain('for the metrics');
  });

  it('does not read its own output below the folder', () => {
    const from = collected();
    const out = `--out=${join(from, 'out')}`;
    const args = ['preconditions', `--dump=${from}`, '--openyurt=1.5', '--kubernetes=1.29', out];
    const first = JSON.parse(run([...args, '--json']).out);
    rmSync(join(from, 'out', 'revert.sh'));
    expect(JSON.parse(run([...args, '--json']).out)).toEqual(first);
  });

  it('never overwrites the rollback of an earlier run, and does not write into the folder that it reads', () => {
    const from = collected();
    expect(preconditions(from, '1.5').code).toBe(1);
    const back = readFileSync(join(folder, 'out', 'revert.sh'), 'utf8');
    const again = preconditions(from, '1.5', '--guide=tunnel');
    expect([again.code, again.out]).toEqual([2, '']);
    expect(again.err).toMatch(/revert\.sh is the rollback of an earlier run.*--out/);
    expect(readFileSync(join(folder, 'out', 'revert.sh'), 'utf8')).toBe(back);
    const inside = run(['preconditions', `--dump=${from}`, `--out=${from}/`, '--openyurt=1.5', '--kubernetes=1.29']);
    expect([inside.code, inside.err]).toEqual([2, expect.stringContaining('--out is the folder that --dump reads')]);
  });

  it('reports a required component that was not read', () => {
    const { code, out } = preconditions(collected([kubeDns()], null), '1.5');
    expect(code).toBe(2);
    expect(out).toContain('required, but not read: kube-controller-manager');
  });

  it.each<[string, () => readonly string[], RegExp]>([
    ['no options', () => [], /--dump/],
    ['an unknown option', () => ['--form=x'], /^unknown option '--form=x'/],
    [
      'a folder that is not there',
      () => [`--dump=${folder}/nowhere`],
      /--dump .*nowhere: there is no such file or folder/,
    ],
    ['an empty folder', () => [`--dump=${folder}`], /no Kubernetes object/],
    ['broken YAML', () => [`--dump=${broken('a: [')}`], /EDGE_YAML/],
    ['an alias without anchor', () => [`--dump=${broken('a: *b')}`], /EDGE_YAML/],
    ['text', () => [`--dump=${broken('hello')}`], /EDGE_YAML/],
    ['a map that is no object', () => [`--dump=${broken('a: b')}`], /nothing in .* shows the state of a cluster/],
    ['a bare kind', () => [`--dump=${broken('kind: ConfigMap')}`], /nothing in .* shows the state of a cluster/],
    [
      'objects of another namespace',
      () => [
        `--dump=${broken(
          printManifests(
            [...OBJECTS, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'kube-controller-manager-a' } }].map(
              (each) => ({
                ...each,
                metadata: { ...each.metadata, namespace: 'default' },
              }),
            ),
          ),
        )}`,
      ],
      /nothing in .* shows the state of a cluster/,
    ],
    ['bytes', () => [`--dump=${broken('\u0000\u0001\ufffd')}`], /EDGE_YAML/],
    [
      'a broken Corefile',
      () => [`--dump=${broken(stringify(corednsConfigMap('.:53 {\n  errors\n')))}`],
      /line 1, column 6: this brace/,
    ],
    ['a broken config.conf', () => [`--dump=${broken(stringify(kubeProxyConfigMap('kind: [')))}`], /config\.conf/],
    [
      'a static Pod that is none',
      () => [`--dump=${broken('kind: Pod\nmetadata: {name: kube-controller-manager}\nspec: 3')}`],
      /EDGE_WRONG_OBJECT/,
    ],
  ])('ends with 2 for %s, and writes nothing', (_, args, message) => {
    const given = args();
    const releases = given.length === 0 ? [] : ['--openyurt=1.5', '--kubernetes=1.29', `--out=${folder}/out`];
    const { code, err, out } = run(['preconditions', ...given, ...releases]);
    expect(err).toMatch(message);
    expect([code, out]).toEqual([2, '']);
    expect(readdirSync(folder)).not.toContain('out');
  });

  it.each([
    ['--openyurt=1.2', /EDGE_UNSUPPORTED_RELEASE/],
    ['--openyurt=banana', /EDGE_UNKNOWN_RELEASE/],
    ['--guide=future', /EDGE_VALUE/],
    ['--distribution=mine', /EDGE_VALUE/],
  ])('ends with 2 for %s', (option, message) => {
    const { code, err } = preconditions(collected(), '1.5', option);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });

  function broken(text: string): string {
    const file = join(folder, 'broken.yaml');
    writeFileSync(file, text);
    return file;
  }
});

describe('edge-nodepools', () => {
  it('prints its help, and ends with 2 for an unknown command', () => {
    expect(run(['--help'])).toMatchObject({ code: 0, err: '' });
    const before = process.exitCode;
    const commands = ['post-render', 'preconditions'];
    for (const [command = '', other = ''] of [commands, commands.toReversed()]) {
      const { code, out, err } = run([command, '--help']);
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(new RegExp(`^Usage: edge-nodepools ${command} `));
      expect(out).toMatch(/^ {2}--openyurt <release> /m);
      expect(out).not.toContain(other);
      process.exitCode = 3;
      expect(run(['help', command])).toEqual({ code, out, err });
    }
    process.exitCode = before;
    expect(run([])).toMatchObject({ code: 2, out: '' });
    expect(run(['destroy']).err).toContain('there is no command destroy');
  });

  it('post-render writes only to stdout, warns on stderr, and writes nothing for invalid input', () => {
    const object = JSON.stringify(kubeProxyDaemonSet());
    expect(run(['post-render'], object)).toMatchObject({ code: 0, err: '' });
    expect(run(['post-render', '--skip=DaemonSet'], object).out).toBe(object);
    expect(run(['post-render'], 'a: [')).toMatchObject({ code: 2, out: '' });
    expect(run(['post-render', '--openyurt=9'], object).code).toBe(2);
    expect(run(['post-render', 'file.yaml'], object).code).toBe(2);
    expect(run(['post-render', '--only', '--skip=DaemonSet'], object)).toMatchObject({ code: 2, out: '' });
  });

  it('loads neither cdk8s nor constructs', () => {
    const program = `
      require('./scripts/sources.cjs');
      const { main } = require(${JSON.stringify(resolve(__dirname, '../../src/cli/main.ts'))});
      process.exitCode = main(['post-render']);
      console.error(Object.keys(require.cache).filter((file) => /node_modules.(cdk8s|constructs)./.test(file)).join());`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', program], {
      input: 'kind: ConfigMap\napiVersion: v1\n',
      encoding: 'utf8',
      cwd: resolve(__dirname, '../..'),
    });
    expect([status, stdout, stderr.trim()]).toEqual([0, 'kind: ConfigMap\napiVersion: v1\n', '']);
  });
});
