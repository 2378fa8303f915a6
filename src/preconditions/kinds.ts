import type { EdgeWarning, ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { isMap } from '../validation/plain-data.js';
import { checkBoolean, checkKnownProperties, checkOneOf } from '../validation/properties.js';
import { adviseCorefile, type CorefileSettings, planCorefile } from './coredns-corefile.js';
import { adviseCoreDnsDaemonSet, type CoreDnsDaemonSetSettings, planCoreDnsDaemonSet } from './coredns-daemon-set.js';
import { adviseCoreDnsService, type CoreDnsServiceSettings, planCoreDnsService } from './coredns-service.js';
import {
  adviseKubeControllerManager,
  type KubeControllerManagerSettings,
  planKubeControllerManager,
} from './kube-controller-manager.js';
import { adviseKubeProxy, type KubeProxySettings, planKubeProxy } from './kube-proxy.js';
import type {
  PlannedPrecondition,
  Precondition,
  PreconditionAdvice,
  PreconditionEra,
  PreconditionInput,
} from './precondition.js';
import { proxyNamesOf } from './proxy-names.js';

/** The settings of all preconditions. */
export interface PreconditionSettings {
  readonly kubeControllerManager?: KubeControllerManagerSettings;
  readonly corefile?: CorefileSettings;
  readonly coreDnsService?: CoreDnsServiceSettings;
  readonly coreDnsDaemonSet?: CoreDnsDaemonSetSettings;
  readonly kubeProxy?: KubeProxySettings;
}

/** A plan of one kind of precondition, and the properties of its settings. */
interface Kind<Settings> {
  readonly known: readonly string[];
  readonly plan: (input: PreconditionInput & Settings, problems: ProblemList) => PlannedPrecondition;
}

/** How each setting is read. */
export const PRECONDITION_KINDS: {
  readonly [Name in keyof PreconditionSettings]-?: Kind<NonNullable<PreconditionSettings[Name]>>;
} = {
  kubeControllerManager: {
    known: ['apply', 'yurtManagerRunsNodeLifecycle', 'controllers', 'staticPod', 'clusterConfiguration'],
    plan: planKubeControllerManager,
  },
  corefile: {
    known: ['apply', 'configMap', 'corefile', 'proxyNames', 'forwarders'],
    plan: planCorefile,
  },
  coreDnsDaemonSet: {
    known: ['apply', 'deployment', 'image', 'proxyNames', 'tolerations'],
    plan: planCoreDnsDaemonSet,
  },
  coreDnsService: { known: ['apply', 'service', 'topology', 'within'], plan: planCoreDnsService },
  kubeProxy: { known: ['apply', 'configMap', 'daemonSet', 'mode', 'verbosity'], plan: planKubeProxy },
};

/** Everything that prepares a cluster. */
export interface PreconditionsPlan {
  readonly preconditions: readonly Precondition[];
  readonly warnings: readonly EdgeWarning[];
}

/** Checks what all preconditions share. */
export function checkEra(era: unknown, problems: ProblemList): void {
  checkOneOf(era, ['release', 'tunnel'], problems);
}

/** Whether and why a cluster needs each of them, in the order in which they are made. */
export function adviceFor(cluster: EdgeCluster, era?: PreconditionEra): PreconditionAdvice[] {
  return [
    adviseKubeControllerManager(cluster, era),
    adviseCorefile(cluster, era),
    adviseCoreDnsDaemonSet(cluster, era),
    adviseCoreDnsService(cluster, era),
    adviseKubeProxy(cluster, era),
  ];
}

/** Plans one precondition; without a plan where its settings are not usable. */
export function planOne<Name extends keyof PreconditionSettings>(
  name: Name,
  cluster: EdgeCluster,
  era: PreconditionEra | undefined,
  settings: PreconditionSettings[Name],
  problems: ProblemList,
): PlannedPrecondition | undefined {
  const kind = PRECONDITION_KINDS[name] as Kind<object>;
  if (settings !== undefined && !isMap(settings)) {
    problems.add('EDGE_TYPE', `${name} must be a map`, `write ${name}: { apply: true }`);
    return undefined;
  }
  const given = settings ?? {};
  checkKnownProperties(given, kind.known, problems);
  checkBoolean((given as { apply?: unknown }).apply, problems.at('apply'));
  checkBoolean(
    (given as KubeControllerManagerSettings).yurtManagerRunsNodeLifecycle,
    problems.at('yurtManagerRunsNodeLifecycle'),
  );
  return kind.plan({ ...given, cluster, era }, problems);
}

/** Plans all preconditions of a cluster, in the order in which they are made. */
export function planPreconditions(
  cluster: EdgeCluster,
  era: PreconditionEra | undefined,
  settings: PreconditionSettings,
  problems: ProblemList,
): PreconditionsPlan {
  checkEra(era, problems.at('era'));
  const { corefile, coreDnsDaemonSet } = settings;
  const names = proxyNamesOf(era, isMap(corefile) ? (corefile as CorefileSettings).proxyNames : undefined);
  const withNames = {
    ...settings,
    coreDnsDaemonSet: { ...(names === undefined ? {} : { proxyNames: names }), ...coreDnsDaemonSet },
  };
  // an annotation that nobody asked for is not made where no DaemonSet is made: the pools without CoreDNS would be left without DNS
  const noDaemonSet = isMap(coreDnsDaemonSet) && (coreDnsDaemonSet as CoreDnsDaemonSetSettings).apply === false;
  const service = { ...(noDaemonSet ? { apply: false } : {}), ...settings.coreDnsService };
  const kinds = Object.keys(PRECONDITION_KINDS) as (keyof PreconditionSettings)[];
  const plans = kinds.flatMap((name) => {
    const isUsable = settings[name] === undefined || isMap(settings[name]);
    const given = { ...withNames, coreDnsService: service };
    const plan = planOne(name, cluster, era, isUsable ? given[name] : settings[name], problems.at(name));
    return plan === undefined ? [] : [{ name, ...plan }];
  });
  const preconditions = plans.map(({ precondition }) => precondition);
  const isMade = (component: string): boolean =>
    preconditions.some((each) => each.component === component && each.applied);
  const unmounted = names !== undefined && isMade('corefile') && !isMade('coredns-daemon-set');
  return {
    preconditions,
    warnings: [
      ...plans.flatMap(({ name, warnings }) =>
        warnings.map((warning) => ({ ...warning, path: `${name}.${warning.path}` })),
      ),
      ...(unmounted ? [UNMOUNTED] : []),
    ],
  };
}

const UNMOUNTED: EdgeWarning = {
  code: 'EDGE_MISSING',
  path: 'corefile.proxyNames',
  message: 'CoreDNS is told to read a hosts file that nothing here mounts into its Pods',
  hint: 'write coreDnsDaemonSet: { apply: true }, or mount the ConfigMap at /etc/edge yourself',
};
