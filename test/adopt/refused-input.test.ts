/** Input that is refused, with file and line, or of which something is left out: nothing is half written. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../src/cli/main.js';
import { NODE } from './imported-dump.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-import-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(...args: readonly string[]): { code: number; out: string; err: string } {
  let out = '';
  let err = '';
  const code = main(['import', ...args], {
    stdin: () => '',
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
  });
  return { code, out, err };
}

describe('input that is', () => {
  const said = (text: string, ...args: readonly string[]): string => {
    writeFileSync(join(folder, 'a.yaml'), text);
    const given = args.length === 0 ? ['--openyurt', '1.7', '--kubernetes', '1.34'] : args;
    const { code, out, err } = run(join(folder, 'a.yaml'), ...given, '--out', join(folder, 'out'));
    return `${code} ${err}${out}`.split(folder).join('.');
  };
  const list = Array.from(
    { length: 9 },
    (_, index) => `a${index}: &a${index} [${index === 0 ? 'x' : `*a${index - 1}, `.repeat(9).slice(0, -2)}]`,
  );

  it.each([
    ['a bomb', list.join('\n'), /2 .*\n  EDGE_\w+  \.\/a\.yaml/],
    ['broken', 'apiVersion: v1\nkind: [\n', /EDGE_YAML  \.\/a\.yaml: invalid YAML \(line 3/],
    [
      'no object',
      'apiVersion: v1\nkind: A\nmetadata: { name: a }\n---\nservices: {}\n',
      /EDGE_MISSING  \.\/a\.yaml:5: this is not a Kubernetes object/,
    ],
    [
      'without a name',
      'apiVersion: v1\nkind: Pod\nmetadata:\n  generateName: a-\n',
      /EDGE_NAME  \.\/a\.yaml:3: .*generateName/,
    ],
    [
      'twice there, and differs',
      'kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n---\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata: {a: b}\n',
      /EDGE_DUPLICATE  \.\/a\.yaml:7: ConfigMap a is also in \.\/a\.yaml:3/,
    ],
    [
      'with a key that is there twice',
      'kind: List\napiVersion: v1\nitems:\n- kind: ConfigMap\n  apiVersion: v1\n  metadata: {name: a}\n  data:\n    a: b\n    a: c\n',
      /EDGE_DUPLICATE  \.\/a\.yaml:9: a is here twice: the last one wins, and kubectl refuses it\n.*remove one/,
    ],
    [
      'without --- between two objects',
      'kind: A\napiVersion: x/v1\nmetadata: {name: a}\nkind: A\napiVersion: x/v1\nmetadata: {name: b}\n',
      /EDGE_DUPLICATE  \.\/a\.yaml:4: a second object begins here without ---/,
    ],
    [
      'labelled with a number',
      'kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\n  labels: {a: 1}\n',
      /EDGE_TYPE  \.\/a\.yaml:5: .*quotes/s,
    ],
    [
      'with values that YAML does not take for text',
      'kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\ndata:\n  a: x\n  b: true\n  c: 014\n',
      /EDGE_TYPE  \.\/a\.yaml:6: data\.b must be text, and is true.*'true', in quotes.*a\.yaml:7: data\.c/s,
    ],
    [
      'with such values in a Pod template',
      'kind: Deployment\napiVersion: apps/v1\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      nodeSelector: {edge: true}\n      containers:\n      - name: a\n        env:\n        - name: A\n          value: 1\n        args: [2]\n',
      /a\.yaml:7: .*nodeSelector\.edge must.*a\.yaml:13: .*args\[0\] must.*a\.yaml:12: .*env\[0\]\.value must/s,
    ],
    [
      'a List with items that are no objects',
      'kind: List\napiVersion: v1\nitems:\n- null\n- kind: ConfigMap\n  apiVersion: v1\n  metadata: {name: a}\n- x\n- []\n',
      /a\.yaml:4: an item of this List is no object.*a\.yaml:8: .*a\.yaml:9: /s,
    ],
    [
      'with a path for a name',
      'kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: a\n  namespace: ../../x\n',
      /EDGE_NAME  \.\/a\.yaml:5: metadata\.namespace: "\.\.\/\.\.\/x" is not a name/,
    ],
    [
      'there in two versions of the API',
      ['apps/v1', 'extensions/v1beta1']
        .map((version) => `kind: Deployment\napiVersion: ${version}\nmetadata: {name: a}\nspec: {selector: {}}\n`)
        .join('---\n'),
      /EDGE_DUPLICATE  \.\/a\.yaml:8: Deployment a is also in \.\/a\.yaml:3.*in apps\/v1 and extensions\/v1beta1/,
    ],
    [
      'there with and without its namespace',
      ['{name: a, namespace: default}', '{name: a}']
        .map((metadata) => `kind: ConfigMap\napiVersion: v1\nmetadata: ${metadata}\n`)
        .join('---\n'),
      /EDGE_DUPLICATE  \.\/a\.yaml:7: .*without a namespace is in default/,
    ],
  ])('%s is refused with file and line', (_, text, message) => {
    expect(said(text)).toMatch(message);
    expect(readdirSync(folder)).toEqual(['a.yaml']);
  });

  it('of a release that nothing shows is asked for', () => {
    const text = 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n';
    const answer = said(text, '--kubernetes', '1.34');
    expect(answer).toMatch(
      /EDGE_MISSING  --openyurt: nothing in the objects shows the release of OpenYurt\n\s+-> write --openyurt 1\.7/,
    );
    expect(said(text, '--openyurt', 'none')).toContain('EDGE_MISSING  --kubernetes');
  });

  it('named like a prototype is left out, and the report says why', () => {
    const [a, b] = ['a', 'b'].map((name) => `kind: ConfigMap\napiVersion: v1\nmetadata: {name: ${name}}\n`);
    const answer = said(`${a}data: {__proto__: a}\n---\n${b}`);
    expect(answer).toContain('1 object in');
    expect(answer).toMatch(/^1 +it has a field __proto__, .*ConfigMap a$/m);
  });

  it('with an integer that JavaScript rounds is left out with its place, and all others are imported', () => {
    const [a, b] = ['a', 'b'].map((name) => `kind: A\napiVersion: x/v1\nmetadata: {name: ${name}}\n`);
    const answer = said(`${a}spec:\n  list:\n  - id: 9223372036854775807\n---\n${b}spec: {id: 9007199254740991}\n`);
    expect(answer).toMatch(/^0 1 object in/);
    expect(answer.replace(/\s+/g, ' ')).toMatch(
      /spec\.list\[0\]\.id is 9223372036854775807 A a \(\.\/a\.yaml:6\), which JavaScript rounds/,
    );
    rmSync(join(folder, 'out'), { recursive: true });
    // what the server writes is left out, so that nothing is rounded
    const stored = `${a}status: {id: 9223372036854775807}\n`.replace('{name: a}', '{name: a, uid: u}');
    expect(said(stored)).toMatch(/^0 1 object in(?!.*rounds)/s);
    for (const field of ['status: {list: [{id: 9007199254740993}]}', 'spec: {id: 9007199254740992}']) {
      rmSync(join(folder, 'out'), { recursive: true });
      expect(said(`${a}${field}\n`)).toMatch(/^0 1 object in(?!.*rounds)/s);
    }
    rmSync(join(folder, 'out'), { recursive: true });
    const counted = said(`${a}spec: {id: 1}\n`.replace('{name: a}', '{name: a, generation: 9007199254740993}'));
    expect(counted).toMatch(/^0 1 object in.*^1 +metadata\.generation +the API server/ms);
    rmSync(join(folder, 'out'), { recursive: true });
    expect(said(`${a}`.replace('{name: a}', '{name: a, labels: {b: 9223372036854775807}}'))).toMatch(/EDGE_TYPE/);
  });

  it('of another release than the command line says is reported', () => {
    const text = `${JSON.stringify(NODE)}\n---\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n`;
    const answer = said(text, '--openyurt', '1.7', '--kubernetes', '1.36');
    expect(answer).toContain(
      'the command line says Kubernetes 1.36, and the objects show 1.34.2, by the newest kubelet',
    );
    expect(answer).not.toContain('the command line; the command line');
    rmSync(join(folder, 'out'), { recursive: true });
    expect(said(text, '--openyurt', '1.7', '--kubernetes', '1.34')).not.toContain('the objects show');
  });

  it('twice there, and the same, is one object', () => {
    const text = 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n';
    expect(said(`${text}---\n${text}`)).toContain('1 object in');
  });
});

describe('a folder', () => {
  const CONFIG = 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n';
  const OF_KUSTOMIZE = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n';
  const said = (files: Record<string, string>): string => {
    const from = join(folder, 'in');
    mkdirSync(from);
    Object.entries(files).forEach(([name, text]) => writeFileSync(join(from, name), text));
    const { code, out, err } = run(from, '--openyurt', '1.7', '--kubernetes', '1.34', '--out', join(folder, 'out'));
    return `${code} ${err}${out}`.split(folder).join('.');
  };

  it('may have files that are no manifests, and the report lists them', () => {
    const answer = said({ 'a.yaml': CONFIG, 'values.yaml': 'image: web\n', 'package.json': '{"name": "x"}' });
    expect(answer).toContain('0 1 object in');
    // the table wraps both columns if the folder of temporary files has a long name
    expect(answer).toMatch(/^2 +a file\b/m);
    expect(answer).toMatch(/package\.json\s/);
  });

  it.each([
    ['a Kustomization', { 'kustomization.yaml': OF_KUSTOMIZE }, 'kubectl kustomize ./in | npx edge-nodepools import -'],
    ['a chart', { 'Chart.yaml': 'apiVersion: v2\nname: x\n' }, 'helm template NAME ./in | npx edge-nodepools import -'],
  ])('of %s is refused, with what to run in its place', (_, files, hint) => {
    const answer = said({ 'a.yaml': CONFIG, ...files });
    expect(answer).toMatch(/^2 import: \d problem/);
    expect(answer).toContain(hint);
    expect(readdirSync(folder)).toEqual(['in']);
  });

  it('without a manifest is refused', () => {
    expect(said({ 'values.yaml': 'image: web\n' })).toContain('2 there are no manifests in ./in');
  });

  it('that cannot be written is named, with the reason', () => {
    writeFileSync(join(folder, 'a.yaml'), CONFIG);
    writeFileSync(join(folder, 'file'), '');
    const { code, err } = run(
      ...[join(folder, 'a.yaml'), '--openyurt', '1.7', '--kubernetes', '1.34'],
      ...['--out', join(folder, 'file', 'out')],
    );
    expect(code).toBe(2);
    expect(err).toBe(`${join(folder, 'file')}: it cannot be written: a file is there already (EEXIST)\n`);
  });
});
