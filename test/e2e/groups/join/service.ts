import { resolve } from 'node:path';
import { JoinToken, type NodeJoinProps } from 'edge-nodepools';
import type { CloudMachine } from '../../harness/cloud-machine.js';
import { KubeadmControlPlane } from '../../harness/kubeadm-control-plane.js';
import type { Ended } from '../../harness/room.js';
import type { JoinProof } from './proof.js';

const TOKEN_FILE = '/var/lib/edge/join-token';
const TLS_RELAY = resolve(__dirname, '..', '..', 'harness', 'tls-relay.mjs');
const COMMAND = '/usr/local/bin/edge-nodepools-join';
const NEXT = '/run/edge-nodepools-join/next';

/** Makes certificates of the cluster's CA with any validity: subject, begin, end, name of the files. */
const ISSUE = `
cd /run; mkdir -p issued; : > issued/index.txt; echo 7777 > issued/serial
cat > issued/ca.cnf <<'END'
[ca]
default_ca = cluster
[cluster]
database = /run/issued/index.txt
serial = /run/issued/serial
new_certs_dir = /run/issued
certificate = /etc/kubernetes/pki/ca.crt
private_key = /etc/kubernetes/pki/ca.key
default_md = sha256
policy = any
unique_subject = no
x509_extensions = names
[any]
commonName = supplied
organizationName = optional
[names]
subjectAltName = IP:192.0.2.10,IP:127.0.0.1
END
openssl req -newkey rsa:2048 -nodes -keyout "issued/$4.key" -subj "$1" -out "issued/$4.csr"
openssl ca -batch -notext -config issued/ca.cnf -startdate "$2" -enddate "$3" -in "issued/$4.csr" -out "issued/$4.crt"
`;

/** The service that joins, with the real kubeadm and kubelet; its timer is tested in systemd.ts, with the real systemd. */
export class ServiceRuns {
  constructor(
    private readonly joins: JoinProof,
    private readonly machine: CloudMachine,
  ) {}

  public async run(): Promise<void> {
    const { joins, machine } = this;
    const { proof } = joins;
    // a room has the programs of this machine
    await machine.sh('mount -t tmpfs tmpfs /usr/local/bin');
    const token = await joins.newToken();
    await machine.room.write(TOKEN_FILE, token, '0600');
    await this.clockIsOff();

    await machine.room.write('/run/join.sh', this.script());
    await joins.site.plane.must(['-n', 'kube-system', 'delete', 'secret', `bootstrap-token-${token.slice(0, 6)}`]);
    const first = await machine.sh('sh /run/join.sh');
    const waits = await this.status();
    proof.that(
      'the service: a run with an unknown token fails, and the status says so, and when it tries again',
      first.status !== 0 && /waits for a token that the cluster knows.*; next run in \d+ s/.test(waits.stdout),
      { first, waits },
    );
    const early = await machine.sh('sh /var/lib/edge-nodepools/service.sh run');
    proof.same('the service: before its time it does nothing', [early.status, early.stderr], [0, '']);

    await joins.makeKnown(token);
    const due = await machine.sh(`echo 0 > ${NEXT}; sh /var/lib/edge-nodepools/service.sh run`);
    proof.that('the service: when it is due it joins', /has joined the cluster/.test(due.stderr), due);
    await joins.isAsDeclared(machine, 'by the service');
    const joined = await this.status();
    proof.that(
      'the service: the status is that the node has joined',
      joined.status === 0 && /: joined, since/.test(joined.stdout),
      joined,
    );
    const rest = await machine.sh(
      'ls /etc/systemd/system /etc/systemd/system/timers.target.wants | grep edge-nodepools',
    );
    proof.same('the service: it has removed itself', rest.stdout, '');
    proof.same('the service: no output contains the token', (first.stderr + due.stderr).includes(token), false);
    // as an update in place would
    const label = `${KubeadmControlPlane.program('kubectl')} --kubeconfig=/etc/kubernetes/kubelet.conf label --overwrite node ${machine.room.name}`;
    const relabelled = await machine.sh(
      `${label} edge-nodepools/join=0123456789 && ! ${label} node-role.kubernetes.io/edge=1 2>/dev/null`,
    );
    proof.that(
      'kubelet may change the hash of its join, and no label of kubernetes.io',
      relabelled.status === 0,
      relabelled,
    );
    await this.wasOffForAYear();
    await joins.leaves(machine, undefined, { service: {} });
    const command = await machine.sh(`ls ${COMMAND} /run/edge-nodepools-join; umount /usr/local/bin`);
    proof.same('the service: after leaving, nothing of it is there', command.stdout, '');
  }

  private script(props: Partial<NodeJoinProps> = {}): string {
    return this.joins.declared.join(JoinToken.fromFile(TOKEN_FILE), { service: { rejoinExpired: false }, ...props })
      .script;
  }

  private status(): Promise<Ended> {
    return this.machine.sh(`${COMMAND} status`);
  }

  private issue(subject: string, begin: string, end: string, name: string): Promise<string> {
    return this.joins.site.plane.room.must('sh', ['-euc', ISSUE, 'sh', subject, begin, end, name]);
  }

  /** A clock that is years behind is the same as a certificate that begins years later. */
  private async clockIsOff(): Promise<void> {
    const { joins, machine } = this;
    const { room } = joins.site.plane;
    await this.issue('/CN=kube-apiserver', '20400101000000Z', '20410101000000Z', 'later');
    const relay = room.start('later', process.execPath, [
      TLS_RELAY,
      '6445',
      '/run/issued/later.key',
      '/run/issued/later.crt',
      '6443',
    ]);
    await relay.ready(async () => (await machine.sh('grep -qi :192D /proc/net/tcp')).status === 0);
    await machine.room.write('/run/join.sh', this.script({ pool: joins.declared.pool('192.0.2.10:6445') }));
    const ran = await machine.sh('sh /run/join.sh');
    const { stdout } = await this.status();
    joins.proof.that(
      'the service: it says how far the clock is behind the certificate of the API server',
      /waits for a clock that is right: .* at least \d{4} days behind .* begins at 2040-01-01T00:00:00Z/.test(stdout),
      { ran, stdout },
    );
    await relay.stop();
  }

  /** The certificate of kubelet has expired: kubelet does not start, and the join script would say that the machine has joined. */
  private async wasOffForAYear(): Promise<void> {
    const { joins, machine } = this;
    const { proof, site } = joins;
    const { name } = machine.room;
    await this.issue(`/O=system:nodes/CN=system:node:${name}`, '20240101000000Z', '20250101000000Z', 'expired');
    const pem = await site.plane.room.must('cat', ['/run/issued/expired.crt', '/run/issued/expired.key']);
    await machine.sh('systemctl stop kubelet; rm -f /var/lib/kubelet/pki/kubelet-client-*');
    await machine.room.write('/var/lib/kubelet/pki/kubelet-client-current.pem', pem, '0600');
    const off = JSON.stringify({ status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } });
    await site.plane.must(['patch', 'node', name, '--subresource=status', '--type=strategic', '-p', off]);
    await machine.sh('systemctl start kubelet');
    await proof.eventually(
      'off for a year: kubelet ends, because its certificate has expired',
      async () => (await machine.sh("grep 'client certificate in .* is expired' /var/log/kubelet.log")).status === 0,
      30,
    );
    const alone = await machine.sh('sh /var/lib/edge-nodepools/join.sh');
    const expired = await this.status();
    proof.that(
      'off for a year: the script finds a node, and the status says that its certificate has expired',
      alone.status === 0 && expired.status === 1 && /the certificate of kubelet has expired/.test(expired.stdout),
      { alone, expired },
    );
    await machine.room.write(TOKEN_FILE, await joins.newToken(), '0600');
    const again = await machine.sh(`${COMMAND} now`);
    proof.that('off for a year: with a new token it joins again', again.status === 0, again);
    await joins.isAsDeclared(machine, 'off for a year', false);
  }
}
