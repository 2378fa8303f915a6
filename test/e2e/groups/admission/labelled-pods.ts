import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { fleet, type Tier } from './fleet.js';
import { remove } from './options.js';
import { excludedTerms, pod, requiredTerms } from './pod-requests.js';
import { ANNOTATION, dry } from './requests.js';

/** A cluster whose admission judges only Pods with the label that this library writes into templates: what is held, and what is given up. */
export async function labelledPods(plane: ControlPlane, tier: Tier, name: string, proof: Proof): Promise<void> {
  const { policies } = fleet(tier.kubernetes, { ...tier.props, namePrefix: 'labelled' }, '1.7', {
    labelsExcludedPods: true,
  });
  await plane.apply(policies);
  const create = async (labels: Record<string, string>, spec: object = {}): Promise<any> => {
    const body = pod(spec, { [ANNOTATION]: 'true' });
    body.metadata.labels = labels;
    return (await plane.api.must('POST', '/api/v1/namespaces/default/pods', body, dry())).spec;
  };
  const label = { 'edge-nodepools/excluded': 'true' };
  // first, because policies that were deleted before are still in effect for about a second
  await proof.eventually(
    `Kubernetes ${name}: one without the label is not judged`,
    async () => requiredTerms(await create({})) === undefined,
  );
  await proof.eventually(
    `Kubernetes ${name}: an annotated Pod with the label gets the affinity`,
    async () => JSON.stringify(requiredTerms(await create(label))) === JSON.stringify(excludedTerms(undefined)),
  );
  proof.same(
    `Kubernetes ${name}: one with the label that names its node is left to the scheduler`,
    (await create(label, { nodeName: 'member' })).nodeName,
    undefined,
  );
  await remove(plane, policies);
}
