import * as props from '../precondition-props.js';
import { provesEquality, twin } from './equality.js';

const ANSWERS = ['artifacts'];

provesEquality([
  twin('EdgePreconditions', props.edgePreconditions, ANSWERS),
  twin('KubeControllerManagerControllers', props.kubeControllerManager, ANSWERS),
  twin('CoreDnsCorefile', props.corefile, ANSWERS),
  twin('CoreDnsServiceTopology', props.coreDnsService, ANSWERS),
  twin('CoreDnsDaemonSet', props.coreDnsDaemonSet, ANSWERS),
  twin('KubeProxyConfiguration', props.kubeProxy, ANSWERS),
]);
