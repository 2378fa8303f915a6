import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { quoteForShell } from '../text/shell.js';
import type { JoinCommand } from './join-script.js';
import { BOOTSTRAP_KUBELET_CONF, KUBELET_CONF, STATE_FOLDER } from './node-paths.js';
import { labelsArgument } from './kubelet-arguments.js';

/**
 * What `yurtadm join` is told besides what the join says.
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

/** What the command is made from. */
export interface YurtadmJoinInput {
  readonly cluster: EdgeCluster;
  readonly poolName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly nodeType: 'edge' | 'cloud';
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
  const { cluster, settings } = input;
  const byName = settings.membership === 'nodepool-name';
  const labels = Object.entries(input.labels).filter(([key]) => !(byName && key === cluster.nodePoolLabel));
  const flags: readonly (readonly [string, string | undefined])[] = [
    ['--node-type', input.nodeType],
    ['--node-name', input.nodeName],
    ['--nodepool-name', byName ? input.poolName : undefined],
    ['--node-labels', labels.length === 0 ? undefined : labelsArgument(Object.fromEntries(labels))],
    ['--cri-socket', input.criSocket],
    ['--discovery-token-ca-cert-hash', cluster.caCertHashes.join(',')],
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
    quoteForShell(cluster.apiServer ?? ''),
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
    // yurtadm up to 1.6 writes kubelet.conf before it joins, so that alone says nothing; a reset removes it, and keeps our mark
    isJoined: [`[ -e ${STATE_FOLDER}/joined ] && [ -s ${KUBELET_CONF} ]`],
    leftovers: [
      BOOTSTRAP_KUBELET_CONF,
      '/var/lib/kubelet/kubeadm-join.conf',
      '/var/lib/kubelet/discovery.conf',
      '/var/lib/yurthub/bootstrap-hub.conf',
    ],
    takesToken: true,
  };
}

/** What `--nodepool-name` needs and no chart grants: bootstrap tokens may read this one pool. */
export function bootstrapReaderObjects(poolName: string): KubernetesObject[] {
  const name = `edge-nodepools-join-${poolName}`;
  const metadata = { name, labels: { ...OWN_LABELS } };
  return [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata,
      rules: [{ apiGroups: ['apps.openyurt.io'], resources: ['nodepools'], resourceNames: [poolName], verbs: ['get'] }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { ...metadata, labels: { ...OWN_LABELS } },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:bootstrappers' }],
    },
  ];
}
