import type { Plan } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { checkNamespace, checkObjectName } from '../kubernetes/names.js';
import type { PlainMap } from '../base/plain-data.js';
import { checkBoolean } from '../base/properties.js';
import { checkProperties, optional, plain, type PropertyTable } from '../base/property-table.js';
import { hasProperties, words } from './class-fields.js';
import {
  type ApplicationCredential,
  checkCertificates,
  checkKeystone,
  checkWays,
  credentialFields,
  type OpenStackPassword,
  renamedFields,
  secretFile,
  wayOf,
} from './openstack-credentials.js';
import type { SecretReference } from './volume-snapshot-class.js';

/**
 * Properties of {@link ManilaCredentials}. Exactly one of `applicationCredential` and `password` is given.
 *
 * @category Store data on OpenStack
 */
export interface ManilaCredentialsProps {
  /** Name of the Secret. */
  readonly name: string;
  /** Namespace of the Secret.
   * @default kube-system */
  readonly namespace?: string;
  /** Address of Keystone, `https://keystone.example/v3`. */
  readonly authUrl: string;
  /** Region of OpenStack. */
  readonly region: string;
  /** An application credential, which can be revoked on its own.
   * @default - password */
  readonly applicationCredential?: ApplicationCredential;
  /** A user with a password.
   * @default - applicationCredential */
  readonly password?: OpenStackPassword;
  /** Certificates that sign those of OpenStack, as PEM text.
   * @default - those of the image of the driver */
  readonly caCertificates?: string;
  /** Whether the Secret is one of the synthesized manifests. Without it, `writeArtifacts` writes it into `secrets/`, a file that only its owner can read,
   * to apply on its own.
   * @default false */
  readonly inManifest?: boolean;
}

/** Attributes of credentials. */
export interface ManilaCredentialsAttributes {
  /** The Secret, for a ManilaStorageClass and a VolumeSnapshotClass. */
  readonly secret: SecretReference;
}

/** Fields of each way to authenticate, with their keys in the Secret (manila-csi-plugin, pkg/csi/manila/options). */
const WAYS = {
  applicationCredential: { id: 'os-applicationCredentialID', secret: 'os-applicationCredentialSecret' },
  password: {
    userName: 'os-userName',
    domainName: 'os-domainName',
    projectName: 'os-projectName',
    password: 'os-password',
  },
} as const;

const PROPERTIES: PropertyTable<ManilaCredentialsProps> = {
  name: checkObjectName,
  namespace: optional(checkNamespace),
  authUrl: checkKeystone,
  region: words('RegionOne'),
  applicationCredential: optional(credentialFields('applicationCredential')),
  password: optional(credentialFields('password')),
  caCertificates: optional(checkCertificates),
  inManifest: plain(checkBoolean),
};

/**
 * Plans the Secret with the credentials of Manila.
 *
 * @throws {@link EdgeError} with all problems at once; none shows a value
 */
export function planManilaCredentials(props: ManilaCredentialsProps, scope: Scope): Plan<ManilaCredentialsAttributes> {
  const subject = `ManilaCredentials ${scope.path}`;
  const problems = problemsOf(scope);
  const example =
    "{ name: 'manila', authUrl: 'https://keystone.example/v3', region: 'RegionOne', applicationCredential: { id, secret } }";
  if (hasProperties(props, 'ManilaCredentials', example, problems)) {
    checkProperties(props, PROPERTIES, problems);
    checkWays(props, problems);
  }
  problems.throwIfAny(subject);
  const { name, namespace = 'kube-system', inManifest = false } = props;
  const object = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: { ...OWN_LABELS } },
    type: 'Opaque',
    stringData: dataOf(props),
  };
  return {
    subject,
    objects: inManifest ? [{ object, apply: 'create' }] : [],
    attributes: { secret: { name, namespace } },
    warnings: [],
    artifacts: inManifest ? [] : [secretFile(object)],
  };
}

/** Data of the Secret, of which every value may be unknown. */
function dataOf(props: ManilaCredentialsProps): PlainMap {
  return {
    'os-authURL': props.authUrl,
    'os-region': props.region,
    ...renamedFields(props, WAYS[wayOf(props)]),
    ...(props.caCertificates === undefined ? {} : { 'os-certAuthority': props.caCertificates }),
  };
}
