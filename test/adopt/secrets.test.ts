/** Secrets: no value is in the program, and none is emptied when it cannot be read. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'cdk8s';
import type * as pulumi from '@pulumi/pulumi';
import { manifestsOf } from '../../src/constructs/manifests.js';
import { Testing } from '../../src/testing.js';
import { LAST_APPLIED } from '../../src/fleet/server-values.js';
import { imported, moduleOf, stacksOf, objectsOf, RELEASES, sorted } from './programs.js';

let folder: string;
beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-import-'));
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const secret = (fields: object, metadata: object = {}): any => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'cert', namespace: 'x', ...metadata },
  ...fields,
});

/** Runs the commands of README.md with a kubectl that answers, or fails; pulumi prints what it is to set. */
function run(program: ReturnType<typeof imported>, kubectl: string, after = ''): string {
  const scripts = { kubectl, pulumi: `printf '[%s]' "$@"; printf '['; cat; printf ']'` };
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  mkdirSync(join(folder, 'secrets'), { recursive: true });
  const commands = program.secrets.map(({ command }) => command);
  const { stdout, stderr } = spawnSync('sh', ['-c', [...commands, after].join('\n')], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: `${folder}:${process.env.PATH}` },
  });
  return stdout + stderr;
}

/** The value of a secret that the program reads. */
const valueOf = (program: ReturnType<typeof imported>, name: string): unknown =>
  moduleOf(program, 'secret', folder).secret(name);

describe('the commands of README.md', () => {
  const text = { stringData: { 'tls.key': '-----BEGIN KEY-----\nabcdef\n' } };
  const data = { data: { 'tls.key': 'YWJj' } };
  const NAME = 'X_CERT_TLS_KEY';
  beforeEach(() => Reflect.deleteProperty(process.env, NAME));

  it('read the text of stringData from data, which alone a server returns, with its line ends', () => {
    const program = imported([secret(text)]);
    expect(program.secrets[0]?.command).toContain(`{{with index . "data" "tls.key"}}{{. | base64decode}}{{end}}`);
    expect(run(program, `printf '%s\\n\\n' '---BEGIN'`)).toBe('');
    expect(valueOf(program, NAME)).toBe('---BEGIN\n\n');
    expect(run(imported([secret(text)], 'pulumi'), `printf '%s\\n\\n' '---BEGIN'`)).toBe(
      // pulumi drops the last line end
      '[config][set][--secret][--][x-cert-tls-key][---BEGIN\n\n\n]',
    );
  });

  it('read data as it is', () => {
    const program = imported([secret(data)]);
    expect(program.secrets[0]?.command).toContain(
      `'go-template={{with index . "data" "tls.key"}}{{.}}{{end}}' -- cert`,
    );
    expect(run(program, `printf YWJj`)).toBe('');
    expect(valueOf(program, NAME)).toBe('YWJj');
    expect(run(imported([secret(data)], 'pulumi'), 'printf YWJj')).toBe(
      '[config][set][--secret][--][x-cert-tls-key][YWJj\n]',
    );
  });

  it.each(['cdk8s', 'pulumi'] as const)(
    'hand on 150 kB, which no argument or variable can have: %s',
    async (target) => {
      const long = 'YWJj'.repeat(37_500);
      const program = imported(
        [secret({ data: { 'tls.key': long } }), secret({ data: { b: 'YWJj' } }, { name: 'd' })],
        target,
      );
      const [first, second] = program.secrets.map(({ variable }) => variable);
      expect(run(program, `i=0; while [ $i -lt 37500 ]; do printf YWJj; i=$((i + 1)); done`)).not.toMatch(/too long/);
      expect(readFileSync(join(folder, 'secrets', String(first)), 'utf8')).toBe(long);
      if (target === 'cdk8s') {
        expect(valueOf(program, String(second))).toBe(long);
      } else {
        const config = { [`project:${second}`]: 'YWJj' };
        const { objects } = await Testing.preview(() => stacksOf(program, folder), config);
        await jest.requireActual<typeof pulumi>('@pulumi/pulumi').runtime.disconnect();
        const values = objects.map((each: any) => String(Object.values(revealed(each.data))[0]).length);
        expect(values.sort()).toEqual([long.length, 4].sort());
      }
    },
  );

  it.each([text, data])('set nothing if kubectl fails, and keep what was there: %j', (fields) => {
    const program = imported([secret(fields)]);
    run(program, 'printf before');
    run(program, 'printf half; exit 1');
    expect(valueOf(program, NAME)).toBe('before');
    expect(run(imported([secret(fields)], 'pulumi'), 'exit 1')).toBe('');
  });

  it('quote every name', () => {
    const name = "a'$(touch pwned)";
    const [{ command = '' } = {}] = imported([secret(data, { name, namespace: name })]).secrets;
    const quoted = `'a'\\''$(touch pwned)'`;
    expect(command).toMatch(/^kubectl .* > secrets\/\.part && mv secrets\/\.part secrets\/A_TOUCH_PWNED\w*_TLS_KEY$/);
    expect(command.split(quoted)).toHaveLength(3);
    expect(command.split(quoted).join('')).not.toContain('touch');
  });
});

describe('a value that is empty', () => {
  it('is refused, as one that is not set, unless it was empty in the input', () => {
    const program = imported([secret({ data: { a: 'YWJj', b: '' } })]);
    process.env.X_CERT_A = '';
    expect(() => objectsOf(program)).toThrow('X_CERT_A is not set, or it is empty');
    delete process.env.X_CERT_A;
    expect(() => objectsOf(program)).toThrow('X_CERT_A is not set, or it is empty');
    process.env.X_CERT_A = 'YWJj';
    expect(objectsOf(program)[0].data).toEqual({ a: 'YWJj', b: '' });
  });

  it('is refused by Pulumi', async () => {
    const program = imported([secret({ data: { a: 'YWJj' } })], 'pulumi');
    const preview = Testing.preview(() => stacksOf(program), { 'project:x-cert-a': '' });
    await expect(preview).rejects.toThrow(/x-cert-a/);
    await jest.requireActual<typeof pulumi>('@pulumi/pulumi').runtime.disconnect();
  });
});

/** A value that Pulumi has marked as a secret. */
const revealed = (value: any): any => (value['4dabf18193072939515e22adb298388d'] === undefined ? value : value.value);

describe('a value that is in an annotation of its Secret, too,', () => {
  const value = 'SuperGeheim123';
  const base64 = Buffer.from(value).toString('base64');
  const annotations = { copy: base64, plain: value, 'a.b/json': JSON.stringify({ pw: base64 }), other: 'x' };

  it.each([{ data: { pw: base64 } }, { stringData: { pw: value } }])('is not in the program: %j', (fields) => {
    const given = secret(fields, { annotations });
    for (const target of ['cdk8s', 'pulumi'] as const) {
      const program = imported([given], target);
      const all = program.report + program.files.map(({ content }) => content).join('');
      expect(all).not.toMatch(new RegExp(`${value}|${base64}`));
    }
    const program = imported([given]);
    expect(program.report).toContain('metadata.annotations["a.b/json"]');
    const { command, variable = '' } = program.secrets.find(({ key }) => key.endsWith('json"]')) ?? {};
    expect(command).toContain(`{{with index . "metadata" "annotations" "a.b/json"}}{{.}}{{end}}`);
    const known: Record<string, any> = { ...annotations, pw: Object.values(Object.values(fields)[0] ?? {})[0] };
    program.secrets.forEach(
      (each) => (process.env[each.variable] = known[each.key.replace(/^metadata\.annotations(?:\.|\["(.*)"\])/, '$1')]),
    );
    expect(process.env[variable]).toContain('pw');
    expect(objectsOf(program)).toEqual([given]);
  });
});

describe('keys', () => {
  const NAMES = ['secret', 'kept', 'without', 'config', 'pulumi', 'process', 'cluster', 'pools', 'Chart', 'ApiObject'];
  const words = [...NAMES, 'toString', 'constructor', 'valueOf', 'class', 'this', 'scope', 'id', 'name', 'value'];
  const data = Object.fromEntries(words.map((word) => [word, 'YWJj']));

  it('that are names of the program stay keys', () => {
    const program = imported([secret({ data })]);
    program.secrets.forEach(({ variable }) => (process.env[variable] = 'YWJj'));
    expect(objectsOf(program)[0].data).toEqual(data);
  });

  it('that are members of every object stay keys with Pulumi', async () => {
    const program = imported([secret({ data })], 'pulumi');
    const config = Object.fromEntries(program.secrets.map(({ variable }) => [`project:${variable}`, `<${variable}>`]));
    const { objects } = await Testing.preview(() => stacksOf(program), config);
    await jest.requireActual<typeof pulumi>('@pulumi/pulumi').runtime.disconnect();
    expect(Object.keys(revealed((objects[0] as any).data)).sort()).toEqual([...words].sort());
  });

  it.each(["'$(touch /tmp/pwn)'", "a'b", '', '..', '..a', 'a b', 'ü', 'a'.repeat(254)])(
    'that API servers refuse are refused: %j',
    (key) => {
      const given = (kind: string, field: string): object => ({
        apiVersion: 'v1',
        kind,
        metadata: { name: 'a' },
        [field]: { [key]: 'YWJj' },
      });
      expect(() => imported([given('Secret', 'data')])).toThrow(/EDGE_NAME|dump\.json:1: .* is not a key of data/);
      expect(() => imported([given('ConfigMap', 'binaryData')])).toThrow(/is not a key of binaryData/);
    },
  );
});

/** In parts, so that no scanner takes this file for a leak. */
const PASSWORDS = [
  'abcdef.0123456789abcdef',
  'https://user:pw@git.example/r.git',
  ['gh', 'p_'].join('') + 'a1B2'.repeat(9),
];
const withSecrets = (text: string): any[] => [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'join', namespace: 'x' },
    data: { 'a.conf': `x\n${text}\n` },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'x' },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: {
        metadata: { labels: { app: 'a' } },
        spec: {
          hostNetwork: true,
          nodeSelector: { 'apps.openyurt.io/nodepool': 'berlin' },
          containers: [{ name: 'a', image: 'a:1', args: ['-v', Buffer.from(text).toString('base64')] }],
        },
      },
    },
  },
  { apiVersion: 'example.com/v1', kind: 'Join', metadata: { name: 'j', annotations: { a: text } }, spec: {} },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'plain', namespace: 'x' }, data: { a: 'b' } },
];

describe.each(PASSWORDS)('a secret in any object %#', (text) => {
  it('is not in the program, which is the same object with it', () => {
    const given = withSecrets(text);
    for (const target of ['cdk8s', 'pulumi'] as const) {
      const program = imported(given, target);
      const all = program.report + program.files.map(({ content }) => content).join('');
      expect(all).not.toContain(text);
      expect(all).not.toContain(Buffer.from(text).toString('base64'));
      expect(program.files.map(({ path }) => path)).toContain('namespaces/x/secrets.ts');
    }
    const program = imported(given);
    expect(program.secrets.map(({ object }) => object).sort()).toEqual([
      'ConfigMap x/join',
      'DaemonSet x/agent',
      'Join j',
    ]);
    const agent = program.secrets.find(({ object }) => object === 'DaemonSet x/agent');
    expect(agent?.command).toContain(
      `get DaemonSet.v1.apps --output 'go-template={{with index . "spec" "template" "spec" "containers" 0 "args" 1}}{{.}}{{end}}' -- agent`,
    );
    const values: Record<string, string> = {
      'ConfigMap x/join': `x\n${text}\n`,
      'DaemonSet x/agent': Buffer.from(text).toString('base64'),
      'Join j': text,
    };
    program.secrets.forEach(({ object, variable }) => (process.env[variable] = values[object]));
    expect(objectsOf(program)).toEqual(sorted(given));
    program.secrets.forEach(({ variable }) => Reflect.deleteProperty(process.env, variable));
  });
});

it.each([
  ['prod', ['ConfigMap']],
  ['prod-secrets', ['Secret']],
])('a stack %s of Pulumi makes %j', async (stack, kinds) => {
  const plain = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'plain' }, data: { a: 'b' } };
  const program = imported([secret({ data: { a: 'YWJj' } }), plain], 'pulumi');
  const values: Record<string, string> = stack === 'prod' ? {} : { 'project:x-cert-a': 'YWJj' };
  jest.spyOn(jest.requireActual<typeof pulumi>('@pulumi/pulumi'), 'getStack').mockReturnValue(stack);
  const { objects } = await Testing.preview(() => moduleOf(program, 'index'), values);
  await jest.requireActual<typeof pulumi>('@pulumi/pulumi').runtime.disconnect();
  expect(objects.map(({ kind }) => kind)).toEqual(kinds);
});

it('all but what has secrets is made without their values', () => {
  const program = imported([...withSecrets(String(PASSWORDS[0])), secret({ data: { a: 'YWJj' } })]);
  const app = new App();
  moduleOf(program, 'fleet').addFleet(app);
  expect(manifestsOf(app).map(({ metadata }) => metadata?.name)).toEqual(['plain']);
  expect(() => moduleOf(program, 'fleet').addSecrets(new App())).toThrow('README.md has the command');
});

describe('--secrets', () => {
  const store = {
    apiVersion: 'external-secrets.io/v1beta1',
    kind: 'ClusterSecretStore',
    metadata: { name: 'vault' },
    spec: {},
  };
  const tls = secret({ type: 'kubernetes.io/tls', data: { 'tls.key': 'YWJj' } }, { labels: { app: 'a' } });
  const sealed = {
    apiVersion: 'bitnami.com/v1alpha1',
    kind: 'SealedSecret',
    metadata: { name: 'cert', namespace: 'x' },
    spec: {},
  };
  const named = {
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata: { name: 'other', namespace: 'x' },
    spec: { target: { name: 'cert' } },
  };
  const of = (objects: any[], given: object): any => imported(objects, 'cdk8s', { ...RELEASES, ...given });

  it('leave-out leaves them in the cluster, and says so', () => {
    const program = of([...withSecrets(String(PASSWORDS[0])), tls], { secrets: 'leave-out' });
    expect(program.secrets).toEqual([]);
    expect(objectsOf(program).map(({ metadata }) => metadata.name)).toEqual(['plain']);
    expect(program.report.replace(/\s+/g, ' ')).toMatch(
      /bootstrap token in it, and stays in the cluster.*--secrets leave-out/,
    );
    for (const name of ['ConfigMap x/join', 'DaemonSet x/agent', 'Join j', 'Secret x/cert']) {
      expect(program.report).toContain(name);
    }
  });

  it.each([sealed, named])('external leaves out what an object of the input makes: %#', (maker) => {
    const program = of([tls, maker], { secrets: 'external' });
    expect(objectsOf(program)).toEqual([maker]);
    expect(program.report).toContain(`made by its ${maker.kind}`);
  });

  const merging = (creationPolicy: string): any => ({
    ...named,
    spec: { target: { name: 'cert', creationPolicy } },
  });
  const token = secret(
    { type: 'kubernetes.io/service-account-token', data: { token: 'YWJj' } },
    { uid: 'u', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
  );
  it.each<[string, any, any[], boolean, number]>([
    ['with Owner', tls, [merging('Owner')], false, 0],
    ['with Orphan', tls, [merging('Orphan')], false, 0],
    ['with Merge', tls, [merging('Merge')], true, 1],
    ['with None', tls, [merging('None')], true, 1],
    ['with Merge beside its maker', tls, [merging('Merge'), sealed], false, 0],
    ['that the API server fills', token, [], true, 0],
  ])('external keeps a Secret that no object of the input makes: %s', (_, given, writers, isKept, values) => {
    const program = of([given, ...writers, store], { secrets: 'external' });
    expect(program.secrets).toHaveLength(values);
    program.secrets.forEach(({ variable }: any) => (process.env[variable] = 'YWJj'));
    const found = objectsOf(program);
    program.secrets.forEach(({ variable }: any) => Reflect.deleteProperty(process.env, variable));
    expect(found.filter(({ kind }) => kind === 'Secret').map(({ type }) => type)).toEqual(isKept ? [given.type] : []);
    expect(found.filter(({ kind }) => kind === 'ExternalSecret')).toHaveLength(
      writers.filter(({ kind }) => kind === 'ExternalSecret').length,
    );
  });

  it('external hands annotations on, but none that has a value in it', () => {
    const annotations = { 'reflector/allowed': 'true', text: '{{ .a }}', copy: 'geheim12', [LAST_APPLIED]: '{}' };
    const given = secret({ stringData: { a: 'geheim12' } }, { annotations });
    const program = of([given, store], { secrets: 'external' });
    const [made] = objectsOf(program).filter(({ kind }) => kind === 'ExternalSecret');
    expect(made.spec.target.template).toEqual({
      metadata: { annotations: { 'reflector/allowed': 'true', text: '{{ "{{" }} .a }}' } },
    });
    expect(program.report).toMatch(/its annotation copy has a secret in it +Secret x\/cert/);
  });

  it('external refers to the store of the input, or to the given one', () => {
    const [made] = objectsOf(of([tls, store], { secrets: 'external' })).filter(({ kind }) => kind === 'ExternalSecret');
    expect(made).toEqual({
      apiVersion: 'external-secrets.io/v1beta1',
      kind: 'ExternalSecret',
      metadata: { name: 'cert', namespace: 'x', labels: { app: 'a' } },
      spec: {
        secretStoreRef: { kind: 'ClusterSecretStore', name: 'vault' },
        target: {
          name: 'cert',
          deletionPolicy: 'Retain',
          template: { type: 'kubernetes.io/tls', metadata: { labels: { app: 'a' } } },
        },
        data: [{ secretKey: 'tls.key', remoteRef: { key: 'x/cert', property: 'tls.key' } }],
      },
    });
    const given = of([tls], { secrets: 'external', secretStore: 'SecretStore/mine' });
    expect(objectsOf(given)[0].spec.secretStoreRef).toEqual({ kind: 'SecretStore', name: 'mine' });
  });

  it.each([
    [[tls], {}, /EDGE_MISSING.*--secret-store.*no store of external secrets is in the input/s],
    [[tls, store, { ...store, metadata: { name: 'b' } }], {}, /several stores/],
    [[tls], { secretStore: 'vault' }, /EDGE_VALUE.*ClusterSecretStore\/vault/s],
  ])('external without one store is refused: %#', (objects, given, message) => {
    expect(() => of(objects, { secrets: 'external', ...given })).toThrow(message);
  });
});
