/** What Nodes and the ConfigMap of kubeadm show for the joins of a cluster. */
import { createHash, X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { EdgeCluster, NodeReservation, manifestsOf, PoolAdmission } from 'edge-nodepools';
import { findReservations } from '../../src/adopt/found-reservations.js';
import { CA } from '../bad-inputs/certificates.js';
import { runs } from '../depth.js';
import { distOf, imported, moduleOf, RELEASES, objectsOf, sorted } from './programs.js';
import { App, Chart } from 'cdk8s';
import { findOwners } from '../../src/adopt/found-owners.js';

const cluster = EdgeCluster.of(RELEASES);

const node = (name: string, pool: string, capacity: object, allocatable: object): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: name, labels: { 'apps.openyurt.io/nodepool': pool } },
  status: { capacity, allocatable },
});

const CAPACITY = { cpu: '4', memory: '8040212Ki', 'ephemeral-storage': '61255492Ki' };
const asNode = ({ ephemeralStorage, ...others }: Record<string, string>): object => ({
  ...others,
  'ephemeral-storage': ephemeralStorage,
});
const withReservation = (reservation: NodeReservation): object =>
  asNode(reservation.allocatable({ cpu: '4', memory: '8040212Ki', ephemeralStorage: '61255492Ki' }));

/** The reservation that a text declares. */
const declared = (text: string): NodeReservation =>
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  new Function('NodeReservation', `return ${text}`)(NodeReservation) as NodeReservation;

it('a reservation that Nodes show leaves what they have', () => {
  const amount = (unit: string): fc.Arbitrary<string> =>
    fc.integer({ min: 1, max: 900 }).map((each) => `${each}${unit}`);
  const resources = fc.record(
    { cpu: amount('m'), memory: amount('Mi'), ephemeralStorage: amount('Mi') },
    { requiredKeys: ['cpu'] },
  );
  fc.assert(
    fc.property(resources, fc.option(resources, { nil: undefined }), (kubeReserved, systemReserved) => {
      const allocatable = withReservation(NodeReservation.of({ kubeReserved, systemReserved }));
      const nodes = ['a', 'b'].map((name) => node(name, 'berlin', CAPACITY, allocatable));
      const [found, ...others] = findReservations(nodes as never, cluster);
      expect([found?.pool, found?.nodes, others]).toEqual(['berlin', 2, []]);
      expect(withReservation(declared(found?.text ?? ''))).toEqual(allocatable);
    }),
    runs(200),
  );
});

it('is not guessed: Nodes that differ, other thresholds, and Nodes that reserve nothing', () => {
  const small = NodeReservation.of({ kubeReserved: { cpu: '100m' } });
  const none = withReservation(NodeReservation.of({}));
  const nodes = [
    node('a', 'differ', CAPACITY, withReservation(small)),
    node('b', 'differ', CAPACITY, none),
    node('c', 'thresholds', CAPACITY, CAPACITY),
    node('d', 'nothing', CAPACITY, none),
    node('e', 'says-nothing', {}, {}),
  ];
  expect(findReservations(nodes as never, cluster)).toEqual([
    { pool: 'differ', nodes: 2, text: 'its Nodes differ: kubectl describe node' },
    { pool: 'nothing', nodes: 1, text: '' },
    { pool: 'says-nothing', nodes: 1, text: '' },
    { pool: 'thresholds', nodes: 1, text: expect.stringContaining('read evictionHard on a node') },
  ]);
});

it('takes a rounded share for kubelet’s', () => {
  const [found] = findReservations(
    [node('a', 'berlin', { 'ephemeral-storage': '30Gi' }, { 'ephemeral-storage': '27Gi' })] as never,
    cluster,
  );
  expect(found?.text).toBe('');
});

describe('an import', () => {
  const kubeconfig = (server: string): string =>
    [
      'apiVersion: v1',
      'clusters:',
      '- cluster:',
      `    certificate-authority-data: ${Buffer.from(CA).toString('base64')}`,
      `    server: ${server}`,
      '  name: ""',
      'kind: Config',
      '',
    ].join('\n');
  const clusterInfo = (server: string): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cluster-info', namespace: 'kube-public' },
    data: { kubeconfig: kubeconfig(server) },
  });
  const pool = {
    apiVersion: 'apps.openyurt.io/v1beta2',
    kind: 'NodePool',
    metadata: { name: 'berlin' },
    spec: { type: 'Edge', hostNetwork: true },
  };
  const allocatable = withReservation(NodeReservation.of({ kubeReserved: { cpu: '100m', memory: '256Mi' } }));

  it('has the address and the CA of the cluster in its program, and the reservations in its report', () => {
    const program = imported([clusterInfo('https://10.0.0.1:6443'), pool, node('a', 'berlin', CAPACITY, allocatable)]);
    const { cluster: written } = moduleOf(program, 'cluster') as { cluster: EdgeCluster };
    const key = new X509Certificate(CA).publicKey.export({ type: 'spki', format: 'der' });
    const hash = `sha256:${createHash('sha256').update(key).digest('hex')}`;
    expect([written.apiServer, written.caCertHashes]).toEqual(['10.0.0.1:6443', [hash]]);
    expect(program.report).toMatch(
      /^berlin +expectedNodes: 1 +NodeReservation\.of\({ kubeReserved: { cpu: '100m', memory: '256Mi' } }\)$/m,
    );
    expect(imported(distOf(program)).files).toEqual(program.files);
  });

  it('has the address of kubeadm-config where cluster-info is not there, and yurthub', () => {
    const config = (endpoint: string): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kubeadm-config', namespace: 'kube-system' },
      data: { ClusterConfiguration: `apiServer: {}\n${endpoint}kind: ClusterConfiguration\n` },
    });
    const yurthub = {
      apiVersion: 'apps.openyurt.io/v1alpha1',
      kind: 'YurtStaticSet',
      metadata: { name: 'yurt-hub', namespace: 'kube-system' },
      spec: { staticPodManifest: 'yurthub' },
    };
    const program = imported([config('controlPlaneEndpoint: kube.example\n'), yurthub, pool]);
    const { cluster: written } = moduleOf(program, 'cluster') as { cluster: EdgeCluster };
    expect([written.apiServer, written.caCertHashes, written.yurthub]).toEqual(['kube.example:6443', [], true]);
    expect(imported(distOf(program)).files).toEqual(program.files);
    const { cluster: without } = moduleOf(imported([config(''), pool]), 'cluster') as { cluster: EdgeCluster };
    expect([without.apiServer, without.yurthub]).toEqual([undefined, undefined]);
  });

  it.each([
    ['https://kube.example', 'kube.example:443'],
    ['https://a:b', undefined],
    ['not an address', undefined],
  ])('has no address that no join can use: %s', (server, address) => {
    const program = imported([clusterInfo(server), pool]);
    expect((moduleOf(program, 'cluster') as { cluster: EdgeCluster }).cluster.apiServer).toBe(address);
  });
});

/** Releases that the objects show: where one of them is not supported, or another one than the command line says. */
describe('releases that the objects show', () => {
  beforeEach(() => {
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => jest.restoreAllMocks());

  const manager = (image: string, chart?: string): any => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'yurt-manager', ...(chart === undefined ? {} : { labels: { 'helm.sh/chart': chart } }) },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image }] } },
    },
  });
  const said = (text: string): string => text.replace(/\s+/g, ' ');

  it('names the file and the line of a release that is not supported', () => {
    const path = 'chart.yaml';
    const text = `# chart\n${JSON.stringify(manager('openyurt/yurt-manager:v1.3.4', 'yurt-manager-1.4.1'))}\n`;
    expect(() => imported([{ path, text }], 'cdk8s', { kubernetes: '1.22' })).toThrow(
      /chart\.yaml:2: by the image yurt-manager: OpenYurt 1\.3\.4 is not supported/,
    );
    expect(() => imported([{ path, text }], 'cdk8s', { kubernetes: '1.22', openYurt: '1.3' })).toThrow(
      /openYurt: OpenYurt 1\.3 is not supported/,
    );
  });

  it('asks about a chart with the image of another release', () => {
    const { report } = imported([manager('openyurt/yurt-manager:v1.4.0', 'yurt-manager-1.5.0')], 'cdk8s', {
      kubernetes: '1.28',
    });
    expect(said(report)).toContain(
      'the image yurt-manager says OpenYurt 1.4.0, and the objects show 1.5.0, by the chart yurt-manager: what is right?',
    );
    expect(imported([manager('openyurt/yurt-manager:v1.7.0', 'yurt-manager-1.7.0')]).report).not.toContain(
      'what is right',
    );
  });

  it('says for which minor policies are', () => {
    const app = new App();
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
    new PoolAdmission(new Chart(app, 'fleet'), 'admission', { cluster });
    const policies = sorted(manifestsOf(app));
    const program = imported(policies, 'cdk8s', { openYurt: '1.7', kubernetes: '1.34' });
    expect(program.counts).toMatchObject({ ofEdge: policies.length, recognized: 0 });
    expect(said(program.report)).toContain('the objects show 1.36 or later, by MutatingAdmissionPolicy in v1');
    const source = program.files.map(({ content }) => content).join('');
    expect(source.replace(/\s+(\/\/ )?/g, ' ')).toContain('PoolAdmission makes it for Kubernetes 1.36 or later');
    expect(objectsOf(program)).toEqual(policies);
    expect(imported(policies, 'cdk8s', { openYurt: '1.7', kubernetes: '1.36' }).counts.recognized).toBe(
      policies.length,
    );
  });
});

/** Who has applied objects: the report names each tool, with how many objects and what is stopped there. */
describe('who has applied objects', () => {
  const object = (metadata: object): any => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'shop', ...metadata },
  });
  const managed = (...managers: (string | [string, string])[]): object => ({
    managedFields: managers.map((each) => {
      const [manager = '', subresource] = [each].flat();
      const operation = manager.startsWith('kube-') ? 'Update' : 'Apply';
      const fieldsV1 = { 'f:data': { [`f:${manager}`]: {} } };
      return { manager, operation, fieldsV1, ...(subresource === undefined ? {} : { subresource }) };
    }),
  });
  const HELM = { 'meta.helm.sh/release-name': 'yurt-manager', 'meta.helm.sh/release-namespace': 'kube-system' };

  it.each<[string, object, string | undefined, RegExp?]>([
    [
      'Helm',
      { labels: { 'app.kubernetes.io/managed-by': 'Helm' }, annotations: HELM, ...managed('helm', 'kubectl-edit') },
      'Helm release kube-system/yurt-manager',
      /resource-policy: keep/,
    ],
    [
      'a HelmRelease of Flux, whose objects are those of Helm, too',
      {
        labels: { 'helm.toolkit.fluxcd.io/name': 'edge', 'helm.toolkit.fluxcd.io/namespace': 'flux-system' },
        annotations: HELM,
      },
      'Flux HelmRelease flux-system/edge',
      /suspend/,
    ],
    [
      'a Kustomization of Flux',
      {
        labels: { 'kustomize.toolkit.fluxcd.io/name': 'shops', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' },
        ...managed('kustomize-controller'),
      },
      'Flux Kustomization flux-system/shops',
      /prune: disabled/,
    ],
    [
      'Argo CD with annotations',
      { annotations: { 'argocd.argoproj.io/tracking-id': 'shops:apps/Deployment:shop/web' } },
      'Argo CD Application shops',
      /Prune=false/,
    ],
    ['Argo CD with its label', { labels: { 'argocd.argoproj.io/instance': 'shops' } }, 'Argo CD Application shops'],
    [
      'Argo CD with the label of others',
      { labels: { 'app.kubernetes.io/instance': 'shops' }, ...managed('argocd-controller') },
      'Argo CD Application shops',
    ],
    ['the label of others alone', { labels: { 'app.kubernetes.io/instance': 'shops' } }, undefined],
    ['Pulumi', managed('pulumi-kubernetes-1a2b3c4d'), 'Pulumi', /pulumi state delete/],
    ['Terraform', managed('Terraform'), 'Terraform', /terraform state rm/],
    ['kubeadm', managed('kubeadm'), 'kubeadm', /kubeadm upgrade/],
    ['Helm without its annotations', managed('helm'), 'Helm'],
    ['Flux without its labels', managed('kustomize-controller'), 'Flux', /suspend/],
    ['a server of Argo CD, which writes its own objects', managed('argocd-server'), 'the field manager argocd-server'],
    ['another tool', managed('gitops', 'kubectl'), 'the field manager gitops'],
    ['kubectl', managed('kubectl-client-side-apply', 'edge-nodepools'), 'kubectl'],
    [
      'kubectl without managedFields',
      { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } },
      'kubectl',
    ],
    ['this library', managed('edge-nodepools'), 'edge-nodepools'],
    [
      'controllers, and status',
      managed('kube-controller-manager', 'before-first-apply', ['gitops', 'status']),
      undefined,
    ],
    ['nobody who is shown', {}, undefined],
  ])('finds %s', (_, metadata, owner, stop = /./) => {
    expect(findOwners([object(metadata)])).toEqual(
      owner === undefined ? [] : [{ owner, objects: ['ConfigMap shop/a'], stop: expect.stringMatching(stop) }],
    );
  });

  it('counts them in the report, the most first, before what is to be done', () => {
    const named = (name: string, metadata: object): any => object({ name, ...metadata });
    const { report } = imported([
      named('a', { annotations: HELM, uid: 'a' }),
      named('b', { annotations: HELM, uid: 'b' }),
      named('c', managed('kubectl')),
    ]);
    expect(report).toMatch(
      /who has applied them; stop it there before the first change[^]*^2 +Helm release[^]*^1 +kubectl/m,
    );
    expect(report.replace(/\s+/g, ' ')).toContain(
      'Helm release kube-system/yurt-manager ConfigMap shop/a, ConfigMap shop/b',
    );
    expect(imported([object({})]).report).not.toContain('who has applied them');
  });
});

describe('labels of a fleet of its own', () => {
  const NONE = { openYurt: 'none', kubernetes: '1.34' } as const;
  const labelled = (name: string, labels: object, taints: readonly object[] = []): any => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec: { taints },
  });
  const till = { 'shop.example/role': 'till', 'shop.example/site': 'berlin' };
  const taint = { key: 'shop.example/role', value: 'till', effect: 'NoSchedule' };
  const workload = (name: string, podSpec: object): any => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'shop' },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: 'a:1' }], ...podSpec } },
    },
  });
  const notIn = (operator = 'NotIn'): object => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'shop.example/role', operator, values: ['till'] }] }],
        },
      },
    },
  });
  const onHost = workload('till', { hostNetwork: true, nodeSelector: till });
  const NODES = [
    labelled('a', till, [taint]),
    labelled('b', till, [taint]),
    labelled('c', { 'shop.example/role': 'web' }),
  ];
  const proposed = (objects: readonly object[], given: object = NONE): string[] =>
    [...imported(objects, 'cdk8s', given).report.matchAll(/^--(?:host-network|node-pool)-label \S+/gm)].map(
      ([all]) => all,
    );

  it('are proposed where Nodes, taints, a workload of the host network and a NotIn agree', () => {
    expect(proposed([...NODES, onHost, workload('web', notIn())])).toEqual([
      '--host-network-label shop.example/role=till',
      '--node-pool-label shop.example/site',
    ]);
  });

  const proxy = (podSpec: object): any => {
    const made = workload('kube-proxy', { hostNetwork: true, ...podSpec });
    return { ...made, metadata: { name: 'kube-proxy', namespace: 'kube-system' } };
  };

  it.each<[string, readonly object[], readonly string[]]>([
    [
      'a workload of the host network is',
      [...NODES, onHost, workload('agent', { hostNetwork: true, ...notIn() })],
      ['site'],
    ],
    ['kube-proxy is', [...NODES, onHost, proxy(notIn())], ['site']],
    ['only kube-proxy is', [...NODES, proxy(notIn())], []],
  ])('are also proposed where %s kept off', (_, objects, pools) => {
    expect(proposed(objects)).toEqual([
      '--host-network-label shop.example/role=till',
      ...pools.map((each) => `--node-pool-label shop.example/${each}`),
    ]);
  });

  it('are not proposed for nodes of Fargate, off which kube-proxy is kept', () => {
    const said = JSON.stringify([...NODES, proxy(notIn())]).replaceAll('"till"', '"fargate"');
    expect(proposed(JSON.parse(said))).toEqual([]);
  });

  it.each<[string, readonly object[]]>([
    ['nothing is kept off', [...NODES, onHost]],
    [
      'only another workload of the host network is kept off',
      [...NODES, workload('agent', { hostNetwork: true, ...notIn() })],
    ],
    ['nothing on the host network selects it', [...NODES, workload('web', notIn())]],
    ['what is kept off is kept on', [...NODES, onHost, workload('web', notIn('In'))]],
    ['all Nodes have it', [...NODES.slice(0, 2), onHost, workload('web', notIn())]],
    ['no Node has it', [labelled('c', {}), onHost, workload('web', notIn())]],
    ['another Node has the taint', [...NODES, labelled('d', {}, [taint]), onHost, workload('web', notIn())]],
    ['one of the Nodes has no taint', [...NODES, labelled('d', till), onHost, workload('web', notIn())]],
  ])('are not proposed where %s', (_, objects) => {
    expect(proposed(objects)).toEqual([]);
  });

  it('that are given are those of the program', () => {
    const given = {
      ...NONE,
      hostNetworkLabel: { key: 'shop.example/role', value: 'till' },
      nodePoolLabel: 'shop.example/site',
    };
    const objects = [...NODES, onHost, workload('web', notIn())];
    const program = imported(objects, 'cdk8s', given);
    expect(program.cluster).toMatchObject({
      hostNetworkLabel: given.hostNetworkLabel,
      nodePoolLabel: given.nodePoolLabel,
    });
    expect(program.counts.ofEdge).toBe(2);
    expect(proposed(objects, given)).toEqual([]);
  });

  describe('the pools that Nodes show', () => {
    const OWN = { hostNetworkLabel: { key: 'shop.example/role', value: 'till' }, nodePoolLabel: 'shop.example/site' };
    const dry = { key: 'shop.example/dry', effect: 'NoExecute', timeAdded: '2026-05-04T08:00:00Z' };
    const paris = { 'shop.example/role': 'till', 'shop.example/site': 'paris' };
    const office = labelled('o', { 'shop.example/site': 'office' }, [dry]);
    const pools = ({ files }: ReturnType<typeof imported>): string =>
      files.map(({ content }) => content.replace(/\s+/g, ' ')).join('');
    const tolerations = [{ key: 'shop.example/role', operator: 'Equal', value: 'till', effect: 'NoSchedule' }];
    const inBerlin = workload('till', {
      hostNetwork: true,
      dnsPolicy: 'Default',
      nodeSelector: { 'shop.example/site': 'berlin' },
      tolerations,
    });

    it('are in the program with the taints of their Nodes, if all of these are of the host network', () => {
      const nodes = [...NODES, labelled('p', paris, [taint, dry]), office];
      for (const target of ['cdk8s', 'pulumi'] as const) {
        const program = imported([...nodes, inBerlin], target, { ...NONE, ...OWN });
        expect(pools(program)).toMatch(/poolName: 'berlin', registrationTaint: true,? \}/);
        expect(pools(program)).toMatch(
          /poolName: 'paris', taints: \[\{ key: 'shop.example\/dry', effect: 'NoExecute' \}\], registrationTaint: true,? \}/,
        );
        expect(program.counts).toMatchObject({ recognized: 1, byClass: { HostNetworkWorkload: 1 } });
        expect(program.report.replace(/ +/g, ' ')).toContain(
          "office o shop.example/dry:NoExecute new RegularNodePool(…, { cluster, poolName: 'office',",
        );
      }
      expect(objectsOf(imported([...nodes, inBerlin], 'cdk8s', { ...NONE, ...OWN }))).toEqual([inBerlin]);
    });

    it('are in the report where their Nodes differ, have no label of a pool, or the NodePool was not dumped', () => {
      const said = (objects: readonly object[], given: object): string =>
        imported(objects, 'cdk8s', given).report.replace(/ +/g, ' ');
      const differ = said([...NODES, labelled('d', till, [taint, dry]), inBerlin], { ...NONE, ...OWN });
      expect(differ).toMatch(/^berlin a, b, d shop.example\/role=till:NoSchedule, its Nodes differ/m);
      expect(said([...NODES, inBerlin], NONE)).toContain('a, b shop.example/role=till:NoSchedule --node-pool-label');
      const of17 = labelled('e', { 'apps.openyurt.io/nodepool': 'ghost' });
      expect(said([of17, inBerlin], RELEASES)).toMatch(/^ghost e its NodePool is not in the dump/m);
      expect(
        said(
          [labelled('c', {}, [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }]), inBerlin],
          NONE,
        ),
      ).not.toContain('pools that only Nodes show');
    });
  });

  it('are refused with OpenYurt, which has its own', () => {
    const given = { ...RELEASES, hostNetworkLabel: { key: 'shop.example/role', value: 'till' } };
    expect(() => imported([...NODES, onHost], 'cdk8s', given)).toThrow(/hostNetworkLabel/);
  });
});
