/**
 * One of the admission webhooks in an OpenYurt chart (`charts/yurt-manager/templates/yurt-manager-auto-generated.yaml`).
 *
 * @category Admit Pods and Nodes
 */
export interface OpenYurtWebhook {
  /** The webhook configuration that has it. */
  readonly type: 'mutating' | 'validating';
  /** Its name, as in the chart. */
  readonly name: string;
  /** The resource of its rule, in the plural: its key in {@link OpenYurtWebhooksProps}. */
  readonly resource: string;
  /** API group of the resource; empty for the core group. */
  readonly apiGroup: string;
  /** The one API version of its rule; requests in others match because matchPolicy is Equivalent. */
  readonly apiVersion: string;
  /** Path at which yurt-manager serves it. */
  readonly path: string;
  /** Operations of its rule. */
  readonly operations: readonly WebhookOperation[];
  /** failurePolicy, as in the chart. */
  readonly failurePolicy: FailurePolicy;
  /** Versions of AdmissionReview, as in the chart. The API server sends the first one that it supports. */
  readonly admissionReviewVersions: readonly string[];
  /** Whether the resource is namespaced; a namespaceSelector has no effect on a cluster-scoped resource. */
  readonly scope: 'Cluster' | 'Namespaced';
  /** The controller with which yurt-manager serves it (`--controllers`).
   * @default - none; see independentWebhook */
  readonly controller?: string;
  /** Its name in `--disable-independent-webhooks`.
   * @default - none; see controller */
  readonly independentWebhook?: string;
  /** False for an entry of the chart whose path yurt-manager does not serve: it removes the entry when it starts. */
  readonly served: boolean;
}

/**
 * Operations that a webhook can be called for.
 *
 * @category Admit Pods and Nodes
 */
export type WebhookOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT' | '*';

/**
 * What the API server does while the server of a webhook does not answer, or a policy cannot be evaluated: `Fail` refuses the request, `Ignore` admits
 * it.
 *
 * @category Admit Pods and Nodes
 */
export type FailurePolicy = 'Fail' | 'Ignore';

/** Common settings of the webhooks of one resource. */
export interface WebhookTarget {
  readonly resource: string;
  readonly kind: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly failurePolicy: FailurePolicy;
  readonly reviews: readonly string[];
  readonly controller?: string;
  readonly independentWebhook?: string;
  readonly served?: boolean;
}

/** The path at which yurt-manager serves a webhook (`pkg/yurtmanager/webhook/util/util.go`, generateMutatePath). */
function pathOf(verb: 'mutate' | 'validate', { apiGroup, apiVersion, kind }: WebhookTarget): string {
  const group = apiGroup === '' ? 'core.openyurt.io' : apiGroup;
  return `/${verb}-${group.replace(/\./g, '-')}-${apiVersion}-${kind}`;
}

function webhook(
  type: OpenYurtWebhook['type'],
  target: WebhookTarget,
  name: string,
  operations: readonly WebhookOperation[],
): OpenYurtWebhook {
  const { resource, apiGroup, apiVersion, failurePolicy, reviews, scope, controller, independentWebhook, served } =
    target;
  return Object.freeze({
    type,
    name,
    resource,
    apiGroup,
    apiVersion,
    failurePolicy,
    scope,
    ...(controller === undefined ? { independentWebhook } : { controller }),
    path: pathOf(type === 'mutating' ? 'mutate' : 'validate', target),
    operations,
    admissionReviewVersions: reviews,
    served: served ?? true,
  });
}

/** A mutating webhook for a resource. */
export function mutates(
  target: WebhookTarget,
  name: string,
  operations: readonly WebhookOperation[] = ['CREATE', 'UPDATE'],
): OpenYurtWebhook {
  return webhook('mutating', target, name, operations);
}

/** A validating webhook for a resource. */
export function validates(
  target: WebhookTarget,
  name: string,
  operations: readonly WebhookOperation[] = ['CREATE', 'UPDATE'],
): OpenYurtWebhook {
  return webhook('validating', target, name, operations);
}
