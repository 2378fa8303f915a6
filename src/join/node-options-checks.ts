import type { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { checkLabels, isRefusedByKubelet, isSetByKubelet } from '../kubernetes/label-syntax.js';
import { RESERVED_OF_NODES, saysMode } from '../kubernetes/labels.js';
import { checkObjectName } from '../kubernetes/names.js';
import { isPool, type NodePoolAttributes } from '../pools/node-pool.js';
import { checkKnownProperties, quoted, whatIs } from '../base/properties.js';
import {
  type Check,
  checkProperties,
  listOfWords,
  MUST_BE_PLAIN,
  oneOf,
  optional,
  plain,
  plainMap,
  type PropertyTable,
} from '../base/property-table.js';
import { isUnknown } from '../base/unknown.js';
import { checkNodeReservation } from '../pools/node-reservation.js';
import { checkTaints, type Taint } from '../kubernetes/taint.js';
import type { NodeSettings } from './node-join-props.js';
import { isAbsolutePath, pathProblem } from './machine-path.js';
import { checkSandboxImage, checkSocket } from './container-runtime.js';
import { holdsToken } from './join-token.js';
import { checkKubeletArguments } from './kubelet-arguments.js';
import { checkKubeletConfiguration } from './kubelet-configuration.js';
import { checkCommands, checkNodeFiles, isWritable } from './node-file.js';
import { inProgram } from '../base/program-language.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** Checks that this is a pool of this library, or has the same attributes. A pool cannot be an Output. */
export function checkPool(pool: unknown, problems: ProblemList): pool is NodePoolAttributes {
  if (isUnknown(pool)) {
    problems.add(
      'EDGE_KNOWN_LATER',
      MUST_BE_PLAIN.message,
      'give the pool itself, in place of its name or of another of its outputs',
    );
  } else if (isPool(pool)) {
    return true;
  } else {
    problems.add(
      'EDGE_MISSING',
      pool === undefined || pool === null ? 'pool is required' : `this is ${whatIs(pool)}, not a pool`,
      `write a HostNetworkNodePool, or ${inProgram('HostNetworkNodePool.fromPoolName(…)', "{ poolName: '…' }")} for an existing pool`,
    );
  }
  return false;
}

/** Properties of a join or a template, which belongs to a pool. */
export interface PropsWithPool extends NodeSettings {
  readonly pool: NodePoolAttributes;
}

/** Checks the properties of a join or a template. Without a valid pool, it checks only their names. */
export function checkPropsWithPool<Props extends PropsWithPool>(
  props: object,
  table: PropertyTable<Props>,
  problems: ProblemList,
  advice: Readonly<Record<string, string>>,
): props is Props {
  const { pool } = props as Props;
  if (isPool(pool)) {
    checkProperties<Props>(props, table, problems, advice);
    checkPublishedText({ ...props, pool: undefined }, problems);
    // the kubelet registers with them
    checkPublishedText({ joinLabels: pool.joinLabels, taints: pool.registrationTaints }, problems.at('pool'));
    return true;
  }
  checkKnownProperties(props, Object.keys(table), problems, advice);
  return checkPool(pool, problems.at('pool'));
}

/** Refuses text in the format of a token, and text that UTF-8 cannot encode, anywhere in the properties: all of them
 * are published with the join. */
function checkPublishedText(value: unknown, problems: ProblemList): void {
  const isReported = (at: ProblemList): boolean => problems.problems.some(({ path }) => path === at.path);
  if (typeof value === 'string') {
    if (holdsToken(value) && !isReported(problems)) {
      problems.add(
        'EDGE_TOKEN',
        'this has the format of a bootstrap token, and would be published with the join (value redacted)',
        'write another value; the token belongs in token',
      );
    }
    if (!isWritable(value) && !isReported(problems)) {
      problems.add('EDGE_VALUE', 'this has NUL, or half of a surrogate pair', 'write text');
    }
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => checkPublishedText(item, problems.at(index)));
  } else if (isMap(value)) {
    Object.entries(value).forEach(([key, item]) => checkPublishedText(item, problems.at(key)));
  }
}

/**
 * The checks of the settings of a node.
 *
 * @param taken paths of files that the join writes or reads
 * @param canPatch whether the join patches the KubeletConfiguration
 */
export function nodeOptions(
  { pool, reservation, runtime }: PropsWithPool,
  taken: () => ReadonlySet<string>,
  canPatch: () => boolean,
): PropertyTable<PropsWithPool> {
  return {
    pool: (_, problems) => {
      if (reservation === undefined) {
        checkReservation(pool)(pool.reservation, problems.at('reservation'));
      }
    },
    nodeName: optional(checkNodeName),
    labels: (labels, problems) => checkNodeLabels(labels, pool, problems),
    taints: (taints, problems) => checkNodeTaints(taints, pool, problems),
    reservation: (value, problems) => checkReservation(pool)(value, problems),
    // values of a map are only passed on
    kubeletExtraArgs: (args, problems) =>
      (isMap(args) ? plainMap : plain)((known, at) => checkKubeletArguments(known, pool.cluster, at))(args, problems),
    kubeletConfiguration: plain((fields, problems) => checkKubeletConfiguration(fields, canPatch(), problems)),
    runtime: plain(oneOf('containerd', 'cri-o')),
    criSocket: plain(optional((socket, problems) => checkSocket(socket, runtime, pool.cluster, problems))),
    cniFolder: plain(optional(checkFolder)),
    sandboxImage: optional(checkSandboxImage),
    ignorePreflightErrors: plain(checkIgnored),
    files: (files, problems) => checkNodeFiles(files, taken(), problems),
    preJoinCommands: checkCommands,
    postJoinCommands: checkCommands,
    ntpServers: plain(checkTimeServers),
  };
}

export const checkTimeServers = listOfWords(/^[A-Za-z0-9:][A-Za-z0-9.:-]*$/, "['0.pool.ntp.org']");

/** Plain, because it is an instance with methods. */
function checkReservation({ cluster }: NodePoolAttributes): Check {
  return plain((reservation, problems) => checkNodeReservation(reservation, cluster, problems));
}

export function checkNodeName(name: unknown, problems: ProblemList): void {
  checkObjectName(name, problems);
  if (typeof name === 'string' && name.length > 63) {
    problems.add(
      'EDGE_NAME',
      `the name has ${name.length} characters, and kubelet writes it into the label kubernetes.io/hostname, whose limit is 63`,
      'write a shorter name',
    );
  }
}

/** kubeadm refuses `all` together with other names, in lower or upper case. */
function checkIgnored(checks: unknown, problems: ProblemList): void {
  listOfWords(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, /^\w{1,40}$/.test(String(checks)) ? `['${String(checks)}']` : "['Swap']")(
    checks,
    problems,
  );
  if (Array.isArray(checks) && checks.length > 1 && ignoresAll(checks)) {
    problems.add(
      'EDGE_CONTRADICTION',
      'kubeadm refuses all together with other checks',
      "write ['all'], or leave all out",
    );
  }
}

/** Whether the errors of all preflight checks are ignored. */
export function ignoresAll(checks: readonly unknown[]): boolean {
  return checks.some((name) => typeof name === 'string' && name.toLowerCase() === 'all');
}

/** Checks labels of a node that do not depend on its cluster. */
export function checkLabelsOfKubelet(labels: unknown, problems: ProblemList): void {
  checkLabels(labels, problems);
  for (const [key, value] of isMap(labels) ? Object.entries(labels) : []) {
    if (typeof value === 'string' && holdsToken(value)) {
      problems
        .at(key)
        .add('EDGE_TOKEN', 'the value has the format of a bootstrap token (value redacted)', 'write another value');
    }
    // a value of --node-labels would replace what is true
    if (isSetByKubelet(key)) {
      problems
        .at(key)
        .add('EDGE_RESERVED_KEY', `${key} is reserved: kubelet sets it from what the machine is`, 'leave it out');
    } else if (isRefusedByKubelet(key)) {
      problems
        .at(key)
        .add(
          'EDGE_RESERVED_KEY',
          `a kubelet must not register with ${key}`,
          'write a key outside of kubernetes.io and k8s.io, or one below node.kubernetes.io; or label the Node with kubectl',
        );
    }
  }
}

function checkNodeLabels(labels: unknown, pool: NodePoolAttributes, problems: ProblemList): void {
  checkLabelsOfKubelet(labels, problems);
  checkOwnedLabels(labels, pool, problems);
}

/** Refuses labels that the pool determines. */
export function checkOwnedLabels(
  labels: unknown,
  { cluster, hostNetwork }: NodePoolAttributes,
  problems: ProblemList,
): void {
  for (const [key, value] of isMap(labels) ? Object.entries(labels) : []) {
    const isReserved = key === cluster.nodePoolLabel || Object.hasOwn(RESERVED_OF_NODES, key);
    if (isReserved || saysMode(cluster.hostNetworkLabel, hostNetwork, key, value)) {
      problems
        .at(key)
        .add(
          'EDGE_RESERVED_KEY',
          `${key} is reserved: managed by the pool or by OpenYurt`,
          'leave it out; the pool determines its value',
        );
    }
  }
}

function checkNodeTaints(taints: unknown, pool: NodePoolAttributes, problems: ProblemList): void {
  checkTaints(taints, problems);
  itemsOf(taints).forEach((taint, index) => {
    const isThere = ({ key, effect }: Taint): boolean => isMap(taint) && taint.key === key && taint.effect === effect;
    if (!isUnknown(pool.registrationTaints) && pool.registrationTaints.some(isThere)) {
      problems.at(index).add('EDGE_DUPLICATE', 'the pool already has this taint', 'leave it out');
    }
  });
}

function checkFolder(folder: unknown, problems: ProblemList): void {
  if (!isAbsolutePath(folder)) {
    problems.add('EDGE_VALUE', `this ${pathProblem(folder)}`, "write '/etc/cni/net.d'");
  } else if (typeof folder === 'string' && /\.(?:conf|conflist|json)$/.test(folder)) {
    problems.add(
      'EDGE_VALUE',
      `${quoted(folder)} is a file, and the join writes one into the folder of the runtime`,
      `write '${folder.slice(0, folder.lastIndexOf('/')) || '/etc/cni/net.d'}'`,
    );
  }
}
