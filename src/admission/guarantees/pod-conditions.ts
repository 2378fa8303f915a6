import { celAnnotation } from '../cel.js';

/** Which object contains the Pod spec: a Pod, or a workload with a Pod template. */
export type PodCarrier = 'pod' | 'template';

/** Where the metadata and the spec of the Pod are, as a CEL expression and as a JSON pointer. */
export const POD_ROOT: Readonly<Record<PodCarrier, { readonly cel: string; readonly pointer: string }>> = {
  pod: { cel: 'object', pointer: '' },
  template: { cel: 'object.spec.template', pointer: '/spec/template' },
};

/** Annotation of mirror Pods, which a kubelet creates for its static Pods. Admission does not affect static Pods. */
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** Whether the Pod is not a mirror Pod. A kubelet runs no Pod from the API server that has the annotation, so it cannot be used to bypass the policies. */
export const NO_MIRROR = `${celAnnotation('object.metadata', MIRROR_ANNOTATION)} == ''`;

/** Whether the Pod has a `nodeName`. */
export const NAMES_ITS_NODE = `object.spec.?nodeName.orValue('') != ''`;
