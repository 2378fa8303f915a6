import { type EdgeProblem, ProblemList } from '../base/errors.js';
import { podPlaces } from '../kubernetes/pod-places.js';
import { nameOf } from '../kubernetes/object.js';
import type { PoolGroup } from './fleet-overview.js';
import { isMap, valueAt } from '../base/plain-data.js';
import { checkHostPorts } from '../workloads/host-ports.js';
import { findServiceNames, unreachableDns } from '../workloads/pod-dns.js';
import type { Finding } from './finding.js';
import { findingAt, type PlacedObject } from './placed-object.js';

const CLUSTER_DOMAIN = 'cluster.local';

/** Kinds with one Pod on a node, which no other one can disturb, or that end. */
const WITHOUT_SECOND_POD = ['DaemonSet', 'Pod', 'Job', 'CronJob'];

/**
 * Warnings about Pods with hostNetwork that run on host-network pools, as of a HostNetworkWorkload: names of Services, the cluster DNS, ports that are likely in
 * use, and ports that are not declared.
 */
export function hostNetworkFindings(placed: readonly PlacedObject[], groups: readonly PoolGroup[]): Finding[] {
  const running = new Set(groups.filter(({ hostNetwork }) => hostNetwork).flatMap(({ runs }) => runs));
  return placed
    .filter(({ object }) => running.has(nameOf(object)))
    .flatMap((each) => {
      const { object } = each;
      return podPlaces(object)
        .filter(({ isTemplate }) => isTemplate)
        .flatMap(({ path }): EdgeProblem[] => {
          const spec = valueAt(object, [...path, 'spec']);
          if (!isMap(spec) || spec.hostNetwork !== true) {
            return [];
          }
          const at = new ProblemList().at(...path, 'spec').path;
          const ports = checkHostPorts(spec, new ProblemList())
            .filter(({ code }) => code !== 'EDGE_NO_PORTS' || !WITHOUT_SECOND_POD.includes(String(object.kind)))
            .map((warning) => ({ ...warning, path: `${at}.${warning.path}` }));
          return [...ports, ...unreachableDns(spec, at), ...findServiceNames(spec, CLUSTER_DOMAIN, at)];
        })
        .map((problem) => findingAt(each, 'warning', problem));
    });
}
