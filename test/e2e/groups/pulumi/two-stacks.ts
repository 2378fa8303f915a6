import { ExclusionStrategy } from 'edge-nodepools';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { type EngineRun, PulumiProject } from '../../harness/pulumi-project.js';
import type { SystemComponentsSettings } from '../../programs/system-components.js';
import { isExcluded, requiredOf } from '../system-components/excluded-component.js';

const { ADMISSION_POLICY, SERVER_SIDE_APPLY } = ExclusionStrategy;

/** Two stacks that patch one component, and a tool that has set another affinity. */
export async function twoStacks(
  plane: ControlPlane,
  proof: Proof,
  kubeProxy: any,
  must: (what: string, run: EngineRun) => void,
): Promise<void> {
  const look = async (): Promise<any> => plane.api.must('GET', await plane.api.pathOf(kubeProxy));
  const [a, b] = ['a', 'b'].map(
    (name) => new PulumiProject(plane.folder, 'system-components', plane.kubeconfig, {}, `components-${name}`),
  ) as [PulumiProject, PulumiProject];
  const strategy = [ADMISSION_POLICY, SERVER_SIDE_APPLY];
  const inA: SystemComponentsSettings = { exclude: ['kube-proxy'], strategy };
  const inB: SystemComponentsSettings = { ...inA, policyName: 'of-b' };
  must('two stacks: up of A', a.up(inA));
  const clash = b.up(inA);
  proof.that(
    'two stacks: a policy of the same name is refused',
    clash.status !== 0 && /already exists/.test(clash.said),
    clash.said,
  );
  proof.that('two stacks: and the ways on are reported', /write policyName: '…'/.test(clash.said), clash.said);
  must('two stacks: up of B with a policy of its own', b.up(inB));
  must('two stacks: nothing changes for A', a.up(inA, ['--refresh', '--expect-no-changes']));
  must('two stacks: nothing changes for B', b.up(inB, ['--refresh', '--expect-no-changes']));
  must('two stacks: destroy of B', b.destroy(inB));
  proof.that('two stacks: what A has patched stays', isExcluded(await look()), requiredOf(await look()));
  must('two stacks: still nothing changes for A', a.up(inA, ['--refresh', '--expect-no-changes']));
  must('two stacks: destroy of A', a.destroy(inA));
  proof.same('two stacks: then the affinity is gone', requiredOf(await look()), undefined);

  const terms = [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['east'] }] }];
  const theirs = (nodeSelectorTerms: unknown): any => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: kubeProxy.metadata.name, namespace: kubeProxy.metadata.namespace },
    spec: {
      template: {
        spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } },
      },
    },
  });
  // the API server evaluates a deleted policy for a moment more, and would add the exclusion to what the tool applies
  await proof.eventually('two stacks: the policy of A is gone', async () => {
    await plane.apply([theirs(terms)], 'another-tool');
    return JSON.stringify(requiredOf(await look())) === JSON.stringify({ nodeSelectorTerms: terms });
  });
  const patch: SystemComponentsSettings = { exclude: ['kube-proxy'], strategy: SERVER_SIDE_APPLY };
  const conflict = a.up(patch);
  proof.that('conflict: the update fails', conflict.status !== 0, conflict.said);
  proof.that('conflict: with the name of the other owner', conflict.said.includes('"another-tool"'), conflict.said);
  proof.that('conflict: and the ways on', /write force: true/.test(conflict.said), conflict.said);
  proof.same('conflict: nothing is changed', requiredOf(await look()), { nodeSelectorTerms: terms });
  const forced: SystemComponentsSettings = { ...patch, force: true };
  must('conflict: up with force', a.up(forced));
  proof.that('conflict: kube-proxy is excluded', isExcluded(await look()));
  must('conflict: a second up with force changes nothing', a.up(forced, ['--refresh', '--expect-no-changes']));
  must('conflict: destroy', a.destroy(forced));
  proof.same('conflict: one destroy removes the affinity', requiredOf(await look()), undefined);

  const missing = a.up({ ...patch, exclude: ['coredns'] });
  proof.that(
    'a component that does not exist is reported',
    missing.status !== 0 && /does not exist, or it is another kind/.test(missing.said),
    missing.said,
  );
  must('destroy after a failed update', a.destroy(patch));
}
