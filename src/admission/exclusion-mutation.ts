import type { PlainMap } from '../validation/plain-data.js';
import { EXCLUDE_ANNOTATION, HOST_NETWORK_LABEL, TRUE } from '../kubernetes/labels.js';
import { EXCLUSION, REQUIRED_PATH } from '../kubernetes/node-affinity.js';
import { celAnnotation, celText } from './cel.js';
import type { PoolGuarantee } from './guarantee.js';
import type { Named } from './policy.js';

/** What carries the Pod spec: a Pod, or a workload with a Pod template. */
export type PodCarrier = 'pod' | 'template';

/** The object that holds metadata and spec of the Pod, as CEL, and as the beginning of a JSON pointer. */
const ROOT: Readonly<Record<PodCarrier, { readonly cel: string; readonly pointer: string }>> = {
  pod: { cel: 'object', pointer: '' },
  template: { cel: 'object.spec.template', pointer: '/spec/template' },
};

/** Annotation of the Pods by which the API server mirrors a kubelet's static Pods; nothing about them is decided by admission. */
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** Whether the Pod is not the mirror of a static Pod. A kubelet runs no Pod with the annotation, so nobody gains anything by writing it. */
export const NO_MIRROR = `${celAnnotation('object.metadata', MIRROR_ANNOTATION)} == ''`;

/** Whether the Pod names its node itself. */
export const NAMES_ITS_NODE = `object.spec.?nodeName.orValue('') != ''`;

/** The Pods that one policy concerns, as one condition: every condition of a policy costs each request its time, needed or not. */
export function wantsExclusion(carrier: PodCarrier, guarantees: readonly PoolGuarantee[]): Named {
  const { cel } = ROOT[carrier];
  const podNetwork = `${cel}.spec.?hostNetwork.orValue(false) != true`;
  // the mirror of a static Pod is left alone: changing it does not change the Pod
  const noMirror = carrier === 'pod' ? ` && ${NO_MIRROR}` : '';
  const conditions: Partial<Record<PoolGuarantee, string>> = {
    annotatedPods: `${celAnnotation('object.metadata', EXCLUDE_ANNOTATION)} == ${celText(TRUE)}`,
    annotatedTemplates: `${celAnnotation(`${cel}.?metadata`, EXCLUDE_ANNOTATION)} == ${celText(TRUE)}`,
    presetNodeName: `(${NAMES_ITS_NODE} && ${podNetwork}${noMirror})`,
    strict: `(${podNetwork}${noMirror})`,
  };
  // strict concerns those with a preset node too
  const needed = guarantees.filter((guarantee) => guarantee !== 'presetNodeName' || !guarantees.includes('strict'));
  return { name: 'kept-off', expression: needed.map((guarantee) => conditions[guarantee]).join(' || ') };
}

/**
 * When a term already keeps host-network nodes out. For Pods exactly as OpenYurt's webhook reads it, so that both give the same affinity and,
 * together, add nothing twice (pkg/yurtmanager/webhook/pod/v1alpha1/pod_default.go); for templates as this library reads it at synth, so that
 * what it wrote is never changed.
 */
const ALREADY: Readonly<Record<PodCarrier, string>> = {
  pod: `e.operator == 'NotIn' && e.?values.orValue([]) == [${celText(TRUE)}]`,
  template: `(e.operator == 'DoesNotExist' || e.operator == 'NotIn' && ${celText(TRUE)} in e.?values.orValue([]))`,
};

/** Variables of {@link exclusionMutation}. Values of a map literal must have one type, hence dyn(). */
export function exclusionVariables(carrier: PodCarrier): Named[] {
  const { cel, pointer } = ROOT[carrier];
  const [affinity, ...inner] = REQUIRED_PATH;
  const terms = `${cel}.spec.?${[affinity, ...inner, 'nodeSelectorTerms'].join('.?')}.orValue([])`;
  const values = (EXCLUSION.values ?? []).map(celText).join(', ');
  const requirement = `{'key': dyn(${celText(EXCLUSION.key)}), 'operator': dyn(${celText(EXCLUSION.operator)}), 'values': dyn([${values}])}`;
  return [
    { name: 'terms', expression: terms },
    { name: 'requirement', expression: requirement },
    { name: 'base', expression: celText(`${pointer}/spec/${REQUIRED_PATH.join('/')}`) },
  ];
}

/**
 * Puts the requirement into every non-empty term, by appending: a rewritten list of requirements is refused by Kubernetes 1.37, and one of
 * `Object{}` literals ends the API server's request handler before that (kubernetes/kubernetes#142181). An empty term matches no node and stays
 * so; OpenYurt's webhook fills it, after which it matches every other node.
 */
export function exclusionMutation(carrier: PodCarrier): PlainMap {
  const { cel, pointer } = ROOT[carrier];
  const fresh = `{"nodeSelectorTerms": [{"matchExpressions": [variables.requirement]}]}`;
  const [affinity, nodeAffinity, required] = REQUIRED_PATH;
  const add = (path: string, value: string): string => `[JSONPatch{op: "add", path: ${path}, value: ${value}}]`;
  return {
    patchType: 'JSONPatch',
    jsonPatch: {
      expression: [
        `size(variables.terms) > 0`,
        `? variables.terms.transformList(i, t,`,
        `    size(t.?matchExpressions.orValue([])) + size(t.?matchFields.orValue([])) > 0 &&`,
        `    !t.?matchExpressions.orValue([]).exists(e, e.key == ${celText(HOST_NETWORK_LABEL)} && ${ALREADY[carrier]}),`,
        `    JSONPatch{`,
        `      op: "add",`,
        `      path: variables.base + "/nodeSelectorTerms/" + string(i) + "/matchExpressions" + (size(t.?matchExpressions.orValue([])) > 0 ? "/-" : ""),`,
        `      value: size(t.?matchExpressions.orValue([])) > 0 ? dyn(variables.requirement) : dyn([variables.requirement])`,
        `    })`,
        `: !has(${cel}.spec.${affinity})`,
        `? ${add(celText(`${pointer}/spec/${affinity}`), `{"${nodeAffinity}": {"${required}": ${fresh}}}`)}`,
        `: !has(${cel}.spec.${affinity}.${nodeAffinity})`,
        `? ${add(celText(`${pointer}/spec/${affinity}/${nodeAffinity}`), `{"${required}": ${fresh}}`)}`,
        `: ${add('variables.base', fresh)}`,
      ].join('\n'),
    },
  };
}
