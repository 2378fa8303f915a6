import type { ProblemList } from '../base/errors.js';
import { isLocal } from '../kubernetes/hosts.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import type { EdgeArtifact } from '../base/artifact.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { checkKnownProperties, quoted, whatIs } from '../base/properties.js';
import type { Check } from '../base/property-table.js';
import { compute, isUnknown } from '../base/unknown.js';

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

/** The two ways to authenticate, of which exactly one is given. */
export interface OpenStackLogin {
  readonly applicationCredential?: ApplicationCredential;
  readonly password?: OpenStackPassword;
}

/** A way to authenticate. */
export type Way = keyof OpenStackLogin;

const FIELDS: { readonly [W in Way]: readonly (keyof NonNullable<OpenStackLogin[W]>)[] } = {
  applicationCredential: ['id', 'secret'],
  password: ['userName', 'domainName', 'projectName', 'password'],
};

/** Checks the fields of a way to authenticate, of which no value is shown. */
export const credentialFields =
  (way: Way): Check =>
  (given, problems) => {
    const names: readonly string[] = FIELDS[way];
    if (!isMap(given)) {
      problems.add('EDGE_TYPE', `this is ${whatIs(given)}, not a map`, `write { ${names.join(', ')} }`);
      return;
    }
    checkKnownProperties(given, names, problems);
    for (const name of names) {
      if (typeof given[name] !== 'string' || given[name] === '') {
        problems
          .at(name)
          .add('EDGE_MISSING', `${name} is missing, or is not text (value redacted)`, `write { ${names.join(', ')} }`);
      }
    }
  };

/** The host of a URL, an IPv6 address without its brackets. */
const hostOf = (url: string): string => /^https?:\/\/(?:\[([^\]]*)\]|([^/:]*))/.exec(url)?.slice(1).find(Boolean) ?? '';

/** The address of Keystone. */
export const checkKeystone: Check = (url, problems) => {
  if (typeof url !== 'string' || !/^https?:\/\/[^\s/]+(\/\S*)?$/.test(url)) {
    problems.add(
      url === undefined ? 'EDGE_MISSING' : 'EDGE_VALUE',
      'this is not the address of Keystone',
      "write 'https://keystone.example/v3'",
    );
  } else if (/^https?:\/\/[^/]*@/.test(url)) {
    problems.add(
      'EDGE_VALUE',
      'this address contains a user or a password (value redacted)',
      "write 'https://keystone.example/v3', and the credentials in applicationCredential or password",
    );
  } else if (/[?#]/.test(url)) {
    problems.add(
      'EDGE_VALUE',
      'Keystone reads nothing behind ? or # of its address (value redacted)',
      "write 'https://keystone.example/v3', and the credentials in applicationCredential or password",
    );
  } else if (url.startsWith('http://')) {
    problems.add(
      'EDGE_VALUE',
      `${quoted(url)} sends the credentials unencrypted`,
      "write 'https://keystone.example/v3', with caCertificates if its CA is your own",
    );
  } else if (isLocal(hostOf(url))) {
    problems.add(
      'EDGE_VALUE',
      `${quoted(url)} is the Pod that sends the request, not Keystone`,
      "write its address in the network: 'https://keystone.example/v3'",
    );
  }
};

/** Certificates in PEM. */
export const checkCertificates: Check = (pem, problems) => {
  if (typeof pem !== 'string' || !pem.includes('-----BEGIN CERTIFICATE-----')) {
    problems.add(
      'EDGE_CA_BUNDLE',
      'these are not certificates in PEM',
      "write the text of the file: '-----BEGIN CERTIFICATE-----…'",
    );
  }
};

/** Refuses none and both ways to authenticate. */
export function checkWays({ applicationCredential, password }: OpenStackLogin, problems: ProblemList): void {
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

/** The way that is given. */
export const wayOf = (login: OpenStackLogin): Way =>
  login.password === undefined ? 'applicationCredential' : 'password';

/** The fields of the given way, each of which may be unknown, under other names. */
export function renamedFields(login: OpenStackLogin, names: Readonly<Record<string, string>>): PlainMap {
  const given = login[wayOf(login)] as unknown as Record<string, string>;
  return Object.fromEntries(
    Object.entries(names).map(([field, key]): [string, unknown] => [
      key,
      compute({ given, field }, (known) => known.given[known.field], isUnknown(given) ? given : given[field]),
    ]),
  );
}

/** A Secret as a file for its owner, in place of a manifest. */
export const secretFile = (
  object: KubernetesObject & { readonly metadata: { readonly name: string; readonly namespace: string } },
): EdgeArtifact => ({
  path: `secrets/${object.metadata.namespace}-${object.metadata.name}.json`,
  content: `${JSON.stringify(object, undefined, 2)}\n`,
  isSecret: true,
});
