import type { EdgeWarning, ProblemList } from '../errors.js';
import type { EdgeArtifact } from '../text/artifact.js';
import type { EdgeCluster } from './edge-cluster.js';
import type { KubernetesObject } from '../kubernetes/object.js';

/** One object of a plan, and how it gets into the cluster. */
export interface PlannedObject {
  readonly object: KubernetesObject;
  /** Whether the whole object is made, or some fields of one that somebody else makes. */
  readonly apply: 'create' | 'patch';
  /** Which object this is among several of one declaration: part of the name of its resource while `metadata.name` is unknown.
   * @default - the one object of the declaration, which has its name */
  readonly id?: string;
  /** For a patch: whether it takes fields over that another field manager owns.
   * @default false */
  readonly force?: boolean;
  /** What must be applied before.
   * @default - the object before it in the plan */
  readonly after?: readonly PlannedObject[];
  /** Fields of which a change makes another object, because the API server or a webhook refuses to change them.
   * @default - every field can be changed */
  readonly replaceOn?: { readonly fields: readonly string[]; readonly deleteFirst: boolean };
  /** Whether it stays in the cluster when its declaration is removed.
   * @default false */
  readonly retain?: boolean;
  /** Why the exclusion of workloads does not touch it.
   * @default - it may */
  readonly skipExclusion?: string;
  /** What is applied on its own: a chart beside the one of the declaration.
   * @default - applied with the declaration */
  readonly stage?: string;
}

/** What one declaration becomes. */
export interface Plan<Answers> {
  /** How errors name the declaration: its kind and path. */
  readonly subject: string;
  /** In the order of dependency: each is applied after the one before, unless it says otherwise. */
  readonly objects: readonly PlannedObject[];
  /** The cluster, whose own warnings are shown once.
   * @default - of no cluster in particular */
  readonly cluster?: EdgeCluster;
  /** What the declaration answers to its user. */
  readonly answers: Answers;
  readonly warnings: readonly EdgeWarning[];
  /** Files that belong to the result. */
  readonly artifacts: readonly EdgeArtifact[];
  /** What is looked at again when the whole program is declared: problems, and warnings. */
  readonly atEnd?: (problems: ProblemList) => readonly EdgeWarning[];
}
