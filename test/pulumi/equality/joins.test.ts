import * as props from '../props.js';
import { provesEquality, twin } from './equality.js';

const onePool = ({ cluster, pools: [one], ...rest }: any, pool: (given: any) => unknown): any => ({
  ...rest,
  pool: pool({ cluster, ...one }),
});

provesEquality([
  twin(
    'NodeJoin',
    props.nodeJoin,
    ['userData', 'script', 'files', 'joinConfiguration', 'contentHash', 'leaveScript'],
    onePool,
  ),
  twin('KubeadmConfigTemplate', props.kubeadmConfigTemplate, [], onePool),
  twin('BootstrapToken', props.bootstrapToken, [], ({ cluster: _, ...given }) => given),
]);
