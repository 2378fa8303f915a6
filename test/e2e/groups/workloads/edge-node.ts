import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  EdgeWarnings,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  type KubernetesObject,
  PoolAdmission,
} from 'edge-nodepools';
import { HTTP_SERVER_IMAGE } from '../../harness/container-image.js';
import { type ControlPlane, type ControlPlaneProps, toolsOf } from '../../harness/control-plane.js';
import { EdgeNode } from '../../harness/edge-node.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';

const PLANE: ControlPlaneProps = {
  kubernetes: '1.36',
  scheduler: true,
  controllers: ['daemonset-controller', 'deployment-controller', 'replicaset-controller'],
};

const NODE = 'edge1';
const REGULAR_NODE = 'regular1';
const NAMESPACE = 'edge';
const PORT = 9110;
const NO_NETWORK = 'failed to find network info for sandbox';

function podSpec(): object {
  return {
    containers: [
      {
        name: 'server',
        image: HTTP_SERVER_IMAGE,
        imagePullPolicy: 'Never',
        args: [String(PORT)],
        ports: [{ containerPort: PORT }],
        env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
      },
    ],
    terminationGracePeriodSeconds: 1,
  };
}

function workload(kind: string, name: string): KubernetesObject {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: NAMESPACE },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec() } },
  };
}

/** What a user of the library declares: a pool, a workload on it, and two excluded ones. */
function declare() {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'edge');
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', yurthub: true });
  const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz' });
  const collector = new HostNetworkWorkload(chart, 'collector', { pool, workload: workload('DaemonSet', 'collector') });
  const excluded = (kind: string, name: string) =>
    new ExcludedWorkload(chart, name, { cluster, workload: workload(kind, name) }).manifest;
  return {
    joinLabels: pool.joinLabels,
    collector: collector.manifest as any,
    web: excluded('Deployment', 'web') as any,
    agent: excluded('DaemonSet', 'agent') as any,
    policies: policies(app),
  };
}

/** Only the policy for Pods with nodeName. */
function policies(app: App): any[] {
  const chart = new Chart(app, 'policies');
  const others = ['frozenNodeLabels', 'nodeLabel', 'annotatedPods', 'annotatedTemplates'];
  new PoolAdmission(chart, 'admission', {
    cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' }),
    guarantees: Object.fromEntries(others.map((guarantee) => [guarantee, false])),
  });
  return Testing.synth(chart);
}

/** One run of the group: the cluster, its node, and the checks. */
class EdgeNodeProof {
  private readonly declared = declare();

  constructor(
    private readonly plane: ControlPlane,
    private readonly proof: Proof,
  ) {}

  public async run(): Promise<void> {
    const { plane, proof, declared } = this;
    const begin = Date.now();
    const node = await EdgeNode.start(plane, { name: NODE, labels: declared.joinLabels });
    try {
      proof.note(`containerd and kubelet were Ready after ${Math.round((Date.now() - begin) / 1000)} s`);
      await this.node();
      await plane.apply([this.plainPod(), declared.collector, declared.web, declared.agent]);
      await this.hostNetworkWorkload(node);
      await this.plainPodSticks();
      await this.excludedHasNoPlace();
      await this.kubeletRefuses();
      await this.excludedGoesElsewhere();
      await this.policyLeavesThemToTheScheduler();
    } finally {
      await node.stop();
    }
  }

  private async node(): Promise<void> {
    const { metadata, status } = await this.plane.nodes.get(NODE);
    const { joinLabels } = this.declared;
    this.proof.same(
      'the node registered with the join labels of the pool',
      Object.fromEntries(Object.keys(joinLabels).map((key) => [key, metadata.labels[key]])),
      joinLabels,
    );
    const ready = status.conditions.find(({ type }: any) => type === 'Ready');
    this.proof.that('with only the loopback CNI the node is Ready', ready.status === 'True', ready);
    const { kubeletVersion, containerRuntimeVersion } = status.nodeInfo;
    this.proof.note(`kubelet ${kubeletVersion}, ${containerRuntimeVersion}`);
    this.proof.that(
      'the kubelet is a real 1.36 on a real containerd',
      /^v1\.36\./.test(kubeletVersion as string) && /^containerd:\/\//.test(containerRuntimeVersion as string),
    );
  }

  private async hostNetworkWorkload(node: EdgeNode): Promise<void> {
    await this.proof.eventually(
      'the HostNetworkWorkload is scheduled on the node, runs and is ready',
      async () => {
        const pods = await this.podsOf('collector');
        return pods.length === 1 && pods[0].spec.nodeName === NODE && isReady(pods[0]);
      },
      60,
    );
    const [pod] = await this.podsOf('collector');
    const { nodeName, hostNetwork, containers } = pod?.spec ?? {};
    this.proof.same(
      'it uses the network of the node and its port',
      { nodeName, hostNetwork, hostPort: containers?.[0].ports[0].hostPort, ip: pod?.status.podIP },
      { nodeName: NODE, hostNetwork: true, hostPort: PORT, ip: pod?.status.hostIP },
    );
    let answer: unknown;
    await this.proof.eventually('it answers HTTP on the host port', async () => {
      answer = await node.get(PORT).catch((error: Error) => error.message);
      return typeof answer === 'object';
    });
    this.proof.same('the answer is that of the Pod on this node', answer, { status: 200, body: `this is ${NODE}\n` });
  }

  private plainPod(): any {
    return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'plain', namespace: NAMESPACE }, spec: podSpec() };
  }

  private async plainPodSticks(): Promise<void> {
    const failures = async (): Promise<any[]> => {
      const fieldSelector = 'involvedObject.name=plain,reason=FailedCreatePodSandBox';
      const path = `/api/v1/namespaces/${NAMESPACE}/events`;
      return (await this.plane.api.must('GET', path, undefined, { query: { fieldSelector } })).items;
    };
    await this.proof.eventually(
      'the kubelet retries a Pod without hostNetwork',
      async () => (await failures()).reduce((sum, { count }) => sum + (count as number), 0) >= 2,
      90,
    );
    const messages = (await failures()).map(({ message }) => message as string);
    this.proof.that(
      `and says each time: ${NO_NETWORK}`,
      messages.length > 0 && messages.every((message) => message.includes(NO_NETWORK)),
      messages,
    );
    const { spec, status } = await this.pod('plain');
    this.proof.same(
      'without exclusion the scheduler has bound it to the node, and it stays in ContainerCreating',
      { node: spec.nodeName, phase: status.phase, waiting: status.containerStatuses?.[0].state.waiting?.reason },
      { node: NODE, phase: 'Pending', waiting: 'ContainerCreating' },
    );
  }

  private async excludedHasNoPlace(): Promise<void> {
    await this.proof.eventually('an ExcludedWorkload without another node is unschedulable', async () => {
      const [pod] = await this.podsOf('web');
      const scheduled = (pod?.status.conditions ?? []).find(({ type }: any) => type === 'PodScheduled');
      return scheduled?.status === 'False' && scheduled.reason === 'Unschedulable';
    });
    await this.proof.eventually('an excluded DaemonSet has no desired Pod', async () => {
      const { metadata, status } = await this.plane.api.must('GET', await this.plane.api.pathOf(this.declared.agent));
      return status.observedGeneration === metadata.generation && status.desiredNumberScheduled === 0;
    });
    this.proof.same('and has none', await this.podsOf('agent'), []);
  }

  /** A Pod with nodeName bypasses the scheduler. */
  private async kubeletRefuses(): Promise<void> {
    const { spec } = this.declared.web.spec.template;
    await this.plane.apply([
      { ...this.plainPod(), metadata: { name: 'forced', namespace: NAMESPACE }, spec: { ...spec, nodeName: NODE } },
    ]);
    await this.proof.eventually('an excluded Pod with nodeName is rejected by the kubelet', async () => {
      const { status } = await this.pod('forced');
      return status.phase === 'Failed' && status.reason === 'NodeAffinity';
    });
  }

  private async excludedGoesElsewhere(): Promise<void> {
    await this.plane.nodes.fake(REGULAR_NODE);
    for (const name of ['web', 'agent']) {
      await this.proof.eventually(
        `the excluded ${name} is scheduled to a regular node as soon as there is one`,
        async () => {
          const pods = await this.podsOf(name);
          return pods.length === 1 && pods[0].spec.nodeName === REGULAR_NODE;
        },
        60,
      );
    }
    const arrived = (await this.pods()).filter(({ spec }) => spec.nodeName === NODE).map(({ metadata }) => metadata);
    this.proof.same(
      'on the edge node are only the HostNetworkWorkload, the plain Pod and the forced one',
      arrived.map(({ name, labels }) => labels?.app ?? name).sort(),
      ['collector', 'forced', 'plain'],
    );
    this.proof.same('the HostNetworkWorkload stays on its pool', (await this.podsOf('collector')).length, 1);
  }

  /** With the policy, Pods with nodeName are left to the scheduler: none is rejected and replaced without end, and a regular node still gets its own. */
  private async policyLeavesThemToTheScheduler(): Promise<void> {
    await this.plane.apply(this.declared.policies);
    const named = { ...this.plainPod(), spec: { ...podSpec(), nodeName: NODE } };
    const path = `/api/v1/namespaces/${NAMESPACE}/pods`;
    const body = { ...named, metadata: { name: 'named', namespace: NAMESPACE } };
    await this.proof.eventually('the policy for Pods with nodeName is in effect', async () => {
      // the check can be in effect a moment earlier, and then it is refused
      const made = await this.plane.api.send('POST', path, body, { query: { dryRun: 'All' } });
      return made.body.spec?.affinity !== undefined;
    });
    const pinned = (name: string, nodeName: string): any => {
      const deployment = workload('Deployment', name) as any;
      return {
        ...deployment,
        spec: { ...deployment.spec, template: { ...deployment.spec.template, spec: { ...podSpec(), nodeName } } },
      };
    };
    await this.plane.apply([pinned('storm', NODE), pinned('calm', REGULAR_NODE)]);
    await this.proof.eventually('a Deployment that names a regular node gets its Pod there', async () => {
      const pods = await this.podsOf('calm');
      return pods.length === 1 && pods[0].spec.nodeName === REGULAR_NODE;
    });
    await this.proof.eventually('the Pod of a Deployment that names the edge node is unschedulable', async () =>
      (await this.podsOf('storm')).some(({ status }) =>
        (status.conditions ?? []).some(({ reason }: any) => reason === 'Unschedulable'),
      ),
    );
    await new Promise((done) => setTimeout(done, 5000));
    const phases = (await this.podsOf('storm')).map(({ status }) => status.phase as string);
    this.proof.same('it stays one Pending Pod, and no Pod is rejected and replaced', phases, ['Pending']);
  }

  private async pods(): Promise<any[]> {
    return (await this.plane.api.must('GET', `/api/v1/namespaces/${NAMESPACE}/pods`)).items;
  }

  private async podsOf(name: string): Promise<any[]> {
    return (await this.pods()).filter(({ metadata }) => metadata.labels?.app === name);
  }

  private pod(name: string): Promise<any> {
    return this.plane.api.must('GET', `/api/v1/namespaces/${NAMESPACE}/pods/${name}`);
  }
}

function isReady(pod: any): boolean {
  return (pod.status.conditions ?? []).some(({ type, status }: any) => type === 'Ready' && status === 'True');
}

export const edgeNode: Group = {
  name: 'edge-node',
  claim:
    'a real node with only the loopback CNI becomes Ready; a HostNetworkWorkload runs on it and answers HTTP; a Pod without hostNetwork stays in ContainerCreating; an ExcludedWorkload is never scheduled to it, and the kubelet rejects a Pod with the affinity that names the node',
  programs: 'kubelet, kube-apiserver, kube-scheduler and kube-controller-manager 1.36, containerd, runc',
  tools: [...toolsOf(PLANE), ...EdgeNode.TOOLS],
  needs: ['linux', 'root', 'containerd', 'runc', 'cni-plugins', 'iproute2', 'namespaces'],
  run: async (proof) => {
    await onControlPlane(PLANE, proof, async (plane) => {
      await new EdgeNodeProof(plane, proof).run();
    });
  },
};
