import { type EdgeProblem, ProblemList } from '../base/errors.js';
import { nameOf } from '../kubernetes/object.js';
import { podPlaces } from '../kubernetes/pod-places.js';
import type { PlainMap } from '../base/plain-data.js';
import type { FieldLines } from './field-lines.js';
import type { Finding } from './finding.js';

/** An object and where it is. */
export interface PlacedObject {
  readonly object: PlainMap;
  /** Path of the file; empty if there is none. */
  readonly file: string;
  /** The lines of its file; undefined if there is none. */
  readonly lines?: FieldLines;
  /** Which of the objects of the file. */
  readonly index: number;
}

/** A problem of an object with its place. */
export function findingAt(
  { object, file, lines, index }: PlacedObject,
  level: Finding['level'],
  problem: EdgeProblem,
): Finding {
  const line = lines?.lineOf(index, problem.path);
  return { ...problem, level, object: nameOf(object), file, ...(line === undefined ? {} : { line }) };
}

/** The path of the Pod spec of a workload, which decides where it runs. */
export function podSpecPath(object: PlainMap): string {
  const [place] = podPlaces(object);
  return place === undefined ? '' : new ProblemList().at(...place.path, ...(place.isTemplate ? ['spec'] : [])).path;
}
