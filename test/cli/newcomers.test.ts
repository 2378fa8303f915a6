/** What newcomers give to the command: each is said, on stderr, and fails nothing that works. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { main } from '../../src/cli/main.js';

function run(args: readonly string[], stdin = ''): { code: number; out: string; err: string } {
  let out = '';
  let err = '';
  const code = main(args, { stdin: () => stdin, stdout: (text) => (out += text), stderr: (text) => (err += text) });
  return { code, out, err };
}

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const POOL =
  'apiVersion: apps.openyurt.io/v1beta2\nkind: NodePool\nmetadata: { name: hangzhou }\nspec: { type: Edge, hostNetwork: true }\n';
const web = (podSpec: string, metadata = '', own = ''): string => `apiVersion: apps/v1
kind: Deployment
metadata: { name: web${own} }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web }${metadata} }
    spec: { hostNetwork: true, containers: [{ name: web, image: web }], ${podSpec} }
`;
const KUSTOMIZATION = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [web.yaml]\n';
const COMPOSE = 'services:\n  web:\n    image: nginx\n';
const EXCLUDE = 'apps.openyurt.io/exclude-host-network-pool';
const LABEL = 'apps.openyurt.io/nodepool';

describe('check says what it did not check', () => {
  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    [
      'a Kustomization',
      { 'base/kustomization.yaml': KUSTOMIZATION },
      /base\/kustomization\.yaml \(a Kustomization\); .*kubectl kustomize/,
    ],
    ['one of another name', { 'a.yaml': KUSTOMIZATION }, /a\.yaml \(a Kustomization\)/],
    ['one without kind', { 'kustomization.yml': 'resources: [web.yaml]\n' }, /kustomization\.yml \(a Kustomization\)/],
    ['Docker Compose', { 'docker-compose.yml': COMPOSE }, /docker-compose\.yml \(a file of Docker Compose.*kompose/],
    ['Docker Compose of any name', { 'stack.yaml': COMPOSE }, /stack\.yaml \(a file of Docker Compose/],
    [
      'a chart',
      { 'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n' },
      /Chart\.yaml \(a chart of Helm\); .*helm template/,
    ],
  ])('%s, and does not fail', (_, files, said) => {
    const { code, out, err } = run(['check', folderOf({ 'web.yaml': web(''), ...files })]);
    expect(err).toMatch(said);
    expect(err).toMatch(/^not checked: /);
    expect([code, out]).toEqual([0, expect.stringContaining('found')]);
  });

  it('nothing of manifests', () => {
    const list = `services:\n  - a\n${web('')}`;
    expect(run(['check', folderOf({ 'web.yaml': web(''), 'cr.yaml': list })]).err).toBe('');
  });
});

describe('what is no manifest is named', () => {
  const OPS = '- op: replace\n  path: /spec/replicas\n  value: 3\n';
  const PATCH = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec: { replicas: 4 }\n';
  const files = { 'k/web.yaml': web(''), 'k/pool.yaml': POOL };
  const show = (more: Readonly<Record<string, string>>): ReturnType<typeof run> =>
    run(['show', folderOf({ ...files, ...more })]);

  it.each<[what: string, more: Readonly<Record<string, string>>, named: RegExp]>([
    ['a list of operations', { 'k/ops.yaml': OPS }, /k\/ops\.yaml \(patches of kustomize/],
    ['the same as JSON', { 'k/ops.json': '[{"op":"remove","path":"/spec"}]' }, /k\/ops\.json/],
    ...['patches: [{ path: ../p/web.yaml }]', 'patchesStrategicMerge: [../p/web.yaml]'].map(
      (field): [string, Readonly<Record<string, string>>, RegExp] => [
        field,
        { 'k/kustomization.yaml': `${KUSTOMIZATION}${field}\n`, 'p/web.yaml': PATCH },
        /p\/web\.yaml \(patches/,
      ],
    ),
  ])('patches of kustomize, which stop nothing: %s', (_, more, named) => {
    const { code, out, err } = show(more);
    expect(err).toMatch(named);
    expect([code, out]).toEqual([0, show({}).out]);
    const { err: checked, out: found } = run(['check', folderOf({ ...files, ...more })]);
    expect(checked).toMatch(named);
    expect(found).toMatch(/^0 errors|nothing found/m);
  });

  it('a list of other things, and a part that no Kustomization names, are read', () => {
    expect(show({ 'list.yaml': '- op: add\n  value: 1\n' }).err).toMatch(/list\.yaml: document 1 .* is not a YAML/);
    expect(show({ 'p/web.yaml': PATCH }).err).not.toMatch(/not read/);
  });

  const OBJECT = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}';
  it.each<[what: string, text: string, said: RegExp]>([
    ['a comma at the end', OBJECT.replace('"a"', '"a",'), /a\.json: invalid JSON \(line 1, column 62\)/],
    ['single quotes', OBJECT.replaceAll('"', "'"), /a\.json: invalid JSON \(line 1, column 2\)/],
    ['several objects', `${OBJECT}\n${OBJECT.replace('"a"', '"b"')}`, /^$/],
  ])('JSON that kubectl refuses: %s', (_, text, said) => {
    expect(show({ 'a.json': text }).err).toMatch(said);
    const { code } = run(['check', folderOf({ 'a.json': text })]);
    expect(code).toBe(said.source === '^$' ? 0 : 1);
  });

  it.each<[what: string, args: string[], said: RegExp]>([
    ['a page', ['check', join(__dirname, '../../README.md')], /README\.md is a page, and no manifest/],
    ['a command that is misspelt', ['dump', 'nods'], /no command nods reads a dump[^]*Did you mean nodes\?/],
    ['a format that is misspelt', ['show', 'dist', '--format', 'htm'], /Did you mean html\?/],
    [
      'a pool that is down',
      ['simulate', '-', '--down', 'hangzhou'],
      /hangzhou is a pool; write --down pool=hangzhou$/m,
    ],
    ['a Node that is a pool', ['simulate', '-', '--down', 'node=hangzhou'], /is a pool; write --down pool=hangzhou$/m],
    ['one that is misspelt', ['simulate', '-', '--down', 'hangzhu'], /did you mean --down pool=hangzhou\?/],
    ['a time that is none', ['simulate', '-', '--down', 'pool=hangzhou', '--for', '10x'], /write 10m or 90s$/m],
    ['a minor', ['check', '-', '--kubernetes', '1.99'], /EDGE_UNKNOWN_RELEASE {2}--kubernetes: 1\.99/],
  ])('by what to write: %s', (_, args, said) => {
    const { code, err } = run(args, POOL);
    expect(err).toMatch(said);
    expect(code).toBe(2);
  });

  it('a key that is there twice is no second object', () => {
    const { out } = run(['check', '-'], 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\nkind: Secret\n');
    expect(out).toContain('kind is here twice');
    expect(run(['check', '-'], `${POOL}${POOL}`).out).toContain('a second object begins here without ---');
  });
});

const pod = (pool: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { hostNetwork: true, nodeSelector: { ${LABEL}: ${pool} }, containers: [{ name: a, image: a }] }\n`;
const set = (pool: string): string =>
  `apiVersion: apps.openyurt.io/v1beta1\nkind: YurtAppSet\nmetadata: { name: a }\nspec: { pools: [${pool}] }\n`;

describe('check tells of', () => {
  it.each<[string, string, string]>([
    ['a pool that is misspelt', web(`nodeSelector: { ${LABEL}: hangzhu }`), 'did you mean hangzhou?'],
    ['a pool in capitals', web(`nodeSelector: { ${LABEL}: Hangzhou }`), 'did you mean hangzhou?'],
    [
      'a pool that is misspelt in an affinity',
      web(
        `affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: ${LABEL}, operator: In, values: [hangzohu] }] }] } } }`,
      ),
      'did you mean hangzhou?',
    ],
    ['a pool that a Pod misspells', pod('hangzohu'), 'did you mean hangzhou?'],
    ['a pool that a YurtAppSet misspells', set('hangzhuo'), 'did you mean hangzhou?'],
    [
      'a short pool with two letters swapped',
      `${POOL.replaceAll('hangzhou', 'edge')}---\n${pod('egde')}`,
      'mean edge?',
    ],
    [
      'the annotation on the workload itself',
      web('', '', `, annotations: { ${EXCLUDE}: 'true' }`),
      'write it in spec.template.metadata.annotations',
    ],
    [
      'the annotation as a label',
      web('', '').replace('labels: { app: web }', `labels: { app: web, ${EXCLUDE}: 'true' }`),
      'write it in spec.template.metadata.annotations',
    ],
    [
      'the annotation on a Namespace',
      `apiVersion: v1\nkind: Namespace\nmetadata: { name: a, annotations: { ${EXCLUDE}: 'true' } }\n`,
      'write it in the Pod template',
    ],
  ])('%s', (_, text, hint) => {
    const { code, out } = run(['check', folderOf({ 'a.yaml': `${POOL}---\n${text}` })]);
    expect(out).toContain(hint);
    expect(code).toBe(0);
  });

  it.each<[string, string]>([
    ['the pool', web(`nodeSelector: { ${LABEL}: hangzhou }`)],
    ['a short pool with another letter', `${POOL.replaceAll('hangzhou', 'edge')}---\n${pod('edgy')}`],
    ['the pool of a YurtAppSet', set('hangzhou')],
    ['pools of another part of the fleet', web(`nodeSelector: { ${LABEL}: hangzhou-2 }`)],
    ['a pool with another name', web(`nodeSelector: { ${LABEL}: shanghai }`)],
    ['the annotation in its place', web('', `, annotations: { ${EXCLUDE}: 'true' }`)],
    [
      'the annotation in both places',
      web('', `, annotations: { ${EXCLUDE}: 'true' }`, `, annotations: { ${EXCLUDE}: 'true' }`),
    ],
    [
      'the annotation of a Pod',
      `apiVersion: v1\nkind: Pod\nmetadata: { name: a, annotations: { ${EXCLUDE}: 'true' } }\nspec: { hostNetwork: true, containers: [{ name: a, image: a }] }\n`,
    ],
  ])('nothing of %s', (_, text) => {
    const { out } = run(['check', folderOf({ 'a.yaml': `${POOL}---\n${text}` })]);
    expect(out).not.toMatch(/EDGE_MATCHES_NOTHING|EDGE_UNUSED/);
  });
});

describe('a command', () => {
  it('says what --host-network-pool was meant to be', () => {
    const manifests = web(`nodeSelector: { ${LABEL}: hangzhou }`);
    for (const command of ['check', 'show'] as const) {
      const { code, err } = run([command, '-', '--host-network-pool=hangzhuo'], manifests);
      expect([code, err]).toEqual([0, expect.stringContaining('something has hangzhou: did you mean it?')]);
      expect(run([command, '-', '--host-network-pool=hangzhou'], manifests).err).toBe('');
      expect(run([command, '-', '--host-network-pool=depot'], manifests).err).toBe('');
    }
  });

  it('says that there is nothing to render', () => {
    expect(run(['post-render'], '\n')).toEqual({ code: 0, out: '\n', err: expect.stringContaining('stdin is empty') });
    expect(run(['post-render'], web('')).err).not.toContain('stdin is empty');
  });

  it('says that a path of a template needs a kind', () => {
    expect(run(['post-render', '--pod-template-path=spec.template'], '').err).toContain(
      'write the kind and its API group before the path: Worker.example.com=spec.template',
    );
  });
});

describe('a command line of another tool', () => {
  it.each<[args: string, said: string]>([
    ['check a.yaml b.yaml', 'check reads one: give the folder'],
    ['show dist hz', 'show reads one: give the folder'],
    ['check -f dist', 'edge-nodepools check dist'],
    ['check --filename=dist', 'edge-nodepools check dist'],
    ['nodes -f dist', 'Did you mean --dump?'],
    ['show -o json dist', 'Did you mean --format?'],
    ['show --output=json dist', 'Did you mean --format?'],
    ['simulate dist --pool hz', 'write --down pool=<name>'],
    ['import', 'write edge-nodepools import dump.yaml'],
    ['dump', 'write edge-nodepools dump nodes > dump.yaml'],
    ['explain', "write edge-nodepools explain 'Deployment default/web' dist"],
    ['explain Deployment web dist', 'the kind and the name are one argument'],
    ['diff a b c', 'diff compares two'],
    ['version', 'write edge-nodepools --version'],
    ['-v', 'Did you mean --version?'],
    ['apply dist', 'kubectl apply --server-side -f dist'],
    ['validate dist', 'write edge-nodepools check dist'],
    ['list', 'write edge-nodepools show dist'],
    ['synth', 'npm run synth'],
  ])('%s', (args, said) => {
    const { code, err } = run(args.split(' '));
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
  });
});
