import { PRECONDITIONS_FIELD_MANAGER } from '../kubernetes/labels.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { compute, isUnknown } from '../base/unknown.js';
import { shellCommand } from '../base/shell.js';
import { type PreconditionStep, step } from './precondition.js';

/** Fields that are written into an existing object. */
export interface WrittenFields {
  /** The partial object. */
  readonly partial: PlainMap;
  /** Whether the object was created by client-side `kubectl apply`.
   * @default false */
  readonly isByKubectl?: boolean;
  /** The partial object that this one replaces: fields that only the replaced one has are removed.
   * @default - none */
  readonly instead?: PlainMap;
  /** Commands that run afterwards.
   * @default - none */
  readonly commands?: readonly string[];
}

/**
 * A step that writes fields by server-side apply. If the object was created by client-side `kubectl apply`, the step is a patch of the same fields instead:
 * kubectl would transfer all fields of the object to the field manager of the server-side apply (`migrateToSSAIfNecessary` in pkg/cmd/apply), which then
 * removes all fields that the partial object does not have.
 */
export function writeStep(
  what: string,
  { partial, isByKubectl = false, instead, commands = [] }: WrittenFields,
): PreconditionStep {
  return isByKubectl
    ? step(what, {
        commands: compute(
          { patch: compute({ partial, instead }, patchCommand), commands },
          (all) => [all.patch, ...all.commands],
          isUnknown(commands) && commands,
        ),
      })
    : step(what, { manifests: [partial], commands });
}

function patchCommand({ partial, instead }: Pick<WrittenFields, 'partial' | 'instead'>): string {
  const { kind, metadata, ...fields } = changesFrom(instead ?? {}, partial);
  const { name, namespace, ...ownMetadata } = metadata as PlainMap;
  delete fields.apiVersion;
  const patch = { ...(Object.keys(ownMetadata).length === 0 ? {} : { metadata: ownMetadata }), ...fields };
  return shellCommand(
    'kubectl',
    '--namespace',
    String(namespace),
    'patch',
    String(kind).toLowerCase(),
    String(name),
    '--type=strategic',
    `--field-manager=${PRECONDITIONS_FIELD_MANAGER}`,
    '--patch',
    JSON.stringify(patch),
  );
}

/** All fields of `after`, and null for fields that only `before` has. */
function changesFrom(before: PlainMap, after: PlainMap): PlainMap {
  const gone = Object.entries(before).flatMap(([field, value]): [string, unknown][] => {
    if (!(field in after)) {
      return [[field, isMap(value) ? changesFrom(value, {}) : null]];
    }
    const now = after[field];
    return isMap(value) && isMap(now) ? [[field, changesFrom(value, now)]] : [];
  });
  return { ...after, ...Object.fromEntries(gone) };
}
