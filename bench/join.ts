/**
 * npm run bench:join: how long a machine takes from its boot to Ready with our user-data, against a bare `kubeadm join`.
 *
 * Everything is measured in one run against one control plane, in turn, on one machine that leaves the cluster after each join. The bare variants
 * get the loopback CNI too, because no node is Ready without one. Figures are medians in seconds; only the ratios matter.
 */
import { JoinToken } from 'edge-nodepools';
import { Declared } from '../test/e2e/groups/join/declared.js';
import { isReady, JoinProof } from '../test/e2e/groups/join/proof.js';
import type { CloudMachine } from '../test/e2e/harness/cloud-machine.js';
import { Proof } from '../test/e2e/harness/group.js';
import { JoinSite } from '../test/e2e/harness/join-site.js';
import { stopProgramsAtExit } from '../test/e2e/harness/program.js';
import { goVersion } from '../test/e2e/harness/tool.js';
import { buildTools } from '../test/e2e/harness/tool-builds.js';

const ROUNDS = Number(process.env.ROUNDS ?? '21');
const TARGET = 1.05;
const TOKEN_FILE = '/var/lib/edge/join-token';
const CNI = '/etc/cni/net.d/0-loopback.conflist';
const LOOPBACK = '{"cniVersion":"1.0.0","name":"lo","plugins":[{"type":"loopback"}]}';

type Variant = 'bare boot' | 'our boot' | 'bare shell' | 'our script';

/** As printed: the third decimal is noise. */
const isMet = (ratio: number): boolean => Number(ratio.toFixed(2)) <= TARGET;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

class JoinBench {
  private rounds = 0;
  private readonly declared: Declared;

  constructor(
    private readonly site: JoinSite,
    private readonly machine: CloudMachine,
    private readonly joins: JoinProof,
  ) {
    this.declared = new Declared(site.plane.caCertHash);
  }

  /** Seconds from the start of a variant until the control plane calls the node Ready. */
  public async measure(variant: Variant): Promise<number> {
    const { machine, site, joins } = this;
    this.rounds += 1;
    const token = await joins.newToken();
    await machine.room.write(TOKEN_FILE, token, '0600');
    const bare = `kubeadm join 192.0.2.10:6443 --token ${token} --discovery-token-ca-cert-hash ${site.plane.caCertHash} --cri-socket unix:///run/containerd/containerd.sock --ignore-preflight-errors=FileContent--proc-sys-net-ipv4-ip_forward`;
    const join = this.declared.join(JoinToken.fromFile(TOKEN_FILE));
    const bareFile = [
      '#cloud-config',
      `write_files: [{ path: ${CNI}, content: '${LOOPBACK}' }]`,
      `runcmd: [[sh, -c, '${bare}']]`,
      '',
    ].join('\n');
    const run: Readonly<Record<Variant, () => Promise<{ readonly status: number }>>> = {
      'bare boot': () => machine.boot(bareFile, `i-bench-${this.rounds}`),
      'our boot': () => machine.boot(join.userData, `i-bench-${this.rounds}`),
      'bare shell': () => machine.sh(`echo '${LOOPBACK}' > ${CNI}; ${bare}`),
      'our script': () => machine.sh('sh /run/join.sh'),
    };
    await machine.room.write('/run/join.sh', join.script);
    const begin = process.hrtime.bigint();
    const { status } = await run[variant]();
    while (!isReady(await site.plane.get('node', machine.room.name))) {
      if (process.hrtime.bigint() - begin > 90_000_000_000n) {
        throw new Error(`${variant}: not Ready within 90 s`);
      }
    }
    const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
    if (status !== 0) {
      throw new Error(`${variant}: status ${status}`);
    }
    await joins.leaves(machine);
    await machine.sh(`rm -f ${CNI}`);
    return seconds;
  }
}

async function main(): Promise<number> {
  if (goVersion() === undefined || process.platform !== 'linux' || process.getuid?.() !== 0) {
    console.log('skipped, because it needs Go, Linux and root');
    return 0;
  }
  stopProgramsAtExit();
  await buildTools(JoinSite.TOOLS, console.log);
  const site = await JoinSite.open();
  const variants: readonly Variant[] = ['bare boot', 'our boot', 'bare shell', 'our script'];
  const times = new Map<Variant, number[]>(variants.map((variant) => [variant, []]));
  try {
    const proof = new Proof(console.log);
    const joins = new JoinProof(site, proof);
    const bench = new JoinBench(site, await site.newMachine('edge1'), joins);
    // the first round warms the caches of all of them, and another one begins each round
    for (let round = -1; round < ROUNDS; round++) {
      for (const index of variants.keys()) {
        const variant = variants[(index + round + 1) % variants.length] as Variant;
        const seconds = await bench.measure(variant);
        if (round >= 0) {
          times.get(variant)?.push(seconds);
        }
      }
    }
    if (proof.failures.length > 0) {
      throw new Error(proof.failures.join('\n'));
    }
  } finally {
    await site.close();
  }
  const of = (variant: Variant): number => median(times.get(variant) ?? []);
  console.log(`\nTo Ready, median of ${ROUNDS}, seconds`);
  console.table(
    Object.fromEntries(
      variants.map((variant) => {
        const all = times.get(variant) ?? [];
        return [
          variant,
          { median: of(variant).toFixed(2), least: Math.min(...all).toFixed(2), most: Math.max(...all).toFixed(2) },
        ];
      }),
    ),
  );
  const verdicts = [
    { claim: 'our user-data <= 1.1x a cloud-config with a bare kubeadm join', ratio: of('our boot') / of('bare boot') },
    { claim: 'our script <= 1.1x a bare kubeadm join in a shell', ratio: of('our script') / of('bare shell') },
  ];
  verdicts.forEach(({ claim, ratio }) =>
    console.log(`${isMet(ratio) ? 'met   ' : 'MISSED'} ${claim}: ${ratio.toFixed(2)}x`),
  );
  return verdicts.every(({ ratio }) => isMet(ratio)) ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
