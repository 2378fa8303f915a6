import { shellScript } from '../text/shell-script.js';
import { BOOT_HOOK, FORGET_FILE, SERVICE_COMMAND, UPDATE_REGISTRATIONS } from './node-paths.js';
import { SHELL } from './shell-files.js';

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
  return shellScript({
    comments: [
      'Takes this machine out of the cluster. Run it as root; before it, an administrator runs:',
      'kubectl drain NODE --ignore-daemonsets && kubectl delete node NODE',
      ...(convertsNodes
        ? [
            'OpenYurt takes yurthub away by itself, if the node leaves its pool before:',
            'kubectl label node NODE apps.openyurt.io/nodepool-',
          ]
        : []),
    ],
    variables: {
      reset: [via, 'reset', '--force', `--cri-socket=${criSocket}`],
      join_files: [...files, ...(hasService ? [SERVICE_COMMAND] : []), ...UPDATE_REGISTRATIONS, BOOT_HOOK, FORGET_FILE],
    },
    parts: [SHELL['common.sh'], SHELL['leave.sh']],
  });
}
