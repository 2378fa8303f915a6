import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import fc from 'fast-check';
import { EdgeCluster, EdgeSystemComponents, ExclusionStrategy, SystemComponent } from 'edge-nodepools';
import { ControlPlaneQos, type QosPreset, withQos } from 'edge-nodepools/control-plane';
import { parse } from 'yaml';
import { QOS_PRESETS } from '../../../../src/control-plane/qos-profile.js';
import { qosClassOf } from '../../../../src/control-plane/with-qos.js';
import { evictionOrder } from '../../../control-plane/eviction-order.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import { toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { KUBEADM, KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { pathOf, type Tool, versionOf } from '../../harness/tool.js';

const PLANE = { kubernetes: '1.36' };
const RANKING: Tool = { name: 'kubelet-ranking', module: 'kubelet-1.36', package: '.' };
const PRESETS = Object.keys(QOS_PRESETS) as QosPreset[];
const PODS = '/api/v1/namespaces/default/pods';

const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });
const COREDNS = {
  qosClass: 'guaranteed',
  containers: { coredns: { requests: { cpu: '200m', memory: '200Mi' } } },
} as const;

const pod = (name: string, spec: object): any => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });

/** The class and the priority with which the API server stores a Pod. */
async function stored(plane: ControlPlane, manifest: object): Promise<{ qosClass: string; priority: number }> {
  const { status, spec } = await plane.api.must('POST', PODS, manifest, { query: { dryRun: 'All' } });
  return { qosClass: status.qosClass, priority: spec.priority };
}

/** The QoS of a control plane, with everything that it can have. */
function planned(): { readonly qos: ControlPlaneQos; readonly classes: any[]; readonly patches: any[] } {
  const chart = new Chart(new App(), 'chart');
  const qos = new ControlPlaneQos(chart, 'qos', {
    cluster,
    apiServer: { preset: 'kube-apiserver' },
    controllerManager: { preset: 'kube-controller-manager' },
    scheduler: { preset: 'kube-scheduler' },
    etcd: { preset: 'etcd' },
    components: [
      { component: SystemComponent.KUBE_PROXY, profile: { preset: 'kube-proxy' } },
      { component: SystemComponent.COREDNS, profile: COREDNS },
    ],
    priorityClasses: [
      { name: 'observability', value: 900_000_000, description: 'metrics and logs' },
      { name: 'background', value: -5, preempts: false },
      { name: 'usual', value: 0, globalDefault: true },
    ],
  });
  return { qos, classes: Testing.synth(chart), patches: qos.patchChart?.toJson() ?? [] };
}

/** Classes and priorities as the API server computes them. */
async function classes(plane: ControlPlane, proof: Proof): Promise<void> {
  const { classes: objects } = planned();
  proof.same('PriorityClasses are accepted', (await plane.apply(objects)).length, 3);
  const generations = (list: readonly any[]): unknown => list.map(({ metadata }) => metadata.resourceVersion);
  proof.same(
    'a second time they change nothing',
    generations(await plane.apply(objects)),
    generations(await plane.apply(objects)),
  );
  for (const [what, fields] of Object.entries({
    'a name of Kubernetes': { metadata: { name: 'system-mine' }, value: 1 },
    'a value above those of users': { metadata: { name: 'high' }, value: 1_000_000_001 },
    'a second default': { metadata: { name: 'second' }, value: 1, globalDefault: true },
  })) {
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const body = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', ...fields };
    const { status } = await plane.api.send('POST', path, body);
    proof.that(`${what} is refused, as by the library`, status === 422 || status === 403, String(status));
  }
  for (const preset of PRESETS) {
    const bare = pod('a', { containers: [{ name: preset, image: 'a' }] });
    proof.same(`before: ${preset}`, (await stored(plane, bare)).qosClass, 'BestEffort');
    const { qosClass, priority } = await stored(plane, withQos(bare, { preset, priorityClassName: 'observability' }));
    proof.same(
      `class and priority of ${preset}`,
      [qosClass.toLowerCase(), priority],
      [QOS_PRESETS[preset].qosClass, 900_000_000],
    );
  }
  const amounts = fc.record(
    { cpu: fc.constantFrom('0', '1'), memory: fc.constantFrom('64Mi', '1Gi') },
    { requiredKeys: [] },
  );
  const container = fc.record({ limits: amounts, requests: amounts }, { requiredKeys: [] });
  const specs = fc.record({
    main: fc.array(container, { minLength: 1, maxLength: 2 }),
    init: fc.array(container, { maxLength: 1 }),
  });
  let compared = 0;
  for (const { main, init } of fc.sample(specs, { numRuns: 60, seed: 7 })) {
    const named = (list: object[], prefix: string): object[] =>
      list.map((resources, index) => ({ name: `${prefix}${index}`, image: 'a', resources }));
    const spec = { containers: named(main, 'main'), initContainers: named(init, 'init') };
    const { status, body } = await plane.api.send('POST', PODS, pod('a', spec), { query: { dryRun: 'All' } });
    if (status < 300) {
      compared += 1;
      proof.same(`the class of ${JSON.stringify(spec)}`, qosClassOf(spec), body.status.qosClass);
    }
  }
  proof.that('many random Pods are compared', compared > 20, String(compared));
}

/** The manifests of static Pods as kubeadm writes them, with the patches or without. */
function staticPods(
  folder: string,
  patches: readonly { readonly path: string; readonly content: string }[],
  initConfiguration: object,
): Map<string, any> {
  const directory = mkdtempSync(join(folder, 'patches-'));
  patches.forEach(({ path, content }) => writeFileSync(join(directory, basename(path)), content));
  const out = mkdtempSync(join(folder, 'out-'));
  const documents = [
    {
      localAPIEndpoint: { advertiseAddress: '192.0.2.10', bindPort: 6443 },
      nodeRegistration: { name: 'control', criSocket: 'unix:///nonexistent.sock' },
      ...initConfiguration,
      patches: { directory },
    },
    { apiVersion: 'kubeadm.k8s.io/v1beta4', kind: 'ClusterConfiguration', kubernetesVersion: versionOf(KUBEADM) },
  ];
  const config = join(out, 'config.yaml');
  writeFileSync(config, documents.map((document) => JSON.stringify(document)).join('\n---\n'));
  for (const phase of ['control-plane all', 'etcd local']) {
    const { status, stdout, stderr } = spawnSync(
      pathOf(KUBEADM),
      ['init', 'phase', ...phase.split(' '), `--config=${config}`, '--dry-run'],
      { encoding: 'utf8', env: { ...process.env, KUBEADM_INIT_DRYRUN_DIR: out } },
    );
    if (status !== 0) {
      throw new Error(`kubeadm init phase ${phase}: ${stdout}${stderr}`);
    }
  }
  const manifests = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.yaml') && file !== 'config.yaml',
  );
  return new Map(manifests.map((file) => [basename(file, '.yaml'), parse(readFileSync(join(out, file), 'utf8'))]));
}

/** kubeadm merges the patches into what it writes, and changes nothing else. */
async function kubeadmPatches(plane: ControlPlane, proof: Proof, folder: string): Promise<void> {
  const { qos } = planned();
  const { patches: _, ...configuration } = qos.initConfiguration;
  const before = staticPods(folder, [], configuration);
  const after = staticPods(folder, qos.kubeadmPatches, configuration);
  proof.same('kubeadm writes the same static Pods', [...after.keys()].sort(), [...before.keys()].sort());
  for (const name of ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd'] as const) {
    const [made, former] = [after.get(name), structuredClone(before.get(name))];
    const { qosClass, requests } = QOS_PRESETS[name];
    const resources = { ...(qosClass === 'guaranteed' ? { limits: requests } : {}), requests };
    former.spec.containers[0].resources = resources;
    proof.same(`only the resources of ${name} are others`, made, former);
    const { metadata, spec } = made;
    const seen = await stored(plane, { apiVersion: 'v1', kind: 'Pod', metadata: { name: metadata.name }, spec });
    proof.same(
      `class and priority of the static Pod ${name}`,
      [seen.qosClass.toLowerCase(), seen.priority],
      [qosClass, 2_000_001_000],
    );
  }
}

/** Patches of running components, beside their exclusion from host-network nodes and upgrades of kubeadm. */
async function components(plane: ControlPlane, proof: Proof, folder: string): Promise<void> {
  const { qos, patches } = planned();
  const addOns = new KubeadmAddOns(folder, qos.kubeadmPatches);
  addOns.install('kube-proxy', plane.kubeconfig);
  addOns.install('coredns', plane.kubeconfig);
  const read = async (kind: string, name: string): Promise<any> =>
    (await plane.api.must('GET', `/apis/apps/v1/namespaces/kube-system/${kind}/${name}`)).spec.template.spec;
  const dns = { cpu: '200m', memory: '200Mi' };
  const dnsResources = async (): Promise<unknown> => (await read('deployments', 'coredns')).containers[0].resources;
  proof.same('CoreDNS as kubeadm writes it with the patch', await dnsResources(), { limits: dns, requests: dns });
  const system = new EdgeSystemComponents(new Chart(new App(), 'chart'), 'system', {
    cluster,
    exclude: [SystemComponent.KUBE_PROXY],
    strategy: ExclusionStrategy.SERVER_SIDE_APPLY,
  });
  const exclusion = system.patchChart?.toJson() ?? [];
  const apply = (chart: string, objects: readonly any[], flags: readonly string[]): void => {
    const file = join(folder, `${chart}.yaml`);
    writeFileSync(file, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    const { status, stderr } = plane.kubectl(['apply', ...flags, '-f', file]);
    proof.that(`${chart} is applied`, status === 0, stderr);
  };
  apply('exclusion', exclusion, system.applyFlags);
  apply('qos', patches, qos.applyFlags);
  apply('exclusion again', exclusion, system.applyFlags);
  const proxy = await read('daemonsets', 'kube-proxy');
  const { requests } = QOS_PRESETS['kube-proxy'];
  proof.same('kube-proxy has the resources', proxy.containers[0].resources, { limits: requests, requests });
  proof.that('and is still excluded', proxy.affinity?.nodeAffinity !== undefined, proxy.affinity);
  proof.that('and has its image', typeof proxy.containers[0].image === 'string', proxy.containers);
  const { qosClass, priority } = await stored(plane, pod('proxy', { ...proxy, serviceAccountName: undefined }));
  proof.same('class and priority of its Pods', [qosClass, priority], ['Guaranteed', 2_000_001_000]);
  addOns.install('kube-proxy', plane.kubeconfig);
  proof.same(
    'an upgrade of kubeadm takes them away, as the report says',
    [(await read('daemonsets', 'kube-proxy')).containers[0].resources, qos.report[0]?.lostAfter],
    [{}, ['kubeadm upgrade']],
  );
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', `kubectl() { "$KUBECTL" --kubeconfig="$KUBECONFIG" "$@"; }\n${qos.report[0]?.command}`],
    {
      encoding: 'utf8',
      env: {
        ...process.env,
        KUBECTL: pathOf(toolsOf(PLANE).find(({ name }) => name === 'kubectl') as Tool),
        KUBECONFIG: plane.kubeconfig,
      },
    },
  );
  proof.that('the command of the report runs', status === 0, stderr);
  proof.same('and gives them back', (await read('daemonsets', 'kube-proxy')).containers[0].resources, {
    limits: requests,
    requests,
  });
}

/** The table of the documentation, ranked by the kubelet's own function. */
function evictions(proof: Proof): void {
  const critical = { says: 'system-node-critical', priority: 2_000_001_000, request: 0, used: 900 };
  // backwards, so that an order that is kept is no success
  const input = JSON.stringify([critical, ...evictionOrder].reverse());
  const { stdout, stderr } = spawnSync(pathOf(RANKING), { input, encoding: 'utf8' });
  const answers: { says: string; critical: boolean; oomScoreAdj: number }[] = JSON.parse(stdout === '' ? '[]' : stdout);
  const evicted = answers.filter((answer) => !answer.critical);
  proof.same(
    'the kubelet evicts in the order of the documentation',
    evicted.map(({ says }) => says),
    evictionOrder.map(({ says }) => says),
  );
  proof.same(
    'what is critical is never evicted',
    answers.filter((answer) => answer.critical).map(({ says }) => says),
    [critical.says],
  );
  const scores = (word: string): number[] =>
    evicted.filter(({ says }) => says.startsWith(word)).map(({ oomScoreAdj }) => oomScoreAdj);
  proof.same('oom_score_adj of Guaranteed', [...new Set(scores('Guaranteed'))], [-997]);
  proof.same('oom_score_adj of BestEffort', [...new Set(scores('BestEffort'))], [1000]);
  proof.that(
    'oom_score_adj of Burstable is between',
    scores('Burstable').every((score) => score > 2 && score < 1000),
    scores('Burstable'),
  );
  proof.same('nothing is written on standard error', stderr, '');
}

export const qos: Group = {
  name: 'qos',
  claim:
    'resources of withQos and ControlPlaneQos give Pods the QoS class and the priority that a real API server computes, which is that of the library for random Pods; kubeadm merges the patches into its static Pods and add-ons and changes nothing else; a patch of kube-proxy and its exclusion from host-network nodes leave each other alone; what the API server refuses of PriorityClasses the library refuses; the documented order of evictions is that of the kubelet’s own function. Nothing is evicted: no node runs out of memory',
  programs: 'kube-apiserver, kubeadm, kubectl 1.36; the ranking function of kubelet 1.36',
  tools: [...toolsOf(PLANE), KUBEADM, RANKING],
  run: async (proof) => {
    evictions(proof);
    await onControlPlane(PLANE, proof, async (plane) => {
      const folder = join(plane.folder, 'kubeadm');
      mkdirSync(folder);
      await classes(plane, proof);
      await kubeadmPatches(plane, proof, folder);
      await components(plane, proof, folder);
    });
  },
};
