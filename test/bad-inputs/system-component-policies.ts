import type { Chart } from 'cdk8s';
import { EdgeCluster, EdgeSystemComponents, SystemComponent } from 'edge-nodepools';
import { type BadInput, untyped } from './case.js';

const on = (kubernetes: string): EdgeCluster => EdgeCluster.of({ openYurt: '1.7', kubernetes });

const excluding =
  (props: object, cluster = on('1.36')) =>
  (chart: Chart): unknown =>
    new EdgeSystemComponents(chart, 'system', untyped({ cluster, exclude: [SystemComponent.KUBE_PROXY], ...props }));

export const systemComponentPolicies: BadInput[] = [
  {
    what: 'a policy of system components with a bad name',
    code: 'EDGE_NAME',
    path: 'policyName',
    hint: '"my-policy"',
    make: excluding({ policyName: 'My Policy' }),
  },
  {
    what: 'a policy name that is a number',
    code: 'EDGE_NAME',
    path: 'policyName',
    hint: 'lower-case',
    make: excluding({ policyName: 7 }),
  },
  {
    what: 'a field manager that is no text',
    code: 'EDGE_TYPE',
    path: 'fieldManager',
    hint: "write fieldManager: 'edge-nodepools-shops'",
    make: excluding({ fieldManager: 7 }),
  },
  ...['', 'x'.repeat(129), 'line\nbreak'].map((fieldManager): BadInput => ({
    what: `the field manager ${JSON.stringify(fieldManager)}`,
    code: 'EDGE_VALUE',
    path: 'fieldManager',
    hint: "write fieldManager: 'edge-nodepools-shops'",
    make: excluding({ fieldManager }),
  })),
  {
    what: 'system components: v1beta1 where v1 is there',
    code: 'EDGE_CONTRADICTION',
    path: 'mutatingAdmissionPolicy',
    hint: 'leave mutatingAdmissionPolicy out',
    make: excluding({ mutatingAdmissionPolicy: 'v1beta1' }, on('1.37')),
  },
  {
    what: 'system components: v1beta1 where it is not served',
    code: 'EDGE_NOT_GUARANTEED',
    path: 'mutatingAdmissionPolicy',
    hint: 'leave mutatingAdmissionPolicy out',
    make: excluding({ mutatingAdmissionPolicy: 'v1beta1' }, on('1.30')),
  },
  {
    what: 'system components: a version that is none',
    code: 'EDGE_VALUE',
    path: 'mutatingAdmissionPolicy',
    hint: "'v1beta1'",
    make: excluding({ mutatingAdmissionPolicy: true }),
  },
  {
    what: 'the policy as the strategy before 1.36',
    code: 'EDGE_STRATEGY',
    path: 'exclude[0]',
    hint: 'leave strategy out',
    make: excluding({ strategy: 'ADMISSION_POLICY' }, on('1.35')),
  },
  {
    what: 'two policies of system components with one name',
    code: 'EDGE_DUPLICATE',
    path: 'policyName',
    hint: 'another policyName',
    make: (chart) => {
      excluding({})(chart);
      return new EdgeSystemComponents(chart, 'second', {
        cluster: on('1.36'),
        exclude: [SystemComponent.COREDNS],
      });
    },
  },
  {
    what: 'two exclusions of one system component',
    code: 'EDGE_DUPLICATE',
    path: 'exclude[1]',
    hint: 'in one EdgeSystemComponents of its cluster',
    make: (chart) => {
      excluding({})(chart);
      return new EdgeSystemComponents(chart, 'second', {
        cluster: on('1.36'),
        exclude: [SystemComponent.COREDNS, SystemComponent.KUBE_PROXY],
      });
    },
  },
];
