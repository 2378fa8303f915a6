import type { ProblemList } from '../errors.js';
import { oneOf } from '../validation/property-table.js';
import { isUnknown } from '../validation/unknown.js';

/**
 * Who hands the file to a new machine, and so how large it may be.
 *
 * @category Join nodes
 */
export type UserDataProvider = 'aws' | 'openstack' | 'azure' | 'gcp' | 'ibm' | 'vsphere';

/** Bytes before base64. Sources: AWS EC2 user data; nova schemas/servers.py (65535 of base64); Azure custom data; GCE metadata; IBM VPC; VMware. */
const LIMITS: Readonly<Record<UserDataProvider, number>> = {
  aws: 16_384,
  openstack: 49_149,
  azure: 65_535,
  gcp: 262_144,
  ibm: 65_536,
  vsphere: 524_288,
};

/** A ConfigMap or Secret holds at most 1 MiB (apimachinery, MaxSecretSize). */
export const OBJECT_LIMIT = 1_048_576;

export const checkProvider = oneOf(...Object.keys(LIMITS));

/** Checks a text against the limit of a provider, or of the object in which it is published. */
export function checkSize(text: string, provider: UserDataProvider | undefined, problems: ProblemList): void {
  if (isUnknown(text) || isUnknown(provider)) {
    return;
  }
  const size = Buffer.byteLength(text);
  const limit = provider === undefined ? OBJECT_LIMIT - 4096 : LIMITS[provider];
  if (size > limit) {
    problems.add(
      'EDGE_SIZE',
      `the file has ${size} bytes, and ${provider ?? 'a ConfigMap'} takes ${limit}`,
      'put large files on the image, or fetch them with a command before the join',
    );
  }
}
