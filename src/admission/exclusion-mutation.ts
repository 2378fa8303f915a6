import type { PlainMap } from '../validation/plain-data.js';
import { HOST_NETWORK_LABEL, TRUE } from '../kubernetes/labels.js';
import { EXCLUSION, REQUIRED_PATH } from '../kubernetes/node-affinity.js';
import { celText } from './cel.js';
import { POD_ROOT, type PodCarrier } from './guarantees/pod-conditions.js';
import type { Named } from './policy.js';

/**
 * Whether a requirement already excludes host-network nodes. For Pods: the condition of OpenYurt's webhook, so that both write the same affinity and
 * do not add it twice (pkg/yurtmanager/webhook/pod/v1alpha1/pod_default.go). For templates: the condition of ExcludedWorkload, so that what it wrote is
 * not changed.
 */
const ALREADY: Readonly<Record<PodCarrier, string>> = {
  pod: `e.operator == 'NotIn' && e.?values.orValue([]) == [${celText(TRUE)}]`,
  template: `(e.operator == 'DoesNotExist' || e.operator == 'NotIn' && ${celText(TRUE)} in e.?values.orValue([]))`,
};

/** Variables of {@link exclusionMutation}. Values of a map literal must have one type, hence dyn(). */
export function exclusionVariables(carrier: PodCarrier): Named[] {
  const { cel, pointer } = POD_ROOT[carrier];
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
 * Appends the requirement to every non-empty term. A replaced list of requirements is refused by Kubernetes 1.37, and one of `Object{}` literals makes
 * the API server's request handler panic in earlier minors (kubernetes/kubernetes#142181). An empty term matches no node and is not changed. OpenYurt's
 * webhook adds the requirement to it, and then it matches every other node.
 */
export function exclusionMutation(carrier: PodCarrier): PlainMap {
  const { cel, pointer } = POD_ROOT[carrier];
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
