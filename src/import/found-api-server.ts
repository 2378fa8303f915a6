import { caHashIn } from '../cluster/ca-cert-hash.js';
import { EdgeCluster } from '../cluster/edge-cluster.js';
import type { EdgeClusterProps } from '../cluster/edge-cluster-props.js';
import { mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';
import { attempted } from './recognized-object.js';

/** The address and the CA that kubeadm publishes for joins, in the ConfigMap `cluster-info` of kube-public; nothing if it is not there, or says neither. */
export function findApiServer(
  objects: readonly PlainMap[],
  releases: EdgeClusterProps,
): Pick<EdgeClusterProps, 'apiServer' | 'caCertHashes'> {
  const published = objects.find((object) => {
    const { name, namespace } = mapAt(object, 'metadata');
    return object.kind === 'ConfigMap' && namespace === 'kube-public' && name === 'cluster-info';
  });
  const text = valueAt(published, ['data', 'kubeconfig']);
  if (typeof text !== 'string') {
    return {};
  }
  const [, address] = /^ *server: *["']?https:\/\/([^\s"'/]+)/m.exec(text) ?? [];
  const hash = caHashIn(text);
  if (address === undefined || hash === undefined) {
    return {};
  }
  const found = { apiServer: /:\d+$/.test(address) ? address : `${address}:443`, caCertHashes: [hash] };
  // an address that no join can use is left out
  return 'made' in attempted(() => EdgeCluster.of({ ...releases, ...found })) ? found : {};
}
