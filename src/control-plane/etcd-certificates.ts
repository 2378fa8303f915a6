import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { PlannedObject } from '../cluster/plan.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { quoteForShell } from '../text/shell.js';
import { yamlOf, type YamlValue } from '../text/yaml-emitter.js';
import { compute, text } from '../validation/unknown.js';
import type { EtcdCertificates, EtcdClusterApi, EtcdMember } from './etcd-cluster-props.js';
import { ETCD_PKI } from './etcd-paths.js';

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

/** The configuration with which kubeadm makes the certificates of a member, up to the folder, which the script knows. */
function kubeadmDocument(input: EtcdCertificatesInput, member: EtcdMember): string {
  const { kubernetes, kubeadm, certificates, loadBalancer } = input;
  const { days = DEFAULT_DAYS } = certificates;
  const apiVersion = `kubeadm.k8s.io/${kubeadm}`;
  const names = ['localhost', '127.0.0.1', '::1'];
  const documents: YamlValue[] = [
    {
      apiVersion,
      kind: 'InitConfiguration',
      nodeRegistration: { name: member.name, criSocket: 'unix:///nonexistent.sock' },
      localAPIEndpoint: { advertiseAddress: member.address },
    },
    {
      apiVersion,
      kind: 'ClusterConfiguration',
      // without a version, kubeadm asks the internet for one
      kubernetesVersion: `v${kubernetes}.0`,
      ...(days === DEFAULT_DAYS ? {} : { certificateValidityPeriod: `${days * 24}h0m0s` }),
      etcd: {
        local: {
          serverCertSANs: loadBalancer === undefined ? names : [...names, loadBalancer],
          peerCertSANs: names,
        },
      },
    },
  ];
  return documents.map((document) => yamlOf(document)).join('---\n');
}

/**
 * The script that makes or fetches the certificates, on a computer with kubeadm or kubectl: a folder for each member, and the client certificate of the API
 * servers. The key of the CA leaves neither the computer nor the cluster.
 */
export function certificatesScript(input: EtcdCertificatesInput): string {
  const { name, members, certificates, clusterApi, namespace } = input;
  const isKubeadm = certificates.source === 'kubeadm';
  const quoted = quoteForShell;
  return `${[
    '#!/bin/sh',
    `# Certificates of the etcd cluster ${name}, by ${certificates.source}: sh certificates.sh [FOLDER]. It can be run again: what is there stays.`,
    'set -eu',
    'umask 077',
    `folder=\${1:-${name}-pki}`,
    'mkdir -p "$folder"',
    'folder=$(cd "$folder" && pwd)',
    ...(isKubeadm ? ['# of a run that was killed', 'rm -rf "$folder"/.work.*'] : []),
    ...(isKubeadm ? kubeadmLines() : certManagerLines(input)),
    ...members.map((member) =>
      `member ${quoted(member.name)} ${isKubeadm ? quoted(kubeadmDocument(input, member)) : ''}`.trimEnd(),
    ),
    'client',
    ...(clusterApi === undefined ? [] : clusterApiLines(clusterApi, namespace, isKubeadm)),
    `echo "Copy the files of $folder/<member> to ${ETCD_PKI} of that member, with their keys readable only by root;" >&2`,
    `echo "the files of $folder/apiserver are for the control plane.${isKubeadm ? ' Protect $folder/ca as you protect the cluster.' : ''}" >&2`,
  ].join('\n')}\n`;
}

function kubeadmLines(): string[] {
  return [
    '# kubeadm_phase PKI-FOLDER CONFIGURATION PHASE …',
    'kubeadm_phase() {',
    '  pki=$1 text=$2; shift 2',
    '  { printf \'%s\' "$text"; echo "certificatesDir: \\"$pki\\""; } > "$pki/kubeadm.yaml"',
    '  for phase in "$@"; do kubeadm init phase certs "$phase" --config "$pki/kubeadm.yaml" >/dev/null; done',
    '  rm -f "$pki/kubeadm.yaml"',
    '}',
    '# authority FOLDER: kubeadm signs with the CA that it finds',
    'authority() {',
    '  mkdir -p "$1/etcd"; cp "$folder/ca/ca.crt" "$folder/ca/ca.key" "$1/etcd/"',
    '}',
    '# done_as FOLDER NAME: all files of a folder appear at once',
    'done_as() {',
    '  rm -rf "${folder:?}/$2"; mv "$1" "$folder/$2"; rm -rf "$work"',
    '}',
    'member() {',
    '  configuration=$2',
    '  if [ ! -s "$folder/ca/ca.key" ]; then',
    '    # certificates of two CAs do not trust each other',
    '    for other in "$folder"/*/ca.crt; do',
    '      [ ! -e "$other" ] || { echo "$other is of a CA whose key is not in $folder/ca: put ca.crt and ca.key there" >&2; exit 1; }',
    '    done',
    '    work=$(mktemp -d "$folder/.work.XXXXXX")',
    '    kubeadm_phase "$work" "$configuration" etcd-ca',
    '    done_as "$work/etcd" ca',
    '  fi',
    '  [ ! -s "$folder/$1/server.key" ] || return 0',
    '  work=$(mktemp -d "$folder/.work.XXXXXX"); authority "$work"',
    '  kubeadm_phase "$work" "$configuration" etcd-server etcd-peer',
    '  rm -f "$work/etcd/ca.key"; done_as "$work/etcd" "$1"',
    '}',
    'client() {',
    '  [ ! -s "$folder/apiserver/apiserver-etcd-client.key" ] || return 0',
    '  work=$(mktemp -d "$folder/.work.XXXXXX"); authority "$work"',
    '  kubeadm_phase "$work" "$configuration" apiserver-etcd-client',
    '  rm -f "$work/etcd/ca.key"; mv "$work/apiserver-etcd-client.crt" "$work/apiserver-etcd-client.key" "$work/etcd/"; done_as "$work/etcd" apiserver',
    '}',
  ];
}

function certManagerLines({ name, namespace, clusterApi }: EtcdCertificatesInput): string[] {
  const namespaced = `-n ${quoteForShell(namespace)}`;
  return [
    '# fetch CERTIFICATE-AND-SECRET KEY FILE',
    'fetch() {',
    `  kubectl get secret ${namespaced} "$1" -o "go-template={{index .data \\"$2\\" | base64decode}}" > "$3.new" && [ -s "$3.new" ] && mv "$3.new" "$3"`,
    '}',
    'member() {',
    '  mkdir -p "$folder/$1"',
    '  for pair in server peer; do',
    `    secret=${quoteForShell(`${name}-etcd-`)}$1-$pair`,
    `    kubectl wait ${namespaced} --for=condition=Ready --timeout=120s "certificate/$secret" >/dev/null`,
    '    fetch "$secret" tls.crt "$folder/$1/$pair.crt"; fetch "$secret" tls.key "$folder/$1/$pair.key"; fetch "$secret" ca.crt "$folder/$1/ca.crt"',
    '  done',
    '}',
    'client() {',
    `  secret=${quoteForShell(clientSecret({ name, clusterApi }))}`,
    `  kubectl wait ${namespaced} --for=condition=Ready --timeout=120s "certificate/$secret" >/dev/null`,
    '  mkdir -p "$folder/apiserver"; fetch "$secret" ca.crt "$folder/apiserver/ca.crt"',
    '  for part in crt key; do fetch "$secret" "tls.$part" "$folder/apiserver/apiserver-etcd-client.$part"; done',
    '}',
  ];
}

/** The CA without its key: Cluster API writes every key that it finds into the user data of the control plane. */
function clusterApiLines(
  { clusterName, caCertificate }: EtcdClusterApi,
  namespace: string,
  isKubeadm: boolean,
): string[] {
  const { ca, client } = clusterApiSecretNames(clusterName);
  const label = Object.entries(clusterLabel(clusterName)).map(([key, value]) => `${key}=${value}`)[0] ?? '';
  const secret = (secretName: string, files: string): string[] => [
    `kubectl create secret generic -n ${quoteForShell(namespace)} ${quoteForShell(secretName)} ${files} --dry-run=client -o yaml | kubectl apply -f -`,
    `kubectl label secret -n ${quoteForShell(namespace)} ${quoteForShell(secretName)} --overwrite ${quoteForShell(label)}`,
  ];
  return caCertificate !== undefined
    ? []
    : [
        ...secret(ca, '--from-file=tls.crt="$folder/apiserver/ca.crt"'),
        ...(isKubeadm
          ? secret(
              client,
              '--from-file=tls.crt="$folder/apiserver/apiserver-etcd-client.crt" --from-file=tls.key="$folder/apiserver/apiserver-etcd-client.key"',
            )
          : []),
      ];
}
