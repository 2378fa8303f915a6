/** Which objects stand in one file: those of a label, and those that belong to them without one. */
import { imported, objectsOf, sorted } from './programs.js';

beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => jest.restoreAllMocks());

const object = (apiVersion: string, kind: string, name: string, rest: object = {}, namespace = 'shop'): any => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === '' ? {} : { namespace }) },
  ...rest,
});
const rbac = 'rbac.authorization.k8s.io/v1';
const selector = { matchLabels: { app: 'web' } };

const WEB = {
  ...object('apps/v1', 'Deployment', 'web', {
    spec: {
      selector,
      template: {
        metadata: { labels: { app: 'web', tier: 'front' } },
        spec: {
          serviceAccountName: 'runner',
          imagePullSecrets: [{ name: 'pull' }],
          containers: [
            {
              name: 'web',
              image: 'web:1',
              envFrom: [{ configMapRef: { name: 'settings' } }],
              env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'keys', key: 'a' } } }],
            },
          ],
          volumes: [
            { name: 'a', persistentVolumeClaim: { claimName: 'data' } },
            { name: 'b', configMap: { name: 'shared' } },
          ],
        },
      },
    },
  }),
  metadata: { name: 'web', namespace: 'shop', labels: { 'app.kubernetes.io/part-of': 'storefront' } },
};
const OTHER = object('apps/v1', 'Deployment', 'admin', {
  spec: {
    selector: { matchLabels: { app: 'admin' } },
    template: {
      metadata: { labels: { app: 'admin' } },
      spec: {
        containers: [{ name: 'a', image: 'a:1' }],
        volumes: [{ name: 'b', configMap: { name: 'shared' } }],
      },
    },
  },
});

/** Objects of web, none of which is named after it. */
const OF_WEB = [
  object('v1', 'Service', 'front', { spec: { selector: { app: 'web' } } }),
  object('autoscaling/v2', 'HorizontalPodAutoscaler', 'h', {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  }),
  object('policy/v1', 'PodDisruptionBudget', 'p', { spec: { selector } }),
  object('networking.k8s.io/v1', 'NetworkPolicy', 'n', { spec: { podSelector: selector } }),
  object('networking.k8s.io/v1', 'Ingress', 'i', {
    spec: {
      tls: [{ secretName: 'tls' }],
      rules: [{ http: { paths: [{ backend: { service: { name: 'front', port: { number: 80 } } } }] } }],
    },
  }),
  object('v1', 'Secret', 'tls'),
  object('v1', 'Secret', 'pull'),
  object('v1', 'Secret', 'keys'),
  object('v1', 'ConfigMap', 'settings'),
  object('v1', 'PersistentVolumeClaim', 'data'),
  object('v1', 'ServiceAccount', 'runner'),
  object(rbac, 'RoleBinding', 'b', {
    roleRef: { kind: 'Role', name: 'r' },
    subjects: [{ kind: 'ServiceAccount', name: 'runner' }],
  }),
  object(rbac, 'Role', 'r', { rules: [] }),
  object(
    rbac,
    'ClusterRoleBinding',
    'cb',
    {
      roleRef: { kind: 'ClusterRole', name: 'cr' },
      subjects: [{ kind: 'ServiceAccount', name: 'runner', namespace: 'shop' }],
    },
    '',
  ),
  object(rbac, 'ClusterRole', 'cr', { rules: [] }, ''),
];

/** Objects of both, of all, or of nobody. */
const OF_NOBODY = [
  object('v1', 'ConfigMap', 'shared'),
  object('v1', 'ConfigMap', 'unused'),
  object('networking.k8s.io/v1', 'NetworkPolicy', 'deny-all', { spec: { podSelector: {} } }),
  object('v1', 'Service', 'external', { spec: { externalName: 'a.example' } }),
];

const ALL = [WEB, OTHER, ...OF_WEB, ...OF_NOBODY];
const program = (objects: readonly any[]): ReturnType<typeof imported> => imported(objects);
const sourceOf = ({ files }: ReturnType<typeof imported>, path: string): string =>
  files.find((file) => file.path === path)?.content ?? '';
const namesIn = (source: string): string[] =>
  [...source.matchAll(/metadata: \{ name: '([\w-]+)'/g)].map(([, name = '']) => name);

it('a workload has what selects, scales and serves it, and what only it uses, in its file', () => {
  const made = program(ALL);
  const names = namesIn(sourceOf(made, 'namespaces/shop/storefront.ts'));
  const own = OF_WEB.map(({ metadata: { name } }) => name);
  expect(own.filter((name) => !names.includes(name))).toEqual([]);
  expect(namesIn(sourceOf(made, 'namespaces/shop/other.ts')).sort()).toEqual(
    OF_NOBODY.map(({ metadata: { name } }) => name).sort(),
  );
  expect(objectsOf(made)).toEqual(sorted(ALL));
});

it('many objects of no application are in a file for each kind and namespace', () => {
  const many = Array.from({ length: 20 }, (_, index) => [
    object('v1', 'ConfigMap', `a${index}`),
    object('v1', 'Service', `a${index}`, { spec: { externalName: 'a.example' } }),
    object('v1', 'ConfigMap', `a${index}`, {}, 'bar'),
  ]).flat();
  const paths = program(many).files.map(({ path }) => path);
  expect(paths.filter((path) => path.startsWith('namespaces/'))).toEqual([
    'namespaces/bar/other.ts',
    'namespaces/shop/config-maps.ts',
    'namespaces/shop/services.ts',
  ]);
});

it('the order of the objects does not matter', () => {
  expect(program([...ALL].reverse()).files).toEqual(program(ALL).files);
});

it('names of ids have no kind twice', () => {
  const webhook = object(
    'admissionregistration.k8s.io/v1',
    'MutatingWebhookConfiguration',
    'my-mutating-webhook-configuration',
    {},
    '',
  );
  const volume = object('v1', 'PersistentVolume', 'pv-1', { spec: {} }, '');
  const made = program([webhook, volume]);
  expect(sourceOf(made, 'cluster/mutating-webhook-configurations.ts')).toContain(
    "new ApiObject(this, 'my-mutating-webhook-configuration', {",
  );
  expect(sourceOf(made, 'cluster/persistent-volumes.ts')).toContain(
    '/** Objects of the whole cluster: persistent volumes. */',
  );
});

/** What nobody writes is left out, with the reason: what is computed, what controllers make, and what another object makes again. */
describe('what nobody writes', () => {
  const object = (apiVersion: string, kind: string, metadata: object = {}, fields: object = {}): any => ({
    apiVersion,
    kind,
    metadata: { name: 'a', namespace: 'shop', ...metadata },
    ...fields,
  });
  /** That somebody has written. */
  const kept = object('v1', 'ConfigMap', { name: 'kept', uid: 'k' });
  const tls = (metadata: object): any =>
    object('v1', 'Secret', { uid: 'u', ...metadata }, { type: 'kubernetes.io/tls', data: { 'tls.crt': 'YWJj' } });
  const owner = (controller?: boolean): object => ({
    uid: 'u',
    ownerReferences: [
      { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'p', ...(controller === undefined ? {} : { controller }) },
    ],
  });

  it.each<[string, any, RegExp]>([
    ['NodeMetrics', object('metrics.k8s.io/v1beta1', 'NodeMetrics', { namespace: undefined }), /measured by metrics/],
    ['PodMetrics', object('metrics.k8s.io/v1beta1', 'PodMetrics'), /measured by metrics-server/],
    ['custom metrics', object('custom.metrics.k8s.io/v1beta2', 'MetricValueList'), /computed at each request/],
    ['ComponentStatus', object('v1', 'ComponentStatus', { namespace: undefined }), /computed by the API server/],
    [
      'a request for a certificate',
      object('certificates.k8s.io/v1', 'CertificateSigningRequest', { uid: 'u' }),
      /next one/,
    ],
    [
      'a volume of a provisioner',
      object('v1', 'PersistentVolume', {
        namespace: undefined,
        uid: 'u',
        annotations: { 'pv.kubernetes.io/provisioned-by': 'csi.example' },
      }),
      /made by a provisioner for its claim/,
    ],
    ['what a controller has made', object('v1', 'ConfigMap', owner(true)), /made by its Pod/],
    ['what is owned', object('cilium.io/v2', 'CiliumEndpoint', owner()), /removed with its Pod/],
    ['a certificate', tls({ annotations: { 'cert-manager.io/certificate-name': 'web' } }), /its Certificate makes it/],
    [
      'a labelled certificate',
      tls({ labels: { 'controller.cert-manager.io/fao': 'true' } }),
      /written by cert-manager/,
    ],
    ['a release of Helm', object('v1', 'Secret', { uid: 'u' }, { type: 'helm.sh/release.v1' }), /release of Helm/],
    [
      'a release of Helm in a ConfigMap',
      object('v1', 'ConfigMap', { uid: 'u', labels: { owner: 'helm' } }, { data: { release: 'H4sI' } }),
      /release of Helm/,
    ],
    [
      'what is terminating',
      object('v1', 'ConfigMap', { uid: 'u', deletionTimestamp: '2026-11-01T00:00:00Z' }),
      /deleted/,
    ],
    ...['Complete', 'Failed'].map((type): [string, any, RegExp] => [
      `a Job that is ${type}`,
      object('batch/v1', 'Job', { uid: 'u' }, { status: { conditions: [{ type, status: 'True' }] } }),
      /it has finished/,
    ]),
    ['a Pod that has ended', object('v1', 'Pod', { uid: 'u' }, { status: { phase: 'Succeeded' } }), /it has finished/],
    [
      'a token of an account',
      object(
        'v1',
        'Secret',
        { name: 'web-token-x7k2p', uid: 'u', annotations: { 'kubernetes.io/service-account.name': 'web' } },
        { type: 'kubernetes.io/service-account-token', data: { token: 'YWJj' } },
      ),
      /made for its ServiceAccount/,
    ],
  ])('leaves out %s', (_, given, reason) => {
    const program = imported([given, kept]);
    expect(objectsOf(program).map(({ metadata }) => metadata.name)).toEqual(['kept']);
    expect(program.report.replace(/\s+/g, ' ')).toMatch(reason);
    expect(program.secrets).toEqual([]);
  });

  it.each([
    ['a volume that a person has written', object('v1', 'PersistentVolume', { namespace: undefined, uid: 'u' })],
    ['a certificate that a person has written', tls({})],
    [
      'a Job that runs',
      object('batch/v1', 'Job', { uid: 'u' }, { status: { conditions: [{ type: 'Suspended', status: 'True' }] } }),
    ],
    ['a Pod that runs', object('v1', 'Pod', { uid: 'u' }, { status: { phase: 'Running' } })],
    ['a manifest with an owner', object('v1', 'ConfigMap', { ...owner(), uid: undefined })],
    [
      'a token that a person has asked for',
      object(
        'v1',
        'Secret',
        {
          name: 'web-token',
          uid: 'u',
          annotations: { 'kubernetes.io/service-account.name': 'web', 'kubernetes.io/service-account.uid': 'x' },
        },
        { type: 'kubernetes.io/service-account-token', data: { token: 'YWJj' } },
      ),
    ],
  ])('keeps %s', (_, given) => {
    const program = imported([given]);
    program.secrets.forEach(({ variable }) => (process.env[variable] = 'YWJj'));
    expect(objectsOf(program)).toHaveLength(1);
    expect(JSON.stringify(objectsOf(program))).not.toContain('service-account.uid');
  });
});
