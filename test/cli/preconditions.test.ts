import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { main } from '../../src/cli/main.js';
import { printManifests } from '../../src/base/yaml-print.js';
import {
  corednsConfigMap,
  corednsDeployment,
  COREFILE,
  kubeDns,
  kubeProxyDaemonSet,
  on,
  restOfDump,
  staticPod,
} from '../corpus/kube-system.js';

describe('what is found', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-found-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  interface Found {
    readonly code: number;
    readonly of: (component: string) => any;
    readonly written: (path: string) => string;
    readonly gaps: number;
  }

  function find(objects: readonly object[], openYurt: string, more: readonly string[] = [], text = ''): Found {
    let out = '';
    const to = mkdtempSync(join(folder, 'out-'));
    const from = mkdtempSync(join(folder, 'from-'));
    writeFileSync(join(from, 'objects.yaml'), printManifests(objects));
    writeFileSync(join(from, 'manifest.yaml'), text);
    const args = [`--dump=${from}`, `--openyurt=${openYurt}`, '--kubernetes=1.34', `--out=${to}`, '--json', ...more];
    const code = main(['preconditions', ...args], {
      stdin: () => '',
      stdout: (said) => (out += said),
      stderr: (said) => (out += said),
    });
    const report = JSON.parse(out);
    return {
      code,
      gaps: report.gaps,
      of: (component) => report.preconditions.find((each: any) => each.component === component),
      written: (path) => (existsSync(join(to, path)) ? readFileSync(join(to, path), 'utf8') : ''),
    };
  }

  const pod = (name: string, ...command: string[]): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `kube-controller-manager-${name}`,
      namespace: 'kube-system',
      annotations: { 'kubernetes.io/config.mirror': 'x' },
    },
    spec: {
      containers: [
        { name: 'sidecar', command: ['--controllers=nodelifecycle'] },
        { name: 'kube-controller-manager', command: ['kube-controller-manager', ...command] },
      ],
    },
  });
  const ON = '*,bootstrapsigner,tokencleaner';

  describe('kube-controller-manager', () => {
    const state = (objects: readonly object[], openYurt: string): string =>
      find(objects, openYurt).of('kube-controller-manager').state;

    it('is read like the flag: several occurrences are concatenated, as one argument or two', () => {
      for (const off of [
        [`--controllers=${ON}`, '--controllers=-nodelifecycle'],
        ['--controllers', `-nodelifecycle,${ON}`],
        ['--controllers', ON, '--controllers=-nodelifecycle'],
      ]) {
        expect([state([pod('a', ...off)], '1.5'), state([pod('a', ...off)], '1.7')]).toEqual(['fine', 'harmful']);
      }
    });

    it('of different control-plane nodes is harmful if one is, and fine only if all are', () => {
      const both = [pod('a', `--controllers=${ON}`), pod('b', `--controllers=-nodelifecycle,${ON}`)];
      for (const objects of [both, [...both].reverse()]) {
        expect([state(objects, '1.5'), state(objects, '1.7')]).toEqual(['missing', 'harmful']);
        const { code, of, gaps, written } = find(objects, '1.7');
        expect([code, gaps, written('apply.sh')]).toEqual([1, 1, '']);
        expect(of('kube-controller-manager').unwritten).toContain('differ');
      }
    });

    it('with a value that kubeadm does not know is not written again', () => {
      const { code, of, written } = find([pod('a', '--controllers=*,ttl')], '1.5');
      expect([code, written('apply.sh'), written('preconditions.ts')]).toEqual([1, '', '']);
      expect(of('kube-controller-manager').unwritten).toMatch(/needs \/etc\/kubernetes\/manifests.*would be lost/);
      const other = find([pod('a', `--controllers=${ON}`)], '1.5', ['--distribution=other']);
      expect([other.code, other.written('apply.sh')]).toEqual([1, '']);
      expect(other.of('kube-controller-manager').unwritten).toContain('kubeadm did not create this control plane');
    });

    it('warns of flags that only the Pods have', () => {
      const flags = [`--controllers=${ON}`, '--node-monitor-grace-period=1m', '--bind-address=0.0.0.0'];
      const { of, written } = find([pod('a', ...flags)], '1.5');
      expect(of('kube-controller-manager').warning).toMatch(
        /only the Pods have would be lost: --node-monitor-grace-period; with/,
      );
      expect(written('apply.sh')).toContain('kubeadm upgrade node');
      const edited = find([pod('a', ...flags)], '1.5', [], staticPod());
      expect(edited.of('kube-controller-manager').warning).toBeUndefined();
    });

    it('with the patch of this library: the patch is moved aside, and restored by the rollback', () => {
      const { code, written } = find([pod('a', `--controllers=${ON}`, '--controllers=-nodelifecycle')], '1.7');
      expect(code).toBe(1);
      expect(written('apply.sh')).toMatch(
        /if test -f (\S+json); then mv \1 (\S+)\.aside; fi\n#\s+kubeadm upgrade node/,
      );
      expect(written('revert.sh')).toMatch(
        /if test -f (\S+)\.aside; then mv \S+ (\S+json); fi\n#\s+kubeadm upgrade node/,
      );
    });

    it('with a given manifest is edited, not written again by kubeadm, and restored by the rollback', () => {
      const twice = staticPod(`--controllers=${ON}\n    - --controllers=-nodelifecycle`);
      const { written } = find([], '1.7', [], twice);
      const edited = written('apply/static-pods/kube-controller-manager.yaml');
      expect(edited.match(/--controllers=.*/g)).toEqual([`--controllers=${ON}`]);
      expect(written('revert/static-pods/kube-controller-manager.yaml')).toBe(twice);
      expect(written('apply.sh')).not.toMatch(/kubeadm (init|upgrade)/);
    });
  });

  describe('CoreDNS', () => {
    const deployment = (replicas: number): any => {
      const object = corednsDeployment(on('1.5'));
      return { ...object, spec: { ...object.spec, replicas } };
    };
    const daemonSet = (ready?: number): any => ({
      ...corednsDeployment(on('1.5')),
      kind: 'DaemonSet',
      ...(ready === undefined ? {} : { status: { numberReady: ready, desiredNumberScheduled: 3 } }),
    });
    const TUNNEL = ['--guide=tunnel'];

    it.each<[string, object[], string, string]>([
      ['a DaemonSet that answers, no Deployment', [daemonSet(3), deployment(0)], 'fine', 'fine'],
      ['a DaemonSet without status', [daemonSet(), deployment(0)], 'fine', 'fine'],
      ['a DaemonSet beside the Deployment', [daemonSet(3), deployment(2)], 'missing', 'fine'],
      ['a DaemonSet that is not ready', [daemonSet(0), deployment(2)], 'missing', 'fine'],
      ['a Deployment alone', [deployment(2)], 'missing', 'fine'],
      ['a DaemonSet that is not ready, alone', [daemonSet(0), deployment(0)], 'harmful', 'harmful'],
      ['no CoreDNS', [deployment(0)], 'harmful', 'harmful'],
    ])('%s', (_, objects, inTunnel, inRelease) => {
      expect(find(objects, '1.4', TUNNEL).of('coredns-daemon-set').state).toBe(inTunnel);
      expect(find(objects, '1.7').of('coredns-daemon-set').state).toBe(inRelease);
    });

    it('has a Corefile that is checked by the names that it answers', () => {
      const hosts = (lines: string): object =>
        corednsConfigMap(
          COREFILE.replace('    kubernetes ', `    hosts /etc/edge/tunnel-nodes ${lines}\n    kubernetes `),
        );
      const state = (lines: string): string => find([hosts(lines)], '1.4', TUNNEL).of('corefile').state;
      expect(state('{\n fallthrough\n }')).toBe('fine');
      expect(state('example.org {\n fallthrough\n }')).toBe('missing');
      expect(state('{\n fallthrough in-addr.arpa\n }')).toBe('missing');
      const away = find([hosts('{\n fallthrough\n }')], '1.7');
      expect(away.of('corefile').state).toBe('obsolete');
      expect(away.written('apply/coredns/Corefile.diff')).toMatch(/^-\s+hosts /m);
      const kept = find([hosts('{\n 10.0.0.1 nas\n fallthrough\n }')], '1.7');
      expect([kept.of('corefile').unwritten, kept.written('apply.sh')]).toEqual([
        expect.stringContaining('contains other names'),
        '',
      ]);
    });

    it('gets its Deployment back if the cluster has no DNS', () => {
      const { code, of, written } = find([deployment(0)], '1.7');
      expect([code, of('coredns-daemon-set').found]).toEqual([1, expect.stringContaining('no DNS')]);
      expect(written('apply/01-coredns-daemon-set.yaml')).toContain('replicas: 2');
    });

    it('gets no topology annotation without a DaemonSet', () => {
      const { of, written } = find([kubeDns(), corednsConfigMap(COREFILE)], '1.4', TUNNEL);
      expect(of('coredns-service')).toMatchObject({
        state: 'missing',
        unwritten: expect.stringContaining('DaemonSet'),
      });
      expect(written('apply.sh')).not.toContain('coredns-service');
      const whole = find([kubeDns(), deployment(2)], '1.4', TUNNEL).written('apply.sh');
      expect(whole.indexOf('coredns-daemon-set')).toBeLessThan(whole.indexOf('coredns-service'));
    });
  });
});

/** What the command says about objects that are not in the dump, and about Pods that are. */
describe('what is not read', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-unread-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function report(objects: readonly object[], openYurt = '1.7', ...more: string[]): string {
    let out = '';
    const args = [
      '--dump=-',
      `--openyurt=${openYurt}`,
      '--kubernetes=1.34',
      `--out=${mkdtempSync(join(folder, 'out-'))}`,
    ];
    main(['preconditions', ...args, ...more], {
      stdin: () => printManifests(objects),
      stdout: (text) => (out += text),
      stderr: (text) => (out += text),
    });
    return out;
  }

  const OBJECTS = [kubeDns(), corednsDeployment(on('1.7')), kubeProxyDaemonSet()];
  const REST = restOfDump();
  const POOL = REST[0] as object;

  describe('edge-nodepools preconditions', () => {
    it('names what it did not read, and the documented commands read it', () => {
      const unread = (objects: readonly object[], openYurt = '1.7'): string[] =>
        JSON.parse(report(objects, openYurt, '--json')).unreadObjects.map(({ objects: what }: any) => what);
      const FLANNEL = 'DaemonSets of kube-flannel (flannel)';
      const CALICO = 'DaemonSets of calico-system (calico-operator)';
      const RIGHTS = 'ClusterRoles, Roles and their bindings (rights of yurthub)';
      expect(unread(OBJECTS)).toEqual([FLANNEL, CALICO, 'NodePools', RIGHTS]);
      expect(unread(OBJECTS, 'none')).toEqual([FLANNEL, CALICO]);
      expect(unread([...OBJECTS, POOL])).toEqual([FLANNEL, CALICO, 'Nodes', RIGHTS]);
      expect(unread([...OBJECTS, ...REST])).toEqual([]);
      const flannel = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-flannel' } };
      expect(unread([...OBJECTS, ...REST, flannel])).toEqual([FLANNEL]);
      const metadata = { name: 'kube-flannel-ds', namespace: 'kube-flannel' };
      expect(unread([...OBJECTS, ...REST, flannel, { ...kubeProxyDaemonSet(), metadata }])).toEqual([]);
      expect(unread([kubeDns(), ...REST])).toEqual([
        expect.stringMatching(/^DaemonSets and Deployments of kube-system/),
      ]);
      const out = report(OBJECTS);
      expect(out).toMatch(
        /^not read, so not in this report:\n +DaemonSets of kube-flannel .*:\n +kubectl .*get daemonsets/m,
      );
      // a command is copied, so it is in one line
      expect(out.split('\n').filter((line) => line.length > 100 && !/^ +kubectl |^\d+ gaps; see /.test(line))).toEqual(
        [],
      );
      const page = readFileSync(resolve(__dirname, '../../docs/preconditions.md'), 'utf8');
      expect(page).toContain('npx edge-nodepools dump preconditions > cluster/dump.yaml');
    });

    it('lists no workload as still there that it lists as gone, with the Pods of the cluster', () => {
      const pod = (name: string, nodeName: string, owner: object): object => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'kube-system', ownerReferences: [{ controller: true, ...owner }] },
        spec: { nodeName, containers: [{ name: 'a' }] },
      });
      const pods = [
        pod('kube-proxy-a', 'edge-1', { kind: 'DaemonSet', name: 'kube-proxy' }),
        pod('etcd-master', 'master', { kind: 'Node', name: 'master' }),
        pod('debug', 'edge-1', {}),
      ];
      const out = report([...OBJECTS, ...REST, ...pods]);
      expect(out).toMatch(/^ +gone from each node: DaemonSet kube-system\/kube-proxy$/m);
      expect(out).toMatch(/^ +no longer scheduled to it: Deployment kube-system\/coredns$/m);
      expect(out).toMatch(/^ +still there on each node: kubelet, the container runtime, yurthub, a static Pod$/m);
      expect(out).toMatch(/^ +can still run on a node: Pod kube-system\/debug$/m);
    });
  });
});
