import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../src/app/command/main.js';

const describeInShell = process.platform === 'win32' ? describe.skip : describe;

/** Says what it was asked for; the real programs run in test/e2e/groups/join/seeds.ts. */
const PROGRAM = '#!/bin/sh\necho "${0##*/} $*"; cat meta-data\n';

describeInShell('edge-nodepools seed-iso', () => {
  const path = process.env.PATH;
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-iso-'));
    mkdirSync(join(folder, 'bin'));
    for (const [name, mode] of Object.entries({ 'shops/shop-1': 0o600, 'shops/shop-2': 0o644 })) {
      mkdirSync(join(folder, 'join', name), { recursive: true });
      writeFileSync(join(folder, 'join', name, 'meta-data'), `${name}\n`);
      writeFileSync(join(folder, 'join', name, 'user-data'), '', { mode });
    }
    writeFileSync(join(folder, 'join', 'shops', 'shop-2', 'vendor-data'), '');
    writeFileSync(join(folder, 'join', 'shops.cloud-config'), '');
    process.env.PATH = `${join(folder, 'bin')}:/usr/bin-of-nobody`;
  });
  afterEach(() => {
    process.env.PATH = path;
    rmSync(folder, { recursive: true });
  });

  const program = (name: string, text = PROGRAM): void => {
    writeFileSync(join(folder, 'bin', name), text.replaceAll('cat ', '/bin/cat '));
    chmodSync(join(folder, 'bin', name), 0o755);
  };

  const run = (...args: string[]): { readonly code: number; readonly out: string; readonly said: string } => {
    const [out, said]: [string[], string[]] = [[], []];
    const code = main(['seed-iso', ...args], {
      stdin: () => '',
      stdout: (text) => void out.push(text),
      stderr: (text) => void said.push(text),
    });
    return { code, out: out.join(''), said: said.join('') };
  };

  it('makes a disc of each seed, which only its owner reads if only the owner reads the user-data', () => {
    ['genisoimage', 'xorriso'].forEach((name) => program(name));
    const out = join(folder, 'iso');
    const files = ['shop-1', 'shop-2'].map((name) => join(out, 'shops', `${name}.iso`));
    expect(run(join(folder, 'join'), '--out', out)).toEqual({ code: 0, out: `${files.join('\n')}\n`, said: '' });
    const [first = '', second = ''] = files.map((file) => readFileSync(file, 'utf8'));
    expect(first).toMatch(/^xorriso -as mkisofs .*-volid cidata .* meta-data user-data\nshops\/shop-1\n$/);
    expect(second).toMatch(/ meta-data user-data vendor-data\nshops\/shop-2\n$/);
    expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([
      0o600,
      statSync(join(folder, 'join', 'shops.cloud-config')).mode & 0o777,
    ]);
    expect(run(join(folder, 'join', 'shops', 'shop-2'), '--out', out).out).toBe(`${join(out, 'shop-2.iso')}\n`);
  });

  it('takes the next program if one is missing, and says what to install if all are', () => {
    program('mkisofs');
    expect(run(join(folder, 'join'), '--out', join(folder, 'iso')).code).toBe(0);
    rmSync(join(folder, 'bin', 'mkisofs'));
    expect(run(join(folder, 'join'), '--out', join(folder, 'iso'))).toMatchObject({
      code: 2,
      said: expect.stringContaining('install xorriso'),
    });
  });

  it('says what a program says that fails', () => {
    program('xorriso', '#!/bin/sh\necho "no space left" >&2; exit 5\n');
    expect(run(join(folder, 'join'), '--out', join(folder, 'iso'))).toMatchObject({
      code: 2,
      said: expect.stringMatching(/^xorriso made no disc of .*shop-1: no space left\n$/),
    });
  });

  it.each([
    ['a folder that is not there', 'nowhere', 'there is no such folder'],
    ['a file', 'join/shops.cloud-config', 'there is no such folder'],
    ['a folder without seeds', 'bin', 'a folder with meta-data and user-data'],
  ])('refuses %s', (_, from, said) => {
    expect(run(join(folder, from))).toMatchObject({ code: 2, out: '', said: expect.stringContaining(said) });
  });

  it('writes through no link', () => {
    program('xorriso');
    mkdirSync(join(folder, 'iso'));
    symlinkSync(join(folder, 'bin'), join(folder, 'iso', 'shops'));
    expect(run(join(folder, 'join'), '--out', join(folder, 'iso'))).toMatchObject({
      code: 2,
      said: expect.stringContaining('symbolic link'),
    });
  });
});
