import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { type EdgeClusterProps, resolveReleases } from './edge-cluster-props.js';
import { parseEndpoint } from './api-server-endpoint.js';
import { type HostNetworkLabel, NODE_POOL_LABEL, OPENYURT_HOST_NETWORK } from '../kubernetes/labels.js';
import { compute, holdsUnknown, isUnknown, UNKNOWN_FACTS, WITH_FACTS } from '../base/unknown.js';
import { whatIs } from '../base/properties.js';
import { refuseOutput } from '../base/property-table.js';
import type { OpenYurtWebhook } from './openyurt-webhook.js';
import { type AdmissionPolicySupport, type KubernetesMinor, lookUpKubernetes } from './kubernetes-minors.js';
import { type NodePoolField, type OpenYurtRelease } from './openyurt-releases.js';
import { inProgram } from '../base/program-language.js';

/** What identifies a cluster without a name, computed once for each: every pool asks for it. */
const identities = new WeakMap<EdgeCluster, string>();

/**
 * A cluster, described by its releases. It knows what its OpenYurt release and its Kubernetes minor support; every construct of this library takes one.
 * Immutable.
 *
 * @category Describe the cluster
 */
export class EdgeCluster {
  /**
   * Describes a cluster.
   *
   * @param props releases and addresses of the cluster
   * @throws {@link EdgeError} with EDGE_UNKNOWN_RELEASE, EDGE_NEWER_RELEASE, EDGE_UNSUPPORTED_RELEASE, EDGE_API_SERVER, EDGE_CA_CERT_HASH,
   * EDGE_LABEL, EDGE_NAME, EDGE_VALUE, EDGE_TYPE, EDGE_CONTRADICTION, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  public static of(props: EdgeClusterProps): EdgeCluster {
    return new EdgeCluster(props);
  }

  /** Properties with unknown values. @internal */
  public readonly [UNKNOWN_FACTS]: Readonly<Record<string, unknown>>;

  /** OpenYurt release as in the release table, `'1.7'`, or `'none'`. */
  public readonly openYurt: string;
  /** Kubernetes minor as in the release table, `'1.34'`. */
  public readonly kubernetes: string;
  /** The given OpenYurt version without leading `v`, or `'none'`. */
  public readonly openYurtVersion: string;
  /** The given Kubernetes version without leading `v`. */
  public readonly kubernetesVersion: string;
  /** Name of the cluster, or undefined. */
  public readonly name?: string;
  /** API server address that nodes reach, or undefined. */
  public readonly apiServer?: string;
  /** Hashes of the cluster CA's public key; empty if not given. */
  public readonly caCertHashes: readonly string[];
  /** Tool that created the control plane. */
  public readonly distribution: 'kubeadm' | 'other';
  /** Whether yurthub runs on the edge nodes; undefined if not given. */
  public readonly yurthub?: boolean;
  /** DNS domain of the cluster's Services. */
  public readonly clusterDomain: string;
  /** Node label that holds the pool's name. */
  public readonly nodePoolLabel: string;
  /** Label by which host-network nodes are known. */
  public readonly hostNetworkLabel: HostNetworkLabel;
  /** Whether excluded Pods have a label, and admission judges only Pods with it. */
  public readonly labelsExcludedPods: boolean;
  /** Warnings: a pair of releases that OpenYurt does not claim to support, a release treated as the newest known one. */
  public readonly warnings: readonly EdgeWarning[];

  private readonly openYurtRow?: OpenYurtRelease;
  private readonly kubernetesRow: KubernetesMinor;

  protected constructor(
    private readonly props: EdgeClusterProps,
    private readonly sameAs?: string,
  ) {
    const { openYurt, kubernetes, warnings } = resolveReleases(props);
    this.openYurtRow = openYurt;
    this.kubernetesRow = kubernetes;
    this.openYurt = openYurt?.release ?? 'none';
    this.kubernetes = this.kubernetesRow.minor;
    this.openYurtVersion = props.openYurt.replace(/^v/, '');
    this.kubernetesVersion = props.kubernetes.replace(/^v/, '');
    this.name = props.name;
    this.apiServer = props.apiServer;
    this.caCertHashes = Object.freeze(
      compute(
        props.caCertHashes ?? [],
        (hashes) => hashes.map((hash) => compute(hash, (text) => text.toLowerCase())),
        isUnknown(props.caCertHashes) && props.caCertHashes,
      ),
    );
    this.distribution = props.distribution ?? 'kubeadm';
    this.yurthub = props.yurthub ?? (openYurt === undefined ? false : undefined);
    this.clusterDomain = props.clusterDomain ?? 'cluster.local';
    this.nodePoolLabel = props.nodePoolLabel ?? NODE_POOL_LABEL;
    const { key, value } = props.hostNetworkLabel ?? OPENYURT_HOST_NETWORK;
    this.hostNetworkLabel = Object.freeze({ key, value });
    this.labelsExcludedPods = props.labelsExcludedPods ?? false;
    const hasNoYurthub: EdgeWarning[] =
      openYurt === undefined && props.yurthub === true
        ? [
            {
              code: 'EDGE_NO_OPENYURT',
              path: 'yurthub',
              message: 'yurthub is a part of OpenYurt, and the cluster has none',
              hint: 'write the release of OpenYurt, or leave yurthub out: with it nothing is said of Pods that do not reach the API server',
            },
          ]
        : [];
    this.warnings = Object.freeze([...warnings, ...hasNoYurthub]);
    this[UNKNOWN_FACTS] = Object.fromEntries(Object.entries(props).filter(([, value]) => holdsUnknown(value)));
    Object.freeze(this);
  }

  /** Whether OpenYurt is installed. */
  public hasOpenYurt(): boolean {
    return this.openYurtRow !== undefined;
  }

  /** The API version of NodePool manifests, for example `apps.openyurt.io/v1beta2`; undefined without OpenYurt. */
  public nodePoolApiVersion(): string | undefined {
    return this.openYurtRow === undefined ? undefined : `apps.openyurt.io/${this.openYurtRow.nodePoolVersion}`;
  }

  /**
   * Whether the NodePool of the release has a spec field.
   * @param field name of the field, for example `interConnectivity`
   */
  public hasNodePoolField(field: NodePoolField): boolean {
    return this.openYurtRow?.nodePoolFields.includes(field) ?? false;
  }

  /** Whether yurt-manager's Pod webhook reads the annotation `apps.openyurt.io/exclude-host-network-pool` (OpenYurt 1.5+). */
  public hasPodWebhook(): boolean {
    return this.openYurtRow?.podWebhook ?? false;
  }

  /** The admission webhooks in the chart of the release, in the order of the chart; none without OpenYurt. */
  public openYurtWebhooks(): readonly OpenYurtWebhook[] {
    return this.openYurtRow?.webhooks ?? [];
  }

  /** Whether yurthub turns every Pod in a host-network pool into a hostNetwork Pod (OpenYurt 1.4 only). */
  public hasHostNetworkFilter(): boolean {
    return this.openYurtRow?.hostNetworkFilter ?? false;
  }

  /**
   * Whether the API server serves ValidatingAdmissionPolicy in a version, without flags.
   * @param version API version
   */
  public hasValidatingAdmissionPolicy(version: 'v1alpha1' | 'v1beta1' | 'v1' = 'v1'): boolean {
    return servesByDefault(this.kubernetesRow.validatingAdmissionPolicy, version);
  }

  /**
   * Whether the API server serves MutatingAdmissionPolicy in a version, without flags.
   * @param version API version
   */
  public hasMutatingAdmissionPolicy(version: 'v1alpha1' | 'v1beta1' | 'v1' = 'v1'): boolean {
    return servesByDefault(this.kubernetesRow.mutatingAdmissionPolicy, version);
  }

  /** The version of `kubeadm.k8s.io` for configuration documents: `v1beta3` up to Kubernetes 1.30, `v1beta4` from 1.31 on. */
  public kubeadmConfigVersion(): 'v1beta3' | 'v1beta4' {
    return this.kubernetesRow.kubeadmConfigVersion;
  }

  /**
   * Whether a version belongs to the cluster's Kubernetes minor.
   * @param version for example `1.34.2`
   */
  public isOfMinor(version: string): boolean {
    const found = lookUpKubernetes(version);
    return found.kind === 'known' && found.row.minor === this.kubernetes;
  }

  /** Host and port of the API server; undefined if not given. */
  public apiServerEndpoint(): { readonly host: string; readonly port: number } | undefined {
    return this.apiServer === undefined ? undefined : compute(this.apiServer, parseEndpoint);
  }

  /** The same cluster with known values for the unknown ones. @internal */
  public [WITH_FACTS](facts: Readonly<Record<string, unknown>>): EdgeCluster {
    return new EdgeCluster({ ...this.props, ...facts }, this.identity());
  }

  /** Identity of the cluster: its name, or all its properties. Two descriptions of one cluster have the same identity. @internal */
  public identity(): string {
    const known = this.sameAs ?? this.name ?? identities.get(this);
    if (known !== undefined) {
      return known;
    }
    const labels = [this.nodePoolLabel, this.hostNetworkLabel];
    const addresses = [this.apiServer, this.caCertHashes, this.clusterDomain, labels];
    const versions = [this.openYurtVersion, this.kubernetesVersion, this.distribution, this.yurthub];
    const identity = JSON.stringify([versions, addresses]);
    identities.set(this, identity);
    return identity;
  }

  /** `OpenYurt 1.7 on Kubernetes 1.34`: for messages and reports. */
  public toString(): string {
    return this.openYurtRow === undefined
      ? `Kubernetes ${this.kubernetes} without OpenYurt`
      : `OpenYurt ${this.openYurt} on Kubernetes ${this.kubernetes}`;
  }
}

function servesByDefault(support: AdmissionPolicySupport | undefined, version: string): boolean {
  return support !== undefined && support.version === version && support.byDefault;
}

/** Checks that a value is an EdgeCluster. */
export function checkCluster(cluster: unknown, problems: ProblemList): boolean {
  const isCluster = cluster instanceof EdgeCluster;
  if (!isCluster && !refuseOutput(cluster, problems)) {
    problems.add(
      'EDGE_MISSING',
      cluster === undefined || cluster === null
        ? 'a cluster is required'
        : `a cluster is required, and this is ${whatIs(cluster)}`,
      `write cluster: ${inProgram("EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' })", "{ openYurt: '1.7', kubernetes: '1.34' }")}`,
    );
  }
  return isCluster;
}
