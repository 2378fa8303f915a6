import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { nameOf } from '../kubernetes/object.js';

/** Logs and exec of host-network nodes: what a dump shows of the way to them. */
export interface AccessFinding {
  /** `unknown`: the dump shows no way, and nodes that the API server reaches need none. */
  readonly state: 'fine' | 'harmful' | 'unknown';
  readonly found: string;
  /** What is wrong, or what to do.
   * @default - nothing */
  readonly reason?: string;
}

/** The command line of each container of a Pod spec, flags and their values. */
function commandsIn(podSpec: PlainMap): ReadonlyMap<string, string>[] {
  const containers = Array.isArray(podSpec.containers) ? podSpec.containers.filter(isMap) : [];
  return containers.map(({ command, args }) => {
    const words = [command, args].flatMap((list) => (Array.isArray(list) ? list.map(String) : []));
    return new Map(
      words.flatMap((word) => (/^--[a-z-]+=/.test(word) ? [word.slice(2).split(/=(.*)/s) as [string, string]] : [])),
    );
  });
}

/** What reaches the nodes of a dump, by the flags of its programs and not by their names. */
interface Access {
  readonly agents: readonly (readonly [name: string, flags: ReadonlyMap<string, string>])[];
  readonly servers: readonly ReadonlyMap<string, string>[];
  readonly apiServers: readonly ReadonlyMap<string, string>[];
  readonly gateways: number;
}

function accessIn(objects: readonly PlainMap[]): Access {
  const pods = objects.flatMap((object) => (object.kind === 'Pod' ? commandsIn(mapAt(object, 'spec')) : []));
  const templates = objects.flatMap((object) =>
    ['DaemonSet', 'Deployment'].includes(String(object.kind))
      ? commandsIn((valueAt(object, ['spec', 'template', 'spec']) ?? {}) as PlainMap).map(
          (flags) => [nameOf(object), flags] as const,
        )
      : [],
  );
  return {
    agents: templates.filter(([, flags]) => flags.has('proxy-server-host')),
    servers: [...pods, ...templates.map(([, flags]) => flags)].filter((flags) => flags.has('agent-port')),
    apiServers: pods.filter((flags) => flags.has('kubelet-client-certificate')),
    gateways: objects.filter(
      (object) => object.kind === 'Gateway' && String(object.apiVersion).startsWith('raven.openyurt.io/'),
    ).length,
  };
}

/** The way to host-network nodes that objects show. */
export function wayToNodes(objects: readonly PlainMap[]): 'konnectivity' | 'Raven' | undefined {
  const { agents, gateways } = accessIn(objects);
  return agents.length > 0 ? 'konnectivity' : gateways > 0 ? 'Raven' : undefined;
}

/** What is harmful of konnectivity: each of these answers with the log of another site, or never comes back. */
function harms({ agents, servers, apiServers }: Access): string[] {
  const strategies = servers.map((flags) => flags.get('proxy-strategies') ?? 'default');
  const isSlow = (time: string | undefined): boolean =>
    !/^(3\d|[4-9]\d|1\d\d|2\d\d|300)s$|^[1-5]m(0s)?$/.test(time ?? '1h');
  const slow = [...servers.map((flags) => ['the proxy server', flags] as const), ...agents].filter(([, flags]) =>
    isSlow(flags.get('keepalive-time')),
  );
  const byAddress = agents.filter(([, flags]) => /(^|&)ipv[46]=/.test(flags.get('agent-identifiers') ?? ''));
  const isFirst = apiServers.some((flags) =>
    /^(Internal|External)IP/.test(flags.get('kubelet-preferred-address-types') ?? ''),
  );
  const isUnchecked = apiServers.some(
    (flags) => flags.has('egress-selector-config-file') && !flags.has('kubelet-certificate-authority'),
  );
  return [
    ...(strategies.some((list) => list.split(',').includes('default'))
      ? ['the strategy default of the proxy server takes any agent (--proxy-strategies=destHost,defaultRoute)']
      : []),
    ...byAddress.map(
      ([name]) => `${name} is known by addresses, which two sites can share (--agent-identifiers=host=$(NODE_NAME))`,
    ),
    ...slow.map(
      ([name]) =>
        `${name} does not notice a NAT that forgets its connection, and never comes back (--keepalive-time=30s)`,
    ),
    ...(isFirst
      ? ['kube-apiserver asks for addresses first (--kubelet-preferred-address-types=Hostname,InternalIP)']
      : []),
    ...(isUnchecked ? ['kube-apiserver does not check which kubelet answers (--kubelet-certificate-authority)'] : []),
  ];
}

/** What a dump shows of logs and exec; undefined without a host-network node or pool. */
export function findAccess(
  { hostNetworkLabel: { key, value } }: EdgeCluster,
  objects: readonly PlainMap[],
): AccessFinding | undefined {
  const isHostNetwork = (object: PlainMap): boolean =>
    object.kind === 'NodePool'
      ? mapAt(object, 'spec').hostNetwork === true
      : object.kind === 'Node' && mapAt(mapAt(object, 'metadata'), 'labels')[key] === value;
  if (!objects.some(isHostNetwork)) {
    return undefined;
  }
  const access = accessIn(objects);
  const { agents, apiServers, gateways } = access;
  if (agents.length === 0) {
    return gateways > 0
      ? {
          state: 'unknown',
          found: `${gateways} Gateways of Raven`,
          reason: 'whether raven-agent runs on the nodes is not known here',
        }
      : {
          state: 'unknown',
          found: 'no agent of konnectivity, and no Gateway of Raven',
          reason:
            'kubectl logs and exec fail behind NAT: declare a NodeAccess; nodes that the API server reaches need none',
        };
  }
  const found = `agents of konnectivity: ${agents.map(([name]) => name).join(', ')}`;
  const wrong = harms(access);
  const isOff = apiServers.length > 0 && apiServers.every((flags) => !flags.has('egress-selector-config-file'));
  return wrong.length > 0
    ? { state: 'harmful', found, reason: wrong.join('; ') }
    : isOff
      ? { state: 'unknown', found, reason: 'kube-apiserver does not use them: no --egress-selector-config-file' }
      : {
          state: 'fine',
          found,
          ...(apiServers.length === 0 ? { reason: 'whether kube-apiserver uses them is not in the dump' } : {}),
        };
}
