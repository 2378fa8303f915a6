import { EdgeError, joinPath } from '../base/errors.js';
import { clearSecrets } from '../kubernetes/clear-secrets.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { nameOf } from '../kubernetes/object.js';
import { shellCommand } from '../base/shell.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, valueAt, withValueAt } from '../base/plain-data.js';
import type { InputObject, LeftOut } from './input-objects.js';
import { Call } from './program-printer.js';
import { environmentName, kebabName, type UniqueNames } from './program-names.js';
import { isFromServer } from '../fleet/server-fields.js';

/** Where the program gets the value of a secret from. */
export type ImportTarget = 'cdk8s' | 'pulumi';

/** What becomes of objects with secrets. */
export interface GivenSecrets {
  /** Whether the program reads their values, they stay as they are in the cluster, or an ExternalSecret makes each Secret.
   * @default env */
  readonly secrets?: 'env' | 'leave-out' | 'external' | undefined;
  /** Kind and name of the store of these, `ClusterSecretStore/vault`.
   * @default - the one that is in the input */
  readonly secretStore?: string | undefined;
}

/** A value that is not in the program. */
export interface SecretReference {
  /** `Secret shop/db` */
  readonly object: string;
  readonly key: string;
  readonly what: string;
  /** Name of the environment variable and of the file, or of the secret of the stack. */
  readonly variable: string;
  /** The command that reads it from the cluster, as the manifest has it. */
  readonly command: string;
}

/** A value that is replaced by a reference. */
export class SecretValue extends Call {
  constructor(public readonly variable: string) {
    super('secret', [variable]);
  }
}

/** Type of the Secrets that kube-controller-manager fills. */
const SERVICE_ACCOUNT_TOKEN = 'kubernetes.io/service-account-token';

/** An object with references in place of secrets, and what they are. */
export function withSecretReferences(
  { object, given }: Pick<InputObject, 'object' | 'given'>,
  commands: SecretCommands,
): { readonly object: PlainMap; readonly references: readonly SecretReference[] } {
  const references: SecretReference[] = [];
  let result = object;
  if (groupKindOf(object) === 'Secret' && object.type === SERVICE_ACCOUNT_TOKEN && isFromServer(given)) {
    result = Object.fromEntries(Object.entries(object).filter(([field]) => field !== 'data' && field !== 'stringData'));
  }
  for (const { path, what } of clearSecrets(result)) {
    const value = valueAt(object, path);
    const variable = commands.nameOf(namePartsOf(object, path));
    result = withValueAt(result, path, new SecretValue(variable)) as PlainMap;
    const read = readCommand(object, placeIn(given, path, value));
    references.push({
      object: nameOf(object),
      key: path.length === 2 ? String(path[1]) : path.reduce<string>(joinPath, ''),
      what,
      variable,
      command: commands.commandOf(read, variable, String(value).length),
    });
  }
  return { object: result, references };
}

/** Names of values, and the commands that hand them to a program: none of them is an argument or a variable of a process, whose length has a limit. */
export class SecretCommands {
  /** Pulumi hands its whole configuration on as one variable (MAX_ARG_STRLEN of Linux: 128 KiB), in which values are texts of JSON. */
  private left = 60_000;

  constructor(
    private readonly target: ImportTarget,
    private readonly names: UniqueNames,
  ) {}

  public nameOf(parts: readonly string[]): string {
    return this.names.of(
      this.target === 'cdk8s' ? environmentName(...parts).replace(/^(?=\d)/, 'SECRET_') : kebabName(...parts),
    );
  }

  public commandOf(read: string, variable: string, length: number): string {
    if (this.target === 'pulumi' && length < this.left) {
      this.left -= length;
      // `$(…)` drops line ends, and pulumi the last one
      return `value="$(${read} && printf .)" && printf '%s\\n' "\${value%.}" | pulumi config set --secret -- ${variable}`;
    }
    return `${read} > secrets/.part && mv secrets/.part secrets/${variable}`;
  }
}

/** `shop`, `db`, and the key; of other fields the last two names. */
function namePartsOf(object: PlainMap, path: ObjectPath): string[] {
  const { name, namespace } = mapAt(object, 'metadata');
  const own = path.filter((step): step is string => typeof step === 'string').slice(-2);
  const words = path[0] === 'metadata' ? ['annotation', ...own.slice(-1)] : path.length === 2 ? own.slice(-1) : own;
  return [...(typeof namespace === 'string' ? [namespace] : []), String(name), ...words];
}

/** Where the cluster has a value: lists of an object may have items that are not in the program. */
function placeIn(given: PlainMap, path: ObjectPath, value: unknown): ObjectPath {
  const search = (there: unknown, at: ObjectPath): ObjectPath | undefined => {
    if (there === value) {
      return at;
    }
    const entries = Array.isArray(there) ? [...there.entries()] : isMap(there) ? Object.entries(there) : [];
    for (const [key, item] of entries) {
      const found = search(item, [...at, key]);
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  };
  return valueAt(given, path) === value ? path : (search(given, []) ?? path);
}

/**
 * The command that reads a value from the cluster, as the manifest has it; it prints nothing if there is none. An API server returns the text of `stringData`
 * only in `data`, in base64. kubectl has the function `base64decode` (cli-runtime, printers/template.go).
 */
function readCommand(object: PlainMap, [field, ...below]: ObjectPath): string {
  const { name, namespace } = mapAt(object, 'metadata');
  const isText = groupKindOf(object) === 'Secret' && field === 'stringData';
  const steps = [isText ? 'data' : field, ...below].map((step) => JSON.stringify(step)).join(' ');
  const output = `go-template={{with index . ${steps}}}{{.${isText ? ' | base64decode' : ''}}}{{end}}`;
  const place = typeof namespace === 'string' ? ['--namespace', namespace] : [];
  const [group = '', version] = String(object.apiVersion).split('/');
  const kind = version === undefined ? String(object.kind).toLowerCase() : `${String(object.kind)}.${version}.${group}`;
  return shellCommand('kubectl', ...place, 'get', kind, '--output', output, '--', String(name));
}

/**
 * Objects with secrets, as the command line says; `unread` are those whose values the program does not have.
 *
 * @throws {@link EdgeError} with EDGE_MISSING or EDGE_VALUE for the store of external secrets
 */
export function withoutSecrets(
  objects: readonly InputObject[],
  all: readonly PlainMap[],
  { secrets = 'env', secretStore }: GivenSecrets,
): { readonly objects: readonly InputObject[]; readonly leftOut: readonly LeftOut[]; readonly unread: PlainMap[] } {
  const leftOut: LeftOut[] = [];
  const unread: PlainMap[] = [];
  if (secrets === 'env') {
    return { objects, leftOut, unread };
  }
  const kept = objects.flatMap((each): InputObject[] => {
    const { object } = each;
    const [first] = clearSecrets(object);
    const isSecret = groupKindOf(object) === 'Secret';
    if (first === undefined || (secrets === 'external' && !isSecret)) {
      return [each];
    }
    const writers = secrets === 'external' ? all.filter((other) => writesSecret(other, object)) : [];
    const maker = writers.find(makesSecret);
    if (secrets === 'external' && maker === undefined) {
      // kube-controller-manager fills a token, and two ExternalSecrets would write over one another
      if (object.type === SERVICE_ACCOUNT_TOKEN || writers.length > 0) {
        return [each];
      }
      const shown = clearSecrets(object).flatMap(({ path: [field, , key] }) =>
        field === 'metadata' ? [String(key)] : [],
      );
      shown.forEach((key) => leftOut.push({ ...named(object), reason: `its annotation ${key} has a secret in it` }));
      unread.push(object);
      const external = externalSecret(object, storeOf(object, all, secretStore), shown);
      return [{ ...each, object: external, given: external }];
    }
    const reason =
      maker !== undefined
        ? `made by its ${String(maker.kind)}`
        : `${isSecret ? 'a Secret' : `it has ${first.what} in it`}, and stays in the cluster as it is: --secrets leave-out`;
    leftOut.push({ ...named(object), reason });
    unread.push(...(maker === undefined ? [object] : []));
    return [];
  });
  return { objects: kept, leftOut, unread };
}

/** The report names each object whose secrets are left out. */
const named = (object: PlainMap): Pick<LeftOut, 'name' | 'isNamed'> => ({ name: nameOf(object), isNamed: true });

const GROUP = 'external-secrets.io';

/** Whether what writes a Secret also makes it: an ExternalSecret with Merge or None does not (external-secrets.io, spec.target.creationPolicy). */
const makesSecret = (writer: PlainMap): boolean =>
  ['Owner', 'Orphan', undefined, null].includes(
    mapAt(mapAt(writer, 'spec'), 'target').creationPolicy as string | null | undefined,
  );

/** Whether an ExternalSecret or a SealedSecret writes a Secret (external-secrets.io, spec.target.name; bitnami.com, spec.template.metadata). */
function writesSecret(other: PlainMap, secret: PlainMap): boolean {
  const groupKind = groupKindOf(other);
  const [own, of] = [mapAt(other, 'metadata'), mapAt(secret, 'metadata')];
  const spec = mapAt(other, 'spec');
  const name =
    groupKind === `ExternalSecret.${GROUP}`
      ? (mapAt(spec, 'target').name ?? own.name)
      : groupKind === 'SealedSecret.bitnami.com'
        ? (mapAt(mapAt(spec, 'template'), 'metadata').name ?? own.name)
        : undefined;
  return name === of.name && (own.namespace ?? 'default') === (of.namespace ?? 'default');
}

interface SecretStore {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** The store that is given, that of the namespace, or the only one of the cluster. */
function storeOf(secret: PlainMap, all: readonly PlainMap[], given: string | undefined): SecretStore {
  const stores = all.filter((object) => /^(?:Cluster)?SecretStore\.external-secrets\.io$/.test(groupKindOf(object)));
  const apiVersion = stores[0] === undefined ? `${GROUP}/v1` : String(stores[0].apiVersion);
  if (given !== undefined) {
    const [, kind, name] = /^((?:Cluster)?SecretStore)\/([a-z0-9][a-z0-9.-]*)$/.exec(given) ?? [];
    if (kind === undefined || name === undefined) {
      throw new EdgeError('import', [
        {
          code: 'EDGE_VALUE',
          path: '--secret-store',
          message: `${given} is no store of external secrets`,
          hint: 'write its kind and its name: ClusterSecretStore/vault, or SecretStore/vault',
        },
      ]);
    }
    return { apiVersion, kind, name };
  }
  const { namespace } = mapAt(secret, 'metadata');
  const own = stores.filter(
    (store) => store.kind === 'SecretStore' && mapAt(store, 'metadata').namespace === namespace,
  );
  const shared = stores.filter(({ kind }) => kind === 'ClusterSecretStore');
  const [found, ...others] = own.length > 0 ? own : shared;
  if (found === undefined || others.length > 0) {
    throw new EdgeError('import', [
      {
        code: 'EDGE_MISSING',
        path: '--secret-store',
        message: `${nameOf(secret)} has no ExternalSecret or SealedSecret that makes it, and ${found === undefined ? 'no store of external secrets is' : 'several stores are'} in the input`,
        hint: 'write --secret-store ClusterSecretStore/vault, the store that has the value; or --secrets leave-out',
      },
    ]);
  }
  return { apiVersion, kind: String(found.kind), name: String(mapAt(found, 'metadata').name) };
}

/**
 * The reference to a Secret: each of its values is a property of what the store has under its namespace and name.
 *
 * @param shown annotations that have a secret in them
 */
function externalSecret(
  secret: PlainMap,
  { apiVersion, kind, name: store }: SecretStore,
  shown: readonly string[],
): PlainMap {
  const { name, namespace, labels } = mapAt(secret, 'metadata');
  // the operator takes each for a template of Go (external-secrets, externalsecret_controller_template.go)
  const annotations = Object.entries(mapAt(mapAt(secret, 'metadata'), 'annotations'))
    .filter(([key]) => !shown.includes(key))
    .map(([key, value]): [string, string] => [key, String(value).replaceAll('{{', '{{ "{{" }}')]);
  const metadata = {
    ...(isMap(labels) ? { labels } : {}),
    ...(annotations.length > 0 ? { annotations: Object.fromEntries(annotations) } : {}),
  };
  const keys = ['data', 'stringData'].flatMap((field) => Object.keys(mapAt(secret, field)));
  const key = [...(typeof namespace === 'string' ? [namespace] : []), String(name)].join('/');
  const template = {
    ...(typeof secret.type === 'string' && secret.type !== 'Opaque' ? { type: secret.type } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
  return {
    apiVersion,
    kind: 'ExternalSecret',
    metadata: { name, ...(typeof namespace === 'string' ? { namespace } : {}), ...(isMap(labels) ? { labels } : {}) },
    spec: {
      secretStoreRef: { kind, name: store },
      // what is there stays there when this object goes
      target: {
        name,
        deletionPolicy: 'Retain',
        ...(secret.immutable === true ? { immutable: true } : {}),
        ...(Object.keys(template).length > 0 ? { template } : {}),
      },
      data: [...new Set(keys)].map((secretKey) => ({ secretKey, remoteRef: { key, property: secretKey } })),
    },
  };
}
