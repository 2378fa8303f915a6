import type { EdgeWarning } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { PlainMap } from '../validation/plain-data.js';

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
  // before the Service: the annotation leaves a pool without CoreDNS without DNS, and it goes first on the way back
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
 * By which documents a cluster is prepared: `release` is what the OpenYurt release of the cluster needs; `tunnel` is the page of 2022 (OpenYurt with
 * yurt-tunnel), as documented there.
 *
 * @category Prepare the cluster
 */
export type PreconditionEra = 'release' | 'tunnel';

/**
 * What takes a precondition back: `kubeadm upgrade` writes add-ons and static Pods anew.
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
 * A precondition as it is made in one cluster, and the way back.
 *
 * @category Prepare the cluster
 */
export interface Precondition extends PreconditionAdvice {
  /** Whether anything is made: what the release needs, and what was asked for. */
  readonly applied: boolean;
  /** The steps, in their order: the next one only when the one before has succeeded. */
  readonly steps: readonly PreconditionStep[];
  /** Files of the steps, for example kubeadm patches. */
  readonly files: readonly PreconditionFile[];
  /** The steps that undo it, in their order. */
  readonly reversal: readonly PreconditionStep[];
  /** Files of the way back. */
  readonly reversalFiles: readonly PreconditionFile[];
  /** Events after which it must be made again. */
  readonly lostAfter: readonly PreconditionEvent[];
}

/** What every precondition is asked. */
export interface PreconditionInput {
  readonly cluster: EdgeCluster;
  readonly era?: PreconditionEra;
  readonly apply?: boolean;
}

/** A precondition with its warnings. */
export interface PlannedPrecondition {
  readonly precondition: Precondition;
  readonly warnings: readonly EdgeWarning[];
}

/** What a plan adds to the advice. */
type Work = Partial<Omit<Precondition, keyof PreconditionAdvice | 'applied'>>;

/**
 * A precondition: with its work where the release needs it or it is asked for, empty otherwise. To make what is not needed or does harm is a
 * warning, not an error: the release table knows default values only.
 */
export function planned(
  advice: PreconditionAdvice,
  { era = 'release', apply }: PreconditionInput,
  work: () => Work,
  warnings: readonly EdgeWarning[] = [],
): PlannedPrecondition {
  const applied = isApplied(advice, apply);
  const nothing = { steps: [], files: [], reversal: [], reversalFiles: [], lostAfter: [] };
  const precondition = { ...advice, applied, ...nothing, ...(applied ? work() : {}) };
  return { precondition, warnings: applied ? [...warnings, ...needWarnings(advice, era)] : [] };
}

/** Whether a precondition is made: what was asked for, else what is required. */
export function isApplied({ need }: PreconditionAdvice, apply: boolean | undefined): boolean {
  return apply ?? need === 'required';
}

function needWarnings({ component, need, reason }: PreconditionAdvice, era: PreconditionEra): EdgeWarning[] {
  const hint = 'leave it out, or say apply: false';
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
