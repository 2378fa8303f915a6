import type { Group } from '../../harness/group.js';
import { nodeLifecycleJudge } from '../../harness/node-lifecycle-judge.js';
import { judgeDocumented } from './documented.js';
import { judgeOutages } from './sites.js';
import { ofChosenMinors } from '../../harness/minors.js';

/** The oldest and the newest minor of the tools. */
const MINORS = ofChosenMinors(['1.36', '1.30'] as const, (minor) => minor);

/** Sites for each minor; many more by hand. */
const SITES = Number(process.env.E2E_SITES ?? 400);

export const outages: Group = {
  name: 'outages',
  claim:
    'simulateOutage predicts what the controllers of kube-controller-manager do: which Nodes get NoExecute when, and which Pods are evicted, for sites at the edges of the thresholds, with zones and without; every row of the table of docs/offline.md',
  programs:
    'node-lifecycle-controller and taint-eviction-controller of Kubernetes 1.36.2 and 1.30.14, on Nodes in memory',
  tools: MINORS.map(nodeLifecycleJudge),
  run: async (proof) => {
    // the controllers wait most of the time
    await Promise.all(MINORS.flatMap((minor) => [judgeOutages(proof, minor, SITES), judgeDocumented(proof, minor)]));
  },
};
