import type { PlannedObject } from '../cluster/plan.js';
import type { ProblemList } from '../base/errors.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import type { ShellValue } from '../base/shell-script.js';
import { text } from '../base/unknown.js';
import { labelsArgument } from './kubelet-arguments.js';

/**
 * Settings of `yurtadm join`.
 *
 * @category Join nodes
 */
export interface YurtadmSettings {
  /** How the node becomes a member of the pool: by a label with which it registers, or by `--nodepool-name`. For the
   * latter, yurtadm reads the NodePool with the bootstrap token, which a ClusterRole and a ClusterRoleBinding permit,
   * because no chart does.
   * @default node-labels */
  readonly membership?: 'node-labels' | 'nodepool-name';
  /** Namespace of the ConfigMaps of yurthub.
   * @default kube-system */
  readonly namespace?: string;
  /** Server from which yurtadm downloads kubelet and kubeadm if they are not installed.
   * @default dl.k8s.io, the default of yurtadm */
  readonly kubernetesResourceServer?: string;
}

/** Environment file of the systemd unit of the kubelet that yurtadm writes (`pkg/yurtadm/constants`, all releases). */
export const KUBELET_ENVIRONMENT = '/etc/default/kubelet';

/** What the command depends on. */
export interface YurtadmJoinInput {
  /** Address of the API server and hashes of its CA. */
  readonly apiServer?: string;
  readonly caCertHashes?: readonly string[];
  /** Node label with the name of the pool. */
  readonly nodePoolLabel: string;
  readonly poolName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly poolType?: 'Edge' | 'Cloud';
  readonly criSocket: string;
  readonly nodeName?: string;
  /** Whether several machines share the join: `$name` and `$labels` are those of the machine.
   * @default false */
  readonly hasMachines?: true;
  readonly ignorePreflightErrors: readonly string[];
  readonly sandboxImage?: string;
  readonly settings: YurtadmSettings;
}

/**
 * The command line, with flags that yurtadm 1.4 to 1.7 have in common. yurtadm accepts the token only on its command
 * line, so the process list of root shows it while the node joins.
 */
export function yurtadmVariables(input: YurtadmJoinInput): Record<string, ShellValue> {
  const { settings, caCertHashes = [] } = input;
  const byName = settings.membership === 'nodepool-name';
  const labels = Object.entries(input.labels).filter(([key]) => !(byName && key === input.nodePoolLabel));
  const ownLabels = labelsArgument(Object.fromEntries(labels));
  const flags: readonly (readonly [string, string | undefined])[] = [
    ['--node-type', input.poolType === 'Cloud' ? 'cloud' : 'edge'],
    ['--node-name', input.nodeName],
    ['--nodepool-name', byName ? input.poolName : undefined],
    ['--node-labels', labels.length === 0 || input.hasMachines === true ? undefined : ownLabels],
    ['--cri-socket', input.criSocket],
    ['--discovery-token-ca-cert-hash', caCertHashes.join(',')],
    [
      '--ignore-preflight-errors',
      input.ignorePreflightErrors.length === 0 ? undefined : input.ignorePreflightErrors.join(','),
    ],
    ['--pause-image', input.sandboxImage],
    ['--namespace', settings.namespace],
    ['--kubernetes-resource-server', settings.kubernetesResourceServer],
  ];
  const given = flags.flatMap(([flag, value]) => (value === undefined ? [] : [`${flag}=${value}`]));
  return {
    yurtadm_arguments: [input.apiServer ?? '', ...given].join('\n'),
    ...(input.hasMachines === true ? { own_labels: ownLabels } : {}),
  };
}

/** RBAC objects for `--nodepool-name`, which no chart has: bootstrap tokens can read this NodePool. */
export function bootstrapReaderObjects(poolName: string): PlannedObject[] {
  const name = text`edge-nodepools-join-${poolName}`;
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels: { ...OWN_LABELS } },
    rules: [{ apiGroups: ['apps.openyurt.io'], resources: ['nodepools'], resourceNames: [poolName], verbs: ['get'] }],
  };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name, labels: { ...OWN_LABELS } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:bootstrappers' }],
  };
  return [
    { object: role, apply: 'create', id: 'edge-nodepools-join', after: [] },
    { object: binding, apply: 'create', id: 'edge-nodepools-join' },
  ];
}

/** Refuses what is not a host name. */
export function checkResourceServer(server: unknown, problems: ProblemList): void {
  if (typeof server !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9.:/-]*$/.test(server)) {
    problems.add('EDGE_VALUE', 'this is not a host name', "write 'dl.k8s.io', without scheme");
  }
}
