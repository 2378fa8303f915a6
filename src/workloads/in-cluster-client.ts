import { type EdgeWarning, joinPath, type ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { parseEndpoint } from '../cluster/endpoint.js';
import { isMap, type PlainMap } from '../validation/plain-data.js';
import { compute, holdsUnknown, isUnknown } from '../validation/unknown.js';

const HOST = 'KUBERNETES_SERVICE_HOST';
const PORT = 'KUBERNETES_SERVICE_PORT';

/** A Pod spec whose in-cluster clients reach the API server. */
export interface InClusterClient {
  readonly podSpec: PlainMap;
  readonly changed: readonly string[];
}

/** Checks what is to be set as the address of the API server: `true` stands for the cluster's own. */
export function checkApiServer(cluster: EdgeCluster | undefined, wanted: unknown, problems: ProblemList): void {
  if (wanted === undefined || wanted === false) {
    return;
  }
  if (wanted === true) {
    if (cluster !== undefined && cluster.apiServer === undefined) {
      problems.add(
        'EDGE_API_SERVER',
        'the cluster has no API server address',
        "write EdgeCluster.of({ …, apiServer: '10.0.0.1:6443' }), or the address here",
      );
    }
  } else if (typeof wanted !== 'string' || parseEndpoint(wanted) === undefined) {
    problems.add(
      'EDGE_API_SERVER',
      `${JSON.stringify(wanted)} is not host:port`,
      "write true, or '10.0.0.1:6443' (no scheme, no path; IPv6 in brackets)",
    );
  }
}

/** Host or port of the address for in-cluster clients: the cluster's own, or another one. */
function addressPart(cluster: EdgeCluster, wanted: boolean | string, part: 'host' | 'port'): string {
  return compute(
    { cluster, wanted },
    (known) => {
      const endpoint = known.wanted === true ? known.cluster.apiServerEndpoint() : parseEndpoint(String(known.wanted));
      return String(endpoint?.[part]);
    },
    [wanted, wanted === true && cluster.apiServer],
  );
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

function envOf(container: { readonly env?: unknown }): PlainMap[] {
  return Array.isArray(container.env) ? container.env.filter(isMap) : [];
}

function setsHost(container: { readonly env?: unknown }): boolean {
  return envOf(container).some((variable) => variable.name === HOST);
}

/**
 * Sets the address of the API server for in-cluster clients. The kubelet injects the ClusterIP of default/kubernetes, which nothing serves on a node
 * without kube-proxy; an explicit variable wins over the injected one. A container that sets the host itself is skipped.
 *
 * @param wanted `true` for the address of the cluster, or `host:port`
 */
export function withApiServer(
  podSpec: PlainMap,
  cluster: EdgeCluster,
  wanted: boolean | string | undefined,
  path: string,
): InClusterClient {
  if (wanted === undefined || wanted === false) {
    return { podSpec, changed: [] };
  }
  const variables = [
    { name: HOST, value: addressPart(cluster, wanted, 'host') },
    { name: PORT, value: addressPart(cluster, wanted, 'port') },
  ];
  const changed: string[][] = [];
  let result = podSpec;
  for (const { field, index, container } of eachContainer(podSpec)) {
    const { env } = container;
    const at = [field, index, 'env'].reduce<string>(joinPath, path);
    const reads = namesIn(env);
    changed.push(compute({ env }, (known) => (setsHost(known) ? [] : [at]), reads));
    const completed = compute({ env, variables }, withVariables, reads);
    if (completed !== env) {
      const containers = [...(result[field] as unknown[])];
      containers[index] = { ...container, env: completed };
      result = { ...result, [field]: containers };
    }
  }
  return { podSpec: result, changed: compute(changed, (lists) => lists.flat()) };
}

/** The variables of a container with those of the address, unless it sets the host itself. */
function withVariables({ env, variables }: { env: unknown; variables: readonly PlainMap[] }): unknown {
  if (setsHost({ env })) {
    return env;
  }
  const own = (Array.isArray(env) ? (env as unknown[]) : []).filter(
    (variable) => !(isMap(variable) && variable.name === PORT),
  );
  return [...own, ...variables];
}

/** What is read of the variables of a container: their names. */
function namesIn(env: unknown): unknown {
  return Array.isArray(env)
    ? (env as unknown[]).map((variable) => (isMap(variable) ? variable.name : variable))
    : isUnknown(env) && env;
}

/** Whether in-cluster clients of a Pod may look for the API server where it is not. */
export function inClusterWarnings(cluster: EdgeCluster, podSpec: PlainMap, path: string): EdgeWarning[] {
  const mountsToken = podSpec.automountServiceAccountToken !== false;
  const unset = eachContainer(podSpec).filter(({ field, container }) => field === 'containers' && !setsHost(container));
  const isUndecided = holdsUnknown([
    cluster.yurthub,
    podSpec.automountServiceAccountToken,
    eachContainer(podSpec).map(({ container }) => namesIn(container.env)),
  ]);
  if (isUndecided || !mountsToken || unset.length === 0 || cluster.yurthub === true) {
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
