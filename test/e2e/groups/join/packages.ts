import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { JoinToken, type NodeJoinProps } from 'edge-nodepools';
import type { NodePackages } from 'edge-nodepools/types';
import { openBareMachine } from '../../harness/bare-machine.js';
import { SUCCEEDS } from '../../../join/machine-folder.js';
import type { Group, Proof } from '../../harness/group.js';
import { Machine } from '../../harness/machine.js';
import { dockerRepository, flatRepository, rpmRepository, SigningKey } from '../../harness/package-repository.js';
import { type PackageProps, writeRpm } from '../../harness/packages.js';
import type { Ended, Room } from '../../harness/room.js';
import { Declared } from './declared.js';

const URL = 'http://127.0.0.1:8000';
const FOLDER = '/var/lib/edge/packages';

/** Does what kubelet and kubeadm leave. */
const KUBEADM = `#!/bin/sh
mkdir -p /etc/kubernetes
${SUCCEEDS}
`;

const program = (name: string, version: string, text = `#!/bin/sh\necho ${version}\n`): PackageProps => ({
  name,
  version,
  files: { [`/usr/bin/${name}`]: text },
});

/** kubelet and kubeadm in two versions, with what they depend on. */
const kube = (revision: string, dependency: string): readonly PackageProps[] => [
  ...['1.36.2', '1.36.3'].flatMap((version) => [
    { ...program('kubelet', `${version}-${revision}`), depends: dependency },
    program('kubeadm', `${version}-${revision}`, KUBEADM),
  ]),
  { name: 'kubernetes-cni', version: `1.8.0-${revision}`, files: {} },
];

const containerd = (end: string): readonly PackageProps[] =>
  [`1.7.27-1${end}`, `1.7.28-0${end}`].map((version) => ({
    ...program('containerd.io', version),
    conflicts: 'containerd',
  }));

const crio = (revision: string): readonly PackageProps[] =>
  ['1.36.1', '1.36.2'].map((version) => program('cri-o', `${version}-${revision}`));

/** Machines on which the real apt and dnf install. */
class Packages {
  private readonly declared = new Declared(`sha256:${'ab'.repeat(32)}`);

  constructor(
    private readonly proof: Proof,
    private readonly machine: Machine,
    private readonly folder: string,
    private readonly logs: string,
  ) {}

  private get repositories(): string {
    return pathOf(this.folder, 'repositories');
  }

  private async fresh(name: string): Promise<Room> {
    const room = await openBareMachine(this.machine, name, pathOf(this.folder, 'machine', name), this.logs);
    await room.write('/var/lib/edge/join-token', 'k3x9q2.7v1m0c8z4b6n5j2h', '0600');
    // Debian's dnf knows no release
    await room.write('/etc/dnf/vars/releasever', '12');
    // a plugin that makes a repository of its own, without a key
    await room.write('/etc/dnf/plugins/local.conf', '[main]\nenabled = false\n');
    return room;
  }

  private async joins(room: Room, packages: Partial<NodePackages>, props: Partial<NodeJoinProps> = {}): Promise<Ended> {
    const { script } = this.declared.join(JoinToken.fromFile('/var/lib/edge/join-token'), {
      packages: { manager: 'apt', version: '1.36.2', ...packages },
      ...props,
    });
    await room.write('/run/join.sh', script);
    // what a bare machine has is not what this is about
    await room.sh(
      'rm -f /run/systemctl; printf "#!/bin/sh\\necho \\"\\$*\\" >> /run/systemctl\\n" > /run/systemctl-only',
    );
    return room.sh(
      'mkdir -p /run/first && install -m 0755 /run/systemctl-only /run/first/systemctl; PATH=/run/first:$PATH sh /run/join.sh',
    );
  }

  public async run(): Promise<void> {
    const key = new SigningKey(this.folder);
    const other = new SigningKey(this.folder);
    try {
      const at = (name: string): string => pathOf(this.repositories, name);
      mkdirSync(this.repositories);
      flatRepository(at('k8s'), kube('1.1', 'kubernetes-cni (>= 1.2.0)'), key);
      dockerRepository(at('docker'), this.codename(), containerd('~debian'), key);
      flatRepository(at('crio'), crio('1.1'), key);
      rpmRepository(at('rpm-k8s'), at('rpm-k8s'), kube('150500.1.1', 'kubernetes-cni >= 1.2.0'), key);
      mkdirSync(at('rpm-docker'));
      const release = pathOf('12', process.arch === 'arm64' ? 'aarch64' : 'x86_64', 'stable');
      rpmRepository(pathOf(at('rpm-docker'), release), at('rpm-docker'), containerd('.el9'), key);
      const selinux = { name: 'container-selinux', version: '2.1-1', files: {} };
      rpmRepository(at('rpm-crio'), at('rpm-crio'), [...crio('1.1'), selinux], key);
      const server = this.machine.start('repositories', '/usr/bin/python3', [
        ...['-m', 'http.server', '8000', '--bind', '127.0.0.1', '--directory', this.repositories],
      ]);
      await server.ready(async () => (await this.machine.get(8000)).status === 200);
      await this.apt(other.armored, key.armored);
      await this.dnf();
      await this.dnfFolder();
    } finally {
      key.close();
      other.close();
    }
  }

  private codename(): string {
    return /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? '';
  }

  private async apt(wrong: string, right: string): Promise<void> {
    const { proof } = this;
    const room = await this.fresh('apt1');
    const docker = { name: 'containerd.io', version: '1.7.27', repository: `${URL}/docker` } as const;
    const packages = { repository: `${URL}/k8s`, runtime: docker };
    const gpg = pathOf(this.repositories, 'docker', 'gpg');
    writeFileSync(gpg, wrong);
    const refused = await this.joins(room, packages);
    proof.that(
      'apt: a repository that another key has signed installs nothing',
      refused.status !== 0 && (await room.sh('dpkg-query -W containerd.io kubelet')).stdout === '',
      refused,
    );
    writeFileSync(gpg, right);
    const ran = await this.joins(room, packages);
    proof.same(
      'apt: a join with containerd.io from Docker succeeds',
      [ran.status, ran.status === 0 ? '' : ran],
      [0, ''],
    );
    const state =
      "dpkg-query -W -f '${Package} ${Version}\\n' containerd.io cri-o kubeadm kubelet kubernetes-cni 2>/dev/null; apt-mark showhold";
    const expected =
      'containerd.io 1.7.27-1~debian\nkubeadm 1.36.2-1.1\nkubelet 1.36.2-1.1\nkubernetes-cni 1.8.0-1.1\ncontainerd.io\nkubeadm\nkubelet\n';
    proof.same('apt: in the wanted versions, and held', (await room.sh(state)).stdout, expected);
    const upgraded = await room.sh('DEBIAN_FRONTEND=noninteractive apt-get update && apt-get upgrade -y');
    proof.same(
      'apt: an upgrade of the system, for which newer ones are there, keeps them',
      [upgraded.status, (await room.sh(state)).stdout],
      [0, expected],
    );
    proof.that(
      'apt: the runtime starts at every boot, and is started when it is configured',
      /enable containerd\n(.*\n)*restart containerd\nstart containerd\n/.test(
        (await room.sh('cat /run/systemctl')).stdout,
      ),
    );
    const second = await this.fresh('apt2');
    const missing = await this.joins(second, { ...packages, runtime: { ...docker, version: '1.7.2' } });
    proof.that(
      'apt: a version that the repository does not have is an error that names it',
      missing.status === 65 && missing.stderr.includes('there is no containerd.io 1.7.2 in the repositories'),
      missing,
    );
    const withCrio = await this.joins(
      second,
      { repository: `${URL}/k8s`, runtime: { name: 'cri-o', repository: `${URL}/crio` } },
      { runtime: 'cri-o' },
    );
    proof.same(
      'apt: a join with CRI-O installs its newest version',
      [withCrio.status, (await second.sh(state)).stdout.split('\n')[0]],
      [0, 'cri-o 1.36.2-1.1'],
    );
  }

  private async dnf(): Promise<void> {
    const { proof } = this;
    const room = await this.fresh('dnf1');
    const state = 'rpm -qa kubelet kubeadm kubernetes-cni containerd.io cri-o container-selinux | sort';
    const expected =
      'containerd.io-1.7.27-1.el9.noarch\nkubeadm-1.36.2-150500.1.1.noarch\nkubelet-1.36.2-150500.1.1.noarch\nkubernetes-cni-1.8.0-150500.1.1.noarch\n';
    const ran = await this.joins(room, {
      manager: 'dnf',
      repository: `${URL}/rpm-k8s`,
      runtime: { name: 'containerd.io', version: '1.7.27', repository: `${URL}/rpm-docker` },
    });
    proof.same(
      'dnf: a join with containerd.io from Docker installs the wanted versions, with signatures checked',
      [ran.status, (await room.sh(state)).stdout, ran.status === 0 ? '' : ran],
      [0, expected, ''],
    );
    const upgraded = await room.sh('dnf upgrade -y');
    proof.same(
      'dnf: an upgrade of the system, for which newer ones are there, keeps them',
      [upgraded.status, (await room.sh(state)).stdout],
      [0, expected],
    );
    const second = await this.fresh('dnf2');
    const withCrio = await this.joins(
      second,
      { manager: 'dnf', repository: `${URL}/rpm-k8s`, runtime: { name: 'cri-o', repository: `${URL}/rpm-crio` } },
      { runtime: 'cri-o' },
    );
    proof.that(
      'dnf: a join with CRI-O installs its newest version, and the rules of SELinux',
      withCrio.status === 0 && /container-selinux-2.1-1.*\ncri-o-1.36.2-1.1/.test((await second.sh(state)).stdout),
      withCrio,
    );
  }

  private async dnfFolder(): Promise<void> {
    const { proof } = this;
    const room = await this.fresh('dnf3');
    const packages = pathOf(room.folder, 'lib', 'edge', 'packages');
    mkdirSync(packages, { recursive: true });
    const empty = await this.joins(room, { manager: 'dnf', folder: FOLDER });
    proof.that(
      'dnf: a folder without the version is an error that says what it has',
      empty.status === 66 && empty.stderr.includes('has no package of kubelet 1.36.2, but: none'),
      empty,
    );
    [
      ...kube('150500.1.1', 'kubernetes-cni >= 1.2.0'),
      { name: 'kubernetes-cni', version: '1.7.0-150500.1.1', files: {} },
      ...containerd('.el9'),
      { name: 'newer-here', version: '1.0-1', files: {} },
    ].forEach((props) => writeRpm(packages, props));
    mkdirSync(pathOf(room.folder, 'lib', 'here'));
    writeRpm(pathOf(room.folder, 'lib', 'here'), { name: 'newer-here', version: '2.0-1', files: {} });
    await room.sh("dnf install -y --disablerepo='*' /var/lib/here/*.rpm");
    const state = 'rpm -qa kubelet kubeadm kubernetes-cni containerd.io newer-here | sort';
    const ran = await this.joins(room, {
      manager: 'dnf',
      folder: FOLDER,
      runtime: { name: 'containerd.io', version: '1.7.27' },
    });
    const expected =
      'containerd.io-1.7.27-1.el9.noarch\nkubeadm-1.36.2-150500.1.1.noarch\nkubelet-1.36.2-150500.1.1.noarch\nkubernetes-cni-1.8.0-150500.1.1.noarch\nnewer-here-2.0-1.noarch\n';
    proof.same(
      'dnf: from a folder and without a repository come the wanted ones of several versions, and nothing is replaced by an older one',
      [ran.status, (await room.sh(state)).stdout, ran.status === 0 ? '' : ran],
      [0, expected, ''],
    );
    await room.sh('rm -f /etc/kubernetes/kubelet.conf');
    const again = await this.joins(room, {
      manager: 'dnf',
      folder: FOLDER,
      runtime: { name: 'containerd.io', version: '1.7.27' },
    });
    proof.that(
      'dnf: the second time nothing is left to do',
      again.status === 0 && again.stdout.includes('Nothing to do') && (await room.sh(state)).stdout === expected,
      again,
    );
  }
}

export const packages: Group = {
  name: 'join-packages',
  claim:
    'the real apt and dnf install kubelet, kubeadm and a container runtime in the wanted versions, from signed repositories laid out as those of Kubernetes, Docker and CRI-O, or from a folder without a network; an upgrade of the system keeps them',
  programs: 'apt, dpkg, dnf and rpm of this machine; the packages hold no real programs, and systemctl is a substitute',
  tools: [],
  needs: ['linux', 'root', 'iproute2', 'namespaces', 'curl', 'apt', 'dnf'],
  run: async (proof) => {
    const folder = mkdtempSync(pathOf(tmpdir(), 'edge-nodepools-e2e-'));
    const logs = pathOf(folder, 'logs');
    mkdirSync(logs);
    const machine = await Machine.start({ name: 'packages', folder: pathOf(folder, 'machine'), logs, port: 1 });
    try {
      await new Packages(proof, machine, folder, logs).run();
    } finally {
      await machine.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
