import { joinPath, type ProblemList } from '../base/errors.js';
import { clearSecrets, type SecretKind } from '../kubernetes/clear-secrets.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import { isMap } from '../base/plain-data.js';

const DELIVER = 'deliver it by an ExternalSecret, a SealedSecret or a Secret encrypted by SOPS';
const PAGE = '(docs/delivery.md#secrets)';

/** What to write instead. */
const INSTEAD: Readonly<Partial<Record<SecretKind, string>>> = {
  'a bootstrap token': 'let the machines read the token from a file or a command (docs/join-tokens.md)',
  'a password in an address': `write the address without it, and ${DELIVER} ${PAGE}`,
  'a release of Helm': 'leave it out of the charts of the site: Helm writes it, with all values of the release',
  'a value of a Secret': `remove the annotation: it has what the Secret had; or ${DELIVER} ${PAGE}`,
};

/**
 * Refuses what would be in plain text in the repository or the registry for everyone who reads it, for ever: values of Secrets, tokens, keys and passwords.
 *
 * @param decrypts whether the engine decrypts SOPS
 */
export function checkClearSecrets(object: KubernetesObject, decrypts: boolean, problems: ProblemList): void {
  const isSecret = groupKindOf(object) === 'Secret';
  const found = clearSecrets(object);
  if (isSecret && isMap(object.sops) && !decrypts && found.length === 0) {
    problems.add(
      'EDGE_SECRET',
      `${nameOf(object)} is encrypted by SOPS, and the engine does not decrypt it`,
      "write flux({ sopsSecretName: 'sops-age' }); Argo CD needs a plugin for it: use External Secrets or sealed Secrets instead",
    );
  }
  if (isSecret && found.some(({ path: [field] }) => field !== 'metadata')) {
    problems.add(
      'EDGE_SECRET',
      `${nameOf(object)} would be in plain text in the source of the delivery`,
      'deliver an ExternalSecret, a SealedSecret or a Secret encrypted by SOPS instead (docs/delivery.md#secrets); or create it in the cluster by hand, and leave it out of the charts of the site',
    );
    return;
  }
  const [first] = found;
  if (first !== undefined) {
    const { path, what } = first;
    problems.add(
      'EDGE_SECRET',
      `${nameOf(object)} has ${what} in it, in ${path.reduce<string>(joinPath, '')}, which would be in plain text in the source of the delivery`,
      INSTEAD[what] ?? `${DELIVER} ${PAGE}`,
    );
  }
}
