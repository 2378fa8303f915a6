import type { Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { ProblemList } from '../errors.js';
import type { CorefileSettings } from '../manifests/preconditions/corefile.js';
import type { CoreDnsDaemonSetSettings } from '../manifests/preconditions/coredns-daemon-set.js';
import type { CoreDnsServiceSettings } from '../manifests/preconditions/coredns-service.js';
import type { KubeControllerManagerSettings } from '../manifests/preconditions/kube-controller-manager.js';
import type { KubeProxySettings } from '../manifests/preconditions/kube-proxy.js';
import type { Precondition } from '../manifests/preconditions/precondition.js';
import {
  planPreconditions,
  PRECONDITION_KINDS,
  type PreconditionsPlan,
} from '../manifests/preconditions/preconditions.js';
import { APPLY_FLAGS } from '../manifests/preconditions/step-files.js';
import { checkKnownProperties } from '../manifests/properties.js';
import type { EdgeArtifact } from './artifact.js';
import { checkCommon, COMMON_PROPERTIES, makePreconditions, type PreconditionProps } from './precondition-construct.js';

/**
 * Properties of {@link EdgePreconditions}.
 *
 * @category Prepare the cluster
 */
export interface EdgePreconditionsProps extends PreconditionProps {
  /** kube-controller-manager.
   * @default - as the release needs it */
  readonly kubeControllerManager?: KubeControllerManagerSettings;
  /** The Corefile of CoreDNS.
   * @default - as the release needs it */
  readonly corefile?: CorefileSettings;
  /** The Service of CoreDNS.
   * @default - as the release needs it */
  readonly coreDnsService?: CoreDnsServiceSettings;
  /** CoreDNS as a DaemonSet.
   * @default - as the release needs it */
  readonly coreDnsDaemonSet?: CoreDnsDaemonSetSettings;
  /** The configuration of kube-proxy.
   * @default - as the release needs it */
  readonly kubeProxy?: KubeProxySettings;
}

/**
 * Everything that a cluster needs before edge pools work, by the release of OpenYurt: what it requires is made, what is optional is made where it is asked
 * for (`apply: true`), and what does nothing or does harm is explained and left out.
 *
 * @category Prepare the cluster
 */
export class EdgePreconditions extends Construct {
  /** All preconditions: whether the release needs them, why, what is made, and the way back. */
  public readonly report: readonly Precondition[];
  /** The charts with the manifests, one for each step; the next is applied only when the commands of the one before have succeeded. */
  public readonly stepCharts: readonly Chart[];
  /** Scripts, patches and the way back, as {@link writeArtifacts} writes them. */
  public readonly artifacts: readonly EdgeArtifact[];
  /** Flags with which `kubectl` must apply the charts. */
  public readonly applyFlags: readonly string[] = APPLY_FLAGS;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster, and what is known of its components
   * @throws {@link EdgeError} with all problems at once: EDGE_COREFILE, EDGE_CONTROLLERS, EDGE_WRONG_OBJECT, EDGE_FIELD_NOT_IN_RELEASE, EDGE_YAML,
   * EDGE_CONTRADICTION, EDGE_AFFINITY, EDGE_NAME, EDGE_DUPLICATE, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT or EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: EdgePreconditionsProps) {
    super(scope, id);
    const given = props ?? {};
    const problems = new ProblemList();
    const { cluster, era, artifactFolder, ...settings } = given;
    checkKnownProperties(given, [...COMMON_PROPERTIES, ...Object.keys(PRECONDITION_KINDS)], problems);
    const usable = checkCommon({ cluster, artifactFolder }, problems);
    const plan = usable ? planPreconditions(cluster, era, settings, problems) : undefined;
    problems.throwIfAny(`EdgePreconditions ${this.node.path}`);
    const { preconditions, warnings } = plan as PreconditionsPlan;
    this.report = preconditions;
    const made = makePreconditions(this, preconditions, warnings, given, 'preconditions');
    this.stepCharts = made.stepCharts;
    this.artifacts = made.artifacts;
  }
}
