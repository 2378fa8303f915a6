import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { fleet, type Tier } from './fleet.js';
import { remove } from './options.js';
import { DESIRED, dry, LABEL, MEMBERSHIP, MERGE } from './requests.js';

const NODES = '/api/v1/nodes';

/** What the pages say of nodes whose pool becomes one of the other kind, and of nodes that join again without their pool. */
export async function poolChanges(plane: ControlPlane, tier: Tier, name: string, proof: Proof): Promise<void> {
  const told = (what: string): string => `Kubernetes ${name}: ${what}`;
  const of = (otherPools: string[]): any[] =>
    fleet(tier.kubernetes, { ...tier.props, namePrefix: 'changed', otherPools }).policies;
  const labelOf = async (node: string): Promise<unknown> => {
    const options = dry({ contentType: MERGE });
    const { body } = await plane.api.send(
      'PATCH',
      `${NODES}/${node}`,
      { metadata: { labels: { site: 'x' } } },
      options,
    );
    return body.metadata?.labels?.[LABEL];
  };
  const register = (node: string, labels: object): Promise<any> =>
    plane.api.must('POST', NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: node, labels } });
  await register('was-regular', { [MEMBERSHIP]: 'turned' });
  await plane.apply(of(['turned']));
  await proof.eventually(
    told('a node of a regular pool that is now a host-network pool gets the label with its next write'),
    async () => (await labelOf('was-regular')) === 'true',
  );
  await register('was-edge', { [MEMBERSHIP]: 'turned' });
  const was = await plane.api.must('GET', `${NODES}/was-edge`);
  proof.same(told('a node of the pool registers with the label'), was.metadata.labels[LABEL], 'true');
  await plane.apply(of([]));
  await new Promise((done) => setTimeout(done, 2500));
  proof.same(
    told('a node keeps the label when its pool becomes a regular one, so that nothing starts there that cannot run'),
    await labelOf('was-edge'),
    'true',
  );
  for (const node of ['was-edge', 'was-regular']) {
    await plane.api.must('DELETE', `${NODES}/${node}`);
  }
  await plane.apply(of(['turned']));
  await new Promise((done) => setTimeout(done, 2500));
  const joined = await register('was-edge', { [DESIRED]: '' });
  proof.same(
    told('a node that is deleted and joins again without its pool is an ordinary node'),
    joined.metadata.labels[LABEL],
    undefined,
  );
  const again = await plane.api.must(
    'PATCH',
    `${NODES}/was-edge`,
    { metadata: { labels: { [MEMBERSHIP]: 'turned' } } },
    { contentType: MERGE },
  );
  proof.same(told('and gets the label when it is put into the pool again'), again.metadata.labels[LABEL], 'true');
  await plane.api.must('DELETE', `${NODES}/was-edge`);
  await remove(plane, of(['turned']));
}
