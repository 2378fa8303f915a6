import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { type OpenYurtRelease, isConvertedLater } from '../cluster/openyurt-releases.js';
import { EDGE_WORKER_LABEL, HOST_NETWORK_LABEL, TRUE } from '../kubernetes/labels.js';
import { repairCommands } from '../preconditions/node-pool-findings.js';
import type { NodeFact, PoolFact } from '../preconditions/node-pool-facts.js';
import { quoteForShell, shellCommand } from '../text/shell.js';
import type { PlainMap } from '../validation/plain-data.js';
import { retiredStep } from './retired-workloads.js';
import type { YurtManagerFact } from './upgrade-facts.js';
import { type UpgradeStep, upgradeStep } from './upgrade-step.js';

/** What the steps of OpenYurt are computed from. */
export interface OpenYurtUpgrade {
  readonly cluster: EdgeCluster;
  readonly from: OpenYurtRelease;
  readonly to: OpenYurtRelease;
  /** Version of the image: `1.7.0`. */
  readonly version: string;
  readonly objects: readonly PlainMap[];
  readonly pools: readonly PoolFact[];
  readonly nodes: readonly NodeFact[];
  readonly yurtManager: YurtManagerFact;
  /** Whether nodes without yurthub are converted by the new release, instead of being kept as they are. */
  readonly convertNodes: boolean;
}

const ANNOTATION = `${HOST_NETWORK_LABEL}=${TRUE}`;
const CHART =
  'test -d "$OPENYURT_CHART/crds" || fail "set OPENYURT_CHART to the folder of the unpacked chart yurt-manager of the new release"';

const YURTHUB_RIGHTS = 'kubectl get clusterrole/yurt-hub clusterrolebinding/yurt-hub --output=name';
const YURTHUB_CHART = `${YURTHUB_RIGHTS} >/dev/null 2>&1 || test -d "$OPENYURT_YURTHUB_CHART/templates" || fail "set OPENYURT_YURTHUB_CHART to the folder of the unpacked chart yurthub of the new release"`;

/** All steps of an upgrade of OpenYurt, in order. */
export function openYurtSteps(upgrade: OpenYurtUpgrade): UpgradeStep[] {
  return [
    annotatePools(upgrade),
    replacePlainPods(upgrade),
    retiredStep(upgrade),
    keepNodes(upgrade),
    yurthubRights(upgrade),
    applyCrds(upgrade),
    upgradeYurtManager(upgrade),
    verifyPools(upgrade),
    rewritePools(upgrade),
  ].filter((step) => step !== undefined);
}

function annotatePools({ from, pools }: OpenYurtUpgrade): UpgradeStep | undefined {
  if (!isConvertedLater(from)) {
    return undefined;
  }
  const version = from.nodePoolVersion;
  const kind = `nodepools.${version}.apps.openyurt.io`;
  const missing = `pools_where ${version} '$2 == "true" && tolower($3) != "true"'`;
  // the new release shows a pool in an older version with the annotation, and without the field
  const wrong = `pools_where ${version} '$2 != "true" && tolower($3) == "true"'`;
  // the field decides: a label on a node can be of a person, and a pool can never be changed back
  const odd = pools.filter(({ hostNetwork, hasHostNetworkNodes }) => hasHostNetworkNodes && !hostNetwork);
  const regular = `: ${odd.map(({ name }) => name).join(', ')} (regular, although nodes of it have the label of a host-network pool)`;
  const check = [
    `prints_nothing ${missing}`,
    'stored=$(storage_version)',
    `[ "$stored" != ${version} ] || prints_nothing ${wrong}`,
    'test -n "$stored"',
  ];
  return upgradeStep({
    id: 'annotate-pools',
    what: `Annotate every host-network pool with ${ANNOTATION}, and no other${odd.length === 0 ? '' : regular}.`,
    why: 'A later release converts stored pools, and reads only the annotation: without it a host-network pool becomes a regular one.',
    pods: 'keep running',
    check,
    commands: [
      'mkdir -p backup',
      `names=$(${missing})`,
      'for pool in $names; do',
      '  echo "$pool" >>backup/annotated-pools.txt',
      `  kubectl annotate --overwrite ${kind} "$pool" ${ANNOTATION}`,
      'done',
      'stored=$(storage_version)',
      `if [ "$stored" = ${version} ]; then`,
      `  names=$(${wrong})`,
      '  for pool in $names; do',
      `    kubectl annotate ${kind} "$pool" ${HOST_NETWORK_LABEL}-`,
      '  done',
      'fi',
    ],
    verify: check,
    back: [
      'stored=$(storage_version)',
      `[ "$stored" = ${version} ] || fail 'the new release needs the annotations'`,
      'names=$(cat backup/annotated-pools.txt 2>/dev/null || true)',
      'for pool in $names; do',
      `  kubectl annotate ${kind} "$pool" ${HOST_NETWORK_LABEL}-`,
      'done',
      'rm -f backup/annotated-pools.txt',
    ],
  });
}

function replacePlainPods({ from, to }: OpenYurtUpgrade): UpgradeStep | undefined {
  return !from.hostNetworkFilter || to.hostNetworkFilter
    ? undefined
    : upgradeStep({
        id: 'replace-plain-pods',
        what: 'Replace the Pods on host-network nodes that are not hostNetwork Pods.',
        why: `yurthub of OpenYurt ${from.release} shows kubelet every Pod of such a node as a hostNetwork Pod; the one of ${to.release} does not, and a node without CNI cannot start them.`,
        pods: 'Pods of these workloads are replaced',
        place: 'program',
        check: ['prints_nothing plain_pods'],
        commands: [
          'Run them with hostNetwork: true (HostNetworkWorkload), or exclude them from host-network nodes (ExcludedWorkload), and apply the program.',
          'kubectl get pods --all-namespaces --output=wide shows the Pods; none on a host-network node may have another address than its node.',
        ],
        back: ['say "apply the earlier manifests of these workloads"'],
      });
}

/** Prints the image of yurt-manager. */
const imageOf = ({ namespace }: YurtManagerFact): string =>
  `${shellCommand('kubectl', '--namespace', namespace, 'get', 'deployment', 'yurt-manager')} --output=jsonpath='{.spec.template.spec.containers[0].image}'`;

/** At most this many names in one selector. */
const CHUNK = 50;

/** Lists the nodes of some pools that would be converted. */
const unlabelled = (names: string): string => shellCommand('unlabelled_nodes', names);

function keepNodes({ from, to, pools, yurtManager, convertNodes }: OpenYurtUpgrade): UpgradeStep | undefined {
  if (from.convertsNodes || !to.convertsNodes || convertNodes) {
    return undefined;
  }
  const edge = pools.filter(({ type }) => type === 'Edge').map(({ name }) => name);
  const chunks = Array.from({ length: Math.ceil(edge.length / CHUNK) }, (_, index) =>
    edge.slice(index * CHUNK, (index + 1) * CHUNK).join(','),
  );
  if (chunks.length === 0) {
    return undefined;
  }
  return upgradeStep({
    id: 'keep-nodes',
    what: `Label the nodes of Edge pools that have no yurthub with ${EDGE_WORKER_LABEL}=${TRUE}.`,
    why: `yurt-manager of ${to.release} converts every node of an Edge pool without this label: it cordons the node, installs yurthub, and stops all containers. From then on its webhook refuses the label. Leave the step out with --convert-nodes.`,
    pods: 'keep running; without this step all containers of the node are stopped and started again',
    check: [
      // then the label is refused, also on nodes that have joined since
      `image=$(${imageOf(yurtManager)})`,
      `case "$image" in *${shellCommand(`:v${to.release}.`)}*) exit 0 ;; esac`,
      ...chunks.map((names) => `prints_nothing ${unlabelled(names)}`),
    ],
    verify: chunks.map((names) => `prints_nothing ${unlabelled(names)}`),
    commands: [
      'mkdir -p backup',
      ...chunks.flatMap((names) => [
        `nodes=$(${unlabelled(names)})`,
        'for node in $nodes; do',
        '  echo "$node" >>backup/labelled-nodes.txt',
        `  kubectl label --overwrite "$node" ${EDGE_WORKER_LABEL}=${TRUE}`,
        'done',
      ]),
    ],
    back: [
      'stored=$(storage_version)',
      `[ "$stored" = ${from.nodePoolVersion} ] || fail 'yurt-manager of ${to.release} would convert these nodes, and its webhook refuses the change'`,
      'nodes=$(cat backup/labelled-nodes.txt 2>/dev/null || true)',
      'for node in $nodes; do',
      `  kubectl label "$node" ${EDGE_WORKER_LABEL}-`,
      'done',
      'rm -f backup/labelled-nodes.txt',
    ],
  });
}

function yurthubRights({ from, to, objects }: OpenYurtUpgrade): UpgradeStep | undefined {
  const named = (wanted: string): boolean =>
    objects.some(({ kind, metadata }) => kind === wanted && (metadata as PlainMap | undefined)?.name === 'yurt-hub');
  // many dumps have no bindings; the step itself looks again
  const isThere = named('ClusterRole') && (named('ClusterRoleBinding') || !objects.some(isBinding));
  return from.convertsNodes || !to.convertsNodes || isThere
    ? undefined
    : upgradeStep({
        id: 'yurthub-rights',
        what: 'Install the rights of yurthub: ClusterRole and ClusterRoleBinding yurt-hub, for the group system:nodes.',
        why: `The chart yurt-manager of ${to.release} does not contain them, only the chart yurthub: without them a node that is converted or joined times out (openyurtio/openyurt#2551, #2716).`,
        pods: 'keep running',
        check: [YURTHUB_RIGHTS],
        needs: YURTHUB_CHART,
        commands: [
          YURTHUB_CHART,
          'mkdir -p backup',
          ': >backup/yurthub-rights-installed',
          'helm template yurthub "$OPENYURT_YURTHUB_CHART" --namespace kube-system --show-only templates/yurthub-cfg.yaml | kubectl apply --server-side --namespace=kube-system --filename=-',
        ],
        verify: [YURTHUB_RIGHTS],
        back: [
          `test -e backup/yurthub-rights-installed || fail 'they were there before: nothing to undo'`,
          'kubectl delete clusterrolebinding/yurt-hub clusterrole/yurt-hub',
          'rm -f backup/yurthub-rights-installed',
        ],
      });
}

function isBinding({ kind }: PlainMap): boolean {
  return kind === 'ClusterRoleBinding';
}

function applyCrds({ from, to }: OpenYurtUpgrade): UpgradeStep {
  const changesStorage = from.nodePoolVersion !== to.nodePoolVersion;
  const served =
    "kubectl get customresourcedefinition nodepools.apps.openyurt.io --output=jsonpath='{.spec.versions[*].name}'";
  const wait =
    'kubectl wait --for=condition=Established --timeout=60s customresourcedefinition/nodepools.apps.openyurt.io';
  return upgradeStep({
    id: 'crds',
    what: `Apply the CustomResourceDefinitions of OpenYurt ${to.release}.`,
    why: 'Helm does not upgrade them, and the new yurt-manager does not start without them. Until the next step is done, writes of NodePools can fail.',
    pods: 'keep running',
    needs: CHART,
    commands: [CHART, 'kubectl apply --server-side --force-conflicts --filename="$OPENYURT_CHART/crds"', wait],
    verify: [`served=$(${served})`, `case " $served " in *' ${to.nodePoolVersion} '*) ;; *) exit 1 ;; esac`],
    ...(changesStorage
      ? {
          noWayBack: `the API server records ${to.nodePoolVersion} as a stored version at once, and ${from.release} cannot read it. Restore the snapshot of etcd, with the images and charts of before.`,
        }
      : {
          back: [
            'test -d "$OPENYURT_CHART_BEFORE/crds" || fail "set OPENYURT_CHART_BEFORE to the chart folder of the earlier release"',
            'kubectl apply --server-side --force-conflicts --filename="$OPENYURT_CHART_BEFORE/crds"',
          ],
        }),
  });
}

function upgradeYurtManager({ from, to, version, yurtManager, pools }: OpenYurtUpgrade): UpgradeStep {
  const { namespace, helmRelease } = yurtManager;
  const changesStorage = from.nodePoolVersion !== to.nodePoolVersion;
  const at = shellCommand('kubectl', '--namespace', namespace);
  const rollout = `${at} rollout status deployment/yurt-manager --timeout=10m`;
  return upgradeStep({
    id: 'yurt-manager',
    what: `Upgrade yurt-manager to ${version}.`,
    why: 'The tag is set: charts of earlier releases name the image of the release before them. Values that were given at the installation are kept.',
    pods: pools.some(({ hostNetwork }) => hostNetwork)
      ? 'keep running; nodes keep their labels. While yurt-manager restarts, its webhooks are skipped, and only admission policies hold'
      : 'keep running',
    needs: CHART,
    commands: [
      CHART,
      'mkdir -p backup',
      // of before the first attempt: a second one is a revision of its own
      'if ! test -s backup/helm-revision; then',
      `  history=$(${shellCommand('helm', 'history', helmRelease, '--namespace', namespace, '--max', '1', '--output', 'json')}) || fail ${quoteForShell(`If Helm has not installed yurt-manager: upgrade it as you installed it, to ${version}, then confirm the step with --done.`)}`,
      String.raw`  printf '%s\n' "$history" | sed -n 's/.*"revision": *\([0-9][0-9]*\).*/\1/p' >backup/helm-revision`,
      '  test -s backup/helm-revision',
      'fi',
      `${shellCommand('helm', 'upgrade', helmRelease)} "$OPENYURT_CHART" ${shellCommand('--namespace', namespace, '--reset-then-reuse-values', '--set', `image.tag=v${version}`)} || fail ${quoteForShell(`If Helm says that another operation is in progress: helm rollback ${helmRelease} --namespace ${namespace}, then run upgrade.sh again.`)}`,
      rollout,
    ],
    verify: [
      rollout,
      `image=$(${imageOf(yurtManager)})`,
      `case "$image" in *${shellCommand(`:v${version}`)}*) ;; *) exit 1 ;; esac`,
      `kubectl get nodepools.${to.nodePoolVersion}.apps.openyurt.io --output=name >/dev/null`,
    ],
    ...(changesStorage
      ? {
          noWayBack: `${from.release} cannot read pools that are stored as ${to.nodePoolVersion}. Restore the snapshot of etcd.`,
        }
      : {
          back: [
            'test -s backup/helm-revision || fail "nothing was changed"',
            `${shellCommand('helm', 'rollback', helmRelease)} "$(cat backup/helm-revision)" ${shellCommand('--namespace', namespace)}`,
            'rm -f backup/helm-revision',
          ],
        }),
  });
}

function verifyPools({ from, to, pools }: OpenYurtUpgrade): UpgradeStep | undefined {
  const expected = pools.filter(({ hostNetwork }) => hostNetwork);
  const file = 'files/host-network-pools.txt';
  const lost = `lost_pools ${to.nodePoolVersion} ${file}`;
  return from.nodePoolVersion === to.nodePoolVersion || expected.length === 0
    ? undefined
    : upgradeStep({
        id: 'host-network-pools',
        what: 'Check that every host-network pool still is one, and repair those that are not.',
        why: `Pools without the annotation were lost by the conversion. OpenYurt refuses to change the field; with the annotation, a write through ${from.nodePoolVersion} sets it, also while the pool has nodes.`,
        pods: 'keep running',
        check: [`prints_nothing ${lost}`],
        commands: [
          `names=$(${lost})`,
          'for pool in $names; do',
          ...repairCommands('"$pool"', from.nodePoolVersion, to.nodePoolVersion).map((line) => `  ${line}`),
          'done',
        ],
        verify: [`prints_nothing ${lost}`],
        noWayBack: 'it only restores what the pools were',
        files: [{ path: file, content: expected.map(({ name }) => `${name}\n`).join('') }],
      });
}

function rewritePools({ from, to }: OpenYurtUpgrade): UpgradeStep | undefined {
  const { nodePoolVersion: version } = to;
  const kind = `nodepools.${version}.apps.openyurt.io`;
  const stored =
    "kubectl get customresourcedefinition nodepools.apps.openyurt.io --output=jsonpath='{.status.storedVersions[*]}'";
  return from.nodePoolVersion === version
    ? undefined
    : upgradeStep({
        id: 'rewrite-pools',
        what: `Write every NodePool once, so that it is stored as ${version}.`,
        why: 'A pool that is stored in an older version can be read only while yurt-manager, which converts it, is up: admission policies with live pools need them after a restart of the API server.',
        pods: 'keep running',
        check: [`stored=$(${stored})`, `test "$stored" = ${version}`],
        commands: [
          // a status that yurt-manager writes in between is a conflict
          'for attempt in 1 2 3; do',
          `  names=$(kubectl get ${kind} --output=name)`,
          `  if [ -z "$names" ] || kubectl get ${kind} --output=json | kubectl replace --filename=- >/dev/null; then`,
          '    break',
          '  fi',
          '  [ "$attempt" != 3 ] || fail "not every NodePool was written; run this again"',
          'done',
          `kubectl patch customresourcedefinition nodepools.apps.openyurt.io --subresource=status --type=merge --patch='{"status":{"storedVersions":["${version}"]}}'`,
        ],
        verify: [`stored=$(${stored})`, `test "$stored" = ${version}`],
        noWayBack: `${from.release} cannot read pools that are stored as ${version}. Restore the snapshot of etcd.`,
      });
}
