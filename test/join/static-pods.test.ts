/** Static Pods of a join: the manifests, and what becomes of them on a machine. */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { EdgeWarnings, HostNetworkWorkload, JoinToken, NodeJoin, type NodeJoinProps } from 'edge-nodepools';
import { parse } from 'yaml';
import { declareJoin } from '../properties/join-arbitraries.js';
import { Folder, SUCCEEDS, TOKEN } from './machine-folder.js';
import { UpdatedNode, updateOf } from './updated-node.js';

const KUBEADM = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;
const PATH = '/etc/kubernetes/manifests/edge-agent.yaml';
const agent = (tag = '1', name = 'agent', port = 9110): any => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name, namespace: 'edge', labels: { of: 'set' } },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name }, annotations: { note: "it's" } },
      spec: {
        containers: [{ name, image: `registry.example/${name}:${tag}`, ports: [{ containerPort: port }] }],
        tolerations: [{ operator: 'Exists' }],
      },
    },
  },
});
const declared = (props: Partial<NodeJoinProps>, way: Parameters<typeof declareJoin>[0] = KUBEADM) =>
  declareJoin(way, JoinToken.inline(TOKEN), { secondsBetweenAttempts: 0, ...props });
const manifestOf = ({ files }: NodeJoin, path = PATH) =>
  parse(files.find((file) => file.path === path)?.content ?? 'none: true');

describe('a static Pod of a join', () => {
  it('is the Pod of the DaemonSet on the network of the node, without what selects nodes', () => {
    const { join } = declared({ staticPods: [agent()] });
    const { metadata, spec, ...rest } = manifestOf(join);
    expect(rest).toEqual({ apiVersion: 'v1', kind: 'Pod' });
    expect(metadata).toEqual({
      name: 'agent',
      namespace: 'edge',
      labels: { app: 'agent' },
      annotations: { note: "it's", 'edge-nodepools/static-pod': expect.stringMatching(/^[0-9a-f]{10}$/) },
    });
    expect(spec).toEqual({
      hostNetwork: true,
      dnsPolicy: 'Default',
      tolerations: [{ operator: 'Exists' }],
      containers: [
        {
          name: 'agent',
          image: 'registry.example/agent:1',
          imagePullPolicy: 'IfNotPresent',
          ports: [{ containerPort: 9110, hostPort: 9110 }],
        },
      ],
    });
  });

  it('is in every form of the join, and its hash changes with it', () => {
    const join = (tag: string, format?: NodeJoinProps['format']) =>
      declared({ staticPods: [agent(tag)], ...(format === undefined ? {} : { format }) }).join;
    const hashOf = (made: NodeJoin): string => manifestOf(made).metadata.annotations['edge-nodepools/static-pod'];
    const [first, second] = [join('1'), join('2')];
    expect(hashOf(first)).not.toBe(hashOf(second));
    expect(hashOf(first)).toBe(hashOf(join('1')));
    for (const text of [first.userData, first.script, first.updateScript]) {
      expect(text).toContain(PATH);
      expect(text).toContain(hashOf(first));
    }
    const { storage } = JSON.parse(join('1', 'ignition').ignition ?? '{}');
    expect(storage.files.find((file: any) => file.path === PATH)).toMatchObject({ mode: 0o600 });
    expect(first.leaveScript).toContain(PATH);
    expect(first.contentHash).not.toBe(second.contentHash);
  });

  it('is taken as YAML too, and as a Pod in the default namespace', () => {
    const text =
      'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: web:1\n      imagePullPolicy: Never\n';
    const { join } = declared({ staticPods: [text] });
    expect(manifestOf(join, '/etc/kubernetes/manifests/default-web.yaml')).toMatchObject({
      metadata: { name: 'web', namespace: 'default' },
      spec: { hostNetwork: true, containers: [{ imagePullPolicy: 'Never' }] },
    });
  });

  it('is where the kubelet of the join looks', () => {
    const { join } = declared({ staticPods: [agent()], kubeletConfiguration: { staticPodPath: '/var/lib/edge/pods' } });
    expect(join.files.map(({ path }) => path)).toContain('/var/lib/edge/pods/edge-agent.yaml');
  });

  it('makes the kubeadm of 1.22 ignore that its folder is not empty', () => {
    const ignored = (kubernetes: string, staticPods: any[]) =>
      (declared({ staticPods }, { ...KUBEADM, kubernetes }).join.joinConfiguration as any).nodeRegistration
        .ignorePreflightErrors;
    expect(ignored('1.22', [agent()])).toContain('DirAvailable--etc-kubernetes-manifests');
    expect(ignored('1.22', [])).not.toContain('DirAvailable--etc-kubernetes-manifests');
    expect(ignored('1.24', [agent()])).not.toContain('DirAvailable--etc-kubernetes-manifests');
  });

  it('shares its ports with no workload of the pool, and with those of another join', () => {
    const { chart, pool } = declared({ staticPods: [agent()] });
    const token = JoinToken.fromFile('/var/lib/edge/join-token');
    expect(() => new HostNetworkWorkload(chart, 'web', { pool, workload: agent('1', 'web') })).toThrow(
      /EDGE_PORT_CONFLICT.*port 9110\/TCP.*static Pod edge\/agent/s,
    );
    expect(() => new NodeJoin(chart, 'other', { pool, token, staticPods: [agent()] })).not.toThrow();
    new HostNetworkWorkload(chart, 'db', { pool, workload: agent('1', 'db', 9111) });
    expect(() => new NodeJoin(chart, 'third', { pool, token, staticPods: [agent('1', 'x', 9111)] })).toThrow(
      /EDGE_PORT_CONFLICT/,
    );
  });

  it('warns of an image that is pulled at every start', () => {
    const always = agent();
    always.spec.template.spec.containers[0].imagePullPolicy = 'Always';
    expect(EdgeWarnings.of(declared({ staticPods: [agent()] }).app)).toEqual([]);
    expect(EdgeWarnings.of(declared({ staticPods: [always] }).app)).toEqual([
      expect.objectContaining({
        code: 'EDGE_STATIC_POD',
        path: 'staticPods[0].spec.template.spec.containers[0].imagePullPolicy',
      }),
    ]);
  });
});

const describeInShell = process.platform === 'win32' ? describe.skip : describe;

describeInShell('on a machine, static Pods', () => {
  it('are there before the join, with their images, and are not written again', () => {
    const machine = new Folder();
    machine.program('kubeadm', `[ -s ${PATH} ] && [ -s /run/pulled ] || exit 1; ${SUCCEEDS}`);
    machine.program('crictl', 'case $* in *inspecti*) exit 1 ;; esac; echo "$*" >> /run/pulled');
    const { script } = declared({
      staticPods: [agent()],
      machineSettings: { images: ['registry.example/agent:1'] },
    }).join;
    expect(machine.run(script)).toMatchObject({ status: 0 });
    expect(machine.read('/run/pulled')).toContain('pull registry.example/agent:1');
    const file = `${machine.root}${PATH}`;
    const before = statSync(file);
    expect(before.mode & 0o777).toBe(0o600);
    expect(machine.run(script)).toMatchObject({ status: 0 });
    expect(statSync(file).ino).toBe(before.ino);
    rmSync(machine.root, { recursive: true });
  });

  it('are replaced and removed by an update, which kubelet never sees half written, and which takes it back', () => {
    const node = new UpdatedNode({ staticPods: [agent(), agent('1', 'old', 9111)] });
    node.write('/etc/kubernetes/manifests/yurthub.yaml', 'kind: Pod\n');
    const all = [PATH, '/etc/kubernetes/manifests/edge-old.yaml', '/etc/kubernetes/manifests/yurthub.yaml'];
    const state = () => all.map((path) => (node.has(path) ? readFileSync(`${node.root}${path}`, 'utf8') : 'none'));
    const former = state();
    const next = { staticPods: [agent('2')] };
    expect(node.run(updateOf({ ...next, kubeletConfiguration: { maxPods: 13 } })).status).not.toBe(0);
    expect(state()).toEqual(former);
    const { status, said } = node.run(updateOf(next));
    expect([status, said]).toEqual([0, expect.stringContaining('edge-old.yaml')]);
    expect(state()).toEqual([expect.stringContaining('registry.example/agent:2'), 'none', 'kind: Pod\n']);
    expect(node.restarts).not.toContain('restart containerd');
    expect(node.run(updateOf(next))).toMatchObject({ status: 0, said: expect.stringContaining('nothing to do') });
    rmSync(node.root, { recursive: true });
  });
});
