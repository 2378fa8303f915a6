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
  const annotations = withoutValues(object, target, names, references);
  if (annotations !== undefined) {
    result.metadata = { ...mapAt(object, 'metadata'), annotations };
  }
  return { object: result, references };
}

/** From so many characters on a value cannot be in an annotation by chance. */
const LONG = 6;

/** Annotations that have a value of their Secret, as copies and backups of tools do: they are read as the value is. Undefined if there are none. */
function withoutValues(
  object: PlainMap,
  target: ImportTarget,
  names: UniqueNames,
  references: SecretReference[],
): PlainMap | undefined {
  const { data, stringData } = object;
  const texts = (map: unknown): string[] =>
    Object.values(isMap(map) ? map : {}).filter((value): value is string => typeof value === 'string');
  const values = [...texts(data), ...texts(data).map(decoded), ...texts(stringData), ...texts(stringData).map(encoded)];
  // also as texts in JSON
  const hidden = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]).filter(isLong);
  const { annotations } = mapAt(object, 'metadata');
  const entries = Object.entries(isMap(annotations) ? annotations : {});
  const shows = (value: unknown): boolean => typeof value === 'string' && hidden.some((each) => value.includes(each));
  if (!entries.some(([, value]) => shows(value))) {
    return undefined;
  }
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (!shows(value)) {
        return [key, value];
      }
      const reference = referenceTo(object, ANNOTATIONS, key, target, names);
      references.push(reference);
      return [key, new SecretValue(target, reference.variable)];
    }),
  );
}

const ANNOTATIONS = 'metadata.annotations';

const isLong = (text: string): boolean => text.trim().length >= LONG;
const decoded = (text: string): string => Buffer.from(text, 'base64').toString();
const encoded = (text: string): string => Buffer.from(text).toString('base64');

function referenceTo(
  object: PlainMap,
  field: string,
  key: string,
  target: ImportTarget,
  names: UniqueNames,
): SecretReference {
  const { name, namespace } = mapAt(object, 'metadata');
  const isAnnotation = field === ANNOTATIONS;
  const own = isAnnotation ? ['annotation', key] : [key];
  const parts = [...(typeof namespace === 'string' ? [namespace] : []), String(name), ...own];
  const wanted = target === 'cdk8s' ? environmentName(...parts).replace(/^(?=\d)/, 'SECRET_') : kebabName(...parts);
  const variable = names.of(wanted);
  return {
    object: nameOf(object),
    key: isAnnotation ? `${ANNOTATIONS}.${key}` : key,
    variable,
    command: readCommand(object, field, key, target, variable),
  };
}

/**
 * The command that reads a value from the cluster, as the manifest has it, and sets nothing if that fails. An API server returns the text of `stringData` only
 * in `data`, in base64; `$(…)` drops line ends, so that a dot stands behind them. kubectl has the function `base64decode` (cli-runtime, printers/template.go).
 */
function readCommand(object: PlainMap, field: string, key: string, target: ImportTarget, variable: string): string {
  const { name, namespace } = mapAt(object, 'metadata');
  const isText = field !== 'data';
  const text = field === ANNOTATIONS ? '' : ' | base64decode';
  const output = isText
    ? `go-template={{index .${field === ANNOTATIONS ? field : 'data'} ${JSON.stringify(key)}${text}}}.`
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
