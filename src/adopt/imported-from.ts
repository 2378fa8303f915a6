import type { EdgeArtifact } from '../base/artifact.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import type { ImportModel } from './import-model.js';
import { keyOf } from './input-objects.js';
import { itemsOf } from '../kubernetes/field-values.js';
import { type ImportTarget, SecretValue } from './secret-references.js';

/** The file beside imported.json with what a comparison needs and no object has. */
export const IMPORTED_FROM = 'imported-from.json';

/** How and of what a program was imported. */
export interface ImportedFrom {
  readonly target: ImportTarget;
  /** The options of the import, with the releases that it has found. */
  readonly given: PlainMap;
  /** Whether the dump had managedFields. */
  readonly hasOwners: boolean;
  /** Versions of the objects of which a value is not kept, such as Secrets: any write changes them. */
  readonly versions: Readonly<Record<string, string>>;
}

/** What a later dump is compared with; the objects are in imported.json. */
export function importedFrom(model: ImportModel, target: ImportTarget, given: object): EdgeArtifact {
  const { openYurt, kubernetes } = model.releases;
  const from: ImportedFrom = {
    target,
    given: { ...given, openYurt: openYurt.version, kubernetes: kubernetes.version },
    hasOwners: hasOwners(model),
    versions: versionsOf(model),
  };
  return { path: IMPORTED_FROM, content: `${JSON.stringify(from, undefined, 2)}\n` };
}

/** Whether a dump has managedFields. */
export const hasOwners = ({ all }: ImportModel): boolean =>
  all.some((object) => mapAt(object, 'metadata').managedFields !== undefined);

/**
 * What any write of an object but that of its status changes. Only objects with a generation have a status: their
 * resourceVersion moves with it, and their generation only with the spec, so managedFields show writes of metadata.
 */
function versionOf(object: PlainMap): string {
  const { resourceVersion, generation, managedFields } = mapAt(object, 'metadata');
  if (object.kind !== 'Secret' && typeof generation === 'number') {
    const written = itemsOf(managedFields)
      .filter(isMap)
      .filter(({ subresource }) => subresource !== 'status')
      .map(({ time }) => String(time));
    return [generation, ...written.sort().slice(-1)].join(' ');
  }
  return typeof resourceVersion === 'string' ? resourceVersion : '';
}

/** The versions of objects of which a value is not kept. */
export function versionsOf({ objects, all, unread }: ImportModel): Record<string, string> {
  const versions = new Map(all.map((object) => [keyOf(object), versionOf(object)]));
  const read = objects.map(({ object }) => object).filter(holdsSecret);
  return Object.fromEntries([...read, ...unread].map((object) => [keyOf(object), versions.get(keyOf(object)) ?? '']));
}

function holdsSecret(value: unknown): boolean {
  return (
    value instanceof SecretValue ||
    (Array.isArray(value) ? value.some(holdsSecret) : isMap(value) && Object.values(value).some(holdsSecret))
  );
}
