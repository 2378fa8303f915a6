import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { convertsNodes } from '../cluster/openyurt-capabilities.js';
import { isMap } from '../base/plain-data.js';
import { quoted } from '../base/properties.js';
import { isUnknown } from '../base/unknown.js';
import { NETWORK_FILES } from './machine-network.js';
import { HOST_NAME_FILE, IGNITION_FILES } from './ignition-config.js';
import type { NodeJoinProps } from './node-join-props.js';

/**
 * Folders that are read-only, in memory or links when the machine runs. Ignition runs before, and the machine does not boot if it fails.
 */
const UNWRITABLE = /^(\/var)?\/(usr|bin|sbin|lib|lib64|run|tmp|dev|proc|sys)\//;

/** Checks what a join by Ignition cannot do; the properties themselves are checked elsewhere. */
export function checkIgnition(input: NodeJoinProps, problems: ProblemList): void {
  const { format, via, packages } = input;
  if (format !== 'ignition') {
    return;
  }
  if (via === 'yurtadm') {
    problems
      .at('via')
      .add(
        'EDGE_JOIN',
        'yurtadm installs programs in /usr, which is read-only where Ignition runs',
        convertsNodes(input.pool.cluster) ? "write via: 'label-driven'" : "write via: 'kubeadm'",
      );
  }
  if (packages !== undefined && !isUnknown(packages)) {
    problems
      .at('packages')
      .add(
        'EDGE_JOIN',
        'Ignition installs no packages, and the systems that it sets up have neither apt nor dnf',
        'leave it out; put kubelet and kubeadm into the image or into a system extension (systemd-sysext)',
      );
  }
  checkPaths(input, problems);
}

/** Warns that OpenYurt cannot convert a node where /usr/local cannot be written (node-servant, `pkg/node-servant/convert`). */
export function ignitionWarnings({ format, via, pool }: NodeJoinProps): EdgeWarning[] {
  return format !== 'ignition' || via === 'kubeadm' || !convertsNodes(pool.cluster) || pool.type !== 'Edge'
    ? []
    : [
        {
          code: 'EDGE_JOIN',
          path: 'format',
          message:
            'OpenYurt writes /usr/local/bin/yurthub on the nodes of an Edge pool, which Flatcar does not permit: the conversion fails, and the node stays cordoned',
          hint: 'use a system on which /usr/local can be written, such as Fedora CoreOS; or a Cloud pool, whose nodes are not converted',
        },
      ];
}

function checkPaths({ files, cniFolder, machines }: NodeJoinProps, problems: ProblemList): void {
  const own = new Set([...IGNITION_FILES, ...(machines === undefined ? [] : [HOST_NAME_FILE, ...NETWORK_FILES])]);
  const check = (path: unknown, at: ProblemList): void => {
    if (typeof path === 'string' && UNWRITABLE.test(`${path}/`)) {
      at.add(
        'EDGE_JOIN',
        `Ignition cannot leave ${quoted(path)} on a machine: the folder is read-only or in memory when it runs`,
        'write a path below /etc, /opt or /var; or write it with a command before the join',
      );
    } else if (typeof path === 'string' && own.has(path)) {
      at.add('EDGE_RESERVED_KEY', `${path} is reserved: managed by edge-nodepools`, 'write another path');
    }
  };
  (Array.isArray(files) ? (files as unknown[]) : []).forEach((file, index) => {
    check(isMap(file) ? file.path : undefined, problems.at('files', index, 'path'));
  });
  check(cniFolder, problems.at('cniFolder'));
}
