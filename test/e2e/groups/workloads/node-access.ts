import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, HostNetworkNodePool, NodeAccess } from 'edge-nodepools';
import { parse } from 'yaml';
import { HTTP_SERVER_IMAGE } from '../../harness/container-image.js';
import { type ControlPlane, toolsOf } from '../../harness/control-plane.js';
import { EdgeNode } from '../../harness/edge-node.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { freePorts, Program } from '../../harness/program.js';
import { kubernetesTool, pathOf, type Tool } from '../../harness/tool.js';

const RELAY = resolve(__dirname, '../../harness/relay.mjs');
const MODULE = 'sigs.k8s.io/apiserver-network-proxy';
const SERVER: Tool = { name: 'proxy-server', module: 'konnectivity-0.36', package: `${MODULE}/cmd/server` };
const AGENT: Tool = { name: 'proxy-agent', module: 'konnectivity-0.36', package: `${MODULE}/cmd/agent` };
const KUBECTL = kubernetesTool('kubectl', '1.36');

const PLANE = { kubernetes: '1.36' } as const;
const SITES = ['edge-a', 'edge-b'] as const;
type SiteName = (typeof SITES)[number];
const HOST = 'control.example';
/** How long the link is cut, in seconds. After a minute both ends have given the connection up, not only waited. */
const CUT = Number(process.env.EDGE_NODEPOOLS_LINK_CUT ?? 5);

export const nodeAccess: Group = {
  name: 'node-access',
  claim:
    'kubectl logs, exec and port-forward reach the right one of two nodes that have the same address and no way in, through the agents and the server of NodeAccess with their flags; a cut link and a killed server heal; an agent that claims the name of the other node serves nothing of it',
  programs: 'kube-apiserver, kubectl and kubelet 1.36, proxy-server and proxy-agent 0.36, containerd, runc',
  tools: [...toolsOf(PLANE), ...EdgeNode.TOOLS, SERVER, AGENT],
  needs: ['linux', 'root', 'containerd', 'runc', 'cni-plugins', 'iproute2', 'namespaces', 'openssl'],
  run: (proof) =>
    onControlPlane(PLANE, proof, async (plane) => {
      const access = new Access(plane, proof);
      try {
        await access.run();
      } finally {
        await access.stop();
      }
    }),
};

/** What a user declares. */
function declared(port: number) {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'access');
  const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });
  const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'shops' });
  const access = new NodeAccess(chart, 'access', {
    cluster,
    pools: [pool],
    via: 'konnectivity',
    konnectivity: { server: `${HOST}:${port}` },
  });
  const file = (name: string): string =>
    access.artifacts.find(({ path }) => path === `access/apply/${name}`)?.content ?? '';
  return { objects: Testing.synth(chart), flags: access.apiServerFlags, file };
}

/** A node in a network of its own, without a way in; its way out is a relay of this machine. */
interface Site {
  readonly node: EdgeNode;
  readonly link: Program;
}

class Access {
  private readonly folder: string;
  private readonly logs: string;
  private readonly sites = new Map<SiteName, Site>();
  private server?: Program;
  private ports: readonly number[] = [];

  constructor(
    private readonly plane: ControlPlane,
    private readonly proof: Proof,
  ) {
    // a path of a socket is short
    this.folder = mkdtempSync(join(tmpdir(), 'enp-'));
    this.logs = join(plane.folder, 'logs');
  }

  public async stop(): Promise<void> {
    await this.server?.stop('SIGKILL');
    await Promise.all([...this.sites.values()].map(({ link }) => link.stop('SIGKILL')));
    await Promise.all([...this.sites.values()].map(({ node }) => node.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  public async run(): Promise<void> {
    const { plane, proof } = this;
    this.ports = await freePorts(3);
    const wanted = declared(this.ports[0] ?? 0);
    this.makeCertificates(wanted.file('certificate.ext'));
    await plane.apply(wanted.objects);
    this.startServer(wanted.file('konnectivity-server.manifest'));
    for (const name of SITES) {
      await this.startSite(name, wanted.objects);
    }
    proof.that('before, the API server reaches no node', this.kubectl('logs', 'edge-a').status !== 0);
    writeFileSync(join(this.folder, 'egress.yaml'), this.local(wanted.file('egress-selector-configuration.yaml')));
    const flags = Object.entries({
      ...wanted.flags,
      'egress-selector-config-file': join(this.folder, 'egress.yaml'),
      'kubelet-certificate-authority': join(this.folder, 'ca.crt'),
      'kubelet-client-certificate': join(this.folder, 'client.crt'),
      'kubelet-client-key': join(this.folder, 'client.key'),
    });
    // the harness sets this one itself
    const args = flags.filter(([name]) => name !== 'enable-aggregator-routing').map((flag) => `--${flag.join('=')}`);
    await plane.restartApiServerWith({ apiServerFlags: args });
    await this.reachesBoth('with the flags of NodeAccess');
    await this.sameAddress();
    await this.forwardsPorts();
    await this.healsALink();
    await this.healsAServer(wanted.file('konnectivity-server.manifest'));
    await this.servesNothingOfOthers(wanted.objects);
  }

  /** A CA, and what it signs: the server, the kubelets by their names, and the client of the API server. */
  private makeCertificates(ofServer: string): void {
    const openssl = (...args: string[]): void => {
      const { status, stderr } = spawnSync('openssl', args, { cwd: this.folder, encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
    };
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=ca', '-days', '2');
    const names: Readonly<Record<string, string>> = {
      server: ofServer,
      client: 'extendedKeyUsage=clientAuth\n',
      ...Object.fromEntries(SITES.map((name) => [name, `subjectAltName=DNS:${name}\nextendedKeyUsage=serverAuth\n`])),
    };
    for (const [name, extensions] of Object.entries(names)) {
      writeFileSync(join(this.folder, `${name}.ext`), extensions);
      openssl('req', '-new', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
      const by = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2'];
      openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-extfile', `${name}.ext`, '-out', `${name}.crt`);
    }
  }

  /** A text of NodeAccess with paths and ports of this test. */
  private local(text: string): string {
    const [agents, admin, health] = this.ports;
    return text
      .replaceAll('/etc/kubernetes/konnectivity', this.folder)
      .replaceAll('/run/konnectivity-server', this.folder)
      .replace('--agent-port=8132', `--agent-port=${agents}`)
      .replace('--admin-port=8133', `--admin-port=${admin}`)
      .replace('--health-port=8134', `--health-port=${health}`);
  }

  /** The server, with the flags of its static Pod, as the user that NodeAccess gives a right. */
  private startServer(manifest: string): void {
    const config = JSON.parse(readFileSync(this.plane.kubeconfig, 'utf8'));
    config.users.forEach((entry: any) => (entry.user.as = 'system:konnectivity-server'));
    writeFileSync(join(this.folder, 'kubeconfig'), JSON.stringify(config), { mode: 0o600 });
    const { args } = parse(this.local(manifest)).spec.containers[0];
    this.server = new Program({
      name: 'proxy-server',
      command: pathOf(SERVER),
      args: [...args, '--agent-bind-address=127.0.0.1'],
      logs: this.logs,
    });
  }

  private async startSite(name: SiteName, objects: readonly any[]): Promise<void> {
    const file = (suffix: string): string => join(this.folder, `${name}.${suffix}`);
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        hostNetwork: true,
        containers: [
          {
            name: 'web',
            image: HTTP_SERVER_IMAGE,
            imagePullPolicy: 'Never',
            args: ['9110'],
            env: [{ name: 'NODE_NAME', value: name }],
          },
        ],
      },
    };
    const node = await EdgeNode.start(this.plane, {
      name,
      labels: { 'apps.openyurt.io/nodepool': 'shops' },
      staticPods: { 'web.yaml': JSON.stringify(pod) },
      kubelet: {
        tlsCertFile: file('crt'),
        tlsPrivateKeyFile: file('key'),
        authentication: {
          anonymous: { enabled: false },
          webhook: { enabled: false },
          x509: { clientCAFile: join(this.folder, 'ca.crt') },
        },
      },
    });
    const port = String(this.ports[0]);
    const link = new Program({
      name: `link-${name}`,
      command: process.execPath,
      args: [RELAY, file('sock'), port],
      logs: this.logs,
    });
    node.machine.start('way-out', process.execPath, [RELAY, port, file('sock')]);
    // each node resolves its own name, and the one of the control plane
    const hosts = `cat /etc/hosts >/run/hosts; echo "127.0.0.1 ${name} ${HOST}" >>/run/hosts; mount -n --bind /run/hosts /etc/hosts`;
    await node.machine.run('sh', [
      '-ec',
      `${hosts}; mkdir -p /var/run/konnectivity; cp ${this.folder}/ca.crt /var/run/konnectivity`,
    ]);
    this.sites.set(name, { node, link });
    await this.startAgent(node, name, objects);
  }

  /** Starts the agent of a node with the arguments of its DaemonSet; `of` is the name that it claims. */
  private async startAgent(node: EdgeNode, of: SiteName, objects: readonly any[]): Promise<void> {
    const find = (name: string): any =>
      objects.find(({ kind, metadata }) => kind === 'DaemonSet' && metadata.name === name);
    const args: string[] = find('konnectivity-agent').spec.template.spec.containers[0].args;
    const audience = '--audience=system:konnectivity-server';
    const token = this.plane.kubectl(['create', 'token', 'konnectivity-agent', '-n', 'kube-system', audience]).stdout;
    const file = join(this.folder, 'token');
    writeFileSync(file, token.trim());
    await node.machine.run('cp', [file, '/var/run/konnectivity/token']);
    const given = args.map((arg) => arg.replaceAll('$(NODE_NAME)', of));
    const line = 'echo $$ >/run/agent.pid; exec "$@"';
    node.machine.start(`agent-of-${of}`, 'sh', ['-c', line, 'sh', pathOf(AGENT), ...given]);
  }

  /** Ends the agent of a node, by its id there. */
  private async endAgent({ machine }: EdgeNode): Promise<void> {
    await machine.run('sh', ['-ec', 'kill -KILL "$(cat /run/agent.pid)"']);
  }

  private kubectl(verb: 'logs' | 'exec', name: SiteName): { readonly status: number; readonly said: string } {
    const more = verb === 'exec' ? ['--', '/http-server', 'say'] : [];
    const args = ['--request-timeout=10s', verb, `web-${name}`, ...more];
    const { status, stdout, stderr } = this.plane.kubectl(args);
    return { status, said: `${stdout}${stderr}`.trim() };
  }

  private async reachesBoth(when: string): Promise<void> {
    for (const name of SITES) {
      const answers = (): Promise<boolean> => Promise.resolve(this.kubectl('logs', name).said === `this is ${name}`);
      await this.proof.eventually(`${when}, kubectl logs of ${name} is its log`, answers, 90);
      this.proof.same(`${when}, kubectl exec runs on ${name}`, this.kubectl('exec', name).said, `this is ${name}`);
    }
  }

  private async sameAddress(): Promise<void> {
    const { items } = await this.plane.api.must('GET', '/api/v1/nodes');
    const addresses = items.map(
      ({ status }: any) => status.addresses.find(({ type }: any) => type === 'InternalIP').address,
    );
    this.proof.same('both nodes have one address', [items.length, new Set(addresses).size], [2, 1]);
  }

  private async forwardsPorts(): Promise<void> {
    for (const name of SITES) {
      const phase = ['get', 'pod', `web-${name}`, '--output=jsonpath={.status.phase}'];
      const runs = (): Promise<boolean> => Promise.resolve(this.plane.kubectl(phase).stdout === 'Running');
      await this.proof.eventually(`the Pod of ${name} runs`, runs, 60);
      const [port] = (await freePorts(1)) as [number];
      const forward = new Program({
        name: `port-forward-${name}`,
        command: pathOf(KUBECTL),
        args: [`--kubeconfig=${this.plane.kubeconfig}`, 'port-forward', `web-${name}`, `${port}:9110`],
        logs: this.logs,
      });
      const answers = async (): Promise<boolean> => {
        const answer = await fetch(`http://127.0.0.1:${port}`).catch(() => undefined);
        return (await answer?.text())?.trim() === `this is ${name}`;
      };
      await this.proof.eventually(`kubectl port-forward reaches ${name}`, answers);
      await forward.stop();
    }
  }

  private siteOf(name: SiteName): Site {
    return this.sites.get(name) as Site;
  }

  /** A relay that stands still is a link on which nothing arrives: no end of a connection hears of it. */
  private async healsALink(): Promise<void> {
    const { link } = this.siteOf('edge-a');
    process.kill(link.pid as number, 'SIGSTOP');
    this.proof.same(
      'while a link is cut, the other site answers',
      this.kubectl('logs', 'edge-b').said,
      'this is edge-b',
    );
    this.proof.that('and this one does not', this.kubectl('logs', 'edge-a').status !== 0);
    await new Promise((done) => setTimeout(done, CUT * 1000));
    process.kill(link.pid as number, 'SIGCONT');
    await this.reachesBoth(`after a cut of ${CUT} s`);
  }

  private async healsAServer(manifest: string): Promise<void> {
    await this.server?.stop('SIGKILL');
    this.proof.that('without the server no node answers', this.kubectl('logs', 'edge-b').status !== 0);
    this.startServer(manifest);
    await this.reachesBoth('after the server was killed');
  }

  /** An agent on edge-b that says it is that of edge-a, while the true one is away. */
  private async servesNothingOfOthers(objects: readonly any[]): Promise<void> {
    const [a, b] = [this.siteOf('edge-a'), this.siteOf('edge-b')];
    await this.endAgent(a.node);
    await this.endAgent(b.node);
    this.proof.that('without its agent a node does not answer', this.kubectl('logs', 'edge-a').status !== 0);
    // what it wants with that name is its own kubelet
    await b.node.machine.run('sh', ['-ec', 'echo "127.0.0.1 edge-a" >>/run/hosts']);
    await this.startAgent(b.node, 'edge-a', objects);
    const refused = (): Promise<boolean> =>
      Promise.resolve(/valid for edge-b, not edge-a/.test(this.kubectl('logs', 'edge-a').said));
    await this.proof.eventually('an agent that claims another name is refused for its certificate', refused, 60);
    const { said } = this.kubectl('exec', 'edge-a');
    this.proof.that('and serves nothing', !said.includes('this is'), said);
    await this.endAgent(b.node);
    await this.startAgent(a.node, 'edge-a', objects);
    await this.startAgent(b.node, 'edge-b', objects);
    await this.reachesBoth('when the true agents are back');
  }
}
