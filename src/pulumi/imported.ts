import * as pulumi from '@pulumi/pulumi';
import { isMap, type PlainMap, mapAt } from '../base/plain-data.js';
import { hookOf } from './hooks.js';
import { isOutput, promiseOf } from './outputs.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** An object as it is in the cluster, and as the program declares it. */
interface Imported {
  /** Type of the resource: `kubernetes:apps.openyurt.io/v1beta2:NodePool`. */
  readonly type: string;
  readonly live: PlainMap;
  /** The object in the program; a value that is not known yet is `undefined` below a key that exists. */
  readonly declared: PlainMap;
}

/**
 * Why an object that was just imported must not be updated: the update would change or remove something of it. Undefined if it is declared as it is.
 *
 * The provider takes over what kubectl has written, so that what is not declared is also removed. Values of the declaration may be secret and are not shown.
 */
export function changesByImport({ type, live, declared }: Imported): string | undefined {
  const changes = [
    ...differences('spec', live.spec, declared.spec, 'spec' in declared),
    ...['labels', 'annotations'].flatMap((field) => metadataChanges(field, live, declared)),
  ];
  if (changes.length === 0) {
    return undefined;
  }
  const { name } = mapAt(live, 'metadata') as { name?: string };
  return (
    `${type.split(':').at(-1)} ${name} is imported, and this program would change it:\n` +
    `${changes.map((change) => `  ${change}\n`).join('')}` +
    'Nothing was changed in the cluster. Declare the object as it is; when an update has adopted it, change it'
  );
}

/** Nothing, and what the API server writes in its place. */
const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

function differences(path: string, live: unknown, declared: unknown, isDeclared: boolean): string[] {
  if (isDeclared && declared === undefined) {
    return [];
  }
  if (isNothing(live) && isNothing(declared)) {
    return [];
  }
  if (isMap(live) && (isMap(declared) || isNothing(declared))) {
    const other = isMap(declared) ? declared : {};
    return [...new Set([...Object.keys(live), ...Object.keys(other)])].flatMap((key) =>
      differences(`${path}.${key}`, live[key], other[key], key in other),
    );
  }
  if (isNothing(declared)) {
    return [`the object has ${path}: ${JSON.stringify(live)}, and the program does not`];
  }
  if (isNothing(live)) {
    return [`the program has ${path}, and the object does not`];
  }
  return isSame(live, declared) ? [] : [`${path} is ${JSON.stringify(live)}, and the program has another value`];
}

function isSame(live: unknown, declared: unknown): boolean {
  if (Array.isArray(live) && Array.isArray(declared)) {
    return live.length === declared.length && live.every((item, index) => isSame(item, declared[index]));
  }
  return isMap(live) && isMap(declared)
    ? differences('', live, declared, true).length === 0
    : live === declared || declared === undefined;
}

/** The field managers whose fields the provider takes over, by the begin of their names (`fixCSAFieldManagers` in pkg/await of the provider). */
const TAKEN_OVER = /^(kubectl|before-first-apply)/;

/** Labels or annotations of the object itself: other values, and those of kubectl that the update would remove. */
function metadataChanges(field: string, live: PlainMap, declared: PlainMap): string[] {
  const metadata = mapAt(live, 'metadata');
  const [present, wanted] = [mapAt(metadata, field), mapAt(mapAt(declared, 'metadata'), field)];
  const managers = itemsOf(metadata.managedFields) as PlainMap[];
  const removable = new Set(
    managers
      .filter(({ manager }) => TAKEN_OVER.test(String(manager)))
      .flatMap(({ fieldsV1 }) => Object.keys(mapAt(mapAt(mapAt({ fieldsV1 }, 'fieldsV1'), 'f:metadata'), `f:${field}`)))
      .map((key) => key.replace(/^f:/, '')),
  );
  return Object.keys(present)
    .filter((key) => key !== 'kubectl.kubernetes.io/last-applied-configuration')
    .filter((key) => key in wanted || removable.has(key))
    .flatMap((key) => differences(`metadata.${field}.${key}`, present[key], wanted[key], key in wanted));
}

const NAME = 'edge-nodepools: an imported object must not be changed';

/**
 * Hooks that refuse the update of an object that was imported, by the option `import` or by `pulumi import`, if it would change the object. The engine
 * itself imports and then updates (https://github.com/pulumi/docs/issues/18114).
 */
export function importHooks(): pulumi.CustomResourceOptions {
  const hook = hookOf('ResourceHook', NAME, (name) => {
    return new pulumi.ResourceHook(
      name,
      async ({ type, oldInputs, oldOutputs, newInputs }) => {
        const live = (await known(oldOutputs)) as PlainMap;
        // the provider does not know the fields of a custom resource: what it imports has no spec among its inputs, until Pulumi has written it
        if ((oldInputs as PlainMap | undefined)?.spec !== undefined || live?.spec === undefined) {
          return;
        }
        const refusal = changesByImport({ type, live, declared: (await known(newInputs)) as PlainMap });
        if (refusal !== undefined) {
          throw new Error(refusal);
        }
      },
      { onDryRun: true },
    );
  });
  return hook === undefined ? {} : { hooks: { beforeUpdate: [hook] } };
}

/** A value with the values of its secrets, and `undefined` for what a preview does not know. */
async function known(value: unknown): Promise<unknown> {
  if (isOutput(value)) {
    return known(await promiseOf(pulumi.output(value)));
  }
  if (pulumi.isUnknown(value)) {
    return undefined;
  }
  if (Array.isArray(value)) {
    return Promise.all(value.map(known));
  }
  return isMap(value)
    ? Object.fromEntries(
        await Promise.all(Object.entries(value).map(async ([key, item]) => [key, await known(item)] as const)),
      )
    : value;
}
