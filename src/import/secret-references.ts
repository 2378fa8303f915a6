import { groupKindOf } from '../kubernetes/group-kind.js';
import { nameOf } from '../kubernetes/object.js';
import { shellCommand } from '../text/shell.js';
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
    target: ImportTarget,
    public readonly variable: string,
  ) {
    // each refuses an empty value: a command that failed would empty the Secret
    super(
      target === 'cdk8s' ? 'secret' : 'config.requireSecret',
      target === 'cdk8s' ? [variable] : [variable, { minLength: 1 }],
    );
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
      return [key, new SecretValue(target, reference.variable)];
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
  return { object: nameOf(object), key, variable, command: readCommand(object, field, key, target, variable) };
}

/**
 * The command that reads a value from the cluster, as the manifest has it, and sets nothing if that fails. An API server returns the text of `stringData` only
 * in `data`, in base64; `$(…)` drops line ends, so that a dot stands behind them. kubectl has the function `base64decode` (cli-runtime, printers/template.go).
 */
function readCommand(object: PlainMap, field: string, key: string, target: ImportTarget, variable: string): string {
  const { name, namespace } = mapAt(object, 'metadata');
  const isText = field === 'stringData';
  const output = isText
    ? `go-template={{index .data ${JSON.stringify(key)} | base64decode}}.`
    : `jsonpath={.data.${key.replace(/[.\\]/g, '\\$&')}}`;
  const place = typeof namespace === 'string' ? ['--namespace', namespace] : [];
  const read = shellCommand('kubectl', ...place, 'get', 'secret', '--output', output, '--', String(name));
  const [into, value] = target === 'cdk8s' ? [variable, `\${${variable}%.}`] : ['value', '${value%.}'];
  const set =
    target === 'pulumi'
      ? `pulumi config set --secret -- ${variable} "${isText ? value : '$value'}"`
      : `export ${variable}${isText ? `="${value}"` : ''}`;
  return `${into}="$(${read})" && ${set}`;
}
