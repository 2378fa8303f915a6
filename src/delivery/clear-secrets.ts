import { type ProblemList, TOKEN_FORMAT } from '../errors.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { TOKEN_PLACEHOLDER } from '../join/token-format.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import { isMap, mapAt } from '../validation/plain-data.js';

/** A bootstrap token on its own in a text; a part of the name of a host is none. */
const TOKEN = new RegExp(`(?<![a-z0-9.])${TOKEN_FORMAT}(?![a-z0-9.])`, 'g');

/** A private key in PEM (RFC 7468, RFC 4716 of OpenSSH) with its first line; in a template there is a variable instead. */
const PRIVATE_KEY =
  /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr])*(?:[A-Za-z0-9+/]{16}|[A-Za-z-]+: )/;

/** The tokens in a text. A published join has a placeholder for the token that its machine reads. */
function tokensIn(text: string): string[] {
  return [...text.matchAll(TOKEN)].map(([token]) => token).filter((token) => token !== TOKEN_PLACEHOLDER);
}

/** All texts of a value, in maps and lists. */
function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield value;
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) {
      yield* textsOf(item);
    }
  }
}

/** What was found in an object: one of a chart is an object of each of its sites. */
const known = new WeakMap<KubernetesObject, string | undefined>();

/** What is secret in an object; undefined if nothing is. */
function secretIn(object: KubernetesObject): string | undefined {
  if (!known.has(object)) {
    known.set(object, foundIn(object));
  }
  return known.get(object);
}

function foundIn(object: KubernetesObject): string | undefined {
  const kind = groupKindOf(object);
  // a schema has examples
  if (kind === 'CustomResourceDefinition.apiextensions.k8s.io') {
    return undefined;
  }
  const isConfigMap = kind === 'ConfigMap';
  const binary = isConfigMap ? [...textsOf(object.binaryData)] : [];
  const data = isConfigMap ? [...textsOf(object.data)] : [];
  const texts = [...textsOf(object), ...binary.map((each) => Buffer.from(each, 'base64').toString('latin1'))];
  // outside of data two words with a dot between them may be a name; a token that kubeadm has made has digits
  const hasToken =
    data.some((text) => tokensIn(text).length > 0) ||
    texts.some((text) => tokensIn(text).some((token) => /\d/.test(token)));
  return hasToken ? 'a bootstrap token' : texts.some((text) => PRIVATE_KEY.test(text)) ? 'a private key' : undefined;
}

/** Whether every value of a Secret is encrypted by SOPS, which also writes how into the field `sops`. */
function isEncrypted(secret: KubernetesObject): boolean {
  const values = [mapAt(secret, 'data'), mapAt(secret, 'stringData')].flatMap((map) => Object.values(map));
  return isMap(secret.sops) && values.every((value) => typeof value === 'string' && value.startsWith('ENC['));
}

/**
 * Refuses what would be in plain text in the repository or the registry for everyone who reads it, for ever: values of Secrets, and tokens.
 *
 * @param decrypts whether the engine decrypts SOPS
 */
export function checkClearSecrets(object: KubernetesObject, decrypts: boolean, problems: ProblemList): void {
  if (groupKindOf(object) === 'Secret') {
    const hasValues = [mapAt(object, 'data'), mapAt(object, 'stringData')].some((map) => Object.keys(map).length > 0);
    if (isEncrypted(object)) {
      if (!decrypts) {
        problems.add(
          'EDGE_SECRET',
          `${nameOf(object)} is encrypted by SOPS, and the engine does not decrypt it`,
          "write flux({ sopsSecretName: 'sops-age' }); Argo CD needs a plugin for it: use External Secrets or sealed Secrets instead",
        );
      }
      return;
    }
    if (hasValues) {
      problems.add(
        'EDGE_SECRET',
        `${nameOf(object)} would be in plain text in the source of the delivery`,
        'deliver an ExternalSecret, a SealedSecret or a Secret encrypted by SOPS instead (docs/delivery.md#secrets); or create it in the cluster by hand, and leave it out of the charts of the site',
      );
      return;
    }
  }
  const secret = secretIn(object);
  if (secret !== undefined) {
    problems.add(
      'EDGE_SECRET',
      `${nameOf(object)} has ${secret} in it, which would be in plain text in the source of the delivery`,
      secret === 'a private key'
        ? 'deliver it by an ExternalSecret, a SealedSecret or a Secret encrypted by SOPS (docs/delivery.md#secrets)'
        : 'let the machines read the token from a file or a command (docs/join-tokens.md)',
    );
  }
}
