import { existsSync, mkdirSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import { JoinToken, type NodeJoin } from 'edge-nodepools';
import { openBareMachine } from '../../harness/bare-machine.js';
import { writeHttpServerImage } from '../../harness/container-image.js';
import { containerdConfig } from '../../harness/edge-node.js';
import type { Group, Proof } from '../../harness/group.js';
import { JoinSite } from '../../harness/join-site.js';
import { KubeadmControlPlane } from '../../harness/kubeadm-control-plane.js';
import { type PackageProps, writeDeb } from '../../harness/packages.js';
import type { Ended, Room } from '../../harness/room.js';
import { kubernetesTool, pathOf as programOf } from '../../harness/tool.js';
import { Declared, PORT } from './declared.js';
import { isReady } from './proof.js';

const FOLDER = '/var/lib/edge/packages';
const IMAGES = '/var/lib/edge/images';
const PAUSE = 'registry.k8s.io/pause:3.10.2';

/** kubelet and kubeadm of a version: the real ones of 1.36, which say another patch release. */
function kubePackages(patch: number): readonly PackageProps[] {
  const version = `1.36.${patch}`;
  const kubelet = programOf(kubernetesTool('kubelet', '1.36'));
  const kubeadm = `#!/bin/sh\nexec ${KubeadmControlPlane.program('kubeadm')} "$@"\n`;
  const starts = patch === 3 ? 'exit 1' : `exec ${kubelet} "$@"`;
  return [
    {
      name: 'kubelet',
      version: `${version}-1.1`,
      depends: 'kubernetes-cni (>= 1.2.0), edge-nodepools-test',
      files: {
        '/usr/bin/kubelet': `#!/bin/sh\n[ "$*" != --version ] || { echo 'Kubernetes v${version}'; exit; }\n${starts}\n`,
      },
    },
    { name: 'kubeadm', version: `${version}-1.1`, files: { '/usr/bin/kubeadm': kubeadm } },
  ];
}

/** containerd of this machine, as Docker packages it: CRI is off; with the CNI folder of Debian. */
function runtimePackage(version: string): PackageProps {
  const programs = ['containerd', 'containerd-shim-runc-v2', 'ctr', 'runc'].map((name) => {
    const from = ['/usr/bin', '/usr/sbin', '/usr/local/bin'].map((path) => pathOf(path, name)).find(existsSync);
    return [`/usr/bin/${name}`, { from: from ?? '' }] as const;
  });
  const config = containerdConfig('/var/lib/containerd', '/etc/cni/net.d')
    .replace('"io.containerd.internal.v1.opt"', '"io.containerd.grpc.v1.cri", "io.containerd.internal.v1.opt"')
    .replace(/bin_dir = .*/, 'bin_dir = "/usr/lib/none"');
  return {
    name: 'containerd.io',
    version,
    conflicts: 'containerd, runc',
    files: { ...Object.fromEntries(programs), '/etc/containerd/config.toml': config },
    conffiles: ['/etc/containerd/config.toml'],
  };
}

/** A machine that has nothing but a folder with packages and a folder with images. */
class BareMachine {
  private readonly declared: Declared;

  constructor(
    private readonly site: JoinSite,
    private readonly room: Room,
    private readonly proof: Proof,
  ) {
    this.declared = new Declared(site.plane.caCertHash);
  }

  private get packages(): string {
    return pathOf(this.room.folder, 'lib', 'edge', 'packages');
  }

  public async run(): Promise<void> {
    const { proof, site, room } = this;
    mkdirSync(this.packages, { recursive: true });
    const images = pathOf(room.folder, 'lib', 'edge', 'images');
    mkdirSync(images);
    await writeHttpServerImage(images);
    await writeHttpServerImage(images, PAUSE);
    await room.sh(`rm -f ${IMAGES}/http-server`);
    for (const command of this.declared.exclusionCommands()) {
      await site.plane.sh(command);
    }
    await site.plane.apply(this.declared.workload());
    const token = await site.plane.newTokenText();
    await site.plane.makeKnown(this.declared.bootstrapToken(token), token.slice(0, 6));
    await room.write('/var/lib/edge/join-token', token, '0600');

    const join = this.join(2);
    await room.write('/run/join.sh', join.script);
    await room.write('/run/preflight.sh', join.preflightScript);
    const without = await room.sh('sh /run/preflight.sh');
    proof.that(
      'preflight on a bare machine: the folder lacks the packages, and the runtime is a note',
      /^packages +missing .*kubelet 1\.36\.2, kubeadm 1\.36\.2, containerd\.io 1\.7\.27/m.test(without.stdout) &&
        /^runtime +note +the join installs containerd\.io/m.test(without.stdout),
      without,
    );
    const empty = await room.sh('sh /run/join.sh');
    proof.that(
      'a join from a folder without the version fails, and says what is missing',
      empty.status === 66 && empty.stderr.includes('has no package of kubelet 1.36.2, but: none'),
      empty,
    );
    [
      ...kubePackages(2),
      ...kubePackages(20),
      runtimePackage('1.7.27-1'),
      { name: 'kubernetes-cni', version: '1.1.0-1', files: {} },
      { name: 'kubernetes-cni', version: '1.8.0-1', files: { '/opt/cni/bin/loopback': '#!/bin/sh\n' } },
      { name: 'edge-nodepools-test', version: '1:2.0~rc1-1', files: {} },
      { name: 'unneeded', version: '1', files: { '/usr/bin/unneeded': '' } },
    ].forEach((props) => writeDeb(this.packages, props));
    const full = await room.sh('sh /run/preflight.sh');
    proof.that('with them, it has what the join needs', /^packages +ok/m.test(full.stdout), full);
    const ran = await room.sh('sh /run/join.sh', 300);
    proof.same(
      'a join from a folder and without any repository succeeds',
      [ran.status, ran.status === 0 ? '' : ran],
      [0, ''],
    );
    await this.isNode(ran);
    await this.updates();
  }

  private async isNode(ran: Ended): Promise<void> {
    const { proof, site, room } = this;
    await proof.eventually(
      'the bare machine is a Ready node',
      async () => isReady(await site.plane.get('node', room.name)),
      60,
    );
    await proof.eventually(
      'on which the HostNetworkWorkload answers, with images from the folder and the pause image that kubeadm names',
      async () => (await site.machine.get(PORT).catch(() => undefined))?.status === 200,
      60,
    );
    const state = await room.sh(
      `dpkg-query -W kubelet kubeadm containerd.io kubernetes-cni edge-nodepools-test; dpkg-query -W unneeded; apt-mark showhold; grep -e disabled_plugins -e bin_dir -e sandbox_image -e SystemdCgroup /etc/containerd/config.toml | sed 's/^ *//'; grep '^enable' /run/systemctl | sort -u`,
    );
    proof.same(
      'the right ones of several versions are installed with what they depend on and nothing else, and held; CRI is on',
      state.stdout,
      [
        'containerd.io\t1.7.27-1\nedge-nodepools-test\t1:2.0~rc1-1\nkubeadm\t1.36.2-1.1\nkubelet\t1.36.2-1.1\nkubernetes-cni\t1.8.0-1',
        'containerd.io\nkubeadm\nkubelet',
        'disabled_plugins = [ "io.containerd.internal.v1.opt"]',
        `sandbox_image = "${PAUSE}"`,
        'bin_dir = "/opt/cni/bin"',
        'SystemdCgroup = false',
        'enable containerd\n',
      ].join('\n'),
    );
    proof.that('kubeadm does not warn of another pause image', !/sandbox image/i.test(ran.stdout + ran.stderr), ran);
  }

  private join(patch: number, runtime = '1.7.27'): NodeJoin {
    return this.declared.join(JoinToken.fromFile('/var/lib/edge/join-token'), {
      sandboxImage: 'kubeadm',
      // the one check that a machine with control groups of version 1 cannot pass
      ignorePreflightErrors: ['SystemVerification'],
      packages: {
        manager: 'apt',
        version: `1.36.${patch}`,
        folder: FOLDER,
        runtime: { name: 'containerd.io', version: runtime },
      },
      machineSettings: { systemdCgroup: false, imageFolder: IMAGES },
    });
  }

  private async updates(): Promise<void> {
    const { proof, room } = this;
    const update = async (patch: number, flags = '', runtime?: string): Promise<Ended> => {
      await room.write('/run/update.sh', this.join(patch, runtime).updateScript ?? '');
      return room.sh(
        `PATH="$PATH:${pathOf(KubeadmControlPlane.program('kubectl'), '..')}" sh -s -- ${flags} < /run/update.sh`,
      );
    };
    const version = async (): Promise<string> => (await room.sh('kubelet --version')).stdout.trim();
    const lacking = await update(1);
    proof.that(
      'an update to a version that the folder lacks changes nothing',
      lacking.status === 66 && /has no package of kubelet 1\.36\.1, but: /.test(lacking.stderr),
      lacking,
    );
    kubePackages(1).forEach((props) => writeDeb(this.packages, props));
    const changed = await update(1);
    proof.same(
      'an update installs another patch release from the folder',
      [changed.status, await version(), changed.status === 0 ? '' : changed],
      [0, 'Kubernetes v1.36.1', ''],
    );
    const again = await update(1);
    proof.that('and has nothing to do the second time', again.stderr.includes('nothing to do'), again);
    writeDeb(this.packages, runtimePackage('1.7.28-1'));
    const runtime = await update(1, '', '1.7.28');
    proof.that(
      'a new version of the container runtime is installed and started, and the settings in its configuration stay',
      runtime.status === 0 &&
        /Changed: .*, containerd\.io,.*\n.*container runtime was restarted/.test(runtime.stderr) &&
        (
          await room.sh(
            'dpkg-query -W containerd.io; grep -c -e SystemdCgroup -e "k8s.io/pause" /etc/containerd/config.toml',
          )
        ).stdout === 'containerd.io\t1.7.28-1\n2\n',
      runtime,
    );
    await proof.eventually(
      'and the node is Ready with it',
      async () => isReady(await this.site.plane.get('node', room.name)),
      60,
    );
    await update(1);
    kubePackages(3).forEach((props) => writeDeb(this.packages, props));
    const failed = await update(3);
    proof.that(
      'a kubelet that does not start is taken back from the folder',
      failed.status === 70 && (await version()) === 'Kubernetes v1.36.1' && /is as before/.test(failed.stderr),
      failed,
    );
    await room.sh(`rm -f ${FOLDER}/kube*_1.36.1-1.1_all.deb`);
    const alone = await update(2);
    proof.that(
      'an update that could not be taken back from the folder is refused',
      alone.status === 66 && alone.stderr.includes('this update cannot be taken back'),
      alone,
    );
    const accepted = await update(2, '--accept');
    proof.same(
      'unless it is accepted',
      [accepted.status, await version(), accepted.status === 0 ? '' : accepted],
      [0, 'Kubernetes v1.36.2', ''],
    );
  }
}

export const bareMachine: Group = {
  name: 'bare-machine',
  claim:
    'a machine without a container runtime, kubelet, kubeadm, repositories and a registry becomes a Ready host-network node from a folder with packages and a folder with images, and is updated and taken back from the folder',
  programs:
    'apt and dpkg of this machine, containerd, runc, kubeadm, kubelet and control plane 1.36; systemctl is a substitute',
  tools: JoinSite.TOOLS,
  needs: ['linux', 'root', 'containerd', 'runc', 'cni-plugins', 'iproute2', 'namespaces', 'openssl', 'apt'],
  run: async (proof) => {
    const site = await JoinSite.open();
    const before = proof.failures.length;
    let ended = false;
    try {
      const room = await openBareMachine(site.machine, 'bare1', pathOf(site.folder, 'machine', 'bare1'), site.logs);
      await new BareMachine(site, room, proof).run();
      ended = true;
    } finally {
      await site.close({ keepLogs: !ended || proof.failures.length > before });
    }
  },
};
