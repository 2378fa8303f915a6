import type { EdgeCluster } from '../../cluster/edge-cluster.js';
import type { ObjectMetadata } from '../../kubernetes/object.js';
import type { WebhookSettings } from '../webhooks/webhook-settings.js';

/**
 * Properties of {@link OpenYurtWebhooks}. The settings here apply to all of its webhooks, those in `webhooks` to some.
 *
 * @category Admit Pods and Nodes
 */
export interface OpenYurtWebhooksProps extends WebhookSettings {
  /** The cluster; it must have OpenYurt. */
  readonly cluster: EdgeCluster;
  /** Namespace in which yurt-manager and its Service run: the namespace of the Helm release.
   * @default kube-system */
  readonly namespace?: string;
  /** Settings of some webhooks, by resource (`pods`, `nodes`, `nodepools` …) or by name (`mutate.core.v1.pod.openyurt.io`); the name
   * takes precedence over the resource, and both over the settings for all.
   * @default - none */
  readonly webhooks?: Record<string, WebhookSettings>;
  /** Webhooks that are not written, by resource or by name.
   * @default - none */
  readonly exclude?: string[];
  /** The flag `--controllers` of yurt-manager (chart value `controllers`, split at the commas), so that only webhooks are written that it
   * serves. Entries that it does not serve it removes when it starts, and every apply would bring them back for a moment.
   * @default - every webhook that the chart ships */
  readonly controllers?: string[];
  /** The flag `--disable-independent-webhooks` of yurt-manager (chart value `disableIndependentWebhooks`): `node`, `pod`, `endpoints`,
   * `endpointslice` or `*`.
   * @default - none */
  readonly disableIndependentWebhooks?: string[];
  /** Whether the annotation `yurt-manager-template` is written too. yurt-manager takes the webhooks from there: with it, a change is in effect
   * once it is applied; without it, yurt-manager writes the annotation when it first sees the object, and undoes every later change.
   * @default true */
  readonly template?: boolean;
  /** Labels and annotations of the two objects.
   * @default - only the labels of this library */
  readonly metadata?: ObjectMetadata;
}

/** The annotation from which yurt-manager takes the webhooks (`pkg/yurtmanager/webhook/util/configuration/configuration.go`). */
export const TEMPLATE_ANNOTATION = 'yurt-manager-template';
