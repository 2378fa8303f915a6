import { App, Chart, Testing } from 'cdk8s';
import {
  BootstrapToken,
  EdgeCluster,
  EdgeSystemComponents,
  EdgeWarnings,
  HostNetworkNodePool,
  HostNetworkWorkload,
  JoinToken,
  NodeJoin,
  NodeReservation,
  SystemComponent,
} from 'edge-nodepools';
import type { CloudMachine } from '../../harness/cloud-machine.js';
import { HTTP_SERVER_IMAGE } from '../../harness/container-image.js';
import type { Group, Proof } from '../../harness/group.js';
import { JoinSite } from '../../harness/join-site.js';
import { openYurtCrds } from '../../harness/openyurt.js';
import { isReady } from '../join/proof.js';
import { startedByBoot, YURTHUB, Yurthub, yurthubObjects } from '../../harness/yurthub.js';

const POOL = 'site-17';
const NODE = 'edge1';
const TOKEN_FILE = '/var/lib/edge/join-token';
/** Until the HTTP servers answer, from the start of kubelet. */
const SECONDS = 15;

const DROP_IN = '/etc/systemd/system/kubelet.service.d/20-yurthub.conf';

/** The port of each ordinary Pod, and what its Pod template has. */
const PODS = {
  plain: { port: 9110, spec: { automountServiceAccountToken: false } },
  configured: { port: 9111, spec: { automountServiceAccountToken: false } },
  token: { port: 9112, spec: {} },
} as const;
type Name = keyof typeof PODS;

function daemonSet(name: Name): any {
  const { port, spec } = PODS[name];
  const isConfigured = name === 'configured';
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          ...spec,
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              name: 'server',
              image: HTTP_SERVER_IMAGE,
              imagePullPolicy: 'Never',
              args: [String(port)],
              ports: [{ containerPort: port }],
              env: isConfigured
                ? [{ name: 'NODE_NAME', valueFrom: { configMapKeyRef: { name: 'settings', key: 'name' } } }]
                : [{ name: 'NODE_NAME', value: name }],
              ...(isConfigured ? { volumeMounts: [{ name: 'settings', mountPath: '/etc/settings' }] } : {}),
            },
          ],
          ...(isConfigured ? { volumes: [{ name: 'settings', configMap: { name: 'settings' } }] } : {}),
        },
      },
    },
  };
}

/** What a user declares. */
function declare(caCertHash: string, tokenText: string) {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'site');
  const cluster = EdgeCluster.of({
    openYurt: '1.7',
    kubernetes: '1.36',
    yurthub: true,
    apiServer: '192.0.2.10:6443',
    caCertHashes: [caCertHash],
  });
  // a nearly full disk is irrelevant here
  const evictionHard = { 'memory.available': '1Mi', 'nodefs.available': '1Mi', 'imagefs.available': '1Mi' };
  const reservation = NodeReservation.of({ evictionHard });
  const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: POOL, reservation });
  Object.keys(PODS).forEach((name) => {
    new HostNetworkWorkload(chart, name, { pool, workload: daemonSet(name as Name) });
  });
  const expiration = `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z`;
  const tokens = new Chart(app, 'tokens');
  new BootstrapToken(tokens, 'token', { token: JoinToken.inline(tokenText), expiration });
  const rest = new Chart(app, 'rest');
  const { report } = new EdgeSystemComponents(rest, 'system', {
    cluster,
    exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS],
  });
  const { script } = new NodeJoin(rest, 'join', {
    pool,
    token: JoinToken.fromFile(TOKEN_FILE),
    // yurthub is installed by this test in the place of node-servant
    via: 'kubeadm',
    attempts: 1,
    kubeletConfiguration: { featureGates: { WatchListClient: false } },
  });
  const [token] = Testing.synth(tokens) as object[];
  return {
    manifests: Testing.synth(chart),
    token: token as object,
    script,
    commands: report.map((each) => each.command),
  };
}

class YurthubProof {
  constructor(
    private readonly site: JoinSite,
    private readonly proof: Proof,
  ) {}

  public async run(): Promise<void> {
    const { site, proof } = this;
    const { plane } = site;
    const tokenText = await plane.newTokenText();
    const declared = declare(plane.caCertHash, tokenText);
    await plane.makeKnown(declared.token, tokenText.slice(0, 6));
    for (const command of declared.commands) {
      await plane.sh(command ?? 'false');
    }
    for (const object of [...openYurtCrds('1.7', true), ...yurthubObjects()]) {
      await plane.apply(object);
    }
    await plane.must(['wait', '--for=condition=Established', 'crd/nodepools.apps.openyurt.io', '--timeout=60s']);
    await plane.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: 'default' },
      data: { name: 'configured' },
    });
    for (const object of declared.manifests) {
      await plane.apply(object);
    }
    const machine = await site.newMachine(NODE);
    await machine.room.write(TOKEN_FILE, tokenText, '0600');
    await machine.room.write('/run/join.sh', declared.script);
    const joined = await machine.sh('sh /run/join.sh');
    proof.that('the machine joins', joined.status === 0, joined);
    await this.unitsOfBoot(machine);
    const yurthub = new Yurthub(site, machine, POOL);
    yurthub.start();
    await yurthub.ready();
    await yurthub.redirectKubelet();
    await this.answer('behind yurthub, each ordinary Pod answers', 90);
    await this.cached(machine);
    const before = await this.pods();
    await this.reboots(machine, yurthub);
    await this.answer(
      `behind yurthub, without an API server, they answer within ${SECONDS} s of kubelet's start`,
      SECONDS,
    );
    proof.same('yurthub has made up the tokens of service accounts', await this.issuers(machine), ['openyurt']);
    await plane.startApiServer();
    await this.isBack('with the API server again');
    proof.same('they are the Pods of before', await this.pods(), before);
    await proof.eventually(
      'and in two minutes they have tokens of the API server',
      async () => !(await this.issuers(machine)).includes('openyurt'),
      120,
    );
    await this.withInitialEvents(machine, yurthub);
  }

  /** What a real systemd starts on this machine when it boots. */
  private started: readonly string[] = [];

  /** With the drop-in of the join, and as it is without: OpenYurt enables a unit that has no [Install]. */
  private async unitsOfBoot(machine: CloudMachine): Promise<void> {
    const { proof } = this;
    const dropIns = { [DROP_IN]: await machine.room.must('cat', [DROP_IN]) };
    this.started = await startedByBoot(dropIns);
    proof.same('a boot of systemd starts yurthub, and then kubelet', this.started, ['yurthub', 'kubelet']);
    proof.same('without the drop-in of the join it starts kubelet alone', await startedByBoot({}), ['kubelet']);
    proof.same('before OpenYurt has converted the node, too', await startedByBoot(dropIns, ['kubelet']), ['kubelet']);
  }

  /** The power fails while there is no API server, and the machine boots. */
  private async reboots(machine: CloudMachine, yurthub: Yurthub): Promise<void> {
    await this.site.plane.killApiServer();
    await machine.powerCut();
    this.proof.same('after a power cut, without an API server, nothing answers', await this.answering(), []);
    await machine.startContainerd();
    for (const unit of this.started) {
      if (unit === 'yurthub') yurthub.start();
      else await machine.room.must('systemctl', ['start', unit]);
    }
  }

  /** As kubelet is from 1.35 on without the feature gate of the join. */
  private async withInitialEvents(machine: CloudMachine, yurthub: Yurthub): Promise<void> {
    const { proof } = this;
    await machine.sh(
      "sed -i 's/WatchListClient: false/WatchListClient: true/' /var/lib/kubelet/config.yaml; systemctl restart kubelet",
    );
    await this.isBack('with the default of the feature gate WatchListClient');
    await this.cached(machine);
    await this.reboots(machine, yurthub);
    await new Promise((done) => setTimeout(done, 2 * SECONDS * 1000));
    proof.same('without WatchListClient=false no ordinary Pod comes back', await this.answering(), []);
    await this.site.plane.startApiServer();
    await this.isBack('when the API server is back');
  }

  private async isBack(when: string): Promise<void> {
    await this.answer(`${when}, the ordinary Pods answer`, 90);
    await this.proof.eventually(
      `${when}, the Node is Ready`,
      async () => isReady(await this.site.plane.get('node', NODE)),
      90,
    );
  }

  /** The names and uids of the Pods of this test. */
  private async pods(): Promise<string[]> {
    const { items } = await this.site.plane.get('pods', '--namespace=default');
    return items.map(({ metadata }: any) => `${metadata.name} ${metadata.uid}`).sort();
  }

  /** Who has issued the tokens that Pods of the node have. */
  private async issuers(machine: CloudMachine): Promise<string[]> {
    const { stdout } = await machine.sh(
      'for each in /var/lib/kubelet/pods/*/volumes/kubernetes.io~projected/*/token; do cat "$each"; echo; done',
    );
    const tokens = stdout.split('\n').filter((line) => line !== '');
    const claims = tokens.map((token) => Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return [...new Set(claims.map((text) => (JSON.parse(text) as { iss: string }).iss))];
  }

  private async answering(): Promise<Name[]> {
    const answers = await Promise.all(
      (Object.keys(PODS) as Name[]).map(async (name) => {
        const answer = await this.site.machine.get(PODS[name].port).catch(() => undefined);
        return answer?.body === `this is ${name}\n` ? [name] : [];
      }),
    );
    return answers.flat();
  }

  private async answer(claim: string, seconds: number, names = Object.keys(PODS)): Promise<void> {
    await this.proof.eventually(
      claim,
      async () => {
        const now = await this.answering();
        return names.every((name) => now.includes(name as Name));
      },
      seconds,
    );
  }

  /** Until yurthub has stored what kubelet has read. */
  private async cached(machine: CloudMachine): Promise<void> {
    await this.proof.eventually(
      'yurthub stores the Pods and the ConfigMaps that they mount',
      async () =>
        (
          await machine.sh(
            'cd /etc/kubernetes/cache/kubelet && ls pods.v1.core/default configmaps.v1.core/default | grep -c -E "^(plain|configured|token|settings|kube-root-ca.crt)"',
          )
        ).stdout === '5\n',
      150,
    );
  }
}

export const rebootYurthub: Group = {
  name: 'reboot-yurthub',
  claim:
    'on a node with yurthub 1.7 a boot of the real systemd starts yurthub and then kubelet, by the drop-in of the join, and without it kubelet alone; after a power cut without an API server ordinary Pods of DaemonSets answer HTTP within 15 s of the start of kubelet, also with a ConfigMap and with the token of a service account, which yurthub makes up until the API server is back; they are the same Pods then; a kubelet of 1.35 and later needs the feature gate WatchListClient=false for that: without it no Pod comes back',
  programs:
    'yurthub 1.7.0; kubeadm, kubelet and control plane 1.36, containerd, runc; systemd of this machine, which says what a boot starts',
  tools: [...JoinSite.TOOLS, YURTHUB],
  needs: [...JoinSite.NEEDS, 'openssl', 'systemd'],
  run: async (proof) => {
    const site = await JoinSite.open();
    const before = proof.failures.length;
    let ended = false;
    try {
      await new YurthubProof(site, proof).run();
      ended = true;
    } finally {
      const failed = !ended || proof.failures.length > before;
      await site.close({ keepLogs: failed });
      if (failed) {
        proof.note(`logs are kept in ${site.logs}`);
      }
    }
  },
};
