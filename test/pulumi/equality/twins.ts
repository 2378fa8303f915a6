/** Every noun, with its properties. */
import { KuryrKubernetes, ManilaCredentials } from 'edge-nodepools/pulumi';
import * as controlPlane from '../control-plane-props.js';
import * as preconditions from '../precondition-props.js';
import * as props from '../props.js';
import * as storage from '../storage-props.js';
import { twin, type Twin } from './equality.js';

const POOLS_ANSWERS = [
  'poolName',
  'joinLabels',
  'registrationTaints',
  'taints',
  'nodeSelector',
  'tolerations',
  'type',
  'expectedNodes',
];

export const POOLS: readonly [string, Twin][] = [
  twin('HostNetworkNodePool', props.hostNetworkNodePool, POOLS_ANSWERS),
  twin('EdgeNodePool', props.edgeNodePool, POOLS_ANSWERS),
  twin('ExcludedWorkload', props.excludedWorkload, ['report']),
  twin('HostNetworkWorkload', props.hostNetworkWorkload, ['changes'], (given, pool) => {
    const { cluster, pools, ...rest } = given;
    return { ...rest, pools: pools.map((one: any) => pool({ cluster, ...one })) };
  }),
];

export const ADMISSION: readonly [string, Twin][] = [
  twin('EdgeSystemComponents', props.edgeSystemComponents, ['report', 'notExcluded', 'kubeadmPatches']),
  twin('PoolAdmission', props.poolAdmission, ['report']),
  twin('OpenYurtWebhooks', props.openYurtWebhooks),
  twin('PoolWebhook', props.poolWebhook),
];

const onePool = ({ cluster, pools: [one], ...rest }: any, pool: (given: any) => unknown): any => ({
  ...rest,
  pool: pool({ cluster, ...one }),
});

export const JOINS: readonly [string, Twin][] = [
  twin(
    'NodeJoin',
    props.nodeJoin,
    [
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
    ],
    onePool,
  ),
  twin('KubeadmConfigTemplate', props.kubeadmConfigTemplate, [], onePool),
  twin('BootstrapToken', props.bootstrapToken, [], ({ cluster: _, ...given }) => given),
];

export const STORAGE: readonly [string, Twin][] = [
  twin('CinderStorageClass', storage.cinderStorageClass, ['storageClassName', 'medium', 'encrypted']),
  twin('VolumeSnapshotClass', storage.volumeSnapshotClass, ['snapshotClassName']),
  twin('ManilaStorageClass', storage.manilaStorageClass, [
    'storageClassName',
    'medium',
    'driverValues',
    'nodeArguments',
  ]),
  [
    'ManilaCredentials',
    {
      ...twin('ManilaCredentials', storage.manilaCredentials, ['secret'])[1],
      // Pulumi keeps secrets apart itself
      component: (name, { inManifest: _, ...given }) => new ManilaCredentials(name, given),
    },
  ],
  twin('OpenStackMachines', storage.openStackMachines, ['machineTemplateName', 'deploymentNames'], onePool),
  [
    'KuryrKubernetes',
    {
      ...twin('KuryrKubernetes', storage.kuryrKubernetes, ['secret'])[1],
      component: (name, { inManifest: _, ...given }) => new KuryrKubernetes(name, given),
    },
  ],
  twin('NfsVolume', storage.nfsVolume, ['claimName', 'medium']),
  twin('PersistentData', storage.persistentData, ['spec', 'helmValues', 'claimNames', 'volumes', 'volumeMounts']),
];

export const CONTROL_PLANE: readonly [string, Twin][] = [
  twin('ControlPlaneQos', controlPlane.ControlPlaneQos, [
    'kubeadmPatches',
    'files',
    'initConfiguration',
    'joinConfiguration',
    'report',
  ]),
  twin('EtcdCluster', controlPlane.EtcdCluster, [
    'members',
    'clusterConfiguration',
    'apiServerFlags',
    'certificatesScript',
    'serverGroup',
    'securityGroupRules',
  ]),
  twin('ServingCertificateApprover', controlPlane.ServingCertificateApprover, ['nameRegex', 'ipPrefixes']),
];

const PRECONDITIONS_ANSWERS = ['artifacts', 'report', 'commands'];

/** A single precondition, with its settings and the common properties. */
const single = (key: string, name: string, arbitrary: Twin['arbitrary']): [string, Twin] => {
  const prepare = ({ cluster, era, artifactFolder, ...settings }: any): any => ({
    cluster,
    ...(era === undefined ? {} : { era }),
    artifactFolder,
    only: [name],
    [name]: settings,
  });
  return [key, twin('EdgePreconditions', arbitrary, PRECONDITIONS_ANSWERS, prepare)[1]];
};

export const PRECONDITIONS: readonly [string, Twin][] = [
  twin('EdgePreconditions', preconditions.edgePreconditions, PRECONDITIONS_ANSWERS),
  single('KubeControllerManagerControllers', 'kubeControllerManager', preconditions.kubeControllerManager),
  single('CoreDnsCorefile', 'corefile', preconditions.corefile),
  single('CoreDnsServiceTopology', 'coreDnsService', preconditions.coreDnsService),
  single('CoreDnsDaemonSet', 'coreDnsDaemonSet', preconditions.coreDnsDaemonSet),
  single('KubeProxyConfiguration', 'kubeProxy', preconditions.kubeProxy),
];
