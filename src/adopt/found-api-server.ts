import { caHashIn } from '../cluster/ca-cert-hash.js';
import { EdgeCluster, type EdgeClusterProps } from '../cluster/edge-cluster.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { type PlainMap, mapAt, valueAt } from '../base/plain-data.js';
import { attempted } from './recognized-object.js';

/**
 * The address and the CA that kubeadm publishes for joins, in the ConfigMap `cluster-info` of kube-public; the address alone by `controlPlaneEndpoint` of
 * `kubeadm-config`. Nothing if neither is there, or no join can use it.
 */
export function findApiServer(
  objects: readonly PlainMap[],
  releases: EdgeClusterProps,
): Pick<EdgeClusterProps, 'apiServer' | 'caCertHashes'> {
  const published = textIn(objects, 'kube-public', 'cluster-info', 'kubeconfig');
  const [, address] = /^ *server: *["']?https:\/\/([^\s"'/]+)/m.exec(published) ?? [];
  const hash = caHashIn(published);
  const [, endpoint] =
    /^controlPlaneEndpoint: *["']?([^\s"'/]+)/m.exec(
      textIn(objects, 'kube-system', 'kubeadm-config', 'ClusterConfiguration'),
    ) ?? [];
  const found =
    address !== undefined && hash !== undefined
      ? { apiServer: withPort(address, 443), caCertHashes: [hash] }
      : // kubeadm's default is the port of the API server (kubeadmconstants.DefaultAPIServerBindPort)
        { apiServer: endpoint === undefined ? undefined : withPort(endpoint, 6443) };
  // an address that no join can use is left out
  return found.apiServer !== undefined && 'made' in attempted(() => EdgeCluster.of({ ...releases, ...found }))
    ? found
    : {};
}

/** Whether yurthub runs on the nodes: by the YurtStaticSet of its chart. */
export function findYurthub(
  objects: readonly PlainMap[],
  releases: EdgeClusterProps,
): Pick<EdgeClusterProps, 'yurthub'> {
  const isThere = objects.some(
    (object) =>
      groupKindOf(object) === 'YurtStaticSet.apps.openyurt.io' &&
      /^yurt-?hub/.test(String(mapAt(object, 'metadata').name)),
  );
  return isThere && releases.openYurt !== 'none' ? { yurthub: true } : {};
}

function textIn(objects: readonly PlainMap[], namespace: string, name: string, key: string): string {
  const found = objects.find(({ kind, metadata }) => {
    const own = mapAt({ metadata }, 'metadata');
    return kind === 'ConfigMap' && own.namespace === namespace && own.name === name;
  });
  const text = valueAt(found, ['data', key]);
  return typeof text === 'string' ? text : '';
}

function withPort(address: string, port: number): string {
  return /:\d+$/.test(address) ? address : `${address}:${port}`;
}
