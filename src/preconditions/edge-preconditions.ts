import { type EdgeWarning, ProblemList } from '../errors.js';
import { checkCluster, type EdgeCluster } from '../cluster/edge-cluster.js';
import type { CorefileSettings } from './coredns-corefile.js';
import type { CoreDnsDaemonSetSettings } from './coredns-daemon-set.js';
import type { CoreDnsServiceSettings } from './coredns-service.js';
import type { KubeControllerManagerSettings } from './kube-controller-manager.js';
import type { KubeProxySettings } from './kube-proxy.js';
import type { Precondition, PreconditionEra } from './precondition.js';
import { checkEra, planOne, planPreconditions, PRECONDITION_KINDS, type PreconditionSettings } from './kinds.js';
import { preconditionFiles } from './step-files.js';
import { checkKnownProperties } from '../validation/properties.js';
import { checkArtifactFolder, type EdgeArtifact } from '../text/artifact.js';

/**
 * What every precondition is given.
 *
 * @category Prepare the cluster
 */
export interface PreconditionProps {
  /** The cluster that is prepared. */
  readonly cluster: EdgeCluster;
  /** By which documents.
   * @default release */
  readonly era?: PreconditionEra;
  /** Folder below the output folder for scripts, patches and the way back, as `writeArtifacts` writes them.
   * @default - preconditions, and below it the id of the construct for a single precondition */
  readonly artifactFolder?: string;
}

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

/** Preconditions, and the files that make them. */
export interface MadePreconditions {
  readonly preconditions: readonly Precondition[];
  readonly warnings: readonly EdgeWarning[];
  readonly artifacts: readonly EdgeArtifact[];
}

function checkCommon({ cluster, artifactFolder }: Partial<PreconditionProps>, problems: ProblemList): boolean {
  checkArtifactFolder(artifactFolder, 'preconditions', problems.at('artifactFolder'));
  return checkCluster(cluster, problems.at('cluster'));
}

/**
 * Plans all preconditions of a cluster.
 *
 * @param path how errors name the declaration
 * @throws {@link EdgeError} with all problems at once
 */
export function planAllPreconditions(props: EdgePreconditionsProps, path: string): MadePreconditions {
  const problems = new ProblemList();
  const given = props ?? {};
  const { cluster, era, artifactFolder, ...settings } = given;
  checkKnownProperties(given, ['cluster', 'era', 'artifactFolder', ...Object.keys(PRECONDITION_KINDS)], problems);
  const usable = checkCommon({ cluster, artifactFolder }, problems);
  const plan = usable ? planPreconditions(cluster, era, settings, problems) : undefined;
  problems.throwIfAny(`EdgePreconditions ${path}`);
  const { preconditions, warnings } = plan as NonNullable<typeof plan>;
  return { preconditions, warnings, artifacts: preconditionFiles(preconditions, artifactFolder ?? 'preconditions') };
}

/**
 * Plans a single precondition. To declare it is to ask for it, where that does no harm.
 *
 * @param name which one
 * @param what how errors name the declaration: its kind and path
 * @param folder where its files go by default
 * @throws {@link EdgeError} with all problems at once
 */
export function planSinglePrecondition(
  name: keyof PreconditionSettings,
  props: PreconditionProps,
  what: string,
  folder: string,
): MadePreconditions {
  const problems = new ProblemList();
  const { cluster, era, artifactFolder, ...settings } = props ?? {};
  checkEra(era, problems.at('era'));
  const usable = checkCommon({ cluster, artifactFolder }, problems);
  const need = usable ? planOne(name, cluster, era, settings, new ProblemList())?.precondition.need : undefined;
  const asked = need === 'optional' ? { apply: true, ...settings } : settings;
  const plan = usable ? planOne(name, cluster, era, asked, problems) : undefined;
  problems.throwIfAny(what);
  const { precondition, warnings } = plan as NonNullable<typeof plan>;
  return {
    preconditions: [precondition],
    warnings,
    artifacts: preconditionFiles([precondition], artifactFolder ?? folder),
  };
}
