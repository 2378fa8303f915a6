import type { ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { knownKubeletFlags, kubeletFlagRemovedIn } from '../cluster/kubelet-capabilities.js';
import { firstMinorWithFlag } from '../cluster/kubelet-flags.js';
import { entryOf, isMap } from '../base/plain-data.js';
import { nearest, quoted, showValue, whatIs } from '../base/properties.js';
import type { Taint } from '../kubernetes/taint.js';
import { compute } from '../base/unknown.js';
import { checkFlagValue, RESERVED_KUBELET_FLAGS } from './kubelet-values.js';

/**
 * One flag of the kubelet. A list can contain the same flag several times.
 *
 * @category Join nodes
 */
export interface KubeletArgument {
  /** Name of the flag, without dashes. */
  readonly name: string;
  /** Value of the flag. */
  readonly value: string;
}

// what replaces the dockershim flags of the proposal (openyurtio/openyurt#1489)
const INSTEAD: Readonly<Record<string, string>> = {
  'network-plugin': 'leave it out: the container runtime reads the CNI folder',
  'cni-conf-dir': 'write cniFolder: the container runtime reads it',
  'cni-bin-dir': 'set it in the configuration of the container runtime',
  'container-runtime': 'leave it out: every container runtime is remote now',
  'pod-infra-container-image': 'write sandboxImage: the container runtime uses it',
};

/** Kubelet flags as a map or a list. */
export type KubeletExtraArgs = Readonly<Record<string, string>> | readonly KubeletArgument[];

/** Checks kubelet flags against the minor of the cluster. */
export function checkKubeletArguments(args: unknown, cluster: EdgeCluster, problems: ProblemList): void {
  if (args === undefined) {
    return;
  }
  if (Array.isArray(args)) {
    if (cluster.kubeadmConfigVersion() === 'v1beta3') {
      problems.add(
        'EDGE_JOIN',
        `the kubeadm of Kubernetes ${cluster.kubernetes} (v1beta3) needs kubeletExtraArgs as a map, not a list`,
        "write { 'max-pods': '30' }",
      );
      return;
    }
    args.forEach((argument: unknown, index) => {
      const { name, value, ...others } = isMap(argument) ? argument : { name: undefined, value: undefined };
      if (typeof name !== 'string' || Object.keys(others).length > 0) {
        problems
          .at(index)
          .add('EDGE_TYPE', 'a kubelet flag must have a name and a value', "write { name: 'max-pods', value: '30' }");
      } else {
        checkArgument(name, value, cluster, problems.at(index));
      }
    });
  } else if (isMap(args)) {
    Object.entries(args).forEach(([name, value]) => checkArgument(name, value, cluster, problems.at(name)));
  } else {
    problems.add('EDGE_TYPE', 'kubeletExtraArgs must be a map or a list', "write { 'max-pods': '30' }");
  }
}

function checkArgument(name: string, value: unknown, cluster: EdgeCluster, problems: ProblemList): void {
  const removedIn = kubeletFlagRemovedIn(cluster, name);
  const elsewhere = entryOf(RESERVED_KUBELET_FLAGS, name);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    problems.add(
      'EDGE_KUBELET_FLAG',
      `${quoted(name)} is not the name of a kubelet flag`,
      `write '${kebab(name) || 'max-pods'}', in lower case, without leading dashes and without a value`,
    );
  } else if (elsewhere !== undefined) {
    problems.add('EDGE_KUBELET_FLAG', `${name} is reserved: managed by edge-nodepools`, elsewhere);
  } else if (removedIn !== undefined) {
    problems.add(
      'EDGE_KUBELET_FLAG',
      `Kubernetes ${removedIn} removed the kubelet flag ${name}: the kubelet of Kubernetes ${cluster.kubernetes} would not start`,
      entryOf(INSTEAD, name) ?? 'leave it out',
    );
  } else {
    checkKnown(name, cluster, problems);
  }
  if (typeof value !== 'string') {
    problems.add(
      'EDGE_TYPE',
      `the value of a kubelet flag must be text, this is ${value === null ? 'null' : whatIs(value)}`,
      `write '${typeof value === 'object' ? '…' : showValue(value)}', in quotes`,
    );
  } else if (!/^[^\s\p{Cc}"'\\$`]*$/u.test(value)) {
    // kubeadm writes the flags without quotes into an environment file, and systemd splits it at spaces
    problems.add(
      'EDGE_VALUE',
      'spaces, control characters, quotes, "\\", "$" and "`" do not reach the kubelet: kubeadm does not quote flags',
      'write the setting in kubeletConfiguration',
    );
  } else {
    checkFlagValue(name, value, problems);
  }
}

/** The name of a flag: of `--max-pods=30` and of `maxPods`. */
function kebab(name: string): string {
  const [plain = ''] = name.replace(/^-+/, '').split('=', 1);
  return plain
    .replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`)
    .replace(/_/g, '-')
    .toLowerCase();
}

/** Checks that the kubelet knows a flag: with an unknown flag it does not start. */
function checkKnown(name: string, cluster: EdgeCluster, problems: ProblemList): void {
  const known = knownKubeletFlags(cluster);
  if (known === undefined || known.includes(name)) {
    return;
  }
  const addedIn = firstMinorWithFlag(name);
  const near = nearest(name, known);
  problems.add(
    'EDGE_KUBELET_FLAG',
    addedIn === undefined
      ? `no kubelet has a flag ${name}: the kubelet of Kubernetes ${cluster.kubernetes} would not start`
      : `Kubernetes ${addedIn} added the kubelet flag ${name}: the kubelet of Kubernetes ${cluster.kubernetes} would not start`,
    addedIn !== undefined || near === undefined
      ? 'leave it out; kubelet --help lists all flags'
      : `did you mean ${near}?`,
  );
}

/** Kubelet flags as a list, in the given order. */
export function argumentList(args: KubeletExtraArgs = {}): readonly KubeletArgument[] {
  return Array.isArray(args)
    ? (args as KubeletArgument[]).map(({ name, value }) => ({ name, value }))
    : Object.entries(args).map(([name, value]) => ({ name, value: value as string }));
}

/** The value of `--node-labels`. */
export function labelsArgument(labels: Readonly<Record<string, string>>): string {
  return compute(labels, (known) =>
    Object.entries(known)
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
  );
}

/** The value of `--register-with-taints`. */
export function taintsArgument(taints: readonly Taint[]): string {
  return compute(taints, (known) => known.map(({ key, value, effect }) => `${key}=${value ?? ''}:${effect}`).join(','));
}
