import { complete, incomplete, neverRuns } from '../../../workloads/refused-shapes.js';
import { refusedValues } from '../../../workloads/refused-values.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';

/** The API server refuses the workloads that the library refuses for their shape, and accepts their neighbours. */
export async function judgeShapes(plane: ControlPlane, proof: Proof): Promise<void> {
  const isAccepted = async (workload: any): Promise<boolean | string> => {
    const path = (await plane.api.pathOf(workload)).replace(/\/[^/]*$/, '');
    const { status, body } = await plane.api.send('POST', path, workload, { query: { dryRun: 'All' } });
    return status < 300 || `${status} ${body.message}`;
  };
  const wrong: string[] = [];
  const refused = [...incomplete, ...refusedValues];
  const accepted = [...complete, ...neverRuns];
  for (const [what, workload] of refused) {
    if ((await isAccepted(workload)) === true) {
      wrong.push(`accepted by the API server: ${what}`);
    }
  }
  for (const [what, workload] of accepted) {
    const answer = await isAccepted(workload);
    if (answer !== true) {
      wrong.push(`refused by the API server: ${what}: ${answer}`);
    }
  }
  proof.same(
    `Kubernetes ${plane.kubernetes}: ${refused.length + accepted.length} workloads, refused for their shape and not`,
    wrong,
    [],
  );
}
