import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { openYurtCrds } from '../../harness/openyurt.js';
import { fleet, type Tier } from './fleet.js';
import { remove } from './options.js';
import { LABEL, MEMBERSHIP } from './requests.js';

/** The policy for the label without the NodePool kind that it reads: what is refused, and the fix; nothing is refused by default. */
export async function missingKind(plane: ControlPlane, tier: Tier, name: string, proof: Proof): Promise<void> {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'new', labels: { [MEMBERSHIP]: 'hz' } } };
  const register = () => plane.api.send('POST', '/api/v1/nodes', node, { query: { dryRun: 'All' } });
  const policies = (failurePolicy?: 'Fail'): any[] => {
    const guarantees = failurePolicy === undefined ? {} : { nodeLabel: { failurePolicy } };
    return fleet(tier.kubernetes, { ...tier.props, pools: 'live', guarantees }).policies.filter(({ metadata }) =>
      metadata.name.endsWith('-node-label'),
    );
  };
  const fail = policies('Fail');
  await plane.apply(fail);
  await proof.eventually(
    `${name}: with Fail and without the NodePool kind every write of a node is refused`,
    async () => {
      const { status, body } = await register();
      return status >= 400 && body.message.includes('failed to find resource referenced by paramKind');
    },
  );
  // the fix: only the binding is deleted
  const isBinding = ({ kind }: any): boolean => kind.endsWith('Binding');
  await remove(plane, fail.filter(isBinding));
  await proof.eventually(
    `${name}: without that binding nodes are written again`,
    async () => (await register()).status === 201,
  );
  const byDefault = policies();
  await plane.apply(byDefault);
  for (let second = 0; second < 5; second++) {
    const { status, body } = await register();
    proof.that(`${name}: with live pools, a missing kind refuses nothing by default`, status === 201, body.message);
    await new Promise((done) => setTimeout(done, 1000));
  }
  await plane.applyCrds(openYurtCrds('1.7', true));
  await plane.apply(fleet(tier.kubernetes).pools);
  await proof.eventually(
    `${name}: when the kind exists, the label is set`,
    async () => (await register()).body.metadata?.labels?.[LABEL] === 'true',
    90,
  );
  await remove(plane, byDefault);
  // later nodes are as before the policies
  await proof.eventually(
    `${name}: without the policy no label is set`,
    async () => (await register()).body.metadata?.labels?.[LABEL] === undefined,
  );
}
