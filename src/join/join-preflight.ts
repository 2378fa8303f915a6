import { refusesCgroupV1 } from '../cluster/kubelet-capabilities.js';
import { compute } from '../validation/unknown.js';
import type { JoinDraft } from './join-draft.js';
import { viaOf } from './node-join-checks.js';
import type { NodeJoinInput } from './node-join-props.js';
import { CREDENTIALS_PROGRAMS } from './proxy-credentials.js';
import { preflightScript } from './preflight-script.js';

/** Programs that the preflight checks of kubeadm require (`preflight/checks_unix.go`); those with v1beta3 require more. */
const PROGRAMS = ['cp', 'losetup', 'mount'];
const OLDER_PROGRAMS = ['conntrack', 'crictl', 'ip', 'iptables', 'mount', 'nsenter'];

/** The script that says what a machine lacks for a join. */
export function preflightScriptOf(input: NodeJoinInput, { about, environment, hasBoxes, parts }: JoinDraft): string {
  const { pool, packages, token, discoveryFile, nodeName, kubeletConfiguration, service } = input;
  const { cluster } = pool;
  const isYurtadm = viaOf(input) === 'yurtadm';
  const facts = {
    about,
    environment,
    hasBoxes,
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
    switchesOff: input.machine?.swap === 'off',
  };
  return compute(facts, (known) =>
    preflightScript({
      about: known.about,
      kubernetes: known.kubernetes,
      environment: known.environment,
      programs: [
        ...(known.isOld ? OLDER_PROGRAMS : PROGRAMS),
        ...(known.isYurtadm ? ['yurtadm'] : known.packages === undefined ? ['kubeadm'] : ['curl']),
        ...(known.credentials === undefined ? [] : CREDENTIALS_PROGRAMS),
        ...(known.hasService ? ['base64', 'cut', 'date', 'tr'] : []),
      ],
      installs: known.isYurtadm ? known.kubernetes : known.packages?.version,
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
      tokenFile: known.source.kind === 'file' ? known.source.path : undefined,
      proxyFile: known.credentials?.file,
      discoveryFile: known.discoveryFile,
      nodeName: known.nodeName,
      hasBoxes: known.hasBoxes,
    }),
  );
}
