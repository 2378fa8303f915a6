import { EdgeError, type EdgeWarning, ProblemList } from '../base/errors.js';
import { chosenRow } from './chosen-release.js';
import { parseEndpoint } from './api-server-endpoint.js';
import { isMap } from '../base/plain-data.js';
import { isQualifiedName } from '../kubernetes/label-syntax.js';
import { HOST_NETWORK_LABEL, type HostNetworkLabel, NODE_POOL_LABEL } from '../kubernetes/labels.js';
import { checkHostNetworkLabel } from './host-network-label.js';
import { checkObjectName } from '../kubernetes/names.js';
import { checkBoolean, quoted, showValue, whatIs } from '../base/properties.js';
import {
  checkedElsewhere,
  checkProperties,
  listOf,
  oneOf,
  optional,
  plain,
  type PropertyTable,
  refuseUnknown,
} from '../base/property-table.js';
import { holdsUnknown, isUnknown } from '../base/unknown.js';
import {
  KUBERNETES_MINORS,
  type KubernetesMinor,
  type KubernetesVersion,
  lookUpKubernetes,
} from './kubernetes-minors.js';
import {
  isClaimedPair,
  lookUpOpenYurt,
  OPENYURT_RELEASES,
  type OpenYurtRelease,
  type OpenYurtVersion,
} from './openyurt-releases.js';
import { inProgram } from '../base/program-language.js';

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
export function resolveReleases(props: EdgeClusterProps): ResolvedReleases {
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
