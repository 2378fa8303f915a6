/**
 * The list of pools of a PoolAdmission, which is written when the program is declared.
 *
 * @jest-environment ./test/pulumi/rejections-environment.cjs
 */
import * as pulumi from '@pulumi/pulumi';
import { EdgeCluster, HostNetworkNodePool, PoolAdmission } from 'edge-nodepools/pulumi';
import { objectsIn, record, type Recorded, recordRefusal } from './recorded.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
const SECRET = '4dabf18193072939515e22adb298388d';

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
const after = async <T>(milliseconds: number, value: T): Promise<T> => {
  await wait(milliseconds);
  return value;
};

async function listed(
  program: () => Promise<void> | void,
): Promise<{ names: string; isSecret: boolean; errors: readonly string[] }> {
  const recording = await record(async () => {
    new PoolAdmission('admission', { cluster, otherPools: pulumi.output(['zoo', 'abroad']) });
    await program();
    await wait(100);
  });
  const policy = objectsIn(recording).find(
    ({ type, inputs }: any) =>
      type.endsWith(':MutatingAdmissionPolicy') && inputs.metadata.name === 'edge-nodepools-node-label',
  );
  // read back, a value with a secret in it is a secret as a whole
  const { spec } = policy?.inputs as any;
  const isSecret = SECRET in spec;
  const { matchConditions } = isSecret ? spec.value : spec;
  return { names: matchConditions[1].expression.split(' in ')[1], isSecret, errors: recording.errors };
}

it.each([0, 50])('contains a pool whose name is known after %d ms, as a secret if it is one', async (milliseconds) => {
  const result = await listed(() => {
    new HostNetworkNodePool('late', { cluster, poolName: pulumi.secret(after(milliseconds, 'late')) });
    new HostNetworkNodePool('now', { cluster, poolName: 'now' });
  });
  expect(result).toEqual({ names: `['abroad', 'late', 'now', 'zoo']`, isSecret: true, errors: [] });
});

it('refuses a pool that is declared too late', async () => {
  const { names } = await listed(async () => {
    // several turns of the event loop, because the first components load @pulumi/kubernetes
    for (let turn = 0; turn < 5; turn++) {
      await wait(20);
    }
    expect(() => new HostNetworkNodePool('late', { cluster, poolName: 'late' })).toThrow(/EDGE_CONTRADICTION/);
    // whatever its name will be
    const poolName = pulumi.output('later');
    expect(() => new HostNetworkNodePool('later', { cluster, poolName })).toThrow(/EDGE_CONTRADICTION/);
  });
  expect(names).toBe(`['abroad', 'zoo']`);
});

it('is not written with a name that is refused', async () => {
  const registered: Recorded[] = [];
  const shown = await recordRefusal(async () => {
    new HostNetworkNodePool('bad', { cluster, poolName: pulumi.output('Bad_') });
    new PoolAdmission('admission', { cluster });
    await wait(100);
  }, registered);
  expect(shown).toMatch(/EDGE_NAME {2}poolName/);
  expect(registered.map(({ type }) => type)).toContain('edge-nodepools:index:PoolAdmission');
  expect(registered.filter(({ type }) => /:(MutatingAdmissionPolicy|NodePool)$/.test(type))).toEqual([]);
});
