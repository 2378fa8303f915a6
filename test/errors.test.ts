import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import { App, Chart } from 'cdk8s';
import {
  BootstrapToken,
  EDGE_CODES,
  EdgeCluster,
  EdgeError,
  HostNetworkNodePool,
  JoinToken,
  KubeadmConfigTemplate,
  NodeReservation,
} from 'edge-nodepools';
import fc from 'fast-check';
import { explainProblem } from '../src/base/errors.js';
import { plain, untyped } from './bad-inputs/case.js';
import { tokenText } from './properties/join-arbitraries.js';
import { isFullDepth, runs } from './depth.js';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';

/** Each has a token in a wrong place. */
const MISTAKES: Readonly<Record<string, (token: string, chart: Chart) => unknown>> = {
  'the end of a BootstrapToken': (token, chart) =>
    new BootstrapToken(chart, 'token', untyped({ token: JoinToken.inline(token), expiration: token })),
  'a group of a BootstrapToken': (token, chart) =>
    new BootstrapToken(chart, 'token', untyped({ token, expiration: 'never', groups: [`\n${token}`] })),
  'a property of a BootstrapToken': (token, chart) => new BootstrapToken(chart, 'token', untyped({ [token]: token })),
  'the API server of a cluster': (token) =>
    EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36', apiServer: `--token=${token}` }),
  'a CA hash': (token) => EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36', caCertHashes: [token] }),
  'the namespace of a Secret': (token) => JoinToken.fromSecret({ name: `${token}_`, namespace: `\t${token}` }),
  'the path of a file': (token) => JoinToken.fromFile(untyped({ path: token })),
  'a KubeadmConfigTemplate': (token, chart) =>
    new KubeadmConfigTemplate(
      chart,
      'template',
      untyped({
        pool: new HostNetworkNodePool(chart, 'pool', { cluster: plain, poolName: 'hz' }),
        version: token,
        labels: { [token]: ' ' },
        kubeletExtraArgs: { [token]: token },
        nodeName: `\u0001${token}`,
      }),
    ),
  'a reservation': (token) =>
    NodeReservation.of(untyped({ kubeReserved: { cpu: token }, evictionSoftGracePeriod: { [token]: token } })),
};

it('shows what a terminal would obey, in messages, hints and subjects', () => {
  const shown = new EdgeError('NodeJoin a\u202eb', [
    { code: 'EDGE_VALUE', path: 'x["\u2066"]', message: '\u001b[2Ja\rb\u202e\ud800\u0085', hint: "write\n'é🙂'\u0007" },
  ]).message;
  expect(shown).toBe(
    'NodeJoin a\\u202eb: 1 problem\n  EDGE_VALUE  x["\\u2066"]: \\u001b[2Ja\\u000db\\u202e\\ud800\\u0085\n      -> write\n\'é🙂\'\\u0007',
  );
});

describe('the codes', () => {
  const page = readFileSync(join(__dirname, '..', 'docs', 'troubleshooting.md'), 'utf8');

  it('each have a section in docs/troubleshooting.md, in their order, and there is no other', () => {
    const sections = page.split(/^### /m).slice(1);
    expect(sections.map((section) => section.split('\n', 1)[0])).toEqual(Object.keys(EDGE_CODES));
    // more than a heading: what is wrong, and what to do
    expect(sections.filter((section) => section.split('\n').slice(1).join('').length < 70)).toEqual([]);
  });

  it('lead there from what a terminal shows', () => {
    const problem = { path: 'a', message: 'no', hint: 'yes' } as const;
    const { message, stack } = new EdgeError('X', [
      { code: 'EDGE_NAME', ...problem },
      { code: 'EDGE_TAINT', ...problem },
      { code: 'EDGE_NAME', ...problem },
    ]);
    const [, see] = /^ {2}see node_modules\/edge-nodepools\/(.*)$/m.exec(stack ?? '') ?? [];
    expect(see).toBe('docs/troubleshooting.md#edge_name #edge_taint');
    expect(message).not.toContain('see ');
  });
});

describe('an EdgeError', () => {
  it.each(Object.entries(MISTAKES))('contains no token: %s', (_, mistake) => {
    fc.assert(
      fc.property(tokenText, (token) => {
        let seen: unknown;
        try {
          mistake(token, new Chart(new App(), 'chart'));
        } catch (error) {
          seen = error;
        }
        expect(seen).toBeInstanceOf(EdgeError);
        const error = seen as EdgeError;
        const said = [
          error.message,
          error.stack,
          JSON.stringify(error.problems),
          error.path,
          error.hint,
          error.subject,
        ];
        expect([...said, inspect(error, { showHidden: true, depth: 9 })].join('\n')).not.toContain(token);
      }),
      runs(30),
    );
  });

  it.each([
    ['of letters', 'x'.repeat(102_400)],
    // a cut within the token, or within a surrogate pair, must show no half
    ['with a token at the cut', `${'x'.repeat(70)} abcdef.0123456789abcdef ${'x'.repeat(102_400)}`],
    ['of surrogate pairs', `x${'\u{1F600}'.repeat(51_200)}`],
  ])('shows the beginning, the length and the rule of a long text %s', (_, text) => {
    const problem = { code: 'EDGE_NAME', path: text, message: `${text} is no name`, hint: `not ${text}` } as const;
    const error = new EdgeError('pool', [problem]);
    for (const shown of [error.message, error.stack ?? '', explainProblem(problem)]) {
      expect(shown.length).toBeLessThan(1200);
      expect(shown).toMatch(/… \(1024\d\d characters\) ….* is no name/su);
      expect(shown).toContain(text.slice(0, 69));
      expect(shown).not.toMatch(/012345|\\ud83d/);
    }
    // for programs, it is there as a whole
    expect(error.problems[0]?.message.length).toBeGreaterThan(102_000);
  });

  it.each([
    [
      'labels.productionfacility',
      '1.36.2 of registry.k8s.io/pause:3.10.1 and sha256:0123456789abcdef.0123456789abcdef',
    ],
    [
      'labels["nodepool.openyurt.io/hostnetwork"]',
      'v1.34.0-alpha.0123456789abcdef, 10.0.0.1:6443, 0.0000001234567890123456',
    ],
  ])('redacts nothing else: %s', (path, message) => {
    const { problems } = new EdgeError('subject', [{ code: 'EDGE_VALUE', path, message, hint: message }]);
    expect(problems).toEqual([{ code: 'EDGE_VALUE', path, message, hint: message }]);
  });
});

/** The output of a real `cdk8s synth` with errors and warnings. */
const root = resolve(__dirname, '..');
const cache = join(root, '.cache');
const cli = join(root, 'node_modules', 'cdk8s-cli', 'bin', 'cdk8s');
const app = ['-r', join(root, 'scripts', 'sources.cjs'), 'main.ts'];

/** Runs a program with `cdk8s synth` at full depth, else directly: starting the command takes longer than the program itself. */
function synth(body: string): SpawnSyncReturns<string> & { readonly manifests: readonly string[] } {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'terminal-'));
  writeFileSync(join(folder, 'cdk8s.yaml'), `language: typescript\napp: node ${app.join(' ')}\n`);
  writeFileSync(
    join(folder, 'main.ts'),
    `import { App, Chart } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, ExcludedWorkload, HostNetworkNodePool } from 'edge-nodepools';
const app = new App();
const chart = new Chart(app, 'fleet');
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
${body}
app.synth();
`,
  );
  const args = isFullDepth ? [cli, 'synth', '--check-upgrade=false'] : app;
  const result = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  const dist = join(folder, 'dist');
  const manifests = existsSync(dist) ? readdirSync(dist) : [];
  rmSync(folder, { recursive: true });
  return { ...result, manifests };
}

describe('the terminal of cdk8s synth', () => {
  it('shows every problem with its path and its hint, and one line of the user’s program', () => {
    const { status, stderr } = synth(
      `new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'Bei_Jing', taints: [{ key: 'site', effect: 'noschedule' as any }] });`,
    );
    expect(status).not.toBe(0);
    expect(stderr).toContain('EdgeError: HostNetworkNodePool fleet/pool: 2 problems');
    expect(stderr).toMatch(/EDGE_NAME {2}poolName: "Bei_Jing" is not usable/);
    expect(stderr).toContain("-> write poolName: 'bei-jing'");
    expect(stderr).toMatch(/EDGE_TAINT {2}taints\[0\]\.effect: .*\n\s+-> write effect: 'NoSchedule'/);
    const own = stderr.slice(0, stderr.indexOf('Node.js v'));
    expect(own.split('\n').filter((line) => /^\s+at /.test(line))).toEqual([expect.stringContaining('main.ts')]);
  });

  it('shows warnings and still writes the manifests', () => {
    const { status, stderr, manifests } = synth(
      `new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'beijing' });`,
    );
    expect(status).toBe(0);
    expect(manifests).toEqual(['fleet.k8s.yaml']);
    expect(stderr.match(/EDGE_UNCLAIMED_PAIR/g)).toHaveLength(1);
  });

  // the same way of the same errors to the terminal as the first test
  (isFullDepth ? it : it.skip)('shows problems that are found at synth', () => {
    const workload = `{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } }, spec: { nodeSelector: { 'apps.openyurt.io/nodepool': 'beijing' }, containers: [{ name: 'web', image: 'registry.example/web:1' }] } } } }`;
    const { status, stderr } = synth(
      `EdgeWarnings.setMode(app, 'silent');
new ExcludedWorkload(chart, 'web', { cluster, workload: ${workload} });
new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'beijing' });`,
    );
    expect(status).not.toBe(0);
    expect(stderr).toContain('EdgeError: ExcludedWorkload fleet/web: 1 problem');
    expect(stderr).toContain(
      'EDGE_CONTRADICTION  workload.spec.template.spec.nodeSelector["apps.openyurt.io/nodepool"]',
    );
    const own = stderr.slice(0, stderr.indexOf('Node.js v'));
    expect(own.split('\n').filter((line) => /^\s+at /.test(line)).length).toBeLessThanOrEqual(1);
    expect(stderr).not.toContain('EDGE_UNCLAIMED_PAIR');
  });
});
