import { refusesCgroupV1 } from '../cluster/kubelet-capabilities.js';
import { compute } from '../base/unknown.js';
import type { JoinDraft } from './join-draft.js';
import { isConverted, viaOf } from './node-join-checks.js';
import type { NodeJoinProps } from './node-join-props.js';
import { imageProgram } from './machine-settings.js';
import type { NodePackages } from './package-installation.js';
import { CREDENTIALS_PROGRAMS } from './proxy-credentials.js';
import { type PackageFolder, preflightScript } from './preflight-script.js';
import type { TokenSource } from './join-token.js';

/** Programs that the preflight checks of kubeadm require (`preflight/checks_unix.go`); those with v1beta3 require more. */
const PROGRAMS = ['cp', 'losetup', 'mount'];
const OLDER_PROGRAMS = ['conntrack', 'crictl', 'ip', 'iptables', 'mount', 'nsenter'];

/** The script that says what a machine lacks for a join. */
export function preflightScriptOf(input: NodeJoinProps, { about, environment, hasMachines, parts }: JoinDraft): string {
  const { pool, packages, token, discoveryFile, nodeName, kubeletConfiguration, service } = input;
  const { cluster } = pool;
  const isYurtadm = viaOf(input) === 'yurtadm';
  const facts = {
    about,
    environment,
    hasMachines,
    packages,
    discoveryFile,
    nodeName,
    kubeletConfiguration,
    hasService: service !== undefined,
    criSocket: parts.criSocket,
    runtime: parts.runtime.runtime,
    cniFolder: parts.runtime.cniFolder,
    hostNetwork: pool.hostNetwork,
    apiServer: cluster.apiServer,
    source: token.source,
    credentials: parts.runtime.credentials,
    kubernetes: cluster.kubernetes,
    isOld: cluster.kubeadmConfigVersion() === 'v1beta3',
    refusesV1: refusesCgroupV1(cluster),
    isYurtadm,
    isConverted: !isYurtadm && isConverted(pool),
    switchesOff: input.machineSettings?.swap === 'off',
    imageFolder: input.machineSettings?.imageFolder,
    pulls: (input.machineSettings?.images ?? []).length > 0,
  };
  return compute(facts, (known) =>
    preflightScript({
      about: known.about,
      kubernetes: known.kubernetes,
      environment: known.environment,
      programs: [
        ...(known.isOld ? OLDER_PROGRAMS : PROGRAMS),
        ...(known.isYurtadm ? ['yurtadm'] : known.packages === undefined ? ['kubeadm'] : programsOf(known.packages)),
        // ctr comes with containerd
        ...(known.imageFolder !== undefined && known.runtime === 'cri-o' ? [imageProgram(known.runtime)] : []),
        // it comes with the packages
        ...((known.pulls || known.isConverted) && known.packages === undefined ? ['crictl'] : []),
        ...(known.source.kind === 'command' && known.source.timeoutSeconds !== undefined ? ['timeout'] : []),
        ...(known.credentials === undefined ? [] : CREDENTIALS_PROGRAMS),
        ...(known.hasService ? ['base64', 'cut', 'date', 'tr'] : []),
      ],
      downloads: !known.isYurtadm && known.packages?.manager === 'apt' && known.packages.folder === undefined,
      imageFolder: known.imageFolder,
      installs: known.isYurtadm ? known.kubernetes : known.packages?.version,
      installsRuntime: known.packages?.runtime?.name,
      folder: folderOf(known.packages),
      needsCgroupV2: known.refusesV1 && known.kubeletConfiguration?.failCgroupV1 !== false,
      swap: known.switchesOff
        ? 'switched off'
        : known.kubeletConfiguration?.failSwapOn === false
          ? 'permitted'
          : 'refused',
      socket: known.criSocket.replace(/^unix:\/\//, ''),
      runtime: known.runtime,
      cniFolder: known.hostNetwork ? known.cniFolder : undefined,
      apiServer: known.discoveryFile === undefined ? known.apiServer : undefined,
      tokenProgram: programOf(known.source),
      tokenFile: known.source.kind === 'file' ? known.source.path : undefined,
      proxyFile: known.credentials?.file,
      discoveryFile: known.discoveryFile,
      nodeName: known.nodeName,
      hasMachines: known.hasMachines,
      isConverted: known.isConverted,
    }),
  );
}

/** The program of a command that is a list; a command line for a shell begins with anything. */
function programOf(source: TokenSource): string | undefined {
  return source.kind === 'command' && typeof source.command !== 'string' ? source.command[0] : undefined;
}

/** Programs that the installation of packages needs; what reads them in a folder comes with the package manager. */
function programsOf({ manager, folder }: NodePackages): readonly string[] {
  return folder !== undefined
    ? manager === 'apt'
      ? ['apt-get', 'dpkg-deb', 'sha256sum', 'wc']
      : ['dnf', 'rpm', 'sort', 'tail']
    : [manager === 'apt' ? 'apt-get' : 'dnf'];
}

function folderOf(packages: NodePackages | undefined): PackageFolder | undefined {
  if (packages?.folder === undefined) {
    return undefined;
  }
  const { folder, manager, version, runtime } = packages;
  return {
    path: folder,
    manager,
    packages: [
      ['kubelet', version],
      ['kubeadm', version],
      ...(runtime === undefined ? [] : [[runtime.name, runtime.version ?? ''] as const]),
    ],
  };
}
