import type * as pulumi from '@pulumi/pulumi';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { mapAt } from '../validation/plain-data.js';
import type { Precondition } from '../preconditions/precondition.js';
import type { EdgeArtifact } from '../text/artifact.js';
import type { MadePreconditions } from '../preconditions/edge-preconditions.js';
import { childName } from './child-name.js';
import { EdgeComponent } from './component.js';
import type { Planned } from './planned.js';
import { patchOf, resourceOf } from './resource.js';

/**
 * What all components of preconditions share. The manifests of their steps become resources, each after the one before: whole objects as they are, and what
 * somebody else made as patches, which take over the fields that they name. What is made
 * is waited for, so that CoreDNS answers before its Deployment goes; patches are not, because a rollout never ends while an edge node is away.
 *
 * Commands are not run. `commands` tells them; where a step has some besides waiting, run the scripts in `artifacts` instead. Nothing is undone by
 * `pulumi destroy`, because the way back has an order of its own, too: it stands in `artifacts`.
 *
 * @category Prepare the cluster
 */
export abstract class PreconditionResource extends EdgeComponent {
  /** All preconditions: whether the release needs them, why, what is made, and the way back. */
  public readonly report!: pulumi.Output<Precondition[]>;
  /** Scripts, patches and the way back, as files. */
  public readonly artifacts!: pulumi.Output<EdgeArtifact[]>;
  /** The commands of the steps, in their order. */
  public readonly commands!: pulumi.Output<string[]>;
  /** What is made, in the order of the steps. */
  public readonly resources!: readonly pulumi.CustomResource[];

  /** @internal */
  protected makePreconditions<P>(name: string, planned: Planned<P, MadePreconditions>, cluster: EdgeCluster): void {
    const outputs = {
      report: planned.whole(({ preconditions }) => preconditions),
      artifacts: planned.whole(({ artifacts }) => artifacts),
      commands: planned.whole(commandsOf),
    };
    Object.assign(this, outputs);
    const plain = manifestsOf(planned.plan);
    const objects = this.attempt(() => planned.lift(manifestsOf, 2)) as KubernetesObject[];
    const made: pulumi.CustomResource[] = [];
    objects.forEach((object, index) => {
      const options = { parent: this, retainOnDelete: true, dependsOn: made.slice(-1) };
      const child = childName(name)(plain[index] as KubernetesObject);
      this.deployment.leaveAlone(object.kind, child, 'is a precondition that already says where it runs');
      made.push(isWhole(object) ? resourceOf(child, object, options) : patchOf(child, object, true, options));
    });
    Object.assign(this, { resources: made });
    this.warn(
      cluster,
      planned.warnings(({ warnings }) => warnings),
    );
    this.registerOutputs({ artifacts: outputs.artifacts, commands: outputs.commands });
  }
}

function manifestsOf({ preconditions }: MadePreconditions): KubernetesObject[] {
  return preconditions.flatMap(({ steps }) =>
    steps.flatMap(({ manifests }) => manifests as unknown as KubernetesObject[]),
  );
}

function commandsOf({ preconditions }: MadePreconditions): string[] {
  return preconditions.flatMap(({ steps }) => steps.flatMap(({ commands }) => commands));
}

/** Whether an object is made here: a workload that says what its Pods are. */
function isWhole({ spec }: KubernetesObject): boolean {
  return 'template' in mapAt({ spec }, 'spec') && 'selector' in mapAt({ spec }, 'spec');
}
