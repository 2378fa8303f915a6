/** Which Nodes have which join, from a dump. */
import { Testing, Testing as Cdk8sTesting } from 'cdk8s';
import {
  JoinToken,
  type NodeJoinProps,
  EdgeCluster,
  EdgeWarnings,
  HostNetworkNodePool,
  NodeJoin,
} from 'edge-nodepools';
import type { JoinMachine } from 'edge-nodepools/types';
import { main } from '../../src/cli/main.js';
import { reportJoins } from '../../src/join/join-report.js';
import { declareJoin } from '../properties/join-arbitraries.js';
import { rmSync } from 'node:fs';
import { parse } from 'yaml';
import { Folder, JOIN_HOOK, TOKEN } from './machine-folder.js';

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

/** What a cloud-config does at boot before its files are written, run by a shell in a separate folder. */
describe('at boot', () => {
  const KUBEADM = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;

  (process.platform === 'win32' ? describe.skip : describe)('a boot by cloud-init', () => {
    let machine: Folder;
    beforeEach(() => (machine = new Folder()));
    afterEach(() => rmSync(machine.root, { recursive: true }));

    it('says that it has begun when the next boot would run it: until then, each boot writes its files again', () => {
      const mark = '/var/lib/cloud/instance/sem/edge_nodepools';
      const written = '/var/lib/cloud/instance/sem/config_write_files';
      const { join } = declareJoin(KUBEADM, JoinToken.inline(TOKEN), { attempts: 1 });
      const { bootcmd } = parse(join.userData) as { bootcmd: [[string, string, string]] };
      const boot = (): boolean => {
        machine.write(written, '');
        machine.run(bootcmd[0][2]);
        return machine.has(written);
      };
      expect([boot(), boot()]).toEqual([false, false]);
      machine.program('mv', `[ ! -e ${mark} ] || [ -e ${JOIN_HOOK} ] || echo early >> /run/seen; exec /bin/mv "$@"`);
      machine.program('kubeadm', 'exit 1');
      expect(machine.run(join.script).status).toBe(1);
      expect([machine.has(mark), machine.has(JOIN_HOOK), machine.has('/run/seen'), boot()]).toEqual([
        true,
        true,
        false,
        true,
      ]);
    });

    it('says at each boot that another cloud-config has replaced all of its lists', () => {
      const instance = '/var/lib/cloud/instance';
      const { random_seed: kept, bootcmd } = parse(declareJoin(KUBEADM, JoinToken.inline(TOKEN)).join.userData) as {
        random_seed: { command: [string, string, string] };
        bootcmd: [unknown];
      };
      expect(kept.command).toEqual(bootcmd[0]);
      const boot = (merged: string) => {
        machine.write(`${instance}/cloud-config.txt`, merged);
        machine.write(`${instance}/sem/config_seed_random`, '');
        const { status, said } = machine.run(kept.command[2]);
        return [status, said, machine.has(`${instance}/sem/config_seed_random`)];
      };
      const lost = [1, expect.stringContaining('other user-data has replaced write_files'), false];
      const other = 'bootcmd: []\nruncmd: []\nwrite_files: []\n';
      expect([boot(other), boot(other)]).toEqual([lost, lost]);
      expect(boot('write_files:\n- path: /var/lib/edge-nodepools/join.sh\n')).toEqual([0, '', false]);
    });
  });
});

/** A machine with a static network, and an API server that it does not reach. */
describe('mistakes', () => {
  function told(apiServer: string, machine: Partial<JoinMachine>, props: Partial<NodeJoinProps> = {}): string[] {
    const chart = Cdk8sTesting.chart();
    EdgeWarnings.setMode(chart, 'silent');
    const cluster = EdgeCluster.of({
      ...{ openYurt: 'none', kubernetes: '1.34' },
      apiServer,
      caCertHashes: [`sha256:${'ab'.repeat(32)}`],
    });
    const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'edge' });
    const machines = [{ name: 'a', mac: '52:54:00:00:00:01', ...machine }];
    new NodeJoin(chart, 'join', { pool, token: JoinToken.fromFile('/var/lib/edge/join-token'), machines, ...props });
    return EdgeWarnings.of(chart).map(({ code, path }) => `${code} ${path}`);
  }

  const address = '192.0.2.10/24';
  const gateway = '192.0.2.1';
  const nameservers = ['192.0.2.53'];

  describe('a static network', () => {
    const files = [{ path: '/etc/hosts', content: 'x' }];
    it.each<[string, string, Partial<JoinMachine>, Partial<NodeJoinProps>]>([
      ['finds a server by its name', 'api.example:6443', { address, gateway, nameservers }, {}],
      ['reaches one in its network', '192.0.2.200:6443', { address }, {}],
      ['reaches one by its gateway', '198.51.100.1:6443', { address, gateway }, {}],
      ['has routes by router advertisements', '[2001:db8::1]:6443', { address: 'fd00::2/64' }, {}],
      ['finds one in a file', 'api.example:6443', { address, gateway }, { files }],
      ['finds one by a command', 'api.example:6443', { address, gateway }, { preJoinCommands: ['edit /etc/hosts'] }],
      [
        'gets routes by a command',
        '198.51.100.1:6443',
        { address },
        { preJoinCommands: [['ip', 'route', 'add', 'x']] },
      ],
      ['reads a file of discovery', 'api.example:6443', { address, gateway }, { discoveryFile: '/etc/edge/d.conf' }],
      ['of DHCP has all', 'api.example:6443', {}, {}],
    ])('%s', (_, apiServer, machine, props) => {
      expect(told(apiServer, machine, props)).toEqual([]);
    });

    it.each<[string, string, Partial<JoinMachine>, string]>([
      ['without DNS servers, and a server with a name', 'api.example:6443', { address, gateway }, 'nameservers'],
      ['without a gateway, and a server elsewhere', '198.51.100.1:6443', { address, nameservers }, 'gateway'],
      [
        'without a gateway, and DNS servers elsewhere',
        'api.example:6443',
        { address, nameservers: ['198.51.100.53'] },
        'gateway',
      ],
      ['of IPv6, and a server of IPv4', '198.51.100.1:6443', { address: 'fd00::2/64', gateway: 'fd00::1' }, 'address'],
    ])('%s is a warning', (_, apiServer, machine, property) => {
      const others = { files: [{ path: '/etc/motd', content: 'x' }], preJoinCommands: ['modprobe overlay'] };
      for (const props of [{}, others]) {
        expect(told(apiServer, machine, props)).toEqual([`EDGE_CONTRADICTION machines[0].${property}`]);
      }
    });
  });

  describe('a field of kubelet that contradicts the default of another one', () => {
    it.each<[object, string[]]>([
      [{ imageGCHighThresholdPercent: 70 }, ['EDGE_CONTRADICTION kubeletConfiguration.imageGCHighThresholdPercent']],
      [{ imageGCLowThresholdPercent: 85 }, ['EDGE_CONTRADICTION kubeletConfiguration.imageGCLowThresholdPercent']],
      [
        { shutdownGracePeriodCriticalPods: '10s' },
        ['EDGE_CONTRADICTION kubeletConfiguration.shutdownGracePeriodCriticalPods'],
      ],
      [{ shutdownGracePeriod: '30s' }, []],
      [{ imageGCHighThresholdPercent: 81 }, []],
      [{ imageGCHighThresholdPercent: 70, imageGCLowThresholdPercent: 60 }, []],
    ])('%j', (kubeletConfiguration, warnings) => {
      const props = { kubeletConfiguration: { ...kubeletConfiguration } };
      expect(told('10.0.0.1:6443', {}, props)).toEqual(warnings);
    });

    it('is none with the size of a disk, which sets both', () => {
      const props = { kubeletConfiguration: { imageGCLowThresholdPercent: 55 }, machineSettings: { diskSize: '8Gi' } };
      expect(told('10.0.0.1:6443', {}, props)).toEqual([]);
    });
  });

  it('a cloud provider that kubelet no longer has is a warning', () => {
    const warned = (provider: string): string[] =>
      told('10.0.0.1:6443', {}, { kubeletExtraArgs: [{ name: 'cloud-provider', value: provider }] });
    expect(warned('openstack')).toEqual(['EDGE_UNUSED kubeletExtraArgs["cloud-provider"]']);
    expect(warned('external')).toEqual([]);
  });

  it.each<[string[], string[]]>([
    [['apt-get', 'update'], ['EDGE_VALUE preJoinCommands[0]']],
    [['apt install jq'], ['EDGE_UNUSED preJoinCommands[0]']],
    [['apt install -y jq', 'apt-get -qq update', 'dnf install --assumeyes jq', 'sync', 'apt-get update'], []],
  ])('what %j are as commands', (preJoinCommands, warnings) => {
    expect(told('10.0.0.1:6443', {}, { preJoinCommands })).toEqual(warnings);
  });
});
