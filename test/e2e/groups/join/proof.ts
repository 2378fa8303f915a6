import { JoinToken, type NodeJoinProps } from 'edge-nodepools';
import { type Boot, type CloudMachine, multiPart } from '../../harness/cloud-machine.js';
import type { Proof } from '../../harness/group.js';
import type { JoinSite } from '../../harness/join-site.js';
import { Declared, PORT, SIZES_ON_DISK } from './declared.js';

/** Copies of the user-data that cloud-init keeps (docs/join.md). */
export const KEPT_BY_CLOUD_INIT =
  /^\/var\/lib\/cloud\/(seed\/nocloud\/user-data|instances\/[^/]+\/(user-data\.txt(\.i)?|cloud-config\.txt|obj\.pkl)|data\/.*)$|^\/run\/cloud-init\/instance-data-sensitive\.json$/;

/** Files of a user, with everything that a shell, YAML 1.1, Jinja or printf could interpret. */
const HOSTILE =
  'it\'s "$(id)" `id` $HOME\n{{ v1.instance_id }} {% raw %} %s %% \\n\n  yes: 0644\t22:22 \u2028 é 漢 🙂\n\n--- # EOF\n';

const EVERYTHING = {
  files: [{ path: '/etc/hostile', content: HOSTILE, permissions: '0640' }],
  preJoinCommands: ['echo "it\'s $((1 + 1))" > /run/before', ['touch', "/run/a 'name' $(id)"]],
  postJoinCommands: ['test -s /etc/kubernetes/kubelet.conf && touch /run/after'],
};

/** User-data of another team, for the same machine. */
const OTHER = `#cloud-config
write_files: [{ path: /etc/other, content: other }]
bootcmd: [[touch, /run/other-boot]]
runcmd: [[sh, -c, 'echo ran >> /run/other']]
packages: [jq]
`;

/** One site, its machine, and the checks. */
export class JoinProof {
  public readonly declared: Declared;

  constructor(
    public readonly site: JoinSite,
    public readonly proof: Proof,
  ) {
    this.declared = new Declared(site.plane.caCertHash);
  }

  /** The successful join; returns the machine, which has left the cluster. Before that `onNode` gets it, and what it has joined with. */
  public async run(
    onNode: (machine: CloudMachine, joined: Partial<NodeJoinProps>) => Promise<void>,
  ): Promise<CloudMachine> {
    const { site, declared } = this;
    for (const command of declared.exclusionCommands()) {
      await site.plane.sh(command);
    }
    await site.plane.apply(declared.workload());
    const machine = await site.newMachine('edge1');
    await this.bootsOnce(machine);
    await this.bootsAgain(machine);
    await onNode(machine, EVERYTHING);
    await this.leaves(machine);
    await this.joinsByScript(machine);
    return machine;
  }

  /** A new bootstrap token of the cluster. */
  public async newToken(): Promise<string> {
    const text = await this.site.plane.newTokenText();
    await this.makeKnown(text);
    return text;
  }

  /** Creates a bootstrap token. */
  public makeKnown(text: string): Promise<void> {
    return this.site.plane.makeKnown(this.declared.bootstrapToken(text), text.slice(0, 6));
  }

  private async bootsOnce(machine: CloudMachine): Promise<void> {
    const { proof, declared } = this;
    const token = await this.newToken();
    const join = declared.join(JoinToken.inline(token), EVERYTHING);
    // as the last of two cloud-configs, it adds to the lists of the first
    const parts = multiPart([
      ['text/cloud-config', OTHER],
      ['text/cloud-config', join.userData],
    ]);
    const boot = await machine.boot(parts, 'i-first');
    await this.otherSurvives(machine, 'before ours');
    proof.that('cloud-init is done without an error', boot.status === 0 && /status: done/.test(boot.said), told(boot));
    await this.isAsDeclared(machine, 'by cloud-config');
    const files = await machine.sh(
      'cat /etc/hostile; stat -c %a /etc/hostile; cat /run/before; ls /run/after "/run/a \'name\' \\$(id)"',
    );
    proof.same(
      'files and commands are written byte for byte, with any content',
      files.stdout,
      `${HOSTILE}640\nit's 2\n/run/a 'name' $(id)\n/run/after\n`,
    );
    const places = machine.whereIs(token);
    proof.same(
      'the token is in no file and no process except the user-data of cloud-init',
      places.filter((path) => !KEPT_BY_CLOUD_INIT.test(path)),
      [],
    );
    proof.that('(the search finds it there)', places.length > 0);
    const modes = await machine.sh(`stat -c '%a %U' ${places.join(' ')}`);
    proof.that('only root can read the copies of cloud-init', /^([46]00 root\n)+$/.test(modes.stdout), modes.stdout);
    proof.that('no output contains the token', !boot.output.includes(token));
  }

  /** A second part, before or after ours. */
  private async otherSurvives(machine: CloudMachine, where: string): Promise<void> {
    const { stdout } = await machine.sh(
      'cat /etc/other /run/other; ls /run/other-boot; grep -c jq /var/lib/cloud/instance/cloud-config.txt; rm -f /etc/other /run/other /run/other-boot',
    );
    this.proof.same(
      `user-data of several parts: write_files, runcmd, bootcmd and packages of a cloud-config ${where} survive`,
      stdout,
      'otherran\n/run/other-boot\n1\n',
    );
  }

  /** As a script in the first of two parts, of which the second would replace the lists of a cloud-config. */
  public async joinsAsFirstPart(machine: CloudMachine): Promise<void> {
    const token = await this.newToken();
    const { script } = this.declared.join(JoinToken.inline(token));
    const parts = multiPart([
      ['text/x-shellscript-per-boot', script],
      ['text/cloud-config', OTHER],
    ]);
    const boot = await machine.boot(parts, 'i-first-part');
    this.proof.that('user-data of several parts: ours as a script joins', boot.status === 0, told(boot));
    await this.otherSurvives(machine, 'after ours');
    await this.isAsDeclared(machine, 'as the first part');
    await machine.sh('rm -f /var/lib/cloud/scripts/per-boot/part-*');
    await this.leaves(machine);
  }

  /** Checks a node after a join by any method. */
  public async isAsDeclared(machine: CloudMachine, how: string, birth = true, name = machine.room.name): Promise<void> {
    const { proof, declared, site } = this;
    const claim = (what: string): string => `${how}: ${what}`;
    await proof.eventually(claim('the node is Ready'), async () => isReady(await site.plane.get('node', name)), 60);
    const node = await site.plane.get('node', name);
    const pool = declared.pool();
    proof.same(
      claim('it has the labels of the pool'),
      Object.fromEntries(Object.keys(pool.joinLabels).map((key) => [key, node.metadata.labels[key]])),
      pool.joinLabels,
    );
    proof.that(
      claim('it has the hash of its join'),
      /^[0-9a-f]{10}$/.test(node.metadata.labels['edge-nodepools/join']),
      node.metadata.labels,
    );
    const { capacity, allocatable } = node.status;
    const expected = declared.reservation.allocatable({
      cpu: capacity.cpu,
      memory: capacity.memory,
      ephemeralStorage: capacity['ephemeral-storage'],
    });
    proof.same(
      claim('allocatable equals the prediction of NodeReservation'),
      [allocatable.cpu, allocatable.memory, allocatable['ephemeral-storage']],
      [expected.cpu, expected.memory, expected.ephemeralStorage],
    );
    if (birth) {
      await this.wasBornSo(name, claim);
    }
    await proof.eventually(
      claim('the HostNetworkWorkload answers HTTP'),
      async () => {
        const answer = await site.machine.get(PORT).catch(() => undefined);
        return answer?.status === 200 && answer.body === `this is ${name}\n`;
      },
      60,
    );
    const pods = (await site.plane.get('pods', '--all-namespaces', `--field-selector=spec.nodeName=${name}`))
      .items as any[];
    proof.same(
      claim('nothing else runs there'),
      [...new Set(pods.map(({ metadata }) => metadata.labels.app))],
      ['collector'],
    );
  }

  /** Labels of the request that made a Node, from the audit log. */
  public async bornWith(name: string): Promise<Readonly<Record<string, string>>> {
    const births = (await this.site.plane.audited()).filter(
      ({ verb, objectRef, requestObject }) =>
        verb === 'create' && objectRef.resource === 'nodes' && requestObject?.metadata?.name === name,
    );
    return births.at(-1)?.requestObject?.metadata?.labels ?? {};
  }

  /** The audit log: the last request that made this Node, and no Pod of kube-proxy ever bound to it. */
  private async wasBornSo(name: string, claim: (what: string) => string): Promise<void> {
    const audited = await this.site.plane.audited();
    const pool = this.declared.pool();
    const births = audited.filter(
      ({ verb, objectRef, requestObject, responseStatus }) =>
        verb === 'create' &&
        objectRef.resource === 'nodes' &&
        requestObject?.metadata?.name === name &&
        responseStatus.code === 201,
    );
    const { requestObject, user } = births[births.length - 1] ?? {};
    this.proof.same(
      claim('label and taints are in the very request that made the Node'),
      [
        Object.entries(pool.joinLabels).every(([key, value]) => requestObject?.metadata?.labels?.[key] === value),
        pool.registrationTaints.every(({ key, value, effect }) =>
          (requestObject?.spec?.taints ?? []).some(
            (taint: any) => taint.key === key && taint.value === value && taint.effect === effect,
          ),
        ),
        user?.username,
      ],
      [true, true, `system:node:${name}`],
    );
    const bound = audited.filter(
      ({ objectRef, requestObject }) => objectRef.subresource === 'binding' && requestObject?.target?.name === name,
    );
    this.proof.same(
      claim('no Pod of kube-proxy or CoreDNS was ever bound to it'),
      bound.map(({ objectRef }) => objectRef.name as string).filter((pod) => /^(kube-proxy|coredns)/.test(pod)),
      [],
    );
  }

  private async bootsAgain(machine: CloudMachine): Promise<void> {
    const { proof, declared } = this;
    const again = await machine.sh('sh /var/lib/edge-nodepools/join.sh');
    proof.that(
      'run again: it only reports that the machine has joined',
      again.status === 0 && again.stderr === 'edge-nodepools: this machine has joined already\n',
      again,
    );
    const reboot = await machine.reboot();
    proof.that('rebooted: cloud-init is done', reboot.status === 0, told(reboot));
    await this.isAsDeclared(machine, 'rebooted', false);
    // kubeadm names a folder by the second, so each upgrade has its own; the second time as kubeadm alone would leave its file, the third time after another run of the script
    const upgrade = 'kubeadm upgrade node --ignore-preflight-errors=SystemVerification';
    const asByKubeadm =
      'echo "containerRuntimeEndpoint: unix:///run/containerd/containerd.sock" > /var/lib/kubelet/instance-config.yaml';
    const upgraded = await machine.sh(
      `for change in : '${asByKubeadm}' 'sh /var/lib/edge-nodepools/join.sh'; do eval "$change"; ${upgrade} >/dev/null; grep -c kubeReserved /var/lib/kubelet/config.yaml; sleep 1; done; systemctl restart kubelet`,
    );
    proof.that(
      'kubeadm upgrade node without --patches keeps the reservation, which without our addition to its file it drops',
      upgraded.stdout === '1\n0\n1\n',
      upgraded,
    );
    await machine.room.write('/run/other.sh', declared.join(JoinToken.inline(await this.newToken())).script);
    const changed = await machine.sh('sh /run/other.sh; status=$?; rm /run/other.sh; exit $status');
    proof.that(
      'another join on this node says what it does not apply, and has an exit status of its own',
      changed.status === 78 &&
        /Not applied: commands after the join, commands before the join, files/.test(changed.stderr),
      changed,
    );
    const token = await this.newToken();
    const other = await machine.boot(declared.join(JoinToken.inline(token), EVERYTHING).userData, 'i-second');
    proof.that(
      'a new instance-id: cloud-init is done, and no second join',
      other.status === 0 && other.output.includes('has joined already'),
      told(other),
    );
    proof.same(
      'and the token of the second file is removed, too',
      machine.whereIs(token).filter((path) => !KEPT_BY_CLOUD_INIT.test(path)),
      [],
    );
    await this.isAsDeclared(machine, 'with a new instance-id', false);
  }

  /** Removes a node from the cluster. */
  public async leaves(
    machine: CloudMachine,
    name = machine.room.name,
    props: Partial<NodeJoinProps> = {},
  ): Promise<void> {
    const { leaveScript } = this.declared.join(JoinToken.fromFile('/var/lib/edge/join-token'), props);
    await machine.room.write('/run/leave.sh', leaveScript);
    const left = await machine.sh('sh /run/leave.sh');
    const rest = await machine.sh(
      'ls /etc/cni/net.d /etc/kubernetes/patches /var/lib/edge-nodepools /run/edge-nodepools /etc/kubernetes/kubelet.conf /var/lib/cloud/scripts/per-boot 2>/dev/null | grep -v : | grep .',
    );
    this.proof.that('a node leaves, and no file of the join remains', left.status === 0 && rest.stdout === '', {
      left,
      rest,
    });
    await this.site.plane.must(['delete', 'node', name, '--ignore-not-found', '--wait=false']);
    await machine.sh(
      'ctr -n k8s.io task ls -q | xargs -r -n 1 ctr -n k8s.io task kill -s KILL; sleep 0.5; ctr -n k8s.io container ls -q | xargs -r ctr -n k8s.io container rm; rm -rf /var/lib/cloud/instances /var/lib/cloud/instance',
    );
    await this.proof.eventually(
      'its Node is deleted',
      async () => (await this.site.plane.get('node', name)) === undefined,
      60,
    );
  }

  private async joinsByScript(machine: CloudMachine): Promise<void> {
    const { proof } = this;
    const token = await this.newToken();
    const reservation = this.declared.reservationOnDisk;
    const { script } = this.declared.join(JoinToken.fromFile('/var/lib/edge/join-token', { removeAfterJoin: true }), {
      files: [{ path: '/etc/hostile', content: HOSTILE, permissions: '0640' }],
      reservation,
    });
    await machine.room.write('/run/join.sh', script);
    await machine.room.write('/var/lib/edge/join-token', `${token}\n`, '0600');
    const ran = await machine.sh('sh /run/join.sh');
    proof.that('the plain script joins', ran.status === 0, ran);
    await this.isAsDeclared(machine, 'by script');
    const hostile = await machine.sh('cat /etc/hostile; stat -c %a /etc/hostile');
    proof.same('the script writes files byte for byte', hostile.stdout, `${HOSTILE}640\n`);
    proof.same('no token remains anywhere', machine.whereIs(token), []);
    proof.same(
      'kubelet and the journal have the sizes for the disk that the reservation knows',
      (await machine.sh(SIZES_ON_DISK)).stdout,
      'containerLogMaxFiles: 3\ncontainerLogMaxSize: 10Mi\nimageGCHighThresholdPercent: 80\nimageGCLowThresholdPercent: 70\n[Journal]\nSystemMaxUse=128M\n',
    );
    await this.leaves(machine, undefined, { reservation });
    const { stdout } = await machine.sh('ls /etc/systemd/journald.conf.d');
    proof.same('the limit of the journal leaves with the node', stdout, '');
  }

  /** The documented case: a Node of the same name that is not Ready keeps its labels and taints. */
  public async staleNode(machine: CloudMachine): Promise<void> {
    const { proof, site } = this;
    const { name } = machine.room;
    await site.plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { stale: 'true' } } });
    await machine.room.write('/run/join.sh', this.declared.join(JoinToken.fromFile('/var/lib/edge/join-token')).script);
    await machine.room.write('/var/lib/edge/join-token', await this.newToken(), '0600');
    const ran = await machine.sh('sh /run/join.sh');
    proof.that('over a stale Node the join succeeds', ran.status === 0, ran);
    await proof.eventually('it becomes Ready', async () => isReady(await site.plane.get('node', name)), 60);
    const { metadata } = await site.plane.get('node', name);
    proof.same(
      'but the labels of the stale Node are not corrected, as documented',
      [metadata.labels.stale, metadata.labels['nodepool.openyurt.io/hostnetwork']],
      ['true', undefined],
    );
    await this.leaves(machine);
  }
}

export function isReady(node: any): boolean {
  return (node?.status?.conditions ?? []).some(({ type, status }: any) => type === 'Ready' && status === 'True');
}

/** The end of the output, for a failure. */
export function told({ said, output }: Boot): string {
  return `${said}\n${output.split('\n').slice(-25).join('\n')}`;
}
