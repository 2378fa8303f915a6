import { isIP } from 'node:net';
import { type EdgeWarning, joinPath, type ProblemList } from '../base/errors.js';
import {
  eachMap,
  holdsUnresolved,
  isAbsent,
  itemsOf,
  listAt,
  mapsIn,
  readList,
  readText,
} from '../kubernetes/field-values.js';
import { isDnsSubdomain } from '../kubernetes/names.js';
import { isMap, mapAt, type PlainMap, withField } from '../base/plain-data.js';
import { checkOneOf, quoted } from '../base/properties.js';
import { oneOf } from '../base/property-table.js';
import { compute, isUnknown } from '../base/unknown.js';

/** A dnsPolicy for a host-network workload. */
export type HostNetworkDnsPolicy = 'Default' | 'None' | 'ClusterFirstWithHostNet';

/** A Pod spec with a dnsPolicy that works on a host-network node. */
export interface PodDns {
  readonly podSpec: PlainMap;
  readonly changed: readonly string[];
  readonly warnings: readonly EdgeWarning[];
}

const POLICIES = ['Default', 'None', 'ClusterFirstWithHostNet'];
/** Those of a Pod (core validation validateDNSPolicy). */
const TEMPLATE_POLICIES = [...POLICIES, 'ClusterFirst'];

/** Checks the dnsPolicy of the construct. */
export const checkDnsPolicy = oneOf(...POLICIES);

/**
 * `Default` (the node's resolv.conf) works. `ClusterFirst` silently behaves like it for hostNetwork Pods, and `ClusterFirstWithHostNet` queries the
 * cluster DNS address, which is not reachable on a node without kube-proxy, so every lookup times out (kubelet network/dns/dns.go).
 *
 * @param chosen the dnsPolicy of the construct; it wins over the one in the template
 * @param ofPodSpec the problems of the Pod spec
 */
export function withPodDns(
  podSpec: PlainMap,
  chosen: HostNetworkDnsPolicy | undefined,
  path: string,
  problems: ProblemList,
  ofPodSpec: ProblemList,
): PodDns {
  const policies = { written: podSpec.dnsPolicy, chosen };
  const policyOf = ({ written, chosen: wanted }: typeof policies): string =>
    wanted ?? (written === 'None' ? 'None' : 'Default');
  const policy = chosen ?? compute(policies, policyOf);
  const nameservers = mapAt(podSpec, 'dnsConfig').nameservers;
  const areKnown = !isUnknown(podSpec.dnsConfig) && !isUnknown(nameservers);
  if (policy === 'None' && areKnown) {
    requireServers(nameservers, problems);
  }
  const at = joinPath(path, 'dnsPolicy');
  const { dnsPolicy: written } = podSpec;
  // the API server takes empty text for the default
  if (!isAbsent(written) && written !== '' && !isUnknown(written) && !TEMPLATE_POLICIES.includes(written as string)) {
    const message = `${quoted(written)} is not one of ${TEMPLATE_POLICIES.join(', ')}`;
    ofPodSpec.at('dnsPolicy').add('EDGE_VALUE', message, "leave it out: 'Default' is written here");
  }
  const isReplaced = chosen === undefined && typeof written === 'string' && /^ClusterFirst/.test(written);
  const warnings: EdgeWarning[] = isReplaced
    ? [
        {
          code: 'EDGE_DNS',
          path: at,
          message: `dnsPolicy ${written} of the Pod spec is replaced by Default, the resolv.conf of the node: no cluster DNS is reachable on these nodes`,
          hint: "leave it out of the Pod spec; or, if a DNS server listens on the node itself, write dnsPolicy: 'ClusterFirstWithHostNet' beside pool",
        },
      ]
    : policy === 'ClusterFirstWithHostNet'
      ? unreachableDns({ dnsPolicy: policy }, path)
      : [];
  const changed = compute(policies, (known) => (known.written === policyOf(known) ? [] : [at]));
  return {
    podSpec: !isUnknown(changed) && changed.length === 0 ? podSpec : withField(podSpec, 'dnsPolicy', policy),
    changed,
    warnings,
  };
}

/** Refuses DNS settings of a written Pod spec that the API server would refuse (core validation validateDNSPolicy, validatePodDNSConfig). */
export function checkPodDns({ dnsPolicy, dnsConfig }: PlainMap, problems: ProblemList): void {
  // the API server takes empty text for the default
  if (!isAbsent(dnsPolicy) && dnsPolicy !== '' && !holdsUnresolved(dnsPolicy)) {
    checkOneOf(dnsPolicy, TEMPLATE_POLICIES, problems.at('dnsPolicy'));
  }
  const nameservers = isMap(dnsConfig) ? dnsConfig.nameservers : dnsConfig;
  if (dnsPolicy === 'None' && !holdsUnresolved(nameservers)) {
    requireServers(nameservers, problems);
  }
  checkDnsConfig(dnsConfig, problems.at('dnsConfig'));
}

function requireServers(nameservers: unknown, problems: ProblemList): void {
  if (!(Array.isArray(nameservers) && nameservers.length > 0)) {
    const message = "dnsPolicy None requires name servers, and the Pod's dnsConfig has none";
    const hint = "write dnsConfig: { nameservers: ['192.0.2.53'] } in the Pod spec, or dnsPolicy: 'Default'";
    problems.at('dnsPolicy').add('EDGE_DNS', message, hint);
  }
}

/** Warns of a dnsPolicy that asks the cluster DNS. */
export function unreachableDns({ dnsPolicy }: PlainMap, path: string): EdgeWarning[] {
  return dnsPolicy === 'ClusterFirstWithHostNet'
    ? [
        {
          code: 'EDGE_DNS',
          path: joinPath(path, 'dnsPolicy'),
          message:
            'ClusterFirstWithHostNet queries the cluster DNS address, which is not reachable on a node without kube-proxy',
          hint: "use 'Default', unless a DNS server listens on the node itself (kubelet clusterDNS)",
        },
      ]
    : [];
}

/** Refuses a dnsConfig that the API server would refuse (core validation validatePodDNSConfig); names with "_" need Kubernetes 1.33+. */
export function checkDnsConfig(dnsConfig: unknown, problems: ProblemList): void {
  if (!isMap(dnsConfig) || holdsUnresolved(dnsConfig)) {
    return;
  }
  const [servers, searches] = ['nameservers', 'searches'].map((field) =>
    readList(dnsConfig[field], problems.at(field)).map((item, index) => readText(item, problems.at(field, index))),
  ) as [(string | undefined)[], (string | undefined)[]];
  servers.forEach((server, index) => {
    if (server !== undefined && (isIP(server) === 0 || server.includes('%'))) {
      const hint = "write '192.0.2.53', without a port or zone";
      problems.at('nameservers', index).add('EDGE_DNS', `${JSON.stringify(server)} is not an IP address`, hint);
    }
  });
  if (servers.length > 3) {
    problems.at('nameservers').add('EDGE_DNS', `${servers.length} name servers`, 'write at most 3');
  }
  searches.forEach((search, index) => {
    // the API server takes names with "_", too
    const name = search
      ?.replace(/\.$/, '')
      .replace(/(^|\.)_/g, '$1')
      .replaceAll('_', '-');
    if (name !== undefined && search !== '.' && !isDnsSubdomain(name)) {
      problems
        .at('searches', index)
        .add('EDGE_DNS', `${JSON.stringify(search)} is not a domain`, "write 'example.com'");
    }
  });
  if (searches.length > 32 || searches.join(' ').length > 2048) {
    problems
      .at('searches')
      .add('EDGE_DNS', 'the search list is too long', 'write at most 32 domains and 2048 characters');
  }
  eachMap(dnsConfig.options, problems.at('options'), ({ name }, at) => {
    if (readText(name, at.at('name')) === '') {
      at.at('name').add('EDGE_MISSING', 'an option needs a name', "write { name: 'ndots', value: '2' }");
    }
  });
}

/** Fields with hosts to which kubelet or the container connects. */
const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'];

const REACHABLE =
  '127.0.0.1 for Pods on the same node, the address of a node, or a load balancer outside of the cluster';

/** The Services default/kubernetes and kube-system/kube-dns in kubeadm's default network 10.96.0.0/12. */
const SERVICE_ADDRESS = /(?<![\d.])10\.96\.0\.(?:1|10)(?![\d.])/;

/** Services by the names that a Pod has for them. One without ports is headless: its Pods may listen on any. */
export type ServiceNames = ReadonlyMap<string, { readonly title: string; readonly ports?: readonly string[] }>;

/** Variables whose value is a host, or a list of hosts. */
const OF_HOSTS = /(?:HOST|ADDR|ADDRESS|URL|ENDPOINT|SERVER|BROKER|UPSTREAM)(?:S|ES)?$/i;

/** The first Service that a text names: in a URL, as the value of a variable of hosts, or with one of its ports. */
function serviceIn(text: string, variable: string | undefined, services: ServiceNames): string | undefined {
  const inUrls = text
    .split('://')
    .slice(1)
    .flatMap((rest) => {
      const [authority = ''] = /^[^\s/?#"'`)]*/.exec(rest) ?? [];
      return authority.slice(authority.lastIndexOf('@') + 1).split(',');
    });
  const value = variable === undefined ? text.replace(/^--?[\w.-]+=/, '') : text;
  const isHost = variable !== undefined && OF_HOSTS.test(variable);
  const named = [
    ...inUrls.map((host) => ({ host, isHost: true })),
    ...value.split(',').map((host) => ({ host, isHost })),
  ].map(({ host, ...rest }) => ({ ...rest, parts: host.trim().split(':') }));
  const found = named.find(({ parts: [name = '', port, ...more], isHost: isOnlyHost }) => {
    const service = more.length > 0 ? undefined : services.get(name);
    return service !== undefined && (isOnlyHost || (port !== undefined && (service.ports?.includes(port) ?? true)));
  });
  return services.get(found?.parts[0] ?? '')?.title;
}

/**
 * Warns of names of cluster Services in a host-network Pod: without kube-proxy and cluster DNS it cannot reach them.
 *
 * @param known the Services that are known; what has no `.svc` is the name of a Service only if it is there
 */
export function findServiceNames(
  podSpec: PlainMap,
  clusterDomain: string,
  path: string,
  known: ServiceNames = new Map(),
): EdgeWarning[] {
  if (isUnknown(clusterDomain)) {
    return [];
  }
  const name = new RegExp(`\\.svc(\\b|$)|\\.${clusterDomain.replace(/\./g, '\\.')}\\b|\\bkubernetes\\.default\\b`);
  const warnings: EdgeWarning[] = [];
  const aliases = mapsIn(podSpec, 'hostAliases').flatMap(([, alias]) => listAt(alias, 'hostnames'));
  const services = new Map([...known].filter(([each]) => !aliases.includes(each)));
  const faultOf = (text: string, variable: string | undefined): string | undefined => {
    const service = name.test(text) ? 'a cluster Service' : serviceIn(text, variable, services);
    return SERVICE_ADDRESS.test(text)
      ? 'has the address of a Service, as kubeadm gives it; it is not reachable on a node without kube-proxy'
      : service === undefined
        ? undefined
        : `names ${service}, which a node without kube-proxy and cluster DNS neither resolves nor reaches`;
  };
  const visit = (value: unknown, at: string, variable?: string): void => {
    if (typeof value === 'string') {
      const fault = faultOf(value, variable);
      if (fault !== undefined) {
        warnings.push({
          code: 'EDGE_CLUSTER_SERVICE',
          path: at,
          message: `${JSON.stringify(value.replace(/:\/\/[^\s/@]*@/g, '://…@'))} ${fault}`,
          hint: `use a host that the node itself can reach: ${REACHABLE}`,
        });
      }
    } else if (Array.isArray(value)) {
      value.forEach((item, index) => visit(item, joinPath(at, index)));
    } else if (isMap(value)) {
      const named = typeof value.name === 'string' ? value.name : undefined;
      Object.entries(value).forEach(([key, item]) =>
        visit(item, joinPath(at, key), key === 'value' ? named : undefined),
      );
    }
  };
  visit(mapAt(podSpec, 'dnsConfig').nameservers, joinPath(joinPath(path, 'dnsConfig'), 'nameservers'));
  for (const field of ['initContainers', 'containers']) {
    const containers = podSpec[field];
    itemsOf(containers).forEach((container: unknown, index) => {
      for (const part of ['command', 'args', 'env', ...PROBES]) {
        visit(isMap(container) ? container[part] : undefined, [field, index, part].reduce<string>(joinPath, path));
      }
    });
  }
  return warnings;
}
