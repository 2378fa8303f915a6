import type { PlannedObject } from '../cluster/plan.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { quoteForShell } from '../text/shell.js';
import { text } from '../validation/unknown.js';
import type { JoinCommand } from './join-command.js';
import { BOOTSTRAP_KUBELET_CONF, KUBELET_CONF, STATE_FOLDER } from './node-paths.js';
import { labelsArgument } from './kubelet-arguments.js';

/**
 * Settings of `yurtadm join` that no other way to join has.
 *
 * @category Join nodes
 */
export interface YurtadmSettings {
  /** How the node becomes a member: by a label that it registers with, or by `--nodepool-name`. For the latter yurtadm reads the NodePool with the
   * bootstrap token, which no chart up to OpenYurt 1.7 allows; the missing ClusterRole and its binding are made then.
   * @default node-labels */
  readonly membership?: 'node-labels' | 'nodepool-name';
  /** Namespace of yurthub's ConfigMaps.
   * @default kube-system */
  readonly namespace?: string;
  /** Server from which yurtadm takes kubelet and kubeadm, where they are not installed.
   * @default dl.k8s.io, yurtadm's own */
  readonly kubernetesResourceServer?: string;
}

/** Environment file of kubelet's unit, as yurtadm writes it (`pkg/yurtadm/constants`, all releases). */
export const KUBELET_ENVIRONMENT = '/etc/default/kubelet';

/** Files that hold the token after yurtadm, whatever became of the join. */
export const YURTADM_LEFTOVERS: readonly string[] = [
  BOOTSTRAP_KUBELET_CONF,
  '/var/lib/kubelet/kubeadm-join.conf',
  '/var/lib/kubelet/discovery.conf',
  '/var/lib/yurthub/bootstrap-hub.conf',
];

/** What the command is made from. */
export interface YurtadmJoinInput {
  /** Where the API server is, and by which hashes its CA is known. */
  readonly apiServer?: string;
  readonly caCertHashes?: readonly string[];
  /** Node label that holds the pool's name. */
  readonly nodePoolLabel: string;
  readonly poolName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly poolType?: 'Edge' | 'Cloud';
  readonly criSocket: string;
  readonly nodeName?: string;
  readonly ignorePreflightErrors: readonly string[];
  readonly sandboxImage?: string;
  readonly settings: YurtadmSettings;
}

/**
 * The command line, in the flags that yurtadm 1.4 to 1.7 have in common. yurtadm takes the token on its command line and nowhere else, so root's
 * process list shows it while the node joins.
 */
export function yurtadmCommand(input: YurtadmJoinInput): JoinCommand {
  const { settings, caCertHashes = [] } = input;
  const byName = settings.membership === 'nodepool-name';
  const labels = Object.entries(input.labels).filter(([key]) => !(byName && key === input.nodePoolLabel));
  const flags: readonly (readonly [string, string | undefined])[] = [
    ['--node-type', input.poolType === 'Cloud' ? 'cloud' : 'edge'],
    ['--node-name', input.nodeName],
    ['--nodepool-name', byName ? input.poolName : undefined],
    ['--node-labels', labels.length === 0 ? undefined : labelsArgument(Object.fromEntries(labels))],
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
  const given = flags.flatMap(([flag, value]) => (value === undefined ? [] : [quoteForShell(`${flag}=${value}`)]));
  const words = [
    'yurtadm join',
    quoteForShell(input.apiServer ?? ''),
    '--token="$token"',
    ...given,
    '--reuse-cni-bin=true',
  ];
  return {
    programs: ['yurtadm'],
    join: [
      // host-network nodes need no CNI plugins; without the folder yurtadm would fetch some
      'mkdir -p /opt/cni/bin',
      `rm -f ${STATE_FOLDER}/joined`,
      `${words.join(' ')} </dev/null || return`,
      `: > ${STATE_FOLDER}/joined`,
    ],
    // yurtadm up to 1.6 writes kubelet.conf before it joins, so that alone proves nothing; a reset removes it, and keeps our mark
    isJoined: [`[ -e ${STATE_FOLDER}/joined ] && [ -s ${KUBELET_CONF} ]`],
    leftovers: YURTADM_LEFTOVERS,
    takesToken: true,
  };
}

/** What `--nodepool-name` needs and no chart grants: bootstrap tokens may read this one pool. */
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
