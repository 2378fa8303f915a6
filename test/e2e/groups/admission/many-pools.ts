import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { fleet, type Tier } from './fleet.js';
import { remove } from './options.js';
import { LABEL, MEMBERSHIP } from './requests.js';

/** Names of the greatest length, so that the policy is as large as it can be with so many pools. */
const MANY = Array.from({ length: 5000 }, (_, index) => `pool-${index}-`.padEnd(63, 'x'));

/** The policy with the names of 5,000 pools is accepted, and finds each of them, also at the borders of its conditions. */
export async function manyPools(plane: ControlPlane, tier: Tier, name: string, proof: Proof): Promise<void> {
  const { policies } = fleet(tier.kubernetes, { ...tier.props, namePrefix: 'many', otherPools: MANY });
  const labelPolicies = policies.filter(({ metadata }) => metadata.name === 'many-node-label');
  await plane.apply(labelPolicies);
  const isLabelled = async (pool: string): Promise<boolean> => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'new', labels: { [MEMBERSHIP]: pool } } };
    const { metadata } = await plane.api.must('POST', '/api/v1/nodes', node, { query: { dryRun: 'All' } });
    return metadata.labels[LABEL] === 'true';
  };
  await proof.eventually(`${name}: a policy with ${MANY.length} pools is in force`, () =>
    isLabelled(MANY[0] as string),
  );
  const sorted = [...MANY].sort();
  const spread = [0, 1, 1341, 1342, 1343, 2684, 2685, 4997, 4998, 4999].map((index) => sorted[index] as string);
  const [found, others] = [
    await Promise.all(spread.map(isLabelled)),
    await Promise.all(spread.map((pool) => isLabelled(pool.slice(1)))),
  ];
  proof.same(
    `${name}: a node of each of them gets the label`,
    found,
    spread.map(() => true),
  );
  proof.same(
    `${name}: a node of no other pool gets it`,
    others,
    spread.map(() => false),
  );
  proof.note(
    `${name}: ${JSON.stringify(labelPolicies).length} bytes, ${labelPolicies.find(({ kind }) => kind === 'MutatingAdmissionPolicy').spec.variables.length - 1} conditions`,
  );
  await remove(plane, labelPolicies);
}
