import type { ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { checkOneOf } from '../base/properties.js';
import { checkProperties, refuseUnknown } from '../base/property-table.js';
import { isUnknown } from '../base/unknown.js';
import { COREFILE } from './coredns-corefile.js';
import { COREDNS_DAEMON_SET } from './coredns-daemon-set.js';
import { COREDNS_SERVICE } from './coredns-service.js';
import type { EdgePreconditionsProps } from './edge-preconditions-props.js';
import { KUBE_CONTROLLER_MANAGER } from './kube-controller-manager.js';
import { KUBE_PROXY } from './kube-proxy.js';
import type {
  ClusterState,
  FindingState,
  PlannedPrecondition,
  Precondition,
  PreconditionAdvice,
  PreconditionFinding,
  PreconditionGuide,
  PreconditionKind,
} from './precondition.js';

/** The settings of all preconditions. */
export type PreconditionSettings = Pick<EdgePreconditionsProps, PreconditionName>;

/** The name of a precondition, which is also the name of its settings. */
export type PreconditionName =
  'kubeControllerManager' | 'corefile' | 'coreDnsDaemonSet' | 'coreDnsService' | 'kubeProxy';

const KINDS: { readonly [Name in PreconditionName]: PreconditionKind<NonNullable<PreconditionSettings[Name]>> } = {
  kubeControllerManager: KUBE_CONTROLLER_MANAGER,
  corefile: COREFILE,
  // before the Service: with the annotation, a pool without CoreDNS has no DNS, so a rollback removes the annotation first
  coreDnsDaemonSet: COREDNS_DAEMON_SET,
  coreDnsService: COREDNS_SERVICE,
  kubeProxy: KUBE_PROXY,
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
  return (KINDS[name] as PreconditionKind<object>).advise(cluster, guide, settings);
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
  const kind = KINDS[name] as PreconditionKind<object>;
  const given = settings ?? {};
  checkProperties(given, kind.properties, problems);
  return kind.plan({ ...given, cluster, guide }, problems);
}

const ALL = Object.entries(KINDS) as (readonly [PreconditionName, PreconditionKind<object>])[];

/** The name of the settings of a component. */
export function settingsName(component: Precondition['component']): PreconditionName {
  return (ALL.find(([, kind]) => kind.component === component) as (typeof ALL)[number])[0];
}

/** Finds the state of every precondition. Invalid documents are problems. */
export function findPreconditions(
  cluster: EdgeCluster,
  guide: PreconditionGuide | undefined,
  state: ClusterState,
  problems: ProblemList,
): PreconditionFinding[] {
  return ALL.map(([, kind]): PreconditionFinding => {
    const advice = kind.advise(cluster, guide, {}, state);
    const seen = kind.find(state, { advice, cluster, guide }, problems);
    if (seen === undefined) {
      return { ...advice, state: 'unknown', found: `not read; needs ${kind.shownBy}` };
    }
    const { present, found, harm } = seen;
    const states: Readonly<Record<PreconditionAdvice['need'], FindingState>> = {
      required: present ? 'fine' : 'missing',
      optional: 'fine',
      none: present ? 'obsolete' : 'fine',
      harmful: present ? 'harmful' : 'fine',
    };
    return harm === undefined
      ? { ...advice, state: states[advice.need], found }
      : { ...advice, state: 'harmful', found, reason: harm };
  });
}

/** The settings of `EdgePreconditions` that fix the findings of a cluster. */
export function settingsFor(state: ClusterState): Required<PreconditionSettings> {
  return Object.fromEntries(
    ALL.map(([name, kind]) => [name, kind.settingsOf(state)]),
  ) as Required<PreconditionSettings>;
}

/** The objects that the fix of a precondition changes. */
export function changedBy({ component }: Precondition, state: ClusterState): readonly (PlainMap | undefined)[] {
  return KINDS[settingsName(component)].changed(state);
}

/** The fix of a finding, or why none is written. */
export interface FindingFix {
  readonly precondition?: Precondition;
  readonly unwritten?: string;
  readonly warning?: string;
}

/** The fix of a finding: the precondition if it is missing, its removal if it is harmful or obsolete. */
export function fixOf(
  cluster: EdgeCluster,
  guide: PreconditionGuide | undefined,
  { component, need, reason, state: found }: PreconditionFinding,
  state: ClusterState,
  problems: ProblemList,
): FindingFix {
  const name = settingsName(component);
  const kind = KINDS[name] as PreconditionKind<object>;
  const unwritten = kind.whyUnwritten?.(state, { found, cluster, guide });
  if (unwritten !== undefined) {
    return { unwritten };
  }
  const warning = kind.warning?.(state);
  const base = { component, need, reason, applied: true, files: [], rollbackFiles: [], lostAfter: [] };
  const precondition =
    found === 'missing'
      ? planOne(name, cluster, guide, settingsFor(state)[name], problems.at(name))?.precondition
      : { ...base, ...kind.undo(state, cluster) };
  const isEmpty = precondition === undefined || precondition.steps.length === 0;
  return isEmpty && problems.problems.length === 0
    ? { unwritten: 'no document that was read can be changed to fix it; change it where it is set' }
    : { precondition, ...(warning === undefined ? {} : { warning }) };
}
