import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, HostNetworkNodePool, JoinToken, NodeJoin, PoolAdmission } from 'edge-nodepools';
import { HTTP_SERVER_IMAGE } from '../../harness/container-image.js';
import { type ControlPlane, type ControlPlaneProps, toolsOf } from '../../harness/control-plane.js';
import { EdgeNode } from '../../harness/edge-node.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';

const PLANE: ControlPlaneProps = { kubernetes: '1.36', scheduler: true, controllers: ['daemonset-controller'] };
const NODE = 'edge1';
const NAMESPACE = 'edge';
const PORT = 9110;
/** Until the HTTP server answers, from the start of kubelet. */
const SECONDS = 15;

/** An agent as its author wrote it: a DaemonSet. */
const agent = (answers: string): any => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: NAMESPACE },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: {
      metadata: { labels: { app: 'agent' } },
      spec: {
        containers: [
          {
            name: 'server',
            image: HTTP_SERVER_IMAGE,
            args: [String(PORT)],
            ports: [{ containerPort: PORT }],
            env: [{ name: 'NODE_NAME', value: answers }],
          },
        ],
        terminationGracePeriodSeconds: 1,
      },
    },
  },
});

/** The join of a pool with the agent as a static Pod, and every policy of Pods that a cluster can have. */
function declare(answers: string) {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'edge');
  const cluster = EdgeCluster.of({
    openYurt: 'none',
    kubernetes: '1.36',
    apiServer: '192.0.2.1:6443',
    caCertHashes: [`sha256:${'ab'.repeat(32)}`],
  });
  const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'site-17' });
  const join = new NodeJoin(chart, 'join', {
    pool,
    token: JoinToken.fromFile('/var/lib/edge/join-token'),
    staticPods: [agent(answers)],
  });
  const others = ['strict', 'namespaceGate', 'hostNetworkToleration', 'refusePresetNodeName'];
  const policies = new Chart(app, 'policies');
  new PoolAdmission(policies, 'admission', {
    cluster,
    guarantees: Object.fromEntries(others.map((guarantee) => [guarantee, true])),
  });
  const manifest = join.files.find(({ path }) => path.startsWith('/etc/kubernetes/manifests/'));
  return {
    file: manifest?.path.split('/').at(-1) ?? '',
    text: manifest?.content ?? '',
    labels: pool.joinLabels,
    policies: Testing.synth(policies),
  };
}

class RebootProof {
  constructor(
    private readonly plane: ControlPlane,
    private readonly proof: Proof,
  ) {}

  public async run(): Promise<void> {
    const { plane, proof } = this;
    const { file, text, labels, policies } = declare('first');
    await plane.ensureNamespace(NAMESPACE);
    await plane.apply(policies);
    const node = await EdgeNode.start(plane, { name: NODE, labels, staticPods: { [file]: text } });
    try {
      await this.mirror(text);
      await this.answers(node, 'the static Pod of the join answers', 'first', 60);
      await this.ordinary(node);
      await plane.stopApiServer('SIGKILL');
      await node.powerCut();
      const down = await node.get(PORT).catch(() => undefined);
      proof.same('after a power cut nothing answers', down, undefined);
      const begin = await node.boot();
      await this.answers(
        node,
        `without an API server it answers within ${SECONDS} s of kubelet's start`,
        'first',
        SECONDS,
      );
      proof.note(`it answered ${((Date.now() - begin) / 1000).toFixed(1)} s after kubelet's start`);
      const ordinary = await node.get(PORT + 1).catch(() => undefined);
      proof.same('an ordinary Pod of the same node is not there', ordinary, undefined);
      await this.changes(node, file);
    } finally {
      await node.stop();
    }
  }

  /** The Pod that the API server shows, which every policy has seen. */
  private async mirror(text: string): Promise<void> {
    let pod: any;
    await this.proof.eventually(
      'with every policy of Pods, kubelet creates the mirror Pod',
      async () => {
        const path = `/api/v1/namespaces/${NAMESPACE}/pods/agent-${NODE}`;
        const { status, body } = await this.plane.api.send('GET', path);
        pod = body;
        return status === 200;
      },
      60,
    );
    const [, hash] = /static-pod: "?([0-9a-f]{10})/.exec(text) ?? [];
    this.proof.same(
      'it has the hash of its file, the network of the node and no affinity',
      {
        hash: pod?.metadata?.annotations?.['edge-nodepools/static-pod'],
        hostNetwork: pod?.spec?.hostNetwork,
        affinity: pod?.spec?.affinity,
        node: pod?.spec?.nodeName,
      },
      { hash, hostNetwork: true, affinity: undefined, node: NODE },
    );
  }

  /** A DaemonSet Pod beside it, which a reboot without an API server does not bring back. */
  private async ordinary(node: EdgeNode): Promise<void> {
    const other = agent('ordinary');
    other.metadata.name = 'other';
    other.spec.selector.matchLabels.app = 'other';
    other.spec.template.metadata.labels.app = 'other';
    Object.assign(other.spec.template.spec, {
      hostNetwork: true,
      tolerations: [{ operator: 'Exists' }],
      containers: [
        { ...other.spec.template.spec.containers[0], args: [String(PORT + 1)], ports: [], imagePullPolicy: 'Never' },
      ],
    });
    // the gate of namespaces keeps it off otherwise
    await this.plane.api.must(
      'PATCH',
      `/api/v1/namespaces/${NAMESPACE}`,
      { metadata: { labels: { 'nodepool.openyurt.io/hostnetwork-pods': 'true' } } },
      { contentType: 'application/merge-patch+json' },
    );
    await this.plane.apply([other]);
    await this.answers(node, 'an ordinary Pod runs beside it', 'ordinary', 60, PORT + 1);
  }

  /** Until kubelet has seen the API server once, it ends no Pod whose file has changed or is gone (pkg/kubelet/kubelet.go deletePod). */
  private async changes(node: EdgeNode, file: string): Promise<void> {
    const path = join(node.manifests, file);
    writeFileSync(join(node.manifests, `.${file}`), readFileSync(path, 'utf8').replaceAll('first', 'second'));
    renameSync(join(node.manifests, `.${file}`), path);
    await new Promise((done) => setTimeout(done, 10_000));
    await this.answers(node, 'while kubelet has not seen the API server, a changed file changes nothing', 'first', 1);
    await this.plane.restartApiServer();
    await this.answers(node, 'when the API server is back, the Pod is that of the changed file', 'second', 120);
    await this.plane.stopApiServer('SIGKILL');
    rmSync(path);
    await this.proof.eventually(
      'a kubelet that has seen it ends a Pod without a file, also while it is unreachable again',
      async () => (await node.get(PORT).catch(() => undefined)) === undefined,
      60,
    );
  }

  private async answers(node: EdgeNode, claim: string, who: string, seconds: number, port = PORT): Promise<void> {
    let answer: unknown;
    await this.proof.eventually(
      claim,
      async () => {
        answer = await node.get(port).catch((error: Error) => error.message);
        return JSON.stringify(answer).includes(`this is ${who}`);
      },
      seconds,
    );
  }
}

export const reboot: Group = {
  name: 'reboot',
  claim:
    'after a power cut without an API server, a workload that is a static Pod of its join answers HTTP within 15 s of the start of kubelet; an ordinary Pod does not come back (behind yurthub: `reboot-yurthub`); the mirror Pod passes every policy; a changed file counts when kubelet has seen the API server again',
  programs: 'kubelet, kube-apiserver, kube-scheduler and kube-controller-manager 1.36, containerd, runc',
  tools: [...toolsOf(PLANE), ...EdgeNode.TOOLS],
  needs: ['linux', 'root', 'containerd', 'runc', 'cni-plugins', 'iproute2', 'namespaces'],
  run: async (proof) => {
    await onControlPlane(PLANE, proof, async (plane) => {
      await new RebootProof(plane, proof).run();
    });
  },
};
