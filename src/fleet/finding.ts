import type { EdgeProblem } from '../base/errors.js';

/**
 * Something that is wrong in manifests: a problem with its place. What each code means is in docs/troubleshooting.md.
 *
 * @category Check manifests
 */
export interface Finding extends EdgeProblem {
  /** `error`: the API server refuses it, or Pods would not run. `warning`: the API server may drop or ignore it. */
  readonly level: 'error' | 'warning';
  /** `Deployment default/web`; empty if it is the file. */
  readonly object: string;
  /** Path of the file; empty if it was no file. */
  readonly file: string;
  /** Line of the field, from 1.
   * @default - it is not known */
  readonly line?: number;
}

/**
 * The result of a check.
 *
 * @category Check manifests
 */
export interface CheckedManifests {
  /** What was found, in the order of the files and lines. */
  readonly findings: readonly Finding[];
  /** Number of files. */
  readonly files: number;
  /** Number of objects. */
  readonly objects: number;
  /** Names of the pools on which workloads were placed; with none, no workload was. */
  readonly pools: readonly string[];
  /** Number of workloads on pools of which it is not known what becomes of them there: `show` says why. */
  readonly unknown: number;
}
