import { quoteForShell } from '../text/shell.js';
import { BOOT_HOOK, FORGET_FILE, RUN_FOLDER, SCRIPT_PATH, SERVICE_PATH, STATE_FOLDER } from './node-paths.js';
import { SERVICE_COMMAND, SERVICE_RUN_FOLDER } from './service-script.js';

/** What a node has to reset when it leaves the cluster. */
export interface NodeLeaveInput {
  readonly via: 'kubeadm' | 'yurtadm';
  readonly criSocket: string;
  /** Files of the join that `kubeadm reset` and `yurtadm reset` do not remove. */
  readonly files: readonly string[];
  readonly convertsNodes: boolean;
  /** Whether a service runs the script that joins. */
  readonly hasService: boolean;
}

/**
 * The script that resets a node. `kubeadm reset` and `yurtadm reset` do not remove the CNI configuration, the patches and the files of this library, so
 * the script removes them. An administrator has to delete the Node object, because a node has no permission to do so.
 */
export function leaveScript({ via, criSocket, files, convertsNodes, hasService }: NodeLeaveInput): string {
  const reset = via === 'yurtadm' ? 'yurtadm reset --force' : 'kubeadm reset --force';
  return `${[
    '#!/bin/sh',
    '# Takes this machine out of the cluster. Run it as root; before it, an administrator runs:',
    '#   kubectl drain NODE --ignore-daemonsets && kubectl delete node NODE',
    ...(convertsNodes
      ? [
          '# OpenYurt takes yurthub away by itself, if the node leaves its pool before:',
          '#   kubectl label node NODE apps.openyurt.io/nodepool-',
        ]
      : []),
    'set -u',
    'status=0',
    ...(hasService ? [`[ ! -r ${SERVICE_PATH} ] || sh ${SERVICE_PATH} stop`] : []),
    `${reset} --cri-socket=${quoteForShell(criSocket)} </dev/null || status=$?`,
    `rm -f ${[...files, ...(hasService ? [SERVICE_COMMAND] : []), BOOT_HOOK, FORGET_FILE, SCRIPT_PATH].map(quoteForShell).join(' ')}`,
    `rm -rf ${STATE_FOLDER} ${RUN_FOLDER}${hasService ? ` ${SERVICE_RUN_FOLDER}` : ''}`,
    'exit $status',
  ].join('\n')}\n`;
}
