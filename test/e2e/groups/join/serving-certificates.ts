import { spawnSync } from 'node:child_process';
import { App, Chart, Testing } from 'cdk8s';
import { EdgeWarnings, JoinToken, ServingCertificateApprover } from 'edge-nodepools';
import type { CloudMachine } from '../../harness/cloud-machine.js';
import type { Group } from '../../harness/group.js';
import { JoinSite } from '../../harness/join-site.js';
import { JoinProof } from './proof.js';

const NAME = 'kubelet-csr-approver';
const ACCOUNT = `system:serviceaccount:kube-system:${NAME}`;
const SIGNER = 'kubernetes.io/kubelet-serving';
const TOKEN_FILE = '/var/lib/edge/join-token';

/** The program itself, if this machine has it. */
const PROGRAM = spawnSync('sh', ['-c', `command -v ${NAME}`], { encoding: 'utf8' }).stdout.trim();

export const servingCertificates: Group = {
  name: 'serving-certificates',
  claim:
    'a kubelet of a pool asks for its serving certificate, the account of ServingCertificateApprover may approve that, and nothing of another signer, and then the kubelet serves with a certificate of the cluster; with kubelet-csr-approver on PATH, it runs with the variables and the account of the Deployment, approves a name and an address of the pool, and leaves every other request',
  programs: `kubeadm, kubelet and control plane 1.36${PROGRAM === '' ? '' : ', kubelet-csr-approver on PATH'}`,
  tools: JoinSite.TOOLS,
  needs: ['linux', 'root', 'containerd', 'runc', 'cni-plugins', 'iproute2', 'namespaces', 'openssl'],
  run: async (proof) => {
    const site = await JoinSite.open();
    const before = proof.failures.length;
    let ended = false;
    try {
      const joins = new JoinProof(site, proof);
      for (const command of joins.declared.exclusionCommands()) {
        await site.plane.sh(command);
      }
      await site.plane.apply(joins.declared.workload());
      await new Certificates(joins, await site.newMachine('edge1')).run();
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

class Certificates {
  constructor(
    private readonly joins: JoinProof,
    private readonly machine: CloudMachine,
  ) {}

  private objects(nodeName: string): any[] {
    const app = new App();
    EdgeWarnings.setMode(app, 'silent');
    const chart = new Chart(app, 'approver');
    new ServingCertificateApprover(chart, 'approver', {
      cluster: this.joins.declared.pool().cluster,
      machines: [{ name: nodeName, address: '192.0.2.10/24' }],
    });
    return Testing.synth(chart);
  }

  public async run(): Promise<void> {
    const { joins, machine } = this;
    const { proof, site } = joins;
    const objects = this.objects('edge1');
    for (const object of objects) {
      await site.plane.apply(object);
    }
    await this.mayOnlyApprove();
    await machine.room.write(TOKEN_FILE, await joins.newToken(), '0600');
    const props = { machineSettings: { servingCertificates: true } };
    const { script } = joins.declared.join(JoinToken.fromFile(TOKEN_FILE), props);
    await machine.room.write('/run/join.sh', script);
    const joined = await machine.sh('sh /run/join.sh');
    proof.that('a machine joins whose kubelet asks for its serving certificate', joined.status === 0, joined);
    await proof.eventually('its request waits', async () => (await this.waiting()).length > 0, 60);
    proof.same('until then the kubelet has no certificate of the cluster', await this.issuer(), '');
    await this.foreignRequests();
    if (PROGRAM === '') {
      proof.note(`${NAME} is not on PATH: its account approves by kubectl`);
      const request = (await this.waiting()).find((name) => name.startsWith('csr-')) ?? 'none';
      const approved = await site.plane.kubectl(['certificate', 'approve', request, `--as=${ACCOUNT}`]);
      proof.that('its account may approve it', approved.status === 0, approved);
    } else {
      await this.approves(objects.find(({ kind }) => kind === 'Deployment'));
    }
    await proof.eventually(
      'then the kubelet serves with a certificate of the cluster',
      async () => (await this.issuer()).includes('CN = kubernetes'),
      60,
    );
    await joins.isAsDeclared(machine, 'with a serving certificate');
    await joins.leaves(machine, undefined, props);
  }

  /** RBAC, asked of the API server. */
  private async mayOnlyApprove(): Promise<void> {
    const { proof, site } = this.joins;
    const can = async (...what: string[]): Promise<string> =>
      (await site.plane.kubectl(['auth', 'can-i', ...what, `--as=${ACCOUNT}`])).stdout.trim();
    // kubectl auth can-i cannot name a signer, which has a slash in it
    const approves = async (name: string, verb = 'approve'): Promise<string> => {
      const resourceAttributes = { group: 'certificates.k8s.io', resource: 'signers', verb, name };
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' };
      await site.plane.room.write(
        '/run/review.json',
        JSON.stringify({ ...review, spec: { user: ACCOUNT, resourceAttributes } }),
      );
      const answer = JSON.parse(await site.plane.must(['create', '-f', '/run/review.json', '-o', 'json']));
      return answer.status.allowed === true ? 'yes' : 'no';
    };
    const requests = 'certificatesigningrequests.certificates.k8s.io';
    proof.same(
      'the account may read requests, approve those of one signer, and keep its Lease',
      [
        await can('list', requests),
        await can('update', requests, '--subresource=approval'),
        await approves(SIGNER),
        await can('update', `leases.coordination.k8s.io/${NAME}`, '-n', 'kube-system'),
      ],
      ['yes', 'yes', 'yes', 'yes'],
    );
    proof.same(
      'and nothing more',
      [
        await approves('kubernetes.io/kube-apiserver-client-kubelet'),
        await approves(SIGNER, 'sign'),
        await can('create', requests),
        await can('delete', requests),
        await can('get', 'secrets', '-n', 'kube-system'),
        await can('update', 'leases.coordination.k8s.io/kube-scheduler', '-n', 'kube-system'),
        await can('get', 'nodes'),
      ],
      Array<string>(7).fill('no'),
    );
  }

  /** Names of the requests for serving certificates that nobody has decided about, the newest first. */
  private async waiting(of = 'system:node:edge1'): Promise<string[]> {
    const { items } = await this.joins.site.plane.get('csr');
    return (items as any[])
      .filter(({ spec, status }) => spec.signerName === SIGNER && spec.username === of && !status.conditions)
      .sort((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1))
      .map(({ metadata }) => metadata.name as string);
  }

  private async issuer(): Promise<string> {
    const { stdout } = await this.machine.sh(
      'openssl s_client -connect 192.0.2.10:10250 </dev/null 2>/dev/null | openssl x509 -noout -issuer 2>/dev/null',
    );
    return stdout.trim();
  }

  /** Requests that must stay: of another name, for another name, and for another address. */
  private async foreignRequests(): Promise<void> {
    const { plane } = this.joins.site;
    for (const [name, user, san] of [
      ['another-node', 'edge9', 'DNS:edge9,IP:192.0.2.10'],
      ['another-name', 'edge1', 'DNS:kubernetes,IP:192.0.2.10'],
      ['longer-name', 'edge1', 'DNS:edge1.evil.example,IP:192.0.2.10'],
      ['another-address', 'edge1', 'DNS:edge1,IP:192.0.2.99'],
    ] as const) {
      const subject = `/O=system:nodes/CN=system:node:${user}`;
      const text = await plane.room.must('sh', [
        '-c',
        `openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null -subj '${subject}' -addext subjectAltName=${san} 2>/dev/null | base64 -w0`,
      ]);
      const request = {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name },
        spec: { request: text.trim(), signerName: SIGNER, usages: ['digital signature', 'server auth'] },
      };
      await plane.room.write('/run/request.json', JSON.stringify(request));
      const as = `--as=system:node:${user} --as-group=system:nodes --as-group=system:authenticated`;
      await plane.sh(`kubectl create ${as} -f /run/request.json`);
    }
  }

  /** The program, with what the Deployment gives it. */
  private async approves(deployment: any): Promise<void> {
    const { proof, site } = this.joins;
    const { room } = site.plane;
    const [container] = deployment.spec.template.spec.containers;
    await site.plane.sh(
      `set -e; token=$(kubectl -n kube-system create token ${NAME}); export KUBECONFIG=/run/approver.conf
       kubectl() { ${site.plane.command.split(' ')[0] ?? ''} "$@"; }
       kubectl config set-cluster c --server=https://127.0.0.1:6443 --certificate-authority=/etc/kubernetes/pki/ca.crt --embed-certs
       kubectl config set-credentials u --token="$token"; kubectl config set-context c --cluster=c --user=u; kubectl config use-context c`,
    );
    const program = room.start('approver', 'env', [
      'KUBECONFIG=/run/approver.conf',
      ...container.env.map(({ name, value }: any) => `${name}=${value}`),
      PROGRAM,
      ...container.args,
    ]);
    await proof.eventually(
      'the approver approves the kubelet of the pool',
      async () => (await this.waiting()).filter((name) => name.startsWith('csr-')).length === 0,
      60,
    );
    // it has seen all of them by now: it takes them in no order, and each at once
    await new Promise((done) => setTimeout(done, 3000));
    const left = [...(await this.waiting()), ...(await this.waiting('system:node:edge9'))];
    proof.same('and leaves requests of another node, for other names, and for another address', left.sort(), [
      'another-address',
      'another-name',
      'another-node',
      'longer-name',
    ]);
    proof.that('nothing was forbidden to it', !/forbidden/i.test(program.tail(1000)), program.tail(40));
    await program.stop();
  }
}
