import * as props from '../props.js';
import { provesEquality, twin } from './equality.js';

const ANSWERS = ['poolName', 'joinLabels', 'registrationTaints', 'taints', 'nodeSelector', 'tolerations'];

provesEquality([
  twin('HostNetworkNodePool', props.hostNetworkNodePool, ANSWERS),
  twin('EdgeNodePool', props.edgeNodePool, ANSWERS),
  twin('ExcludedWorkload', props.excludedWorkload, ['report']),
  twin('HostNetworkWorkload', props.hostNetworkWorkload, ['changes'], (given, pool) => {
    const { cluster, pools, ...rest } = given;
    return { ...rest, pools: pools.map((one: any) => pool({ cluster, ...one })) };
  }),
]);
