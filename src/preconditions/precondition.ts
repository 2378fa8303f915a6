import type { EdgeWarning, ProblemList } from '../base/errors.js';
import type { PropertyTable } from '../base/property-table.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { PlainMap } from '../base/plain-data.js';
import { type PrintableReport, printable, textTable } from '../base/table.js';
import { compute, isUnknown } from '../base/unknown.js';

/** A component of a cluster that a precondition changes. */
export type PreconditionComponent = Precondition['component'];

/** Which OpenYurt documentation the preconditions follow. */
export type PreconditionGuide = 'release' | 'tunnel';

/** Whether a release needs a precondition, and why. */
export type PreconditionAdvice = Pick<Precondition, 'component' | 'need' | 'reason'>;

/**
 * A file of a precondition that is not a manifest for the API server.
 *
 * @category Prepare the cluster
 */
export interface PreconditionFile {
  /** Path below the output folder, with `/`. */
  readonly path: string;
  /** Content of the file. */
  readonly content: string;
}

/**
 * One step. First its manifests are applied (server-side, with field manager `edge-nodepools` and `--force-conflicts`), then its commands run.
 *
 * @category Prepare the cluster
 */
export interface PreconditionStep {
  /** Description, one sentence. */
  readonly what: string;
  /** Where its commands run: on a machine with kubectl, or on each control-plane node, one after the other. */
  readonly where: 'kubectl' | 'control-plane';
  /** Whole or partial objects for server-side apply. */
  readonly manifests: readonly Readonly<Record<string, unknown>>[];
  /** Commands. Each can be repeated. */
  readonly commands: readonly string[];
}

/**
 * A precondition of a cluster: its steps, and its rollback.
 *
 * @category Prepare the cluster
 */
export interface Precondition {
  /** The component that is changed. */
  readonly component: 'kube-controller-manager' | 'corefile' | 'coredns-daemon-set' | 'coredns-service' | 'kube-proxy';
  /** Whether the release needs it. `none`: it has no use. `harmful`: it breaks something. */
  readonly need: 'none' | 'optional' | 'required' | 'harmful';
  /** Why, and its effect on nodes without kube-proxy and CNI. */
  readonly reason: string;
  /** Whether it is applied: because the release requires it, or by request. */
  readonly applied: boolean;
  /** The steps, in order. A step must wait until the previous one has succeeded. */
  readonly steps: readonly PreconditionStep[];
  /** Files of the steps, for example kubeadm patches. */
  readonly files: readonly PreconditionFile[];
  /** The steps that undo it, in order. */
  readonly rollback: readonly PreconditionStep[];
  /** Files of the rollback. */
  readonly rollbackFiles: readonly PreconditionFile[];
  /** Events after which it must be applied again: `kubeadm upgrade` writes add-ons and static Pods again. */
  readonly lostAfter: readonly 'kubeadm upgrade'[];
}

/** The report with its table, without the steps. */
export function printablePreconditions<Rows extends readonly Precondition[]>(report: Rows): PrintableReport<Rows> {
  return printable(report, (rows) =>
    textTable(
      ['PRECONDITION', 'NEED', 'APPLIED', 'APPLY AGAIN AFTER', 'WHY'],
      rows.map(({ component, need, applied, lostAfter, reason }) => [
        component,
        need,
        applied ? 'yes' : 'no',
        (applied ? lostAfter.join(', ') : '') || '-',
        reason,
      ]),
    ),
  );
}

/** Properties of every precondition. */
export interface PreconditionInput {
  readonly cluster: EdgeCluster;
  readonly guide?: PreconditionGuide;
  readonly apply?: boolean;
}

/** A precondition with its warnings. */
export interface PlannedPrecondition {
  /** The component that is changed. */
  readonly component: PreconditionComponent;
  /** Whether it is applied. */
  readonly applied: boolean;
  /** The precondition for the report; unknown as a whole while one of its documents is unknown. */
  readonly precondition: Precondition;
  /** The steps, for their objects; they may contain unknown values. */
  readonly steps: readonly PreconditionStep[];
  readonly warnings: readonly EdgeWarning[];
}

/** Whether a cluster is in the state that its release needs. `unknown`: the files do not show it. */
export type FindingState = 'fine' | 'missing' | 'harmful' | 'obsolete' | 'unknown';

/** The state of one precondition in a cluster. */
export interface PreconditionFinding extends PreconditionAdvice {
  readonly state: FindingState;
  /** What the cluster has, short. */
  readonly found: string;
  /** Why no fix is written, and what to do.
   * @default - there is nothing to fix, or a fix is written */
  readonly unwritten?: string;
  /** What to consider before the fix is applied.
   * @default - nothing */
  readonly warning?: string;
}

/** The known state of a cluster: its objects, and files of its control-plane nodes. */
export interface ClusterState {
  readonly objects: readonly PlainMap[];
  /** Texts of the static Pod manifests of kube-controller-manager of all control-plane nodes, without duplicates. */
  readonly staticPods: readonly string[];
  /** The mirror Pods of the running kube-controller-managers. */
  readonly controllerManagers: readonly PlainMap[];
  /** Text with the ClusterConfiguration of kubeadm. */
  readonly clusterConfiguration?: string;
  readonly corefile?: PlainMap;
  readonly coreDnsService?: PlainMap;
  readonly coreDnsDeployment?: PlainMap;
  readonly coreDnsDaemonSet?: PlainMap;
  readonly kubeProxyConfig?: PlainMap;
  readonly kubeProxyDaemonSet?: PlainMap;
}

/** What a cluster has, and whether that is the precondition. */
export interface Seen {
  readonly present: boolean;
  readonly found: string;
  /** What is wrong with it for every release.
   * @default - nothing */
  readonly harm?: string;
}

/** The steps that take a precondition back in a cluster, and those that bring it again. */
export type Undo = Pick<Precondition, 'steps' | 'rollback'> & Partial<Precondition>;

/** A precondition: its settings, which releases need it, its plan, how a cluster shows it, the fix and the way back. */
export interface PreconditionKind<Settings> {
  readonly component: PreconditionComponent;
  readonly properties: PropertyTable<Settings>;
  /** @param state the cluster, where one was read */
  readonly advise: (
    cluster: EdgeCluster,
    guide: PreconditionGuide | undefined,
    settings: Settings,
    state?: ClusterState,
  ) => PreconditionAdvice;
  readonly plan: (input: PreconditionInput & Settings, problems: ProblemList) => PlannedPrecondition;
  /** Documents that show its state. */
  readonly shownBy: string;
  /** What a cluster has; undefined if no document shows it. Invalid documents are problems. */
  readonly find: (
    state: ClusterState,
    about: { readonly advice: PreconditionAdvice; readonly cluster: EdgeCluster; readonly guide?: PreconditionGuide },
    problems: ProblemList,
  ) => Seen | undefined;
  /** The settings that fix it in a cluster. */
  readonly settingsOf: (state: ClusterState) => Settings;
  /** The objects that a fix changes. */
  readonly changed: (state: ClusterState) => readonly (PlainMap | undefined)[];
  /** Why no fix can be written; undefined if one can.
   * @default - one can always be written */
  readonly whyUnwritten?: (
    state: ClusterState,
    about: { readonly found: FindingState; readonly cluster: EdgeCluster; readonly guide?: PreconditionGuide },
  ) => string | undefined;
  /** What to consider before the fix is applied.
   * @default - nothing */
  readonly warning?: (state: ClusterState) => string | undefined;
  /** Takes it back where it is harmful or obsolete. */
  readonly undo: (state: ClusterState, cluster: EdgeCluster) => Undo;
}

/** The work of a precondition, as pure functions of the given documents and settings. */
export interface Work<Given> {
  /** The steps. They may contain unknown values. */
  readonly steps: (given: Given) => readonly PreconditionStep[];
  /** Everything else, computed only from known values. */
  readonly others: (given: Given) => Partial<Omit<Precondition, keyof PreconditionAdvice | 'applied' | 'steps'>>;
}

/** A precondition that is applied. */
export function applied<Given>(
  advice: PreconditionAdvice,
  given: Given,
  work: Work<Given>,
  warnings: readonly EdgeWarning[] = [],
): PlannedPrecondition {
  const precondition = compute(given, (known): Precondition => ({
    ...advice,
    applied: true,
    ...NOTHING,
    ...work.others(known),
    steps: work.steps(known),
  }));
  const steps = isUnknown(precondition) ? work.steps(given) : precondition.steps;
  return { component: advice.component, applied: true, precondition, steps, warnings };
}

const NOTHING = { steps: [], files: [], rollback: [], rollbackFiles: [], lostAfter: [] };

/**
 * A precondition, with its work if the release requires it or it is requested. Applying one that is useless or harmful is a warning, not an error, because
 * the release table knows only default values.
 *
 * @param given documents and settings for the work
 * @param work undefined if there is nothing to do
 */
export function planned<Given>(
  advice: PreconditionAdvice,
  { guide = 'release', apply }: PreconditionInput,
  given: Given,
  work: Work<Given> | undefined,
  warnings: readonly EdgeWarning[] = [],
): PlannedPrecondition {
  if (!isApplied(advice, apply)) {
    return notApplied(advice);
  }
  const nothing = { steps: () => [], others: () => ({}) };
  const all = [...warnings, ...needWarnings(advice, guide)];
  return work === undefined ? applied(advice, undefined, nothing, all) : applied(advice, given, work, all);
}

/** A precondition that is not applied. */
export function notApplied(advice: PreconditionAdvice): PlannedPrecondition {
  const precondition = { ...advice, applied: false, ...NOTHING };
  return { component: advice.component, applied: false, precondition, steps: [], warnings: [] };
}

/** Whether a precondition is applied: by request, else if it is required. */
export function isApplied({ need }: PreconditionAdvice, apply: boolean | undefined): boolean {
  return apply ?? need === 'required';
}

function needWarnings({ component, need, reason }: PreconditionAdvice, guide: PreconditionGuide): EdgeWarning[] {
  const hint = 'leave it out, or write apply: false';
  if (need === 'harmful') {
    return [{ code: 'EDGE_HARMFUL', path: 'apply', message: `${component}: ${reason}`, hint }];
  }
  const isObsolete = need === 'none' || guide === 'tunnel';
  const message =
    guide === 'tunnel' ? `${component}: this precondition is for OpenYurt with yurt-tunnel` : `${component}: ${reason}`;
  return isObsolete
    ? [
        {
          code: 'EDGE_OBSOLETE',
          path: guide === 'tunnel' ? 'guide' : 'apply',
          message,
          hint: guide === 'tunnel' ? "write guide: 'release'" : hint,
        },
      ]
    : [];
}

/** A step. Manifests and commands are optional. */
export function step(
  what: string,
  {
    manifests = [],
    commands = [],
    where = 'kubectl',
  }: {
    readonly manifests?: readonly PlainMap[];
    readonly commands?: readonly string[];
    readonly where?: PreconditionStep['where'];
  },
): PreconditionStep {
  return { what, where, manifests, commands };
}
