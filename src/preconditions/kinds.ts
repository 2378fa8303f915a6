import type { ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { isMap } from '../base/plain-data.js';
import { checkOneOf } from '../base/properties.js';
import { checkProperties, type PropertyTable, refuseUnknown } from '../base/property-table.js';
import { isUnknown } from '../base/unknown.js';
import { adviseCorefile, asksForEdits, COREFILE_PROPERTIES, planCorefile } from './coredns-corefile.js';
import { adviseCoreDnsDaemonSet, DAEMON_SET_PROPERTIES, planCoreDnsDaemonSet } from './coredns-daemon-set.js';
import { adviseCoreDnsService, planCoreDnsService, SERVICE_PROPERTIES } from './coredns-service.js';
import {
  adviseKubeControllerManager,
  CONTROLLER_MANAGER_PROPERTIES,
  planKubeControllerManager,
} from './kube-controller-manager.js';
import { adviseKubeProxy, KUBE_PROXY_PROPERTIES, planKubeProxy } from './kube-proxy.js';
import type { EdgePreconditionsProps } from './edge-preconditions-props.js';
import type { PlannedPrecondition, PreconditionAdvice, PreconditionGuide, PreconditionInput } from './precondition.js';

/** The settings of all preconditions. */
export type PreconditionSettings = Pick<EdgePreconditionsProps, PreconditionName>;

/** The name of a precondition, which is also the name of its settings. */
export type PreconditionName =
  'kubeControllerManager' | 'corefile' | 'coreDnsDaemonSet' | 'coreDnsService' | 'kubeProxy';

/** One kind of precondition: its settings, whether a cluster needs it, and its plan. */
interface Kind<Settings> {
  readonly properties: PropertyTable<Settings>;
  readonly advise: (
    cluster: EdgeCluster,
    guide: PreconditionGuide | undefined,
    settings: Settings,
  ) => PreconditionAdvice;
  readonly plan: (input: PreconditionInput & Settings, problems: ProblemList) => PlannedPrecondition;
}

const KINDS: { readonly [Name in PreconditionName]: Kind<NonNullable<PreconditionSettings[Name]>> } = {
  kubeControllerManager: {
    properties: CONTROLLER_MANAGER_PROPERTIES,
    advise: (cluster, guide, settings) =>
      adviseKubeControllerManager(cluster, guide, settings.yurtManagerRunsNodeLifecycle),
    plan: planKubeControllerManager,
  },
  corefile: {
    properties: COREFILE_PROPERTIES,
    advise: (cluster, guide, settings) => adviseCorefile(cluster, guide, asksForEdits(settings)),
    plan: planCorefile,
  },
  // before the Service: with the annotation, a pool without CoreDNS has no DNS, so a rollback removes the annotation first
  coreDnsDaemonSet: {
    properties: DAEMON_SET_PROPERTIES,
    advise: adviseCoreDnsDaemonSet,
    plan: planCoreDnsDaemonSet,
  },
  coreDnsService: {
    properties: SERVICE_PROPERTIES,
    advise: (cluster, guide, settings) => adviseCoreDnsService(cluster, guide, settings.topology),
    plan: planCoreDnsService,
  },
  kubeProxy: { properties: KUBE_PROXY_PROPERTIES, advise: adviseKubeProxy, plan: planKubeProxy },
};

/** All preconditions, in the order in which they are applied. */
export const PRECONDITION_NAMES = Object.keys(KINDS) as readonly PreconditionName[];

/** Checks the guide. */
export function checkGuide(guide: unknown, problems: ProblemList): void {
  checkOneOf(guide, ['release', 'tunnel'], problems);
}

/** Whether and why a cluster needs one precondition. */
export function adviseOne(
  name: PreconditionName,
  cluster: EdgeCluster,
  guide: PreconditionGuide | undefined,
  settings: object,
): PreconditionAdvice {
  return (KINDS[name] as Kind<object>).advise(cluster, guide, settings);
}

/** Plans one precondition; undefined if its settings are invalid. */
export function planOne<Name extends PreconditionName>(
  name: Name,
  cluster: EdgeCluster,
  guide: PreconditionGuide | undefined,
  settings: PreconditionSettings[Name],
  problems: ProblemList,
): PlannedPrecondition | undefined {
  if (isUnknown(settings)) {
    refuseUnknown(problems);
    return undefined;
  }
  if (settings !== undefined && !isMap(settings)) {
    problems.add('EDGE_TYPE', `${name} must be a map`, `write ${name}: { apply: true }`);
    return undefined;
  }
  const kind = KINDS[name] as Kind<object>;
  const given = settings ?? {};
  checkProperties(given, kind.properties, problems);
  return kind.plan({ ...given, cluster, guide }, problems);
}
