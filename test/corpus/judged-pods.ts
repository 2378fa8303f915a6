/** A Pod, a node, what is there besides, and the plugin or component that refuses the Pod; undefined if it is accepted. The group `judged` asks the real packages. */
export interface JudgedPlacement {
  readonly what: string;
  readonly by: string | undefined;
  readonly pod: any;
  /** The Pod is that of a DaemonSet. */
  readonly daemon?: boolean;
  readonly node?: any;
  readonly others?: readonly any[];
  readonly claims?: readonly any[];
  readonly volumes?: readonly any[];
}

/** The minor of the judge. */
export const JUDGED_MINOR = '1.36';

export const ZONE = 'topology.kubernetes.io/zone';

/** A Pod by its spec, its labels, and more of its container. */
export function pod(spec: object = {}, labels: object = { app: 'x' }, container: object = {}): any {
  const containers = [{ name: 'main', image: 'a', ...container }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'asked', namespace: 'default', labels },
    spec: { containers, ...spec },
  };
}

export function bound(
  name: string,
  on: string,
  labels: object = { app: 'x' },
  spec: object = {},
  container: object = {},
): any {
  const made = pod({ nodeName: on, ...spec }, labels, container);
  return { ...made, metadata: { ...made.metadata, name } };
}

export function node(
  name: string,
  { labels = {}, taints = [], allocatable = {}, unschedulable = false, status = {} }: any = {},
): any {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', ...labels } },
    spec: { taints, unschedulable },
    status: { allocatable: { cpu: '2', memory: '2Gi', pods: '110', ...allocatable }, ...status },
  };
}

export const tainted = (key: string, effect: string, value = ''): any =>
  node('n', { taints: [{ key, value, effect }] });
export const requests = (of: object, limits: object = {}): any => ({ resources: { requests: of, limits } });
export const port = (...ports: object[]): any => ({ ports });
export const antiAffinity = (term: object): any => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
});
export const affinity = (term: object): any => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
});
export const spread = (of: object = {}): any => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'x' } },
      ...of,
    },
  ],
});
export const onClaim = (claimName: string): any => ({
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
});
export const claim = (name: string, spec: object, isBound = true): any => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name,
    namespace: 'default',
    ...(isBound ? { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } : {}),
  },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', volumeName: 'pv', ...spec },
});
export const volume = (labels: object = {}, spec: object = {}): any => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv', labels },
  spec,
});
/** The node affinity of a volume, by the name of a node. */
export const ofNode = (operator: string, name: string, ...matchExpressions: object[]): any => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [{ matchExpressions, matchFields: [{ key: 'metadata.name', operator, values: [name] }] }],
    },
  },
});
/** A Pod on the node whose container wants something, and has something else. */
export const resized = (name: string, wants: object, has: object, conditions: object[] = []): any => ({
  ...bound(name, 'n', {}, {}, requests(wants)),
  status: { phase: 'Running', conditions, containerStatuses: [{ name: 'main', resources: { requests: has } }] },
});
export const host = { labelSelector: { matchLabels: { app: 'x' } }, topologyKey: 'kubernetes.io/hostname' };
export const selecting = (operator: string, ...values: string[]): any => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'rank', operator, ...(values.length === 0 ? {} : { values }) }] },
        ],
      },
    },
  },
});

/** The cluster of a row: its node first. */
export function clusterOfRow({ node: on = node('n'), others = [], claims = [], volumes = [] }: JudgedPlacement): {
  readonly nodes: any[];
  readonly pods: any[];
  readonly namespaces: readonly any[];
  readonly claims: readonly any[];
  readonly volumes: readonly any[];
  readonly storageClasses: readonly any[];
} {
  return {
    nodes: [on, ...others.filter(({ kind }) => kind === 'Node')],
    pods: others.filter(({ kind }) => kind === 'Pod'),
    namespaces: [{ kind: 'Namespace', metadata: { name: 'default', labels: { team: 'edge' } } }],
    claims,
    volumes,
    storageClasses: [],
  };
}
