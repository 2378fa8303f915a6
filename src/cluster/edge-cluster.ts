import { EdgeError, type EdgeWarning, ProblemList } from '../base/errors.js';
import { parseEndpoint } from './api-server-endpoint.js';
import {
  HOST_NETWORK_LABEL,
  type HostNetworkLabel,
  NODE_POOL_LABEL,
  OPENYURT_HOST_NETWORK,
} from '../kubernetes/labels.js';
import { UNKNOWN_FACTS, WITH_FACTS, compute, holdsUnknown, isUnknown } from '../base/unknown.js';
import { checkBoolean, quoted, showValue, whatIs } from '../base/properties.js';
import {
  type PropertyTable,
  checkProperties,
  checkedElsewhere,
  listOf,
  oneOf,
  optional,
  plain,
  refuseOutput,
  refuseUnknown,
} from '../base/property-table.js';
import type { OpenYurtWebhook } from './openyurt-webhook.js';
import {
  type AdmissionPolicySupport,
  KUBERNETES_MINORS,
  type KubernetesMinor,
  type KubernetesVersion,
  lookUpKubernetes,
} from './kubernetes-minors.js';
import {
  type NodePoolField,
  OPENYURT_RELEASES,
  type OpenYurtRelease,
  type OpenYurtVersion,
  isClaimedPair,
  lookUpOpenYurt,
} from './openyurt-releases.js';
import { inProgram } from '../base/program-language.js';
import { isMap } from '../base/plain-data.js';
import { isQualifiedName } from '../kubernetes/label-syntax.js';
import { checkHostNetworkLabel } from './host-network-label.js';
import { checkObjectName } from '../kubernetes/names.js';
import type { Lookup } from './version-lookup.js';

/**
 * Properties of a cluster, for {@link EdgeCluster.of}.
 *
 * @category Describe the cluster
 */
export interface EdgeClusterProps {
  /** OpenYurt release of the cluster (patch releases and a leading `v` are fine), or `'none'` for plain Kubernetes. */
  readonly openYurt: OpenYurtVersion;
  /** Kubernetes minor of the control plane (patch releases, vendor suffixes and a leading `v` are fine). */
  readonly kubernetes: KubernetesVersion;
  /** Name of the cluster. It distinguishes two clusters of one program whose other properties are equal.
   * @default - a cluster is identified by all its properties */
  readonly name?: string;
  /** Treat a release newer than the table as the newest known one, with a warning, instead of refusing it.
   * @default false */
  readonly allowNewer?: boolean;
  /** Address at which nodes reach the API server, `host:port`, without scheme.
   * @default - none; an error where it is required */
  readonly apiServer?: string;
  /** Hashes of the cluster CA's public key, `sha256:` and 64 hex digits (`kubeadm token create --print-join-command` prints one).
   * @default - none; an error where they are required */
  readonly caCertHashes?: string[];
  /** Tool that created the control plane. Only `kubeadm` reads kubeadm patch files.
   * @default kubeadm */
  readonly distribution?: 'kubeadm' | 'other';
  /** Whether yurthub runs on the edge nodes. It lets in-cluster clients reach the API server without kube-proxy (filters `masterservice`, `serviceenvupdater`).
   * @default - unknown with OpenYurt; false with `openYurt: 'none'` */
  readonly yurthub?: boolean;
  /** DNS domain of the cluster's Services.
   * @default cluster.local */
  readonly clusterDomain?: string;
  /** Node label with the pool's name, for OpenYurt builds with another `NODEPOOL_LABEL_KEY`.
   * @default apps.openyurt.io/nodepool */
  readonly nodePoolLabel?: string;
  /** Label by which host-network nodes are known, for a fleet that marks its nodes already: KubeEdge (`node-role.kubernetes.io/edge`, with the value `''`), EKS
   * hybrid nodes (`eks.amazonaws.com/compute-type`: `hybrid`), virtual-kubelet (`type`: `virtual-kubelet`). Only with `openYurt: 'none'`.
   * @default - the label that OpenYurt sets, `nodepool.openyurt.io/hostnetwork`: `"true"` */
  readonly hostNetworkLabel?: HostNetworkLabel;
  /** Whether excluded workloads get the label `edge-nodepools/excluded: "true"` in their Pod templates, and {@link PoolAdmission} judges only Pods with this
   * label. All other Pods cost nothing, but are not excluded by their annotation or `nodeName` (docs/admission.md).
   * @default false */
  readonly labelsExcludedPods?: boolean;
}

const CA_CERT_HASH = /^sha256:[0-9a-f]{64}$/i;
/** SHA-256 of nothing: what `openssl dgst` prints when the CA before the pipe is empty. */
const HASH_OF_NOTHING = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The releases of a cluster, from the release table. */
interface ResolvedReleases {
  readonly openYurt?: OpenYurtRelease;
  readonly kubernetes: KubernetesMinor;
  readonly warnings: EdgeWarning[];
}

/** The properties of a cluster. Those that determine which resources exist must be plain, the others may be Outputs. */
const PROPERTIES: PropertyTable<EdgeClusterProps> = {
  openYurt: plain(checkedElsewhere),
  kubernetes: plain(checkedElsewhere),
  name: plain(optional(checkObjectName)),
  allowNewer: plain(checkBoolean),
  apiServer: optional(checkApiServer),
  caCertHashes: listOf(checkCaCertHash, "write ['sha256:…']", 'caCertHashes must be a list'),
  distribution: plain(oneOf('kubeadm', 'other')),
  yurthub: checkBoolean,
  clusterDomain: optional(checkClusterDomain),
  nodePoolLabel: plain(optional(checkNodePoolLabel)),
  hostNetworkLabel: plain(checkHostNetworkLabel),
  labelsExcludedPods: plain(checkBoolean),
};

/** Checks all properties of a cluster, and looks up its releases. */
function resolveReleases(props: EdgeClusterProps): ResolvedReleases {
  const unknown = isMap(props) ? Object.keys(props).filter((name) => holdsUnknown(props[name])) : [];
  const problems = new ProblemList('', [], unknown);
  const warnings: EdgeWarning[] = [];
  if (isUnknown(props)) {
    refuseUnknown(problems);
  } else if (!isMap(props)) {
    problems.add(
      'EDGE_MISSING',
      'openYurt and kubernetes are required',
      `write ${inProgram("EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' })", "{ openYurt: '1.7', kubernetes: '1.34' }")}`,
    );
  } else {
    checkInstances(props, problems);
  }
  problems.throwIfAny(inProgram('EdgeCluster', 'cluster'));
  checkProperties(props, PROPERTIES, problems);
  checkOwnLabel(props, problems.at('hostNetworkLabel'));
  // one problem is enough if it is refused as an Output
  const allowNewer = props.allowNewer === true || isUnknown(props.allowNewer);
  const openYurt =
    props.openYurt === 'none'
      ? undefined
      : chosenRow(
          'openYurt',
          'OpenYurt',
          props.openYurt,
          lookUpOpenYurt,
          knownOpenYurt(),
          allowNewer,
          problems,
          warnings,
        );
  const kubernetes = chosenRow(
    'kubernetes',
    'Kubernetes',
    props.kubernetes,
    lookUpKubernetes,
    KUBERNETES_MINORS.map((row) => row.minor),
    allowNewer,
    problems,
    warnings,
  );
  if (problems.problems.length > 0 && areSwapped(props)) {
    const hint = `openYurt and kubernetes are swapped: write openYurt: '${props.kubernetes}', kubernetes: '${props.openYurt}'`;
    const shown = problems.problems.map((problem) =>
      VERSIONS.includes(problem.path) ? { ...problem, hint } : problem,
    );
    throw new EdgeError('EdgeCluster', shown);
  }
  problems.throwIfAny(inProgram('EdgeCluster', 'cluster'));

  if (openYurt !== undefined && kubernetes !== undefined && !isClaimedPair(openYurt, kubernetes)) {
    warnings.push({
      code: 'EDGE_UNCLAIMED_PAIR',
      path: 'kubernetes',
      message: `${claimOf(openYurt)}, not ${kubernetes.minor}`,
      hint: 'try it before you rely on it, or take an OpenYurt release that claims this minor',
    });
  }
  return { openYurt, kubernetes: kubernetes as KubernetesMinor, warnings };
}

const VERSIONS = ['openYurt', 'kubernetes'];

/** Whether each of the two versions is one of the other product. */
function areSwapped({ openYurt, kubernetes }: { readonly openYurt?: unknown; readonly kubernetes?: unknown }): boolean {
  return (
    typeof openYurt === 'string' &&
    typeof kubernetes === 'string' &&
    lookUpKubernetes(openYurt).kind === 'known' &&
    (kubernetes === 'none' || lookUpOpenYurt(kubernetes).kind === 'known')
  );
}

function claimOf({ release, claimedKubernetes, testedKubernetes }: OpenYurtRelease): string {
  const tests = testedKubernetes === claimedKubernetes ? '' : ` and tests up to ${testedKubernetes}`;
  return `OpenYurt ${release} claims Kubernetes up to ${claimedKubernetes}${tests}`;
}

function knownOpenYurt(): string[] {
  return [...OPENYURT_RELEASES.map((row) => row.release), 'none'];
}

/** Refuses instances before any message quotes them: an Output cannot be printed. */
function checkInstances(props: object, problems: ProblemList): void {
  for (const [name, value] of Object.entries(props) as [string, unknown][]) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && !isMap(value) && !isUnknown(value)) {
      problems
        .at(name)
        .add(
          'EDGE_TYPE',
          `this is ${whatIs(value)}, not plain data`,
          'write the value itself; in a Pulumi program import EdgeCluster from edge-nodepools/pulumi, which accepts Outputs',
        );
    }
  }
}

function checkApiServer(apiServer: unknown, problems: ProblemList): void {
  if (typeof apiServer === 'string' && parseEndpoint(apiServer) !== undefined) {
    return;
  }
  const [bare = ''] = showValue(apiServer)
    .replace(/^[a-z]+:\/\//i, '')
    .split('/', 1);
  problems.add(
    'EDGE_API_SERVER',
    `${quoted(apiServer)} is not host:port`,
    `write '${parseEndpoint(bare) === undefined ? '10.0.0.1:6443' : bare}' (no scheme, no path; IPv6 in brackets)`,
  );
}

function checkCaCertHash(hash: unknown, problems: ProblemList): void {
  if (typeof hash !== 'string' || !CA_CERT_HASH.test(hash)) {
    problems.add(
      'EDGE_CA_CERT_HASH',
      `${quoted(hash)} is not the hash of a CA key`,
      "write 'sha256:' and 64 hex digits, as 'kubeadm token create --print-join-command' prints it",
    );
  } else if (hash.toLowerCase() === HASH_OF_NOTHING) {
    problems.add(
      'EDGE_CA_CERT_HASH',
      'this is the hash of nothing: the file or the command with the CA was empty',
      "write the hash of the CA of the cluster, as 'kubeadm token create --print-join-command' prints it",
    );
  }
}

function checkClusterDomain(domain: unknown, problems: ProblemList): void {
  if (typeof domain !== 'string' || !/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(domain)) {
    problems.add('EDGE_NAME', `${quoted(domain)} is not a DNS domain`, "write 'cluster.local'");
  }
}

/** OpenYurt's controllers, webhooks and yurthub read and write only its own label (pkg/apis/apps/well_known_labels_annotations.go, v1.4 to v1.7). */
function checkOwnLabel({ openYurt, hostNetworkLabel, nodePoolLabel }: EdgeClusterProps, problems: ProblemList): void {
  if (!isMap(hostNetworkLabel)) {
    return;
  }
  if (openYurt !== undefined && openYurt !== 'none') {
    problems.add(
      'EDGE_CONTRADICTION',
      `OpenYurt sets its own label ${HOST_NETWORK_LABEL} on the nodes of host-network pools, and reads no other`,
      "leave it out; or write openYurt: 'none' if OpenYurt is not installed",
    );
  }
  if (hostNetworkLabel.key === (nodePoolLabel ?? NODE_POOL_LABEL)) {
    problems
      .at('key')
      .add('EDGE_CONTRADICTION', 'this label has the name of the pool', 'name two different labels for pool and mode');
  }
}

function checkNodePoolLabel(label: unknown, problems: ProblemList): void {
  if (typeof label !== 'string' || !isQualifiedName(label) || label === HOST_NETWORK_LABEL) {
    problems.add('EDGE_LABEL', `${quoted(label)} is not a label key`, `write '${NODE_POOL_LABEL}', or leave it out`);
  }
}

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

/** The row of a release in its table; undefined, with a problem, if there is none. */
function chosenRow<Row extends { release?: string; minor?: string }>(
  property: string,
  product: string,
  version: unknown,
  lookUp: (version: string) => Lookup<Row>,
  known: string[],
  allowNewer: boolean,
  problems: ProblemList,
  warnings: EdgeWarning[],
): Row | undefined {
  const at = problems.at(property);
  const list = known.map((name) => `'${name}'`).join(', ');
  if (version === undefined || version === null || version === '') {
    at.add('EDGE_MISSING', `the ${product} version of the cluster is required`, `write ${property}: one of ${list}`);
    return undefined;
  }
  if (typeof version !== 'string') {
    at.add(
      'EDGE_TYPE',
      `a version is text, this is ${whatIs(version)}${typeof version === 'number' ? ' (as a number, 1.30 would be 1.3)' : ''}`,
      version === false && known.includes('none')
        ? `write ${property}: 'none' for a cluster without ${product}`
        : `write ${property}: '${meantBy(version, known)}' in quotes`,
    );
    return undefined;
  }
  const found = lookUp(version);
  switch (found.kind) {
    case 'known':
      if (found.preRelease) {
        warnings.push(
          assumed(property, `${product} ${version} is a pre-release; it is treated as ${nameOfRow(found.row)}`),
        );
      }
      return found.row;
    case 'newer':
      if (allowNewer) {
        warnings.push(
          assumed(
            property,
            `${product} ${version} is newer than the table; it is treated as ${nameOfRow(found.newest)}`,
          ),
        );
        return found.newest;
      }
      at.add(
        'EDGE_NEWER_RELEASE',
        `${product} ${version} is newer than this library knows (known: ${list})`,
        instead(property, version, nameOfRow(found.newest)),
      );
      return undefined;
    case 'refused':
      at.add(
        'EDGE_UNSUPPORTED_RELEASE',
        `${product} ${version} is not supported: ${found.reason}`,
        `write one of ${list}`,
      );
      return undefined;
    default:
      at.add(
        'EDGE_UNKNOWN_RELEASE',
        `${quoted(version)} is not a known ${product} release`,
        `write one of ${list} (patch releases such as '${known[0]}.1' are fine)`,
      );
      return undefined;
  }
}

/** The version that a number was probably meant to be: 1.30 is the number 1.3. */
function meantBy(version: unknown, known: readonly string[]): string {
  const written = String(version);
  const candidates =
    typeof version === 'number' ? [written, `${written}0`, `${written.slice(0, 1)}.${written.slice(1)}`] : [];
  const newest = known.filter((name) => /^\d/.test(name)).at(-1) ?? '';
  return candidates.find((name) => known.includes(name)) ?? newest;
}

function nameOfRow(row: { release?: string; minor?: string }): string {
  return row.release ?? row.minor ?? '';
}

function assumed(path: string, message: string): EdgeWarning {
  return {
    code: 'EDGE_ASSUMED_NEWEST',
    path,
    message,
    hint: 'check the manifests against a test cluster of that version',
  };
}

/** What to do about a release that is newer than the table. */
function instead(property: string, version: string, newest: string): string {
  return property === 'openYurt' && lookUpKubernetes(version).kind === 'known'
    ? `${version} is a minor of Kubernetes: write openYurt: '${newest}', kubernetes: '${version}'`
    : `update edge-nodepools, or write allowNewer: true to treat it as ${newest}`;
}
