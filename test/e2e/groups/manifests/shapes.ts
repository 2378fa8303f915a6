import { incomplete, neverRuns } from '../../../workloads/refused-shapes.js';
import {
  acceptedOfCheck,
  acceptedValues,
  refusedLater,
  refusedOfCheck,
  refusedValues,
} from '../../../workloads/refused-values.js';
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
  const isLater = (since: string): boolean => Number(plane.kubernetes.slice(2)) < Number(since.slice(2));
  const later = (isTrue: boolean): [string, object][] =>
    refusedLater.filter(([since]) => isLater(since) === isTrue).map(([, what, workload]) => [what, workload]);
  const refused = [
    ...incomplete.map(([what, workload]) => [what, workload] as const),
    ...refusedValues,
    ...refusedOfCheck,
    ...later(false),
  ];
  const accepted = [...acceptedValues, ...acceptedOfCheck, ...neverRuns, ...later(true)];
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
