/**
 * The admission webhooks in the charts of OpenYurt, in the order of the charts. Source of every entry:
 * `charts/yurt-manager/templates/yurt-manager-auto-generated.yaml` (name, rule, failurePolicy, review versions) and
 * `pkg/yurtmanager/webhook/server.go` (the option that disables it) of each release; `openyurt-releases.ts` assigns the lists to releases.
 */
import { mutates, type OpenYurtWebhook, validates, type WebhookTarget } from './openyurt-webhook.js';

const V1 = ['v1'];
const V1_AND_V1BETA1 = ['v1', 'v1beta1'];
const CORE = { apiGroup: '', apiVersion: 'v1', failurePolicy: 'Ignore' } as const;
const CUSTOM = { apiGroup: 'apps.openyurt.io', failurePolicy: 'Fail', reviews: V1_AND_V1BETA1 } as const;

const NODES: WebhookTarget = {
  ...CORE,
  resource: 'nodes',
  kind: 'node',
  scope: 'Cluster',
  reviews: V1,
  independentWebhook: 'node',
};
const PODS: WebhookTarget = {
  ...CORE,
  resource: 'pods',
  kind: 'pod',
  scope: 'Namespaced',
  reviews: V1_AND_V1BETA1,
  independentWebhook: 'pod',
};
const ENDPOINTS: WebhookTarget = {
  ...CORE,
  resource: 'endpoints',
  kind: 'endpoints',
  scope: 'Namespaced',
  reviews: V1,
  independentWebhook: 'endpoints',
};
const ENDPOINT_SLICES: WebhookTarget = {
  ...CORE,
  apiGroup: 'discovery.k8s.io',
  resource: 'endpointslices',
  kind: 'endpointslice',
  scope: 'Namespaced',
  reviews: V1,
  independentWebhook: 'endpointslice',
};
// rendered for YurtAppOverrider, and enabled with its controller
const DEPLOYMENTS: WebhookTarget = {
  ...CORE,
  apiGroup: 'apps',
  resource: 'deployments',
  kind: 'deployment',
  scope: 'Namespaced',
  reviews: V1,
  controller: 'yurt-app-overrider-controller',
};
const GATEWAYS: WebhookTarget = {
  ...CUSTOM,
  apiGroup: 'raven.openyurt.io',
  apiVersion: 'v1beta1',
  resource: 'gateways',
  kind: 'gateway',
  scope: 'Cluster',
  controller: 'gateway-pickup-controller',
};
const NODE_POOLS_V1BETA1: WebhookTarget = {
  ...CUSTOM,
  apiVersion: 'v1beta1',
  resource: 'nodepools',
  kind: 'nodepool',
  scope: 'Cluster',
  controller: 'nodepool-controller',
};
const NODE_POOLS_V1BETA2: WebhookTarget = {
  ...NODE_POOLS_V1BETA1,
  apiVersion: 'v1beta2',
  // as in the chart, although there is no AdmissionReview v1beta2; the API server sends v1
  reviews: ['v1', 'v1beta2'],
};
const PLATFORM_ADMINS: WebhookTarget = {
  ...CUSTOM,
  apiGroup: 'iot.openyurt.io',
  apiVersion: 'v1alpha2',
  resource: 'platformadmins',
  kind: 'platformadmin',
  scope: 'Namespaced',
  reviews: V1,
  controller: 'platform-admin-controller',
};
// yurt-manager serves v1beta1 only, the chart still has v1alpha2
const PLATFORM_ADMINS_NOT_SERVED: WebhookTarget = { ...PLATFORM_ADMINS, served: false };
const YURT_APP_DAEMONS: WebhookTarget = {
  ...CUSTOM,
  apiVersion: 'v1alpha1',
  resource: 'yurtappdaemons',
  kind: 'yurtappdaemon',
  scope: 'Namespaced',
  controller: 'yurt-app-daemon-controller',
};
const YURT_APP_OVERRIDERS: WebhookTarget = {
  ...CUSTOM,
  apiVersion: 'v1alpha1',
  resource: 'yurtappoverriders',
  kind: 'yurtappoverrider',
  scope: 'Namespaced',
  controller: 'yurt-app-overrider-controller',
};
const YURT_APP_SETS: WebhookTarget = {
  ...CUSTOM,
  apiVersion: 'v1beta1',
  resource: 'yurtappsets',
  kind: 'yurtappset',
  scope: 'Namespaced',
  controller: 'yurt-app-set-controller',
};
const YURT_APP_SETS_V1ALPHA1: WebhookTarget = { ...YURT_APP_SETS, apiVersion: 'v1alpha1', reviews: V1 };
const YURT_STATIC_SETS: WebhookTarget = {
  ...CUSTOM,
  apiVersion: 'v1alpha1',
  resource: 'yurtstaticsets',
  kind: 'yurtstaticset',
  scope: 'Namespaced',
  controller: 'yurt-static-set-controller',
};

const mutateDeployments = mutates(DEPLOYMENTS, 'mutate.apps.v1.deployment');
const mutateEndpoints = mutates(ENDPOINTS, 'mutate.core.v1.endpoints.openyurt.io', ['UPDATE']);
const mutateEndpointSlices = mutates(ENDPOINT_SLICES, 'mutate.discovery.v1.endpointslice.k8s.io', ['UPDATE']);
const mutateGateways = mutates(GATEWAYS, 'mutate.gateway.v1beta1.raven.openyurt.io');
const mutateNodes = mutates(NODES, 'mutate.core.v1.node.openyurt.io');
const mutateNodePoolsV1beta1 = mutates(NODE_POOLS_V1BETA1, 'm.v1beta1.nodepool.kb.io', ['CREATE']);
const mutateNodePoolsV1beta2 = mutates(NODE_POOLS_V1BETA2, 'm.v1beta2.nodepool.kb.io', ['CREATE']);
const mutatePods = mutates(PODS, 'mutate.core.v1.pod.openyurt.io', ['CREATE']);
const mutateYurtAppDaemons = mutates(YURT_APP_DAEMONS, 'mutate.apps.v1alpha1.yurtappdaemon.openyurt.io');
const mutateYurtAppOverriders = mutates(YURT_APP_OVERRIDERS, 'mutate.apps.v1alpha1.yurtappoverrider.openyurt.io');
const mutateYurtAppSets = mutates(YURT_APP_SETS, 'myurtappset.kb.io');
const mutateYurtStaticSets = mutates(YURT_STATIC_SETS, 'mutate.apps.v1alpha1.yurtstaticset.openyurt.io');

const validateGateways = validates(GATEWAYS, 'validate.gateway.v1beta1.raven.openyurt.io');
const validateNodes = validates(NODES, 'validate.core.v1.node.openyurt.io', ['UPDATE']);
const ALL_WRITES = ['CREATE', 'UPDATE', 'DELETE'] as const;
const validateNodePoolsV1beta1 = validates(NODE_POOLS_V1BETA1, 'v.v1beta1.nodepool.kb.io', ALL_WRITES);
const validateNodePoolsV1beta2 = validates(NODE_POOLS_V1BETA2, 'v.v1beta2.nodepool.kb.io', ALL_WRITES);
const validateYurtAppDaemons = validates(YURT_APP_DAEMONS, 'validate.apps.v1alpha1.yurtappdaemon.openyurt.io');
const validateYurtAppOverriders = validates(
  YURT_APP_OVERRIDERS,
  'validate.apps.v1alpha1.yurtappoverrider.openyurt.io',
  ALL_WRITES,
);
const validateYurtAppSets = validates(YURT_APP_SETS, 'vyurtappset.kb.io');
const validateYurtStaticSets = validates(YURT_STATIC_SETS, 'validate.apps.v1alpha1.yurtstaticset.openyurt.io');

/** The first releases with host-network pools: Nodes and NodePools, no Pods. */
export const WITHOUT_PODS: readonly OpenYurtWebhook[] = [
  mutateDeployments,
  mutateGateways,
  mutateNodes,
  mutateNodePoolsV1beta1,
  mutates(PLATFORM_ADMINS, 'mplatformadmin.kb.io'),
  mutateYurtAppDaemons,
  mutateYurtAppOverriders,
  mutates(YURT_APP_SETS_V1ALPHA1, 'myurtappset.kb.io'),
  mutateYurtStaticSets,
  validateGateways,
  validateNodes,
  validateNodePoolsV1beta1,
  validates(PLATFORM_ADMINS, 'vplatformadmin.kb.io'),
  validateYurtAppDaemons,
  validateYurtAppOverriders,
  validates(YURT_APP_SETS_V1ALPHA1, 'vyurtappset.kb.io'),
  validateYurtStaticSets,
];

/** With the Pod webhook, and YurtAppSet v1beta1. */
export const WITH_PODS: readonly OpenYurtWebhook[] = [
  mutateDeployments,
  mutateGateways,
  mutateNodes,
  mutateNodePoolsV1beta1,
  mutates(PLATFORM_ADMINS, 'mplatformadmin.kb.io'),
  mutatePods,
  mutateYurtAppDaemons,
  mutateYurtAppOverriders,
  mutateYurtAppSets,
  mutateYurtStaticSets,
  validateGateways,
  validateNodes,
  validateNodePoolsV1beta1,
  validates(PLATFORM_ADMINS, 'vplatformadmin.kb.io'),
  validateYurtAppDaemons,
  validateYurtAppOverriders,
  validateYurtAppSets,
  validateYurtStaticSets,
];

/** With Endpoints and EndpointSlices; PlatformAdmin is last, and not served. */
export const WITH_ENDPOINTS: readonly OpenYurtWebhook[] = [
  mutateDeployments,
  mutateEndpoints,
  mutateEndpointSlices,
  mutateGateways,
  mutateNodes,
  mutateNodePoolsV1beta1,
  mutatePods,
  mutateYurtAppDaemons,
  mutateYurtAppOverriders,
  mutateYurtAppSets,
  mutateYurtStaticSets,
  mutates(PLATFORM_ADMINS_NOT_SERVED, 'mplatformadmin.kb.io'),
  validateGateways,
  validateNodes,
  validateNodePoolsV1beta1,
  validateYurtAppDaemons,
  validateYurtAppOverriders,
  validateYurtAppSets,
  validateYurtStaticSets,
  validates(PLATFORM_ADMINS_NOT_SERVED, 'vplatformadmin.kb.io'),
];

/** With NodePool v1beta2, and without Deployments, YurtAppDaemon and YurtAppOverrider. */
export const WITH_NODE_POOL_V1BETA2: readonly OpenYurtWebhook[] = [
  mutateEndpoints,
  mutateEndpointSlices,
  mutateGateways,
  mutateNodes,
  mutateNodePoolsV1beta2,
  mutatePods,
  mutateYurtAppSets,
  mutateYurtStaticSets,
  mutates(PLATFORM_ADMINS_NOT_SERVED, 'mplatformadmin.kb.io'),
  validateGateways,
  validateNodes,
  validateNodePoolsV1beta2,
  validateYurtAppSets,
  validateYurtStaticSets,
  validates(PLATFORM_ADMINS_NOT_SERVED, 'vplatformadmin.kb.io'),
];
