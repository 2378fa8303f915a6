/** Every noun with a construct and a component. A new one is one row, of which its tests are made; a missing row does not compile. */
import * as pulumi from '@pulumi/pulumi';
import {
  EdgeCluster,
  ExclusionStrategy,
  HostNetworkNodePool,
  JoinToken,
  NodeReservation,
  SystemComponent,
} from 'edge-nodepools/pulumi';
import { importedPool } from '../../src/pulumi/node-pool.js';
import { daemonSet, deployment } from '../bad-inputs/case.js';
import { corednsConfigMap, kubeProxyConfigMap } from '../corpus/kube-system.js';
import * as preconditions from '../pulumi/precondition-props.js';
import * as props from '../pulumi/props.js';
import { CONTROL_PLANE_NOUNS } from './control-plane-nouns.js';
import {
  ALWAYS_EDGE,
  type Component,
  type Example,
  GIVEN,
  type Given,
  type Noun,
  onePool,
  METHOD,
  RESOURCE,
  somePools,
} from './noun.js';

const RELEASES = {
  openYurt: '1.7',
  kubernetes: '1.36',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'0'.repeat(64)}`],
};
const OLD = { openYurt: '1.5', kubernetes: '1.28' };

/** What a program in another language writes. */
export const AS_DATA: Given = { cluster: RELEASES, old: OLD, pool: { poolName: 'shops' } };

/** The same in TypeScript, with a pool that is created elsewhere. */
export function asInstances(): Given {
  const cluster = EdgeCluster.of(RELEASES);
  return {
    cluster,
    old: EdgeCluster.of(OLD),
    // declared by the examples that have it
    get pool() {
      return HostNetworkNodePool.fromPoolName({ cluster, poolName: 'shops' });
    },
  };
}

export const TOKEN_TEXT = 'canary.0123456789canary';
const taints = [{ key: 'site', value: 'east', effect: 'NoSchedule' as const }];

const POOL_ANSWERS = [
  'poolName',
  'joinLabels',
  'nodeLabels',
  'registrationTaints',
  'taints',
  'nodeSelector',
  'tolerations',
  'type',
  'expectedNodes',
  'autonomy',
];

const EVERY_FIELD = {
  poolName: 'east',
  type: 'Cloud' as const,
  labels: { a: 'b' },
  enableLeaderElection: true,
  leaderElectionStrategy: 'mark' as const,
  leaderNodeLabelSelector: { leader: 'yes' },
  leaderReplicas: 2,
  poolScopeMetadata: [{ group: '', version: 'v1', resource: 'services' }],
  metadata: { labels: { team: 'edge' } },
  extraSpec: { later: true },
};

const JOIN_ANSWERS = [
  'userData',
  'userDataGzipBase64',
  'ignition',
  'script',
  'files',
  'joinConfiguration',
  'contentHash',
  'leaveScript',
  'updateScript',
  'preflightScript',
  'seeds',
];

const STATIC_POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'agent', namespace: 'edge' },
  spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1' }] },
} as const;

const JOIN_SETTINGS = {
  publish: true,
  format: 'script' as const,
  timeouts: { discovery: '5m0s' },
  runtime: 'containerd' as const,
  files: [{ path: '/etc/motd', content: 'edge' }],
  preJoinCommands: ['true', ['echo', 'one']],
  kubeletExtraArgs: [{ name: 'v', value: '2' }],
};

/** A single precondition. */
const single = (name: string, settings: object = {}): Example => ({
  args: ({ old }) => ({ cluster: old, only: [name], ...settings }),
});

const guide = 'tunnel' as const;

export const NOUNS: { readonly [Name in Component]: Noun<Name> } = {
  ...CONTROL_PLANE_NOUNS,
  HostNetworkNodePool: {
    samples: props.hostNetworkNodePool,
    attributes: POOL_ANSWERS,
    required: ['cluster', 'poolName'],
    leftOut: { type: ALWAYS_EDGE, cluster: GIVEN, reservation: GIVEN, nodePool: RESOURCE },
    examples: {
      shops: { args: ({ cluster }) => ({ cluster, poolName: 'shops' }) },
      east: { args: ({ cluster }) => ({ cluster, poolName: 'east', taints, registrationTaint: true }) },
    },
  },
  RegularNodePool: {
    samples: props.regularNodePool,
    attributes: POOL_ANSWERS,
    required: ['cluster', 'poolName'],
    leftOut: { cluster: GIVEN, reservation: GIVEN, nodePool: RESOURCE },
    examples: {
      office: { args: ({ cluster }) => ({ cluster, poolName: 'office' }) },
      east: { args: ({ cluster }) => ({ cluster, ...EVERY_FIELD }) },
    },
  },
  ExcludedWorkload: {
    samples: props.excludedWorkload,
    attributes: ['report'],
    required: ['cluster', 'workload'],
    leftOut: { resource: RESOURCE },
    examples: {
      dashboard: { args: ({ cluster }) => ({ cluster, workload: daemonSet() }) },
      web: { args: ({ cluster }) => ({ cluster, workload: deployment({}) }) },
    },
  },
  HostNetworkWorkload: {
    samples: props.hostNetworkWorkload,
    prepare: somePools,
    attributes: ['changes'],
    required: ['cluster', 'workload'],
    leftOut: { resource: RESOURCE, address: METHOD },
    examples: {
      agent: {
        args: ({ pool }) => ({ pool, workload: daemonSet() }),
        data: ({ cluster, pool }) => ({ cluster, pool, workload: daemonSet() }),
      },
      collector: {
        args: ({ cluster }) => ({
          pools: [HostNetworkNodePool.fromPoolName({ cluster, poolName: 'east', taints })],
          workload: daemonSet({}),
        }),
        data: ({ cluster }) => ({ cluster, pools: [{ poolName: 'east', taints }], workload: daemonSet({}) }),
      },
    },
  },
  EdgeSystemComponents: {
    samples: props.edgeSystemComponents,
    attributes: ['report', 'notExcluded', 'kubeadmPatches'],
    required: ['cluster'],
    leftOut: { patches: RESOURCE },
    examples: {
      system: {
        args: ({ cluster }) => ({ cluster, exclude: [SystemComponent.KUBE_PROXY, SystemComponent.FLANNEL] }),
        data: ({ cluster }) => ({ cluster, exclude: ['kube-proxy', 'flannel'] }),
      },
      'by-apply': {
        args: ({ cluster }) => ({
          cluster,
          exclude: [
            SystemComponent.KUBE_PROXY,
            SystemComponent.FLANNEL,
            SystemComponent.of({ kind: 'DaemonSet', namespace: 'monitoring', name: 'node-exporter' }),
          ],
          strategy: ExclusionStrategy.SERVER_SIDE_APPLY,
          components: { flannel: { namespace: 'cni' } },
        }),
        data: ({ cluster }) => ({
          cluster,
          exclude: ['kube-proxy', 'flannel'],
          workloads: [{ kind: 'DaemonSet', namespace: 'monitoring', name: 'node-exporter' }],
          strategy: ['SERVER_SIDE_APPLY'],
          components: { flannel: { namespace: 'cni' } },
        }),
      },
    },
  },
  PoolAdmission: {
    samples: props.poolAdmission,
    attributes: ['report'],
    required: ['cluster'],
    leftOut: { cluster: GIVEN },
    examples: {
      admission: {
        args: ({ cluster }) => ({ cluster }),
        // components do not know each other in the plugin
        data: ({ cluster }) => ({ cluster, pools: 'listed' }),
      },
      other: {
        args: ({ cluster }) => ({ cluster, otherPools: ['east'], guarantees: { frozenNodeLabels: false } }),
      },
    },
  },
  OpenYurtWebhooks: {
    samples: props.openYurtWebhooks,
    attributes: [],
    required: ['cluster'],
    leftOut: {},
    examples: {
      webhooks: { args: ({ old }) => ({ cluster: old }) },
      'without-pods': { args: ({ cluster }) => ({ cluster, timeoutSeconds: 5, exclude: ['pods'] }) },
    },
  },
  PoolWebhook: {
    samples: props.poolWebhook,
    attributes: [],
    required: ['cluster', 'type', 'webhooks'],
    leftOut: { resource: RESOURCE },
    examples: {
      guard: {
        args: ({ cluster }) => ({
          cluster,
          type: 'validating',
          metadata: { name: 'guard' },
          webhooks: [{ name: 'pods.guard.example', rules: ['nodepools'], url: 'https://guard.example/admit' }],
        }),
      },
    },
  },
  NodeJoin: {
    samples: props.nodeJoin,
    prepare: onePool,
    attributes: JOIN_ANSWERS,
    required: ['cluster', 'pool'],
    leftOut: { published: RESOURCE },
    examples: {
      join: {
        args: ({ pool }) => ({ pool, token: JoinToken.fromFile('/run/join/token') }),
        data: ({ cluster, pool }) => ({ cluster, pool, tokenFile: '/run/join/token' }),
      },
      inline: {
        args: ({ pool }) => ({ pool, token: pulumi.secret(TOKEN_TEXT), publish: true, staticPods: [STATIC_POD] }),
        data: ({ cluster, pool }) => ({
          cluster,
          pool,
          token: TOKEN_TEXT,
          publish: true,
          staticPods: [STATIC_POD],
        }),
      },
      'of-a-regular-pool': {
        args: ({ cluster }) => ({
          pool: importedPool(
            { subject: 'RegularNodePool', mode: 'regular', makesObject: false },
            { cluster, poolName: 'office' },
          ),
          token: JoinToken.fromSecret({ name: 'join-token', namespace: 'kube-system' }),
          reservation: NodeReservation.of({ kubeReserved: { cpu: '100m' }, diskSize: '8Gi' }),
          ...JOIN_SETTINGS,
        }),
        data: ({ cluster }) => ({
          cluster,
          pool: {
            poolName: 'office',
            hostNetwork: false,
            reservation: { preset: 'gke', capacity: { cpu: 4, memory: '8Gi' } },
          },
          tokenSecret: { name: 'join-token', namespace: 'kube-system' },
          reservation: { kubeReserved: { cpu: '100m' }, diskSize: '8Gi' },
          ...JOIN_SETTINGS,
        }),
      },
    },
  },
  KubeadmConfigTemplate: {
    samples: props.kubeadmConfigTemplate,
    prepare: onePool,
    attributes: [],
    required: ['cluster', 'pool'],
    leftOut: { resource: RESOURCE },
    examples: {
      machines: { args: ({ pool }) => ({ pool }), data: ({ cluster, pool }) => ({ cluster, pool }) },
      one: {
        args: ({ cluster }) => ({
          pool: HostNetworkNodePool.fromPoolName({
            cluster,
            poolName: 'east',
            taints,
            reservation: NodeReservation.preset('edge-small', { diskSize: '16Gi' }),
          }),
          nodeName: 'one',
        }),
        data: ({ cluster }) => ({
          cluster,
          pool: { poolName: 'east', taints, reservation: { preset: 'edge-small', diskSize: '16Gi' } },
          nodeName: 'one',
        }),
      },
    },
  },
  BootstrapToken: {
    samples: props.bootstrapToken,
    prepare: ({ cluster: _, ...rest }) => rest,
    attributes: [],
    required: ['expiration', 'token'],
    leftOut: { resource: RESOURCE },
    examples: {
      token: {
        args: () => ({ token: pulumi.secret(TOKEN_TEXT), expiration: '2100-01-01T00:00:00Z' }),
        data: () => ({ token: TOKEN_TEXT, expiration: '2100-01-01T00:00:00Z' }),
      },
    },
  },
  EdgePreconditions: {
    samples: preconditions.edgePreconditions,
    attributes: ['artifacts', 'report', 'commands'],
    required: ['cluster'],
    leftOut: { resources: RESOURCE },
    examples: {
      ready: {
        args: ({ old }) => ({
          cluster: old,
          guide,
          corefile: { configMap: corednsConfigMap() },
          kubeProxy: { configMap: kubeProxyConfigMap() },
        }),
      },
      controllers: single('kubeControllerManager'),
      corefile: single('corefile', { guide, corefile: { configMap: corednsConfigMap() } }),
      topology: single('coreDnsService'),
      dns: single('coreDnsDaemonSet'),
      proxy: single('kubeProxy', { guide, kubeProxy: { configMap: kubeProxyConfigMap() } }),
    },
  },
};
