import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  EdgeWarnings,
  HostNetworkNodePool,
  JoinToken,
  NodeJoin,
  placeFleet,
  YurtAppSet,
  YurtStaticSet,
} from 'edge-nodepools';
import { parse } from 'yaml';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { KUBERNETES_OF, toolsBeside, withYurtManager, type YurtManagerRelease } from '../../harness/yurt-manager.js';
import { toolsOf } from '../../harness/control-plane.js';
import { ofChosenMinors } from '../../harness/minors.js';

const NAMESPACE = 'edge';
const NODES = 2;
const POOLS = ['site-17', 'site-18', 'site-19'] as const;
const POOL_NAME = 'apps.openyurt.io/pool-name';
const MEMBER = 'apps.openyurt.io/nodepool';
const CONTROLLERS = ['deployment-controller', 'replicaset-controller', 'statefulset-controller'];

const podTemplate = (name: string, port: number): Record<string, unknown> => ({
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'web', image: `registry.example/${name}:1`, ports: [{ containerPort: port }] }] },
    },
  },
});

/** What a user declares: sets by name and by label, of Deployments and StatefulSets, with every tweak, and a static Pod with its set. */
function declare(release: YurtManagerRelease) {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'sites');
  const cluster = EdgeCluster.of({
    openYurt: release,
    kubernetes: KUBERNETES_OF[release],
    apiServer: '192.0.2.1:6443',
    caCertHashes: [`sha256:${'ab'.repeat(32)}`],
  });
  const pools = POOLS.map(
    (poolName) =>
      new HostNetworkNodePool(chart, poolName, {
        cluster,
        poolName,
        expectedNodes: NODES,
        taints: [{ key: 'site', value: poolName, effect: 'NoSchedule' }],
        metadata: { labels: { ring: poolName === 'site-19' ? 'late' : 'early' } },
      }),
  );
  const early = pools.slice(0, 2);
  const metadata = (name: string) => ({ name, namespace: NAMESPACE });
  const tweaks = {
    replicas: 2,
    containerImages: [{ name: 'web', targetImage: 'registry.example/web:2' }],
  };
  new YurtAppSet(chart, 'web', {
    pools: early,
    autonomy: 'forever',
    rollout: 'rolling',
    nodesAway: 1,
    metadata: metadata('web'),
    deploymentTemplate: podTemplate('web', 8080),
    workloadTweaks: [{ pools: ['site-18'], tweaks }],
  });
  // with 1.5 it is refused
  if (release === '1.7') {
    new YurtAppSet(chart, 'db', { pools, metadata: metadata('db'), statefulSetTemplate: podTemplate('db', 8081) });
  }
  new YurtAppSet(chart, 'ring', {
    pools: early,
    nodepoolSelector: { matchLabels: { ring: 'early' } },
    metadata: metadata('ring'),
    deploymentTemplate: podTemplate('ring', 8082),
    workloadTweaks: [{ nodepoolSelector: { matchLabels: { ring: 'early' } }, tweaks: { replicas: 2 } }],
  });
  new YurtAppSet(chart, 'patched', {
    pools: [early[0] as HostNetworkNodePool],
    metadata: metadata('patched'),
    deploymentTemplate: podTemplate('patched', 8083),
    workloadTweaks: [
      {
        pools: ['site-17'],
        tweaks: {
          patches: [
            { operation: 'add', path: '/spec/template/spec/containers/0/args', value: ['--pool={{nodepool-name}}'] },
          ],
        },
      },
    ],
  });
  const agent = {
    spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1', ports: [{ containerPort: 9110 }] }] },
  };
  new YurtStaticSet(chart, 'agent', {
    pools: early,
    metadata: metadata('agent'),
    template: agent,
    upgradeStrategy: { type: 'AdvancedRollingUpdate', maxUnavailable: '10%' },
  });
  const joins = new Chart(app, 'joins');
  const { files } = new NodeJoin(joins, 'join', {
    pool: early[0] as HostNetworkNodePool,
    token: JoinToken.fromFile('/var/lib/edge/join-token'),
    staticPods: [{ apiVersion: 'v1', kind: 'Pod', metadata: metadata('agent'), ...agent }],
  });
  const file = files.find(({ path }) => path.startsWith('/etc/kubernetes/manifests/'));
  return { manifests: Testing.synth(chart), pools, staticPod: parse(file?.content ?? '') };
}

/** How many Pods each set has in each pool: `web site-18 2 registry.example/web:2`. */
async function seen(plane: ControlPlane, isBound: boolean): Promise<string[]> {
  const path = `/api/v1/namespaces/${NAMESPACE}/pods`;
  const { items } = await plane.api.must('GET', path);
  const counts = new Map<string, number>();
  for (const { metadata, spec } of items) {
    // the scheduler of 1.36 binds no Pod of an API server 1.30, which lacks its kinds
    const pool = isBound
      ? String(spec.nodeName ?? 'nowhere').replace(/-\d+$/, '')
      : String(spec.nodeSelector?.[MEMBER]);
    const key = `${metadata.labels.app} ${pool} ${spec.containers[0].image}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => `${key} ${count}`).sort();
}

const EXPECTED = [
  'db site-17 registry.example/db:1 1',
  'db site-18 registry.example/db:1 1',
  'db site-19 registry.example/db:1 1',
  'patched site-17 registry.example/patched:1 1',
  'ring site-17 registry.example/ring:1 2',
  'ring site-18 registry.example/ring:1 2',
  'web site-17 registry.example/web:1 1',
  'web site-18 registry.example/web:2 2',
];

async function judge(plane: ControlPlane, proof: Proof, release: YurtManagerRelease): Promise<void> {
  const { manifests, pools, staticPod } = declare(release);
  const claim = (what: string): string => `yurt-manager ${release}: ${what}`;
  const isPool = ({ kind }: any): boolean => kind === 'NodePool';
  await plane.apply(manifests.filter(isPool));
  for (const { poolName, joinLabels, registrationTaints } of pools) {
    for (let index = 1; index <= NODES; index++) {
      await plane.nodes.fake(`${poolName}-${index}`, joinLabels, [
        ...registrationTaints,
        { key: 'site', value: poolName, effect: 'NoSchedule' },
      ]);
    }
  }
  const stored = await plane.apply(manifests.filter((object) => !isPool(object)));
  proof.same(claim('every set is accepted, with strict validation'), stored.length, manifests.length - pools.length);
  const expected = EXPECTED.filter((each) => release === '1.7' || !each.startsWith('db '));
  let pods: string[] = [];
  await proof.eventually(
    claim('the Pods of each pool are as declared'),
    async () => JSON.stringify((pods = await seen(plane, release === '1.7'))) === JSON.stringify(expected),
    60,
  );
  proof.same(claim('Pods by set, pool and image'), pods, expected);
  const placed = placeFleet(manifests).flatMap(({ pool, runs, others }) =>
    [...runs, ...others.filter(({ outcome }) => outcome === 'unknown').map(({ workload }) => workload)]
      .filter((workload) => workload.startsWith('YurtAppSet'))
      .map((workload) => `${workload.replace(`YurtAppSet ${NAMESPACE}/`, '')} ${pool}`),
  );
  proof.same(
    claim('they are in the pools of placeFleet'),
    [...new Set(pods.map((pod) => pod.split(' ').slice(0, 2).join(' ')))].sort(),
    placed.sort(),
  );
  const { items } = await plane.api.must('GET', `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`);
  const deployment = (app: string, pool: string): any =>
    items.find(
      ({ metadata, spec }: any) => spec.selector.matchLabels.app === app && metadata.labels[POOL_NAME] === pool,
    );
  const web = deployment('web', 'site-18');
  proof.same(
    claim('a Deployment has the rollout, the autonomy and the pool'),
    {
      strategy: web?.spec.strategy.rollingUpdate,
      pool: web?.spec.template.spec.nodeSelector?.[MEMBER],
      forever: (web?.spec.template.spec.tolerations ?? []).some(
        ({ key, tolerationSeconds }: any) =>
          key === 'node.kubernetes.io/unreachable' && tolerationSeconds === undefined,
      ),
      hostNetwork: web?.spec.template.spec.hostNetwork,
    },
    { strategy: { maxSurge: 0, maxUnavailable: 2 }, pool: 'site-18', forever: true, hostNetwork: true },
  );
  proof.same(
    claim('a patch has the name of its pool'),
    deployment('patched', 'site-17')?.spec.template.spec.containers[0].args,
    ['--pool=site-17'],
  );
  await staticSets(plane, proof, claim, staticPod);
}

/** A mirror Pod, as kubelet makes one of the file of a join. */
async function mirror(plane: ControlPlane, node: string, staticPod: any): Promise<void> {
  const { metadata, spec } = staticPod;
  const kubelet = {
    'kubernetes.io/config.source': 'file',
    'kubernetes.io/config.mirror': 'x',
    'kubernetes.io/config.hash': 'x',
  };
  const path = `/api/v1/namespaces/${NAMESPACE}/pods`;
  await plane.api.must('POST', path, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, name: `${metadata.name}-${node}`, annotations: { ...metadata.annotations, ...kubelet } },
    spec: { ...spec, nodeName: node, tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] },
  });
}

async function staticSets(
  plane: ControlPlane,
  proof: Proof,
  claim: (what: string) => string,
  staticPod: any,
): Promise<void> {
  let data: any;
  await proof.eventually(claim('a YurtStaticSet has its ConfigMap'), async () => {
    const { status, body } = await plane.api.send(
      'GET',
      `/api/v1/namespaces/${NAMESPACE}/configmaps/yurt-static-set-agent`,
    );
    data = body.data;
    return status === 200;
  });
  const made = parse(data?.['edge-agent'] ?? '');
  const container = ({ spec }: any): any => {
    const { name, image, imagePullPolicy, ports } = spec.containers[0];
    return {
      name,
      image,
      imagePullPolicy,
      port: ports[0].hostPort,
      hostNetwork: spec.hostNetwork,
      dns: spec.dnsPolicy,
    };
  };
  proof.same(
    claim('its Pod is the static Pod of the join'),
    [made.metadata.name, made.metadata.namespace, container(made)],
    [staticPod.metadata.name, staticPod.metadata.namespace, container(staticPod)],
  );
  await mirror(plane, 'site-17-1', staticPod);
  const set = `/apis/apps.openyurt.io/v1alpha1/namespaces/${NAMESPACE}/yurtstaticsets/agent`;
  await proof.eventually(claim('the static Pod that a join has made is up to date'), async () => {
    const { status } = await plane.api.must('GET', set);
    return status?.totalNumber === 1 && status.upgradedNumber === 1;
  });
  const merge = { contentType: 'application/merge-patch+json' };
  const change = async (upgradeStrategy: object, image: string): Promise<void> => {
    const { spec } = await plane.api.must('GET', set);
    const containers = [{ ...spec.template.spec.containers[0], image }];
    await plane.api.must('PATCH', set, { spec: { upgradeStrategy, template: { spec: { containers } } } }, merge);
  };
  const pods = async (): Promise<any[]> => (await plane.api.must('GET', `/api/v1/namespaces/${NAMESPACE}/pods`)).items;
  await change({ type: 'OTA', maxUnavailable: null }, 'registry.example/agent:2');
  await proof.eventually(claim('with OTA a changed Pod is told that it needs an upgrade'), async () =>
    (await pods()).some(
      ({ metadata, status }) =>
        metadata.name === 'agent-site-17-1' &&
        (status.conditions ?? []).some(({ type, status: is }: any) => type === 'PodNeedUpgrade' && is === 'True'),
    ),
  );
  await change({ type: 'AdvancedRollingUpdate', maxUnavailable: '10%' }, 'registry.example/agent:3');
  await proof.eventually(claim('with AdvancedRollingUpdate yurt-manager sends a Pod that replaces it'), async () =>
    (await pods()).some(
      ({ metadata, spec }) => metadata.name.startsWith('yss-upgrade-worker-') && spec.nodeName === 'site-17-1',
    ),
  );
}

const RELEASES = ofChosenMinors<YurtManagerRelease>(['1.5', '1.7'], (release) => KUBERNETES_OF[release]);
const planeOf = (release: YurtManagerRelease) => ({
  kubernetes: KUBERNETES_OF[release],
  scheduler: true,
  controllers: CONTROLLERS,
});

export const yurtSets: Group = {
  name: 'yurt-sets',
  claim:
    'YurtAppSet and YurtStaticSet of the constructs are accepted with strict validation by yurt-manager, which makes a Deployment or StatefulSet in each pool with its replicas, images and patches; the real controllers and the scheduler put their Pods where placeFleet says; a static Pod that a join has made is up to date for a YurtStaticSet, and a changed one is replaced',
  programs:
    'yurt-manager 1.5.1 and 1.7.0, kube-apiserver 1.30 and 1.36, kube-scheduler and kube-controller-manager 1.36',
  tools: [...toolsBeside(RELEASES), ...RELEASES.flatMap((release) => toolsOf(planeOf(release)))],
  run: async (proof) => {
    for (const release of RELEASES) {
      await onControlPlane(planeOf(release), proof, (plane) =>
        withYurtManager(plane, release, () => judge(plane, proof, release), {
          values: { controllers: 'nodepool,yurtappset,yurtstaticset' },
        }),
      );
    }
  },
};
