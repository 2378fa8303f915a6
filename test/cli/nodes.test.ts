import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { nodesScript, reportNodes } from '../../src/fleet/node-report.js';
import { runs } from '../depth.js';
import { EXCLUDED, HOST, MEMBER, node, pool, run } from './fleet-objects.js';

const SITE = { key: 'site', value: 'hz', effect: 'NoSchedule' };
const tainted = (name: string, taints: object[]): any => {
  const wanted = pool(name, true);
  return { ...wanted, spec: { ...wanted.spec, taints } };
};
const pod = (nodeName: string, spec: object = {}, metadata: object = {}): any => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `on-${nodeName}`, namespace: 'default', ...metadata },
  spec: { nodeName, ...spec },
});
const ofSet = (kind: string): object => ({ ownerReferences: [{ kind, name: 'web', controller: true }] });

describe('edge-nodepools nodes', () => {
  const POOLS = [tainted('hz', [SITE]), pool('regular', false)];
  const good = node('n', { [MEMBER]: 'hz', [HOST]: 'true' }, [SITE]);
  const kinds = (objects: readonly object[], settings: object = {}): string[] =>
    reportNodes(objects as any[], settings).nodes.flatMap(({ findings }) => findings.map(({ kind }) => kind));

  it.each<[string, readonly object[], string[]]>([
    ['a node as its pool wants it', [good, pod('n', { hostNetwork: true })], []],
    ['no label', [node('n', { [MEMBER]: 'hz' }, [SITE])], ['label-missing']],
    ['another value', [node('n', { [MEMBER]: 'hz', [HOST]: 'no' }, [SITE])], ['label-missing']],
    [
      'the older label of membership',
      [node('n', { 'apps.openyurt.io/desired-nodepool': 'hz' })],
      ['label-missing', 'taint-missing'],
    ],
    [
      'an empty label before the older one',
      [node('n', { [MEMBER]: '', 'apps.openyurt.io/desired-nodepool': 'regular' })],
      [],
    ],
    ['the label in a regular pool', [node('n', { [MEMBER]: 'regular', [HOST]: 'true' })], ['label-unexpected']],
    ['the label in no pool', [node('n', { [HOST]: 'true' }), pod('n')], ['label-unexpected', 'pod-misplaced']],
    ['another effect', [node('n', good.metadata.labels, [{ ...SITE, effect: 'NoExecute' }])], ['taint-missing']],
    ['more taints', [node('n', good.metadata.labels, [SITE, { key: 'x', effect: 'NoExecute' }])], []],
    ['a Pod with a Pod network', [good, pod('n')], ['pod-misplaced']],
    ['an excluded Pod', [good, pod('n', { hostNetwork: true, affinity: EXCLUDED })], ['pod-misplaced']],
    [
      'an annotated Pod',
      [
        good,
        pod('n', { hostNetwork: true }, { annotations: { 'apps.openyurt.io/exclude-host-network-pool': 'true' } }),
      ],
      ['pod-misplaced'],
    ],
    ['a Pod that has ended', [good, { ...pod('n'), status: { phase: 'Failed' } }], []],
    ['a Pod on a regular node', [node('n', { [MEMBER]: 'regular' }), pod('n')], []],
    ['a pool that does not exist', [node('n', { [MEMBER]: 'gone' })], ['pool-missing']],
  ])('%s', (_, objects, expected) => {
    expect(kinds([...POOLS, ...objects])).toEqual(expected);
  });

  it('fits 100 columns, with the longest names too', () => {
    const [long, name] = ['p'.repeat(63), 'n'.repeat(63)];
    const odd = node(name, { [MEMBER]: long, [HOST]: 'no' });
    const objects = [tainted(long, [SITE]), odd, pod(name, { tolerations: [] }), node('m', { [MEMBER]: 'gone' })];
    for (const each of [objects, objects.slice(1)]) {
      const out = mkdtempSync(join(tmpdir(), 'nodes-'));
      const { code, out: text, err } = run(each, 'nodes', '--dump=-', `--out=${out}`);
      rmSync(out, { recursive: true });
      expect([code === 0, err]).toEqual([false, '']);
      expect(text.split('\n').filter((line) => line.length > 100)).toEqual([]);
    }
  });

  it('reads a pool in the version of its release', () => {
    const labels = { [MEMBER]: 'old' };
    const old = { ...pool('old', true), apiVersion: 'apps.openyurt.io/v1beta1' };
    expect(kinds([old, node('n', labels)])).toEqual(['label-missing']);
    const annotated = { ...pool('old', false), metadata: { name: 'old', annotations: { [HOST]: 'true' } } };
    expect(kinds([annotated, node('n', labels)])).toEqual([]);
    expect(kinds([{ ...annotated, apiVersion: 'apps.openyurt.io/v1beta1' }, node('n', labels)])).toEqual([
      'label-missing',
    ]);
  });

  it('without NodePools it says nothing of a pool that the user does not name', () => {
    const nodes = [node('n', { [MEMBER]: 'hz' }), node('m', { [MEMBER]: 'other', [HOST]: 'true' }), node('l', {})];
    expect(reportNodes(nodes)).toMatchObject({ gaps: 0, unknownPools: ['hz', 'other'] });
    expect(run(nodes, 'nodes', '--dump=-').code).toBe(2);
    expect(kinds(nodes, { hostNetworkPools: ['hz'] })).toEqual(['label-missing', 'label-unexpected']);
    const own = [node('n', { 'own/pool': 'hz' })];
    expect(kinds(own, { hostNetworkPools: ['hz'], membershipLabel: 'own/pool' })).toEqual(['label-missing']);
  });

  it('the script repairs what needs no decision, whatever the names', () => {
    const name = fc.constantFrom('a', 'b.c', 'x y', "q'", '$(x)');
    const fleet = fc.array(
      fc.record({
        pool: fc.constantFrom('hz', 'regular', undefined),
        label: fc.constantFrom('true', 'no', undefined),
        taint: fc.boolean(),
        name,
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(fleet, (wanted) => {
        const nodes = wanted.map((each, index) =>
          node(
            `${each.name}${index}`,
            JSON.parse(JSON.stringify({ [MEMBER]: each.pool, [HOST]: each.label })) as object,
            each.taint ? [SITE] : [],
          ),
        );
        const before = reportNodes([...POOLS, ...nodes]);
        const script = nodesScript(before) ?? '';
        expect(script === '').toBe(before.gaps === 0);
        for (const line of script.split('\n').filter((text) => text.startsWith('kubectl '))) {
          const [, verb, named = ''] = /^kubectl (label|taint) --overwrite -- node (.*) \S+$/.exec(line) ?? [];
          const found = nodes.find(({ metadata }) =>
            [metadata.name, `'${metadata.name.replace(/'/g, "'\\''")}'`].includes(named),
          );
          if (verb === 'label') {
            found.metadata.labels[HOST] = 'true';
          } else {
            found.spec.taints.push(SITE);
          }
        }
        const after = reportNodes([...POOLS, ...nodes]);
        const left = after.nodes.flatMap(({ findings }) => findings);
        expect(left.every(({ byHand }) => byHand !== undefined)).toBe(true);
        const byHand = before.nodes.flatMap(({ findings }) => findings.filter((each) => each.byHand !== undefined));
        expect(left).toEqual(byHand);
      }),
      runs(100),
    );
  });

  it.each<[string, object, object, string | undefined]>([
    ['a Pod that the scheduler puts elsewhere', { affinity: EXCLUDED }, ofSet('ReplicaSet'), undefined],
    ['a Pod that comes back', {}, ofSet('DaemonSet'), 'DaemonSet web can put the next one here'],
    ['a Pod without controller', { affinity: EXCLUDED }, {}, 'nothing creates it again'],
    ['a static Pod', {}, ofSet('Node'), 'a static Pod'],
  ])('%s is deleted only if another one runs elsewhere', (_, spec, metadata, byHand) => {
    const [finding] = reportNodes([...POOLS, good, pod('n', spec, metadata)]).nodes.flatMap(({ findings }) => findings);
    expect(finding?.commands).toEqual(['kubectl --namespace default delete --ignore-not-found -- pod on-n']);
    expect(finding?.byHand?.slice(0, byHand?.length)).toBe(byHand);
  });

  it.each(['--all', '-l', 'a\u001b[31mb', 'a\u0007', 'a\u202eb', 'a b', 'a/b', '../a'])(
    'refuses the name %j',
    (name) => {
      const list = { apiVersion: 'v1', kind: 'List', items: [{ ...good, metadata: { ...good.metadata, name } }] };
      for (const [object, ...args] of [
        [node(name, { [MEMBER]: 'hz' }), 'nodes', '--dump=-'],
        [list, 'nodes', '--dump=-'],
        [pool(name, true), 'nodes', '--dump=-'],
        [pod('n', {}, { namespace: name }), 'nodes', '--dump=-'],
        [node(name, {}), 'show', '-'],
        [pool(name, true), 'upgrade', '--dump=-', '--from=1.6', '--to=1.7', '--kubernetes=1.34'],
      ] as [object, ...string[]][]) {
        const { code, out, err } = run([...POOLS, object], ...args);
        expect({ code, out }).toEqual({ code: 2, out: '' });
        expect(err).toContain('EDGE_NAME');
        expect(err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      }
    },
  );

  it.each(['x', 'x0', 'toString'])('refuses a label of pools that no Node has: %s', (label) => {
    const { code, err } = run([...POOLS, node('n', {})], 'nodes', '--dump=-', `--node-pool-label=${label}`);
    expect([code, err]).toEqual([2, expect.stringContaining(`--node-pool-label ${label}: no Node has this label`)]);
  });

  it('repairs no taint that no Node can have', () => {
    const wanted = tainted('hz', [{ key: '--all', effect: 'NoSchedule' }]);
    const script = nodesScript(reportNodes([wanted, node('n', { [MEMBER]: 'hz', [HOST]: 'true' })]));
    expect(script).not.toContain('kubectl');
    expect(script).toContain('# no Node can have it: correct it in the NodePool');
  });

  it('prints a table of pools, or JSON, and writes the script', () => {
    const out = mkdtempSync(join(tmpdir(), 'edge-nodepools-nodes-'));
    const fine = run([...POOLS, good], 'nodes', '--dump=-', `--out=${out}`);
    expect([fine.code, fine.err, existsSync(join(out, 'nodes.sh'))]).toEqual([0, '', false]);
    expect(fine.out).toMatch(/^hz {4}host network  1      1     -      -       -$/m);
    expect(fine.out).toContain('no Pod was read');
    const objects = [...POOLS, good, node('bare', { [MEMBER]: 'hz' }), pod('n', { hostNetwork: true })];
    const bad = run(objects, 'nodes', '--dump=-', `--out=${out}`);
    expect([bad.code, bad.out]).toEqual([1, expect.stringContaining(`2 gaps; see ${join(out, 'nodes.sh')}`)]);
    expect(readFileSync(join(out, 'nodes.sh'), 'utf8')).toContain(
      `kubectl label --overwrite -- node bare ${HOST}=true\n`,
    );
    const json = JSON.parse(run(objects, 'nodes', '--dump=-', `--out=${out}`, '--json').out);
    expect(json).toMatchObject({ gaps: 2, unknownPools: [], readsPods: true, files: [join(out, 'nodes.sh')] });
    rmSync(out, { recursive: true });
  });

  it('replaces a symbolic link, and does not write to its target', () => {
    const out = mkdtempSync(join(tmpdir(), 'edge-nodepools-nodes-'));
    const [script, target] = [join(out, 'nodes.sh'), join(out, 'target')];
    writeFileSync(target, 'kept');
    symlinkSync(target, script);
    run([...POOLS, node('bare', { [MEMBER]: 'hz' })], 'nodes', '--dump=-', `--out=${out}`);
    expect([readFileSync(target, 'utf8'), lstatSync(script).isFile(), lstatSync(script).mode & 0o100]).toEqual([
      'kept',
      true,
      0o100,
    ]);
    rmSync(out, { recursive: true });
  });

  it.each<[string, readonly object[], string[], RegExp]>([
    ['no dump', [], [], /write --dump <folder, file or - for stdin>; it is written by: npx edge-nodepools dump nodes/],
    ['no Node', POOLS, ['--dump=-'], /there is no Node in stdin; write a dump: npx edge-nodepools dump nodes/],
    ['no file', [], ['--dump=/does/not/exist'], /--dump \/does\/not\/exist: there is no such file or folder/],
  ])('refuses %s', (_, objects, args, message) => {
    const { code, out, err } = run(objects, 'nodes', ...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });
});
