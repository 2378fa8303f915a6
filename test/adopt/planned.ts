import { EdgeCluster } from 'edge-nodepools';
import { EdgeError, ProblemList } from '../../src/base/errors.js';
import { type UpgradeInput, type UpgradePlan, planUpgrade } from '../../src/adopt/upgrade-plan.js';
import { dumpOf } from './dump.js';

export function planned(
  openYurt: readonly [string, string],
  kubernetes: readonly [string, string],
  objects: readonly any[] = dumpOf(openYurt[0], kubernetes[0]),
  more: Partial<UpgradeInput> = {},
): UpgradePlan {
  const problems = new ProblemList();
  const [from, to] = [0, 1].map((side) =>
    EdgeCluster.of({ openYurt: openYurt[side] as string, kubernetes: kubernetes[side] as string }),
  ) as [EdgeCluster, EdgeCluster];
  const plan = planUpgrade({ from, to, objects, ...more }, problems);
  problems.throwIfAny('upgrade');
  return plan;
}

export function refusal(...given: Parameters<typeof planned>): string {
  try {
    planned(...given);
    return 'planned';
  } catch (error) {
    return error instanceof EdgeError ? error.message : String(error);
  }
}

export const idsOf = ({ steps }: UpgradePlan): string[] => steps.map(({ id }) => id);
export const same = (release: string): [string, string] => [release, release];
export const step = (plan: UpgradePlan, id: string): any => plan.steps.find((each) => each.id === id);
