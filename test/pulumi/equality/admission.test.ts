import * as props from '../props.js';
import { provesEquality, twin } from './equality.js';

provesEquality([
  twin('EdgeSystemComponents', props.edgeSystemComponents, ['report', 'cannotKeepOff', 'kubeadmPatches']),
  twin('PoolAdmission', props.poolAdmission, ['report']),
  twin('OpenYurtWebhooks', props.openYurtWebhooks),
  twin('PoolWebhook', props.poolWebhook),
]);
