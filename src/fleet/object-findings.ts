import { apiVersionFault, isKindOfKubernetes } from '../cluster/api-versions.js';
import { KUBERNETES_MINORS } from '../cluster/kubernetes-minors.js';
import { ProblemList } from '../base/errors.js';
import { groupKindOf, workloadKindOf } from '../kubernetes/group-kind.js';
import { isAbsent } from '../kubernetes/field-values.js';
import { checkMetadataFields, checkPlainKind, checkWrittenMetadata } from '../kubernetes/object-checks.js';
import { checkWrittenNodePool, unknownPoolFields } from '../pools/written-node-pool.js';
import { isMap } from '../base/plain-data.js';
import type { Finding } from './finding.js';
import { findingAt, type PlacedObject } from './placed-object.js';

const NEWEST = KUBERNETES_MINORS.at(-1)?.minor ?? '';

/**
 * What is wrong with an object of any kind: its apiVersion and kind, its metadata, a NodePool, and the values of kinds that most programs have.
 *
 * @param minor the minor of Kubernetes by which it is judged
 */
export function identityFindings(each: PlacedObject, minor = NEWEST): Finding[] {
  const { object } = each;
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    return missingFindings(each);
  }
  const fault = apiVersionFault(apiVersion, kind, minor);
  const found: Finding[] = [];
  if (fault !== undefined) {
    const { isRefused, ...problem } = fault;
    found.push(findingAt(each, isRefused ? 'error' : 'warning', problem));
  }
  const isPool = groupKindOf(object) === 'NodePool.apps.openyurt.io';
  const isKnown = isPool || isKindOfKubernetes(apiVersion, kind) || workloadKindOf(object) !== undefined;
  const problems = new ProblemList();
  // programs have files of this form, too, which no API server reads
  if (isKnown) {
    checkWrittenMetadata(object, problems.at('metadata'));
    checkPlainKind(object, problems);
    if (workloadKindOf(object) === undefined) {
      checkMetadataFields(object.metadata, problems.at('metadata'));
    }
  }
  if (isPool) {
    checkWrittenNodePool(object, problems);
  }
  found.push(...problems.problems.map((problem) => findingAt(each, 'error', problem)));
  return isPool ? [...found, ...unknownFindings(each)] : found;
}

/** A file of another program may also have one of the two: only what has the rest of an object is one. */
function missingFindings(each: PlacedObject): Finding[] {
  const { object } = each;
  if (!isMap(object.metadata) && !isMap(object.spec)) {
    return [];
  }
  return ['apiVersion', 'kind'].flatMap((field) => {
    const value = object[field];
    return typeof value === 'string'
      ? []
      : [
          findingAt(each, 'error', {
            code: isAbsent(value) ? 'EDGE_MISSING' : 'EDGE_TYPE',
            path: field,
            message: isAbsent(value) ? `the object has no ${field}` : `${field} must be text`,
            hint: field === 'kind' ? 'write kind: Deployment, or what it is' : 'write apiVersion: apps/v1, or its own',
          }),
        ];
  });
}

function unknownFindings(each: PlacedObject): Finding[] {
  return unknownPoolFields(each.object).map(({ field, near }) =>
    findingAt(each, near === undefined ? 'warning' : 'error', {
      code: 'EDGE_UNKNOWN_PROPERTY',
      path: `spec.${field}`,
      message: `a NodePool has no field ${field}: the API server drops it`,
      hint: near === undefined ? 'remove it, unless your OpenYurt is newer than this library' : `did you mean ${near}?`,
    }),
  );
}
