import { celAnnotation } from '../cel.js';

/** What carries the Pod spec: a Pod, or a workload with a Pod template. */
export type PodCarrier = 'pod' | 'template';

/** The object that holds metadata and spec of the Pod, as CEL, and as the beginning of a JSON pointer. */
export const POD_ROOT: Readonly<Record<PodCarrier, { readonly cel: string; readonly pointer: string }>> = {
  pod: { cel: 'object', pointer: '' },
  template: { cel: 'object.spec.template', pointer: '/spec/template' },
};

/** Annotation of the Pods by which the API server mirrors a kubelet's static Pods; nothing about them is decided by admission. */
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** Whether the Pod is not the mirror of a static Pod. A kubelet runs no Pod with the annotation, so nobody gains anything by writing it. */
export const NO_MIRROR = `${celAnnotation('object.metadata', MIRROR_ANNOTATION)} == ''`;

/** Whether the Pod names its node itself. */
export const NAMES_ITS_NODE = `object.spec.?nodeName.orValue('') != ''`;
