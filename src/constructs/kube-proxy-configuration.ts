import type { Construct } from 'constructs';
import type { KubeProxySettings } from '../preconditions/kube-proxy.js';
import type { PreconditionProps } from '../preconditions/edge-preconditions.js';
import { PreconditionConstruct } from './precondition-construct.js';

/**
 * Properties of {@link KubeProxyConfiguration}.
 *
 * @category Prepare the cluster
 */
export interface KubeProxyConfigurationProps extends PreconditionProps, KubeProxySettings {}

/**
 * Lets kube-proxy find the API server by the environment of its Pod, which yurthub changes, instead of its kubeconfig; and makes its log verbose while
 * that is verified.
 *
 * @category Prepare the cluster
 */
export class KubeProxyConfiguration extends PreconditionConstruct {
  /**
   * @param scope parent
   * @param id construct id
   * @param props the cluster, and what is known of the component
   * @throws {@link EdgeError} with all problems at once: EDGE_WRONG_OBJECT, EDGE_YAML, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING, EDGE_ARTIFACT or
   * EDGE_UNKNOWN_PROPERTY
   */
  constructor(scope: Construct, id: string, props: KubeProxyConfigurationProps) {
    super(scope, id, 'kubeProxy', props);
  }
}
