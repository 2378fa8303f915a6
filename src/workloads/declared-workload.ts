import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { ProblemList } from '../errors.js';
import { isAbsent } from '../kubernetes/field-values.js';
import { type PlainMap, mapAt } from '../validation/plain-data.js';

/** Versions that API servers no longer serve (Kubernetes' deprecated API migration guide), with the minor from which on. */
const REMOVED: Readonly<Record<string, readonly [minor: number, instead: string]>> = {
  'extensions/v1beta1': [16, 'apps/v1'],
  'apps/v1beta1': [16, 'apps/v1'],
  'apps/v1beta2': [16, 'apps/v1'],
  'batch/v2alpha1': [21, 'batch/v1'],
  'batch/v1beta1': [25, 'batch/v1'],
};

/** What an API server sets, and refuses to take from elsewhere: with these no object is created, or another one would be changed. */
const OF_SERVER = ['managedFields', 'resourceVersion', 'uid'];

/**
 * Refuses what a workload that is to be created cannot have: a version that the API server does not serve, and what another API server has written into it.
 */
export function checkDeclaredWorkload(cluster: EdgeCluster, workload: PlainMap, problems: ProblemList): void {
  const { apiVersion } = workload;
  const removed = typeof apiVersion === 'string' ? REMOVED[apiVersion] : undefined;
  if (removed !== undefined && Number(cluster.kubernetes.split('.')[1]) >= removed[0]) {
    problems
      .at('apiVersion')
      .add(
        'EDGE_VALUE',
        `Kubernetes ${cluster.kubernetes} does not serve ${String(apiVersion)}: it ended with 1.${removed[0]}`,
        `write apiVersion: '${removed[1]}'`,
      );
  }
  const metadata = mapAt(workload, 'metadata');
  const written = OF_SERVER.filter((field) => !isAbsent(metadata[field])).map((field) => `metadata.${field}`);
  if (written.length > 0) {
    problems.add(
      'EDGE_VALUE',
      `${written.join(' and ')} ${written.length === 1 ? 'comes' : 'come'} from an API server: the workload was read from a cluster`,
      'remove what the API server has written: status, and metadata but for name, namespace, labels and annotations',
    );
  }
}
