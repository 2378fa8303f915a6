import { ApiObject, type ApiObjectProps, Chart } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';
import { type EdgeWarning, ProblemList } from '../errors.js';
import { checkCluster, type EdgeCluster } from '../manifests/edge-cluster.js';
import { mapAt, type PlainMap } from '../manifests/kubernetes-object.js';
import { checkEra, planOne, type PreconditionSettings } from '../manifests/preconditions/preconditions.js';
import type { Precondition, PreconditionEra } from '../manifests/preconditions/precondition.js';
import { APPLY_FLAGS, preconditionFiles } from '../manifests/preconditions/step-files.js';
import { showValue } from '../manifests/properties.js';
import { addArtifact, type EdgeArtifact } from './artifact.js';
import { LEFT_ALONE } from './left-alone-mark.js';
import { addClusterWarnings, EdgeWarnings } from './warnings.js';

/**
 * What every precondition construct is given.
 *
 * @category Prepare the cluster
 */
export interface PreconditionProps {
  /** The cluster that is prepared. */
  readonly cluster: EdgeCluster;
  /** By which documents.
   * @default release */
  readonly era?: PreconditionEra;
  /** Folder below the output folder for scripts, patches and the way back, as {@link writeArtifacts} writes them.
   * @default - preconditions, and below it the id of the construct for a single precondition */
  readonly artifactFolder?: string;
}

/** The properties that are not settings. */
export const COMMON_PROPERTIES = ['cluster', 'era', 'artifactFolder'];

const FOLDER = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

/** Checks what every precondition construct is given. */
export function checkCommon(props: PreconditionProps, problems: ProblemList): boolean {
  checkEra(props.era, problems.at('era'));
  const { artifactFolder } = props;
  if (artifactFolder !== undefined && !(typeof artifactFolder === 'string' && FOLDER.test(artifactFolder))) {
    problems
      .at('artifactFolder')
      .add(
        'EDGE_ARTIFACT',
        `${showValue(artifactFolder)} is not a folder below the output folder`,
        "write 'preconditions'",
      );
  }
  return checkCluster(props.cluster, problems.at('cluster'));
}

/** What came of preconditions in a construct tree. */
export interface MadePreconditions {
  readonly stepCharts: readonly Chart[];
  readonly artifacts: readonly EdgeArtifact[];
}

/**
 * Puts the manifests of preconditions into charts, one for each step, because a step must wait for the one before. The charts stand beside those of
 * the user: what they hold must not get the labels and the namespace of one of those.
 */
export function makePreconditions(
  construct: Construct,
  preconditions: readonly Precondition[],
  warnings: readonly EdgeWarning[],
  { cluster, artifactFolder }: PreconditionProps,
  folder: string,
): MadePreconditions {
  const stepCharts: Chart[] = [];
  for (const { component, steps } of preconditions) {
    const withManifests = steps.filter(({ manifests }) => manifests.length > 0);
    withManifests.forEach(({ manifests }, index) => {
      const chart = stepCharts[index] ?? newChart(construct, index + 1);
      stepCharts[index] = chart;
      const parts = new Construct(chart, component);
      parts.node.addMetadata(LEFT_ALONE, 'is a precondition that already says where it runs (EdgePreconditions)');
      manifests.forEach((manifest) => new ApiObject(parts, idOf(manifest), manifest as unknown as ApiObjectProps));
    });
  }
  const artifacts = preconditionFiles(preconditions, artifactFolder ?? folder);
  artifacts.forEach((artifact) => addArtifact(construct, artifact));
  EdgeWarnings.add(construct, warnings);
  addClusterWarnings(construct, cluster);
  return { stepCharts, artifacts };
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
    const problems = new ProblemList();
    const { cluster, era, artifactFolder, ...settings } = props ?? {};
    const usable = checkCommon({ cluster, era, artifactFolder }, problems);
    // to write the construct is to ask for it, where that does no harm
    const need = usable ? planOne(name, cluster, era, settings, new ProblemList())?.precondition.need : undefined;
    const asked = need === 'optional' ? { apply: true, ...settings } : settings;
    const plan = usable ? planOne(name, cluster, era, asked, problems) : undefined;
    problems.throwIfAny(`${this.constructor.name} ${this.node.path}`);
    const { precondition, warnings } = plan as NonNullable<typeof plan>;
    this.precondition = precondition;
    const made = makePreconditions(this, [precondition], warnings, props, `preconditions/${id}`);
    this.stepCharts = made.stepCharts;
    this.artifacts = made.artifacts;
  }
}
