import { shellScript } from '../base/shell-script.js';
import { BOOT_HOOK, FORGET_FILE, SERVICE_COMMAND, UPDATE_REGISTRATIONS } from './node-paths.js';
import { shell } from './shell-parts.js';

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

/** What yurthub has on a node that nothing reverts (`pkg/yurtadm/util/yurthub`, CleanYurthubHostArtifacts, and
 * `pkg/node-servant`). */
const YURTHUB_FILES: readonly string[] = [
  ...['/etc/systemd/system/yurthub.service', '/etc/systemd/system/yurthub.service.d'],
  ...['/usr/local/bin/yurthub', '/usr/local/servant', '/var/lib/yurthub', '/etc/kubernetes/cache'],
  '/var/lib/openyurt',
];

/** OpenYurt takes yurthub away when the node leaves its pool, but not after a failed conversion. */
const BEFORE_A_CONVERTED_NODE: readonly string[] = [
  'kubectl label node NODE apps.openyurt.io/nodepool-',
  `kubectl wait node/NODE --timeout=15m --for=jsonpath='{.status.conditions[?(@.type=="YurtNodeConversionFailed")].reason}'=Reverted`,
  'If the reason is ConvertFailed, repair that first, with the label: edge-nodepools nodes --dump DUMP.',
];

/**
 * The script that resets a node. `kubeadm reset` and `yurtadm reset` do not remove the CNI configuration, the patches
 * and the files of this library, so the script removes them. An administrator has to delete the Node object, because a
 * node has no permission to do so.
 */
export function leaveScript({ via, criSocket, files, convertsNodes, hasService }: NodeLeaveInput): string {
  return shellScript({
    comments: [
      'Takes this machine out of the cluster. Run it as root; before it, an administrator runs:',
      ...(convertsNodes ? BEFORE_A_CONVERTED_NODE : []),
      'kubectl drain NODE --ignore-daemonsets && kubectl delete node NODE',
      ...(convertsNodes
        ? [
            'kubectl --namespace kube-system delete job --ignore-not-found node-servant-conversion-NODE',
            'The Job would count as that of the next machine of this name, which then gets no yurthub.',
          ]
        : []),
    ],
    variables: {
      yurthub: convertsNodes ? YURTHUB_FILES : '',
      reset: [via, 'reset', '--force', `--cri-socket=${criSocket}`],
      join_files: [...files, ...(hasService ? [SERVICE_COMMAND] : []), ...UPDATE_REGISTRATIONS, BOOT_HOOK, FORGET_FILE],
    },
    parts: [shell('common'), shell('leave')],
  });
}
