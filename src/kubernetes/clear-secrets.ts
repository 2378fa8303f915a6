import { TOKEN_FORMAT, TOKEN_PLACEHOLDER } from '../base/errors.js';
import { isMap, mapAt, type ObjectPath, type PlainMap } from '../base/plain-data.js';
import { groupKindOf } from './group-kind.js';

/** A text of an object that everyone who reads it can use. */
export interface ClearSecret {
  readonly path: ObjectPath;
  readonly what: SecretKind;
}

export type SecretKind =
  | 'a value of a Secret'
  | 'a release of Helm'
  | 'a bootstrap token'
  | 'a private key'
  | 'a password in an address'
  | 'the credentials of a kubeconfig'
  | 'a JSON Web Token'
  | 'a key of AWS'
  | 'a token of GitHub'
  | 'a token of GitLab'
  | 'a token of Slack'
  | 'a token of Vault'
  | 'a token of npm'
  | 'a token of PyPI'
  | 'a key of Azure'
  | 'a key of Google'
  | 'a key of Stripe'
  | 'a password in a netrc'
  | 'a login of a registry'
  | 'a key of age';

/** What was found in an object: one of a chart is an object of each of its sites. */
const known = new WeakMap<PlainMap, readonly ClearSecret[]>();

/**
 * The secrets of an object in clear, in any field, also in base64 in base64: all values of a Secret, and what is secret by its form in any object. A
 * password has none. What is encrypted (SealedSecret, SOPS) and what anybody may read (certificates, public keys, digests) is none.
 */
export function clearSecrets(object: PlainMap): readonly ClearSecret[] {
  const found = known.get(object) ?? foundIn(object);
  known.set(object, found);
  return found;
}

/** The same, of an object as it is now: it may still change. */
function foundIn(object: PlainMap): ClearSecret[] {
  const kind = groupKindOf(object);
  // a schema has examples
  if (kind === 'CustomResourceDefinition.apiextensions.k8s.io') {
    return [];
  }
  const values = kind === 'Secret' ? valuesOf(object) : [];
  const copies = kind === 'Secret' ? copiesIn(object) : [];
  const own = new Set([...values, ...copies].map(({ path }) => JSON.stringify(path)));
  const others = [...textsOf(object, [])]
    // what a Secret has encrypted is no token by chance
    .filter(({ path: [field] }) => kind !== 'Secret' || field === 'metadata')
    .filter(({ path }) => own.size === 0 || !own.has(JSON.stringify(path)))
    .flatMap(({ path, name, text }) => {
      const what = kind === 'ConfigMap' && isHelmRelease(path, text) ? 'a release of Helm' : secretIn(text, name);
      return what === undefined ? [] : [{ path, what }];
    });
  return [...values, ...copies, ...others];
}

/** What a Secret has in clear: of one that SOPS has encrypted, which says so in the field `sops`, what does not begin so. */
function valuesOf(secret: PlainMap): ClearSecret[] {
  return ['data', 'stringData'].flatMap((field) =>
    Object.entries(mapAt(secret, field))
      .filter(([, value]) => value !== null && value !== '')
      .filter(([, value]) => !(isMap(secret.sops) && typeof value === 'string' && value.startsWith('ENC[')))
      .map(([key]): ClearSecret => ({ path: [field, key], what: 'a value of a Secret' })),
  );
}

/** From so many characters on a value cannot be in an annotation by chance. */
const LONG = 6;

/** Annotations that have a value of their Secret, as copies and backups of tools do; also compressed (Rancher, objectset.rio.cattle.io/applied). */
function copiesIn(secret: PlainMap): ClearSecret[] {
  const texts = (field: string): string[] =>
    Object.values(mapAt(secret, field)).filter((value): value is string => typeof value === 'string');
  const { data, stringData } = { data: texts('data'), stringData: texts('stringData') };
  const encrypted = (value: string): boolean => isMap(secret.sops) && value.startsWith('ENC[');
  const values = [...data, ...data.map(decoded), ...stringData, ...stringData.map(encoded)].filter(
    (value) => value.trim() !== '' && !encrypted(value),
  );
  // also as texts in JSON
  const hidden = [...new Set(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))];
  const shows = (text: string): boolean =>
    /H4sI[\w+/-]{16}/.test(text) ||
    isAppliedSecret(text) ||
    hidden.some((value) => (value.trim().length >= LONG ? text.includes(value) : hasWord(text, value)));
  return Object.entries(mapAt(mapAt(secret, 'metadata'), 'annotations'))
    .filter(([, value]) => typeof value === 'string' && shows(value))
    .map(([key]): ClearSecret => ({ path: ['metadata', 'annotations', key], what: 'a value of a Secret' }));
}

/** Whether a short value is in a text, and not only in a word of it. */
function hasWord(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    if (!/[A-Za-z0-9]/.test(`${text[at - 1] ?? ''}${text[at + value.length] ?? ''}`)) {
      return true;
    }
  }
  return false;
}

/** Whether a text is a Secret with values, as `kubectl apply` writes it into an annotation. */
function isAppliedSecret(text: string): boolean {
  try {
    const object: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
    return isMap(object) && object.kind === 'Secret' && valuesOf(object).length > 0;
  } catch {
    return false;
  }
}

/** Of the driver `configmap` of Helm: compressed JSON, with all values of the release (helm, pkg/storage/driver/cfgmaps.go). */
function isHelmRelease([field, key]: ObjectPath, text: string): boolean {
  return field === 'data' && key === 'release' && text.startsWith('H4sI');
}

interface NamedText {
  readonly path: ObjectPath;
  /** The key of the text, or the name beside it, as that of a variable. */
  readonly name: string;
  readonly text: string;
}

/** All texts of a value, in maps and lists. */
function* textsOf(value: unknown, path: ObjectPath, name = ''): Generator<NamedText> {
  if (typeof value === 'string') {
    yield { path, name, text: value };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* textsOf(item, [...path, index], name);
    }
  } else if (isMap(value)) {
    for (const [key, item] of Object.entries(value)) {
      yield* textsOf(item, [...path, key], key === 'value' && typeof value.name === 'string' ? value.name : key);
    }
  }
}

const decoded = (text: string): string => Buffer.from(text, 'base64').toString();
const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** A value that is no variable of a template: `$(PASSWORD)`, `{{ .password }}`, `<password>`, `%s`, `***`. */
const VALUE = `(?![$<{*]|%[sdv])[^\\s"'\`<>{}$*\\\\]`;

/** Where a word begins: in JSON it may follow an escape, of which the letter does not belong to it. */
const BEGIN = '(?<=^|[^\\w-]|\\\\[nrtbf]|\\\\u[0-9a-f]{4})';
/** What stands between a key and its value: in YAML, in JSON, and in JSON within JSON. */
const IS = '\\\\*["\']?\\s*[=:]\\s*\\\\*["\']?';

/** A bootstrap token on its own: a part of the name of a host is none. */
const TOKEN = new RegExp(`(?<!\\.)${BEGIN}${TOKEN_FORMAT}(?![A-Za-z0-9.])`, 'g');

/** Between words, also in JSON. */
const BLANK = '(?:\\s|\\\\+[nrt])+';
const WORD = '[^\\s\\\\]+';

/** What is secret by its form. Each pattern takes the time of the length of a text. */
const FORMS: readonly (readonly [what: SecretKind, form: RegExp])[] = [
  // PEM (RFC 7468, RFC 4716 of OpenSSH) with its first line; in a template there is a variable instead
  [
    'a private key',
    /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\+[nr])*(?:[A-Za-z0-9+/]{16}|[A-Za-z-]+: )/,
  ],
  ['a key of age', /AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{40}/],
  // header and payload are JSON; the signature of cluster-info has no payload (KEP 130)
  ['a JSON Web Token', new RegExp(`${BEGIN}eyJ[\\w-]{8,}\\.eyJ[\\w-]{4,}\\.[\\w-]{16,}`)],
  ['a token of GitHub', new RegExp(`${BEGIN}(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\\w{60})`)],
  ['a token of GitLab', new RegExp(`${BEGIN}gl(?:pat|dt|rt|ptt|agent)-[\\w-]{20}`)],
  ['a token of Slack', new RegExp(`${BEGIN}xox[abeoprs]-(?=[A-Za-z-]*\\d)[A-Za-z0-9-]{20}`)],
  // of a service, a batch or a recovery; the name of a host has no capital letter
  ['a token of Vault', new RegExp(`${BEGIN}hv[sbr]\\.(?=[\\w-]*[A-Z])[\\w-]{24}`)],
  ['a token of npm', new RegExp(`${BEGIN}npm_[A-Za-z0-9]{36}(?!\\w)|:_(?:authToken|auth|password)${IS}${VALUE}{8}`)],
  // a macaroon in base64, whose version and location are always the same
  ['a token of PyPI', new RegExp(`${BEGIN}pypi-AgE[\\w-]{50}`)],
  // 64 or 32 bytes in base64; those of the emulators are known to everyone
  ['a key of Azure', /(?:AccountKey|SharedAccessKey)=(?!Eby8vdM02xN|C2y6yDjf5)[A-Za-z0-9+/]{42}/],
  ['a key of Google', new RegExp(`${BEGIN}AIza[\\w-]{35}(?![\\w-])`)],
  ['a key of Stripe', new RegExp(`${BEGIN}[rs]k_live_[A-Za-z0-9]{24}`)],
  [
    'a password in a netrc',
    new RegExp(
      `${BEGIN}(?:machine${BLANK}${WORD}|default)${BLANK}(?:login${BLANK}${WORD}${BLANK})?password${BLANK}${VALUE}`,
    ),
  ],
  // the id of a key of a user or of a session; that of the documentation ends in EXAMPLE
  ['a key of AWS', new RegExp(`${BEGIN}A(?:KIA|SIA)(?!\\w{9}EXAMPLE)[A-Z2-7]{16}(?!\\w)`)],
  [
    'a key of AWS',
    new RegExp(`secret_?(?:access_?)?key${IS}(?![A-Za-z0-9/+]*EXAMPLE)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])`, 'i'),
  ],
  ['a password in an address', new RegExp(`://[^\\s/?#@:"'\`<>{}$()]*:(?:(?![/?#@])${VALUE})+@[\\w[]`)],
];

/** The user of a kubeconfig: of its keys those of PEM are found by their form. */
const KUBECONFIG = new RegExp(`${BEGIN}kind${IS}Config\\b`);
const CREDENTIALS = new RegExp(`${BEGIN}(?:token|password)${IS}${VALUE}{4}`);

/** `user:password` in base64 (containers-auth.json(5)). */
const LOGIN = new RegExp(`${BEGIN}auth${IS}([A-Za-z0-9+/]{6,}={0,2})(?![A-Za-z0-9+/=])`, 'g');

/** A login of a registry that is not in base64. */
const REGISTRIES = new RegExp(`${BEGIN}auths${IS}`);
const REGISTRY_PASSWORD = new RegExp(`${BEGIN}(?:password|identitytoken|registrytoken)${IS}${VALUE}`);

/** What is secret in a text. @param depth how often it may still be decoded */
function secretIn(value: string, name: string, depth = 4): SecretKind | undefined {
  // what stands before a value says what it is
  const text = name === '' ? value : `${name}: ${value}`;
  if (hasToken(text)) {
    return 'a bootstrap token';
  }
  const [what] = FORMS.find(([, form]) => form.test(text)) ?? [];
  if (what !== undefined) {
    return what;
  }
  if (KUBECONFIG.test(text) && CREDENTIALS.test(text)) {
    return 'the credentials of a kubeconfig';
  }
  if (
    [...text.matchAll(LOGIN)].some(([, login = '']) => /^[!-9;-~]+:[ -~]+$/.test(decoded(login))) ||
    (REGISTRIES.test(text) && REGISTRY_PASSWORD.test(text))
  ) {
    return 'a login of a registry';
  }
  if (depth === 0) {
    return undefined;
  }
  // as in an address, such as `data:,`
  const plain = value.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
  const decodedHere = plain === value ? undefined : secretIn(plain, name, depth - 1);
  if (decodedHere !== undefined) {
    return decodedHere;
  }
  // base64 may have lines
  const whole = value.replace(/(?<=[A-Za-z0-9+/]{40})(?:\\{1,4}n[ \t]*|[ \t\r]*\n\s*)(?=[A-Za-z0-9+/]{4})/g, '');
  for (const [, run = ''] of whole.matchAll(/(?:\\[nrtbf])?([A-Za-z0-9+/]{16,})/g)) {
    const inside = secretIn(Buffer.from(run, 'base64').toString('latin1'), '', depth - 1);
    if (inside !== undefined) {
      return inside;
    }
  }
  return undefined;
}

/** Whether a text has a bootstrap token: without a digit two words with a dot between them may be a name, unless a word before them says what they are. */
function hasToken(text: string): boolean {
  return [...text.matchAll(TOKEN)].some(
    ({ 0: token, index }) =>
      token !== TOKEN_PLACEHOLDER &&
      (/\d/.test(token) || /token\W{1,4}$/i.test(text.slice(Math.max(0, index - 10), index))),
  );
}
