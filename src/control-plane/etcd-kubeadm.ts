import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { PlannedObject } from '../cluster/plan.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import type { PlainMap } from '../base/plain-data.js';
import { compute } from '../base/unknown.js';
import { clusterApiSecretNames, clusterLabel } from './etcd-certificates.js';
import type { EtcdClusterApi, EtcdMember } from './etcd-cluster-props.js';
import { clientUrls } from './etcd-config.js';

/** Paths on the machines of the control plane, those of kubeadm. */
const FILES = {
  caFile: '/etc/kubernetes/pki/etcd/ca.crt',
  certFile: '/etc/kubernetes/pki/apiserver-etcd-client.crt',
  keyFile: '/etc/kubernetes/pki/apiserver-etcd-client.key',
} as const;

/**
 * The ClusterConfiguration of kubeadm with this etcd, in the version of the cluster. Its `etcd` is also that of `clusterConfiguration` in a
 * KubeadmControlPlane of Cluster API. The API server balances over all members on its own.
 */
export function clusterConfiguration(cluster: EdgeCluster, members: readonly EtcdMember[]): PlainMap {
  return {
    apiVersion: `kubeadm.k8s.io/${cluster.kubeadmConfigVersion()}`,
    kind: 'ClusterConfiguration',
    etcd: { external: { endpoints: compute(members, clientUrls), ...FILES } },
  };
}

/** Flags of the API server, for control planes without kubeadm. */
export function apiServerFlags(members: readonly EtcdMember[]): readonly string[] {
  return [
    compute(members, (known) => `--etcd-servers=${clientUrls(known).join(',')}`),
    `--etcd-cafile=${FILES.caFile}`,
    `--etcd-certfile=${FILES.certFile}`,
    `--etcd-keyfile=${FILES.keyFile}`,
  ];
}

/** The Secrets of Cluster API, if the certificates are given. */
export function clusterApiSecrets(clusterApi: EtcdClusterApi | undefined, namespace: string): PlannedObject[] {
  if (clusterApi?.caCertificate === undefined) {
    return [];
  }
  const { clusterName, caCertificate, clientCertificate, clientKey } = clusterApi;
  const names = clusterApiSecretNames(clusterName);
  const secret = (id: string, name: string, stringData: Record<string, unknown>): PlannedObject => ({
    object: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, labels: { ...OWN_LABELS, ...clusterLabel(clusterName) } },
      // not that of Cluster API itself: a KubeadmControlPlane becomes the owner of those, and they are deleted with it (ensureCertificatesOwnerRef)
      type: 'Opaque',
      stringData,
    },
    apply: 'create',
    id,
  });
  return [
    // without its key, see clusterApiLines
    secret('etcd', names.ca, { 'tls.crt': caCertificate }),
    secret('apiserver-etcd-client', names.client, { 'tls.crt': clientCertificate, 'tls.key': clientKey }),
  ];
}
