import type { ProblemList } from '../errors.js';
import { oneOf } from '../validation/property-table.js';
import { isUnknown } from '../validation/unknown.js';

/**
 * The provider of the user data of a new machine, which limits its size.
 *
 * @category Join nodes
 */
export type UserDataProvider = 'aws' | 'openstack' | 'azure' | 'gcp' | 'ibm' | 'vsphere';

/** Limits in bytes, before base64. Sources: AWS EC2 user data; nova schemas/servers.py (65535 of base64); Azure custom data; GCE metadata; IBM VPC; VMware. */
const LIMITS: Readonly<Record<UserDataProvider, number>> = {
  aws: 16_384,
  openstack: 49_149,
  azure: 65_535,
  gcp: 262_144,
  ibm: 65_536,
  vsphere: 524_288,
};

/** Limit of a ConfigMap or Secret in bytes (apimachinery, MaxSecretSize). */
export const OBJECT_LIMIT = 1_048_576;

export const checkProvider = oneOf(...Object.keys(LIMITS));

/** Checks the size of a text against the limit of a provider, or of a ConfigMap. */
export function checkSize(text: string, provider: UserDataProvider | undefined, problems: ProblemList): void {
  if (isUnknown(text) || isUnknown(provider)) {
    return;
  }
  const size = Buffer.byteLength(text);
  const limit = provider === undefined ? OBJECT_LIMIT - 4096 : LIMITS[provider];
  if (size > limit) {
    problems.add(
      'EDGE_SIZE',
      `the file has ${size} bytes, and the limit of ${provider ?? 'a ConfigMap'} is ${limit}`,
      'put large files into the machine image, or download them with a command before the join',
    );
  }
}
