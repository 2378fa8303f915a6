import type { EdgeWarning } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { PlainMap } from '../validation/plain-data.js';
import { compute, isUnknown } from '../validation/unknown.js';

/**
 * What OpenYurt's documents want changed in a cluster before edge pools work.
 *
 * @category Prepare the cluster
 */
export type PreconditionComponent =
  'kube-controller-manager' | 'corefile' | 'coredns-daemon-set' | 'coredns-service' | 'kube-proxy';

/** All of them, in the order in which they are made. */
export const PRECONDITION_COMPONENTS: readonly PreconditionComponent[] = [
  'kube-controller-manager',
  'corefile',
  // before the Service: the annotation leaves a pool without CoreDNS without DNS, and a rollback removes it first
  'coredns-daemon-set',
  'coredns-service',
  'kube-proxy',
];

/**
 * Whether a release needs a precondition. `none` does nothing useful there; `harmful` breaks something.
 *
 * @category Prepare the cluster
 */
export type PreconditionNeed = 'none' | 'optional' | 'required' | 'harmful';

/**
 * Which documents a cluster is prepared by: `release` is what the OpenYurt release of the cluster needs; `tunnel` is the page of 2022 (OpenYurt with
 * yurt-tunnel), as documented there.
 *
 * @category Prepare the cluster
 */
export type PreconditionEra = 'release' | 'tunnel';

/**
 * What reverts a precondition: `kubeadm upgrade` writes add-ons and static Pods again.
 *
 * @category Prepare the cluster
 */
export type PreconditionEvent = 'kubeadm upgrade';

/**
 * What one release needs of one precondition, and why.
 *
 * @category Prepare the cluster
 */
export interface PreconditionAdvice {
  /** The component that is changed. */
  readonly component: PreconditionComponent;
  /** Whether the release needs it. */
  readonly need: PreconditionNeed;
  /** Why, and what it means on nodes without kube-proxy and CNI. */
  readonly reason: string;
}

/**
 * A file that belongs to a precondition and is no manifest for the API server.
 *
 * @category Prepare the cluster
 */
export interface PreconditionFile {
  /** Path below the output folder, with `/`. */
  readonly path: string;
  /** The whole content. */
  readonly content: string;
}

/**
 * One step. Its manifests are applied first (server-side, as field manager `edge-nodepools`, with `--force-conflicts`), then its commands run.
 *
 * @category Prepare the cluster
 */
export interface PreconditionStep {
  /** What it does, in one sentence. */
  readonly what: string;
  /** Where its commands run: wherever kubectl reaches the cluster, or on each control-plane node in turn. */
  readonly where: 'kubectl' | 'control-plane';
  /** Whole or partial objects for server-side apply. */
  readonly manifests: readonly Readonly<Record<string, unknown>>[];
  /** Commands; each is safe to repeat. */
  readonly commands: readonly string[];
}

/**
 * A precondition as it is made in one cluster, and its rollback.
 *
 * @category Prepare the cluster
 */
export interface Precondition extends PreconditionAdvice {
  /** Whether anything is made: what the release requires, and what is asked for. */
  readonly applied: boolean;
  /** The steps, in their order: the next one only when the one before has succeeded. */
  readonly steps: readonly PreconditionStep[];
  /** Files of the steps, for example kubeadm patches. */
  readonly files: readonly PreconditionFile[];
  /** The steps that undo it, in their order. */
  readonly rollback: readonly PreconditionStep[];
  /** Files of the rollback. */
  readonly rollbackFiles: readonly PreconditionFile[];
  /** Events after which it must be made again. */
  readonly lostAfter: readonly PreconditionEvent[];
}

/** What every precondition is given. */
export interface PreconditionInput {
  readonly cluster: EdgeCluster;
  readonly era?: PreconditionEra;
  readonly apply?: boolean;
}

/** A precondition with its warnings. */
export interface PlannedPrecondition {
  /** The component that is changed. */
  readonly component: PreconditionComponent;
  /** Whether anything is made. */
  readonly applied: boolean;
  /** What is answered; unknown as a whole while a document that it is made from is. */
  readonly precondition: Precondition;
  /** The steps, so that their objects can be made: unknown values in their places. */
  readonly steps: readonly PreconditionStep[];
  readonly warnings: readonly EdgeWarning[];
}

/** What is done, made from what is given. Both are pure functions of it. */
export interface Work<Given> {
  /** The steps. They pass unknown values on. */
  readonly steps: (given: Given) => readonly PreconditionStep[];
  /** Everything else, made from known values only. */
  readonly others: (given: Given) => Partial<Omit<Precondition, keyof PreconditionAdvice | 'applied' | 'steps'>>;
}

/** What is done for a precondition that is applied, whoever asked for it. */
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
 * A precondition: with its work where the release requires it or it is asked for, empty otherwise. To make what is not needed or does harm is a
 * warning, not an error: the release table knows default values only.
 *
 * @param given what the work is made from
 * @param work undefined where there is nothing to do
 */
export function planned<Given>(
  advice: PreconditionAdvice,
  { era = 'release', apply }: PreconditionInput,
  given: Given,
  work: Work<Given> | undefined,
  warnings: readonly EdgeWarning[] = [],
): PlannedPrecondition {
  if (!isApplied(advice, apply)) {
    return notApplied(advice);
  }
  const nothing = { steps: () => [], others: () => ({}) };
  const all = [...warnings, ...needWarnings(advice, era)];
  return work === undefined ? applied(advice, undefined, nothing, all) : applied(advice, given, work, all);
}

/** A precondition that is not made. */
export function notApplied(advice: PreconditionAdvice): PlannedPrecondition {
  const precondition = { ...advice, applied: false, ...NOTHING };
  return { component: advice.component, applied: false, precondition, steps: [], warnings: [] };
}

/** Whether a precondition is made: what is asked for, else what is required. */
export function isApplied({ need }: PreconditionAdvice, apply: boolean | undefined): boolean {
  return apply ?? need === 'required';
}

function needWarnings({ component, need, reason }: PreconditionAdvice, era: PreconditionEra): EdgeWarning[] {
  const hint = 'leave it out, or write apply: false';
  if (need === 'harmful') {
    return [{ code: 'EDGE_HARMFUL', path: 'apply', message: `${component}: ${reason}`, hint }];
  }
  const isObsolete = need === 'none' || era === 'tunnel';
  const message =
    era === 'tunnel' ? `${component}: this is the manner of OpenYurt with yurt-tunnel` : `${component}: ${reason}`;
  return isObsolete
    ? [
        {
          code: 'EDGE_OBSOLETE',
          path: era === 'tunnel' ? 'era' : 'apply',
          message,
          hint: era === 'tunnel' ? "write era: 'release'" : hint,
        },
      ]
    : [];
}

/** A step; without manifests or commands it is one without them. */
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
