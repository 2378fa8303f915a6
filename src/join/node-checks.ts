import type { ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { isMap } from '../validation/plain-data.js';
import { checkLabels } from '../kubernetes/label-syntax.js';
import { DESIRED_NODE_POOL_LABEL, EDGE_WORKER_LABEL, HOST_NETWORK_LABEL } from '../kubernetes/labels.js';
import { checkObjectName } from '../kubernetes/names.js';
import { isRefusedByKubelet } from '../pools/node-pool-props.js';
import { checkOneOf, showValue } from '../validation/properties.js';
import { checkNodeReservation } from '../reservation/node-reservation.js';
import { checkTaints, type Taint } from '../kubernetes/taint.js';
import type { JoinPool, NodeOptions } from './join-props.js';
import { holdsToken, isAbsolutePath } from './join-token.js';
import { checkKubeletArguments, checkKubeletConfiguration } from './kubelet-arguments.js';
import { checkCommands, checkNodeFiles } from './node-file.js';

/** Whether this is a pool of this library, or something that answers as one. */
export function checkJoinPool(pool: unknown, problems: ProblemList): pool is JoinPool {
  const isPool =
    typeof pool === 'object' &&
    pool !== null &&
    'joinLabels' in pool &&
    'registrationTaints' in pool &&
    'cluster' in pool;
  if (!isPool) {
    problems.add(
      'EDGE_MISSING',
      'there is no pool that the node joins',
      "give a HostNetworkNodePool, or HostNetworkNodePool.fromPoolName(this, 'pool', { cluster, poolName })",
    );
  }
  return isPool;
}

/** Checks what a node is, besides a member of its pool. */
export function checkNode(
  input: NodeOptions,
  pool: JoinPool,
  ownFiles: ReadonlySet<string>,
  canPatch: boolean,
  problems: ProblemList,
): void {
  const { cluster } = pool;
  if (input.nodeName !== undefined) {
    checkObjectName(input.nodeName, problems.at('nodeName'));
    if (typeof input.nodeName === 'string' && input.nodeName.length > 63) {
      problems
        .at('nodeName')
        .add(
          'EDGE_NAME',
          `the name has ${input.nodeName.length} characters, and kubelet writes it into the label kubernetes.io/hostname, which takes 63`,
          'write a shorter name',
        );
    }
  }
  checkNodeLabels(input.labels, cluster, problems.at('labels'));
  checkNodeTaints(input.taints, pool, problems.at('taints'));
  checkNodeReservation(input.reservation, cluster, problems.at('reservation'));
  if (input.reservation === undefined) {
    checkNodeReservation(pool.reservation, cluster, problems.at('pool', 'reservation'));
  }
  checkKubeletArguments(input.kubeletExtraArgs, cluster, problems.at('kubeletExtraArgs'));
  checkKubeletConfiguration(input.kubeletConfiguration, canPatch, problems.at('kubeletConfiguration'));
  checkRuntime(input, problems);
  checkWords(
    input.ignorePreflightErrors,
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    "['Swap']",
    problems.at('ignorePreflightErrors'),
  );
  checkIgnored(input.ignorePreflightErrors, problems.at('ignorePreflightErrors'));
  checkWords(input.ntpServers, /^[A-Za-z0-9:][A-Za-z0-9.:-]*$/, "['0.pool.ntp.org']", problems.at('ntpServers'));
  checkNodeFiles(input.files, ownFiles, problems.at('files'));
  checkCommands(input.preJoinCommands, problems.at('preJoinCommands'));
  checkCommands(input.postJoinCommands, problems.at('postJoinCommands'));
}

/** kubeadm refuses a name beside `all`, in whatever case they are. */
function checkIgnored(checks: unknown, problems: ProblemList): void {
  if (Array.isArray(checks) && checks.length > 1 && ignoresAll(checks)) {
    problems.add(
      'EDGE_CONTRADICTION',
      'all stands beside others, and kubeadm refuses that',
      "write ['all'], or leave all out",
    );
  }
}

/** Whether every check of `kubeadm join` only warns. */
export function ignoresAll(checks: readonly unknown[]): boolean {
  return checks.some((name) => typeof name === 'string' && name.toLowerCase() === 'all');
}

function checkNodeLabels(labels: unknown, cluster: EdgeCluster, problems: ProblemList): void {
  checkLabels(labels, problems);
  const owned = [cluster.nodePoolLabel, HOST_NETWORK_LABEL, DESIRED_NODE_POOL_LABEL, EDGE_WORKER_LABEL];
  for (const [key, value] of isMap(labels) ? Object.entries(labels) : []) {
    if (typeof value === 'string' && holdsToken(value)) {
      problems
        .at(key)
        .add('EDGE_TOKEN', 'the value has the form of a bootstrap token (it is not shown here)', 'write another value');
    }
    if (owned.includes(key)) {
      problems
        .at(key)
        .add(
          'EDGE_RESERVED_KEY',
          `${key} comes from the pool, or from OpenYurt`,
          'leave it out, and join the right pool',
        );
    } else if (isRefusedByKubelet(key) || /(^|\.)node-restriction\.kubernetes\.io\//.test(key)) {
      problems
        .at(key)
        .add(
          'EDGE_RESERVED_KEY',
          `kubelet may not register with ${key}`,
          'take a key outside of kubernetes.io and k8s.io, or one below node.kubernetes.io; or label the Node with kubectl',
        );
    }
  }
}

function checkNodeTaints(taints: unknown, pool: JoinPool, problems: ProblemList): void {
  checkTaints(taints, problems);
  (Array.isArray(taints) ? (taints as unknown[]) : []).forEach((taint, index) => {
    const isThere = ({ key, effect }: Taint): boolean => isMap(taint) && taint.key === key && taint.effect === effect;
    if (pool.registrationTaints.some(isThere)) {
      problems.at(index).add('EDGE_DUPLICATE', 'the pool gives this taint already', 'leave it out');
    }
  });
}

function checkRuntime({ runtime, criSocket, cniFolder, sandboxImage }: NodeOptions, problems: ProblemList): void {
  checkOneOf(runtime, ['containerd', 'cri-o'], problems.at('runtime'));
  if (
    criSocket !== undefined &&
    !(
      typeof criSocket === 'string' &&
      criSocket.startsWith('unix://') &&
      isAbsolutePath(criSocket.slice('unix://'.length))
    )
  ) {
    problems
      .at('criSocket')
      .add(
        'EDGE_VALUE',
        `${showValue(criSocket)} is not the address of a socket`,
        "write 'unix:///run/containerd/containerd.sock'",
      );
  }
  if (cniFolder !== undefined && !isAbsolutePath(cniFolder)) {
    problems.at('cniFolder').add('EDGE_VALUE', 'this is not an absolute path', "write '/etc/cni/net.d'");
  }
  if (
    sandboxImage !== undefined &&
    !(typeof sandboxImage === 'string' && /^[A-Za-z0-9][\w.:/@-]*$/.test(sandboxImage))
  ) {
    problems.at('sandboxImage').add('EDGE_VALUE', 'this is not an image', "write 'registry.example/pause:3.10'");
  }
}

/** A list of single words. */
export function checkWords(words: unknown, form: RegExp, example: string, problems: ProblemList): void {
  if (words === undefined) {
    return;
  }
  if (!Array.isArray(words)) {
    problems.add('EDGE_TYPE', 'this must be a list', `write ${example}`);
    return;
  }
  words.forEach((word: unknown, index) => {
    if (typeof word !== 'string' || !form.test(word)) {
      problems.at(index).add('EDGE_VALUE', `${showValue(word)} can not stand here`, `write ${example}`);
    }
  });
}
