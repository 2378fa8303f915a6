import { groupKindOf } from '../kubernetes/group-kind.js';
import { nameOf } from '../kubernetes/object.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { Call } from './program-printer.js';
import { environmentName, kebabName, type UniqueNames } from './program-names.js';
import { isFromServer } from './server-fields.js';

/** Where the program gets the value of a secret from. */
export type ImportTarget = 'cdk8s' | 'pulumi';

/** A value that is not in the program. */
export interface SecretReference {
  /** `Secret shop/db` */
  readonly object: string;
  readonly key: string;
  /** Name of the environment variable, or of the secret of the stack. */
  readonly variable: string;
  /** The command that reads it from the cluster, as the manifest has it. */
  readonly command: string;
}

/** A value that is replaced by a reference. */
export class SecretValue extends Call {
  constructor(
    reader: string,
    public readonly variable: string,
  ) {
    super(reader, [variable]);
  }
}

/** Type of the Secrets that kube-controller-manager fills. */
const SERVICE_ACCOUNT_TOKEN = 'kubernetes.io/service-account-token';

/** An object with references in place of the values of a Secret, and what they are. */
export function withSecretReferences(
  object: PlainMap,
  given: PlainMap,
  target: ImportTarget,
  names: UniqueNames,
): { readonly object: PlainMap; readonly references: readonly SecretReference[] } {
  if (groupKindOf(object) !== 'Secret') {
    return { object, references: [] };
  }
  const references: SecretReference[] = [];
  const result = { ...object };
  for (const field of ['data', 'stringData']) {
    const values = object[field];
    if (!isMap(values)) {
      continue;
    }
    if (object.type === SERVICE_ACCOUNT_TOKEN && isFromServer(given)) {
      delete result[field];
      continue;
    }
    const entries = Object.entries(values).map(([key, value]): [string, unknown] => {
      if (value === null || value === '') {
        return [key, value];
      }
      const reference = referenceTo(object, field, key, target, names);
      references.push(reference);
      return [key, new SecretValue(target === 'cdk8s' ? 'secret' : 'config.requireSecret', reference.variable)];
    });
    result[field] = Object.fromEntries(entries);
  }
  return { object: result, references };
}

function referenceTo(
  object: PlainMap,
  field: string,
  key: string,
  target: ImportTarget,
  names: UniqueNames,
): SecretReference {
  const { name, namespace } = mapAt(object, 'metadata');
  const parts = [...(typeof namespace === 'string' ? [namespace] : []), String(name), key];
  const wanted = target === 'cdk8s' ? environmentName(...parts).replace(/^(?=\d)/, 'SECRET_') : kebabName(...parts);
  const variable = names.of(wanted);
  const path = `{.${field}.${key.replace(/[.\\]/g, '\\$&')}}`;
  const inNamespace = typeof namespace === 'string' ? `--namespace ${namespace} ` : '';
  const read = `$(kubectl ${inNamespace}get secret ${String(name)} --output 'jsonpath=${path}')`;
  return {
    object: nameOf(object),
    key,
    variable,
    command: target === 'cdk8s' ? `export ${variable}="${read}"` : `pulumi config set --secret ${variable} "${read}"`,
  };
}
