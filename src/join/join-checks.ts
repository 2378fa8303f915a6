import { type EdgeWarning, ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { convertsNodes, flagThatStopsYurtadm } from '../cluster/openyurt-capabilities.js';
import { kubeletFlagRemovedIn } from '../cluster/kubelet-capabilities.js';
import { isMap } from '../validation/plain-data.js';
import { checkNamespace } from '../kubernetes/names.js';
import { checkKnownProperties, checkOneOf, checkWholeNumber, showValue } from '../validation/properties.js';
import { GO_DURATION } from '../reservation/reservation-props.js';
import type { JoinPool, JoinVia, NodeJoinInput } from './join-props.js';
import { isAbsolutePath, JoinToken } from './join-token.js';
import { checkNodePackages } from './package-installation.js';
import { checkProvider } from './size-limits.js';
import { checkWords } from './node-checks.js';

const VIAS: readonly JoinVia[] = ['kubeadm', 'label-driven', 'yurtadm'];

/** How the node joins when nothing is said. */
export function viaOf({ via, pool }: Pick<NodeJoinInput, 'via' | 'pool'>): JoinVia {
  return via ?? (isConverted(pool) ? 'label-driven' : 'kubeadm');
}

/** Whether yurt-manager makes an edge node of every member: of an Edge pool, from OpenYurt 1.7 on. */
function isConverted({ cluster, type }: JoinPool): boolean {
  return convertsNodes(cluster) && type !== 'Cloud';
}

/** Checks what the join itself is told: token, way, discovery. */
export function checkJoin(input: NodeJoinInput, problems: ProblemList): void {
  const { cluster } = input.pool;
  checkToken(input.token, problems.at('token'));
  checkOneOf(input.via, VIAS, problems.at('via'));
  checkVia(viaOf(input), input.pool, problems.at('via'));
  checkDiscovery(input, cluster, problems);
  checkTimeouts(input.timeouts, cluster, problems.at('timeouts'));
  checkCount(input.attempts, 1, 100, problems.at('attempts'));
  checkCount(input.secondsBetweenAttempts, 0, 3600, problems.at('secondsBetweenAttempts'));
  checkNodePackages(input.packages, cluster, problems.at('packages'));
  checkProxy(input.proxy, problems.at('proxy'));
  checkYurtadm(input, problems.at('yurtadm'));
  checkProvider(input.provider, problems.at('provider'));
}

function checkCount(count: unknown, minimum: number, maximum: number, problems: ProblemList): void {
  checkWholeNumber(count, minimum, problems);
  if (typeof count === 'number' && Number.isInteger(count) && count > maximum) {
    problems.add(
      'EDGE_VALUE',
      `${count} is more than ${maximum}`,
      `write ${maximum} or less; the next boot tries again`,
    );
  }
}

function checkToken(token: unknown, problems: ProblemList): void {
  if (token === undefined) {
    problems.add(
      'EDGE_MISSING',
      'where the node finds its token is not said',
      "write JoinToken.fromFile('/run/edge/join-token'), fromCommand(…), fromSecret(…), or inline(…)",
    );
  } else if (!(token instanceof JoinToken)) {
    problems.add(
      'EDGE_TYPE',
      'this is not a JoinToken (what it is is not shown)',
      "write JoinToken.fromFile('/run/edge/join-token'); JoinToken.inline(…) puts the token itself into the files",
    );
  }
}

function checkVia(via: JoinVia, pool: JoinPool, problems: ProblemList): void {
  const { cluster } = pool;
  if (via === 'label-driven' && convertsNodes(cluster) && !isConverted(pool)) {
    problems.add(
      'EDGE_JOIN',
      'OpenYurt converts the nodes of an Edge pool, and this is a Cloud pool',
      "write via: 'kubeadm'",
    );
  }
  if (via === 'label-driven' && !convertsNodes(cluster)) {
    problems.add(
      'EDGE_JOIN',
      `${cluster.toString()} has no controller that converts a node by its label (OpenYurt 1.7 has one)`,
      cluster.hasOpenYurt() ? "write via: 'yurtadm', or 'kubeadm' for a node without yurthub" : "write via: 'kubeadm'",
    );
  }
  if (via === 'yurtadm') {
    const flag = flagThatStopsYurtadm(cluster);
    if (!cluster.hasOpenYurt()) {
      problems.add('EDGE_JOIN', 'yurtadm joins nodes to OpenYurt, and there is none', "write via: 'kubeadm'");
    } else if (flag !== undefined) {
      problems.add(
        'EDGE_JOIN',
        `yurtadm ${cluster.openYurt} gives kubelet the flag ${flag}, which kubelet has no more since ${kubeletFlagRemovedIn(cluster, flag)}: that of Kubernetes ${cluster.kubernetes} would not start`,
        convertsNodes(cluster) ? "write via: 'label-driven'" : "write via: 'kubeadm', or take an older Kubernetes",
      );
    }
  }
}

function checkDiscovery(input: NodeJoinInput, cluster: EdgeCluster, problems: ProblemList): void {
  const file: unknown = input.discoveryFile;
  if (file !== undefined) {
    const isAddress = typeof file === 'string' && /^https:\/\/[A-Za-z0-9.:[\]-]+(\/[\w.~%/-]*)?$/.test(file);
    if (!isAbsolutePath(file) && !isAddress) {
      problems
        .at('discoveryFile')
        .add(
          'EDGE_VALUE',
          `${showValue(file)} is neither an absolute path nor an https address`,
          "write '/etc/kubernetes/discovery.conf'",
        );
    }
    if (input.via === 'yurtadm') {
      problems.at('discoveryFile').add('EDGE_JOIN', 'yurtadm discovers by token only', 'remove it');
    }
    return;
  }
  if (cluster.apiServer === undefined) {
    problems
      .at('pool', 'cluster', 'apiServer')
      .add(
        'EDGE_API_SERVER',
        'the cluster does not say where nodes reach its API server',
        "write EdgeCluster.of({ …, apiServer: '10.0.0.1:6443' }), or discoveryFile here",
      );
  }
  if (cluster.caCertHashes.length === 0) {
    problems
      .at('pool', 'cluster', 'caCertHashes')
      .add(
        'EDGE_CA_CERT_HASH',
        'the cluster does not say by which hash its CA is known: a node would join whoever answers',
        "write EdgeCluster.of({ …, caCertHashes: ['sha256:…'] }) ('kubeadm token create --print-join-command' prints it), or discoveryFile here",
      );
  }
}

function checkTimeouts(timeouts: unknown, cluster: EdgeCluster, problems: ProblemList): void {
  if (timeouts === undefined) {
    return;
  }
  if (!isMap(timeouts)) {
    problems.add('EDGE_TYPE', 'timeouts must be a map', "write { discovery: '2m' }");
    return;
  }
  const known = ['discovery', 'tlsBootstrap', 'kubeletHealthCheck', 'kubernetesAPICall'];
  checkKnownProperties(timeouts, known, problems);
  for (const name of known) {
    const value = timeouts[name];
    if (value === undefined) {
      continue;
    }
    if (typeof value !== 'string' || !GO_DURATION.test(value)) {
      problems.at(name).add('EDGE_VALUE', `${showValue(value)} is not a duration`, "write '30s' or '5m0s', in quotes");
    } else if (name !== 'discovery' && cluster.kubeadmConfigVersion() === 'v1beta3') {
      problems
        .at(name)
        .add(
          'EDGE_JOIN',
          `the kubeadm of Kubernetes ${cluster.kubernetes} has only a discovery time-out`,
          'write discovery',
        );
    }
  }
}

function checkProxy(proxy: unknown, problems: ProblemList): void {
  if (proxy === undefined) {
    return;
  }
  if (!isMap(proxy)) {
    problems.add('EDGE_TYPE', 'proxy must be a map', "write { httpsProxy: 'http://proxy.example:3128' }");
    return;
  }
  checkKnownProperties(proxy, ['httpProxy', 'httpsProxy', 'noProxy'], problems);
  for (const name of ['httpProxy', 'httpsProxy']) {
    const value = proxy[name];
    if (value !== undefined && (typeof value !== 'string' || !/^https?:\/\/[A-Za-z0-9._~:@/%[\]-]+$/.test(value))) {
      // not shown: an address of a proxy may hold a password
      problems.at(name).add('EDGE_VALUE', 'this is not the address of a proxy', "write 'http://proxy.example:3128'");
    }
  }
  checkWords(proxy.noProxy, /^[A-Za-z0-9.:/*_-]+$/, "['10.0.0.0/8', '.example']", problems.at('noProxy'));
}

function checkYurtadm({ yurtadm, via, pool }: NodeJoinInput, problems: ProblemList): void {
  const settings: unknown = yurtadm;
  if (settings === undefined) {
    return;
  }
  if (!isMap(settings)) {
    problems.add('EDGE_TYPE', 'yurtadm must be a map', "write { membership: 'node-labels' }");
    return;
  }
  if (via !== 'yurtadm') {
    problems.add(
      'EDGE_CONTRADICTION',
      'these settings are for yurtadm, and the node does not join by it',
      "write via: 'yurtadm'",
    );
  }
  checkKnownProperties(settings, ['membership', 'namespace', 'kubernetesResourceServer'], problems);
  checkOneOf(settings.membership, ['node-labels', 'nodepool-name'], problems.at('membership'));
  if (settings.namespace !== undefined) {
    checkNamespace(settings.namespace, problems.at('namespace'));
  }
  const server = settings.kubernetesResourceServer;
  if (server !== undefined && !(typeof server === 'string' && /^[A-Za-z0-9][A-Za-z0-9.:/-]*$/.test(server))) {
    problems
      .at('kubernetesResourceServer')
      .add('EDGE_VALUE', 'this is not a host', "write 'dl.k8s.io', without scheme");
  }
  if (settings.membership === 'nodepool-name' && pool.cluster.nodePoolApiVersion() === undefined) {
    problems.at('membership').add('EDGE_JOIN', 'without OpenYurt there is no NodePool', "write via: 'kubeadm'");
  }
}

/** What works, but perhaps not as intended. */
export function joinWarnings(input: NodeJoinInput): EdgeWarning[] {
  const { cluster } = input.pool;
  const warnings = new ProblemList();
  if (input.via === 'kubeadm' && isConverted(input.pool)) {
    warnings
      .at('via')
      .add(
        'EDGE_JOIN',
        `OpenYurt ${cluster.openYurt} converts a node by the label of its Edge pool, however it joined: yurthub will be installed on it`,
        "write via: 'label-driven' if that is meant, or leave it out",
      );
  }
  if (input.via === 'yurtadm' && Object.keys(input.timeouts ?? {}).length > 0) {
    warnings
      .at('timeouts')
      .add('EDGE_UNUSED', 'yurtadm writes its own JoinConfiguration, without time-outs', 'leave it out');
  }
  if (cluster.distribution !== 'kubeadm') {
    warnings
      .at('pool', 'cluster', 'distribution')
      .add(
        'EDGE_JOIN',
        'kubeadm joins a node by ConfigMaps that a control plane of another make may not have (kube-system/kubeadm-config, kubelet-config)',
        'try it with one node',
      );
  }
  return warnings.problems;
}
