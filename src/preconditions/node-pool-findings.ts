import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { isConvertedLater, type OpenYurtRelease, openYurtRow } from '../cluster/openyurt-releases.js';
import { HOST_NETWORK_LABEL, TRUE } from '../kubernetes/labels.js';
import { repairScript, shellCommand } from '../base/shell.js';
import type { PlainMap } from '../base/plain-data.js';
import type { PreconditionFile } from './precondition.js';
import { nodeFacts, type PoolFact, poolFacts } from './node-pool-facts.js';

/** A NodePool of the cluster, and whether it is stored so that it stays what it is. */
export interface NodePoolFinding {
  readonly pool: string;
  /** `missing`: an upgrade would change it. `harmful`: one has changed it, or the next write in an old API version does. */
  readonly state: 'missing' | 'harmful';
  readonly reason: string;
  /** Shell commands that fix it. */
  readonly commands: readonly string[];
  /** Why a person must decide, and what.
   * @default - the script runs the commands */
  readonly byHand?: string;
}

const ANNOTATION = `${HOST_NETWORK_LABEL}=${TRUE}`;

/**
 * Commands that turn a pool which an upgrade has made a regular one into a host-network pool again. OpenYurt's webhook refuses to change the field, and
 * to delete a pool with nodes. But it compares objects after their conversion, and the conversion from an old version reads the annotation.
 *
 * @param pool name of the pool as a shell word
 */
export function repairCommands(pool: string, oldVersion: string, newVersion: string): string[] {
  return [
    `kubectl annotate --overwrite nodepools.${newVersion}.apps.openyurt.io ${pool} ${ANNOTATION}`,
    `kubectl get nodepools.${oldVersion}.apps.openyurt.io ${pool} --output=json | kubectl replace --filename=-`,
  ];
}

/** Finds the pools that an upgrade of OpenYurt changes, or has changed. */
export function findNodePools(cluster: EdgeCluster, objects: readonly PlainMap[]): NodePoolFinding[] {
  const release = openYurtRow(cluster.openYurt);
  return release === undefined ? [] : findConversions(release, cluster.nodePoolLabel, objects);
}

/** The same for a release. */
export function findConversions(
  release: OpenYurtRelease,
  nodePoolLabel: string,
  objects: readonly PlainMap[],
): NodePoolFinding[] {
  // a version that the release does not serve is of another cluster
  const served = release.nodePoolVersions.map((version) => `apps.openyurt.io/${version}`);
  const own = objects.filter(({ kind, apiVersion }) => kind !== 'NodePool' || served.includes(String(apiVersion)));
  const pools = poolFacts(own, nodeFacts(objects, nodePoolLabel), `apps.openyurt.io/${release.nodePoolVersion}`);
  const isConverted = isConvertedLater(release);
  const older = release.nodePoolVersions.filter((version) => version !== release.nodePoolVersion);
  const before = older[older.length - 1];
  return pools.flatMap((pool): NodePoolFinding[] => {
    const kind = `nodepools.${release.nodePoolVersion}.apps.openyurt.io`;
    return isConverted
      ? beforeUpgrade(pool, kind)
      : before === undefined
        ? []
        : afterUpgrade(pool, kind, before, release.nodePoolVersion);
  });
}

function beforeUpgrade({ name, hostNetwork, annotated }: PoolFact, kind: string): NodePoolFinding[] {
  if (hostNetwork === annotated) {
    return [];
  }
  return [
    {
      pool: name,
      state: 'missing',
      reason: hostNetwork
        ? `it lacks the annotation ${ANNOTATION}: a later OpenYurt converts it to a regular pool`
        : `it has the annotation ${ANNOTATION}, and is a regular pool: a later OpenYurt converts it to a host-network pool`,
      commands: [
        shellCommand(
          'kubectl',
          'annotate',
          '--overwrite',
          kind,
          name,
          hostNetwork ? ANNOTATION : `${HOST_NETWORK_LABEL}-`,
        ),
      ],
    },
  ];
}

function afterUpgrade(
  { name, hostNetwork, annotated, hasHostNetworkNodes, hasOtherNodes, interConnected }: PoolFact,
  kind: string,
  oldVersion: string,
  newVersion: string,
): NodePoolFinding[] {
  if (hostNetwork || !(annotated || hasHostNetworkNodes)) {
    return [];
  }
  const byHand = !hasHostNetworkNodes
    ? undefined
    : interConnected
      ? 'the repair turns interConnectivity off for good. If the pool needs it, drain it, delete it and create it again; otherwise remove the # of these commands.'
      : hasOtherNodes
        ? 'only some of its nodes have the label, which a person may also have set, and a host-network pool can never be changed back. If it was one, remove the # of these commands.'
        : undefined;
  return [
    {
      pool: name,
      state: 'harmful',
      reason: hasHostNetworkNodes
        ? 'it is a regular pool, and its nodes have the label of a host-network pool: an upgrade has converted it'
        : `it has the annotation ${ANNOTATION}: the next write through ${oldVersion} makes it a host-network pool`,
      commands: hasHostNetworkNodes
        ? repairCommands(shellCommand(name), oldVersion, newVersion)
        : [shellCommand('kubectl', 'annotate', kind, name, `${HOST_NETWORK_LABEL}-`)],
      ...(byHand === undefined ? {} : { byHand }),
    },
  ];
}

/** The script that fixes pools; none if there is nothing to fix. */
export function nodePoolsScript(findings: readonly NodePoolFinding[]): PreconditionFile[] {
  if (findings.length === 0) {
    return [];
  }
  const repairs = findings.map(({ pool, reason, commands, byHand }) => ({
    what: `${pool}: ${reason}`,
    commands,
    ...(byHand === undefined ? {} : { byHand }),
  }));
  const title = 'Fixes NodePools that an upgrade of OpenYurt changes, or has changed. It can be repeated.';
  return [{ path: 'node-pools.sh', content: repairScript(title, repairs) }];
}
