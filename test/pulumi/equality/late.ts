/** Values of a Pulumi program: Outputs wherever they are allowed. */
import * as pulumi from '@pulumi/pulumi';
import { isMap } from '../../../src/base/plain-data.js';

/**
 * Properties that determine which resources exist, or their kinds; they must be plain. `a.b` is `b` in `a`.
 */
export const PLAIN: readonly string[] = [
  'apiVersion',
  'kind',
  'podTemplatePath',
  'portConflicts',
  'autonomy',
  'rollout',
  'nodesAway',
  'wave',
  // how and whether something is created
  'strategy',
  'exclude',
  'mutatingAdmissionPolicy',
  'guarantees',
  'pools',
  'gatewayNodes',
  'konnectivity.servers',
  'konnectivity.keepaliveSeconds',
  'konnectivity.agentExtraArgs',
  'konnectivity.serverExtraArgs',
  'type',
  'guide',
  'apply',
  'only',
  'topology',
  'proxyNames',
  'yurtManagerRunsNodeLifecycle',
  'via',
  'format',
  'publish',
  'machines',
  'gzip',
  // what rules of a join read
  'kubeletConfiguration',
  'kubeletExtraArgs.name',
  'kubeletExtraArgs.value',
  'runtime',
  'criSocket',
  'cniFolder',
  'ignorePreflightErrors',
  'ntpServers',
  'timeouts',
  'packages',
  'provider',
  'staticPods',
  'service.manager',
  'service.until',
  'yurtadm',
  // paths of files
  'artifactFolder',
  'kustomizeFolder',
  // which Certificates exist
  'source',
  'members.name',
  // API version of a KubeadmConfigTemplate
  '.version',
  // storage: which objects exist, and what fits
  '.consumer',
  '.replicas',
  '.accessMode',
  '.retain',
  '.encrypted',
  '.driver',
  '.protocol',
  '.autoTopology',
  '.hostNetworkPools',
  '.driverRelease',
  '.mode',
  '.failureDomains',
  '.acknowledgeRetired',
  '.vifDriver',
  '.definition',
  '.providerVersion',
  '.clusterApiVersion',
  // files of kubeadm, and what is patched
  '.apiServer',
  '.controllerManager',
  '.scheduler',
  '.etcd',
  'components.component',
  'components.profile',
  '.priorityClasses',
  '.allocatable',
  '.patchFolder',
  'storage.medium',
  'storage.encrypted',
];

/** Maps and lists that must be plain as a whole, while some values in them need not. */
const WHOLE = [
  'kubeletExtraArgs',
  'proxy',
  'konnectivity',
  'components',
  'flannel',
  'kubeControllerManager',
  'corefile',
  'coreDnsService',
  'coreDnsDaemonSet',
  'kubeProxy',
  'forwarders',
  'storage',
  'snapshots',
  'members',
  'certificates',
  'issuer',
  'clusterApi',
  'alerts',
];

/** Objects of the cluster: their identity must be plain, their fields need not. */
const IDENTITY = ['apiVersion', 'kind', 'metadata'];
const DOCUMENTS = ['configMap', 'service', 'deployment', 'daemonSet'];

/** Whether a property may be an Output. */
function mayBeLate(key: string, inside: string): boolean {
  return (
    !PLAIN.includes(key) &&
    !PLAIN.includes(`${inside}.${key}`) &&
    (!DOCUMENTS.includes(inside) || !IDENTITY.includes(key))
  );
}

/** Replaces text and numbers that may be Outputs. */
export function replaceLeaves(value: any, replace: (leaf: any) => any, key = ''): any {
  if (Array.isArray(value)) {
    return value.map((item) => replaceLeaves(item, replace, key));
  }
  if (isMap(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        mayBeLate(name, key) ? replaceLeaves(item, replace, name) : item,
      ]),
    );
  }
  return typeof value === 'string' || typeof value === 'number' ? replace(value) : value;
}

/** The same with some values replaced by Outputs, some of them secret: text, numbers, booleans, whole lists and whole maps. */
export function withOutputs(value: any, random: () => number, key = '', isRoot = true): any {
  const chance = random();
  const share = Array.isArray(value) || isMap(value) ? (isRoot || WHOLE.includes(key) ? 0 : 0.06) : 0.4;
  if (chance < share && value !== undefined && (typeof value !== 'object' || Array.isArray(value) || isMap(value))) {
    return chance < share / 2 ? pulumi.secret(value) : pulumi.output(value);
  }
  if (Array.isArray(value)) {
    return value.map((item) => withOutputs(item, random, key, false));
  }
  return isMap(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, item]) => [
          name,
          mayBeLate(name, key) && !DOCUMENTS.includes(name)
            ? withOutputs(item, random, name, false)
            : DOCUMENTS.includes(name)
              ? replaceLeaves({ [name]: item }, (leaf) => (random() < 0.3 ? pulumi.output(leaf) : leaf))[name]
              : item,
        ]),
      )
    : value;
}

/** Deterministic numbers from 0 to 1 for a seed. */
export function randomOf(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
