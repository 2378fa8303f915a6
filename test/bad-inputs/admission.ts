import { type Chart, Testing } from 'cdk8s';
import { EdgeCluster, RegularNodePool, PoolAdmission } from 'edge-nodepools';
import { type BadInput, untyped } from './case.js';

const on = (kubernetes: string, openYurt = '1.7'): EdgeCluster => EdgeCluster.of({ openYurt, kubernetes });

const admission =
  (props: object, cluster = on('1.36')) =>
  (chart: Chart): unknown =>
    new PoolAdmission(chart, 'admission', untyped({ cluster, ...props }));

const HALF_CHARACTER = '\ud83d';

export const admissions: BadInput[] = [
  {
    what: 'admission without cluster',
    code: 'EDGE_MISSING',
    path: 'cluster',
    hint: 'EdgeCluster.of',
    make: (chart) => new PoolAdmission(chart, 'admission', untyped({})),
  },
  {
    what: 'a cluster that is only its properties',
    code: 'EDGE_MISSING',
    path: 'cluster',
    hint: 'EdgeCluster.of',
    make: admission({ cluster: { openYurt: '1.7', kubernetes: '1.36' } }),
  },
  {
    what: 'a misspelt option',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'excludeNamespaces',
    hint: 'did you mean excludedNamespaces?',
    make: admission({ excludeNamespaces: ['kube-system'] }),
  },
  {
    what: 'an unknown value of pools',
    code: 'EDGE_VALUE',
    path: 'pools',
    hint: "'listed'",
    make: admission({ pools: 'configmap' }),
  },
  {
    what: 'live pools without OpenYurt',
    code: 'EDGE_CONTRADICTION',
    path: 'pools',
    hint: "pools: 'listed'",
    make: admission({ pools: 'live' }, on('1.36', 'none')),
  },
  {
    what: 'otherPools with live pools',
    code: 'EDGE_CONTRADICTION',
    path: 'otherPools',
    hint: "leave pools: 'live' out",
    make: admission({ pools: 'live', otherPools: ['beijing'] }),
  },
  {
    what: 'checkPods as text',
    code: 'EDGE_TYPE',
    path: 'checkPods',
    hint: 'true',
    make: admission({ checkPods: 'no' }),
  },
  {
    what: 'strict in a cluster whose admission judges only labelled Pods',
    code: 'EDGE_CONTRADICTION',
    path: 'guarantees.strict',
    hint: 'labelsExcludedPods',
    make: admission(
      { guarantees: { strict: true } },
      EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', labelsExcludedPods: true }),
    ),
  },
  {
    what: 'other pools as text',
    code: 'EDGE_TYPE',
    path: 'otherPools',
    hint: "['beijing']",
    make: admission({ pools: 'listed', otherPools: 'beijing' }),
  },
  {
    what: 'another pool with an invalid name',
    code: 'EDGE_NAME',
    path: 'otherPools[1]',
    hint: "'bei-jing'",
    make: admission({ pools: 'listed', otherPools: ['hz', 'Bei_Jing'] }),
  },
  {
    what: 'another pool twice',
    code: 'EDGE_DUPLICATE',
    path: 'otherPools[1]',
    hint: 'name it once',
    make: admission({ pools: 'listed', otherPools: ['hz', 'hz'] }),
  },
  {
    what: 'the namespace of the list of pools of earlier releases',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'namespace',
    hint: 'in the policy itself',
    make: admission({ namespace: 'kube-system' }),
  },
  {
    what: 'an empty list of templates',
    code: 'EDGE_MISSING',
    path: 'templates',
    hint: 'annotatedTemplates: false',
    make: admission({ templates: [] }),
  },
  {
    what: 'templates of Jobs',
    code: 'EDGE_VALUE',
    path: 'templates[0]',
    hint: "'daemonsets'",
    make: admission({ templates: ['jobs'] }),
  },
  {
    what: 'templates as text',
    code: 'EDGE_TYPE',
    path: 'templates',
    hint: "['daemonsets']",
    make: admission({ templates: 'daemonsets' }),
  },
  {
    what: 'a break-glass group with an unpaired surrogate',
    code: 'EDGE_VALUE',
    path: 'breakGlassGroups[0]',
    hint: 'valid Unicode',
    make: admission({ breakGlassGroups: [`admins${HALF_CHARACTER}`] }),
  },
  {
    what: 'a break-glass group without a name',
    code: 'EDGE_TYPE',
    path: 'breakGlassGroups[1]',
    hint: 'as text',
    make: admission({ breakGlassGroups: ['admins', ''] }),
  },
  {
    what: 'a break-glass group that is a number',
    code: 'EDGE_TYPE',
    path: 'breakGlassGroups[0]',
    hint: 'as text',
    make: admission({ breakGlassGroups: [1000] }),
  },
  {
    what: 'break-glass groups as text',
    code: 'EDGE_TYPE',
    path: 'breakGlassGroups',
    hint: "['platform-admins']",
    make: admission({ breakGlassGroups: 'platform-admins' }),
  },
  ...['system:authenticated', 'system:unauthenticated', 'system:serviceaccounts', 'system:nodes'].map(
    (group): BadInput => ({
      what: `a break-glass group of all users: ${group}`,
      code: 'EDGE_VALUE',
      path: 'breakGlassGroups[1]',
      hint: "'platform-admins'",
      make: admission({ breakGlassGroups: ['system:serviceaccounts:ops', group] }),
    }),
  ),
  ...['kube-system', 'kube-public', 'kube-node-lease'].map((namespace): BadInput => ({
    what: `a break-glass group of the service accounts of ${namespace}`,
    code: 'EDGE_VALUE',
    path: 'breakGlassGroups[0]',
    hint: "'platform-admins'",
    make: admission({ breakGlassGroups: [`system:serviceaccounts:${namespace}`, 'system:serviceaccounts:ops'] }),
  })),
  {
    what: 'a break-glass group of every administrator',
    code: 'EDGE_VALUE',
    path: 'breakGlassGroups[0]',
    hint: "'platform-admins'",
    make: admission({ breakGlassGroups: ['system:masters'] }),
  },
  ...[
    ['admins ', 'write "admins"'],
    ['\tadmins', 'write "admins"'],
    ['Domain  Admins', 'write "Domain Admins"'],
    [' ', 'leave it out'],
  ].map(([group, hint]): BadInput => ({
    what: `a break-glass group with blanks: ${JSON.stringify(group)}`,
    code: 'EDGE_VALUE',
    path: 'breakGlassGroups[1]',
    hint: hint as string,
    make: admission({ breakGlassGroups: ['Domain Admins', group] }),
  })),
  {
    what: 'a label of this library among the metadata of policies',
    code: 'EDGE_RESERVED_KEY',
    path: 'metadata.labels["app.kubernetes.io/managed-by"]',
    hint: 'remove it',
    make: admission({ metadata: { labels: { 'app.kubernetes.io/managed-by': 'me' } } }),
  },
  {
    what: 'a regular pool in otherPools',
    code: 'EDGE_CONTRADICTION',
    path: 'otherPools[1]',
    hint: 'remove it from otherPools',
    make: (chart) => {
      const cluster = on('1.36');
      admission({ cluster, pools: 'listed', otherPools: ['hz', 'offices'] })(chart);
      // a later declaration counts, too
      new RegularNodePool(chart, 'offices', { cluster, poolName: 'offices' });
      Testing.synth(chart);
    },
  },
  {
    what: 'an option with the name of a method',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'constructor',
    hint: 'write one of',
    make: admission({ constructor: 'x' }),
  },
  {
    what: 'an excluded namespace with a pattern',
    code: 'EDGE_NAME',
    path: 'excludedNamespaces[0]',
    hint: '"kube"',
    make: admission({ excludedNamespaces: ['kube-*'] }),
  },
  {
    what: 'an excluded namespace twice',
    code: 'EDGE_DUPLICATE',
    path: 'excludedNamespaces[2]',
    hint: 'name it once',
    make: admission({ excludedNamespaces: ['kube-system', 'ops', 'kube-system'] }),
  },
  {
    what: 'a gate label that is not a key',
    code: 'EDGE_LABEL',
    path: 'namespaceGateLabel',
    hint: 'nodepool.openyurt.io/hostnetwork-pods',
    make: admission({ namespaceGateLabel: "it's mine" }),
  },
  {
    what: 'an empty list of validation actions',
    code: 'EDGE_TYPE',
    path: 'validationActions',
    hint: "['Deny', 'Audit']",
    make: admission({ validationActions: [] }),
  },
  {
    what: 'Deny together with Warn',
    code: 'EDGE_CONTRADICTION',
    path: 'validationActions',
    hint: "['Warn', 'Audit']",
    make: admission({ validationActions: ['Deny', 'Warn'] }),
  },
  {
    what: 'an action twice',
    code: 'EDGE_DUPLICATE',
    path: 'validationActions',
    hint: 'once',
    make: admission({ validationActions: ['Audit', 'Audit'] }),
  },
  {
    what: 'mutating policies in an unknown version',
    code: 'EDGE_VALUE',
    path: 'mutatingAdmissionPolicy',
    hint: "'v1beta1'",
    make: admission({ mutatingAdmissionPolicy: 'v1alpha1' }, on('1.33')),
  },
  {
    what: 'v1beta1 although v1 is served',
    code: 'EDGE_CONTRADICTION',
    path: 'mutatingAdmissionPolicy',
    hint: 'leave mutatingAdmissionPolicy out',
    make: admission({ mutatingAdmissionPolicy: 'v1beta1' }),
  },
  {
    what: 'v1beta1 although it is not served',
    code: 'EDGE_NOT_GUARANTEED',
    path: 'mutatingAdmissionPolicy',
    hint: 'leave mutatingAdmissionPolicy out',
    make: admission({ mutatingAdmissionPolicy: 'v1beta1' }, on('1.33')),
  },
  {
    what: 'a prefix that ends in a dot',
    code: 'EDGE_NAME',
    path: 'namePrefix',
    hint: "'edge-nodepools'",
    make: admission({ namePrefix: 'edge.' }),
  },
  {
    what: 'a prefix that is too long for the names',
    code: 'EDGE_NAME',
    path: 'namePrefix',
    hint: 'at most 200',
    make: admission({ namePrefix: 'x'.repeat(201) }),
  },
  {
    what: 'an empty prefix',
    code: 'EDGE_NAME',
    path: 'namePrefix',
    hint: "'edge-nodepools'",
    make: admission({ namePrefix: '' }),
  },
  {
    what: 'a name among the metadata',
    code: 'EDGE_RESERVED_KEY',
    path: 'metadata.name',
    hint: 'namePrefix',
    make: admission({ metadata: { name: 'mine' } }),
  },
  {
    what: 'a namespace for cluster-scoped objects',
    code: 'EDGE_RESERVED_KEY',
    path: 'metadata.namespace',
    hint: 'remove it here',
    make: admission({ metadata: { namespace: 'ops' } }),
  },
  {
    what: 'a label with a broken key',
    code: 'EDGE_LABEL',
    path: 'metadata.labels["a b"]',
    hint: '',
    make: admission({ metadata: { labels: { 'a b': 'c' } } }),
  },
  {
    what: 'two installations with one prefix',
    code: 'EDGE_DUPLICATE',
    path: 'namePrefix',
    hint: 'another namePrefix',
    make: (chart) => {
      admission({})(chart);
      return new PoolAdmission(chart, 'second', { cluster: on('1.36') });
    },
  },
];
