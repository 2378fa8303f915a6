import type { ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { kubeadmPatchesKubelet } from '../cluster/kubeadm-capabilities.js';
import { kubeletFlagRemovedIn } from '../cluster/kubelet-capabilities.js';
import { convertsNodes, firstOpenYurtWith, flagThatStopsYurtadm } from '../cluster/openyurt-capabilities.js';
import { checkNamespace } from '../kubernetes/names.js';
import { openYurtRow } from '../cluster/openyurt-releases.js';
import { LONGEST_CONVERTED_NAME } from '../pools/node-conversion.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { checkArtifactFolder } from '../base/artifact.js';
import { isMap } from '../base/plain-data.js';
import { checkBoolean, showValue } from '../base/properties.js';
import {
  type Check,
  checkProperties,
  mapWith,
  oneOf,
  optional,
  plain,
  plainMap,
  type PropertyTable,
  wholeNumber,
} from '../base/property-table.js';
import { compute, isUnknown } from '../base/unknown.js';
import { GO_DURATION } from '../pools/reservation-props.js';
import { checkJoinService } from './join-service.js';
import { isAbsolutePath } from './machine-path.js';
import { checkTokenText, JoinToken } from './join-token.js';
import type { JoinTimeouts } from './kubeadm-join.js';
import type { JoinVia, NodeJoinProps } from './node-join-props.js';
import { checkMachineSettings } from './machine-settings.js';
import { checkDisk } from './node-disk.js';
import { checkPropsWithPool, nodeOptions } from './node-options-checks.js';
import { checkNodePackages } from './packages.js';
import { reservedPaths } from './reserved-paths.js';
import { checkMachinesOf } from './join-machine-checks.js';
import { checkProxy } from './proxy.js';
import { checkIgnition } from './ignition-config.js';
import { checkProvider, gzipCheck } from './size-limits.js';
import { checkStaticPodList } from './static-pods.js';
import { checkResourceServer, type YurtadmSettings } from './yurtadm-join.js';
import { inProgram } from '../base/program-language.js';
import { itemsOf } from '../kubernetes/field-values.js';

const ADVICE: Readonly<Record<string, string>> = {
  reserved: 'did you mean reservation?',
  hostNetwork: 'the pool determines it: leave it out',
  bootstrapToken: 'did you mean token?',
  joinToken: 'did you mean token?',
  ...Object.fromEntries(
    ['apiServer', 'caCertHash', 'caCertHashes', 'kubernetes', 'kubernetesVersion', 'openYurt'].map((name) => [
      name,
      'it is a property of the cluster: write it there',
    ]),
  ),
  kubeletArgs: 'did you mean kubeletExtraArgs?',
  ntp: 'did you mean ntpServers?',
  userData: 'it is what the join makes: write files, preJoinCommands or postJoinCommands',
  runcmd: 'did you mean postJoinCommands, or preJoinCommands?',
  registryMirrors: 'write machineSettings: { registries: { … } }',
  timezone: "write preJoinCommands: ['timedatectl set-timezone Asia/Shanghai']",
};

/** How the node joins; the default if `via` is not set. */
export function viaOf({ via, pool }: Pick<NodeJoinProps, 'via' | 'pool'>): JoinVia {
  const converts = convertsNodes(pool.cluster);
  return via ?? compute({ converts, type: converts ? pool.type : undefined }, defaultVia);
}

function defaultVia({ converts, type }: { readonly converts: boolean; readonly type?: string }): JoinVia {
  return converts && type !== 'Cloud' ? 'label-driven' : 'kubeadm';
}

/** Whether yurt-manager converts the nodes of a pool to edge nodes: for Edge pools, from OpenYurt 1.7 on. */
export function isConverted({ cluster, type }: Pick<NodePoolAttributes, 'cluster' | 'type'>): boolean {
  return convertsNodes(cluster) && type !== 'Cloud';
}

/** Whether OpenYurt gives a node yurthub, and no chart that the release requires gives that its rights; yurtadm needs
 * the chart yurthub, which has them. */
export function lacksRights({ via, pool }: Pick<NodeJoinProps, 'via' | 'pool'>): boolean {
  return via !== 'yurtadm' && isConverted(pool) && openYurtRow(pool.cluster.openYurt)?.conversion?.rights === 'missing';
}

/** Refuses what OpenYurt cannot convert; yurtadm installs yurthub itself. */
function checkConversion({ via, pool, nodeName, machines }: NodeJoinProps, problems: ProblemList): void {
  if (via === 'yurtadm' || isUnknown(pool.type) || !isConverted(pool)) {
    return;
  }
  const checkName = (name: unknown, at: ProblemList): void => {
    if (typeof name === 'string' && name.length > LONGEST_CONVERTED_NAME) {
      at.add(
        'EDGE_NAME',
        `${name} has ${name.length} characters, and OpenYurt ${pool.cluster.openYurt} cannot convert a Node with more than ${LONGEST_CONVERTED_NAME}: it stays cordoned`,
        `write a name of at most ${LONGEST_CONVERTED_NAME} characters`,
      );
    }
  };
  checkName(nodeName, problems.at('nodeName'));
  itemsOf(machines).forEach((machine: unknown, index) =>
    checkName(isMap(machine) ? machine.name : undefined, problems.at('machines', index, 'name')),
  );
  const { apiServer } = pool.cluster;
  if (typeof apiServer === 'string' && apiServer.startsWith('[')) {
    // apiserverAddrRegularExpression in pkg/node-servant/components/kubelet.go
    problems
      .at('pool', 'cluster', 'apiServer')
      .add(
        'EDGE_API_SERVER',
        `node-servant of OpenYurt ${pool.cluster.openYurt} does not read the IPv6 address ${apiServer}: no node could be converted`,
        "write a name that nodes resolve to it: 'api.example.com:6443'",
      );
  }
}

/**
 * Checks the properties of a join.
 *
 * @param own checks of properties that only the component has
 */
export function checkNodeJoin(
  input: NodeJoinProps,
  problems: ProblemList,
  own: Readonly<Record<string, Check>> = {},
): void {
  if (!isMap(input)) {
    problems.add('EDGE_MISSING', 'a join needs a pool and a token', 'write { pool, token }');
    return;
  }
  if (checkPropsWithPool<NodeJoinProps>(input, { ...tableFor(input), ...own }, problems, ADVICE)) {
    checkVia(viaOf(input), input.pool, problems.at('via'));
    checkDiscovery(input, input.pool.cluster, problems);
    checkIgnition(input, problems);
    checkDisk(input, problems);
    checkConversion(input, problems);
  }
}

/** The checks of the properties; those that need the pool run only with a valid pool. */
function tableFor(input: NodeJoinProps): PropertyTable<NodeJoinProps> {
  const { pool, packages } = input;
  const taken = (): ReadonlySet<string> =>
    reservedPaths(isMap(packages) ? input : { ...input, packages: undefined }, viaOf(input));
  const canPatch = (): boolean => viaOf(input) !== 'yurtadm' && kubeadmPatchesKubelet(pool.cluster);
  return {
    ...nodeOptions(input, taken, canPatch),
    token: checkToken,
    machines: plain((machines, problems) => checkMachinesOf(input, machines, problems)),
    via: plain(oneOf('kubeadm', 'label-driven', 'yurtadm')),
    discoveryFile: optional(checkDiscoveryFile),
    timeouts: plain((timeouts, problems) => timeoutsOf(pool.cluster)(timeouts, problems)),
    attempts: wholeNumber(1, 100),
    secondsBetweenAttempts: wholeNumber(0, 3600),
    service: plain((service, problems) => checkJoinService(viaOf(input) === 'yurtadm', service, problems)),
    packages: plain((value, problems) => checkNodePackages(pool.cluster, input.runtime)(value, problems)),
    machineSettings: plain((...given) =>
      checkMachineSettings(input.runtime !== 'cri-o', canPatch(), input.pool?.cluster)(...given),
    ),
    staticPods: plain(checkStaticPodList),
    proxy: plainMap(checkProxy),
    yurtadm: plainMap((settings, problems) => checkYurtadm(input)(settings, problems)),
    provider: plain(checkProvider),
    gzip: gzipCheck(input.provider, input.format),
    format: plain(oneOf('cloud-config', 'script', 'ignition')),
    publish: plain(checkBoolean),
    namespace: optional(checkNamespace),
    artifactFolder: (folder, problems) => checkArtifactFolder(folder, 'join', problems),
  };
}

/** A token in a file that stays until the machine has joined. */
export function tokenFile(): string {
  return inProgram(
    "JoinToken.fromFile('/var/lib/edge/join-token', { removeAfterJoin: true })",
    "tokenFile: { path: '/var/lib/edge/join-token', removeAfterJoin: true }",
  );
}

function checkToken(token: unknown, problems: ProblemList): void {
  if (token === undefined) {
    problems.add(
      'EDGE_MISSING',
      'token is required',
      inProgram(
        "write JoinToken.fromFile('/var/lib/edge/join-token'), fromCommand(…), fromSecret(…) or inline(…), in Pulumi also config.requireSecret('joinToken')",
        'write one of token, tokenFile, tokenCommand and tokenSecret',
      ),
    );
  } else if (!(token instanceof JoinToken)) {
    problems.add(
      'EDGE_TYPE',
      'this is not a token (value redacted)',
      inProgram(
        "write JoinToken.fromFile('/var/lib/edge/join-token'), in Pulumi also config.requireSecret('joinToken'); with JoinToken.inline(…) the files contain the token",
        "write tokenFile: '/var/lib/edge/join-token'; with token, as a secret, the files contain the token",
      ),
    );
  } else if (token.kind === 'inline') {
    checkTokenText(JoinToken.textOf(token), problems);
  }
}

function checkVia(via: JoinVia, pool: NodePoolAttributes, problems: ProblemList): void {
  const { cluster } = pool;
  if (via === 'label-driven' && convertsNodes(cluster) && !isConverted(pool)) {
    problems.add(
      'EDGE_JOIN',
      'OpenYurt converts only nodes of Edge pools, and this is a Cloud pool',
      "write via: 'kubeadm'",
    );
  }
  if (via === 'label-driven' && !convertsNodes(cluster)) {
    problems.add(
      'EDGE_JOIN',
      `${cluster.toString()} has no controller that converts a node by its label (${firstOpenYurtWith(({ conversion }) => conversion !== undefined)} and later have it)`,
      cluster.hasOpenYurt() ? "write via: 'yurtadm', or 'kubeadm' for a node without yurthub" : "write via: 'kubeadm'",
    );
  }
  if (via === 'yurtadm') {
    const flag = flagThatStopsYurtadm(cluster);
    if (!cluster.hasOpenYurt()) {
      problems.add('EDGE_JOIN', 'yurtadm joins nodes to OpenYurt, and the cluster has none', "write via: 'kubeadm'");
    } else if (flag !== undefined) {
      problems.add(
        'EDGE_JOIN',
        `yurtadm ${cluster.openYurt} sets the kubelet flag ${flag}, which Kubernetes ${kubeletFlagRemovedIn(cluster, flag)} removed: the kubelet of Kubernetes ${cluster.kubernetes} would not start`,
        convertsNodes(cluster) ? "write via: 'label-driven'" : "write via: 'kubeadm', or use an older Kubernetes",
      );
    }
  }
}

function checkDiscovery(input: NodeJoinProps, cluster: EdgeCluster, problems: ProblemList): void {
  if (input.discoveryFile !== undefined) {
    if (input.via === 'yurtadm') {
      problems.at('discoveryFile').add('EDGE_JOIN', 'yurtadm supports only discovery by token', 'remove it');
    }
    return;
  }
  if (cluster.apiServer === undefined) {
    problems
      .at('pool', 'cluster', 'apiServer')
      .add(
        'EDGE_API_SERVER',
        'the cluster has no apiServer, the address of its API server for nodes',
        "write apiServer: '10.0.0.1:6443' in the cluster, or discoveryFile here",
      );
  }
  if (cluster.caCertHashes.length === 0) {
    problems
      .at('pool', 'cluster', 'caCertHashes')
      .add(
        'EDGE_CA_CERT_HASH',
        'the cluster has no caCertHashes: a node could not verify the API server',
        "write caCertHashes: ['sha256:…'] in the cluster ('kubeadm token create --print-join-command' prints it), or discoveryFile here",
      );
  }
}

function checkDiscoveryFile(file: unknown, problems: ProblemList): void {
  const isAddress = typeof file === 'string' && /^https:\/\/[A-Za-z0-9.:[\]-]+(\/[\w.~%/-]*)?$/.test(file);
  if (!isAbsolutePath(file) && !isAddress) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(file)} is neither an absolute path nor an https URL`,
      "write '/etc/kubernetes/discovery.conf'",
    );
  }
}

function timeoutsOf(cluster: EdgeCluster): Check {
  const isOld = cluster.kubeadmConfigVersion() === 'v1beta3';
  const onlyNew: Check = (value, problems) => {
    if (isOld && typeof value === 'string' && GO_DURATION.test(value)) {
      problems.add(
        'EDGE_JOIN',
        `the kubeadm of Kubernetes ${cluster.kubernetes} has only a discovery timeout`,
        'write discovery',
      );
    } else {
      checkDuration(value, problems);
    }
  };
  const table: PropertyTable<JoinTimeouts> = {
    discovery: optional(checkDuration),
    tlsBootstrap: optional(onlyNew),
    kubeletHealthCheck: optional(onlyNew),
    kubernetesAPICall: optional(onlyNew),
  };
  return mapWith(
    (timeouts, problems) => checkProperties(timeouts, table, problems),
    'timeouts must be a map',
    "write { discovery: '2m' }",
  );
}

function checkDuration(value: unknown, problems: ProblemList): void {
  if (typeof value !== 'string' || !GO_DURATION.test(value)) {
    problems.add('EDGE_VALUE', `${showValue(value)} is not a duration`, "write '30s' or '5m0s', in quotes");
  }
}

function checkYurtadm({ via, pool }: NodeJoinProps): Check {
  const table: PropertyTable<YurtadmSettings> = {
    membership: plain((membership, problems) => {
      oneOf('node-labels', 'nodepool-name')(membership, problems);
      if (membership === 'nodepool-name' && pool.cluster.nodePoolApiVersion() === undefined) {
        problems.add('EDGE_JOIN', 'without OpenYurt there is no NodePool', "write via: 'kubeadm'");
      }
    }),
    namespace: optional(checkNamespace),
    kubernetesResourceServer: optional(checkResourceServer),
  };
  return mapWith(
    (settings, problems) => {
      if (via !== 'yurtadm' && !isUnknown(via)) {
        problems.add(
          'EDGE_CONTRADICTION',
          'these are settings of yurtadm, and via is not yurtadm',
          "write via: 'yurtadm'",
        );
      }
      checkProperties(settings, table, problems);
    },
    'yurtadm must be a map',
    "write { membership: 'node-labels' }",
  );
}
