import { OPENYURT_RELEASES } from '../cluster/openyurt-releases.js';
import type { ProblemList } from '../base/errors.js';
import { isAbsent, readTexts } from '../kubernetes/field-values.js';
import { checkAnnotations, checkLabels } from '../kubernetes/label-syntax.js';
import { checkTaints } from '../kubernetes/taint.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { checkBoolean, checkOneOf, nearMiss } from '../base/properties.js';
import { POOL_PROPERTIES, POOL_TYPES } from './node-pool-props.js';

/** Fields of the spec in every version: of a v1alpha1 object also its selector. */
const FIELDS = [...new Set([...OPENYURT_RELEASES.flatMap(({ nodePoolFields }) => nodePoolFields), 'selector'])];

/** Refuses what OpenYurt refuses of a NodePool in a file: the CustomResourceDefinition, or its webhook (pkg/yurtmanager/webhook/nodepool). */
export function checkWrittenNodePool(object: PlainMap, problems: ProblemList): void {
  const spec = mapAt(object, 'spec');
  const at = problems.at('spec');
  const { type, hostNetwork, labels, annotations, taints } = spec;
  if (!isAbsent(hostNetwork)) {
    checkBoolean(hostNetwork, at.at('hostNetwork'));
  }
  if (!isAbsent(type) && type !== '') {
    if (type === 'Cloud' && hostNetwork === true) {
      POOL_PROPERTIES['host-network'].type(type, at.at('type'));
    } else {
      checkOneOf(type, POOL_TYPES, at.at('type'));
    }
  }
  checkLabels(readTexts(labels ?? undefined), at.at('labels'));
  checkAnnotations(readTexts(annotations ?? undefined), at.at('annotations'));
  checkTaints(withoutNull(taints), at.at('taints'));
}

/** Fields of the spec that no release has, each with the one that is close. */
export function unknownPoolFields(object: PlainMap): readonly { readonly field: string; readonly near?: string }[] {
  return Object.entries(mapAt(object, 'spec'))
    .filter(([field, value]) => !FIELDS.includes(field) && !isAbsent(value))
    .map(([field]) => {
      const near = nearMiss(field, FIELDS);
      return near === undefined ? { field } : { field, near };
    });
}

/** Taints as the API server reads them: a field that is null is absent. */
function withoutNull(taints: unknown): unknown {
  return Array.isArray(taints)
    ? taints.map((taint: unknown) =>
        isMap(taint) ? Object.fromEntries(Object.entries(taint).filter(([, value]) => value !== null)) : taint,
      )
    : (taints ?? undefined);
}
