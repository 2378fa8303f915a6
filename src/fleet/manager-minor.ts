import { isOlderMinor, lookUpKubernetes } from '../cluster/kubernetes-minors.js';
import { mapAt, type PlainMap } from '../base/plain-data.js';
import { NEWEST } from './outage.js';

/** A minor of kube-controller-manager, and why it is assumed, if it is. */
export interface ManagerMinor {
  readonly minor: string;
  readonly assumed?: string;
}

/**
 * The minor of kube-controller-manager. Without its Pod it is that of the newest kubelet, which is never newer than the API server (version skew policy).
 *
 * @param version as it is given, of its image, or that of the cluster of the program
 */
export function managerMinor(version: string | undefined, objects: readonly PlainMap[]): ManagerMinor {
  const known = version === undefined ? undefined : rowOf(version);
  if (known !== undefined) {
    return { minor: known };
  }
  if (version !== undefined) {
    return { minor: NEWEST, assumed: `${version} of its image is not a known minor, and this is the newest one` };
  }
  const [newest] = objects
    .filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Node')
    .flatMap((node) => rowOf(String(mapAt(mapAt(node, 'status'), 'nodeInfo').kubeletVersion)) ?? [])
    .sort((one, other) => (isOlderMinor(one, other) ? 1 : -1));
  return newest === undefined
    ? { minor: NEWEST, assumed: 'the manifests do not have its Pod, and this is the newest minor that is known' }
    : { minor: newest, assumed: 'the manifests do not have its Pod, and this is the minor of the newest kubelet' };
}

function rowOf(version: string): string | undefined {
  const found = lookUpKubernetes(version);
  return found.kind === 'known' ? found.row.minor : undefined;
}
