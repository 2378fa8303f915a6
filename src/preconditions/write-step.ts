import { FIELD_MANAGER } from '../kubernetes/labels.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { shellCommand } from '../text/shell.js';
import { type PreconditionStep, step } from './precondition.js';

/** What plain `kubectl apply` leaves in an object. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Fields that are written into an object that somebody else made. */
export interface WrittenFields {
  /** The partial object. */
  readonly partial: PlainMap;
  /** The object as it is in the cluster.
   * @default - nothing is known of it */
  readonly present?: PlainMap;
  /** The partial object that this one takes back: what it sets and this one does not, goes.
   * @default - none */
  readonly instead?: PlainMap;
  /** Commands that follow.
   * @default - none */
  readonly commands?: readonly string[];
}

/**
 * A step that writes fields. By server-side apply; but where the object came by plain `kubectl apply`, kubectl would hand all of its fields to the
 * manager of the server-side apply (`migrateToSSAIfNecessary` in pkg/cmd/apply), which takes away all that the partial object does not name, at once.
 * There it is a patch of the same fields.
 */
export function writeStep(what: string, { partial, present, instead, commands = [] }: WrittenFields): PreconditionStep {
  const isByKubectl = mapAt(mapAt(present ?? {}, 'metadata'), 'annotations')[LAST_APPLIED] !== undefined;
  return isByKubectl
    ? step(what, { commands: [patchCommand(partial, instead), ...commands] })
    : step(what, { manifests: [partial], commands });
}

function patchCommand(partial: PlainMap, instead: PlainMap | undefined): string {
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
    `--field-manager=${FIELD_MANAGER}`,
    '--patch',
    JSON.stringify(patch),
  );
}

/** All that `after` says, and null for what only `before` says. */
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
