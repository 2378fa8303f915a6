/** Every noun, with what it may be given. */
import * as preconditions from '../precondition-props.js';
import * as props from '../props.js';
import { twin, type Twin } from './equality.js';

const POOLS_ANSWERS = ['poolName', 'joinLabels', 'registrationTaints', 'taints', 'nodeSelector', 'tolerations'];

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
  twin('EdgeSystemComponents', props.edgeSystemComponents, ['report', 'cannotKeepOff', 'kubeadmPatches']),
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
    ['userData', 'script', 'files', 'joinConfiguration', 'contentHash', 'leaveScript'],
    onePool,
  ),
  twin('KubeadmConfigTemplate', props.kubeadmConfigTemplate, [], onePool),
  twin('BootstrapToken', props.bootstrapToken, [], ({ cluster: _, ...given }) => given),
];

const PRECONDITIONS_ANSWERS = ['artifacts'];

export const PRECONDITIONS: readonly [string, Twin][] = [
  twin('EdgePreconditions', preconditions.edgePreconditions, PRECONDITIONS_ANSWERS),
  twin('KubeControllerManagerControllers', preconditions.kubeControllerManager, PRECONDITIONS_ANSWERS),
  twin('CoreDnsCorefile', preconditions.corefile, PRECONDITIONS_ANSWERS),
  twin('CoreDnsServiceTopology', preconditions.coreDnsService, PRECONDITIONS_ANSWERS),
  twin('CoreDnsDaemonSet', preconditions.coreDnsDaemonSet, PRECONDITIONS_ANSWERS),
  twin('KubeProxyConfiguration', preconditions.kubeProxy, PRECONDITIONS_ANSWERS),
];
