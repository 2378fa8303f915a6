import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { isDnsLabel } from '../kubernetes/names.js';
import { isMap } from '../base/plain-data.js';
import { quoted } from '../base/properties.js';
import {
  type Check,
  checkProperties,
  mapWith,
  oneOf,
  optional,
  plain,
  type PropertyTable,
  refuseUnknown,
  wholeNumber,
} from '../base/property-table.js';
import { isUnknown } from '../base/unknown.js';
import { DEFAULT_DAYS } from './etcd-certificates.js';
import type { EtcdCertificates, EtcdClusterApi, EtcdIssuer } from './etcd-cluster-props.js';

const CERTIFICATES: PropertyTable<EtcdCertificates> = {
  source: plain((source, problems) => {
    if (source === undefined) {
      problems.add('EDGE_MISSING', 'source is required', "write 'files', 'kubeadm' or 'cert-manager'");
    }
    oneOf('files', 'kubeadm', 'cert-manager')(source, problems);
  }),
  issuer: plainShape(
    mapWith(
      (issuer, problems) => checkProperties<EtcdIssuer>(issuer, ISSUER, problems),
      'issuer must be a map',
      "write { name: 'etcd-ca' }",
    ),
  ),
  // the CA of kubeadm and ours of cert-manager are valid for ten years
  days: optional(wholeNumber(1, 3650)),
};

const ISSUER: PropertyTable<EtcdIssuer> = { name: checkEtcdName, kind: optional(oneOf('Issuer', 'ClusterIssuer')) };

/** A map whose values may be Outputs, while it is not one itself: which objects exist depends on whether it is there. */
export function plainShape(check: Check): Check {
  return (value, problems) => (isUnknown(value) ? refuseUnknown(problems) : check(value, problems));
}

export function checkEtcdName(name: unknown, problems: ProblemList): void {
  if (name === undefined || name === '') {
    problems.add('EDGE_MISSING', 'a name is required', "write name: 'etcd-1'");
  } else if (typeof name !== 'string' || !isDnsLabel(name) || name.length > 40) {
    problems.add(
      'EDGE_NAME',
      `${quoted(name)} is not usable: lower-case letters, digits and "-", at most 40 characters`,
      "write a name such as 'etcd-1'",
    );
  }
}

export function checkCertificates(certificates: unknown, problems: ProblemList): void {
  if (isUnknown(certificates)) {
    refuseUnknown(problems);
  } else if (!isMap(certificates)) {
    problems.add(
      certificates === undefined ? 'EDGE_MISSING' : 'EDGE_TYPE',
      'certificates must say where the certificates come from',
      "write { source: 'kubeadm' }, 'cert-manager' or 'files'",
    );
  } else {
    checkProperties<EtcdCertificates>(certificates, CERTIFICATES, problems);
    const { source, issuer, days } = certificates;
    if (issuer !== undefined && source !== 'cert-manager') {
      problems
        .at('issuer')
        .add('EDGE_UNUSED', 'only cert-manager has issuers', "remove it, or write source: 'cert-manager'");
    }
    if (days !== undefined && source === 'files') {
      problems.at('days').add('EDGE_UNUSED', 'you make these certificates', 'remove it');
    }
  }
}

/** The configuration of kubeadm can say how long certificates are valid since v1beta4. */
export function checkDays({ source, days }: EtcdCertificates, cluster: EdgeCluster, problems: ProblemList): void {
  const isOther = days !== undefined && days !== DEFAULT_DAYS;
  if (source === 'kubeadm' && isOther && !isUnknown(days) && cluster.kubeadmConfigVersion?.() === 'v1beta3') {
    problems.add(
      'EDGE_CONTRADICTION',
      `kubeadm of Kubernetes ${cluster.kubernetes} makes certificates for ${DEFAULT_DAYS} days only`,
      "remove it, or write source: 'cert-manager'",
    );
  }
}

export function checkClusterApi(given: Record<string, unknown>, problems: ProblemList): void {
  checkProperties<EtcdClusterApi>(given, CLUSTER_API, problems, {
    caKey: 'remove it: Cluster API would write it into the user data of the control plane',
  });
  const pem = ['caCertificate', 'clientCertificate', 'clientKey'] as const;
  const missing = pem.filter((name) => given[name] === undefined);
  if (missing.length > 0 && missing.length < pem.length) {
    missing.forEach((name) =>
      problems
        .at(name)
        .add('EDGE_MISSING', `${name} is missing`, 'write all three; or none, and certificates.sh makes the Secrets'),
    );
  }
  checkPair(given, problems);
}

/** A certificate of another CA, and a key of another certificate: etcd would refuse every API server. */
function checkPair(
  { caCertificate, clientCertificate, clientKey }: Partial<Record<keyof EtcdClusterApi, unknown>>,
  problems: ProblemList,
): void {
  const authorities = certificatesOf(caCertificate) ?? [];
  const [client, ...intermediates] = certificatesOf(clientCertificate) ?? [];
  if (client === undefined) {
    return;
  }
  const hint = 'write the certificate of the API servers that the CA of this etcd signed';
  if (client.ca) {
    problems
      .at('clientCertificate')
      .add('EDGE_CONTRADICTION', 'this is the certificate of a CA, not of a client (value redacted)', hint);
    return;
  }
  if (authorities.length > 0 && !isSigned(client, authorities, intermediates)) {
    problems.at('clientCertificate').add('EDGE_CONTRADICTION', 'caCertificate did not sign it (value redacted)', hint);
  }
  const key = typeof clientKey === 'string' ? keyOf(clientKey) : undefined;
  if (key !== undefined && !client.checkPrivateKey(key)) {
    problems
      .at('clientKey')
      .add(
        'EDGE_CONTRADICTION',
        'this is not the key of clientCertificate (value redacted)',
        'write the key with which that certificate was made',
      );
  }
}

/** Whether one of the CAs has signed it, or a certificate below it that one of them has signed, and so on. */
function isSigned(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  intermediates: readonly X509Certificate[],
): boolean {
  const signed = (issuer: X509Certificate): boolean =>
    certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  return (
    authorities.some(signed) ||
    intermediates.some(
      (issuer) =>
        signed(issuer) &&
        isSigned(
          issuer,
          authorities,
          intermediates.filter((other) => other !== issuer),
        ),
    )
  );
}

/**
 * Warnings about certificates of Cluster API that are past.
 *
 * @param now the time, in milliseconds since 1970
 */
export function expiredWarnings(clusterApi: EtcdClusterApi | undefined, now: number): EdgeWarning[] {
  const warnings = new ProblemList();
  for (const property of ['caCertificate', 'clientCertificate'] as const) {
    const [first] = certificatesOf(clusterApi?.[property]) ?? [];
    if (first !== undefined && Date.parse(first.validTo) <= now) {
      warnings
        .at('clusterApi', property)
        .add(
          'EDGE_VALUE',
          `it expired at ${new Date(first.validTo).toISOString()}, and etcd refuses every API server`,
          'write a certificate that is valid',
        );
    }
  }
  return [...warnings.problems];
}

/** The certificates in a text; undefined if there is none, or if one cannot be read. */
function certificatesOf(text: unknown): X509Certificate[] | undefined {
  const blocks =
    typeof text === 'string' ? text.match(/-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/g) : null;
  try {
    return blocks?.map((block) => new X509Certificate(block));
  } catch {
    return undefined;
  }
}

function keyOf(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}

const CLUSTER_API: PropertyTable<EtcdClusterApi> = {
  clusterName: checkEtcdName,
  caCertificate: optional(pemOf('CERTIFICATE')),
  clientCertificate: optional(pemOf('CERTIFICATE')),
  clientKey: optional(pemOf('PRIVATE KEY')),
};

/** PEM of one kind; the message never quotes it. */
function pemOf(kind: string): Check {
  return (text, problems) => {
    const isKey = typeof text === 'string' && text.includes('PRIVATE KEY-----');
    if (kind === 'CERTIFICATE' && isKey) {
      problems.add('EDGE_VALUE', 'this is a private key, not a certificate (value redacted)', 'write the certificate');
    } else {
      const isPem = typeof text === 'string' && text.includes('-----BEGIN ') && text.includes(`${kind}-----`);
      if (!isPem || (isPem && (kind === 'CERTIFICATE' ? certificatesOf(text) : keyOf(text)) === undefined)) {
        problems.add(
          'EDGE_VALUE',
          isPem ? 'this PEM cannot be read (value redacted)' : 'this is not PEM (value redacted)',
          `write the whole text with -----BEGIN ${kind}-----, without a passphrase`,
        );
      }
    }
  };
}
