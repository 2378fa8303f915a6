/** Which Nodes have which join, from a dump. */
import { Testing } from 'cdk8s';
import { JoinToken, type NodeJoinProps } from 'edge-nodepools';
import { main } from '../../src/app/command/main.js';
import { reportJoins } from '../../src/join/join-report.js';
import { declareJoin } from '../properties/join-arbitraries.js';

const WAY = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;

/** A join of the pool beijing, as it is in a dump, and its hash. */
function published(day: number, props: Partial<NodeJoinProps>, token = JoinToken.fromFile('/var/lib/edge/token')) {
  const { chart, join } = declareJoin(WAY, token, { publish: true, ...props });
  const object = Testing.synth(chart).find(({ kind }) => kind === 'ConfigMap' || kind === 'Secret');
  const metadata = { ...object.metadata, creationTimestamp: `2026-01-0${day}T00:00:00Z` };
  return { object: { ...object, metadata }, hash: join.contentHash.slice(0, 10) };
}

const node = (name: string, hash?: string): any => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    labels: {
      'apps.openyurt.io/nodepool': 'beijing',
      'nodepool.openyurt.io/hostnetwork': 'true',
      ...(hash === undefined ? {} : { 'edge-nodepools/join': hash }),
    },
  },
});

describe('the joins of a dump', () => {
  const old = published(1, { kubeletConfiguration: { maxPods: 20 } });
  const last = published(3, { kubeletConfiguration: { maxPods: 30 }, postJoinCommands: ['true'], format: 'script' });
  const unused = published(2, { kubeletConfiguration: { maxPods: 20 }, attempts: 9 });
  const gone = published(1, { labels: { site: 'x' } });
  const secret = published(1, { nodeName: 'a' }, JoinToken.inline('k3x9q2.7v1m0c8z4b6n5j2h'));
  const nodes = [node('a', old.hash), node('b', last.hash), node('c', gone.hash), node('d'), node('e', old.hash)];
  const objects = [old, last, unused, secret].map(({ object }) => object);
  const pools = new Map(nodes.map(({ metadata }) => [metadata.name as string, 'beijing']));

  it('are counted, compared with the newest of the pool, and told apart from those that nobody needs', () => {
    const { joins, unknown } = reportJoins([...objects, ...nodes], pools);
    const byHash = new Map(joins.map((row) => [row.join, row]));
    expect(byHash.get(old.hash)).toMatchObject({
      nodes: ['a', 'e'],
      isNewest: false,
      differs: ['kubelet configuration', 'commands after the join'],
    });
    expect(byHash.get(last.hash)).toMatchObject({ nodes: ['b'], isNewest: true, differs: [] });
    expect(byHash.get(gone.hash)).toEqual({ pool: 'beijing', join: gone.hash, nodes: ['c'], isNewest: false });
    // the settings of the old one; only how often it is tried differs
    expect(byHash.get(unused.hash)).toMatchObject({
      nodes: [],
      removal: `kubectl -n kube-system delete configmap beijing-join-${unused.hash}`,
    });
    expect(byHash.get(old.hash)?.update).toBeUndefined();
    expect(byHash.get(secret.hash)?.differs).toBeUndefined();
    expect(joins.filter(({ removal }) => removal !== undefined)).toHaveLength(2);
    expect(unknown).toEqual(['d']);
  });

  it('are updated where an update can change what differs', () => {
    const next = published(4, { kubeletConfiguration: { maxPods: 30 } });
    const { joins } = reportJoins([old.object, next.object, ...nodes], pools);
    expect(joins.filter(({ update }) => update !== undefined)).toMatchObject([
      {
        join: old.hash,
        differs: ['kubelet configuration'],
        update: `ssh root@NODE sh -s < join/beijing-join-${next.hash}.update.sh`,
      },
    ]);
    let out = '';
    const line = {
      stdin: () => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [old.object, next.object, ...nodes] }),
      stdout: (text: string) => void (out += text),
      stderr: () => undefined,
    };
    expect(main(['nodes', '--dump=-', '--host-network-pool=beijing'], line)).toBe(0);
    expect(out).toMatch(/differs in kubelet configuration:\n +update$/m);
    expect(out).toMatch(/^update a, e: ssh root@NODE sh -s < join\/beijing-join-\w{10}\.update\.sh$/m);
  });

  it('are read in every format', () => {
    for (const format of ['cloud-config', 'script', 'ignition'] as const) {
      const next = published(4, { kubeletConfiguration: { maxPods: 30 }, format });
      const { joins } = reportJoins([old.object, next.object, ...nodes], pools);
      expect(joins.find(({ join }) => join === old.hash)).toMatchObject({
        differs: ['kubelet configuration'],
        update: `ssh root@NODE sh -s < join/beijing-join-${next.hash}.update.sh`,
      });
    }
    const broken = { ...old.object, data: { 'config.ign': '{"source":"data:;base64,AAAA","compression":"gzip"}' } };
    expect(reportJoins([broken, ...nodes], pools).joins[0]?.differs).toBeUndefined();
  });

  it('are printed by the command nodes', () => {
    let out = '';
    const line = {
      stdin: () => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...objects, ...nodes] }),
      stdout: (text: string) => void (out += text),
      stderr: () => undefined,
    };
    expect(main(['nodes', '--dump=-', '--host-network-pool=beijing'], line)).toBe(0);
    expect(out).toMatch(
      /^beijing {2}\w{10} {2}2 .* differs in kubelet configuration,\n +commands after the join: leave and\n +join again$/m,
    );
    expect(out).toContain(`it can be deleted: kubectl -n kube-system delete configmap beijing-join-${unused.hash}\n`);
    expect(out).toMatch(/^without the label of a join: d$/m);
    expect(out).not.toContain('7v1m0c8z4b6n5j2h');
  });
});
