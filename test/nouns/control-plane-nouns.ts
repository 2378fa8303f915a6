/** The nouns of the entry point for control planes, the approver of serving certificates, the access to nodes, and the workloads of OpenYurt. */
import { HostNetworkNodePool, SystemComponent } from 'edge-nodepools/pulumi';
import { KuryrKubernetes, ManilaCredentials, PersistentData } from 'edge-nodepools/pulumi/control-plane';
import { MEMBERS } from '../bad-inputs/etcd.js';
import { KURYR } from '../bad-inputs/kuryr.js';
import * as controlPlane from '../pulumi/control-plane-props.js';
import * as storage from '../pulumi/storage-props.js';
import { type Component, type Noun, onePool, RESOURCE, somePools } from './noun.js';
import { YURT_NOUNS } from './yurt-nouns.js';

const SHARES = {
  name: 'shares',
  protocol: 'NFS' as const,
  shareType: 'default',
  clients: ['10.0.0.0/24'],
  secret: { name: 'manila', namespace: 'kube-system' },
};

const CREDENTIALS = {
  name: 'manila',
  authUrl: 'https://keystone.example/v3',
  region: 'RegionOne',
  applicationCredential: { id: 'one', secret: 'canary' },
};

const MACHINES = {
  clusterName: 'edge',
  bootstrapTemplate: 'shops-join-1',
  version: 'v1.36.2',
  flavor: 'm1.small',
  image: 'ubuntu',
  failureDomains: ['az1', 'az2'],
};

const DATA = {
  name: 'web',
  storage: { storageClassName: 'ssd', medium: 'block' as const },
  size: '2Gi',
  mountPath: '/data',
  snapshots: { name: 'daily', className: 'snapshots' },
};

const QOS = {
  scheduler: { preset: 'kube-scheduler' },
  priorityClasses: [{ name: 'logs', value: 900_000_000 }],
};

type Named = Pick<
  { readonly [Name in Component]: Noun<Name> },
  | 'CinderStorageClass'
  | 'ControlPlaneQos'
  | 'EtcdCluster'
  | 'KuryrKubernetes'
  | 'ManilaCredentials'
  | 'ManilaStorageClass'
  | 'NfsVolume'
  | 'NodeAccess'
  | 'OpenStackMachines'
  | 'PersistentData'
  | 'ServingCertificateApprover'
  | 'VolumeSnapshotClass'
>;

export const CONTROL_PLANE_NOUNS: Named & typeof YURT_NOUNS = {
  ...YURT_NOUNS,
  CinderStorageClass: {
    samples: storage.cinderStorageClass,
    attributes: ['storageClassName', 'medium', 'encrypted'],
    required: ['name'],
    leftOut: { resource: RESOURCE },
    examples: { ssd: { args: () => ({ name: 'ssd', zones: ['az1'] }) } },
  },
  VolumeSnapshotClass: {
    samples: storage.volumeSnapshotClass,
    attributes: ['snapshotClassName'],
    required: ['name'],
    leftOut: { resource: RESOURCE },
    examples: { snapshots: { args: () => ({ name: 'snapshots', deletionPolicy: 'Delete' }) } },
  },
  ManilaCredentials: {
    samples: storage.manilaCredentials,
    // Pulumi keeps secrets apart itself
    component: (name, { inManifest: _, ...args }, options) => new ManilaCredentials(name, args, options),
    attributes: ['secret'],
    required: ['authUrl', 'name', 'region'],
    leftOut: { resource: RESOURCE },
    examples: { manila: { args: () => CREDENTIALS } },
  },
  ManilaStorageClass: {
    samples: storage.manilaStorageClass,
    attributes: ['storageClassName', 'medium', 'driverValues', 'nodeArguments'],
    required: ['name', 'protocol', 'secret', 'shareType'],
    leftOut: { resource: RESOURCE },
    examples: { shares: { args: ({ cluster }) => ({ cluster, ...SHARES }) } },
  },
  NfsVolume: {
    samples: storage.nfsVolume,
    attributes: ['claimName', 'medium'],
    required: ['exportLocation', 'name', 'size'],
    leftOut: { volume: RESOURCE, claim: RESOURCE },
    examples: { share: { args: () => ({ name: 'share', exportLocation: '192.0.2.10:/a', size: '2Gi' }) } },
  },
  PersistentData: {
    samples: storage.persistentData,
    component: (name, args, options) =>
      'consumer' in args
        ? new (PersistentData as any)(name, args, options)
        : PersistentData.forDeployment(name, args, options),
    attributes: ['spec', 'helmValues', 'claimNames', 'volumes', 'volumeMounts'],
    required: ['consumer', 'name', 'size', 'storage'],
    leftOut: {},
    examples: { web: { args: () => DATA, data: () => ({ consumer: 'deployment', ...DATA }) } },
  },
  OpenStackMachines: {
    samples: storage.openStackMachines,
    prepare: onePool,
    attributes: ['machineTemplateName', 'deploymentNames'],
    required: ['bootstrapTemplate', 'cluster', 'clusterName', 'flavor', 'pool', 'version'],
    leftOut: { resources: RESOURCE },
    examples: {
      'shops-machines': {
        args: ({ pool }) => ({ pool, ...MACHINES }),
        data: ({ cluster, pool }) => ({ cluster, pool, ...MACHINES }),
      },
    },
  },
  KuryrKubernetes: {
    samples: storage.kuryrKubernetes,
    component: (name, { inManifest: _, ...args }, options) => new KuryrKubernetes(name, args, options),
    attributes: ['secret'],
    required: ['acknowledgeRetired', 'cluster', 'images', 'podSecurityGroups', 'podSubnet', 'project'],
    leftOut: {},
    examples: { kuryr: { args: ({ cluster }) => ({ ...KURYR, cluster, pool: { min: 3, batch: 4 } }) } },
  },
  ControlPlaneQos: {
    samples: controlPlane.ControlPlaneQos,
    attributes: ['kubeadmPatches', 'files', 'initConfiguration', 'joinConfiguration', 'report'],
    required: ['cluster'],
    leftOut: { resources: RESOURCE },
    examples: {
      qos: {
        args: ({ cluster }) => ({
          cluster,
          components: [{ component: SystemComponent.KUBE_PROXY, profile: { preset: 'kube-proxy' } }],
          ...QOS,
        }),
        data: ({ cluster }) => ({
          cluster,
          components: [{ component: 'kube-proxy', profile: { preset: 'kube-proxy' } }],
          ...QOS,
        }),
      },
    },
  },
  EtcdCluster: {
    samples: controlPlane.EtcdCluster,
    attributes: [
      'members',
      'clusterConfiguration',
      'apiServerFlags',
      'certificatesScript',
      'serverGroup',
      'securityGroupRules',
    ],
    required: ['certificates', 'cluster', 'members', 'name'],
    leftOut: {},
    examples: {
      etcd: {
        args: ({ cluster }) => ({ cluster, name: 'edge', members: MEMBERS, certificates: { source: 'cert-manager' } }),
      },
    },
  },
  ServingCertificateApprover: {
    samples: controlPlane.ServingCertificateApprover,
    attributes: ['nameRegex', 'ipPrefixes'],
    required: ['cluster'],
    leftOut: {},
    examples: {
      serving: { args: ({ cluster }) => ({ cluster, namePattern: 'shop-.*', addresses: ['10.0.0.0/8'] }) },
    },
  },
  NodeAccess: {
    samples: controlPlane.NodeAccess,
    prepare: ({ cluster, ...rest }, pool) => ({ ...somePools({ cluster, ...rest }, pool), cluster }),
    attributes: ['steps', 'rollback', 'artifacts', 'apiServerFlags', 'assumptions'],
    required: ['cluster', 'pools', 'via'],
    leftOut: {},
    examples: {
      access: {
        args: ({ cluster, pool }) => ({ cluster, pools: [pool], via: 'konnectivity' }),
        data: ({ cluster, pool }) => ({ cluster, pools: [pool], via: 'konnectivity' }),
      },
      gateways: {
        args: ({ cluster }) => ({
          cluster,
          pools: [HostNetworkNodePool.fromPoolName({ cluster, poolName: 'west' })],
          via: 'raven',
          gatewayNodes: { west: ['west-1'] },
        }),
        data: ({ cluster }) => ({
          cluster,
          pools: [{ poolName: 'west' }],
          via: 'raven',
          gatewayNodes: { west: ['west-1'] },
        }),
      },
    },
  },
};
