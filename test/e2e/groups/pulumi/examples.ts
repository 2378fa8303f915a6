import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { PulumiProject } from '../../harness/pulumi-project.js';

/** Resources of each example, with the children of its chart. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  'pulumi-quickstart': ['NodePool beijing', 'DaemonSet collector', 'DeploymentPatch'],
  'pulumi-existing-cluster': [
    'NodePool yard-north',
    'DaemonSet agent:kube-system/agent-node',
    'Deployment agent:kube-system/agent-server',
  ],
};

/** The unchanged examples: only previews, because without kubelets the rollouts of their workloads do not end. */
export function examples(plane: ControlPlane, proof: Proof): void {
  for (const [name, expected] of Object.entries(EXAMPLES)) {
    const project = new PulumiProject(plane.folder, name, plane.kubeconfig);
    const { status, said, steps } = project.preview({});
    proof.that(`examples/${name}: preview succeeds`, status === 0, said);
    const shown = steps.map((step) => `${step.type.split(':').at(-1)} ${step.name}`);
    const missing = expected.filter((resource) => !shown.some((one) => one.startsWith(resource)));
    proof.that(`examples/${name}: preview shows ${expected.join(', ')}`, missing.length === 0, shown.join('\n'));
  }
}
