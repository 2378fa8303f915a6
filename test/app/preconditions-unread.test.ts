/** What the command says about objects that are not in the dump, and about Pods that are. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { main } from '../../src/app/command/main.js';
import { DUMP_COMMANDS } from '../../src/preconditions/unread-objects.js';
import { printManifests } from '../../src/text/yaml-print.js';
import { corednsDeployment, kubeDns, kubeProxyDaemonSet, on, restOfDump } from '../corpus/kube-system.js';

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-unread-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function report(objects: readonly object[], openYurt = '1.7', ...more: string[]): string {
  let out = '';
  const args = [
    '--from=-',
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
    expect(unread(OBJECTS)).toEqual([FLANNEL, CALICO, 'NodePools']);
    expect(unread(OBJECTS, 'none')).toEqual([FLANNEL, CALICO]);
    expect(unread([...OBJECTS, POOL])).toEqual([FLANNEL, CALICO, 'Nodes']);
    expect(unread([...OBJECTS, ...REST])).toEqual([]);
    const flannel = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-flannel' } };
    expect(unread([...OBJECTS, ...REST, flannel])).toEqual([FLANNEL]);
    const metadata = { name: 'kube-flannel-ds', namespace: 'kube-flannel' };
    expect(unread([...OBJECTS, ...REST, flannel, { ...kubeProxyDaemonSet(), metadata }])).toEqual([]);
    expect(unread([kubeDns(), ...REST])).toEqual([expect.stringMatching(/^DaemonSets and Deployments of kube-system/)]);
    const out = report(OBJECTS);
    expect(out).toMatch(
      /^not read, so not in this report:\n +DaemonSets of kube-flannel .*:\n +kubectl .*get daemonsets/m,
    );
    // a command is copied, so it is in one line
    expect(out.split('\n').filter((line) => line.length > 100 && !/^ +kubectl |^\d+ gaps; see /.test(line))).toEqual(
      [],
    );
    const page = readFileSync(resolve(__dirname, '../../docs/preconditions.md'), 'utf8');
    expect(DUMP_COMMANDS.filter((command) => !page.includes(command))).toEqual([]);
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
