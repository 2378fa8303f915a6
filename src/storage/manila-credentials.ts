import type { Plan } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import type { ProblemList } from '../errors.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { checkNamespace, checkObjectName } from '../kubernetes/names.js';
import { isMap, type PlainMap } from '../validation/plain-data.js';
import { checkBoolean, checkKnownProperties, whatIs } from '../validation/properties.js';
import { type Check, checkProperties, optional, plain, type PropertyTable } from '../validation/property-table.js';
import { compute, isUnknown } from '../validation/unknown.js';
import { hasProperties, words } from './class-fields.js';
import type { SecretReference } from './volume-snapshot-class.js';

/**
 * A user of OpenStack with a password.
 *
 * @category Store data on OpenStack
 */
export interface OpenStackPassword {
  /** Name of the user. */
  readonly userName: string;
  /** Name of the domain of user and project. */
  readonly domainName: string;
  /** Name of the project. */
  readonly projectName: string;
  /** The password. */
  readonly password: string;
}

/**
 * An application credential of OpenStack: `openstack application credential create`.
 *
 * @category Store data on OpenStack
 */
export interface ApplicationCredential {
  /** Its id. */
  readonly id: string;
  /** Its secret. */
  readonly secret: string;
}

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
export interface ManilaCredentialsAnswers {
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

type Way = keyof typeof WAYS;

/** Checks fields of text, of which no value is shown. */
const fields =
  (way: Way): Check =>
  (given, problems) => {
    const names = Object.keys(WAYS[way]);
    if (!isMap(given)) {
      problems.add('EDGE_TYPE', `this is ${whatIs(given)}, not a map`, `write { ${names.join(', ')} }`);
      return;
    }
    checkKnownProperties(given, names, problems);
    for (const name of names) {
      if (typeof given[name] !== 'string' || given[name] === '') {
        problems
          .at(name)
          .add('EDGE_MISSING', `${name} is missing, or no text (value redacted)`, `write { ${names.join(', ')} }`);
      }
    }
  };

const checkUrl: Check = (url, problems) => {
  if (typeof url !== 'string' || !/^https?:\/\/[^\s/]+(\/\S*)?$/.test(url)) {
    problems.add(
      url === undefined ? 'EDGE_MISSING' : 'EDGE_VALUE',
      'this is not the address of Keystone',
      "write 'https://keystone.example/v3'",
    );
  }
};

const checkCertificates: Check = (text, problems) => {
  if (typeof text !== 'string' || !text.includes('-----BEGIN CERTIFICATE-----')) {
    problems.add(
      'EDGE_CA_BUNDLE',
      'these are no certificates in PEM',
      "write the text of the file: '-----BEGIN CERTIFICATE-----…'",
    );
  }
};

const PROPERTIES: PropertyTable<ManilaCredentialsProps> = {
  name: checkObjectName,
  namespace: optional(checkNamespace),
  authUrl: checkUrl,
  region: words('RegionOne'),
  applicationCredential: optional(fields('applicationCredential')),
  password: optional(fields('password')),
  caCertificates: optional(checkCertificates),
  inManifest: plain(checkBoolean),
};

/**
 * Plans the Secret with the credentials of Manila.
 *
 * @throws {@link EdgeError} with all problems at once; none shows a value
 */
export function planManilaCredentials(props: ManilaCredentialsProps, scope: Scope): Plan<ManilaCredentialsAnswers> {
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
  const file = {
    path: `secrets/${namespace}-${name}.json`,
    content: `${JSON.stringify(object, undefined, 2)}\n`,
    isSecret: true,
  };
  return {
    subject,
    objects: inManifest ? [{ object, apply: 'create' }] : [],
    answers: { secret: { name, namespace } },
    warnings: [],
    artifacts: inManifest ? [] : [file],
  };
}

function checkWays({ applicationCredential, password }: ManilaCredentialsProps, problems: ProblemList): void {
  if ((applicationCredential === undefined) === (password === undefined)) {
    const isBoth = password !== undefined;
    problems
      .at('applicationCredential')
      .add(
        isBoth ? 'EDGE_CONTRADICTION' : 'EDGE_MISSING',
        isBoth ? 'the driver takes one way to authenticate, and these are two' : 'there are no credentials',
        'write either applicationCredential: { id, secret } or password: { userName, domainName, projectName, password }',
        'for any value',
      );
  }
}

function dataOf(props: ManilaCredentialsProps): PlainMap {
  const way: Way = props.password === undefined ? 'applicationCredential' : 'password';
  const given = props[way] as unknown as Record<string, string>;
  const own = Object.entries(WAYS[way]).map(([field, key]): [string, unknown] => [
    key,
    compute({ given, field }, (known) => known.given[known.field], isUnknown(given) ? given : given[field]),
  ]);
  return {
    'os-authURL': props.authUrl,
    'os-region': props.region,
    ...Object.fromEntries(own),
    ...(props.caCertificates === undefined ? {} : { 'os-certAuthority': props.caCertificates }),
  };
}
