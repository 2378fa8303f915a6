/** Secrets: no value is in the program, and none is emptied when it cannot be read. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as pulumi from '@pulumi/pulumi';
import { Testing } from '../../src/testing/testing.js';
import { imported, moduleOf, objectsOf } from './programs.js';

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
  const scripts = { kubectl, pulumi: `printf '[%s]' "$@"` };
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const commands = program.secrets.map(({ command }) => command);
  const { stdout } = spawnSync('sh', ['-c', [...commands, after].join('\n')], {
    encoding: 'utf8',
    env: { PATH: `${folder}:${process.env.PATH}` },
  });
  return stdout;
}

describe('the commands of README.md', () => {
  const text = { stringData: { 'tls.key': '-----BEGIN KEY-----\nabcdef\n' } };
  const data = { data: { 'tls.key': 'YWJj' } };
  const print = `printf '[%s]' "$X_CERT_TLS_KEY"`;

  it('read the text of stringData from data, which alone a server returns, with its line ends', () => {
    const program = imported([secret(text)]);
    expect(program.secrets[0]?.command).toContain(`'go-template={{index .data "tls.key" | base64decode}}.'`);
    expect(run(program, `printf '%s\\n\\n.' '---BEGIN'`, print)).toBe('[---BEGIN\n\n]');
    const ofPulumi = imported([secret(text)], 'pulumi');
    expect(run(ofPulumi, `printf '%s\\n\\n.' '---BEGIN'`)).toBe(
      '[config][set][--secret][--][x-cert-tls-key][---BEGIN\n\n]',
    );
  });

  it('read data as it is', () => {
    const program = imported([secret(data)]);
    expect(program.secrets[0]?.command).toContain(`--output 'jsonpath={.data.tls\\.key}' -- cert`);
    expect(run(program, `printf YWJj`, print)).toBe('[YWJj]');
    expect(run(imported([secret(data)], 'pulumi'), 'printf YWJj')).toBe(
      '[config][set][--secret][--][x-cert-tls-key][YWJj]',
    );
  });

  it.each([text, data])('set nothing if kubectl fails: %j', (fields) => {
    const after = 'sh -c \'printf "[%s]" "${X_CERT_TLS_KEY-unset}"\'';
    expect(run(imported([secret(fields)]), 'exit 1', after)).toBe('[unset]');
    expect(run(imported([secret(fields)], 'pulumi'), 'exit 1')).toBe('');
  });

  it('quote every name', () => {
    const name = "a'$(touch pwned)";
    const [{ command = '' } = {}] = imported([secret(data, { name, namespace: name })]).secrets;
    const quoted = `'a'\\''$(touch pwned)'`;
    expect(command).toMatch(/^A_TOUCH_PWNED\w*_A_TOUCH_PWNED\w*_TLS_KEY="\$\(kubectl /);
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
    const preview = Testing.preview(() => moduleOf(program, 'index'), { 'project:x-cert-a': '' });
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
    expect(program.report).toContain('metadata.annotations.a.b/json');
    const { command, variable = '' } = program.secrets.find(({ key }) => key.endsWith('json')) ?? {};
    expect(command).toContain(`'go-template={{index .metadata.annotations "a.b/json"}}.'`);
    const known: Record<string, any> = { ...annotations, pw: Object.values(Object.values(fields)[0] ?? {})[0] };
    program.secrets.forEach(
      (each) => (process.env[each.variable] = known[each.key.replace('metadata.annotations.', '')]),
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
    const { objects } = await Testing.preview(() => moduleOf(program, 'index'), config);
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
