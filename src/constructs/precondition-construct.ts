import { ApiObject, type ApiObjectProps, Chart } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { mapAt, type PlainMap } from '../validation/plain-data.js';
import type { PreconditionSettings } from '../preconditions/kinds.js';
import type { Precondition } from '../preconditions/precondition.js';
import { APPLY_FLAGS } from '../preconditions/step-files.js';
import type { EdgeArtifact } from '../text/artifact.js';
import {
  type MadePreconditions,
  planSinglePrecondition,
  type PreconditionProps,
} from '../preconditions/edge-preconditions.js';
import { addArtifact } from './artifact.js';
import { LEFT_ALONE } from './left-alone-mark.js';
import { addClusterWarnings, EdgeWarnings } from './warnings.js';

/**
 * Puts the manifests of preconditions into charts, one for each step, because a step must wait for the one before. The charts stand beside those of
 * the user: what they hold must not get the labels and the namespace of one of those.
 */
export function addPreconditions(
  construct: Construct,
  { preconditions, warnings, artifacts }: MadePreconditions,
  cluster: EdgeCluster,
): readonly Chart[] {
  const stepCharts: Chart[] = [];
  const makesDaemonSet = preconditions.some((each) => each.component === 'coredns-daemon-set' && each.applied);
  for (const { component, steps } of preconditions) {
    const withManifests = steps.filter(({ manifests }) => manifests.length > 0);
    withManifests.forEach(({ manifests }, index) => {
      // the Service only when the DaemonSet of the chart before answers
      const place = index + (component === 'coredns-service' && makesDaemonSet ? 1 : 0);
      const chart = stepCharts[place] ?? newChart(construct, place + 1);
      stepCharts[place] = chart;
      const parts = new Construct(chart, component);
      parts.node.addMetadata(LEFT_ALONE, 'is a precondition that already says where it runs (EdgePreconditions)');
      manifests.forEach((manifest) => new ApiObject(parts, idOf(manifest), manifest as unknown as ApiObjectProps));
    });
  }
  artifacts.forEach((artifact) => addArtifact(construct, artifact));
  EdgeWarnings.add(construct, warnings);
  addClusterWarnings(construct, cluster);
  return stepCharts;
}

function newChart(construct: IConstruct, step: number): Chart {
  return new Chart(construct.node.root, `${construct.node.path.replace(/\//g, '-')}-step-${step}`);
}

function idOf(object: PlainMap): string {
  const { namespace, name } = mapAt(object, 'metadata');
  return `${String(object.kind)}-${String(namespace)}-${String(name)}`;
}

/**
 * What all constructs of a single precondition share: {@link KubeControllerManagerControllers}, {@link CoreDnsCorefile},
 * {@link CoreDnsServiceTopology}, {@link CoreDnsDaemonSet} and {@link KubeProxyConfiguration}.
 *
 * @category Prepare the cluster
 */
export abstract class PreconditionConstruct extends Construct {
  /** What is made, why, and the way back. */
  public readonly precondition: Precondition;
  /** The charts with its manifests, one for each step; the next is applied only when the commands of the one before have succeeded. */
  public readonly stepCharts: readonly Chart[];
  /** Scripts, patches and the way back, as {@link writeArtifacts} writes them. */
  public readonly artifacts: readonly EdgeArtifact[];
  /** Flags with which `kubectl` must apply the charts. */
  public readonly applyFlags: readonly string[] = APPLY_FLAGS;

  /**
   * @param scope parent
   * @param id construct id
   * @param name which precondition
   * @param props cluster, era and settings
   */
  protected constructor(scope: Construct, id: string, name: keyof PreconditionSettings, props: PreconditionProps) {
    super(scope, id);
    const what = `${this.constructor.name} ${this.node.path}`;
    const made = planSinglePrecondition(name, props, what, `preconditions/${id}`);
    this.precondition = made.preconditions[0] as Precondition;
    this.artifacts = made.artifacts;
    this.stepCharts = addPreconditions(this, made, props.cluster);
  }
}
