import { type ProblemList, TOKEN_FORMAT } from '../errors.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { TOKEN_PLACEHOLDER } from '../join/token-format.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import { isMap, mapAt } from '../validation/plain-data.js';

/** A bootstrap token on its own in a text; a part of the name of a host is none. */
const TOKEN = new RegExp(`(?<![a-z0-9.])${TOKEN_FORMAT}(?![a-z0-9.])`, 'g');

/** Whether a text has a token in it. A published join has a placeholder for the token that its machine reads. */
function holdsToken(text: unknown): boolean {
  return [...String(text).matchAll(TOKEN)].some(([token]) => token !== TOKEN_PLACEHOLDER);
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
    } else if (hasValues) {
      problems.add(
        'EDGE_SECRET',
        `${nameOf(object)} would be in plain text in the source of the delivery`,
        'deliver an ExternalSecret, a SealedSecret or a Secret encrypted by SOPS instead (docs/delivery.md#secrets); or create it in the cluster by hand, and leave it out of the charts of the site',
      );
    }
    return;
  }
  if (groupKindOf(object) === 'ConfigMap' && Object.values(mapAt(object, 'data')).some(holdsToken)) {
    problems.add(
      'EDGE_SECRET',
      `${nameOf(object)} has a bootstrap token in it, which would be in plain text in the source of the delivery`,
      'let the machines read the token from a file or a command (docs/join-tokens.md)',
    );
  }
}
