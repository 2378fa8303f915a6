import { daemonSet, deployment, required } from '../bad-inputs/case.js';

const HOST_NETWORK = 'nodepool.openyurt.io/hostnetwork';
const os = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };
const onSite = (value: string): object => ({ key: 'site', operator: 'In', values: [value] });
const exclusion = { key: HOST_NETWORK, operator: 'NotIn', values: ['true'] };

/** A workload, and what is special about its node affinity. */
export interface WorkloadShape {
  readonly name: string;
  readonly workload: any;
}

function named(name: string, workload: any): WorkloadShape {
  return { name, workload: { ...workload, metadata: { name, namespace: 'shapes' } } };
}

function pod(spec: object): any {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    spec: { automountServiceAccountToken: false, containers: [{ name: 'web', image: 'web' }], ...spec },
  };
}

const template = deployment().spec.template;

/** Every form of node affinity in shipped manifests, and every kind with a Pod template. */
export const workloadShapes: readonly WorkloadShape[] = [
  named('no-affinity', deployment()),
  named('empty-affinity', deployment({ affinity: {} })),
  named('empty-node-affinity', deployment({ affinity: { nodeAffinity: {} } })),
  named('one-term', deployment(required([{ matchExpressions: [os] }]))),
  named('two-terms', deployment(required([{ matchExpressions: [onSite('a')] }, { matchExpressions: [onSite('b')] }]))),
  named('three-terms', deployment(required(['a', 'b', 'c'].map((site) => ({ matchExpressions: [os, onSite(site)] }))))),
  named(
    'match-fields',
    deployment(required([{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['plain-1'] }] }])),
  ),
  named(
    'fields-and-expressions',
    deployment(
      required([
        { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['plain-1'] }], matchExpressions: [os] },
      ]),
    ),
  ),
  named('empty-term-beside', deployment(required([{}, { matchExpressions: [os] }]))),
  named('only-empty-term', deployment(required([{}]))),
  named('exists', deployment(required([{ matchExpressions: [{ key: 'site', operator: 'Exists' }] }]))),
  named('does-not-exist', deployment(required([{ matchExpressions: [{ key: 'gpu', operator: 'DoesNotExist' }] }]))),
  named('greater', deployment(required([{ matchExpressions: [{ key: 'rank', operator: 'Gt', values: ['3'] }] }]))),
  named(
    'preferred-only',
    deployment({
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [os] } }],
        },
      },
    }),
  ),
  named(
    'pod-anti-affinity',
    deployment({
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 100,
              podAffinityTerm: {
                topologyKey: 'kubernetes.io/hostname',
                labelSelector: { matchLabels: { app: 'web' } },
              },
            },
          ],
        },
      },
    }),
  ),
  named('already-excluded', deployment(required([{ matchExpressions: [exclusion] }]))),
  named('half-excluded', deployment(required([{ matchExpressions: [exclusion] }, { matchExpressions: [os] }]))),
  named(
    'excluded-among-values',
    deployment(required([{ matchExpressions: [{ ...exclusion, values: ['other', 'true'] }] }])),
  ),
  named('node-selector', deployment({ nodeSelector: { site: 'a' } })),
  named('tolerates-everything', deployment({ tolerations: [{ operator: 'Exists' }] })),
  named('flannel-like', {
    ...daemonSet({
      hostNetwork: true,
      tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }],
      containers: [{ name: 'web', image: 'web' }],
      ...required([{ matchExpressions: [os] }]),
    }),
  }),
  named('daemon-set', daemonSet({ containers: [{ name: 'web', image: 'web' }] })),
  named('stateful-set', {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    spec: { serviceName: 'web', selector: { matchLabels: { app: 'web' } }, template },
  }),
  named('replica-set', {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    spec: { selector: { matchLabels: { app: 'web' } }, template },
  }),
  named('job', {
    apiVersion: 'batch/v1',
    kind: 'Job',
    spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } },
  }),
  named('cron-job', {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    spec: {
      schedule: '0 * * * *',
      jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
    },
  }),
  named('pod', pod({})),
  named('pod-with-term', pod(required([{ matchExpressions: [os] }]))),
  named('yurt-app-set', {
    apiVersion: 'apps.openyurt.io/v1alpha1',
    kind: 'YurtAppSet',
    spec: {
      selector: { matchLabels: { app: 'web' } },
      workloadTemplate: {
        deploymentTemplate: {
          metadata: { labels: { app: 'web' } },
          spec: { selector: { matchLabels: { app: 'web' } }, template },
        },
      },
    },
  }),
  named('yurt-app-set-v1beta1', {
    apiVersion: 'apps.openyurt.io/v1beta1',
    kind: 'YurtAppSet',
    spec: {
      pools: ['shanghai'],
      workload: {
        workloadTemplate: {
          deploymentTemplate: {
            metadata: { labels: { app: 'web' } },
            spec: { selector: { matchLabels: { app: 'web' } }, template },
          },
        },
      },
    },
  }),
];
