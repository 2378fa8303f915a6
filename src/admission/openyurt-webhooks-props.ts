// The webhooks of each release, with the failurePolicy of each as in its chart: cluster/shipped-webhooks.ts.
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { ObjectMetadata } from '../kubernetes/object.js';
import type { WebhookSettings } from './webhook-settings.js';

/**
 * Properties of {@link OpenYurtWebhooks}. These settings apply to all of its webhooks; settings in `webhooks` apply to some.
 *
 * @category Admit Pods and Nodes
 */
export interface OpenYurtWebhooksProps extends WebhookSettings {
  /** The cluster; it must have OpenYurt. */
  readonly cluster: EdgeCluster;
  /** Namespace of yurt-manager and its Service: the namespace of the Helm release.
   * @default kube-system */
  readonly namespace?: string;
  /** Settings of some webhooks, by resource (`pods`, `nodes`, `nodepools` …) or by name (`mutate.core.v1.pod.openyurt.io`). Settings by name take
   * precedence over settings by resource, and both over the settings for all webhooks.
   * @default - none */
  readonly webhooks?: Record<string, WebhookSettings>;
  /** Webhooks that are not written, by resource or by name.
   * @default - none */
  readonly exclude?: string[];
  /** The flag `--controllers` of yurt-manager (chart value `controllers`, split at the commas). Only webhooks that yurt-manager serves are written: it removes
   * others when it starts.
   * @default - every webhook that the chart ships */
  readonly controllers?: string[];
  /** The flag `--disable-independent-webhooks` of yurt-manager (chart value `disableIndependentWebhooks`): `node`, `pod`, `endpoints`,
   * `endpointslice` or `*`.
   * @default - none */
  readonly disableIndependentWebhooks?: string[];
  /** Whether the annotation `yurt-manager-template` is written, from which yurt-manager reads the webhooks. With it, a change takes effect when it is
   * applied. Without it, yurt-manager writes the annotation when it first reads the object, and reverts every later change.
   * @default true */
  readonly template?: boolean;
  /** Labels and annotations of the two objects.
   * @default - only the labels of this library */
  readonly metadata?: ObjectMetadata;
}

/** The annotation from which yurt-manager reads the webhooks (`pkg/yurtmanager/webhook/util/configuration/configuration.go`). */
export const TEMPLATE_ANNOTATION = 'yurt-manager-template';
