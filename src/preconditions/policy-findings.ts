import { MANAGED_BY, MANAGED_BY_LABEL } from '../kubernetes/labels.js';
import { mapAt, type PlainMap, valueAt } from '../base/plain-data.js';

/** A mutating policy of this library that is not in effect, although another one checks what it adds. */
export interface PolicyFinding {
  readonly policy: string;
  readonly state: 'missing';
  readonly reason: string;
}

/**
 * Finds mutating policies that the API server does not serve, or that were deleted. The check of each stays, and names its binding as its parameter, so an API server
 * that came back without the flags of `v1beta1` shows it: nothing excludes or labels any more, and nothing is refused.
 */
export function findPolicies(objects: readonly PlainMap[]): PolicyFinding[] {
  const named = (kind: string): ReadonlySet<unknown> =>
    new Set(objects.filter((object) => object.kind === kind).map((object) => mapAt(object, 'metadata').name));
  const mutating = named('MutatingAdmissionPolicy');
  const bound = named('MutatingAdmissionPolicyBinding');
  const checks = objects.filter(
    (object) =>
      object.kind === 'ValidatingAdmissionPolicy' &&
      mapAt(object, 'metadata').labels !== undefined &&
      mapAt(mapAt(object, 'metadata'), 'labels')[MANAGED_BY_LABEL] === MANAGED_BY &&
      valueAt(object, ['spec', 'paramKind', 'kind']) === 'MutatingAdmissionPolicyBinding',
  );
  return checks.flatMap((check): PolicyFinding[] => {
    const { name } = mapAt(check, 'metadata');
    const binding = objects.find(
      (object) => object.kind === 'ValidatingAdmissionPolicyBinding' && mapAt(object, 'spec').policyName === name,
    );
    const policy = binding && valueAt(binding, ['spec', 'paramRef', 'name']);
    if (typeof policy !== 'string' || (mutating.has(policy) && bound.has(policy))) {
      return [];
    }
    const version = String(valueAt(check, ['spec', 'paramKind', 'apiVersion']));
    const served = version.endsWith('/v1')
      ? ''
      : `, or the API server does not serve ${version} (--feature-gates=MutatingAdmissionPolicy=true --runtime-config=${version}=true)`;
    return [
      {
        policy,
        state: 'missing',
        reason: `${String(name)} checks what it adds, and ${mutating.has(policy) ? 'it has no binding' : `it is not in the dump${served}`}: nothing is excluded or labelled; apply the manifests of PoolAdmission again`,
      },
    ];
  });
}
