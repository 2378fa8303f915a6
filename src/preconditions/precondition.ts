import type { EdgeWarning } from '../base/errors.js';
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
