import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { main } from '../../src/cli/main.js';
import { deployment } from '../bad-inputs/case.js';

function render(stdin: string, ...args: string[]): { code: number; out: string; err: string } {
  let [out, err] = ['', ''];
  const code = main(['post-render', ...args], {
    stdin: () => stdin,
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
  });
  return { code, out, err };
}

const terms = (object: any): unknown =>
  object.spec.template.spec.affinity?.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;

describe('post-render of aliases', () => {
  const list = `apiVersion: v1
kind: List
# the fleet
items:
- apiVersion: apps/v1
  kind: Deployment # of the web
  metadata: {name: a}
  spec: &shared
    replicas: 2 # both
    template:
      # the Pod
      spec:
        containers: [{name: a}]
- apiVersion: example.com/v1
  kind: Thing
  metadata: {name: b, serial: 12345678901234567890} # big
  spec: *shared
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: c}
  spec: *shared # as a
`;

  it('changes each place separately, and preserves comments and numbers', () => {
    const { code, out } = render(list, '--skip=Deployment/c');
    expect(code).toBe(0);
    const [a, b, c] = parse(out).items;
    expect(terms(a)).toHaveLength(1);
    expect([b.spec, c.spec].map((spec) => terms({ spec }))).toEqual([undefined, undefined]);
    for (const kept of ['# the fleet', '# of the web', '# both', '# the Pod', '12345678901234567890', '# big']) {
      expect(out).toContain(kept);
    }
    expect(render(out, '--skip=Deployment/c').out).toBe(out);
  });

  it('expands merge keys if a field has to be set in them', () => {
    const text = `base: &base
  metadata: {labels: {app: web}} # shared
  spec: {containers: [{name: a}]}
apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
spec:
  template:
    <<: *base
`;
    const { out } = render(text);
    const object = parse(out);
    expect(terms(object)).toHaveLength(1);
    expect(object.spec.template.metadata.labels).toEqual({ app: 'web' });
    expect(object.base).toEqual({ metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'a' }] } });
    expect(out).toContain('# shared');
  });

  it('preserves integers of JSON that a number cannot represent', () => {
    const object = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
      spec: { template: { spec: {} } },
    };
    const text = JSON.stringify(object).replace('"name"', '"serial":12345678901234567890,"name"');
    const { code, out } = render(text);
    expect([code, out]).toEqual([0, expect.stringContaining('"serial":12345678901234567890,')]);
    expect(terms(JSON.parse(out))).toHaveLength(1);
  });
});

describe('post-render of streams', () => {
  const workload = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {}}}\n';

  it('preserves %YAML directives', () => {
    const { code, out } = render(`%YAML 1.2\n---\n${workload}...\n%YAML 1.1\n---\nkind: ConfigMap\n`);
    expect([code, out.match(/^(%YAML.*|---|\.\.\.)$/gm)]).toEqual([0, ['%YAML 1.2', '---', '...', '%YAML 1.1', '---']]);
    expect(out).toContain('exclude-host-network-pool');
  });

  it('supports the items of a DeploymentList, which have no kind', () => {
    const items = [{ metadata: { name: 'a' }, spec: { template: { spec: {} } } }];
    const { out } = render(JSON.stringify({ apiVersion: 'apps/v1', kind: 'DeploymentList', items }));
    const [item] = JSON.parse(out).items;
    expect([terms(item), Object.keys(item)]).toEqual([[expect.anything()], ['metadata', 'spec']]);
  });

  it('warns about names without a match', () => {
    const { code, err } = render(workload, '--only=Deployment', '--skip=deployment', '--skip=DaemonSet/kube-prox');
    expect(code).toBe(0);
    expect(err.match(/no object of the stream is \S+/g)).toEqual([
      'no object of the stream is deployment',
      'no object of the stream is DaemonSet/kube-prox',
    ]);
    expect(render(workload, '--skip=Deployment/a').err).toBe('');
  });

  it('exits silently if its output is closed', () => {
    const main = JSON.stringify(resolve(__dirname, '../../src/cli/main.ts'));
    const bin = JSON.stringify(resolve(__dirname, '../../bin/edge-nodepools.js'));
    const program = `
      require('./scripts/sources.cjs');
      const Module = require('node:module');
      const load = Module._load;
      Module._load = (name, ...more) => load(name.endsWith('lib/cli/main.js') ? ${main} : name, ...more);
      process.argv.push('edge-nodepools', 'post-render');
      require(${bin});`;
    // more than a pipe holds
    const whole = JSON.stringify(deployment());
    const large = `apiVersion: v1\nkind: ConfigMap\ndata: {text: ${'x'.repeat(1_000_000)}}\n`;
    const { stderr, stdout } = spawnSync('sh', ['-c', `"$0" -e "$PROGRAM" | head -c 10`, process.execPath], {
      input: `${whole}\n---\n${large}`,
      env: { ...process.env, PROGRAM: program },
      encoding: 'utf8',
      cwd: resolve(__dirname, '../..'),
    });
    expect([stdout, stderr]).toEqual(['{"apiVersi', '']);
  });
});
