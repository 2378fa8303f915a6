import type { ProblemList } from '../base/errors.js';
import { checkBoolean } from '../base/properties.js';
import { type Check, oneOf, plain } from '../base/property-table.js';
import { isUnknown } from '../base/unknown.js';

/**
 * The provider of the user data of a new machine, which limits its size.
 *
 * @category Join nodes
 */
export type UserDataProvider = 'aws' | 'openstack' | 'azure' | 'gcp' | 'ibm' | 'vsphere';

/** What a provider takes. */
interface UserDataLimit {
  /** In bytes. */
  readonly limit: number;
  /** How the limit counts user-data that is compressed: as bytes, or as their base64; undefined if the provider takes
   * only text. */
  readonly gzip?: 'bytes' | 'base64';
}

/**
 * Limits before base64. Sources: AWS EC2 user data; nova schemas/servers.py (65535 of base64); Azure custom data; GCE
 * metadata; IBM VPC; VMware.
 *
 * The API of AWS, OpenStack and Azure takes base64 of any bytes. A value of GCE is text, which cloud-init decodes
 * (DataSourceGCE, `user-data-encoding`), and so is one of VMware (DataSourceVMware, `guestinfo.userdata.encoding`). IBM
 * documents text only.
 */
const LIMITS: Readonly<Record<UserDataProvider, UserDataLimit>> = {
  aws: { limit: 16_384, gzip: 'bytes' },
  openstack: { limit: 49_149, gzip: 'bytes' },
  azure: { limit: 65_535, gzip: 'bytes' },
  gcp: { limit: 262_144, gzip: 'base64' },
  ibm: { limit: 65_536 },
  vsphere: { limit: 524_288, gzip: 'base64' },
};

/** Limit of a ConfigMap or Secret in bytes (apimachinery, MaxSecretSize). */
export const OBJECT_LIMIT = 1_048_576;

export const checkProvider = oneOf(...Object.keys(LIMITS));

/** Checks whether the machine can get user-data that is compressed. */
export function gzipCheck(provider: UserDataProvider | undefined, format: string | undefined): Check {
  return plain((gzip, problems) => {
    checkBoolean(gzip, problems);
    if (gzip !== true) {
      return;
    }
    if (format !== undefined && format !== 'cloud-config') {
      problems.add(
        'EDGE_CONTRADICTION',
        `only cloud-init decompresses user-data, and the format is ${format}`,
        "leave it out, or write format: 'cloud-config'",
      );
    }
    if (provider !== undefined && LIMITS[provider]?.gzip === undefined) {
      problems.add('EDGE_CONTRADICTION', `${provider} documents text as user-data, not gzip`, 'leave it out');
    }
  });
}

/**
 * Checks the size of a text against the limit of a provider, or of a ConfigMap.
 *
 * @param packing how the machine gets it, if it can get it compressed: in base64, or not
 */
export function checkSize(
  text: string,
  provider: UserDataProvider | undefined,
  problems: ProblemList,
  packing?: { readonly compressed?: string },
): void {
  const compressed = packing?.compressed;
  if (isUnknown(text) || isUnknown(compressed)) {
    return;
  }
  const { limit, gzip }: UserDataLimit = provider === undefined ? { limit: OBJECT_LIMIT - 4096 } : LIMITS[provider];
  const bytes = Buffer.byteLength(text);
  const packed =
    compressed === undefined || gzip === undefined
      ? undefined
      : Buffer.byteLength(compressed, gzip === 'bytes' ? 'base64' : 'utf8');
  if ((packed ?? bytes) > limit) {
    const canPack = packing !== undefined && compressed === undefined && gzip !== undefined;
    problems.add(
      'EDGE_SIZE',
      `the file has ${bytes} bytes${packed === undefined ? '' : `, with gzip ${packed}`}, and the limit of ${provider ?? 'a ConfigMap'} is ${limit}`,
      `${canPack ? 'write gzip: true and use userDataGzipBase64; or ' : ''}put large files into the machine image, or download them with a command before the join`,
    );
  }
}
