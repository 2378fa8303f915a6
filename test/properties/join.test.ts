import { inspect } from 'node:util';
import { Testing } from 'cdk8s';
import { artifactsOf, EdgeError, JoinToken, NodeJoin } from 'edge-nodepools';
import fc from 'fast-check';
import { parse } from 'yaml';
import { untyped } from '../bad-inputs/case.js';
import { declareJoin, joinOptions, tokenKind, tokenOf, tokenText, WAYS } from './join-arbitraries.js';
import { runs, samples } from '../depth.js';

const way = fc.constantFrom(...WAYS);

describe('a join', () => {
  it('is a cloud-config whose files are the files, and runs one command', () => {
    fc.assert(
      fc.property(way, tokenKind, tokenText, joinOptions, (chosen, kind, text, options) => {
        const { join, pool } = declareJoin(chosen, tokenOf(kind, text), options);
        expect(join.userData.startsWith('#cloud-config\n')).toBe(true);
        const config = parse(join.userData, { version: '1.1' });
        expect(config.write_files).toEqual([
          expect.objectContaining({ path: '/var/lib/cloud/scripts/per-boot/edge-nodepools-join', permissions: '0755' }),
          ...join.files.map(({ path, content, permissions }) => ({
            path,
            content,
            permissions: permissions.padStart(4, '0'),
          })),
        ]);
        expect(config.runcmd).toEqual([
          options.service === undefined
            ? ['sh', '/var/lib/edge-nodepools/join.sh']
            : ['sh', '/var/lib/edge-nodepools/service.sh', 'start'],
        ]);
        for (const file of options.files ?? []) {
          expect(join.files).toContainEqual({ permissions: '0644', ...file });
        }
        const text_ = JSON.stringify(join.joinConfiguration) + join.files.map(({ content }) => content).join('');
        for (const [key, value] of Object.entries({
          ...pool.joinLabels,
          // the digits in the name of the ConfigMap
          'edge-nodepools/join': join.contentHash.slice(0, 10),
        })) {
          expect(text_).toContain(`${key}=${value}`);
        }
      }),
      runs(100),
    );
  });

  it('is deterministic, and its hash does not depend on the secret half of the token', () => {
    fc.assert(
      fc.property(way, tokenKind, tokenText, joinOptions, (chosen, kind, text, options) => {
        const once = declareJoin(chosen, tokenOf(kind, text), options);
        const twice = declareJoin(chosen, tokenOf(kind, text), options);
        const said = ({ join, chart, app }: typeof once): unknown => [
          join.userData,
          join.script,
          join.contentHash,
          Testing.synth(chart),
          artifactsOf(app),
        ];
        expect(said(twice)).toEqual(said(once));
      }),
      runs(100),
    );
    fc.assert(
      fc.property(way, tokenText, joinOptions, (chosen, text, options) => {
        const [id = '', secret = ''] = text.split('.');
        const other = `${id}.${secret.startsWith('z') ? 'y' : 'z'}${secret.slice(1)}`;
        const [one, two] = [text, other].map((token) => declareJoin(chosen, JoinToken.inline(token), options).join);
        expect(two?.contentHash).toBe(one?.contentHash);
      }),
      runs(100),
    );
  });
});

describe('a token', () => {
  /** All visible texts of a join, except for the files of an inline one. */
  function everywhere({ app, chart, join }: ReturnType<typeof declareJoin>, token: JoinToken): string[] {
    const metadata = app.node
      .findAll()
      .flatMap((construct) => construct.node.metadata.map(({ data }) => data as unknown));
    return [
      ...Testing.synth(chart).map((object) => JSON.stringify(object)),
      ...artifactsOf(app).flatMap(({ path, content }) => [path, content]),
      JSON.stringify(metadata),
      join.contentHash,
      join.leaveScript,
      String(join.updateScript),
      join.preflightScript,
      String(join.publishedName),
      String(token),
      `${token as unknown as string}`,
      JSON.stringify({ token }),
      inspect(token, { depth: 9, showHidden: true }),
      inspect(join.node.id, { depth: 9 }),
    ];
  }

  it('that is inline is in the user-data, the script and one file, and nowhere else', () => {
    fc.assert(
      fc.property(way, tokenText, joinOptions, (chosen, text, options) => {
        const token = JoinToken.inline(text);
        const declared = declareJoin(chosen, token, options);
        const { join } = declared;
        expect(everywhere(declared, token).filter((seen) => seen.includes(text))).toEqual([]);
        expect(join.userData.split(text).length - 1).toBe(1);
        expect(join.script.split(text).length - 1).toBe(1);
        const holding = join.files.filter(({ content }) => content.includes(text));
        expect(holding.map(({ path, permissions }) => [path.startsWith('/run/edge-nodepools/'), permissions])).toEqual([
          [true, '0600'],
        ]);
      }),
      runs(100),
    );
  });

  it('that is inline and published on demand is in the Secret and its file, and only there', () => {
    fc.assert(
      fc.property(way, tokenText, (chosen, text) => {
        const token = JoinToken.inline(text);
        const declared = declareJoin(chosen, token, { publish: true });
        const found = everywhere(declared, token).filter((seen) => seen.includes(text));
        const objects = Testing.synth(declared.chart).filter((object) => JSON.stringify(object).includes(text));
        expect(objects.map(({ kind }) => kind as string)).toEqual(['Secret']);
        const files = artifactsOf(declared.app);
        expect(
          files
            .filter(({ path }) => !path.endsWith('.update.sh'))
            .map(({ path, isSecret }) => [path.includes(text), isSecret]),
        ).toEqual([[false, true]]);
        // the Secret, the file, and the metadata for writeArtifacts
        expect(found).toHaveLength(3);
      }),
      runs(100),
    );
  });

  it('that is a reference is nowhere; its placeholder does not join', () => {
    fc.assert(
      fc.property(
        way,
        tokenKind.filter((kind) => kind !== 'inline'),
        joinOptions,
        (chosen, kind, options) => {
          const { join } = declareJoin(chosen, tokenOf(kind, ''), options);
          const script = join.files.find(({ path }) => path.endsWith('join.sh'))?.content ?? '';
          expect(script).toContain(kind === 'secret' ? "'token0.''placeholder00000'" : '| token0.placeholder00000) ;;');
        },
      ),
      runs(100),
    );
  });

  it('is in no error, at any wrong place', () => {
    const places = [
      'token',
      'via',
      'nodeName',
      'criSocket',
      'cniFolder',
      'sandboxImage',
      'discoveryFile',
      'provider',
      'attempts',
      'format',
      'namespace',
      'artifactFolder',
      'runtime',
      'publish',
      'reservation',
      'labels',
      'taints',
      'kubeletExtraArgs',
      'proxy',
      'timeouts',
      'packages',
      'yurtadm',
      'ntpServers',
      'ignorePreflightErrors',
      'kubeletConfiguration',
      'files',
      'nonsense',
    ];
    const shape = fc.constantFrom(
      (text: string): unknown => text,
      (text: string): unknown => [text],
      (text: string): unknown => ({ [text]: text }),
      (text: string): unknown => ({
        value: text,
        path: text,
        content: text,
        discovery: text,
        httpsProxy: text,
        version: text,
      }),
      (text: string): unknown => [{ key: text, value: `${text} `, effect: text, path: text, name: text }],
    );
    let refused = 0;
    fc.assert(
      fc.property(fc.constantFrom(...places), shape, tokenText, way, (place, shaped, text, chosen) => {
        const { chart, pool } = declareJoin(chosen, tokenOf('file', ''));
        const props = { pool, token: tokenOf('file', ''), via: chosen.via, [place]: shaped(text) };
        try {
          new NodeJoin(chart, 'other', untyped(props));
        } catch (error) {
          expect(error).toBeInstanceOf(EdgeError);
          refused += 1;
          const said = [
            (error as Error).message,
            (error as Error).stack ?? '',
            inspect(error, { showHidden: true, depth: 9 }),
          ];
          expect(said.filter((seen) => seen.includes(text))).toEqual([]);
        }
      }),
      runs(400),
    );
    expect(refused).toBeGreaterThan(samples(400) / 4);
  });

  it.each([`abcdef.0123456789abcde`, 'ABCDEF.0123456789ABCDEF', 'hunter2', 'abcdef.0123456789abcdef\n#'])(
    'that is refused is not in the error',
    (text) => {
      try {
        JoinToken.inline(text);
      } catch (error) {
        expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(text.trim());
        return;
      }
      throw new Error('accepted');
    },
  );
});
