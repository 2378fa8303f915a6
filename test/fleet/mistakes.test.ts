/** Mistakes that people make in manifests: each is found, with its line and a way out, and their right neighbours are not. */
import { checkFiles } from '../../src/fleet/check-manifests.js';

const BASE = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      hostNetwork: true
      containers:
        - name: web
          image: nginx:1.27
          ports:
            - containerPort: 8080
`;

/** The text with other lines in it. */
const changed = (...pairs: [from: string, to: string][]): string =>
  pairs.reduce((text, [from, to]) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  }, BASE);
const inPod = (field: string): string =>
  changed(['      hostNetwork: true\n', `      hostNetwork: true\n      ${field}\n`]);
const inAffinity = (kind: string, fields: string): string => inPod(`affinity: { ${kind}: { ${fields} } }`);
const inContainer = (field: string): string => changed(['          ports:', `          ${field}\n          ports:`]);
const port = (text: string): string => changed(['containerPort: 8080', text]);
const object = (apiVersion: string, kind: string, rest: string): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: a }\n${rest}\n`;
const pool = (spec: string): string => object('apps.openyurt.io/v1beta2', 'NodePool', `spec: { ${spec} }`);

const found = (text: string, kubernetes?: string): string[] =>
  checkFiles([{ path: 'a.yaml', text }], kubernetes === undefined ? {} : { kubernetes }).findings.map(
    ({ level, code, path, line, hint }) => {
      expect(hint).not.toBe('');
      return `${line} ${level} ${code} ${path.replace('spec.template.spec', 'SPEC').replace('DuringSchedulingIgnoredDuringExecution', '')}`;
    },
  );

type Row = [what: string, text: string, finding: string];

const SCHEDULING: Row[] = [
  [
    'an operator in small letters',
    inAffinity(
      'nodeAffinity',
      'requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: a, operator: in, values: [b] }] }] }',
    ),
    '16 error EDGE_AFFINITY SPEC.affinity.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].operator',
  ],
  [
    'In without values',
    inAffinity(
      'nodeAffinity',
      'requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: a, operator: In }] }] }',
    ),
    '16 error EDGE_AFFINITY SPEC.affinity.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].values',
  ],
  [
    'required terms as a list',
    inAffinity(
      'nodeAffinity',
      'requiredDuringSchedulingIgnoredDuringExecution: [{ matchExpressions: [{ key: a, operator: In, values: [b] }] }]',
    ),
    '16 error EDGE_AFFINITY SPEC.affinity.nodeAffinity.required',
  ],
  [
    'a preferred term without weight',
    inAffinity(
      'nodeAffinity',
      'preferredDuringSchedulingIgnoredDuringExecution: [{ preference: { matchExpressions: [{ key: a, operator: Exists }] } }]',
    ),
    '16 error EDGE_AFFINITY SPEC.affinity.nodeAffinity.preferred[0].weight',
  ],
  [
    'podAntiAffinity without topologyKey',
    inAffinity(
      'podAntiAffinity',
      'requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: { app: web } } }]',
    ),
    '16 error EDGE_MISSING SPEC.affinity.podAntiAffinity.required[0].topologyKey',
  ],
  ['a list as affinity', inPod('affinity: []'), '16 error EDGE_AFFINITY SPEC.affinity'],
  ['a list as nodeSelector', inPod('nodeSelector: [a]'), '16 error EDGE_TYPE SPEC.nodeSelector'],
  ['true in a nodeSelector', inPod('nodeSelector: { a: true }'), '16 error EDGE_TYPE SPEC.nodeSelector.a'],
  ['a map as tolerations', inPod('tolerations: { operator: Exists }'), '16 error EDGE_TYPE SPEC.tolerations'],
  [
    'an effect that there is not',
    inPod('tolerations: [{ key: a, operator: Exists, effect: NoScheduled }]'),
    '16 error EDGE_TAINT SPEC.tolerations[0].effect',
  ],
  [
    'Exists with a value',
    inPod('tolerations: [{ key: a, operator: Exists, value: b }]'),
    '16 error EDGE_TAINT SPEC.tolerations[0].value',
  ],
  [
    'tolerationSeconds without NoExecute',
    inPod('tolerations: [{ key: a, operator: Exists, effect: NoSchedule, tolerationSeconds: 5 }]'),
    '16 error EDGE_TAINT SPEC.tolerations[0].effect',
  ],
  [
    'maxSkew 0',
    inPod('topologySpreadConstraints: [{ maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule }]'),
    '16 error EDGE_VALUE SPEC.topologySpreadConstraints[0].maxSkew',
  ],
];

const OF_PODS: Row[] = [
  ['a port above 65535', port('containerPort: 70000'), '20 error EDGE_PORT SPEC.containers[0].ports[0].containerPort'],
  ['a port in quotes', port('containerPort: "8080"'), '20 error EDGE_PORT SPEC.containers[0].ports[0].containerPort'],
  [
    'the same host port twice',
    port('containerPort: 8080\n            - containerPort: 8080'),
    '21 error EDGE_DUPLICATE_PORT SPEC.containers[0].ports[1]',
  ],
  [
    'the same port twice, without hostNetwork',
    changed(
      ['      hostNetwork: true\n', ''],
      ['- containerPort: 8080', '- containerPort: 8080\n            - containerPort: 8080'],
    ),
    '20 warning EDGE_DUPLICATE_PORT SPEC.containers[0].ports[1]',
  ],
  [
    'another hostPort with hostNetwork',
    port('containerPort: 8080\n              hostPort: 80'),
    '21 error EDGE_PORT_MISMATCH SPEC.containers[0].ports[0].hostPort',
  ],
  ['ports as numbers', changed(['- containerPort: 8080', '- 8080']), '20 error EDGE_PORT SPEC.containers[0].ports[0]'],
  [
    'a probe without port',
    inContainer('livenessProbe: { httpGet: { path: / } }'),
    '19 error EDGE_MISSING SPEC.containers[0].livenessProbe.httpGet.port',
  ],
  [
    'a probe of a port above 65535',
    inContainer('livenessProbe: { tcpSocket: { port: 80800 } }'),
    '19 error EDGE_PORT SPEC.containers[0].livenessProbe.tcpSocket.port',
  ],
  ['dnsPolicy None without servers', inPod('dnsPolicy: None'), '16 error EDGE_DNS SPEC.dnsPolicy'],
  ['a dnsPolicy that there is not', inPod('dnsPolicy: default'), '16 error EDGE_VALUE SPEC.dnsPolicy'],
  [
    'true as an annotation',
    changed(['        app: web\n    spec', '        app: web\n      annotations: { a/b: true }\n    spec']),
    '14 error EDGE_TYPE spec.template.metadata.annotations["a/b"]',
  ],
  [
    'true as a label',
    changed(['        app: web\n    spec', '        app: web\n        prod: true\n    spec']),
    '14 error EDGE_TYPE spec.template.metadata.labels.prod',
  ],
  [
    'tolerations in a container',
    inContainer('tolerations: [{ operator: Exists }]'),
    '19 error EDGE_UNKNOWN_PROPERTY SPEC.containers[0].tolerations',
  ],
  [
    'a nodeSelector beside the template',
    changed(['  replicas: 1\n', '  replicas: 1\n  nodeSelector: { a: b }\n']),
    '7 error EDGE_UNKNOWN_PROPERTY spec.nodeSelector',
  ],
  [
    'replicas of a DaemonSet',
    changed(['kind: Deployment', 'kind: DaemonSet']),
    '6 error EDGE_UNKNOWN_PROPERTY spec.replicas',
  ],
  ['a field that may be new', inPod('newField: 1'), '16 warning EDGE_UNKNOWN_PROPERTY SPEC.newField'],
  [
    'a misspelt field of a part of a workload',
    object('apps/v1', 'Deployment', 'spec: { template: { spec: { affinty: {} } } }'),
    '4 error EDGE_UNKNOWN_PROPERTY SPEC.affinty',
  ],
  ['sepc', object('apps/v1', 'Deployment', 'sepc: { template: {} }'), '4 error EDGE_UNKNOWN_PROPERTY sepc'],
  [
    'a workload without template',
    object('apps/v1', 'Deployment', 'spec: { selector: { matchLabels: { a: b } } }'),
    '4 error EDGE_NO_POD_TEMPLATE spec',
  ],
];

const OF_OBJECTS: Row[] = [
  ['a kind in small letters', changed(['kind: Deployment', 'kind: deployment']), '2 error EDGE_API_VERSION kind'],
  ['a misspelt kind', changed(['kind: Deployment', 'kind: Deploymnet']), '2 error EDGE_API_VERSION kind'],
  ['another group', changed(['apps/v1', 'v1']), '1 error EDGE_API_VERSION apiVersion'],
  ['no kind', changed(['kind: Deployment\n', '']), '1 error EDGE_MISSING kind'],
  ['no apiVersion', changed(['apiVersion: apps/v1\n', '']), '1 error EDGE_MISSING apiVersion'],
  ['no name', changed(['  name: web\nspec', '  labels: {}\nspec']), '3 error EDGE_MISSING metadata.name'],
  ['a name in capitals', changed(['  name: web\nspec', '  name: Web_App\nspec']), '4 error EDGE_NAME metadata.name'],
  [
    'a namespace in capitals',
    changed(['  name: web\nspec', '  name: web\n  namespace: My_NS\nspec']),
    '5 error EDGE_NAME metadata.namespace',
  ],
  ['a removed version', changed(['apps/v1', 'apps/v1beta1']), '1 error EDGE_API_VERSION apiVersion'],
  ['an older one', changed(['apps/v1', 'extensions/v1beta1']), '1 error EDGE_API_VERSION apiVersion'],
  ['a removed kind', object('policy/v1beta1', 'PodSecurityPolicy', 'spec: {}'), '1 error EDGE_API_VERSION apiVersion'],
  ['a field twice', inPod('hostNetwork: false'), '16 error EDGE_DUPLICATE SPEC.hostNetwork'],
  [
    'no --- between two objects',
    BASE + BASE.replace('name: web\nspec', 'name: web2\nspec'),
    '21 error EDGE_DUPLICATE apiVersion',
  ],
  ['the same object twice', `${BASE}---\n${BASE}`, '25 warning EDGE_DUPLICATE metadata.name'],
  ['a number in a ConfigMap', object('v1', 'ConfigMap', 'data: { port: 8080 }'), '4 error EDGE_TYPE data.port'],
  ['text that is not base64', object('v1', 'Secret', 'data: { p: "not base64!!" }'), '4 error EDGE_VALUE data.p'],
  [
    'a Service without ports',
    object('v1', 'Service', 'spec: { selector: { app: web } }'),
    '4 error EDGE_MISSING spec.ports',
  ],
  [
    'a misspelt field of a pool',
    pool('type: Edge, hostnetwork: true'),
    '4 error EDGE_UNKNOWN_PROPERTY spec.hostnetwork',
  ],
  ['text for true in a pool', pool('type: Edge, hostNetwork: "true"'), '4 error EDGE_TYPE spec.hostNetwork'],
  [
    'a Cloud pool with hostNetwork',
    pool('type: Cloud, hostNetwork: true'),
    '4 error EDGE_CLOUD_HOST_NETWORK spec.type',
  ],
  [
    'a taint without effect',
    pool('type: Edge, taints: [{ key: a, effect: NoSchedul }]'),
    '4 error EDGE_TAINT spec.taints[0].effect',
  ],
];

describe('check finds', () => {
  it.each([...SCHEDULING, ...OF_PODS, ...OF_OBJECTS])('%s', (_, text, finding) => {
    expect(found(text)).toEqual([finding]);
  });

  it.each<[string, string]>([
    ['the text itself', BASE],
    ['a byte order mark', `\ufeff${BASE}`],
    ['lines of Windows', BASE.replace(/\n/g, '\r\n')],
    ['numbers as quantities', inContainer('resources: { requests: { cpu: 0.5, memory: 134217728 } }')],
    ['empty maps and lists', inPod('affinity: {}\n      nodeSelector: {}\n      tolerations: []')],
    [
      'a part for server-side apply',
      object('apps/v1', 'Deployment', 'spec: { template: { spec: { tolerations: [{ operator: Exists }] } } }'),
    ],
    ['dnsPolicy None with servers', inPod('dnsPolicy: None\n      dnsConfig: { nameservers: [192.0.2.53] }')],
    ['a headless Service', object('v1', 'Service', 'spec: { clusterIP: None, selector: { app: web } }')],
    [
      'a role of RBAC',
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: "system:a:B" }\nrules: []\n',
    ],
    ['a kubeconfig', 'apiVersion: v1\nkind: Config\nclusters: []\n'],
    ['a chart', 'apiVersion: v2\nname: web\nversion: 1.0.0\n'],
    ['a pipeline', 'kind: pipeline\nname: web\nsteps: []\n'],
    ['other kinds', object('example.com/v1', 'Deploymnet', 'spec: {}')],
    [
      'a merge of a map',
      BASE.replace(
        'labels:\n        app: web',
        'labels: &a\n        app: web\n      annotations:\n        <<: *a\n        app: other',
      ),
    ],
    [
      'a pool',
      pool('type: Edge, hostNetwork: true, interConnectivity: true, taints: [{ key: a, effect: NoSchedule }]'),
    ],
  ])('nothing in %s', (_, text) => {
    expect(found(text)).toEqual([]);
  });

  it('a version that the minor still serves only as a warning', () => {
    const text = object(
      'policy/v1beta1',
      'PodDisruptionBudget',
      'spec: { minAvailable: 1, selector: { matchLabels: { a: b } } }',
    );
    expect(found(text, '1.24')).toEqual(['1 warning EDGE_API_VERSION apiVersion']);
    expect(found(text, '1.25')).toEqual(['1 error EDGE_API_VERSION apiVersion']);
  });

  it('which of two objects wins', () => {
    const hints = (text: string): string[] =>
      checkFiles([{ path: 'a.yaml', text }]).findings.map(({ message }) => message);
    expect(hints(`${BASE}---\n${BASE}`)).toEqual(['this object is also in line 1, with the same content']);
    expect(hints(`${BASE}---\n${BASE.replace('8080', '8081')}`)).toEqual([
      'this object is also in line 1, with other content: kubectl apply writes both, and this one, the later, stays',
    ]);
  });
});
