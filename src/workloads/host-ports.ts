import { type EdgeWarning, joinPath, type ProblemList } from '../base/errors.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { misspelt, numberAsText, portHint, quoted, showValue } from '../base/properties.js';
import { compute, holdsUnknown, isUnknown } from '../base/unknown.js';
import { holdsUnresolved, isAbsent, itemsOf } from '../kubernetes/field-values.js';
import { type CompletedContainers, withCompletedContainers } from './containers.js';
import { isPortNumber } from './rule-builders.js';
import type { Demand } from './workload-size.js';
import { DeclarationKind, type Scope } from '../cluster/scope.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';

/** A host port of a Pod: the key that kube-scheduler's NodePorts filter compares. */
export interface HostPort {
  readonly port: number;
  readonly protocol: string;
  /** Address of the node; `0.0.0.0` for all addresses. */
  readonly hostIP: string;
}

const ANY_ADDRESS = '0.0.0.0';

/** `8080/TCP`, or with an address `127.0.0.1:8080/TCP`. */
export function showPort({ port, protocol, hostIP }: HostPort): string {
  return `${hostIP === ANY_ADDRESS ? '' : `${hostIP}:`}${port}/${protocol}`;
}

/** Whether two ports conflict on one node (HostPortInfo.CheckConflict): the address 0.0.0.0 conflicts with every other. */
export function portsClash(a: HostPort, b: HostPort): boolean {
  return (
    a.port === b.port &&
    a.protocol === b.protocol &&
    (a.hostIP === b.hostIP || a.hostIP === ANY_ADDRESS || b.hostIP === ANY_ADDRESS)
  );
}

/** A container and its path. */
interface PortContainer {
  readonly path: readonly [string, number];
  readonly container: PlainMap;
  /** Whether its ports are in use while the Pod runs: not for init containers, which end before. */
  readonly counts: boolean;
}

/** All containers; the scheduler counts the ports of regular ones and of sidecars (init containers with restartPolicy Always). */
function portContainers(podSpec: PlainMap): PortContainer[] {
  return ['initContainers', 'containers'].flatMap((field) => {
    const list = podSpec[field];
    return itemsOf(list).map((item: unknown, index): PortContainer => {
      const container = isMap(item) ? item : {};
      return {
        path: [field, index],
        container,
        counts: field === 'containers' || container.restartPolicy === 'Always',
      };
    });
  });
}

function portsOf(container: PlainMap): PlainMap[] {
  return Array.isArray(container.ports) ? container.ports.filter(isMap) : [];
}

/** Port entries that a host-network Pod uses on its node. An unknown list of containers or ports counts as an entry. */
function countedEntries(podSpec: PlainMap): unknown[] {
  const lists = ['initContainers', 'containers'].flatMap((field) => {
    const list = podSpec[field];
    return Array.isArray(list) ? list.filter(isUnknown) : [list];
  });
  const counted = portContainers(podSpec).filter(({ counts }) => counts);
  const entries = counted.flatMap(({ container }) =>
    Array.isArray(container.ports) ? (container.ports as unknown[]) : [container.ports],
  );
  return [...lists, ...entries].filter((entry) => isUnknown(entry) || isMap(entry));
}

/** Whether a Pod uses ports of its node. */
export function takesPorts(podSpec: PlainMap): boolean {
  const entries = countedEntries(podSpec);
  const isKnown = entries.some(isMap);
  return isKnown || compute({ podSpec }, (known) => countedEntries(known.podSpec).length > 0, entries);
}

/** The known ports that a host-network Pod uses on its node. */
export function hostPortsOf(podSpec: PlainMap): HostPort[] {
  return countedEntries(podSpec).flatMap((port) =>
    isMap(port) && typeof port.containerPort === 'number' && !holdsUnknown([port.protocol, port.hostIP])
      ? [toHostPort(port, port.containerPort)]
      : [],
  );
}

/** The ports that the containers of a Pod declare, with their names. */
export function namedPorts(podSpec: PlainMap): { readonly name?: string; readonly number: number }[] {
  return countedEntries(podSpec)
    .filter(isMap)
    .map(({ name, containerPort }) => ({
      number: Number(containerPort),
      ...(typeof name === 'string' ? { name } : {}),
    }));
}

/** The ports as text, `8080/TCP`, including unknown ones. */
export function portTexts(podSpec: PlainMap): string[] {
  const { initContainers, containers } = podSpec;
  const entries = countedEntries(podSpec);
  if (entries.some(isUnknown)) {
    return compute({ initContainers, containers }, portTexts, entries);
  }
  return entries.map((entry) =>
    compute(portKey(entry as PlainMap), (port) => showPort(toHostPort(port, Number(port.containerPort)))),
  );
}

const portKey = ({ containerPort, protocol, hostIP }: PlainMap): PlainMap => ({ containerPort, protocol, hostIP });

function toHostPort(port: PlainMap, number: number): HostPort {
  return {
    port: number,
    protocol: typeof port.protocol === 'string' && port.protocol !== '' ? port.protocol : 'TCP',
    hostIP: typeof port.hostIP === 'string' && port.hostIP !== '' ? port.hostIP : ANY_ADDRESS,
  };
}

// kubelet, kube-proxy's health port, ssh and yurthub (openyurt pkg/yurthub options; kubernetes pkg/cluster/ports)
const NODE_PORTS: Readonly<Record<number, string>> = {
  22: 'sshd',
  10248: "the kubelet's health check",
  10250: 'the kubelet',
  10255: "the kubelet's read-only port",
  10261: "yurthub's proxy",
  10267: "yurthub's health check",
  10268: "yurthub's secure proxy",
};

const EPHEMERAL = { from: 32768, to: 60999 } as const;

/** Checks the ports of a host-network Pod, and warns of ports that are likely to be in use on the node. */
export function checkHostPorts(podSpec: PlainMap, problems: ProblemList): EdgeWarning[] {
  const warnings: EdgeWarning[] = [];
  const seen: { readonly port: HostPort; readonly path: string }[] = [];
  for (const { path, container, counts } of portContainers(podSpec)) {
    const at = problems.at(...path, 'ports');
    if (container.ports !== undefined && container.ports !== null && !Array.isArray(container.ports)) {
      at.add('EDGE_TYPE', 'ports must be a list', 'write ports: [{ containerPort: 8080 }]');
      continue;
    }
    const ports = (container.ports ?? []) as unknown[];
    ports.forEach((port, index) => checkPort(port, [...path, 'ports', index], problems, counts ? seen : [], warnings));
    // while the name is unknown the message would have another one
    if (ports.length === 0 && path[0] === 'containers' && !isUnknown(container.name)) {
      warnings.push({
        code: 'EDGE_NO_PORTS',
        path: path.reduce(joinPath, ''),
        message: `container ${typeof container.name === 'string' ? container.name : path[1]} declares no ports, so the scheduler may place two Pods with the same port on one node`,
        hint: 'declare every port that it listens on (ports: [{ containerPort: … }]); nothing to do if it listens on none',
      });
    }
  }
  return warnings;
}

/**
 * Refuses ports of a written Pod spec that the API server would refuse (core validation validateContainerPorts, validateHostNetwork, checkHostPortConflicts).
 * Ports that are not known yet are not read.
 */
export function checkContainerPorts(podSpec: PlainMap, problems: ProblemList): void {
  const isHostNetwork = podSpec.hostNetwork === true;
  const seen: { readonly port: HostPort; readonly path: string }[] = [];
  for (const { path, container, counts } of portContainers(podSpec)) {
    const { ports } = container;
    if (isAbsent(ports) || holdsUnresolved(ports)) {
      continue;
    }
    if (!Array.isArray(ports)) {
      problems
        .at(...path, 'ports')
        .add('EDGE_TYPE', 'ports must be a list', `write ports: [${isMap(ports) ? quoted(ports) : entryFor(ports)}]`);
      continue;
    }
    ports.forEach((port: unknown, index) => {
      // of a misspelt field it is said that it is
      if (!isMap(port) || !isAbsent(port.containerPort) || !isMisspelt(port)) {
        checkPort(port, [...path, 'ports', index], problems, counts ? seen : [], [], isHostNetwork);
      }
    });
  }
}

function isMisspelt(port: PlainMap): boolean {
  return !isAbsent(port.port) || misspelt('containerPort', port) !== undefined;
}

/** An entry of a port that is only a number. */
function entryFor(port: unknown): string {
  return `{ containerPort: ${/^\d+$/.test(String(port)) ? String(port) : 8080} }`;
}

function checkPort(
  port: unknown,
  path: readonly (string | number)[],
  problems: ProblemList,
  seen: { readonly port: HostPort; readonly path: string }[],
  warnings: EdgeWarning[],
  isHostNetwork = true,
): void {
  const at = problems.at(...path);
  if (!isMap(port)) {
    at.add('EDGE_PORT', `${JSON.stringify(port)} is not a port entry`, `write ${entryFor(port)}`);
    return;
  }
  const { containerPort, hostPort } = port;
  if (typeof containerPort !== 'number' || !isPortNumber(containerPort)) {
    at.at('containerPort').add(
      'EDGE_PORT',
      numberAsText(containerPort)?.message ?? `${showValue(containerPort)} is not a port`,
      portHint(containerPort),
    );
    return;
  }
  const hostText = numberAsText(hostPort);
  if (hostText !== undefined) {
    at.at('hostPort').add('EDGE_PORT', hostText.message, portHint(hostPort));
    return;
  }
  const isWithout = isAbsent(hostPort) || hostPort === 0;
  if (isHostNetwork && !isWithout && hostPort !== containerPort) {
    at.at('hostPort').add(
      'EDGE_PORT_MISMATCH',
      `hostPort ${JSON.stringify(hostPort)} differs from containerPort ${containerPort}; with hostNetwork they must be equal`,
      `write containerPort: ${JSON.stringify(hostPort)} and make the program listen there, or remove hostPort`,
    );
    return;
  }
  if (!isWithout && !(typeof hostPort === 'number' && isPortNumber(hostPort))) {
    at.at('hostPort').add('EDGE_PORT', `${showValue(hostPort)} is not a port`, portHint(hostPort));
    return;
  }
  if (!checkProtocol(port.protocol, at.at('protocol')) || (!isHostNetwork && isWithout)) {
    return;
  }
  const wanted = toHostPort(port, isWithout ? containerPort : hostPort);
  const where = path.reduce(joinPath, '');
  const other = seen.find((candidate) => portsClash(candidate.port, wanted));
  if (other !== undefined) {
    at.add(
      'EDGE_DUPLICATE_PORT',
      `${showPort(wanted)} is already used by ${other.path} of the same Pod`,
      'give one of the two another port',
    );
  }
  seen.push({ port: wanted, path: where });
  const owner = wanted.protocol === 'TCP' ? NODE_PORTS[containerPort] : undefined;
  if (owner !== undefined) {
    warnings.push({
      code: 'EDGE_PORT',
      path: where,
      message: `${containerPort}/TCP is used by ${owner} on most nodes`,
      hint: 'use another port',
    });
  } else if (containerPort >= EPHEMERAL.from && containerPort <= EPHEMERAL.to) {
    warnings.push({
      code: 'EDGE_PORT',
      path: where,
      message: `${containerPort} is in the ephemeral port range of Linux, ${EPHEMERAL.from}-${EPHEMERAL.to}`,
      hint: `use a port below ${EPHEMERAL.from}, or reserve it (net.ipv4.ip_local_reserved_ports)`,
    });
  }
}

/** The Pod spec with hostPort set for every containerPort; the API server defaults it for Pods, but for templates only before Kubernetes 1.28. */
export function withHostPorts(podSpec: PlainMap): CompletedContainers {
  return withCompletedContainers(podSpec, undefined, (container) => {
    const { ports } = container;
    const reads = readsOfPorts(ports);
    const filled = compute(ports, filledPorts, reads);
    return {
      container: filled === ports ? container : { ...container, ports: filled },
      changed: compute(ports, (known) => unfilled(known).map((position) => ['ports', position, 'hostPort']), reads),
    };
  });
}

/** The parts of a list of ports that are read: each hostPort, and the containerPort with which it is compared. */
function readsOfPorts(ports: unknown): unknown {
  return Array.isArray(ports)
    ? (ports as unknown[]).map((port) =>
        isMap(port)
          ? port.hostPort === undefined
            ? []
            : [port.hostPort, port.containerPort]
          : isUnknown(port) && port,
      )
    : isUnknown(ports) && ports;
}

/** Positions of ports whose hostPort is not set. */
function unfilled(ports: unknown): number[] {
  return portsOf({ ports }).flatMap((port, position) => (port.hostPort === port.containerPort ? [] : [position]));
}

function filledPorts(ports: unknown): unknown {
  return unfilled(ports).length === 0
    ? ports
    : portsOf({ ports }).map((port) => ({ ...port, hostPort: port.containerPort }));
}

/** Whether the API server takes a protocol; empty text is its default. */
function checkProtocol(protocol: unknown, problems: ProblemList): boolean {
  const isValid = isAbsent(protocol) || ['', 'TCP', 'UDP', 'SCTP'].includes(protocol as string);
  if (!isValid) {
    problems.add('EDGE_PORT', `${JSON.stringify(protocol)} is not a protocol`, "write 'TCP', 'UDP' or 'SCTP'");
  }
  return isValid;
}

/** The ports that a workload uses on the nodes of a pool. */
export interface PortClaim {
  /** The workload, for messages. */
  readonly workload: string;
  readonly ports: readonly HostPort[];
  readonly demand: Demand;
  /** The Pod's nodeSelector: two workloads that require different values of one label never run on the same node. */
  readonly nodeSelector: Readonly<Record<string, unknown>>;
}

/** The result of comparing two claims on one pool. */
type ClaimVerdict =
  | { readonly kind: 'free' }
  /** Both can run, on different nodes. */
  | { readonly kind: 'crowded'; readonly port: string }
  /** They cannot both run. */
  | { readonly kind: 'conflict'; readonly port: string };

function neverMeet(a: PortClaim, b: PortClaim): boolean {
  return Object.entries(a.nodeSelector).some(
    ([key, value]) => b.nodeSelector[key] !== undefined && b.nodeSelector[key] !== value,
  );
}

/**
 * Whether two workloads can run on the same pool. A DaemonSet runs on every node, so it conflicts with any workload on its port; two others can both
 * run only if there is a node for each of their Pods, which is known only if the pool has `expectedNodes`.
 */
export function compareClaims(a: PortClaim, b: PortClaim, expectedNodes: number | undefined): ClaimVerdict {
  const clash = a.ports.find((port) => b.ports.some((other) => portsClash(port, other)));
  if (clash === undefined || a.demand === 0 || b.demand === 0 || neverMeet(a, b)) {
    return { kind: 'free' };
  }
  const port = showPort(clash);
  if (a.demand === 'every node' || b.demand === 'every node' || expectedNodes === undefined) {
    return { kind: 'conflict', port };
  }
  return { kind: a.demand + b.demand <= expectedNodes ? 'crowded' : 'conflict', port };
}

/** A claim and its declaration. */
export interface OwnedClaim extends PortClaim {
  readonly owner: object;
  /** Whether it is a static Pod of a join: a machine has those of one join only.
   * @default false */
  readonly isOfJoin?: boolean;
}

/** Port claims, by pool and port number. */
const PORTS = new DeclarationKind<readonly OwnedClaim[]>('ports');

/** Where workloads run, and what two of them on one port are. */
interface ClaimedPools {
  readonly pools: readonly NodePoolAttributes[];
  /** @default error */
  readonly portConflicts?: 'error' | 'warn';
}

/**
 * Records port claims of one declaration, and reports two workloads on one port of one pool that cannot both run.
 *
 * @param claims each with the problems of its workload
 */
export function claimPorts(
  claims: readonly { readonly claim: OwnedClaim; readonly at: ProblemList }[],
  { pools, portConflicts }: ClaimedPools,
  { declared, owner }: Pick<Scope, 'declared' | 'owner'>,
  warnings: EdgeWarning[],
): void {
  const [cluster] = pools.map((pool) => pool.cluster);
  if (cluster === undefined) {
    return;
  }
  const known = declared.of(cluster, PORTS);
  const mine = new Map<string, OwnedClaim[]>();
  let isRefused = false;
  // a claim of the same declaration is the same claim
  const foreign = (key: string): OwnedClaim[] => (known.get(key) ?? []).filter((other) => other.owner !== owner);
  for (const { claim, at } of claims) {
    const keys = pools.flatMap((pool) =>
      [...new Set(claim.ports.map(({ port }) => port))].map((port) => ({ pool, key: `${pool.poolName}:${port}` })),
    );
    for (const { pool, key } of keys) {
      const before = mine.get(key) ?? [];
      mine.set(key, [...before, claim]);
      // a static Pod of a join, and the YurtStaticSet that replaces it, are one Pod
      const isOther = (other: OwnedClaim): boolean =>
        !(claim.isOfJoin && other.isOfJoin) && other.workload !== claim.workload;
      const others = [...foreign(key).filter(isOther), ...before];
      // while the number of nodes is unknown, claims cannot be compared
      for (const other of isUnknown(pool.expectedNodes) ? [] : others) {
        isRefused = report(claim, other, pool, portConflicts, at, warnings) || isRefused;
      }
    }
  }
  if (!isRefused && claims.every(({ at }) => at.problems.length === 0)) {
    mine.forEach((added, key) => known.set(key, [...foreign(key), ...added]));
  }
}

/** @returns whether the claim is refused */
function report(
  claim: OwnedClaim,
  other: OwnedClaim,
  pool: NodePoolAttributes,
  portConflicts: ClaimedPools['portConflicts'],
  problems: ProblemList,
  warnings: EdgeWarning[],
): boolean {
  const verdict = compareClaims(claim, other, pool.expectedNodes);
  if (verdict.kind === 'free') {
    return false;
  }
  const message = `port ${verdict.port} on the pool ${pool.poolName} is also used by ${other.workload}`;
  if (verdict.kind === 'conflict' && portConflicts !== 'warn') {
    problems.add('EDGE_PORT_CONFLICT', message, remedyFor(claim, other, pool));
    return true;
  }
  warnings.push({
    code: 'EDGE_PORT_CONFLICT',
    path: problems.path,
    message,
    hint: 'both can run only on different nodes: give one of them another port',
  });
  return false;
}

function remedyFor(a: OwnedClaim, b: PortClaim, pool: NodePoolAttributes): string {
  const mayFit = a.demand !== 'every node' && b.demand !== 'every node' && pool.expectedNodes === undefined;
  return [
    'give one of them another port or another pool',
    ...(mayFit ? ['set expectedNodes on the pool if there is a node for each Pod'] : []),
    ...(a.isOfJoin ? [] : ["write portConflicts: 'warn' if something else separates them"]),
  ].join(', or ');
}
