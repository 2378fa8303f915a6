import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { PlannedObject } from '../cluster/plan.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { shellScript } from '../base/shell-script.js';
import { compute, text } from '../base/unknown.js';
import type { EtcdCertificates, EtcdClusterApi, EtcdMember } from './etcd-cluster-props.js';
import { shell } from './shell-parts.js';

/** As long as kubeadm's. */
export const DEFAULT_DAYS = 365;

/** What makes certificates. */
export interface EtcdCertificatesInput {
  readonly name: string;
  readonly members: readonly EtcdMember[];
  readonly certificates: EtcdCertificates;
  readonly loadBalancer?: string;
  readonly namespace: string;
  readonly clusterApi?: EtcdClusterApi;
  /** Of the cluster, for kubeadm. */
  readonly kubernetes: string;
  readonly kubeadm: ReturnType<EdgeCluster['kubeadmConfigVersion']>;
}

const isAddress = (host: string): boolean => /^[\d.]+$|:/.test(host);

/** Names of the Secrets of Cluster API for an etcd that it does not manage (util/secret of Cluster API). */
export function clusterApiSecretNames(clusterName: string): { readonly ca: string; readonly client: string } {
  return { ca: text`${clusterName}-etcd`, client: text`${clusterName}-apiserver-etcd-client` };
}

/** The label with which Cluster API finds the Secrets of a Cluster. */
export function clusterLabel(clusterName: string): Readonly<Record<string, string>> {
  return { 'cluster.x-k8s.io/cluster-name': clusterName };
}

/** Name of the Secret with the certificate of the API servers. */
function clientSecret({ name, clusterApi }: Pick<EtcdCertificatesInput, 'name' | 'clusterApi'>): string {
  return clusterApi === undefined
    ? text`${name}-apiserver-etcd-client`
    : clusterApiSecretNames(clusterApi.clusterName).client;
}

/** The objects of cert-manager: a CA of its own unless an issuer is given, and a Certificate for each pair. */
export function certManagerObjects(input: EtcdCertificatesInput): PlannedObject[] {
  const { name, members, certificates, loadBalancer, namespace, clusterApi } = input;
  const { issuer, days = DEFAULT_DAYS } = certificates;
  const made = (kind: string, id: string, objectName: string, spec: Record<string, unknown>): PlannedObject => ({
    object: {
      apiVersion: 'cert-manager.io/v1',
      kind,
      metadata: { name: objectName, namespace, labels: { ...OWN_LABELS } },
      spec,
    } satisfies KubernetesObject,
    apply: 'create',
    id,
  });
  const root = text`${name}-etcd-root`;
  const ca = text`${name}-etcd-ca`;
  const privateKey = { algorithm: 'ECDSA', size: 256 };
  const issuerNamed = (issuerName: string, kind = 'Issuer'): object => ({
    name: issuerName,
    kind,
    group: 'cert-manager.io',
  });
  const authority =
    issuer === undefined
      ? [
          made('Issuer', 'root', root, { selfSigned: {} }),
          made('Certificate', 'ca', ca, {
            isCA: true,
            commonName: ca,
            secretName: ca,
            // ten years: a renewed CA is trusted only by who gets its new certificate
            duration: '87600h',
            // from 1.18 on cert-manager makes a new key at each renewal, and then members with older certificates are no longer trusted
            privateKey: { ...privateKey, rotationPolicy: 'Never' },
            issuerRef: issuerNamed(root),
          }),
          made('Issuer', 'ca', ca, { ca: { secretName: ca } }),
        ]
      : [];
  const certificate = (id: string, secretName: string, fields: Record<string, unknown>): PlannedObject =>
    made('Certificate', id, secretName, {
      secretName,
      duration: compute(days, (known) => `${known * 24}h`),
      privateKey,
      ...fields,
      issuerRef: issuerNamed(issuer?.name ?? ca, issuer?.kind),
    });
  return [
    ...authority,
    ...members.flatMap((member) =>
      (['server', 'peer'] as const).map((pair) => {
        const hosts = compute({ member, loadBalancer: pair === 'server' ? loadBalancer : undefined }, hostsOf);
        return certificate(`${member.name}-${pair}`, text`${name}-etcd-${member.name}-${pair}`, {
          commonName: member.name,
          // both: a member is a client of the others
          usages: ['digital signature', 'server auth', 'client auth'],
          dnsNames: compute(hosts, (known) => known.names),
          ipAddresses: compute(hosts, (known) => known.addresses),
        });
      }),
    ),
    certificate('apiserver', clientSecret(input), {
      commonName: 'kube-apiserver-etcd-client',
      usages: ['digital signature', 'client auth'],
      ...(clusterApi === undefined ? {} : { secretTemplate: { labels: clusterLabel(clusterApi.clusterName) } }),
    }),
  ];
}

/** The names and addresses in a certificate, those of kubeadm. */
function hostsOf({ member, loadBalancer }: { readonly member: EtcdMember; readonly loadBalancer?: string }): {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
} {
  const all = [
    member.name,
    'localhost',
    member.address,
    '127.0.0.1',
    '::1',
    ...(loadBalancer === undefined ? [] : [loadBalancer]),
  ];
  return { names: all.filter((host) => !isAddress(host)), addresses: all.filter(isAddress) };
}

/**
 * The script that makes or fetches the certificates, on a computer with kubeadm or kubectl: a folder for each member, and the client certificate of the API
 * servers. The key of the CA leaves neither the computer nor the cluster.
 */
export function certificatesScript(input: EtcdCertificatesInput): string {
  const { name, members, certificates, clusterApi, namespace, kubernetes, kubeadm, loadBalancer = '' } = input;
  const { source, days = DEFAULT_DAYS } = certificates;
  const isKubeadm = source === 'kubeadm';
  const secrets = clusterApi?.caCertificate === undefined ? clusterApi : undefined;
  return shellScript({
    comments: [
      `Certificates of the etcd cluster ${name}, by ${source}: sh certificates.sh [FOLDER]. It can be run again: it keeps existing files.`,
    ],
    variables: {
      cluster: name,
      members: members.map((member) => `${member.name}=${member.address}`),
      ...(isKubeadm
        ? {
            kubernetes,
            kubeadm_version: kubeadm,
            load_balancer: loadBalancer,
            days: days === DEFAULT_DAYS ? '' : days,
          }
        : { client_secret: clientSecret(input) }),
      namespace: isKubeadm && secrets === undefined ? undefined : namespace,
      cluster_api_ca: secrets === undefined ? '' : clusterApiSecretNames(secrets.clusterName).ca,
      ...(secrets === undefined
        ? {}
        : {
            cluster_api_client: isKubeadm ? clusterApiSecretNames(secrets.clusterName).client : '',
            cluster_api_label: Object.entries(clusterLabel(secrets.clusterName)).map((entry) => entry.join('='))[0],
          }),
    },
    parts: [
      shell(isKubeadm ? 'etcd-certificates-kubeadm' : 'etcd-certificates-cert-manager'),
      ...(secrets === undefined ? [] : [shell('etcd-certificates-cluster-api')]),
      shell('etcd-certificates'),
    ],
  });
}
