import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { CorefileSettings } from './coredns-corefile.js';
import type { CoreDnsDaemonSetSettings } from './coredns-daemon-set.js';
import type { CoreDnsServiceSettings } from './coredns-service.js';
import type { KubeControllerManagerSettings } from './kube-controller-manager.js';
import type { KubeProxySettings } from './kube-proxy.js';

/**
 * Properties of {@link EdgePreconditions}.
 *
 * @category Prepare the cluster
 */
export interface EdgePreconditionsProps {
  /** The cluster. */
  readonly cluster: EdgeCluster;
  /** Which OpenYurt documentation the preconditions follow. `release`: what the OpenYurt release of the cluster needs. `tunnel`: the page of 2022, for
   * OpenYurt with yurt-tunnel.
   * @default release */
  readonly guide?: 'release' | 'tunnel';
  /** Only these preconditions. An optional one that is named is applied.
   * @default - all preconditions, as the release needs them */
  readonly only?: ('kubeControllerManager' | 'corefile' | 'coreDnsDaemonSet' | 'coreDnsService' | 'kubeProxy')[];
  /** Folder of the scripts, patches and the rollback, below the output folder of `writeArtifacts`.
   * @default - preconditions; if `only` names one precondition, a folder in it with the id of the construct */
  readonly artifactFolder?: string;
  /** kube-controller-manager.
   * @default - applied if the release requires it */
  readonly kubeControllerManager?: KubeControllerManagerSettings;
  /** The Corefile of CoreDNS.
   * @default - applied if the release requires it */
  readonly corefile?: CorefileSettings;
  /** The Service of CoreDNS.
   * @default - applied if the release requires it */
  readonly coreDnsService?: CoreDnsServiceSettings;
  /** CoreDNS as a DaemonSet.
   * @default - applied if the release requires it */
  readonly coreDnsDaemonSet?: CoreDnsDaemonSetSettings;
  /** The configuration of kube-proxy.
   * @default - applied if the release requires it */
  readonly kubeProxy?: KubeProxySettings;
}
