import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { NodeJoin } from 'edge-nodepools';
import { declareJoin, joinOptions, tokenKind, tokenOf, tokenText, WAYS } from '../../../properties/join-arbitraries.js';
import type { Group, Proof } from '../../harness/group.js';
import { kubernetesTool, pathOf, type Tool } from '../../harness/tool.js';

const KUBEADM = kubernetesTool('kubeadm', '1.36');

const YURTADM: Tool = {
  name: 'yurtadm',
  module: 'yurtadm-1.7',
  package: 'github.com/openyurtio/openyurt/cmd/yurtadm',
};

const TOKEN = 'k3x9q2.7v1m0c8z4b6n5j2h';
const KINDS = ['inline', 'file', 'command', 'secret'] as const;

const SERVICE = '/var/lib/edge-nodepools/service.sh';
const HOOK = '/var/lib/cloud/scripts/per-boot/edge-nodepools-join';

/** Number of joins with random options, in addition to the matrix. */
const RANDOM = 30;

/** A join and its description. */
interface Sample {
  readonly about: string;
  readonly join: NodeJoin;
}

function matrix(): Sample[] {
  return WAYS.flatMap((way) =>
    KINDS.map((kind) => ({
      about: `OpenYurt ${way.openYurt}, Kubernetes ${way.kubernetes}, ${way.via ?? 'default'}, token by ${kind}`,
      join: declareJoin(way, tokenOf(kind, TOKEN)).join,
    })),
  );
}

function random(): Sample[] {
  const options = fc.record({ way: fc.constantFrom(...WAYS), kind: tokenKind, text: tokenText, props: joinOptions });
  return fc.sample(options, { numRuns: RANDOM, seed: 7 }).map(({ way, kind, text, props }, index) => ({
    about: `options of chance, ${index}`,
    join: declareJoin(way, tokenOf(kind, text), props).join,
  }));
}

/** The error of a program about a file; undefined if it accepts the file. */
function refusal(command: string, args: readonly string[], accepts: RegExp): string | undefined {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return status === 0 && accepts.test(`${stdout}${stderr}`) ? undefined : `${stdout}${stderr}`;
}

function byCloudInit(file: string): string | undefined {
  return refusal('cloud-init', ['schema', '--config-file', file], /^Valid /m);
}

function byKubeadm(file: string): string | undefined {
  return refusal(pathOf(KUBEADM), ['config', 'validate', '--config', file], /^ok$/m);
}

const documentOf = ({ join: { files } }: Sample): string | undefined =>
  files.find(({ path }) => path.endsWith('/join.yaml'))?.content;

/** The shell and PyYAML return every file byte for byte. */
const READ_BACK = `
import json, sys, yaml
config = yaml.safe_load(open(sys.argv[1], encoding='utf-8'))
print(json.dumps([[f['path'], f['content'], f['permissions']] for f in config['write_files']] + [config['runcmd']]))
`;

function readBack(sample: Sample, file: string, proof: Proof): void {
  const { stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', READ_BACK, file], { encoding: 'utf8' });
  const [hook, ...seen] = stdout === '' ? [[stderr]] : (JSON.parse(stdout) as readonly (readonly string[])[]);
  const command = sample.join.files.some(({ path }) => path === SERVICE)
    ? ['sh', SERVICE, 'start']
    : ['sh', '/var/lib/edge-nodepools/join.sh'];
  proof.same(`${sample.about}: PyYAML, which cloud-init uses, reads back every file to the byte`, seen, [
    ...sample.join.files.map(({ path, content, permissions }) => [path, content, permissions.padStart(4, '0')]),
    [command],
  ]);
  proof.same(
    `${sample.about}: the first file runs the same command at later boots`,
    [hook?.[0], hook?.[1]?.split('\n').slice(-2), hook?.[2]],
    [HOOK, [`exec ${command.join(' ')}`, ''], '0755'],
  );
}

/** The script writes the same files as the cloud-config: run without its last line, below another root. */
function writesFiles(sample: Sample, folder: string, proof: Proof): void {
  const root = join(folder, 'root');
  mkdirSync(root);
  const paths = sample.join.files.map(({ path }) => path);
  // longest first, so that no path is replaced as the prefix of another
  const moved = [...paths, ...paths.map((path) => path.slice(0, path.lastIndexOf('/')) || '/')]
    .sort((a, b) => b.length - a.length)
    .reduce((text, path) => text.replaceAll(` '${path}'`, ` '${root}${path}'`), sample.join.script);
  // without lines that write no file: the check for root, the lock, the restart of timesyncd, the handling of the token, the join
  const script = [
    /^exec \$start\n$/m,
    /^case \$0 in$[^]*?^esac$/m,
    /^\[ "\$\(id -u\)".*$/m,
    /^lock$/m,
    /^unlock$/m,
    /^command -v systemctl .*$/m,
    /^if \[ -s "\$conf" \].*$/m,
    /^if \[ -d \$\{hook%.*$/m,
    /^(trap .*\n){4}/m,
  ].reduce((text, line) => text.replace(line, ''), moved);
  const ran = spawnSync('sh', { input: script, encoding: 'utf8' });
  const seen = spawnSync(
    'sh',
    [
      '-c',
      'for f in "$@"; do cat "$f"; printf "|%s|" "$(stat -c %a "$f")"; done',
      'sh',
      ...paths.map((path) => root + path),
    ],
    {
      encoding: 'utf8',
    },
  );
  const expected = sample.join.files.map(({ content, permissions }) => `${content}|${permissions.replace(/^0/, '')}|`);
  // the content of files may contain their paths, which were replaced, too
  proof.same(
    `${sample.about}: the script writes every file to the byte, with its mode`,
    [ran.status, seen.stdout.replaceAll(root, '')],
    [0, expected.join('')],
  );
  rmSync(root, { recursive: true });
}

function yurtadmParses(proof: Proof): void {
  const run = (args: readonly string[]): { readonly status: number | null; readonly said: string } => {
    const { status, stdout, stderr } = spawnSync(pathOf(YURTADM), args, { encoding: 'utf8' });
    return { status, said: `${stdout}${stderr}` };
  };
  for (const membership of ['node-labels', 'nodepool-name'] as const) {
    const { join: made } = declareJoin(
      { openYurt: '1.7', kubernetes: '1.34', via: 'yurtadm' },
      tokenOf('inline', TOKEN),
      {
        nodeName: 'edge-1',
        sandboxImage: 'registry.example/pause:3.10',
        ignorePreflightErrors: ['Swap', 'NumCPU'],
        yurtadm: { membership, namespace: 'kube-system', kubernetesResourceServer: 'dl.example' },
      },
    );
    const script = made.files.find(({ path }) => path.endsWith('/join.sh'))?.content ?? '';
    const argumentsOf = /^yurtadm_arguments=('[^']*'(\\\n)?)+$/m.exec(script)?.[0] ?? '';
    const joins = /^join\(\) \($[^]*?^\)$/m.exec(script)?.[0] ?? '';
    // the words as the shell makes them of it, one per line
    const words = spawnSync(
      'sh',
      [
        '-c',
        `yurtadm() { printf '%s\\n' "$@" >&2; }; mkdir() { :; }; rm() { :; }; mark=/dev/null token=${TOKEN}\n${argumentsOf}\n${joins}\njoin`,
      ],
      { encoding: 'utf8' },
    );
    const args = words.stderr.trimEnd().split('\n');
    proof.that(
      `yurtadm 1.7.0 knows every flag of our command line (${membership})`,
      args.length > 8 && run([...args, '--help']).status === 0,
      run([...args, '--help']),
    );
    const bad = args.map((word) => (word.startsWith('--token=') ? '--token=nonsense' : word));
    proof.that(
      `(and it does read them: a token without the form of one is refused, ${membership})`,
      /not of the form/.test(run(bad).said),
      run(bad),
    );
  }
  proof.that(
    '(a flag that it does not have is refused)',
    run(['join', '192.0.2.10:6443', '--network-plugin=cni', '--help']).status !== 0,
  );
  proof.that(
    'yurtadm 1.7.0 knows the flags of the leave script',
    run(['reset', '--force', '--cri-socket=unix:///run/containerd/containerd.sock', '--help']).status === 0,
  );
}

export const cloudInit: Group = {
  name: 'cloud-init',
  claim:
    'every user-data of every pair of releases, and of random options with hostile text, is valid for cloud-init and parsed back byte for byte; every JoinConfiguration is valid for kubeadm; yurtadm knows all flags of our command line',
  programs: 'cloud-init schema, PyYAML, kubeadm 1.36 config validate, yurtadm 1.7.0',
  tools: [KUBEADM, YURTADM],
  needs: ['linux', 'cloud-init'],
  run: (proof) => {
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-e2e-'));
    try {
      for (const [index, sample] of [...matrix(), ...random()].entries()) {
        const file = join(folder, `${index}.yaml`);
        writeFileSync(file, sample.join.userData);
        const refused = byCloudInit(file);
        proof.that(`${sample.about}: cloud-init schema`, refused === undefined, refused);
        readBack(sample, file, proof);
        writesFiles(sample, folder, proof);
        const document = documentOf(sample);
        if (document !== undefined) {
          writeFileSync(file, document);
          const no = byKubeadm(file);
          proof.that(`${sample.about}: kubeadm config validate`, no === undefined, no);
        }
      }
      canFail(folder, proof);
      yurtadmParses(proof);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return Promise.resolve();
  },
};

/** The programs refuse invalid input. */
function canFail(folder: string, proof: Proof): void {
  const { join: made } = declareJoin(
    { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' },
    tokenOf('inline', TOKEN),
  );
  const file = join(folder, 'wrong.yaml');
  writeFileSync(file, made.userData.replace('permissions: "0644"', 'permissions: 0644'));
  proof.that('(cloud-init refuses a mode without quotes)', byCloudInit(file) !== undefined);
  const document = made.files.find(({ path }) => path.endsWith('/join.yaml'))?.content ?? '';
  writeFileSync(file, document.replace('v1beta4', 'v1beta3'));
  proof.that('(kubeadm refuses a list of arguments in v1beta3)', byKubeadm(file) !== undefined);
}
