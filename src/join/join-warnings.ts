import { parseEndpoint } from '../cluster/api-server-endpoint.js';
import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { reservationWarnings } from '../pools/node-reservation.js';
import { inProgram } from '../base/program-language.js';
import { isUnknown } from '../base/unknown.js';
import { commandWarnings } from './command-warnings.js';
import { flagsOf, flagWarnings } from './kubelet-configuration.js';
import { providerWarnings } from './kubelet-flag-values.js';
import { defaultWarnings } from './kubelet-values.js';
import { isOnNode } from './join-token.js';
import { diskFields, diskWarnings } from './node-disk.js';
import { isConverted, tokenFile } from './node-join-checks.js';
import type { NodeJoinProps } from './node-join-props.js';
import { reachWarnings } from './machine-reach.js';
import { lateLabelWarnings } from './node-parts.js';
import { repositoryWarnings } from './package-installation.js';
import { proxyWarnings } from './proxy-checks.js';
import { yurthubStoreWarnings } from './yurthub.js';

/** Addresses that a kubeconfig has, and that mean something else on a node. */
const OF_THE_NODE = /^(127\.|0\.0\.0\.0$|::1?$|localhost$)|^kubernetes(\.|$)|\.svc(\.|$)/i;
/** The Service `kubernetes` in the network of Services that kubeadm takes by default, 10.96.0.0/12 (`DefaultServicesSubnet`). */
const SERVICE_ADDRESS = '10.96.0.1';

/** `kubeadm token create` without a kubeconfig, and on no other machine. */
const NEEDS_ADMIN = /^(?!.*(?:KUBECONFIG|kubeconfig|ssh ))\s*(?:sudo\s+)?(?:\/\S+\/)?kubeadm\s+token\s/s;

/**
 * Warnings about settings that may not work as intended.
 *
 * @param now the time, in milliseconds since 1970
 */
export function joinWarnings(input: NodeJoinProps, now: number): EdgeWarning[] {
  const { cluster } = input.pool;
  const warnings = new ProblemList();
  if (input.via === 'kubeadm' && !isUnknown(input.pool.type) && isConverted(input.pool)) {
    warnings
      .at('via')
      .add(
        'EDGE_JOIN',
        `OpenYurt ${cluster.openYurt} converts every node with the label of an Edge pool: yurthub will also be installed on this node`,
        "write via: 'label-driven' if this is intended, or leave it out",
      );
  }
  if (input.via === 'yurtadm' && !isUnknown(input.timeouts) && Object.keys(input.timeouts ?? {}).length > 0) {
    warnings
      .at('timeouts')
      .add('EDGE_UNUSED', 'yurtadm writes its own JoinConfiguration, without timeouts', 'leave it out');
  }
  const host = typeof cluster.apiServer === 'string' ? parseEndpoint(cluster.apiServer)?.host : undefined;
  if (host !== undefined && (OF_THE_NODE.test(host) || host === SERVICE_ADDRESS)) {
    warnings
      .at('pool', 'cluster', 'apiServer')
      .add(
        'EDGE_API_SERVER',
        `${host} is not the API server on a node: ${unreachedBecause(host)}`,
        'write the address by which nodes reach it, in the cluster',
      );
  }
  const { source } = input.token;
  if (source.kind === 'file' && /^(\/var)?\/run\/|^\/tmp\/|^\/dev\/shm\//.test(source.path)) {
    warnings
      .at('token')
      .add(
        'EDGE_TOKEN',
        `${source.path} is ${source.path.startsWith('/tmp/') ? 'removed at boot on many systems' : 'in memory'}: after a reboot before the node has joined there is no token, and no retry can join`,
        `write ${tokenFile()}, or have the file written at every boot`,
      );
  }
  if (source.kind === 'command' && NEEDS_ADMIN.test([source.command].flat().join(' '))) {
    warnings
      .at('token')
      .add(
        'EDGE_TOKEN',
        'the command runs on the machine that joins, and kubeadm token needs the kubeconfig of an administrator',
        `run it where you have one, and give the machine its output: ${tokenFile()}, or a command that reads it from a secret store`,
      );
  }
  if (input.service !== undefined && !isOnNode(source)) {
    warnings
      .at('service')
      .add(
        'EDGE_TOKEN',
        'the file with the token is removed after the first run, so the service has none for the next one',
        `write ${tokenFile()}, or ${inProgram('fromCommand', 'tokenCommand')}`,
      );
  }
  const { until } = input.service ?? {};
  if (until !== undefined && Date.parse(until) <= now) {
    warnings
      .at('service', 'until')
      .add('EDGE_JOIN', `${until} is past: the service gives up before its first run`, 'write a later time');
  }
  if (cluster.distribution !== 'kubeadm') {
    warnings
      .at('pool', 'cluster', 'distribution')
      .add(
        'EDGE_JOIN',
        'kubeadm join reads ConfigMaps that a control plane not created by kubeadm may lack (kube-system/kubeadm-config, kubelet-config)',
        'try it with one node first',
      );
  }
  return [
    ...warnings.problems,
    ...commandWarnings(input),
    ...flagWarnings(input),
    ...providerWarnings(flagsOf(input.kubeletExtraArgs), cluster),
    ...defaultWarnings(input.kubeletConfiguration, diskFields(input)),
    ...diskWarnings(input),
    ...reachWarnings(input),
    ...reservationWarnings(input.reservation, 'reservation'),
    ...proxyWarnings(input.proxy),
    ...repositoryWarnings(input.packages),
    ...yurthubStoreWarnings(input),
    ...lateLabelWarnings(
      input.pool,
      'declare PoolAdmission, whose policy nodeLabel sets it with the first write of a controller',
    ),
  ];
}

function unreachedBecause(host: string): string {
  return host === SERVICE_ADDRESS
    ? 'it is the address of a Service, by default, which a node does not reach before it has joined'
    : /svc/.test(host)
      ? 'nodes do not resolve names of Services'
      : 'it is the node itself';
}
