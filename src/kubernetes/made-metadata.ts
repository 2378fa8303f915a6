import type { ProblemList } from '../errors.js';
import { isMap } from '../validation/plain-data.js';
import { nearMiss } from '../validation/properties.js';
import { checkMetadata } from './object-metadata.js';

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
