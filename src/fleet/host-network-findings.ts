import { type EdgeProblem, ProblemList } from '../base/errors.js';
import { podPlaces } from '../kubernetes/pod-places.js';
import { nameOf } from '../kubernetes/object.js';
import type { PoolGroup } from './fleet-overview.js';
import { isMap, type PlainMap, valueAt } from '../base/plain-data.js';
import { checkHostPorts, portsClash, showPort } from '../workloads/host-ports.js';
import { KUBELET_PORTS } from './kubelet.js';
import { takenPorts } from './placement-pod.js';
import { findServiceNames, unreachableDns } from '../workloads/pod-dns.js';
import type { Finding } from './finding.js';
import { findingAt, type PlacedObject } from './placed-object.js';
import { namespaceOf, serviceNames } from './reachability.js';

const CLUSTER_DOMAIN = 'cluster.local';

/** Kinds with one Pod on a node, which no other one can disturb, or that end. */
const WITHOUT_SECOND_POD = ['DaemonSet', 'Pod', 'Job', 'CronJob'];

/**
 * Warnings about Pods with hostNetwork that run on host-network pools, as of a HostNetworkWorkload: names of Services,
 * the cluster DNS, ports that are likely in use, and ports that are not declared; and about ports of a node that others
 * take from kubelet.
 */
export function hostNetworkFindings(placed: readonly PlacedObject[], groups: readonly PoolGroup[]): Finding[] {
  const servicesOf = serviceNames(placed);
  const runningOn = (isMeant: (group: PoolGroup) => boolean): ReadonlySet<string> =>
    new Set(groups.filter(isMeant).flatMap(({ runs }) => runs));
  const [onHosts, onOthers] = [runningOn((each) => each.hostNetwork), runningOn((each) => !each.hostNetwork)];
  return placed
    .filter(({ object }) => onHosts.has(nameOf(object)) || onOthers.has(nameOf(object)))
    .flatMap((each) => {
      const { object } = each;
      return podPlaces(object)
        .filter(({ isTemplate }) => isTemplate)
        .flatMap(({ path }): EdgeProblem[] => {
          const spec = valueAt(object, [...path, 'spec']);
          const at = new ProblemList().at(...path, 'spec').path;
          if (!isMap(spec)) {
            return [];
          }
          if (spec.hostNetwork !== true) {
            return takenFromKubelet(spec, at);
          }
          if (!onHosts.has(nameOf(object))) {
            return [];
          }
          const ports = checkHostPorts(spec, new ProblemList())
            .filter(({ code }) => code !== 'EDGE_NO_PORTS' || !WITHOUT_SECOND_POD.includes(String(object.kind)))
            .map((warning) => ({ ...warning, path: `${at}.${warning.path}` }));
          const services = servicesOf(namespaceOf(object));
          return [...ports, ...unreachableDns(spec, at), ...findServiceNames(spec, CLUSTER_DOMAIN, at, services)];
        })
        .map((problem) => findingAt(each, 'warning', problem));
    });
}

/** A hostPort without hostNetwork is a rule of the CNI plugin portmap, which binds no socket, and so fails on none. */
function takenFromKubelet(spec: PlainMap, at: string): EdgeProblem[] {
  return takenPorts(spec)
    .filter((port) => KUBELET_PORTS.some((each) => portsClash(port, each)))
    .map((port) => ({
      code: 'EDGE_PORT',
      path: `${at}.containers`,
      message: `hostPort ${showPort(port)} takes the traffic of kubelet on its nodes: kubectl logs, exec, metrics`,
      hint: 'use another hostPort',
    }));
}
