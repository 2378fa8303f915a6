import { joinPath, ProblemList } from '../errors.js';
import { SYNC_WAVE_ANNOTATION, WAVE_LABEL } from '../kubernetes/labels.js';
import { isMap, mapAt, type PlainMap, withField } from '../validation/plain-data.js';
import { showValue } from '../validation/properties.js';
import { compute, isUnknown, merged } from '../validation/unknown.js';

/** A changed object, and the paths that changed. */
export interface Changed {
  readonly object: PlainMap;
  readonly changed: readonly string[];
}

/** Adds entries to the labels or annotations of an object. Other values of the same keys are refused. */
export function withMetadata(
  object: PlainMap,
  field: 'labels' | 'annotations',
  added: Readonly<Record<string, string>>,
  problems: ProblemList,
): Changed {
  if (isUnknown(object.metadata)) {
    const known = compute(object.metadata, (metadata) => knownMetadata({ metadata }, field, added));
    return {
      object: withField(object, 'metadata', known),
      changed: Object.keys(added).map((key) => ['metadata', field, key].reduce<string>(joinPath, '')),
    };
  }
  const metadata = mapAt(object, 'metadata');
  const given = metadata[field];
  const missing = Object.entries(added).filter(([key, value]) => {
    const own = isMap(given) ? given[key] : undefined;
    if (own !== undefined && own !== value && !isUnknown(own)) {
      problems
        .at('metadata', field, key)
        .add(
          'EDGE_CONTRADICTION',
          `conflicting settings: ${key} is ${showValue(own)} here, and becomes ${value}`,
          'remove it',
        );
    }
    return own !== value;
  });
  if (missing.length === 0) {
    return { object, changed: [] };
  }
  const all = merged(given as PlainMap | undefined, Object.fromEntries(missing));
  return {
    object: withField(object, 'metadata', withField(metadata, field, all)),
    changed: missing.map(([key]) => ['metadata', field, key].reduce<string>(joinPath, '')),
  };
}

/** The metadata that was unknown as a whole. */
function knownMetadata(
  object: PlainMap,
  field: 'labels' | 'annotations',
  added: Readonly<Record<string, string>>,
): unknown {
  const problems = new ProblemList();
  const { metadata } = withMetadata(object, field, added, problems).object;
  problems.throwIfAny('the workload');
  return metadata;
}

/** Writes the place of a workload in the order of rollouts on the object, not into its Pods: another place does not replace them. */
export function withWave(object: PlainMap, wave: number | undefined, problems: ProblemList): Changed {
  if (wave === undefined) {
    return { object, changed: [] };
  }
  const labelled = withMetadata(object, 'labels', { [WAVE_LABEL]: String(wave) }, problems);
  const noted = withMetadata(labelled.object, 'annotations', { [SYNC_WAVE_ANNOTATION]: String(wave) }, problems);
  return { object: noted.object, changed: [...labelled.changed, ...noted.changed] };
}
