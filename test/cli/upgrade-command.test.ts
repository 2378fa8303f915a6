import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../src/cli/main.js';
import { corednsConfigMap, corednsDeployment } from '../corpus/kube-system.js';
import { configMap, dumpOf } from '../adopt/dump.js';

/** A CA, and its hash by `openssl x509 -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256`. */
const CA = {
  certificate: `-----BEGIN CERTIFICATE-----
MIIBgTCCASegAwIBAgIUGwZoOQXS6vxWry+GN/WsEtOGYmowCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKa3ViZXJuZXRlczAgFw0yNjExMjIxMDA5MzhaGA8yMTI2MTAy
OTEwMDkzOFowFTETMBEGA1UEAwwKa3ViZXJuZXRlczBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABNxDF65jGh6+XWletS9+L79R8KpQgXh7ScldAifRLg6vGEm2tkXL
8ENshoZrcatrNxd7Oqd6fHjr3AdHglTs5i6jUzBRMB0GA1UdDgQWBBTHfGi61NNy
KUzwb8silY3wkA1TPTAfBgNVHSMEGDAWgBTHfGi61NNyKUzwb8silY3wkA1TPTAP
BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQDnGEZeWRBrs7vcx9Vz
rmgUhV8TSqsvPOY5zHR+f7ryfgIgbzqnBkczPJBiuM8KNkNMOGBRmgXaJ9d8WnRJ
ZhZRTpw=
-----END CERTIFICATE-----
`,
  hash: 'sha256:a617b0661d0832edcd721750fa2af023195b58da9d7be02a571313a9a8512ef4',
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function upgrade(
  args: readonly string[],
  objects: readonly any[] = dumpOf('1.5', '1.30'),
): { code: number; out: string; err: string } {
  let [out, err] = ['', ''];
  const code = main(['upgrade', ...args], {
    stdin: () => JSON.stringify({ kind: 'List', apiVersion: 'v1', items: objects }),
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
  });
  return { code, out, err };
}

const from15 = (): string[] => [
  '--dump=-',
  '--from=1.5',
  '--to=1.7.0',
  '--kubernetes=1.30..1.31',
  `--out=${folder}/plan`,
];

describe('edge-nodepools upgrade', () => {
  it('writes executable scripts and prints every step with its rollback', () => {
    const { code, out, err } = upgrade(from15());
    expect([code, err]).toEqual([0, '']);
    const scripts = readdirSync(join(folder, 'plan', 'steps')).sort();
    expect(scripts[1]).toBe('02-annotate-pools.sh');
    for (const name of scripts) {
      expect(statSync(join(folder, 'plan', 'steps', name)).mode & 0o777).toBe(0o755);
      expect(out).toContain(name.replace(/\.sh$/, ''));
    }
    expect(out.match(/^ {4}rollback: /gm)).toHaveLength(scripts.length);
    expect(out).toContain(`run: sh ${folder}/plan/upgrade.sh`);
    expect(readFileSync(join(folder, 'plan', 'plan.txt'), 'utf8')).toBe(out);
  });

  it('shows what a person does, and the configuration of kubeadm that changes', () => {
    const { out } = upgrade(from15());
    expect(out).toMatch(/^control-plane|by hand: control-plane/m);
    expect(out).toContain('    - convert your kubeadm configuration files to v1beta4: kubeadm config migrate');
    expect(out).not.toContain('- mkdir');
    // commands are copied, and stay whole
    const prose = out.split('\n').filter((line) => !/^ {4}- |rollback: sh |^run: /.test(line));
    expect(prose.filter((line) => line.length > 100)).toEqual([]);
  });

  it('writes JSON, and the same again', () => {
    const [one, two] = [upgrade([...from15(), '--json']), upgrade([...from15(), '--json'])];
    expect(one).toEqual(two);
    const { steps, files } = JSON.parse(one.out);
    expect(steps.map(({ id }: any) => id)).toContain('control-plane-1.31');
    expect(files.every((file: string) => existsSync(file))).toBe(true);
  });

  it('writes nothing if there is nothing to do', () => {
    const { code, out } = upgrade(['--dump=-', '--from=1.5', '--kubernetes=1.30', `--out=${folder}/plan`]);
    expect([code, out.includes('nothing to do'), existsSync(join(folder, 'plan'))]).toEqual([0, true, false]);
  });

  it.each([
    ['without --from', ['--dump=-'], 'write --dump'],
    ['three minors', ['--dump=-', '--from=1.5', '--kubernetes=1.30..1.31..1.32'], '--kubernetes 1.30..1.34'],
    ['a range with a dash', ['--dump=-', '--from=1.5', '--kubernetes=1.30-1.34'], '--kubernetes 1.30..1.34'],
    [
      'half a hash',
      ['--dump=-', '--from=1.5', '--to=1.7', '--kubernetes=1.30', '--ca-cert-hash=sha256:abc'],
      'EDGE_CA_CERT_HASH',
    ],
    ['an unknown release', ['--dump=-', '--from=1.5', '--to=2.0', '--kubernetes=1.30'], 'EDGE_NEWER_RELEASE'],
    ['a downgrade', ['--dump=-', '--from=1.5', '--to=1.4', '--kubernetes=1.30'], 'EDGE_UPGRADE'],
    ['a downgrade of Kubernetes', ['--dump=-', '--from=1.5', '--kubernetes=1.30..1.29'], '--kubernetes 1.29..1.30'],
    [
      'the name of another cluster',
      [...['--dump=-', '--from=1.5', '--to=1.7', '--kubernetes=1.30'], '--cluster-name=office'],
      'the dump is of "edge", not of "office"',
    ],
    [
      'a hash that the dump does not show',
      [...['--dump=-', '--from=1.5', '--to=1.7', '--kubernetes=1.30'], `--ca-cert-hash=sha256:${'0'.repeat(64)}`],
      'EDGE_MISSING',
    ],
  ])('%s: an error, and nothing is written', (_, args, message) => {
    const { code, out, err } = upgrade([...args, `--out=${folder}/plan`]);
    expect([code, out, existsSync(join(folder, 'plan'))]).toEqual([2, '', false]);
    expect(err).toContain(message);
    const codes = [...err.matchAll(/^ {2}(EDGE_\w+)/gm)].map(([, code = '']) => `#${code.toLowerCase()}`);
    const see = `  see node_modules/edge-nodepools/docs/troubleshooting.md${[...new Set(codes)].join(' ')}\n`;
    expect(err.endsWith(see)).toBe(codes.length > 0);
  });

  it('says where to read about a warning', () => {
    const { out } = upgrade([
      '--dump=-',
      '--from=1.5',
      '--to=1.7.0',
      '--kubernetes=1.30..1.35',
      `--out=${folder}/plan`,
    ]);
    expect(out).toMatch(
      /^warning:\n {2}EDGE_UNCLAIMED_PAIR [^]*^ {2}see \S+\/docs\/troubleshooting\.md#edge_unclaimed_pair$/m,
    );
  });

  it('replaces a plan that nobody has begun, with all its steps', () => {
    upgrade(from15());
    upgrade(['--dump=-', '--from=1.5', '--to=1.6', '--kubernetes=1.30', `--out=${folder}/plan`]);
    const steps = readdirSync(join(folder, 'plan', 'steps'));
    expect(steps.filter((name) => /keep-nodes|1\.31/.test(name))).toEqual([]);
    expect(readdirSync(join(folder, 'plan', 'files'))).toEqual(['webhooks.txt']);
  });

  it('does not overwrite the plan of an upgrade that has begun', () => {
    upgrade(from15());
    writeFileSync(join(folder, 'plan', 'cluster.sh'), 'mine');
    expect(upgrade(from15()).code).toBe(0);
    expect(readFileSync(join(folder, 'plan', 'cluster.sh'), 'utf8')).not.toBe('mine');
    writeFileSync(join(folder, 'plan', 'done'), '');
    const { code, err } = upgrade(from15());
    expect([code, err.includes('run ') && err.includes('upgrade.sh again')]).toEqual([2, true]);
  });

  it('speaks of its own options, and leaves names as they are', () => {
    const text = 'clusterName: kubernetes\nkubernetesVersion: v1.30.4\n';
    const objects = dumpOf('1.5', '1.30').map((object) =>
      object.kind === 'ConfigMap' ? { ...object, data: { ClusterConfiguration: text } } : object,
    );
    expect(upgrade([...from15(), '--cluster-name=office'], objects).err).toContain(
      'the dump is of "kubernetes", not of "office"',
    );
    for (const [from, to, minors, said] of [
      ['1.5', '1.8', '1.30', /--to: OpenYurt 1\.8 is newer[^]*-> update edge-nodepools\n/],
      ['1.3', '1.7', '1.30', /--from: OpenYurt 1\.3 is not supported/],
      ['1.30', '1.34', '1.5..1.7', /--from and --kubernetes are swapped: write --from 1\.5, --kubernetes 1\.30/],
      ['1.5', '1.4', '1.30', /EDGE_UPGRADE {2}--to: /],
      ['1.5', '1.7', '1.30..1.99', /--kubernetes: Kubernetes 1\.99 is newer[^]*-> update edge-nodepools\n/],
    ] as const) {
      const { code, err } = upgrade(['--dump=-', `--from=${from}`, `--to=${to}`, `--kubernetes=${minors}`]);
      expect([code, err]).toEqual([2, expect.stringMatching(said)]);
      expect(err).not.toMatch(/--openyurt|--allow-newer/);
    }
  });

  it('reads the cluster of the dump from its CA, as kubeadm prints the hash', () => {
    const info = (data: string): any =>
      configMap('kube-public', 'cluster-info', {
        kubeconfig: `clusters:\n- cluster:\n    certificate-authority-data: ${data}\n`,
      });
    const { certificate, hash } = CA;
    const objects = [...dumpOf('1.5', '1.30'), info(Buffer.from(certificate).toString('base64'))];
    expect(upgrade([...from15(), `--ca-cert-hash=${hash}`], objects).code).toBe(0);
    const other = upgrade([...from15(), `--ca-cert-hash=sha256:${'0'.repeat(64)}`], objects);
    expect(other.err).toContain(`EDGE_WRONG_CLUSTER  dump: the dump is of "${hash}"`);
    const broken = [...dumpOf('1.5', '1.30'), info('AAAA')];
    expect(upgrade([...from15(), `--ca-cert-hash=${hash}`], broken).err).toContain('EDGE_MISSING');
  });
});

describe('the folder of --out', () => {
  const preconditions = (): string[] => [
    'preconditions',
    '--dump=-',
    '--openyurt=1.5',
    '--kubernetes=1.28',
    '--guide=tunnel',
    `--out=${folder}/plan`,
  ];

  it.each([
    ['upgrade', (): string[] => ['upgrade', ...from15()], 'steps', 'plan.txt'],
    ['preconditions', preconditions, 'apply', 'preconditions.ts'],
  ] as const)('of %s is not left through a symbolic link', (name, args, inner, file) => {
    const [out, elsewhere, target] = [`${folder}/plan`, `${folder}/elsewhere`, `${folder}/target`];
    const objects = name === 'upgrade' ? dumpOf('1.5', '1.30') : [corednsDeployment(), corednsConfigMap()];
    const run = (): { code: number; err: string } => {
      let err = '';
      const code = main([...args()], {
        stdin: () => JSON.stringify({ kind: 'List', apiVersion: 'v1', items: objects }),
        stdout: () => undefined,
        stderr: (text) => (err += text),
      });
      return { code, err };
    };
    expect(run().err).toBe('');
    expect(readdirSync(out)).toEqual(expect.arrayContaining([inner, file]));

    // a link in place of a file is replaced, its target is not written
    rmSync(out, { recursive: true });
    mkdirSync(out);
    writeFileSync(target, 'kept');
    symlinkSync(target, join(out, file));
    run();
    expect([readFileSync(target, 'utf8'), lstatSync(join(out, file)).isFile()]).toEqual(['kept', true]);

    // a folder that is a link is refused
    rmSync(out, { recursive: true });
    mkdirSync(out);
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(out, inner));
    const { code, err } = run();
    expect([code, err]).toEqual([2, expect.stringContaining('is a symbolic link')]);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});
