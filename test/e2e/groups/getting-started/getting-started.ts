import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { shellBlocksOf } from '../../../shell-blocks.js';
import type { CloudMachine } from '../../harness/cloud-machine.js';
import { HTTP_SERVER_IMAGE } from '../../harness/container-image.js';
import type { Group, Proof } from '../../harness/group.js';
import { JoinSite } from '../../harness/join-site.js';
import { HELM_3 } from '../../harness/helm.js';
import { chartFolder } from '../../harness/openyurt.js';
import { PackageRegistry } from '../../harness/package-registry.js';
import type { Ended } from '../../harness/room.js';
import { pathOf, yurtManagerTool } from '../../harness/tool.js';
import { Workstation } from '../../harness/workstation.js';

const PAGE = 'docs/getting-started.md';

/** The image of the page: no registry is reachable from the machine, so its own HTTP server has this name. */
const HELLO_IMAGE = 'registry.k8s.io/e2e-test-images/agnhost:2.53';

/** Pages whose commands work where this page has come to, with OpenYurt. */
const OTHER_PAGES = ['docs/apply.md', 'docs/troubleshooting.md'];

/** With which OpenYurt the page is followed. */
type Way = 'none' | '1.7';

/** What a block must show, by the command that it begins with; each is seen once. */
const SHOWS: readonly (readonly [command: string, shows: RegExp])[] = [
  ['cd fleet', /2 passed/],
  ['cd fleet', /^edge \(host network\)\n  runs +DaemonSet default\/hello\n[^]*Deployment default\/web +excluded/m],
  ['kubectl wait', /node\/edge1 condition met\ndaemonset.apps\/hello condition met[^]*\bedge1$/],
  ['npx edge-nodepools dump show', /edge \(host network, 1 node\)\n  runs +DaemonSet default\/hello\n/],
];

/**
 * yurt-manager by its chart and Helm. The machine is its own: no kube-proxy and no kubelet runs there, so that the program is started here, at the
 * address of its Service.
 */
async function installOpenYurt({ plane }: JoinSite): Promise<void> {
  const must = async (script: string): Promise<string> => {
    const { status, stdout, stderr } = await plane.room.sh(script);
    if (status !== 0) {
      throw new Error(`${script}: ${stderr}`);
    }
    return stdout.trim();
  };
  const kubeconfig = 'KUBECONFIG=/etc/kubernetes/super-admin.conf';
  const chart = [chartFolder('1.7'), '--namespace=kube-system', '--set=controllers=nodepool'];
  await must(`${kubeconfig} HOME=/run/helm ${pathOf(HELM_3)} install yurt-manager ${chart.join(' ')}`);
  const address = await must(
    `${plane.command} --namespace=kube-system get service yurt-manager-webhook-service -o jsonpath='{.spec.clusterIP}'`,
  );
  await must(`ip address add ${address}/32 dev lo`);
  const manager = plane.room.start('yurt-manager', 'env', [
    kubeconfig,
    'WEBHOOK_PORT=443',
    'WEBHOOK_CERT_DIR=/run/yurt-manager',
    pathOf(yurtManagerTool('1.7')),
    '--controllers=nodepool',
    '--leader-elect=false',
    '--webhook-port=443',
  ]);
  const probe = '{"apiVersion":"apps.openyurt.io/v1beta2","kind":"NodePool","metadata":{"name":"probe"}}';
  await manager.ready(async () => {
    const { status, stdout } = await plane.room.sh(
      `echo '${probe}' | ${plane.command} create --dry-run=server -f - -o jsonpath='{.spec.type}'`,
    );
    // its webhook has set the default
    return status === 0 && stdout === 'Edge';
  });
}

/** Follows the page, and looks at the cluster where the page promises something. */
class Reader {
  constructor(
    private readonly site: JoinSite,
    private readonly registry: PackageRegistry,
    private readonly proof: Proof,
  ) {}

  public async follow(way: Way, machine: CloudMachine): Promise<void> {
    const { site, proof } = this;
    const folder = join(site.folder, `reader-${way}`);
    mkdirSync(folder);
    const workstation = new Workstation(folder, { cp1: site.plane.room, edge1: machine.room }, this.registry);
    try {
      for (const block of shellBlocksOf(PAGE)) {
        const { 'not run': reason, only = way } = block.notes;
        const about = `${way}: ${PAGE}:${block.line}`;
        if (reason !== undefined) {
          proof.note(`${about} is not run: ${reason}`);
        } else if (only === way) {
          const ended = await workstation.run(block);
          proof.that(`${about} runs: ${block.code.split('\n', 1)[0]}`, ended.status === 0, ended);
          await this.look(way, block.code, ended);
          if (way === '1.7' && block.code.startsWith('npx edge-nodepools dump show')) {
            await this.others(workstation);
          }
          if (ended.status !== 0) {
            // nothing after it can work
            return;
          }
        }
      }
    } finally {
      workstation.close();
    }
  }

  private async others(workstation: Workstation): Promise<void> {
    for (const block of OTHER_PAGES.flatMap(shellBlocksOf)) {
      const ended = await workstation.run(block);
      this.proof.that(`${block.page}:${block.line} runs`, ended.status === 0, ended);
    }
  }

  private async look(way: Way, code: string, { stdout, stderr }: Ended): Promise<void> {
    const { proof, site } = this;
    const said = `${stdout}${stderr}`;
    SHOWS.filter(([command]) => code.startsWith(command)).forEach(([command, shows]) =>
      proof.that(`${way}: ${command} shows what the page says`, shows.test(said), said),
    );
    if (code.startsWith('kubectl wait')) {
      const { items } = await site.plane.get('pods', '--all-namespaces', '--field-selector=spec.nodeName=edge1');
      proof.same(
        `${way}: hello runs on the node, and nothing else`,
        items.map(({ metadata }: any) => metadata.labels.app),
        ['hello'],
      );
      const { metadata } = await site.plane.get('node', 'edge1');
      proof.same(
        `${way}: it is a host-network node of the pool`,
        ['apps.openyurt.io/nodepool', 'nodepool.openyurt.io/hostnetwork'].map((key) => metadata.labels[key]),
        ['edge', 'true'],
      );
      await this.isMember(way);
    }
    if (code.includes('for workload in')) {
      const left = await site.plane
        .must(['get', 'nodes,daemonsets,deployments,nodepools', '-A', '-o', 'yaml'])
        .catch(() => site.plane.must(['get', 'nodes,daemonsets,deployments', '-A', '-o', 'yaml']));
      proof.that(`${way}: nothing of it is left`, !/edge1|hello|hostnetwork|name: edge$/m.test(left), left);
    }
  }

  /** With OpenYurt: yurt-manager sees the node in the pool. */
  private async isMember(way: Way): Promise<void> {
    if (way !== 'none') {
      await this.proof.eventually(`${way}: yurt-manager counts the node in the status of the pool`, async () => {
        const pool = await this.site.plane.get('nodepool', 'edge');
        return pool?.status?.nodes?.join() === 'edge1';
      });
    }
  }
}

export const gettingStarted: Group = {
  name: 'getting-started',
  claim:
    'every command of docs/getting-started.md, taken from the page and run in its order in an empty folder, with and without OpenYurt: a Ready host-network node that runs a Pod, and back',
  programs:
    'the packed package, npm, kubeadm, kubelet and control plane 1.36 (kubeadm init phase by phase, its static Pods as processes), containerd, runc, yurt-manager 1.7.0; ssh and scp enter the machine',
  tools: [...JoinSite.TOOLS, yurtManagerTool('1.7'), HELM_3],
  needs: [
    'linux',
    'root',
    'containerd',
    'runc',
    'cni-plugins',
    'iproute2',
    'namespaces',
    'openssl',
    'curl',
    'registry',
  ],
  run: async (proof) => {
    const site = await JoinSite.open();
    const registry = await PackageRegistry.open(site.folder);
    const before = proof.failures.length;
    let ended = false;
    try {
      const machine = await site.newMachine('edge1');
      await machine.sh(`ctr -n k8s.io images tag ${HTTP_SERVER_IMAGE} ${HELLO_IMAGE}`);
      const reader = new Reader(site, registry, proof);
      await reader.follow('none', machine);
      // Kubernetes collects the Pods of a deleted node 40 s later; the next node of this name would find them
      await site.plane.must(['delete', 'pods', '--all', '--force']);
      await installOpenYurt(site);
      await reader.follow('1.7', machine);
      ended = true;
    } finally {
      registry.close();
      const failed = !ended || proof.failures.length > before;
      await site.close({ keepLogs: failed });
      if (failed) {
        proof.note(`logs are kept in ${site.logs}`);
      }
    }
  },
};
