import type { EdgeWarning, ProblemList } from '../base/errors.js';
import type { EdgeArtifact } from '../base/artifact.js';
import type { EdgeCluster } from './edge-cluster.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { PlainMap } from '../base/plain-data.js';

/** One object of a plan, and how it is applied. */
export interface PlannedObject {
  readonly object: KubernetesObject;
  /** Whether the whole object is created, or some fields of an object that another tool manages are patched. */
  readonly apply: 'create' | 'patch';
  /** Identifies the object among several of one declaration: part of the name of its resource while `metadata.name` is unknown.
   * @default - the main object of the declaration; its resource has the name of the declaration */
  readonly id?: string;
  /** Whether it takes over fields that another field manager owns: for a patch, and for a retained object, which may exist when it is created.
   * @default false */
  readonly force?: boolean;
  /** Objects that must be applied before.
   * @default - the object before it in the plan */
  readonly after?: readonly PlannedObject[];
  /** Immutable fields, which the API server or a webhook refuses to change: a change of one replaces the object.
   * @default - no field is immutable */
  readonly replaceOn?: { readonly fields: readonly string[]; readonly deleteFirst: boolean };
  /** Whether the object stays in the cluster when its declaration is removed; `always`: also if what the declaration retains is to go with it.
   * @default false */
  readonly retain?: boolean | 'always';
  /** Why the exclusion mixin and transform skip it.
   * @default - they do not skip it */
  readonly skipExclusion?: string;
  /** Checks the object as it is written, with what was changed after its declaration (in cdk8s, by JSON patches).
   * @default - any change is accepted */
  readonly check?: (written: PlainMap, problems: ProblemList) => void;
  /** Name of the stage, for objects that are applied separately: in cdk8s, each stage has its own chart.
   * @default - in the chart of the declaration */
  readonly stage?: string;
}

/** A warning of a plan. */
export interface PlannedWarning extends EdgeWarning {
  /** Paths of properties besides its own that it depends on: it is not shown when one of them is a secret.
   * @default - none */
  readonly reads?: readonly string[];
}

/** A warning as it is shown. */
export function shownWarning({ code, path, message, hint }: EdgeWarning): EdgeWarning {
  return { code, path, message, hint };
}

/** The result of one declaration, before it is rendered by cdk8s or Pulumi. */
export interface Plan<Attributes> {
  /** Name of the declaration in errors: its kind and path. */
  readonly subject: string;
  /** In the order of dependency: each is applied after the one before, unless it has `after`. */
  readonly objects: readonly PlannedObject[];
  /** The cluster; its own warnings are shown once per program.
   * @default - none */
  readonly cluster?: EdgeCluster;
  /** Attributes of the construct, and outputs of the component. */
  readonly attributes: Attributes;
  readonly warnings: readonly PlannedWarning[];
  /** Files besides the manifests. */
  readonly artifacts: readonly EdgeArtifact[];
  /** Checks that need the whole program: adds problems and returns warnings. */
  readonly atEnd?: (problems: ProblemList) => readonly EdgeWarning[];
}
