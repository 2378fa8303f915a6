import { readdirSync, readFileSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import { JoinToken } from 'edge-nodepools';
import type { Proof } from '../../harness/group.js';
import type { SystemdMachine } from '../../harness/systemd-machine.js';
import { Declared } from './declared.js';

const TOKEN_FILE = '/var/lib/edge/join-token';
const COMMAND = '/usr/local/bin/edge-nodepools-join';
const PEM = '/var/lib/kubelet/pki/kubelet-client-current.pem';
const RIGHT = 'k3x9q2.7v1m0c8z4b6n5j2h';
const WRONG = 'zz99aa.0000111122223333';

const [FIRST, LONGEST] = [10, 40];
/** What a timer adds to a pause: its interval, its random part and its accuracy; and what a busy machine adds. */
const LATE = 35;

/** What fails, and what the status says of it. */
const FAILURES: Readonly<Record<string, RegExp>> = {
  api: /an answer of the API server/,
  dns: /an answer of the API server/,
  token: /a token that the cluster knows/,
  kubelet: /kubelet, which does not start/,
  kubeadm: /help: panic: runtime error/,
  nothing: /help: .*cannot be read/,
  killed: /./,
};

/** Fails as /var/lib/failure says, with the messages of kubeadm 1.36 and what it leaves, and writes a line for each run. */
const KUBEADM = `#!/bin/sh
while [ "$#" -gt 1 ] && [ "$1" != --config ]; do shift; done
given=$(sed -n 's/^ *token: *"\\{0,1\\}\\([a-z0-9.]*\\).*/\\1/p' "$2" | head -n 1)
failure=$(cat /var/lib/failure)
echo "$failure" >> /var/lib/runs
echo "kubeadm was given $given" >&2
[ ! -e /etc/kubernetes/kubelet.conf ] && [ ! -e /etc/kubernetes/pki/ca.crt ] || { echo 'files of a former join are there' | tee -a /var/lib/left >&2; exit 1; }
case $failure in
  api) sleep 3; echo "error: couldn't validate the identity of the API Server: context deadline exceeded" >&2; exit 1 ;;
  dns) echo "error: couldn't validate the identity of the API Server: dial tcp: lookup api.example: no such host" >&2; exit 1 ;;
  kubeadm) echo 'panic: runtime error: index out of range [0]' >&2; exit 2 ;;
esac
[ "$given" = ${RIGHT} ] || { echo 'could not find a JWS signature in the cluster-info ConfigMap for token ID' >&2; exit 1; }
mkdir -p /etc/kubernetes/pki /var/lib/kubelet/pki
echo "token: $given" > /etc/kubernetes/bootstrap-kubelet.conf
echo CA > /etc/kubernetes/pki/ca.crt
case $failure in
  kubelet) echo 'error: timed out waiting for the kubelet to start' >&2; exit 1 ;;
  killed) kill -KILL $PPID; exit 1 ;;
esac
printf 'current-context: default\\nkind: Config\\nusers:\\n- name: default-auth\\n  user:\\n    client-certificate: %s\\n    client-key: %s\\n' ${PEM} ${PEM} > /etc/kubernetes/kubelet.conf
printf '%s\\n' '-----END CERTIFICATE-----' '-----END EC PRIVATE KEY-----' > ${PEM}
rm /etc/kubernetes/bootstrap-kubelet.conf
`;

/** A certificate that has ended in 2021, of openssl itself. */
const EXPIRED = `set -e; cd /run; mkdir -p old; : > old/index.txt; echo 77 > old/serial
printf '[ca]\\ndefault_ca=c\\n[c]\\ndatabase=/run/old/index.txt\\nserial=/run/old/serial\\nnew_certs_dir=/run/old\\ndefault_md=sha256\\npolicy=p\\n[p]\\ncommonName=supplied\\norganizationName=optional\\n' > old/cnf
openssl req -newkey rsa:2048 -nodes -keyout old/key -subj /O=system:nodes/CN=system:node:edge1 -out old/csr
openssl ca -batch -notext -selfsign -keyfile old/key -config old/cnf -startdate 20200101000000Z -enddate 20210101000000Z -in old/csr -out old/crt
cat old/crt old/key > ${PEM}; rm -r old`;

const wait = (seconds: number): Promise<void> => new Promise((done) => setTimeout(done, seconds * 1000));

/** Random numbers of a seed, so that a day can be repeated. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** The most runs in so many seconds after a boot, or the fewest: the pauses double, and half of each is random. */
function runsIn(seconds: number, part: number, late: number): number {
  let [runs, spent, pause] = [1, late, FIRST];
  for (; spent + pause * part + late <= seconds; runs++) {
    spent += pause * part + late;
    pause = Math.min(pause * 2, LONGEST);
  }
  return runs;
}

/** A machine on a site where everything fails in turn, and the power too; by hand, because it takes as long as it is told to. */
export class SimulatedDay {
  private readonly journals: string[] = [];

  constructor(
    private readonly proof: Proof,
    private readonly machine: SystemdMachine,
  ) {}

  public async run(seconds: number, seed = Date.now() % 100_000): Promise<void> {
    const { proof, machine } = this;
    proof.note(`a simulated day of ${seconds} s, seed ${seed}`);
    const random = numbers(seed);
    const { script } = new Declared(`sha256:${'ab'.repeat(32)}`).join(JoinToken.fromFile(TOKEN_FILE), {
      service: { secondsBetweenRuns: FIRST, maxSecondsBetweenRuns: LONGEST, rejoinExpired: true },
    });
    // the first token is one that the cluster does not know
    machine.write(TOKEN_FILE, WRONG);
    machine.write('/var/lib/failure', 'api');
    machine.write('/usr/local/bin/kubeadm', KUBEADM);
    machine.write('/usr/local/bin/kubelet', '#!/bin/sh\n');
    machine.write('/var/lib/join.sh', script);
    await machine.boot();
    let booted = Date.now();
    await machine.sh('sh /var/lib/join.sh');
    let [from, cuts, said, all] = [0, 0, 0, 0];
    const end = Date.now() + seconds * 1000;
    const closes = async (): Promise<void> => {
      const now = (await this.tries()) - from;
      const lasted = (Date.now() - booted) / 1000;
      const [fewest, most] = [runsIn(lasted, 1, LATE) - 1, runsIn(lasted, 0.5, 0)];
      proof.that(
        `day: ${Math.round(lasted)} s after boot ${cuts}, ${now} runs: not more than the pauses allow, not fewer`,
        now >= fewest && now <= most,
        { fewest, most },
      );
      from += now;
      all += now;
      this.journals.push((await machine.sh('journalctl --no-pager')).stdout);
    };
    while (Date.now() < end) {
      const failure = Object.keys(FAILURES)[Math.floor(random() * Object.keys(FAILURES).length)] ?? '';
      machine.write('/var/lib/failure', failure);
      if (failure === 'nothing') await machine.sh(`rm -f ${TOKEN_FILE}`);
      else machine.write(TOKEN_FILE, failure === 'token' ? WRONG : RIGHT);
      const before = await this.runs();
      await wait(10 + random() * 30);
      const status = await machine.sh(`${COMMAND} status`);
      proof.that(`day: while ${failure} fails, it has not joined`, status.status === 1, status);
      // a run has ended since, and no other is under way
      if ((await this.runs()) >= before + 2 && failure !== 'killed' && !status.stdout.includes('under way')) {
        said++;
        proof.that(
          `day: the status says what fails (${failure})`,
          FAILURES[failure]?.test(status.stdout) === true,
          status,
        );
      }
      if (random() < 0.3) {
        await closes();
        await machine.cut();
        cuts++;
        await machine.boot();
        booted = Date.now();
      }
    }
    await closes();
    proof.note(
      `day: ${all} runs, ${await this.runs()} of kubeadm, ${cuts} power failures; the status was compared ${said} times`,
    );
    machine.write('/var/lib/failure', 'none');
    machine.write(TOKEN_FILE, RIGHT);
    const hasJoined = async (): Promise<boolean> => (await machine.sh(`${COMMAND} status`)).status === 0;
    await proof.eventually(
      'day: when nothing fails any more, it joins within the longest pause',
      hasJoined,
      LONGEST + LATE,
    );
    await this.isOff();
  }

  /** The machine was off until its certificate had expired. */
  private async isOff(): Promise<void> {
    const { proof, machine } = this;
    const before = await this.runs();
    await wait(30);
    proof.same('day: after the join it runs no more', await this.runs(), before);
    const made = await machine.sh(EXPIRED);
    proof.same('(an expired certificate is made)', made.status, 0);
    this.journals.push((await machine.sh('journalctl --no-pager')).stdout);
    await machine.cut();
    await machine.boot();
    await proof.eventually(
      'rejoinExpired: at a boot with an expired certificate it joins again, by itself',
      async () => (await this.runs()) === before + 1 && (await machine.sh(`${COMMAND} status`)).status === 0,
      60,
    );
    const { stdout } = await machine.sh(
      'cat /var/lib/left; ls /etc/kubernetes /etc/tmpfiles.d; systemctl list-units --failed --plain --no-legend',
    );
    proof.same(
      'day: no run has met files of another one, and nothing is left',
      stdout.includes('former join') || stdout.includes('bootstrap') || stdout.includes('edge-nodepools'),
      false,
    );
    this.journals.push((await machine.sh('journalctl --no-pager')).stdout);
    const journals = this.journals.join('\n');
    proof.same(
      'day: no journal of any boot has a token',
      [RIGHT, WRONG].filter((text) => journals.includes(text)),
      [],
    );
    proof.that(
      '(the journals have the output of kubeadm)',
      journals.includes('kubeadm was given (token)'),
      journals.slice(-2000),
    );
    proof.same('day: no file has a token, but the one of the user and the substitute', this.holders(), [
      'bin/kubeadm',
      'lib/edge/join-token',
    ]);
  }

  private async runs(): Promise<number> {
    return Number((await this.machine.sh('cat /var/lib/runs 2>/dev/null | wc -l')).stdout);
  }

  /** Runs of the service, of which some do not come to kubeadm. */
  private async tries(): Promise<number> {
    return Number(/\((\d+) runs since/.exec((await this.machine.sh(`${COMMAND} status`)).stdout)?.[1]);
  }

  private holders(): string[] {
    const { folder } = this.machine;
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => pathOf(entry.parentPath, entry.name))
      .filter((path) => [RIGHT, WRONG].some((text) => readFileSync(path, 'latin1').includes(text)))
      .map((path) => path.slice(folder.length + 1))
      .sort();
  }
}
