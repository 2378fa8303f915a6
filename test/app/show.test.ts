import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { main } from '../../src/app/command/main.js';
import { placeFleet } from '../../src/placement/fleet.js';
import { fleetOverview, overviewText } from '../../src/placement/fleet-overview.js';
import { fleetPicture } from '../../src/placement/fleet-picture.js';
import { samples } from '../depth.js';

const MEMBER = 'apps.openyurt.io/nodepool';
const HOST = 'nodepool.openyurt.io/hostnetwork';

const pool = (name: string, hostNetwork: boolean, nodes: string[] = []): any => ({
  apiVersion: 'apps.openyurt.io/v1beta2',
  kind: 'NodePool',
  metadata: { name },
  spec: { type: 'Edge', hostNetwork },
  status: { nodes },
});

const node = (name: string, labels: object, taints: object[] = []): any => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  spec: { taints },
});

const EXCLUDED = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: HOST, operator: 'NotIn', values: ['true'] }] }],
    },
  },
};

const workload = (name: string, spec: object = {}, kind = 'DaemonSet'): any => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace: 'default' },
  spec: {
    template: {
      spec: { containers: [{ name: 'main', resources: { requests: { cpu: '100m', memory: '50Mi' } } }], ...spec },
    },
  },
});

const FLEET = [
  pool('beijing', true, ['a', 'b']),
  pool('hangzhou', true, ['c']),
  pool('shanghai', false),
  workload('proxy', { affinity: EXCLUDED }),
  workload('collector', { hostNetwork: true }),
];

function show(objects: readonly object[], ...args: string[]): { code: number; out: string; err: string } {
  let out = '';
  let err = '';
  const code = main(['show', '-', ...args], {
    stdin: () => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
  });
  return { code, out, err };
}

describe('edge-nodepools show', () => {
  it('shows pools with the same workloads once, and what their nodes save', () => {
    const { code, out } = show(FLEET);
    expect(code).toBe(0);
    expect(out).toBe(`beijing, hangzhou (host network, 3 nodes)
  runs             DaemonSet default/collector
  does not run     DaemonSet default/proxy  excluded from host-network nodes
  saved requests   cpu 100m, memory 50Mi

shanghai (regular)
  runs             DaemonSet default/proxy
                   DaemonSet default/collector

3 host-network nodes save requests of cpu 300m, memory 150Mi
`);
  });

  it('counts the nodes that the user gives, and says nothing of what is unknown', () => {
    expect(show(FLEET, '--nodes', 'hangzhou=10').out).toContain('12 host-network nodes save requests of cpu 1200m');
    const unknown = [pool('beijing', true), workload('proxy', { affinity: EXCLUDED, containers: undefined })];
    expect(show(unknown).out).not.toMatch(/save|nodes\)/);
  });

  it('shows Nodes that are in no NodePool, by their labels and taints', () => {
    const taint = { key: 'site', effect: 'NoSchedule' };
    const { out } = show([
      node('n1', { [MEMBER]: 'depot', [HOST]: 'true' }, [taint]),
      node('n2', { [MEMBER]: 'depot', [HOST]: 'true' }, [taint]),
      node('n3', {}),
      workload('proxy', { affinity: EXCLUDED }),
    ]);
    expect(out).toContain('depot (host network, 2 nodes)');
    expect(out).toContain('(no pool) (regular, 1 node)');
  });

  it('reads a folder, and prints JSON', () => {
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-show-'));
    FLEET.forEach((object, index) => writeFileSync(join(folder, `${index}.json`), JSON.stringify(object)));
    let out = '';
    main(['show', folder, '--format', 'json'], { stdin: () => '', stdout: (text) => (out += text), stderr: () => {} });
    rmSync(folder, { recursive: true });
    expect(JSON.parse(out)).toEqual(fleetOverview(FLEET));
  });

  it.each<[string, readonly object[], string[], RegExp]>([
    ['no pool', [workload('web')], [], /there is no NodePool and no Node in -; write the folder/],
    ['an unknown pool', FLEET, ['--nodes', 'beijin=3'], /--nodes beijin: there is no such pool; there are beijing, /],
    ['no number', FLEET, ['--nodes', 'beijing'], /write --nodes beijing=12/],
    ['a format', FLEET, ['--format', 'png'], /Allowed choices are text, json, svg/],
  ])('refuses %s', (_, objects, args, message) => {
    const { code, out, err } = show(objects, ...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });

  it('says of every pool and workload what placeFleet says, in every format', () => {
    const spec = fc.constantFrom({}, { affinity: EXCLUDED }, { nodeSelector: { [MEMBER]: 'p1' } });
    const fleet = fc
      .tuple(fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }), fc.array(spec, { maxLength: 6 }))
      .map(([pools, specs]) => [
        ...pools.map((isHost, index) => pool(`p${index}`, isHost)),
        ...specs.map((each, index) => workload(`w<${index}>`, each, index % 2 === 0 ? 'DaemonSet' : 'Deployment')),
      ]);
    fc.assert(
      fc.property(fleet, (objects) => {
        const overview = fleetOverview(objects);
        const answers = overview.groups.flatMap(({ pools, hostNetwork, runs, excluded }) =>
          pools.map((name) => ({ pool: name, hostNetwork, runs, excluded })),
        );
        expect(answers.sort((a, b) => a.pool.localeCompare(b.pool))).toEqual(placeFleet(objects));
        const text = overviewText(overview);
        expect(text.split('\n').every((line) => line.length <= 100)).toBe(true);
        const picture = fleetPicture(overview);
        const marks = (style: string): number => picture.split(`<circle class="${style}"`).length - 1;
        const sizes = (of: 'runs' | 'excluded'): number =>
          overview.groups.reduce((sum, group) => sum + group[of].length, 0);
        expect([marks('runs'), marks('out')]).toEqual([sizes('runs'), sizes('excluded')]);
        expect(picture.replace(/<(\/?[a-z]+)[^<>]*>/g, '')).not.toMatch(/[<>]/);
        for (const { metadata, kind } of objects.filter((each) => each.kind !== 'NodePool')) {
          expect(text).toContain(`${kind} default/${metadata.name}`);
        }
      }),
      { numRuns: samples(200) },
    );
  });
});
