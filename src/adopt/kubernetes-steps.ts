import type { EdgeCluster } from '../cluster/edge-cluster.js';
import {
  isOlderMinor,
  KUBERNETES_MINORS,
  type KubernetesMinor,
  kubernetesRow,
  minorsAfter,
} from '../cluster/kubernetes-minors.js';
import { openYurtRow } from '../cluster/openyurt-releases.js';
import type { NodeFact } from '../preconditions/node-pool-facts.js';
import { shellCommand } from '../base/shell.js';
import type { PlainMap } from '../base/plain-data.js';
import { joinsWithFlags } from './upgrade-facts.js';
import { type UpgradeStep, upgradeStep } from './upgrade-step.js';

/** What the steps of Kubernetes are computed from. */
export interface KubernetesUpgrade {
  readonly from: EdgeCluster;
  readonly to: EdgeCluster;
  readonly objects: readonly PlainMap[];
  readonly nodes: readonly NodeFact[];
}

/** All steps of an upgrade of Kubernetes, minor by minor: kubeadm and the API server support no other way. */
export function kubernetesSteps(upgrade: KubernetesUpgrade): UpgradeStep[] {
  let before = kubernetesRow(upgrade.from.kubernetes);
  let { nodes } = upgrade;
  // edge nodes are often minors behind: what was removed since counts as well
  let removed = flagsRemovedUntil(nodes, before);
  return minorsAfter(upgrade.from.kubernetes, upgrade.to.kubernetes).flatMap((minor) => {
    const old = nodes.filter(({ kubelet }) => kubelet !== undefined && isOlderMinor(kubelet, oldestKubelet(minor)));
    const steps = [
      removedFlags(upgrade, removed, minor),
      oldKubelets(upgrade, old, before, minor),
      controlPlane(upgrade, before, minor),
      revertedAddOns(upgrade, minor),
      policies(upgrade, before, minor),
    ].filter((step) => step !== undefined);
    // what the steps leave behind
    nodes = nodes.map((node) => {
      const kubelet = node.controlPlane ? minor.minor : old.includes(node) ? before.minor : node.kubelet;
      return kubelet === undefined ? node : { ...node, kubelet };
    });
    before = minor;
    removed = minor.removedKubeletFlags;
    return steps;
  });
}

/** The flags that the oldest kubelet does not know already. */
function flagsRemovedUntil(nodes: readonly NodeFact[], { minor }: KubernetesMinor): readonly string[] {
  const kubelets = nodes.flatMap(({ kubelet }) => kubelet ?? []);
  const oldest = kubelets.reduce((found, kubelet) => (isOlderMinor(kubelet, found) ? kubelet : found), minor);
  return KUBERNETES_MINORS.find((row) => row.minor === oldest)?.removedKubeletFlags ?? [];
}

/** The oldest kubelet that an API server of a minor supports. */
export function oldestKubelet({ minor, kubeletSkew }: KubernetesMinor): string {
  const [major, number] = minor.split('.').map(Number) as [number, number];
  return `${major}.${number - kubeletSkew}`;
}

function oldKubelets(
  { to }: KubernetesUpgrade,
  old: readonly NodeFact[],
  before: KubernetesMinor,
  minor: KubernetesMinor,
): UpgradeStep | undefined {
  if (old.length === 0) {
    return undefined;
  }
  const oldest = oldestKubelet(minor);
  const shown = old.slice(0, 10).map(({ name, kubelet }) => `${name} (${kubelet})`);
  const more = old.length > shown.length ? ` and ${old.length - shown.length} more` : '';
  return upgradeStep({
    id: `kubelets-before-${minor.minor}`,
    what: `Upgrade the kubelets that are older than ${oldest}: ${shown.join(', ')}${more}.`,
    why: `An API server of ${minor.minor} supports kubelets from ${oldest} on (Kubernetes version skew policy).`,
    pods: 'keep running while kubelet restarts; drain a node first if its container runtime is upgraded too',
    place: 'node',
    parts: ['kubelets'],
    variables: { oldest },
    commands:
      to.distribution === 'kubeadm'
        ? [
            `install the packages kubelet and kubeadm of ${before.minor}, the minor of the API server; not of a newer one. At least ${oldest} is needed`,
            before.kubeadmPatchesKubelet
              ? 'kubeadm upgrade node --patches /etc/kubernetes/patches (without --patches where a node has no such folder): otherwise kubeadm drops what the join has configured, such as reservations'
              : 'kubeadm upgrade node',
            'systemctl restart kubelet',
          ]
        : [`upgrade kubelet to ${before.minor}, the minor of the API server, with the tool that installed it`],
    wayBack: 'install the earlier package of kubelet on the node',
  });
}

function removedFlags(
  { to, objects }: KubernetesUpgrade,
  before: readonly string[],
  minor: KubernetesMinor,
): UpgradeStep | undefined {
  const removed = minor.removedKubeletFlags.filter((flag) => !before.includes(flag));
  const joins = joinsWithFlags(objects, removed);
  const yurtadm = (openYurtRow(to.openYurt)?.yurtadmKubeletFlags ?? []).filter((flag) => removed.includes(flag));
  if (joins.length === 0 && yurtadm.length === 0) {
    return undefined;
  }
  const flags = [...new Set([...joins.flatMap((join) => join.flags), ...yurtadm])];
  const pattern = flags.map((flag) => `--${flag}`).join('|');
  return upgradeStep({
    id: `kubelet-flags-${minor.minor}`,
    what: `Remove ${flags.map((flag) => `--${flag}`).join(', ')} from joins and nodes before their kubelet is upgraded to ${minor.minor}.`,
    why: `kubelet ${minor.minor} does not know ${flags.length === 1 ? 'this flag' : 'these flags'}, and does not start with it.${
      joins.length === 0 ? '' : ` Passed by ${joins.map(({ join }) => join).join(', ')}.`
    }${yurtadm.length === 0 ? '' : ` yurtadm join of OpenYurt ${to.openYurt} passes ${yurtadm.map((flag) => `--${flag}`).join(', ')}.`}`,
    pods: 'keep running',
    place: 'node',
    commands: [
      'remove the flags from kubeletArguments of the joins in the program (EdgeCluster names them as errors for the new minor), and apply it',
      `${shellCommand('grep', '-lE', '--', pattern, '/var/lib/kubelet/kubeadm-flags.env', '/etc/default/kubelet')} finds them on a node; remove them there, then: systemctl restart kubelet`,
    ],
    wayBack: 'a kubelet of the earlier minor starts with and without the flags',
  });
}

function controlPlane({ to }: KubernetesUpgrade, before: KubernetesMinor, minor: KubernetesMinor): UpgradeStep {
  const isKubeadm = to.distribution === 'kubeadm';
  const converts = before.kubeadmConfigVersion !== minor.kubeadmConfigVersion;
  const targets = minor.kubeadmPatchTargets.filter((target) => !before.kubeadmPatchTargets.includes(target));
  return upgradeStep({
    id: `control-plane-${minor.minor}`,
    what: `Upgrade the control plane to Kubernetes ${minor.minor}.`,
    why: 'The API server cannot skip a minor.',
    pods: 'keep running; Pods of kube-proxy and CoreDNS are replaced, because kubeadm writes both again',
    place: 'control-plane',
    parts: ['control-plane'],
    variables: { minor: minor.minor },
    commands: isKubeadm
      ? [
          `install the packages kubeadm of ${minor.minor}`,
          ...(converts
            ? [
                `convert your kubeadm configuration files to ${minor.kubeadmConfigVersion}: kubeadm config migrate --old-config FILE --new-config FILE`,
              ]
            : []),
          ...(targets.length === 0
            ? []
            : [
                `new patch targets: ${targets.join(', ')}; EdgeSystemComponents writes patches for them, in a program with kubernetes: '${minor.minor}'`,
              ]),
          `kubeadm upgrade apply v${minor.minor}.X --patches FOLDER (first node), kubeadm upgrade node --patches FOLDER (the others); the FOLDER of the patches of EdgeSystemComponents, if you have one`,
          `install the packages kubelet and kubectl of ${minor.minor}, then: systemctl restart kubelet`,
        ]
      : [`upgrade it with the tool that created it, to ${minor.minor}`],
    noWayBack:
      'Kubernetes does not support a downgrade of the API server. Restore the snapshot of etcd, with the earlier static Pod manifests.',
  });
}

/** kubeadm writes its add-ons and static Pods again. */
function revertedAddOns({ to }: KubernetesUpgrade, minor: KubernetesMinor): UpgradeStep | undefined {
  return to.distribution !== 'kubeadm'
    ? undefined
    : upgradeStep({
        id: `add-ons-${minor.minor}`,
        what: 'Apply again what kubeadm upgrade has reverted: the patches of EdgeSystemComponents, and the preconditions.',
        why: 'kubeadm upgrade writes kube-proxy, CoreDNS and the static Pods as new. Until then kube-proxy and CoreDNS can start on host-network nodes.',
        pods: 'Pods of kube-proxy and CoreDNS are replaced',
        place: 'program',
        commands: [
          'apply the manifests of EdgeSystemComponents (not needed for the strategies ADMISSION_POLICY and KUBEADM_PATCH)',
          `if you use preconditions: apply.sh for OpenYurt ${to.openYurt}`,
        ],
        wayBack: 'nothing to undo',
        parts: ['add-ons'],
      });
}

/** What the minor changes in how admission is done. */
function policies({ to }: KubernetesUpgrade, before: KubernetesMinor, minor: KubernetesMinor): UpgradeStep | undefined {
  const served = (row: KubernetesMinor, kind: 'validatingAdmissionPolicy' | 'mutatingAdmissionPolicy'): boolean =>
    row[kind]?.byDefault === true;
  const changes = [
    ...(!served(before, 'validatingAdmissionPolicy') && served(minor, 'validatingAdmissionPolicy')
      ? ['ValidatingAdmissionPolicy is served: it replaces webhooks that refuse']
      : []),
    ...(!served(before, 'mutatingAdmissionPolicy') && served(minor, 'mutatingAdmissionPolicy')
      ? ['MutatingAdmissionPolicy is served: it replaces webhooks that change objects']
      : []),
    ...(!before.webhookMatchConditions && minor.webhookMatchConditions ? ['webhooks keep their matchConditions'] : []),
  ];
  const isLast = minor.minor === to.kubernetes;
  return changes.length === 0 && !isLast
    ? undefined
    : upgradeStep({
        id: `program-${minor.minor}`,
        what: `Apply the program for Kubernetes ${minor.minor}: EdgeCluster.of({ openYurt: '${to.openYurt}', kubernetes: '${minor.minor}' }).`,
        why: changes.length === 0 ? 'Joins of new nodes follow the minor.' : `${changes.join('; ')}.`,
        pods: 'keep running; fleetDiff(before, after) of the two manifests names the workloads that roll out',
        place: 'program',
        commands: [
          'synthesize it and compare: fleetDiff(before, after)',
          'apply it without pruning; when the new policies refuse as expected, delete what is gone (or prune)',
        ],
        wayBack: 'apply the earlier manifests',
      });
}
