import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf, resolve } from 'node:path';
import { JoinToken, type NodeJoinProps } from 'edge-nodepools';
import { declareJoin } from '../../../properties/join-arbitraries.js';
import type { Group, Proof } from '../../harness/group.js';

const HARNESS = resolve(__dirname, '..', '..', 'harness');
/** The last one takes long to install. */
const VERSIONS = ['1.36.1', '1.36.2', '1.36.4', '1.36.9'] as const;

/** What an update needs besides the packages. The health of kubelet depends on its version. */
const PROGRAMS: Readonly<Record<string, string>> = {
  systemctl: ':',
  kubectl: `case $* in */version) echo '{ "gitVersion": "v1.36.9" }' ;; esac`,
  curl: `case $* in *healthz*) [ "$(kubelet --version)" != "$(cat /run/broken 2>/dev/null)" ] ;; *) exec /usr/bin/curl "$@" ;; esac`,
};

const versions = (step: string): string =>
  `echo "${step}: $? $(kubelet --version 2>/dev/null) $(rpm -q kubelet kubeadm | tr '\\n' ' ')"`;

const STEPS = `
exec 2> /run/said
update() { sh -s < "$folder/$1.sh" > /run/output 2>&1; }
update 1.36.1
${versions('installs')}
update 1.36.2
${versions('updates')}
dnf -y upgrade > /run/output 2>&1
${versions('an upgrade of the system')}
echo 'Kubernetes v1.36.4' > /run/broken
update 1.36.4
${versions('is taken back')}
rm /run/broken
rpm -e --justdb --nodeps kubeadm
update 1.36.4
${versions('a package is missing')}
update 1.36.2
${versions('downgrades a patch release')}
sh -s < "$folder/1.36.9.sh" > /run/output 2>&1 &
update=$!
until [ "$(rpm -q kubelet | wc -l)" = 2 ]; do sleep 0.2; done
pkill -KILL -x dnf; kill -KILL $update
wait $update
${versions('a power failure in a transaction')}
: > /run/quick
update refused
${versions('the next run')}
update 1.36.9
${versions('and the one after it')}
rm -f /etc/dnf/plugins/versionlock.list
dnf versionlock add kubelet > /run/output 2>&1
update 1.36.2
${versions('a lock of the user')}
grep -c 'the packages cannot be installed' /run/output
`;

const both = (version: string): string => `kubelet-${version}-150500.1.1.noarch kubeadm-${version}-150500.1.1.noarch`;
const EXPECTED = [
  `installs: 0 Kubernetes v1.36.1 ${both('1.36.1')}`,
  `updates: 0 Kubernetes v1.36.2 ${both('1.36.2')}`,
  `an upgrade of the system: 0 Kubernetes v1.36.2 ${both('1.36.2')}`,
  `is taken back: 70 Kubernetes v1.36.2 ${both('1.36.2')}`,
  `a package is missing: 0 Kubernetes v1.36.4 ${both('1.36.4')}`,
  `downgrades a patch release: 0 Kubernetes v1.36.2 ${both('1.36.2')}`,
  'a power failure in a transaction: 137 Kubernetes v1.36.9 kubelet-1.36.2-150500.1.1.noarch kubelet-1.36.9-150500.1.1.noarch kubeadm-1.36.2-150500.1.1.noarch',
  `the next run: 78 Kubernetes v1.36.2 ${both('1.36.2')}`,
  `and the one after it: 0 Kubernetes v1.36.9 ${both('1.36.9')}`,
  `a lock of the user: 70 Kubernetes v1.36.9 ${both('1.36.9')}`,
  '1',
];

function updateOf(version: string, props: Partial<NodeJoinProps> = {}): string {
  return (
    declareJoin(
      { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' },
      JoinToken.fromFile('/var/lib/edge/join-token'),
      {
        nodeName: 'till-1',
        timeouts: { kubeletHealthCheck: '5s' },
        packages: { manager: 'dnf', version, repository: 'http://127.0.0.1:8099' },
        ...props,
      },
    ).join.updateScript ?? ''
  );
}

function run(proof: Proof, folder: string): void {
  mkdirSync(pathOf(folder, 'programs'));
  for (const [name, body] of Object.entries(PROGRAMS)) {
    const path = pathOf(folder, 'programs', name);
    writeFileSync(path, `#!/bin/sh\n${body}\n`);
    chmodSync(path, 0o755);
  }
  VERSIONS.forEach((version) => writeFileSync(pathOf(folder, `${version}.sh`), updateOf(version)));
  writeFileSync(pathOf(folder, 'refused.sh'), updateOf('1.36.9', { taints: [{ key: 'a', effect: 'NoExecute' }] }));
  writeFileSync(pathOf(folder, 'steps.sh'), STEPS);
  const repository = spawnSync('sh', [pathOf(HARNESS, 'rpm-repository.sh'), folder, ...VERSIONS], { encoding: 'utf8' });
  proof.that('(the repository is made)', repository.status === 0, repository.stderr);
  const { stdout, stderr } = spawnSync(
    'unshare',
    ['--mount', '--net', '--pid', '--fork', 'sh', pathOf(HARNESS, 'dnf-machine.sh'), folder],
    { encoding: 'utf8', timeout: 300_000 },
  );
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.trim());
  EXPECTED.forEach((line, index) => proof.same(`dnf: ${line.split(':')[0] ?? ''}`, lines[index], line));
  if (lines.length !== EXPECTED.length) {
    proof.that('dnf: all steps are run', false, stderr);
  }
}

export const dnf: Group = {
  name: 'dnf',
  claim:
    'an update installs kubelet and kubeadm with the real dnf; an upgrade of the system keeps them, a downgrade and the way back from a kubelet that is not healthy work, also after a power failure in the middle of a transaction, which leaves two versions',
  programs:
    'dnf 4, rpm and createrepo_c of this machine, with packages of its own; kubelet and kubeadm are substitutes',
  tools: [],
  needs: ['linux', 'root', 'namespaces', 'dnf', 'curl'],
  run: (proof) => {
    const folder = mkdtempSync(pathOf(tmpdir(), 'edge-nodepools-e2e-'));
    try {
      run(proof, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return Promise.resolve();
  },
};
