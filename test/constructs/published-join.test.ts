import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Testing } from 'cdk8s';
import { artifactsOf, JoinToken, type NodeJoin, type NodeJoinProps, writeArtifacts } from 'edge-nodepools';
import { parse } from 'yaml';
import { sha256Of } from '../../src/base/content-hash.js';
import { gzipBase64 } from '../../src/base/gzip.js';
import { noise } from '../bad-inputs/joins.js';
import { declareJoin, tokenOf, WAYS } from '../properties/join-arbitraries.js';
import { isFullDepth } from '../depth.js';

const TOKEN = 'abcdef.0123456789abcdef';
const FILE = JoinToken.fromFile('/var/lib/edge/join-token');

const on = (kubernetes: string, props: Partial<NodeJoinProps> = {}, openYurt = 'none', token = FILE) =>
  declareJoin({ openYurt, kubernetes, via: props.via }, token, props);

const contentOf = (join: NodeJoin, path: string): string =>
  join.files.find((file) => file.path === path)?.content ?? `no ${path}`;

const scriptsOf = (join: NodeJoin): string[] =>
  ['join.sh'].map((name) => contentOf(join, `/var/lib/edge-nodepools/${name}`));

describe('a published join', () => {
  it('is an immutable ConfigMap with the hash in its name, and the same file next to the YAML', () => {
    const { join, chart, app } = on('1.34', {}, '1.7');
    const object = Testing.synth(chart).find(({ kind }) => kind === 'ConfigMap');
    expect(object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `beijing-join-${join.contentHash.slice(0, 10)}`,
        namespace: 'kube-system',
        labels: {
          'app.kubernetes.io/managed-by': 'edge-nodepools',
          'edge-nodepools/manifest-format': '1',
          'edge-nodepools/pool': 'beijing',
          'edge-nodepools/openyurt': '1.7',
          'edge-nodepools/kubernetes': '1.34',
          'edge-nodepools/join-format': '1',
        },
      },
      immutable: true,
      data: { 'user-data': join.userData },
    });
    expect(artifactsOf(app)).toEqual([
      { path: `join/beijing-join-${join.contentHash.slice(0, 10)}.cloud-config`, content: join.userData },
      { path: `join/beijing-join-${join.contentHash.slice(0, 10)}.update.sh`, content: join.updateScript },
    ]);
    expect(join.publishedName).toBe(object.metadata.name);
  });

  it('is another object after any change', () => {
    const hashes = [
      on('1.34'),
      on('1.33'),
      on('1.34', { nodeName: 'a' }),
      on('1.34', { format: 'script' }),
      on('1.34', { preJoinCommands: ['true'] }),
      on('1.34', {}, 'none', JoinToken.inline(TOKEN)),
      on('1.34', {}, 'none', JoinToken.inline(TOKEN.replace('a', 'b'))),
    ].map(({ join }) => join.contentHash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('has the name of the Secret whose token a controller inserts', () => {
    const { chart } = on('1.34', {}, 'none', tokenOf('secret', ''));
    expect(Testing.synth(chart)[0].metadata.annotations).toEqual({
      'edge-nodepools/join-token': 'kube-system/join-token/token',
    });
  });

  it('with an inline token is a Secret, and only on request; only the owner can read its file', () => {
    expect(Testing.synth(on('1.34', {}, 'none', JoinToken.inline(TOKEN)).chart)).toEqual([]);
    const { app, chart } = on('1.34', { publish: true, format: 'script' }, 'none', JoinToken.inline(TOKEN));
    expect(Testing.synth(chart).map(({ kind, type }) => [kind, type])).toEqual([['Secret', 'Opaque']]);
    const outdir = mkdtempSync(pathOf(tmpdir(), 'join-'));
    try {
      Object.defineProperty(app, 'outdir', { value: outdir });
      const [file = ''] = writeArtifacts(app);
      expect(file).toMatch(/beijing-join-[0-9a-f]{10}\.sh$/);
      expect(readFileSync(file, 'utf8')).toContain(TOKEN);
      if (process.platform !== 'win32') {
        expect(statSync(file).mode & 0o777).toBe(0o600);
        // a link in place of the file is replaced, its target is not written
        const target = pathOf(outdir, 'target');
        writeFileSync(target, 'kept');
        rmSync(file);
        symlinkSync(target, file);
        expect(writeArtifacts(app)).toContain(file);
        expect([readFileSync(target, 'utf8'), lstatSync(file).isSymbolicLink()]).toEqual(['kept', false]);
        // and a folder that is a link is refused
        const elsewhere = mkdtempSync(pathOf(tmpdir(), 'elsewhere-'));
        rmSync(pathOf(file, '..'), { recursive: true });
        symlinkSync(elsewhere, pathOf(file, '..'));
        expect(() => writeArtifacts(app)).toThrow(expect.objectContaining({ code: 'EDGE_ARTIFACT' }));
        expect(readdirSync(elsewhere)).toEqual([]);
        rmSync(elsewhere, { recursive: true });
      }
    } finally {
      rmSync(outdir, { recursive: true, force: true });
    }
  });

  it('is completed by a controller with one replacement, which does not change the check of the script', () => {
    const { join } = on('1.34', {}, 'none', tokenOf('secret', ''));
    const filled = join.userData.replaceAll('token0.placeholder00000', TOKEN);
    expect(filled.split(TOKEN)).toHaveLength(2);
    const inline = on('1.34', {}, 'none', JoinToken.inline(TOKEN));
    const { write_files: files } = parse(filled);
    // the id of the token is part of the hash of a join
    const plain = ({ content, ...file }: { content: string }): object => ({
      ...file,
      content: content.replace(/edge-nodepools\/join=[0-9a-f]{10}/, ''),
    });
    expect(plain(files.at(-1))).toEqual(plain(parse(inline.join.userData).write_files.at(-1)));
  });

  const KINDS = ['command', 'inline', 'file', 'secret'] as const;

  it('has scripts that a shell can parse', () => {
    const folder = mkdtempSync(pathOf(tmpdir(), 'scripts-'));
    let count = 0;
    for (const way of WAYS) {
      for (const kind of isFullDepth ? KINDS : KINDS.slice(0, 2)) {
        const { join } = declareJoin(way, tokenOf(kind, TOKEN), {
          preJoinCommands: ["it's (", ['echo', '`']],
          postJoinCommands: ['if'],
          sandboxImage: 'pause:1',
          ntpServers: ['a'],
        });
        for (const text of [join.script, join.leaveScript, join.updateScript ?? '', ...scriptsOf(join)]) {
          writeFileSync(pathOf(folder, `${++count}.sh`), text);
        }
      }
    }
    // one shell starts the others much faster than Node.js does
    const parseAll = 'for script in *.sh; do sh -n "$script" && echo "$script"; done';
    const { error, stdout, stderr } = spawnSync('sh', ['-c', parseAll], { cwd: folder, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    if (error === undefined) {
      expect(stderr).toBe('');
      expect(stdout.trim().split('\n')).toHaveLength(count);
    }
  });
});

describe('user-data with gzip', () => {
  const SERVICE = { service: {} } satisfies Partial<NodeJoinProps>;

  it.each([
    ['from a file', FILE],
    ['inline', JoinToken.inline(TOKEN)],
  ])('is the same user-data, and nothing else changes, with a token %s', (_, token) => {
    const packed = on('1.36', { ...SERVICE, gzip: true }, 'none', token);
    const plain = on('1.36', { ...SERVICE, gzip: false }, 'none', token);
    const bytes = Buffer.from(packed.join.userDataGzipBase64 ?? '', 'base64');
    expect(gunzipSync(bytes).toString()).toBe(plain.join.userData);
    expect([...bytes.subarray(0, 10)]).toEqual([31, 139, 8, 0, 0, 0, 0, 0, 2, 255]);
    expect(plain.join.userDataGzipBase64).toBeUndefined();
    expect(Testing.synth(packed.chart)).toEqual(Testing.synth(plain.chart));
    expect(artifactsOf(packed.app)).toEqual(artifactsOf(plain.app));
  });

  it('has the same bytes with each version of Node.js', () => {
    const userData = `${'abc '.repeat(2000)}${[...Array(500).keys()].join('.')}`;
    expect(sha256Of(gzipBase64(userData))).toBe('0b9c1400cd1753dfc56ea490db8308d13dbeceae919f062a900d4e00f55d11ec');
  });

  it('has the sizes that the documents name', () => {
    const sizes = [{}, SERVICE].flatMap((options) => {
      const { userData, userDataGzipBase64 = '' } = on('1.34', { ...options, gzip: true }, '1.7').join;
      return [userData.length, Buffer.byteLength(userDataGzipBase64, 'base64')].map((size) => Math.round(size / 1000));
    });
    const [plain, packed, withService, packedWithService] = sizes;
    const docs = readFileSync(pathOf(__dirname, '../../docs/join.md'), 'utf8');
    expect(docs).toContain(
      `about ${plain} kB, ${packed} kB with gzip; with \`service\` ${withService} kB and ${packedWithService} kB`,
    );
  });

  it('is what counts for the limit of a provider', () => {
    const large = { files: [{ path: '/etc/large', content: 'x'.repeat(40_000) }], gzip: true };
    for (const provider of ['aws', 'openstack', 'azure', 'gcp', 'vsphere'] as const) {
      expect(on('1.36', { ...SERVICE, ...large, provider }).join.userDataGzipBase64).toBeDefined();
    }
    expect(() => on('1.36', { ...SERVICE, provider: 'aws' })).toThrow(/limit of aws is 16384/);
    expect(() => on('1.36', { ...SERVICE, provider: 'aws' })).toThrow(/write gzip: true/);
    // of Google Cloud the base64 counts, of Azure the bytes
    const more = { gzip: true, files: [{ path: '/etc/noise', content: noise(60_000) }] };
    expect(on('1.36', { ...more, provider: 'azure' }).join.userDataGzipBase64?.length).toBeGreaterThan(65_535);
    expect(() =>
      on('1.36', { ...large, files: [{ path: '/etc/noise', content: noise(240_000) }], provider: 'gcp' }),
    ).toThrow(/bytes, with gzip \d{6}, and the limit of gcp/);
  });
});
