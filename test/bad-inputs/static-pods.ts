import type { Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, JoinToken, NodeJoin } from 'edge-nodepools';
import { type BadInput, untyped } from './case.js';

const SPEC = 'staticPods[0].spec.template.spec';
const image = 'registry.example/agent:1';

const joinWith =
  (...staticPods: unknown[]) =>
  (chart: Chart) =>
    new NodeJoin(
      chart,
      'join',
      untyped({
        pool: new HostNetworkNodePool(chart, 'pool', {
          cluster: EdgeCluster.of({
            openYurt: 'none',
            kubernetes: '1.36',
            apiServer: '10.0.0.1:6443',
            caCertHashes: [`sha256:${'ab'.repeat(32)}`],
          }),
          poolName: 'hz',
        }),
        token: JoinToken.fromFile('/var/lib/edge/join-token'),
        staticPods,
      }),
    );

const daemonSet = (spec: object, container: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'edge' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: {
      metadata: { labels: { app: 'agent' } },
      spec: { containers: [{ name: 'agent', image, ...container }], ...spec },
    },
  },
});

const withSpec = (what: string, path: string, hint: string | RegExp, spec: object): BadInput => ({
  what: `a static Pod with ${what}`,
  code: 'EDGE_STATIC_POD',
  path: `${SPEC}.${path}`,
  hint,
  make: joinWith(daemonSet(spec)),
});

const withVolume = (what: string, volume: object, path: string, hint: string | RegExp): BadInput =>
  withSpec(what, `volumes[0].${path}`, hint, { volumes: [{ name: 'data', ...volume }] });

const withContainer = (what: string, container: object, path: string, hint: string | RegExp): BadInput => ({
  ...withSpec(what, `containers[0].${path}`, hint, {}),
  make: joinWith(daemonSet({}, container)),
});

const pod = (name: string, port: number): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'edge' },
  spec: { containers: [{ name: 'agent', image, ports: [{ containerPort: port }] }] },
});

/** What kubelet refuses in a static Pod, ignores, or cannot have without an API server. */
export const staticPods: BadInput[] = [
  withSpec('a service account', 'serviceAccountName', 'hostPath', { serviceAccountName: 'agent' }),
  withSpec('a token', 'automountServiceAccountToken', 'hostPath', { automountServiceAccountToken: true }),
  withSpec('Secrets for images', 'imagePullSecrets', 'imageFolder', { imagePullSecrets: [{ name: 'pull' }] }),
  withSpec('resource claims', 'resourceClaims', 'hostPath', { resourceClaims: [{ name: 'gpu' }] }),
  withSpec('ephemeral containers', 'ephemeralContainers', 'crictl', { ephemeralContainers: [{ name: 'debug' }] }),
  withSpec('scheduling gates', 'schedulingGates', 'leave it out', { schedulingGates: [{ name: 'a.example/b' }] }),
  withSpec('a RuntimeClass', 'runtimeClassName', 'default runtime', { runtimeClassName: 'gvisor' }),
  ...[{ ownerReferences: [{ kind: 'DaemonSet', name: 'agent' }] }, { finalizers: ['a.example/b'] }].map(
    (metadata): BadInput => ({
      what: `a static Pod with ${String(Object.keys(metadata))}`,
      code: 'EDGE_STATIC_POD',
      path: `staticPods[0].metadata.${String(Object.keys(metadata))}`,
      hint: 'leave it out',
      make: joinWith({ ...daemonSet({}), metadata: { name: 'agent', namespace: 'edge', ...metadata } }),
    }),
  ),
  withSpec('a node selector', 'nodeSelector', 'another NodeJoin', { nodeSelector: { disk: 'ssd' } }),
  withSpec('a node name', 'nodeName', 'another NodeJoin', { nodeName: 'edge-1' }),
  withSpec('an affinity', 'affinity', 'give the workload', { affinity: { nodeAffinity: {} } }),
  withSpec('cluster DNS', 'dnsPolicy', "'Default'", { dnsPolicy: 'ClusterFirstWithHostNet' }),
  withVolume('a ConfigMap', { configMap: { name: 'a' } }, 'configMap', 'a file of the join'),
  withVolume('a Secret', { secret: { secretName: 'a' } }, 'secret', 'a file of the join'),
  withVolume('a claim', { persistentVolumeClaim: { claimName: 'a' } }, 'persistentVolumeClaim', 'hostPath'),
  withVolume('an ephemeral claim', { ephemeral: { volumeClaimTemplate: {} } }, 'ephemeral', 'hostPath'),
  withVolume('a CSI volume', { csi: { driver: 'a.example' } }, 'csi', 'hostPath'),
  withVolume(
    'a projected token',
    { projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
    'projected.sources[0].serviceAccountToken',
    'hostPath',
  ),
  withVolume(
    'a projected Secret',
    { projected: { sources: [{ downwardAPI: {} }, { secret: { name: 'a' } }] } },
    'projected.sources[1].secret',
    'a file of the join',
  ),
  withContainer(
    'a value of a Secret',
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } }] },
    'env[0].valueFrom.secretKeyRef',
    'a file of the join',
  ),
  withContainer(
    'values of a ConfigMap',
    { envFrom: [{ configMapRef: { name: 'a' } }] },
    'envFrom[0].configMapRef',
    'write the value',
  ),
  {
    what: 'a static Pod that calls a Service',
    code: 'EDGE_CLUSTER_SERVICE',
    path: `${SPEC}.containers[0].args[0]`,
    hint: 'the node itself can reach',
    make: joinWith(daemonSet({}, { args: ['http://queue.edge.svc:80'] })),
  },
  {
    what: 'a Deployment as a static Pod',
    code: 'EDGE_STATIC_POD',
    path: 'staticPods[0].kind',
    hint: 'a DaemonSet or a Pod',
    make: joinWith({ ...daemonSet({}), kind: 'Deployment' }),
  },
  {
    what: 'a static Pod without a name',
    code: 'EDGE_MISSING',
    path: 'staticPods[0].metadata',
    hint: "name: 'agent'",
    make: joinWith({ ...daemonSet({}), metadata: {} }),
  },
  {
    what: 'a static Pod whose mirror would have too long a name',
    code: 'EDGE_NAME',
    path: 'staticPods[0].metadata.name',
    hint: 'at most 189',
    make: joinWith(pod('a'.repeat(200), 9110)),
  },
  {
    what: 'the same static Pod twice',
    code: 'EDGE_DUPLICATE',
    path: 'staticPods[1]',
    hint: 'once',
    make: joinWith(pod('agent', 9110), pod('agent', 9111)),
  },
  {
    what: 'two static Pods on one port',
    code: 'EDGE_PORT_CONFLICT',
    path: 'staticPods[1]',
    hint: 'another port',
    make: joinWith(pod('one', 9110), pod('two', 9110)),
  },
  {
    what: 'static Pods that are no list',
    code: 'EDGE_TYPE',
    path: 'staticPods',
    hint: 'staticPods: [agent]',
    make: (chart) => {
      const pool = new HostNetworkNodePool(chart, 'pool', {
        cluster: EdgeCluster.of({
          openYurt: 'none',
          kubernetes: '1.36',
          apiServer: '10.0.0.1:6443',
          caCertHashes: [`sha256:${'ab'.repeat(32)}`],
        }),
        poolName: 'hz',
      });
      const token = JoinToken.fromFile('/var/lib/edge/join-token');
      return new NodeJoin(chart, 'join', untyped({ pool, token, staticPods: pod('one', 9110) }));
    },
  },
  {
    what: 'a static Pod at the name of a file',
    code: 'EDGE_YAML',
    path: 'staticPods[0]',
    hint: 'readFileSync',
    make: joinWith('agent.yaml'),
  },
];
