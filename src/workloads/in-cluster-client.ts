import { type EdgeWarning, joinPath, type ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { type Endpoint, parseEndpoint } from '../cluster/endpoint.js';
import { isMap, type PlainMap } from '../validation/plain-data.js';

const HOST = 'KUBERNETES_SERVICE_HOST';
const PORT = 'KUBERNETES_SERVICE_PORT';

/** A Pod spec whose in-cluster clients reach the API server. */
export interface InClusterClient {
  readonly podSpec: PlainMap;
  readonly changed: readonly string[];
}

/**
 * The address to give to in-cluster clients: `true` stands for the cluster's own. undefined when none is wanted.
 */
export function apiServerFor(
  cluster: EdgeCluster,
  wanted: boolean | string | undefined,
  problems: ProblemList,
): Endpoint | undefined {
  if (wanted === undefined || wanted === false) {
    return undefined;
  }
  if (wanted === true) {
    const endpoint = cluster.apiServerEndpoint();
    if (endpoint === undefined) {
      problems.add(
        'EDGE_API_SERVER',
        'the cluster does not say where its API server is',
        "write EdgeCluster.of({ …, apiServer: '10.0.0.1:6443' }), or the address here",
      );
    }
    return endpoint;
  }
  const endpoint = typeof wanted === 'string' ? parseEndpoint(wanted) : undefined;
  if (endpoint === undefined) {
    problems.add(
      'EDGE_API_SERVER',
      `${JSON.stringify(wanted)} is not host:port`,
      "write true, or '10.0.0.1:6443' (no scheme, no path; IPv6 in brackets)",
    );
  }
  return endpoint;
}

function eachContainer(
  podSpec: PlainMap,
): { readonly field: string; readonly index: number; readonly container: PlainMap }[] {
  return ['initContainers', 'containers'].flatMap((field) => {
    const list = podSpec[field];
    return (Array.isArray(list) ? list : []).flatMap((container: unknown, index) =>
      isMap(container) ? [{ field, index, container }] : [],
    );
  });
}

function envOf(container: PlainMap): PlainMap[] {
  return Array.isArray(container.env) ? container.env.filter(isMap) : [];
}

function setsHost(container: PlainMap): boolean {
  return envOf(container).some((variable) => variable.name === HOST);
}

/**
 * Tells in-cluster clients where the API server is. The kubelet injects the ClusterIP of default/kubernetes, which nothing serves on a node
 * without kube-proxy; an explicit variable wins over the injected one. A container that sets the host itself is left alone.
 */
export function withApiServer(podSpec: PlainMap, endpoint: Endpoint | undefined, path: string): InClusterClient {
  if (endpoint === undefined) {
    return { podSpec, changed: [] };
  }
  const changed: string[] = [];
  let result = podSpec;
  for (const { field, index, container } of eachContainer(podSpec)) {
    if (setsHost(container)) {
      continue;
    }
    const env = [
      ...(Array.isArray(container.env) ? (container.env as unknown[]) : []).filter(
        (variable) => !(isMap(variable) && variable.name === PORT),
      ),
      { name: HOST, value: endpoint.host },
      { name: PORT, value: String(endpoint.port) },
    ];
    const containers = [...(result[field] as unknown[])];
    containers[index] = { ...container, env };
    result = { ...result, [field]: containers };
    changed.push([field, index, 'env'].reduce<string>(joinPath, path));
  }
  return { podSpec: result, changed };
}

/** Whether in-cluster clients of a Pod may look for the API server where it is not. */
export function inClusterWarnings(cluster: EdgeCluster, podSpec: PlainMap, path: string): EdgeWarning[] {
  const mountsToken = podSpec.automountServiceAccountToken !== false;
  const unset = eachContainer(podSpec).filter(({ field, container }) => field === 'containers' && !setsHost(container));
  if (!mountsToken || unset.length === 0 || cluster.yurthub === true) {
    return [];
  }
  return [
    {
      code: 'EDGE_API_SERVER',
      path,
      message: `a service account token is mounted, and clients will look for the API server at the ClusterIP of kubernetes.default, which ${cluster.yurthub === false ? 'nothing serves' : 'only yurthub makes reachable'} on a node without kube-proxy`,
      hint: 'write apiServer: true (sets KUBERNETES_SERVICE_HOST), or automountServiceAccountToken: false if it needs no API server, or yurthub: true on the EdgeCluster',
    },
  ];
}
