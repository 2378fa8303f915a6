import type { ProblemList } from '../errors.js';
import { SYNC_WAVE_ANNOTATION, WAVE_LABEL } from '../kubernetes/labels.js';
import type { Changed } from '../kubernetes/object-metadata.js';
import { withMetadata } from '../kubernetes/object-metadata.js';
import { type PlainMap } from '../validation/plain-data.js';

/** Writes the place of a workload in the order of rollouts on the object, not into its Pods: another place does not replace them. */
export function withWave(object: PlainMap, wave: number | undefined, problems: ProblemList): Changed {
  if (wave === undefined) {
    return { object, changed: [] };
  }
  const labelled = withMetadata(object, 'labels', { [WAVE_LABEL]: String(wave) }, problems);
  const noted = withMetadata(labelled.object, 'annotations', { [SYNC_WAVE_ANNOTATION]: String(wave) }, problems);
  return { object: noted.object, changed: [...labelled.changed, ...noted.changed] };
}
