import { type PlainMap } from '../../src/base/plain-data.js';

const REQUIRED = '/spec/template/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution';
const TERMS = `${REQUIRED}/nodeSelectorTerms`;
const EXCLUSION = { key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] };
const os = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };

/** A list of JSON patches of an excluded YurtAppSet. */
export interface Tweak {
  readonly what: string;
  readonly patches: readonly object[];
  /** Position of the patch that undoes the exclusion; undefined if it persists. */
  readonly refused?: number;
  /**
   * What yurt-manager 1.7 makes of it: the Deployment that it creates for a pool is excluded, is not excluded, or is refused by the API server. It
   * reads the patched object into the unpatched one, so that whatever a patch only removes is still there.
   * @default - excluded if the patch is accepted, otherwise not
   */
  readonly in17?: 'excluded' | 'free' | 'no Deployment';
}

const patch = (operation: string, path: string, value?: unknown): object => ({
  operation,
  path,
  ...(value === undefined ? {} : { value }),
});

const OTHER = {
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [os] }] } },
};

export const TWEAKS: readonly Tweak[] = [
  { what: 'an image', patches: [patch('replace', '/spec/template/spec/containers/0/image', 'web:2')] },
  { what: 'no patch', patches: [] },
  { what: 'a label', patches: [patch('add', '/spec/template/metadata/labels/tier', 'edge')] },
  {
    what: 'a toleration of everything',
    patches: [patch('add', '/spec/template/spec/tolerations', [{ operator: 'Exists' }])],
  },
  { what: 'a nodeSelector', patches: [patch('add', '/spec/template/spec/nodeSelector', { disk: 'ssd' })] },
  { what: 'a further requirement', patches: [patch('add', `${TERMS}/0/matchExpressions/-`, os)] },
  { what: 'terms that exclude', patches: [patch('replace', TERMS, [{ matchExpressions: [os, EXCLUSION] }])] },
  {
    what: 'an affinity that excludes',
    patches: [
      patch('replace', '/spec/template/spec/affinity', {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [EXCLUSION] }] },
        },
      }),
    ],
  },
  {
    what: 'a preferred affinity',
    patches: [
      patch('add', '/spec/template/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution', [
        { weight: 1, preference: { matchExpressions: [os] } },
      ]),
    ],
  },
  {
    what: 'an affinity that is removed and written again',
    patches: [
      patch('remove', '/spec/template/spec/affinity'),
      patch('add', '/spec/template/spec/affinity', {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [EXCLUSION] }] },
        },
      }),
    ],
  },
  { what: 'no affinity', patches: [patch('replace', '/spec/template/spec/affinity', null)], refused: 0 },
  { what: 'no node affinity', patches: [patch('add', '/spec/template/spec/affinity/nodeAffinity', null)], refused: 0 },
  { what: 'no required affinity', patches: [patch('replace', REQUIRED, null)], refused: 0 },
  { what: 'other terms', patches: [patch('replace', TERMS, [{ matchExpressions: [os] }])], refused: 0 },
  { what: 'a further term', patches: [patch('add', `${TERMS}/-`, { matchExpressions: [os] })], refused: 0 },
  { what: 'a term in front', patches: [patch('add', `${TERMS}/0`, { matchExpressions: [os] })], refused: 0 },
  { what: 'other requirements', patches: [patch('replace', `${TERMS}/0/matchExpressions`, [os])], refused: 0 },
  { what: 'another requirement', patches: [patch('replace', `${TERMS}/0/matchExpressions/0`, os)], refused: 0 },
  {
    what: 'the last requirement, counted from the end',
    patches: [patch('replace', `${TERMS}/-1/matchExpressions/-1`, os)],
    refused: 0,
  },
  { what: 'another key', patches: [patch('replace', `${TERMS}/0/matchExpressions/0/key`, 'disk')], refused: 0 },
  { what: 'another operator', patches: [patch('replace', `${TERMS}/0/matchExpressions/0/operator`, 'In')], refused: 0 },
  { what: 'another value', patches: [patch('replace', `${TERMS}/0/matchExpressions/0/values/0`, 'false')], refused: 0 },
  {
    what: 'another Pod spec, after an image',
    patches: [
      patch('replace', '/spec/template/spec/containers/0/image', 'web:2'),
      patch('replace', '/spec/template/spec', { affinity: null, containers: [{ name: 'web', image: 'web' }] }),
    ],
    refused: 1,
  },
  {
    // even the Pod webhook of OpenYurt leaves such Pods alone
    what: 'another template, without the annotation',
    patches: [
      patch('replace', '/spec/template', {
        metadata: { annotations: { 'apps.openyurt.io/exclude-host-network-pool': 'false' } },
        spec: { affinity: null, containers: [{ name: 'web', image: 'web' }] },
      }),
    ],
    refused: 0,
  },
  { what: 'a node', patches: [patch('add', '/spec/template/spec/nodeName', 'shop-1')], refused: 0, in17: 'excluded' },
  {
    what: 'a host-network pool',
    patches: [patch('add', '/spec/template/spec/nodeSelector', { 'nodepool.openyurt.io/hostnetwork': 'true' })],
    refused: 0,
    in17: 'excluded',
  },
  {
    what: 'affinity removed',
    patches: [patch('remove', '/spec/template/spec/affinity')],
    refused: 0,
    in17: 'excluded',
  },
  {
    what: 'an empty affinity',
    patches: [patch('replace', '/spec/template/spec/affinity', {})],
    refused: 0,
    in17: 'excluded',
  },
  { what: 'the requirement removed: no node matches', patches: [patch('remove', `${TERMS}/0/matchExpressions/0`)] },
  { what: 'an empty template', patches: [patch('replace', '/spec/template', {})], refused: 0, in17: 'excluded' },
  { what: 'no terms', patches: [patch('replace', TERMS, [])], refused: 0, in17: 'no Deployment' },
  // encoding/json folds names by Unicode: a long s is an s, and the sign of kelvin a k; keys are in the order of their bytes
  {
    what: 'spec with a long s',
    patches: [patch('add', '/\u017fpec', { template: { spec: { affinity: OTHER } } })],
    refused: 0,
  },
  {
    what: 'key with the sign of kelvin',
    patches: [patch('add', `${TERMS}/0/matchExpressions/0/\u212aey`, 'disk')],
    refused: 0,
  },
  {
    what: 'nodename in lower case',
    patches: [patch('add', '/spec/template/spec/nodename', 'shop-1')],
    refused: 0,
    in17: 'excluded',
  },
  {
    what: 'Spec in upper case, which is read first',
    patches: [patch('add', '/Spec', { template: { spec: { affinity: OTHER } } })],
  },
  { what: 'a label with the name of a field', patches: [patch('add', '/spec/template/metadata/labels/Spec', 'a')] },
];

/**
 * Patches of a YurtAppSet that runs on the host-network pool `shop`, which has the taint `site=shop:NoSchedule`.
 */
export const HOST_NETWORK_TWEAKS: readonly Omit<Tweak, 'in17'>[] = [
  { what: 'an image', patches: [patch('replace', '/spec/template/spec/containers/0/image', 'web:2')] },
  { what: 'replicas', patches: [patch('replace', '/spec/replicas', 2)] },
  {
    what: 'a further toleration',
    patches: [patch('add', '/spec/template/spec/tolerations/-', { operator: 'Exists' })],
  },
  { what: 'a further label of its nodes', patches: [patch('add', '/spec/template/spec/nodeSelector/disk', 'ssd')] },
  {
    what: 'an affinity beside the nodeSelector',
    patches: [
      patch('add', '/spec/template/spec/affinity', {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [os] }] },
        },
      }),
    ],
  },
  {
    what: 'no host network',
    patches: [patch('replace', '/spec/template/spec/hostNetwork', false)],
    refused: 0,
  },
  {
    what: 'host network removed, after an image',
    patches: [
      patch('replace', '/spec/template/spec/containers/0/image', 'web:2'),
      patch('remove', '/spec/template/spec/hostNetwork'),
    ],
    refused: 1,
  },
  {
    what: 'no tolerations',
    patches: [patch('replace', '/spec/template/spec/tolerations', [])],
    refused: 0,
  },
  {
    what: 'another toleration',
    patches: [patch('replace', '/spec/template/spec/tolerations/0/value', 'office')],
    refused: 0,
  },
  {
    what: 'the DNS of the cluster',
    patches: [patch('replace', '/spec/template/spec/dnsPolicy', 'ClusterFirstWithHostNet')],
    refused: 0,
  },
  {
    what: 'another pool',
    patches: [patch('replace', '/spec/template/spec/nodeSelector/apps.openyurt.io~1nodepool', 'office')],
    refused: 0,
  },
  {
    what: 'no nodeSelector',
    patches: [patch('replace', '/spec/template/spec/nodeSelector', {})],
    refused: 0,
  },
  { what: 'a node', patches: [patch('add', '/spec/template/spec/nodeName', 'office-1')], refused: 0 },
  { what: 'hostnetwork', patches: [patch('add', '/spec/template/spec/hostnetwork', false)], refused: 0 },
  {
    what: 'the exclusion',
    patches: [
      patch('add', '/spec/template/spec/affinity', {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [EXCLUSION] }] },
        },
      }),
    ],
    refused: 0,
  },
];

/** A YurtAppSet (v1beta1) of one Deployment. */
export function yurtAppSet(name: string, spec: PlainMap, tweaks: readonly object[] = []): any {
  const labels = { app: name };
  return {
    apiVersion: 'apps.openyurt.io/v1beta1',
    kind: 'YurtAppSet',
    metadata: { name, namespace: 'default' },
    spec: {
      ...spec,
      workload: {
        workloadTemplate: {
          deploymentTemplate: {
            metadata: { labels },
            spec: {
              replicas: 1,
              selector: { matchLabels: labels },
              template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } },
            },
          },
        },
        ...(tweaks.length > 0 ? { workloadTweaks: tweaks } : {}),
      },
    },
  };
}
