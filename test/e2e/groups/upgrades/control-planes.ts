import { fleetDiff } from 'edge-nodepools/checks';
import { before, judge } from '../admission/admission.js';
import { fleet, inForce } from '../admission/fleet.js';
import { podRequests } from '../admission/pod-requests.js';
import { templateRequests } from '../admission/template-requests.js';
import { poolRequests, poolsBefore } from '../admission/pool-requests.js';
import { nodeRequests } from '../admission/requests.js';
import { type ControlPlane, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { openYurtCrds } from '../../harness/openyurt.js';

const MINORS = ['1.30', '1.34', '1.36', '1.37'] as const;

/** Whether the minor serves MutatingAdmissionPolicy. */
const mutates = (minor: string): boolean => ['1.36', '1.37'].includes(minor);

async function guarded(plane: ControlPlane, withMutations: boolean, name: string, proof: Proof): Promise<void> {
  await inForce(plane, withMutations, proof);
  const requests = [
    ...(await nodeRequests(plane, withMutations)),
    ...poolRequests(),
    ...(await podRequests(plane, withMutations)),
    ...(await templateRequests(plane, withMutations)),
  ];
  await judge(plane, requests, name, proof);
}

/** The API server, minor after minor over one etcd: pools and policies stay, and what is refused stays refused between the steps of the plan. */
async function run(proof: Proof): Promise<void> {
  await onControlPlane({ kubernetes: MINORS[0] }, proof, async (plane) => {
    await plane.applyCrds(openYurtCrds('1.7', true));
    await before(plane);
    let earlier: string | undefined;
    for (const minor of MINORS) {
      const { pools, policies } = fleet(minor);
      if (earlier === undefined) {
        await plane.apply(pools);
        await poolsBefore(plane);
      } else {
        const written = fleet(earlier);
        const stored = await Promise.all(
          written.pools.map(async (pool) => plane.api.must('GET', await plane.api.pathOf(pool))),
        );
        await plane.upgradeApiServer(minor);
        const read = await Promise.all(
          written.pools.map(async (pool) => plane.api.must('GET', await plane.api.pathOf(pool))),
        );
        proof.same(`Kubernetes ${earlier} to ${minor}: every pool is what it was`, read, stored);
        await guarded(plane, mutates(earlier), `${minor} with the policies for ${earlier}`, proof);
        const { created, deleted } = fleetDiff(written.policies, policies);
        proof.same(`Kubernetes ${earlier} to ${minor}: fleetDiff says that no policy goes`, deleted, []);
        proof.same(
          `Kubernetes ${earlier} to ${minor}: fleetDiff says which appear`,
          created.some((name) => name.startsWith('MutatingAdmissionPolicy ')),
          mutates(minor) && !mutates(earlier),
        );
      }
      await plane.apply(policies);
      await guarded(plane, mutates(minor), `${minor} after the upgrade`, proof);
      earlier = minor;
    }
  });
}

export const controlPlanes: Group = {
  name: 'control-planes',
  claim:
    'the API server from 1.30 to 1.37 over one etcd keeps pools and policies, and refuses between the steps what it refuses before and after',
  programs: 'kube-apiserver 1.30, 1.34, 1.36 and 1.37',
  tools: MINORS.flatMap((kubernetes) => toolsOf({ kubernetes })),
  needs: ['all-minors'],
  run,
};
