import type { EdgeCluster } from '../../cluster/edge-cluster.js';
import type { ObjectMetadata } from '../../kubernetes/object.js';
import type { WebhookOperation } from '../../cluster/openyurt-webhook.js';
import type { WebhookSettings } from './webhook-settings.js';

/**
 * Requests that a webhook is called for.
 *
 * @category Admit Pods and Nodes
 */
export interface WebhookRule {
  /** API groups; `['']` is the core group, `['*']` all. */
  readonly apiGroups: string[];
  /** API versions; `['*']` all. */
  readonly apiVersions: string[];
  /** Resources in the plural, with subresource where wanted: `pods`, `pods/binding`, `pods/*`, `*`. */
  readonly resources: string[];
  /** Operations. */
  readonly operations: WebhookOperation[];
  /** Only objects with namespace, only objects without, or both.
   * @default * */
  readonly scope?: 'Cluster' | 'Namespaced' | '*';
}

/**
 * Rules that are needed often: `nodes` (CREATE, UPDATE), `pods` (CREATE), `nodepools` in the API version that the OpenYurt release of the
 * cluster stores (CREATE, UPDATE; also DELETE for a validating webhook).
 *
 * @category Admit Pods and Nodes
 */
export type WebhookRulePreset = 'nodes' | 'pods' | 'nodepools';

/**
 * A Service in the cluster that serves a webhook.
 *
 * @category Admit Pods and Nodes
 */
export interface WebhookService {
  /** Name of the Service. Its certificate must be for `<name>.<namespace>.svc`. */
  readonly name: string;
  /** Namespace of the Service. */
  readonly namespace: string;
  /** Path of the request.
   * @default / */
  readonly path?: string;
  /** Port of the Service, 1 to 65535.
   * @default 443 */
  readonly port?: number;
}

/**
 * One webhook of a {@link PoolWebhook}.
 *
 * @category Admit Pods and Nodes
 */
export interface PoolWebhookEntry extends WebhookSettings {
  /** Name of the webhook: a domain of at least three parts, `pods.guard.example.com`. */
  readonly name: string;
  /** Requests that it is called for: rules, or their short names. */
  readonly rules: (WebhookRule | WebhookRulePreset)[];
  /** The Service that serves it; or give url.
   * @default - none */
  readonly service?: WebhookService;
  /** Where it is served outside of the cluster, `https://host[:port]/path`, without user, query and fragment; or give service. From a
   * control plane that has no Pod network, a server with hostNetwork can be reached so too; where it runs cannot be seen from a URL, so that
   * `Fail` warns without a namespaceSelector.
   * @default - none */
  readonly url?: string;
  /** CA that signed the server's certificate: PEM certificates, in base64.
   * @default - the CA that cert-manager injects (injectCaFrom), or for a url the CAs that the API server's machine trusts */
  readonly caBundle?: string;
  /** Whether a call has effects besides its answer: `None`, or none when it is a dry run. Others the API server refuses.
   * @default None */
  readonly sideEffects?: 'None' | 'NoneOnDryRun';
  /** Versions of AdmissionReview that the server understands, best first.
   * @default ['v1'] */
  readonly admissionReviewVersions?: string[];
  /** Whether requests in another API version of the same object are looked at too. With `Exact` they pass unseen.
   * @default Equivalent */
  readonly matchPolicy?: 'Equivalent' | 'Exact';
  /** Whether a mutating webhook is called again when a later one changed the object.
   * @default Never */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/**
 * Properties of {@link PoolWebhook}.
 *
 * @category Admit Pods and Nodes
 */
export interface PoolWebhookProps {
  /** The cluster. */
  readonly cluster: EdgeCluster;
  /** Whether the webhooks may change what they look at. */
  readonly type: 'mutating' | 'validating';
  /** The webhooks; at least one. */
  readonly webhooks: PoolWebhookEntry[];
  /** The Certificate of cert-manager whose CA its cainjector writes into every webhook of the object, `namespace/name`.
   * @default - none */
  readonly injectCaFrom?: string;
  /** Name, labels and annotations of the object. Mutating webhooks are called in the order of the names of their objects.
   * @default - a name made from the place in the tree, and the labels of this library */
  readonly metadata?: ObjectMetadata;
}
