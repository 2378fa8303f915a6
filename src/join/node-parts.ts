import type { EdgeWarning } from '../base/errors.js';
import { isRefusedByKubelet } from '../kubernetes/label-syntax.js';
import { kubeletFlags, kubeletPatch } from '../pools/node-reservation.js';
import type { Taint } from '../kubernetes/taint.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import type { PlainMap } from '../base/plain-data.js';
import { concatenated, merged } from '../base/unknown.js';
import {
  CNI_FOLDER,
  defaultSocket,
  LOOPBACK_FILE,
  loopbackConfiguration,
  runtimeFiles,
  type RuntimeSettings,
  sandboxImageOf,
} from './container-runtime.js';
import { reservationOf } from './node-disk.js';
import type { NodeFile } from './node-file.js';
import type { NodeSettings } from './node-join-props.js';
import { ignoresAll } from './node-options-checks.js';
import { PATCH_FOLDER } from './node-paths.js';

/** Version of the format of the files of a join, by which later releases can recognize it. */
export const JOIN_FORMAT = '1';

/** Preflight checks that a host-network node does not have to pass: nothing on it forwards packets of Pods. */
const FORWARDING_CHECKS = [
  'FileContent--proc-sys-net-ipv4-ip_forward',
  'FileContent--proc-sys-net-bridge-bridge-nf-call-iptables',
];

/** Settings of a node of a pool, for joins and for templates of Cluster API. */
export interface NodeParts {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly criSocket: string;
  readonly runtime: RuntimeSettings;
  readonly ignorePreflightErrors: readonly string[];
  /** Settings of the kubelet as flags; empty if kubeadm patches the KubeletConfiguration. */
  readonly kubeletFlags: Readonly<Record<string, string>>;
  /** The kubeadm patch of the KubeletConfiguration, if it is not empty. */
  readonly patches: readonly NodeFile[];
  /** Files of the CNI and the container runtime. */
  readonly files: readonly NodeFile[];
}

/**
 * @param proxy environment of the container runtime
 * @param canPatch whether the join patches the KubeletConfiguration
 * @param machine settings of the container runtime that only a join has
 */
export function nodeParts(
  input: NodeSettings & { readonly pool: NodePoolAttributes },
  proxy: Readonly<Record<string, string>>,
  canPatch: boolean,
  machine: Pick<RuntimeSettings, 'systemdCgroup' | 'hostsFolder' | 'registries'> = {},
): NodeParts {
  const { pool, ignorePreflightErrors = [] } = input;
  const runtime: RuntimeSettings = {
    runtime: input.runtime ?? 'containerd',
    cniFolder: input.cniFolder ?? CNI_FOLDER,
    sandboxImage: sandboxImageOf(pool.cluster, input.sandboxImage),
    proxy,
    ...machine,
  };
  const kubeletFields = { ...reservationOf(input)?.kubeletConfiguration(), ...input.kubeletConfiguration };
  const loopback = {
    path: `${runtime.cniFolder}/${LOOPBACK_FILE}`,
    content: loopbackConfiguration(pool.cluster),
  };
  return {
    labels: merged(pool.joinLabels, input.labels),
    taints: concatenated(pool.registrationTaints, input.taints ?? []),
    criSocket: input.criSocket ?? defaultSocket(runtime.runtime),
    runtime,
    ignorePreflightErrors: pool.hostNetwork
      ? withForwardingChecks(ignorePreflightErrors)
      : [...new Set(ignorePreflightErrors)],
    kubeletFlags: canPatch ? {} : kubeletFlags(kubeletFields),
    patches: canPatch ? patchFiles(kubeletFields) : [],
    files: concatenated(pool.hostNetwork ? [loopback] : [], runtimeFiles(runtime)),
  };
}

/** Warns that the nodes of a pool join without the label of host-network nodes, because kubelets may not set it. */
export function lateLabelWarnings({ cluster, hostNetwork }: NodePoolAttributes, how: string): EdgeWarning[] {
  const { key, value } = cluster.hostNetworkLabel;
  return !hostNetwork || !isRefusedByKubelet(key)
    ? []
    : [
        {
          code: 'EDGE_RESERVED_KEY',
          path: 'pool.cluster.hostNetworkLabel',
          message: `a kubelet must not register with ${key}, so the nodes of the pool join without it; until they have it, nothing is excluded from them`,
          hint: `${how}, or label each node: kubectl label node NAME ${key}=${value}; registrationTaint: true keeps Pods without a toleration off from the beginning`,
        },
      ];
}

/** kubeadm accepts `all` only alone. */
function withForwardingChecks(checks: readonly string[]): readonly string[] {
  return [...new Set([...(ignoresAll(checks) ? [] : FORWARDING_CHECKS), ...checks])];
}

/** The kubelet patch on the node. */
export const PATCH_FILE = `${PATCH_FOLDER}/${kubeletPatch({}).fileName}`;

/** The kubelet patch as a file; none if it is empty. */
function patchFiles(fields: PlainMap): NodeFile[] {
  return Object.keys(fields).length === 0 ? [] : [{ path: PATCH_FILE, content: kubeletPatch(fields).content }];
}
