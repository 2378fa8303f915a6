import type { ApiAnswer } from '../../harness/api-client.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { fleet, type Tier } from './fleet.js';
import { remove } from './options.js';
import { excludedTerms, pod, requiredTerms } from './pod-requests.js';
import { ANNOTATION, dry } from './requests.js';

/**
 * An API server that comes back without the flags of v1beta1: it serves the validating policies, and no mutating ones. Nothing is refused for lack of what
 * nobody adds any more; with the flags the guarantee holds again.
 */
export async function lostFlags(plane: ControlPlane, tier: Tier, name: string, proof: Proof): Promise<void> {
  const { policies } = fleet(tier.kubernetes, { ...tier.props, guarantees: { strict: true, namespaceGate: true } });
  await plane.apply(policies);
  const create = (
    spec: object,
    annotations: Record<string, string> = {},
    namespace = 'default',
  ): Promise<ApiAnswer> => {
    const body = { ...pod(spec, annotations), metadata: { name: 'new', namespace, annotations } };
    return plane.api.send('POST', `/api/v1/namespaces/${namespace}/pods`, body, dry());
  };
  const isExcluded = async (): Promise<boolean> => {
    const { body } = await create({});
    return JSON.stringify(requiredTerms(body.spec)) === JSON.stringify(excludedTerms(undefined));
  };
  await proof.eventually(`${name}: with its flags, strict is in effect`, isExcluded);
  await plane.restartApiServerWith({});
  // the check is read again within a second or two
  await new Promise((done) => setTimeout(done, 3000));
  for (const [what, answer] of [
    ['a Pod', await create({})],
    ['a Pod of kube-system', await create({}, {}, 'kube-system')],
    ['an annotated Pod', await create({}, { [ANNOTATION]: 'true' })],
    ['a Pod that names its node', await create({ nodeName: 'outside' })],
  ] as const) {
    proof.that(`${name}: without its flags, ${what} is admitted`, answer.status === 201, answer.body.message);
  }
  const { featureGates, runtimeConfig } = tier.plane ?? {};
  await plane.restartApiServerWith({ featureGates, runtimeConfig });
  await proof.eventually(`${name}: with its flags again, strict is in effect`, isExcluded);
  await remove(plane, policies);
}
