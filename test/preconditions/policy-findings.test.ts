import { EdgeCluster } from 'edge-nodepools';
import { planPoolAdmission } from '../../src/admission/pool-admission.js';
import { findPolicies } from '../../src/preconditions/policy-findings.js';
import { MANAGED_BY, MANAGED_BY_LABEL } from '../../src/kubernetes/labels.js';
import { planScope } from '../plan-scope.js';

/** The policies of PoolAdmission as they are in a cluster. */
function policies(kubernetes: string, mutatingAdmissionPolicy?: 'v1beta1'): any[] {
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: kubernetes });
  return planPoolAdmission({ cluster, mutatingAdmissionPolicy, otherPools: ['hz'] }, planScope()).objects.map(
    ({ object }: any) => ({ ...object, metadata: { ...object.metadata, labels: { [MANAGED_BY_LABEL]: MANAGED_BY } } }),
  );
}

const found = (objects: any[]): string[] => findPolicies(objects).map(({ policy }) => policy);
const isMutating = ({ kind }: any): boolean => /^Mutating/.test(kind as string);

describe('the mutating policies in a dump', () => {
  it.each([['1.34', 'v1beta1'] as const, ['1.36', undefined] as const])(
    'are found when they are not served, and only then, on %s',
    (kubernetes, version) => {
      const all = policies(kubernetes, version);
      expect(found(all)).toEqual([]);
      expect(found(all.filter((object) => !isMutating(object)))).toEqual([
        'edge-nodepools-node-label',
        'edge-nodepools-pods',
      ]);
      expect(found(all.filter(({ kind }) => kind !== 'MutatingAdmissionPolicyBinding'))).toHaveLength(2);
      // a dump without any policy says nothing about them
      expect(found([])).toEqual([]);
    },
  );

  it('are reported with the flags that the API server needs', () => {
    const [lost] = findPolicies(policies('1.34', 'v1beta1').filter((object) => !isMutating(object)));
    expect(lost?.reason).toContain('--runtime-config=admissionregistration.k8s.io/v1beta1=true');
    const [deleted] = findPolicies(policies('1.36').filter((object) => !isMutating(object)));
    expect(deleted?.reason).not.toContain('--runtime-config');
  });

  it('of others say nothing', () => {
    const foreign = policies('1.36')
      .filter((object) => !isMutating(object))
      .map((object) => ({ ...object, metadata: { name: object.metadata.name } }));
    expect(found(foreign)).toEqual([]);
  });
});
