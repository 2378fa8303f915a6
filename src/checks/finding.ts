import type { EdgeProblem } from '../errors.js';

/** `error`: the API server refuses it, or Pods would not run. `warning`: the API server may drop or ignore it. */
export type FindingLevel = 'error' | 'warning';

/** Something that is wrong in manifests: a problem with its place in a file. */
export interface Finding extends EdgeProblem {
  readonly level: FindingLevel;
  /** `Deployment default/web`; empty if it is the file. */
  readonly object: string;
  /** Path of the file. */
  readonly file: string;
  /** Line of the field, from 1; undefined if it is not known. */
  readonly line?: number;
}

/** The result of a check. */
export interface Checked {
  readonly findings: readonly Finding[];
  readonly files: number;
  readonly objects: number;
  /** Pools on which workloads were placed; with none, no workload was. */
  readonly pools: readonly string[];
}
