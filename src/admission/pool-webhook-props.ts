import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { ObjectMetadata } from '../kubernetes/object.js';
import type { WebhookOperation } from '../cluster/openyurt-webhook.js';
import type { WebhookSettings } from './webhook-settings.js';

/**
 * Requests for which a webhook is called.
 *
 * @category Admit Pods and Nodes
 */
export interface WebhookRule {
  /** API groups; `['']` is the core group, `['*']` is all groups. */
  readonly apiGroups: string[];
  /** API versions; `['*']` is all versions. */
  readonly apiVersions: string[];
  /** Resources in the plural, optionally with a subresource: `pods`, `pods/binding`, `pods/*`, `*`. */
  readonly resources: string[];
  /** Operations. */
  readonly operations: WebhookOperation[];
  /** `Cluster`: only cluster-scoped objects, `Namespaced`: only namespaced objects, `*`: both.
   * @default * */
  readonly scope?: 'Cluster' | 'Namespaced' | '*';
}

/**
 * A Service in the cluster that serves a webhook.
 *
 * @category Admit Pods and Nodes
 */
export interface WebhookService {
  /** Name of the Service. The server's certificate must be valid for `<name>.<namespace>.svc`. */
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
  /** Name of the webhook: a domain of at least three parts, for example `pods.guard.example.com`. */
  readonly name: string;
  /** Requests for which it is called: rules, or short names of common ones: `nodes` (CREATE, UPDATE), `pods` (CREATE), and `nodepools` in the API version
   * that the OpenYurt release of the cluster stores (CREATE, UPDATE; also DELETE for a validating webhook). */
  readonly rules: (WebhookRule | 'nodes' | 'pods' | 'nodepools')[];
  /** The Service that serves it. Write either service or url.
   * @default - none */
  readonly service?: WebhookService;
  /** URL of a server outside of the cluster, `https://host[:port]/path`, without user, query and fragment. Write either service or url. It may be a hostNetwork
   * server in the cluster, so `Fail` without a namespaceSelector is a warning (EDGE_WEBHOOK_LOCK) if the rules match requests that a server needs to start.
   * @default - none */
  readonly url?: string;
  /** CA of the server's certificate: base64 of one or more PEM certificates.
   * @default - the CA that cert-manager injects (injectCaFrom); for a url, the CAs that the machine of the API server trusts */
  readonly caBundle?: string;
  /** Side effects of a call: `None`, or none in a dry run (`NoneOnDryRun`). The API server refuses other values.
   * @default None */
  readonly sideEffects?: 'None' | 'NoneOnDryRun';
  /** Versions of AdmissionReview that the server supports, the preferred one first.
   * @default ['v1'] */
  readonly admissionReviewVersions?: string[];
  /** `Equivalent`: the webhook is also called for requests in another API version of the same kind. `Exact`: it is not.
   * @default Equivalent */
  readonly matchPolicy?: 'Equivalent' | 'Exact';
  /** Whether a mutating webhook is called again (`IfNeeded`) after a later one has changed the object.
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
  /** `mutating`: the webhooks can change objects. `validating`: they can only refuse requests. */
  readonly type: 'mutating' | 'validating';
  /** The webhooks; at least one. */
  readonly webhooks: PoolWebhookEntry[];
  /** The cert-manager Certificate whose CA is injected into every webhook of the object, as `namespace/name`.
   * @default - none */
  readonly injectCaFrom?: string;
  /** Name, labels and annotations of the object. Mutating webhooks are called in the order of the names of their objects.
   * @default - a generated name, and the labels of this library */
  readonly metadata?: ObjectMetadata;
}

/** Short name of a common rule. */
export type WebhookRulePreset = Extract<PoolWebhookEntry['rules'][number], string>;
