import { celAnnotation } from './cel.js';
import { isInGroups } from './policy.js';

/** Which object contains the Pod spec: a Pod, or a workload with a Pod template. */
export type PodCarrier = 'pod' | 'template';

/** Where the metadata and the spec of the Pod are, as a CEL expression and as a JSON pointer. */
export const POD_ROOT: Readonly<Record<PodCarrier, { readonly cel: string; readonly pointer: string }>> = {
  pod: { cel: 'object', pointer: '' },
  template: { cel: 'object.spec.template', pointer: '/spec/template' },
};

/** Annotation of mirror Pods, which a kubelet creates for its static Pods. Admission does not affect static Pods. */
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/**
 * Whether the Pod is not a mirror Pod. Only a kubelet creates one: a Pod that anybody else creates with the annotation is an ordinary Pod here, because its
 * ReplicaSet would replace it without end, as the kubelet of its node deletes it.
 */
export const NO_MIRROR = `!(${celAnnotation('object.metadata', MIRROR_ANNOTATION)} != '' && ${isInGroups(['system:nodes'])})`;

/** Whether the Pod has a `nodeName`. */
export const NAMES_ITS_NODE = `object.spec.?nodeName.orValue('') != ''`;
