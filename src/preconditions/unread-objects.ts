import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { convertsNodes } from '../cluster/openyurt-capabilities.js';
import { HOST_NETWORK_LABEL } from '../kubernetes/labels.js';
import { missingRights } from '../pools/node-conversion.js';
import { SystemComponent } from '../system-components/system-component.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import type { ClusterState } from './cluster-state.js';

/** Objects that the input does not contain, so that the report says nothing about them. */
export interface UnreadObjects {
  /** `DaemonSets of kube-flannel (flannel)` */
  readonly objects: string;
  /** The command that reads them. */
  readonly command: string;
}

/**
 * What is missing in the input. An empty list of `kubectl get` does not say what it lists, so a namespace counts as read if there is a workload of it, or if
 * the Namespaces were read and it is not among them.
 */
export function unreadObjects(cluster: EdgeCluster, { objects }: ClusterState): UnreadObjects[] {
  const rights = 'clusterroles,clusterrolebindings,roles,rolebindings';
  return [
    ...unreadWorkloads(objects),
    ...unreadPools(cluster, objects),
    ...(convertsNodes(cluster) && missingRights(objects) === undefined
      ? [
          {
            objects: 'ClusterRoles, Roles and their bindings (rights of yurthub)',
            command: `kubectl get ${rights} --all-namespaces --output=yaml`,
          },
        ]
      : []),
  ];
}

function unreadWorkloads(objects: readonly PlainMap[]): UnreadObjects[] {
  const read = objects.filter(({ kind }) => kind === 'DaemonSet' || kind === 'Deployment');
  const namespacesRead = new Set(read.map((object) => mapAt(object, 'metadata').namespace));
  const listed = objects.filter(({ kind }) => kind === 'Namespace').map((object) => mapAt(object, 'metadata').name);
  const byNamespace = new Map<string, { readonly kinds: Set<string>; readonly components: Set<string> }>();
  for (const { name, data } of SystemComponent.known()) {
    for (const { namespace, kind } of data.workloads) {
      const known = byNamespace.get(namespace) ?? { kinds: new Set(), components: new Set() };
      byNamespace.set(namespace, known);
      known.kinds.add(kind);
      known.components.add(name);
    }
  }
  return [...byNamespace]
    .filter(([namespace]) => !namespacesRead.has(namespace) && (listed.length === 0 || listed.includes(namespace)))
    .map(([namespace, { kinds, components }]) => ({
      objects: `${[...kinds].map((kind) => `${kind}s`).join(' and ')} of ${namespace} (${[...components].join(', ')})`,
      command: `kubectl --namespace ${namespace} get ${[...kinds].map((kind) => `${kind.toLowerCase()}s`).join(',')} --output=yaml`,
    }));
}

/** NodePools, and the Nodes that show on which pool a bound Pod runs. */
function unreadPools(cluster: EdgeCluster, objects: readonly PlainMap[]): UnreadObjects[] {
  const pools = objects.filter(
    ({ apiVersion, kind }) => kind === 'NodePool' && String(apiVersion).startsWith('apps.openyurt.io/'),
  );
  const hasNodes = objects.some(({ kind }) => kind === 'Node') || pools.some((pool) => isMap(pool.status));
  return [
    ...(pools.length === 0 && cluster.hasOpenYurt()
      ? [{ objects: 'NodePools', command: 'kubectl get nodepools.apps.openyurt.io --output=yaml' }]
      : []),
    ...(pools.length > 0 && !hasNodes
      ? [{ objects: 'Nodes', command: `kubectl get nodes --selector=${HOST_NETWORK_LABEL} --output=yaml` }]
      : []),
  ];
}
