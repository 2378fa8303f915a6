import type { Chart } from 'cdk8s';
import { EdgeCluster, PoolAdmission } from 'edge-nodepools';
import { type BadInput, untyped } from './case.js';

const on = (kubernetes: string, openYurt = '1.7'): EdgeCluster => EdgeCluster.of({ openYurt, kubernetes });

const admission =
  (props: object, cluster = on('1.36')) =>
  (chart: Chart): unknown =>
    new PoolAdmission(chart, 'admission', untyped({ cluster, ...props }));

export const guarantees: BadInput[] = [
  {
    what: 'guarantees as a list',
    code: 'EDGE_TYPE',
    path: 'guarantees',
    hint: '{ strict: true }',
    make: admission({ guarantees: ['strict'] }),
  },
  {
    what: 'no guarantees at all, as null',
    code: 'EDGE_TYPE',
    path: 'guarantees',
    hint: '{ strict: true }',
    make: admission({ guarantees: null }),
  },
  {
    what: 'a misspelt guarantee',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'guarantees.annotatedPod',
    hint: 'did you mean annotatedPods?',
    make: admission({ guarantees: { annotatedPod: true } }),
  },
  {
    what: 'a guarantee as text',
    code: 'EDGE_TYPE',
    path: 'guarantees.strict',
    hint: "{ failurePolicy: 'Ignore' }",
    make: admission({ guarantees: { strict: 'true' } }),
  },
  {
    what: 'a guarantee that is null',
    code: 'EDGE_TYPE',
    path: 'guarantees.nodeLabel',
    hint: 'true, false or',
    make: admission({ guarantees: { nodeLabel: null } }),
  },
  {
    what: 'a misspelt setting of a guarantee',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'guarantees.strict.failurepolicy',
    hint: 'did you mean failurePolicy?',
    make: admission({ guarantees: { strict: { failurepolicy: 'Ignore' } } }),
  },
  {
    what: 'a failurePolicy in lower case',
    code: 'EDGE_VALUE',
    path: 'guarantees.annotatedPods.failurePolicy',
    hint: "'Ignore'",
    make: admission({ guarantees: { annotatedPods: { failurePolicy: 'ignore' } } }),
  },
  {
    what: 'a failurePolicy for everything',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'failurePolicy',
    hint: 'guarantees: { annotatedPods: { failurePolicy:',
    make: admission({ failurePolicy: 'Ignore' }),
  },
  {
    what: 'validationActions of a guarantee that refuses nothing',
    code: 'EDGE_CONTRADICTION',
    path: 'guarantees.annotatedPods.validationActions',
    hint: 'leave validationActions out',
    make: admission({ guarantees: { annotatedPods: { validationActions: ['Warn'] } } }),
  },
  {
    what: 'an unknown action of a guarantee',
    code: 'EDGE_VALUE',
    path: 'guarantees.immutablePools.validationActions[1]',
    hint: "'Audit'",
    make: admission({ guarantees: { immutablePools: { validationActions: ['Deny', 'Log'] } } }),
  },
  {
    what: 'immutable pools without OpenYurt',
    code: 'EDGE_NOT_GUARANTEED',
    path: 'guarantees.immutablePools',
    hint: 'leave it out',
    make: admission({ guarantees: { immutablePools: true } }, on('1.36', 'none')),
  },
  {
    what: 'settings of immutable pools without OpenYurt',
    code: 'EDGE_NOT_GUARANTEED',
    path: 'guarantees.immutablePools',
    hint: 'leave it out',
    make: admission({ guarantees: { immutablePools: { validationActions: ['Audit'] } } }, on('1.36', 'none')),
  },
  {
    what: 'strict before 1.36',
    code: 'EDGE_NOT_GUARANTEED',
    path: 'guarantees.strict',
    hint: 'ExcludedWorkload',
    make: admission({ guarantees: { strict: true } }, on('1.35')),
  },
  {
    what: 'the toleration before 1.36',
    code: 'EDGE_NOT_GUARANTEED',
    path: 'guarantees.hostNetworkToleration',
    hint: 'HostNetworkWorkload',
    make: admission({ guarantees: { hostNetworkToleration: {} } }, on('1.34')),
  },
  ...(['strict', 'annotatedTemplates', 'presetNodeName', 'hostNetworkToleration'] as const).map(
    (guarantee): BadInput => ({
      what: `${guarantee} on 1.34, which has it behind flags`,
      code: 'EDGE_NOT_GUARANTEED',
      path: `guarantees.${guarantee}`,
      hint: /^write mutatingAdmissionPolicy: 'v1beta1' \(the API server then needs --feature-gates=.*\), or: leave it out/,
      make: admission({ guarantees: { [guarantee]: true } }, on('1.34')),
    }),
  ),
  {
    what: 'strict on 1.33, which has no flags for it',
    code: 'EDGE_NOT_GUARANTEED',
    path: 'guarantees.strict',
    hint: /^leave it out/,
    make: admission({ guarantees: { strict: true } }, on('1.33')),
  },
  {
    what: 'settings of a policy that flags would give',
    code: 'EDGE_NOT_GUARANTEED',
    path: 'guarantees.nodeLabel',
    hint: /^write mutatingAdmissionPolicy: 'v1beta1'/,
    make: admission({ guarantees: { nodeLabel: { failurePolicy: 'Fail' } } }, on('1.35')),
  },
  {
    what: 'preset node names before 1.36',
    code: 'EDGE_NOT_GUARANTEED',
    path: 'guarantees.presetNodeName',
    hint: 'refusePresetNodeName works from Kubernetes 1.30 on',
    make: admission({ guarantees: { presetNodeName: true } }, on('1.30')),
  },
  {
    what: 'refused node names before 1.30',
    code: 'EDGE_NOT_GUARANTEED',
    path: 'guarantees.refusePresetNodeName',
    hint: 'leave it out',
    make: admission({ guarantees: { refusePresetNodeName: true } }, on('1.29')),
  },
  {
    what: 'annotated Pods with OpenYurt 1.4, which has no Pod webhook',
    code: 'EDGE_NOT_GUARANTEED',
    path: 'guarantees.annotatedPods',
    hint: 'ExcludedWorkload',
    make: admission({ guarantees: { annotatedPods: true } }, on('1.34', '1.4')),
  },
  {
    what: 'the label of nodes on plain Kubernetes before 1.36',
    code: 'EDGE_NOT_GUARANTEED',
    path: 'guarantees.nodeLabel',
    hint: 'joinLabels',
    make: admission({ guarantees: { nodeLabel: true } }, on('1.34', 'none')),
  },
  {
    what: 'settings of a policy where a webhook does the work',
    code: 'EDGE_NOT_GUARANTEED',
    path: 'guarantees.annotatedPods',
    hint: 'write true, or leave it out',
    make: admission({ guarantees: { annotatedPods: { failurePolicy: 'Fail' } } }, on('1.34')),
  },
];
