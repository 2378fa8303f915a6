import { EdgeCluster, HostNetworkNodePool, HostNetworkWorkload, RegularNodePool } from 'edge-nodepools';
import { type BadInput, cluster, daemonSet, deployment, plain, pool, untyped } from './case.js';

const SPEC = 'workload.spec.template.spec';
const cluster15 = EdgeCluster.of({ openYurt: '1.5', kubernetes: '1.28' });
const withoutHub = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', yurthub: false });
const run =
  (workload: unknown, more: object, poolProps: object = {}): BadInput['make'] =>
  (chart) =>
    new HostNetworkWorkload(chart, 'web', untyped({ pool: pool(chart, 'hz', poolProps), workload, ...more }));
const made =
  (props: object): BadInput['make'] =>
  (chart) =>
    new HostNetworkNodePool(chart, 'hz', untyped({ cluster, poolName: 'hz', ...props }));
const UNREACHABLE = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' };

/** Autonomy of pools and of workloads. */
export const offline: BadInput[] = [
  {
    what: 'an autonomy in another word',
    code: 'EDGE_VALUE',
    path: 'autonomy',
    hint: "'forever'",
    make: run(deployment(), { autonomy: 'always' }),
  },
  {
    what: 'an autonomy as a number',
    code: 'EDGE_VALUE',
    path: 'autonomy',
    hint: "'300s'",
    make: made({ autonomy: 300 }),
  },
  {
    what: 'a negative autonomy',
    code: 'EDGE_VALUE',
    path: 'autonomy',
    hint: "'2h'",
    make: made({ autonomy: '-5m' }),
  },
  {
    what: 'an autonomy of 0, which OpenYurt and Kubernetes understand otherwise',
    code: 'EDGE_VALUE',
    path: 'autonomy',
    hint: "'1s'",
    make: run(deployment(), { autonomy: '0s' }),
  },
  {
    what: 'an autonomy of more than 100 years',
    code: 'EDGE_VALUE',
    path: 'autonomy',
    hint: "'forever'",
    make: run(deployment(), { autonomy: '9999999h' }),
  },
  {
    what: 'a time in a release that knows only forever',
    code: 'EDGE_FIELD_NOT_IN_RELEASE',
    path: 'autonomy',
    hint: 'each HostNetworkWorkload',
    make: made({ cluster: cluster15, autonomy: '2h' }),
  },
  {
    what: 'autonomy beside its annotation',
    code: 'EDGE_CONTRADICTION',
    path: 'annotations["node.openyurt.io/autonomy-duration"]',
    hint: 'remove',
    make: made({ autonomy: '2h', annotations: { 'node.openyurt.io/autonomy-duration': '1h' } }),
  },
  {
    what: 'autonomy of a regular pool without OpenYurt',
    code: 'EDGE_NO_OPENYURT',
    path: 'autonomy',
    hint: 'tolerations',
    make: (chart) => new RegularNodePool(chart, 'hz', { cluster: plain, poolName: 'hz', autonomy: 'forever' }),
  },
  {
    what: 'two mechanisms: of the nodes and of the Pods',
    code: 'EDGE_CONTRADICTION',
    path: 'autonomy',
    hint: 'at the pool',
    make: run(deployment(), { autonomy: 'forever' }, { autonomy: 'forever' }),
  },
  {
    what: 'two mechanisms, one of them an annotation',
    code: 'EDGE_CONTRADICTION',
    path: 'autonomy',
    hint: 'at the pool',
    make: run(deployment(), { autonomy: 'forever' }, { annotations: { 'node.openyurt.io/autonomy-duration': '0' } }),
  },
  {
    what: 'one template on pools of two kinds',
    code: 'EDGE_CONTRADICTION',
    path: 'autonomy',
    hint: 'one workload for each pool',
    make: (chart) =>
      new HostNetworkWorkload(chart, 'web', {
        pools: ['a', 'b'].map(
          (poolName) =>
            new HostNetworkNodePool(chart, poolName, {
              cluster: plain,
              poolName,
              ...(poolName === 'a' ? { autonomy: 'forever' } : {}),
            }),
        ),
        workload: deployment(),
      }),
  },
  {
    what: 'a time for a DaemonSet',
    code: 'EDGE_CONTRADICTION',
    path: 'autonomy',
    hint: 'leave autonomy out',
    make: run(daemonSet(), { autonomy: '2h' }),
  },
  {
    what: 'tolerationSeconds beside autonomy',
    code: 'EDGE_CONTRADICTION',
    path: `${SPEC}.tolerations[0]`,
    hint: 'remove the toleration',
    make: run(deployment({ tolerations: [{ ...UNREACHABLE, tolerationSeconds: 60 }] }), { autonomy: 'forever' }),
  },
  {
    what: 'a toleration of everything beside a time',
    code: 'EDGE_CONTRADICTION',
    path: `${SPEC}.tolerations[0]`,
    hint: 'remove the toleration',
    make: run(deployment({ tolerations: [{ operator: 'Exists' }] }), { autonomy: '2h' }),
  },
  {
    what: 'a toleration in the form that OpenYurt 1.5 resets',
    code: 'EDGE_CONTRADICTION',
    path: `${SPEC}.tolerations[0]`,
    hint: 'the form that holds',
    make: (chart) =>
      new HostNetworkWorkload(chart, 'web', {
        pool: new HostNetworkNodePool(chart, 'hz', { cluster: cluster15, poolName: 'hz' }),
        workload: deployment({ tolerations: [UNREACHABLE] }),
        autonomy: 'forever',
      }),
  },
  {
    what: 'a rollout that does not exist',
    code: 'EDGE_VALUE',
    path: 'rollout',
    hint: 'advanced-rolling',
    make: run(daemonSet(), { rollout: 'auto' }),
  },
  {
    what: 'a share of nodes whose number is not known',
    code: 'EDGE_MISSING',
    path: 'nodesAway',
    hint: 'expectedNodes',
    make: run(daemonSet(), { rollout: 'rolling' }),
  },
  {
    what: 'more than all nodes',
    code: 'EDGE_VALUE',
    path: 'nodesAway',
    hint: '100%',
    make: run(daemonSet(), { rollout: 'rolling', nodesAway: '120%' }),
  },
  {
    what: 'a share without its sign',
    code: 'EDGE_ROLLOUT',
    path: 'nodesAway',
    hint: '1',
    make: run(daemonSet(), { rollout: 'rolling', nodesAway: '10' }),
  },
  {
    what: 'nodesAway without a rollout',
    code: 'EDGE_MISSING',
    path: 'nodesAway',
    hint: 'rollout',
    make: run(daemonSet(), { nodesAway: 1 }),
  },
  {
    what: 'nodesAway where no node is awaited',
    code: 'EDGE_CONTRADICTION',
    path: 'nodesAway',
    hint: 'leave nodesAway out',
    make: run(daemonSet(), { rollout: 'ota', nodesAway: 1 }),
  },
  {
    what: 'no node at a time, which OpenYurt takes for 10%',
    code: 'EDGE_VALUE',
    path: 'nodesAway',
    hint: '1 or more',
    make: run(daemonSet(), { rollout: 'advanced-rolling', nodesAway: 0 }),
  },
  {
    what: 'a rollout of OpenYurt without OpenYurt',
    code: 'EDGE_NO_OPENYURT',
    path: 'rollout',
    hint: 'on-delete',
    make: (chart) =>
      new HostNetworkWorkload(chart, 'web', {
        pool: new HostNetworkNodePool(chart, 'hz', { cluster: plain, poolName: 'hz' }),
        workload: daemonSet(),
        rollout: 'advanced-rolling',
      }),
  },
  {
    what: 'ota without yurthub',
    code: 'EDGE_CONTRADICTION',
    path: 'rollout',
    hint: 'yurthub: true',
    make: run(daemonSet(), { rollout: 'ota' }, { cluster: withoutHub }),
  },
  {
    what: 'a rollout of DaemonSets for a Deployment',
    code: 'EDGE_VALUE',
    path: 'rollout',
    hint: "'rolling'",
    make: run(deployment(), { rollout: 'on-delete' }),
  },
  {
    what: 'a rollout of a StatefulSet that waits for nodes that are unreachable',
    code: 'EDGE_ROLLOUT',
    path: 'rollout',
    hint: 'on-delete',
    make: run({ ...deployment(), kind: 'StatefulSet' }, { rollout: 'rolling', nodesAway: 1 }),
  },
  {
    what: 'a rollout of a Pod',
    code: 'EDGE_VALUE',
    path: 'rollout',
    hint: 'DaemonSets',
    make: run(
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: deployment().spec.template.spec },
      { rollout: 'rolling' },
    ),
  },
  {
    what: 'another maxUnavailable beside a rollout',
    code: 'EDGE_CONTRADICTION',
    path: 'workload.spec.updateStrategy.rollingUpdate.maxUnavailable',
    hint: 'leave out rollout',
    make: run(daemonSet({}, { updateStrategy: { rollingUpdate: { maxUnavailable: 1 } } }), {
      rollout: 'rolling',
      nodesAway: 2,
    }),
  },
  {
    what: 'another strategy beside a rollout',
    code: 'EDGE_CONTRADICTION',
    path: 'workload.spec.updateStrategy.type',
    hint: 'remove type',
    make: run(daemonSet({}, { updateStrategy: { type: 'RollingUpdate' } }), { rollout: 'on-delete' }),
  },
  {
    what: 'another wave in the labels',
    code: 'EDGE_CONTRADICTION',
    path: 'workload.metadata.labels["edge-nodepools/wave"]',
    hint: 'remove',
    make: run({ ...daemonSet(), metadata: { name: 'web', labels: { 'edge-nodepools/wave': '3' } } }, { wave: 1 }),
  },
  {
    what: 'a wave before the first',
    code: 'EDGE_VALUE',
    path: 'wave',
    hint: '0',
    make: run(daemonSet(), { wave: -1 }),
  },
];
