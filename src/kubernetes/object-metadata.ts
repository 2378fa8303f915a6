import { joinPath, ProblemList } from '../errors.js';
import { isMap, type PlainMap, withField, mapAt } from '../validation/plain-data.js';
import { isUnknown, compute, merged } from '../validation/unknown.js';
import { nearMiss, showValue } from '../validation/properties.js';
import { readTexts } from './field-values.js';
import { checkAnnotations, checkLabels } from './label-syntax.js';
import { checkNamespace, checkObjectName } from './names.js';

/** Validates the metadata of a given object. */
export function checkMetadata(metadata: unknown, problems: ProblemList): void {
  if (metadata === undefined || metadata === null) {
    return;
  }
  if (!isMap(metadata)) {
    problems.add('EDGE_TYPE', 'metadata must be a map', "write metadata: { name: 'web', namespace: 'default' }");
    return;
  }
  if (metadata.name !== undefined) {
    checkObjectName(metadata.name, problems.at('name'));
  }
  if ((metadata.generateName ?? undefined) !== undefined && metadata.name === undefined) {
    problems
      .at('generateName')
      .add(
        'EDGE_NAME',
        'an object with generateName cannot be applied declaratively',
        "write name: '…' instead of generateName",
      );
  }
  if ((metadata.namespace ?? undefined) !== undefined) {
    checkNamespace(metadata.namespace, problems.at('namespace'));
  }
  checkLabels(readTexts(metadata.labels) ?? undefined, problems.at('labels'));
  checkAnnotations(readTexts(metadata.annotations) ?? undefined, problems.at('annotations'));
}

/** Fields of ObjectMeta (k8s.io/apimachinery meta/v1), without selfLink, which is no longer set. */
const METADATA_FIELDS: readonly string[] = [
  ...['annotations', 'creationTimestamp', 'deletionGracePeriodSeconds', 'deletionTimestamp', 'finalizers'],
  ...['generateName', 'generation', 'labels', 'managedFields', 'name', 'namespace', 'ownerReferences'],
  ...['resourceVersion', 'uid'],
];

/** Reports fields that are almost those of Kubernetes: the API server drops them, or refuses the object. */
export function checkMetadataFields(metadata: unknown, problems: ProblemList): void {
  for (const field of Object.keys(isMap(metadata) ? metadata : {})) {
    const near = METADATA_FIELDS.includes(field) ? undefined : nearMiss(field, METADATA_FIELDS);
    if (near !== undefined) {
      problems
        .at(field)
        .add(
          'EDGE_UNKNOWN_PROPERTY',
          `metadata has no field ${field}: the API server drops it`,
          `did you mean ${near}?`,
        );
    }
  }
}

/** Validates the metadata of an object that this library makes. */
export function checkMadeMetadata(metadata: unknown, problems: ProblemList): void {
  checkMetadata(metadata, problems);
  checkMetadataFields(metadata, problems);
}

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
