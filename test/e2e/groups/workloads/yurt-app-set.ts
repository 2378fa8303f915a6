import { EdgeCluster } from '../../../../src/cluster/edge-cluster.js';
import { ProblemList } from '../../../../src/errors.js';
import { podSpecExcludes } from '../../../../src/kubernetes/node-affinity.js';
import { excludeWorkload } from '../../../../src/workloads/exclusion.js';
import { type Tweak, TWEAKS, yurtAppSet } from '../../../corpus/yurt-app-tweaks.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';

const POOL = 'shop';
const SETS = '/apis/apps.openyurt.io/v1beta1/namespaces/default/yurtappsets';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

/** An excluded YurtAppSet on a host-network pool, to which the patches are added afterwards. */
function excludedSet(name: string, { patches }: Tweak): any {
  const { manifest } = excludeWorkload(cluster, yurtAppSet(name, { pools: [POOL] }), {}, new ProblemList()) as any;
  const tweaks = patches.length === 0 ? {} : { workloadTweaks: [{ pools: [POOL], tweaks: { patches } }] };
  return { ...manifest, spec: { ...manifest.spec, workload: { ...manifest.spec.workload, ...tweaks } } };
}

/** Whether a YurtAppSet with these patches is accepted by the library. */
function isAccepted(name: string, tweak: Tweak): boolean {
  return excludeWorkload(cluster, excludedSet(name, tweak), {}, new ProblemList()) !== undefined;
}

/** What the YurtAppSet controller of yurt-manager 1.7 makes of patches: those that we accept keep the exclusion. */
export async function yurtAppSets(plane: ControlPlane, proof: Proof): Promise<void> {
  const { api } = plane;
  await api.must('POST', '/apis/apps.openyurt.io/v1beta2/nodepools', {
    apiVersion: 'apps.openyurt.io/v1beta2',
    kind: 'NodePool',
    metadata: { name: POOL },
    spec: { type: 'Edge', hostNetwork: true },
  });
  const sets = TWEAKS.map((tweak, index) => ({ tweak, name: `tweak-${index}` }));
  const made = new Set<string>();
  for (const { tweak, name } of sets) {
    const { status } = await api.send('POST', SETS, excludedSet(name, tweak));
    if (status < 300) {
      made.add(name);
    }
  }
  const found = new Map<string, any>();
  await proof.eventually('yurt-manager 1.7: every YurtAppSet has a Deployment for its pool', async () => {
    const { items } = await api.must('GET', DEPLOYMENTS);
    (items as any[]).forEach((item) => found.set(item.metadata.ownerReferences[0].name as string, item));
    return [...made].every((name) => found.has(name));
  });
  for (const { tweak, name } of sets) {
    const deployment = found.get(name);
    const is =
      deployment === undefined ? 'no Deployment' : podSpecExcludes(deployment.spec.template.spec) ? 'excluded' : 'free';
    const claim = `yurt-manager 1.7, workloadTweaks: ${tweak.what}`;
    proof.same(claim, is, tweak.in17 ?? (tweak.refused === undefined ? 'excluded' : 'free'));
    proof.that(
      `${claim}: accepted by the library only if it keeps the exclusion`,
      is === 'excluded' || !isAccepted(name, tweak),
      is,
    );
    proof.that(
      `${claim}: refused if it undoes the exclusion`,
      isAccepted(name, tweak) === (tweak.refused === undefined),
    );
  }
}
