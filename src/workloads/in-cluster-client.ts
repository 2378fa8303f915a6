import type { EdgeWarning, ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { parseEndpoint } from '../cluster/api-server-endpoint.js';
import { isMap, type PlainMap } from '../validation/plain-data.js';
import { compute, holdsUnknown, isUnknown } from '../validation/unknown.js';
import { type CompletedContainers, CONTAINER_FIELDS, withCompletedContainers } from './containers.js';
import { quoted } from '../validation/properties.js';

const HOST = 'KUBERNETES_SERVICE_HOST';
const PORT = 'KUBERNETES_SERVICE_PORT';

/** Checks the address of the API server for in-cluster clients: `true` for `apiServer` of the cluster, or `host:port`. */
export function checkApiServer(cluster: EdgeCluster | undefined, wanted: unknown, problems: ProblemList): void {
  if (wanted === undefined || wanted === false) {
    return;
  }
  if (wanted === true) {
    if (cluster !== undefined && cluster.apiServer === undefined) {
      problems.add(
        'EDGE_API_SERVER',
        'the cluster has no apiServer',
        "write apiServer: '10.0.0.1:6443' in the cluster, or the address here",
      );
    }
  } else if (typeof wanted !== 'string' || parseEndpoint(wanted) === undefined) {
    problems.add(
      'EDGE_API_SERVER',
      `${quoted(wanted)} is not host:port`,
      "write true, or '10.0.0.1:6443' (no scheme, no path; IPv6 in brackets)",
    );
  }
}

/** Host or port of the API server address for in-cluster clients. */
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
  return CONTAINER_FIELDS.flatMap((field) => {
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
 * Sets the address of the API server for in-cluster clients. Kubelet injects the ClusterIP of default/kubernetes, which is not reachable on a node
 * without kube-proxy; an explicit variable wins over the injected one. Containers that set the host themselves are skipped.
 *
 * @param wanted `true` for `apiServer` of the cluster, or `host:port`
 */
export function withApiServer(
  podSpec: PlainMap,
  cluster: EdgeCluster,
  wanted: boolean | string | undefined,
): CompletedContainers {
  if (wanted === undefined || wanted === false) {
    return { podSpec, changed: [] };
  }
  return withCompletedContainers(podSpec, { cluster, wanted }, (container, settings) => {
    const { env } = container;
    const input = { env, ...settings };
    const reads = [namesIn(env), isUnknown(settings.wanted) && settings.wanted];
    const completed = compute(input, withVariables, reads);
    return {
      container: completed === env ? container : { ...container, env: completed },
      changed: compute(input, (known) => (isSet(known) ? [['env']] : []), reads),
    };
  });
}

/** What the variables of a container are made from. */
interface VariablesInput {
  readonly env: unknown;
  readonly cluster: EdgeCluster;
  readonly wanted: boolean | string;
}

/** Whether the address is set in a container: not where it sets the host itself. */
function isSet({ env, wanted }: Pick<VariablesInput, 'env' | 'wanted'>): boolean {
  return wanted !== false && !setsHost({ env });
}

/** The environment variables of a container, with the address added. */
function withVariables({ env, cluster, wanted }: VariablesInput): unknown {
  const own = (Array.isArray(env) ? (env as unknown[]) : []).filter(
    (variable) => !(isMap(variable) && variable.name === PORT),
  );
  return isSet({ env, wanted })
    ? [
        ...own,
        { name: HOST, value: addressPart(cluster, wanted, 'host') },
        { name: PORT, value: addressPart(cluster, wanted, 'port') },
      ]
    : env;
}

/** The parts of a container's environment variables that are read: their names. */
function namesIn(env: unknown): unknown {
  return Array.isArray(env)
    ? (env as unknown[]).map((variable) => (isMap(variable) ? variable.name : variable))
    : isUnknown(env) && env;
}

/** Warns if in-cluster clients of a Pod cannot reach the API server. */
export function inClusterWarnings(cluster: EdgeCluster, podSpec: PlainMap, path: string): EdgeWarning[] {
  const mountsToken = podSpec.automountServiceAccountToken !== false;
  const unset = eachContainer(podSpec).filter(({ field, container }) => field === 'containers' && !setsHost(container));
  const isUndecided = holdsUnknown([
    CONTAINER_FIELDS.map((field) => podSpec[field]).map((list) =>
      Array.isArray(list) ? list.filter(isUnknown) : list,
    ),
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
      message: `a service account token is mounted, and in-cluster clients connect to the ClusterIP of kubernetes.default, which ${cluster.yurthub === false ? 'is not reachable' : 'is reachable only through yurthub'} on a node without kube-proxy`,
      hint: 'write apiServer: true (sets KUBERNETES_SERVICE_HOST), or automountServiceAccountToken: false if it needs no API server, or yurthub: true in the cluster',
    },
  ];
}
