import { asWritten, writtenObject } from '../../src/fleet/server-fields.js';
import { imported, objectsOf } from './programs.js';
import {
  collector,
  MADE,
  NODE,
  storedDeployment,
  storedPool,
  storedSecret,
  WRITTEN_DEPLOYMENT,
} from './imported-dump.js';

describe('an object that an API server has printed', () => {
  it('loses what the server has added, and keeps what somebody has written', () => {
    expect(asWritten(storedDeployment())).toEqual(WRITTEN_DEPLOYMENT);
  });

  it('keeps values that are not the default', () => {
    const spec = { dnsPolicy: 'None', restartPolicy: 'Always', terminationGracePeriodSeconds: 31 };
    const { template } = asWritten(storedDeployment({}, spec)).spec as any;
    expect([template.spec.dnsPolicy, template.spec.restartPolicy, template.spec.terminationGracePeriodSeconds]).toEqual(
      ['None', undefined, 31],
    );
  });

  it.each([
    ['a/web', 'Always'],
    ['a/web:latest', 'Always'],
    ['localhost:5000/web', 'Always'],
    ['a/web:1.0', 'IfNotPresent'],
    [`a/web@sha256:${'0'.repeat(64)}`, 'IfNotPresent'],
  ])('has the pull policy of the tag of %s', (image, imagePullPolicy) => {
    const containers = [
      { name: 'a', image, imagePullPolicy },
      { name: 'b', image, imagePullPolicy: imagePullPolicy === 'Always' ? 'IfNotPresent' : 'Always' },
    ];
    const { template } = asWritten(storedDeployment({}, { containers })).spec as any;
    expect(template.spec.containers.map((each: any) => each.imagePullPolicy === undefined)).toEqual([true, false]);
  });

  it('is what a server-side apply has applied, by the owners of its fields', () => {
    const managedFields = [
      {
        manager: 'argocd-controller',
        operation: 'Apply',
        fieldsV1: {
          'f:metadata': { 'f:labels': { 'f:app': {} } },
          'f:spec': {
            'f:selector': {},
            'f:template': {
              'f:metadata': { 'f:labels': { 'f:app': {} } },
              'f:spec': {
                'f:dnsPolicy': {},
                'f:containers': {
                  'k:{"name":"web"}': {
                    '.': {},
                    'f:name': {},
                    'f:image': {},
                    'f:ports': { 'k:{"containerPort":8080,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
                  },
                },
              },
            },
          },
        },
      },
      // the HorizontalPodAutoscaler
      {
        manager: 'kube-controller-manager',
        operation: 'Update',
        subresource: 'scale',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      },
    ];
    const spec = { dnsPolicy: 'None', hostIPC: true, initContainers: [{ name: 'injected', image: 'a:1' }] };
    const { replicas: _, ...rest } = WRITTEN_DEPLOYMENT.spec;
    const { template } = rest;
    expect(asWritten(storedDeployment({ managedFields }, spec))).toEqual({
      ...WRITTEN_DEPLOYMENT,
      spec: { ...rest, template: { ...template, spec: { ...template.spec, dnsPolicy: 'None' } } },
    });
  });

  it('keeps what was updated by a person, with the defaults of its kind left out', () => {
    const managedFields = [
      {
        manager: 'kubectl-client-side-apply',
        operation: 'Update',
        fieldsV1: { 'f:metadata': { 'f:labels': {} }, 'f:spec': {} },
      },
      {
        manager: 'kube-controller-manager',
        operation: 'Update',
        fieldsV1: { 'f:metadata': { 'f:annotations': { 'f:written-by-a-controller': {} } } },
      },
    ];
    const annotations = { 'written-by-a-controller': 'x' };
    expect(asWritten(storedDeployment({ managedFields, annotations }))).toEqual(WRITTEN_DEPLOYMENT);
  });

  it('keeps the data of a Secret that was applied as stringData', () => {
    const managedFields = [
      { manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:stringData': { 'f:password': {} }, 'f:type': {} } },
    ];
    const { metadata, ...secret } = storedSecret();
    expect(asWritten({ ...secret, metadata: { ...metadata, managedFields } }).data).toEqual(storedSecret().data);
  });

  it('keeps an empty list that was applied, of which nobody owns anything', () => {
    const managedFields = [{ manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:replicas': {} } } }];
    const metadata = { name: 'k8s', uid: 'u', managedFields };
    const stored = { apiVersion: 'monitoring.coreos.com/v1', kind: 'Prometheus', metadata };
    const spec = { replicas: 2, enableFeatures: [], portName: 'web' };
    expect(asWritten({ ...stored, spec }).spec).toEqual({ replicas: 2, enableFeatures: [] });
  });

  it('leaves out the address of a Service that nobody owns', () => {
    const service = (fields: object): any =>
      asWritten({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: {
          name: 'a',
          uid: 'u',
          managedFields: [{ manager: 'kubectl-create', operation: 'Update', fieldsV1: { 'f:spec': fields } }],
        },
        spec: { clusterIP: '10.96.0.10', clusterIPs: ['10.96.0.10'], ports: [{ port: 80 }] },
      }).spec;
    expect(service({ 'f:ports': {} })).toEqual({ ports: [{ port: 80 }] });
    expect(service({ 'f:ports': {}, 'f:clusterIP': {} })).toMatchObject({ clusterIP: '10.96.0.10' });
  });

  it('of a manifest is left as it is, also with values that are defaults', () => {
    const { uid, resourceVersion, ...metadata } = storedDeployment().metadata;
    const manifest = { ...storedDeployment(), metadata: { ...metadata, generation: undefined } };
    delete manifest.metadata.generation;
    const { template, ...spec } = manifest.spec;
    expect([uid, resourceVersion]).toEqual(['u-1', '812']);
    delete metadata.annotations['kubectl.kubernetes.io/last-applied-configuration'];
    expect(asWritten(manifest)).toEqual({
      ...manifest,
      // which Go prints of nothing
      spec: { ...spec, template: { ...template, metadata: { labels: { app: 'web' } } } },
    });
  });
});

/** Who owns what, as `manager/subresource`: fieldsV1 of a path; the first one has made the object. */
const managed = (...entries: readonly (readonly [by: string, fields: object, operation?: string])[]): object => ({
  managedFields: entries.map(([by, fieldsV1, operation = 'Update']) => {
    const [manager, subresource] = by.split('/');
    return { manager, operation, fieldsV1, ...(subresource === undefined ? {} : { subresource }) };
  }),
});
const specOf = (...fields: string[]): object => ({
  'f:spec': Object.fromEntries(fields.map((field) => [`f:${field}`, {}])),
});

describe('of a field that several could write', () => {
  const CA = { 'f:clientConfig': { 'f:caBundle': {} } };
  const ofWebhook = (fields: object): object => ({ 'f:webhooks': { 'k:{"name":"a.b.c"}': fields } });
  const REST = { '.': {}, 'f:name': {}, 'f:sideEffects': {}, 'f:clientConfig': { '.': {}, 'f:url': {} } };
  const webhook = (metadata: object): any => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'injector', uid: 'u', ...metadata },
    webhooks: [{ name: 'a.b.c', sideEffects: 'None', clientConfig: { url: 'https://a', caBundle: 'Q0E=' } }],
  });
  const recorded = (object: object): object => ({
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(object) },
  });
  const FIELD = 'webhooks[].clientConfig.caBundle';
  const all = { ...REST, 'f:clientConfig': { '.': {}, 'f:url': {}, 'f:caBundle': {} } };

  it.each<[string, object, string | undefined]>([
    ['pilot-discovery', managed(['helm', ofWebhook(REST)], ['pilot-discovery', ofWebhook(CA)]), 'pilot-discovery'],
    [
      'cainjector',
      managed(['argocd-controller', ofWebhook(REST), 'Apply'], ['cainjector', ofWebhook(CA), 'Apply']),
      'cainjector',
    ],
    ['its maker, which is no tool', managed(['kyverno', ofWebhook(all)]), 'kyverno'],
    ['somebody whom the dump does not show', {}, 'not shown: dump with --show-managed-fields'],
    ['kubectl', managed(['kubectl-client-side-apply', ofWebhook(all)]), undefined],
    ['Helm and its injector', managed(['helm', ofWebhook(all)], ['cainjector', ofWebhook(CA)]), undefined],
    ['kubectl, by its record', recorded({ webhooks: [{ clientConfig: { caBundle: 'Q0E=' } }] }), undefined],
  ])('a caBundle of %s is left out and reported, or kept', (_, metadata, manager) => {
    const { object, others } = writtenObject(webhook(metadata), false);
    expect((object.webhooks as any)[0].clientConfig.caBundle).toBe(manager === undefined ? 'Q0E=' : undefined);
    expect((object.webhooks as any)[0].sideEffects).toBe('None');
    expect(others).toEqual(manager === undefined ? [] : [{ field: FIELD, manager }]);
  });

  it('those of APIServices and of the conversion of a CustomResourceDefinition are judged, too', () => {
    const fields = specOf('group', 'caBundle');
    const metadata = {
      name: 'v1.a',
      uid: 'u',
      ...managed(['kubectl', specOf('group'), 'Apply'], ['x', specOf('caBundle')]),
    };
    const service = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata };
    expect(asWritten({ ...service, spec: { group: 'a', caBundle: 'Q0E=' } }).spec).toEqual({ group: 'a' });
    const own = { ...metadata, ...managed(['kubectl', fields, 'Apply']) };
    expect(asWritten({ ...service, metadata: own, spec: { group: 'a', caBundle: 'Q0E=' } }).spec).toHaveProperty(
      'caBundle',
    );
    const conversion = { strategy: 'Webhook', webhook: { clientConfig: { url: 'a', caBundle: 'Q0E=' } } };
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
    expect(asWritten({ ...crd, metadata: { name: 'a', uid: 'u' }, spec: { conversion } }).spec).toEqual({
      conversion: { ...conversion, webhook: { clientConfig: { url: 'a' } } },
    });
  });

  const UNSHOWN = 'not shown: dump with --show-managed-fields';
  const RECORDED = recorded({ spec: { replicas: 9 } });
  const SIZED = { 'f:spec': { 'f:template': {}, 'f:selector': {}, 'f:strategy': {} } };
  it.each<[string, object, boolean, number | undefined, string]>([
    ['a person, by kubectl scale', managed(['helm', SIZED], ['kubectl/scale', specOf('replicas')]), false, 9, ''],
    [
      'a person, where an autoscaler is',
      managed(['helm', SIZED], ['kubectl/scale', specOf('replicas')]),
      true,
      undefined,
      'kubectl (scale)',
    ],
    [
      'an autoscaler',
      managed(['helm', SIZED], ['kube-controller-manager/scale', specOf('replicas')]),
      true,
      undefined,
      'kube-controller-manager (scale)',
    ],
    [
      'an autoscaler that is not in the dump',
      managed(['helm', SIZED], ['keda/scale', specOf('replicas')]),
      false,
      undefined,
      'keda (scale)',
    ],
    ...['kubectl.exe', 'kubectl1.30', 'oc'].map((manager): [string, object, boolean, number, string] => [
      `a person, by ${manager}`,
      managed(['helm', SIZED], [`${manager}/scale`, specOf('replicas')]),
      false,
      9,
      '',
    ]),
    ...['k9s', 'rancher', 'headlamp'].map((manager): [string, object, boolean, number, string] => [
      `a person, by ${manager}`,
      managed(['helm', SIZED], [`${manager}/scale`, specOf('replicas')]),
      false,
      9,
      `kept: ${manager} (scale)`,
    ]),
    ...['kubectl-edit', 'kubectl-client-side-apply', 'k9s'].map(
      (manager): [string, object, boolean, undefined, string] => [
        `${manager}, where an autoscaler is`,
        managed(['helm', SIZED], [manager, specOf('replicas')]),
        true,
        undefined,
        manager,
      ],
    ),
    ['the record of kubectl apply, where an autoscaler is', RECORDED, true, undefined, UNSHOWN],
    ['a status of an autoscaler alone', managed(['hpa/scale', specOf('replicas')]), true, undefined, UNSHOWN],
    [
      'the maker, a client of its own',
      managed(
        ['deployer', { 'f:spec': { ...(SIZED as any)['f:spec'], 'f:replicas': {} } }],
        ['kubectl-edit', specOf('paused')],
      ),
      false,
      9,
      '',
    ],
    [
      'a manager of its own name, that applies',
      managed(
        ['ci', { 'f:spec': { ...(SIZED as any)['f:spec'], 'f:replicas': {} } }, 'Apply'],
        ['kubectl', specOf('paused')],
      ),
      false,
      9,
      '',
    ],
    [
      'an operator',
      managed(['kubectl-create', SIZED], ['operator', specOf('replicas', 'a', 'b', 'c', 'd')]),
      false,
      undefined,
      'operator',
    ],
    ['somebody whom the dump does not show, where an autoscaler is', { annotations: {} }, true, undefined, UNSHOWN],
    ['somebody whom the dump does not show', { annotations: {} }, false, 9, ''],
  ])('replicas of %s are kept, or left out and reported', (_, metadata, isScaled, replicas, manager) => {
    const stored = storedDeployment(metadata);
    const { object, others } = writtenObject({ ...stored, spec: { ...stored.spec, replicas: 9 } }, isScaled);
    expect((object.spec as any).replicas).toBe(replicas);
    const [, doubtful] = /^kept: (.*)/.exec(manager) ?? [];
    const all = doubtful === undefined ? [{ manager }] : [{ manager: doubtful, isKept: true }];
    expect(others).toEqual(manager === '' ? [] : all.map((each) => ({ field: 'spec.replicas', ...each })));
  });

  it('an autoscaler of the dump is one for what it targets, and the report has what is left out', () => {
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const metadata = { name: 'web', namespace: 'shop', uid: 'h' };
    const scaler = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata,
      spec: { scaleTargetRef },
    };
    const keda = {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata,
      spec: { scaleTargetRef: { name: 'web' } },
    };
    const scaled = storedDeployment(managed(['helm', SIZED], ['kubectl/scale', specOf('replicas')]));
    for (const others of [[scaler], [keda], [{ ...scaler, metadata: { ...metadata, namespace: 'other' } }]]) {
      const { files, report } = imported([scaled, ...others]);
      const isTarget = others[0]?.metadata.namespace === 'shop';
      expect(files.some(({ content }) => content.includes('replicas: 3'))).toBe(!isTarget);
      expect(/^1 +spec\.replicas +kubectl \(scale\) +Deployment shop\/web$/m.test(report)).toBe(isTarget);
    }
  });

  it.each([
    ['kubectl-client-side-apply', true],
    ['helm', false],
  ])('replicas that only %s owns get another owner first: %s', (manager, isHeld) => {
    const scaler = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web', namespace: 'shop', uid: 'h' },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    };
    const owned = { 'f:spec': { ...SIZED['f:spec'], 'f:replicas': {} } };
    const stored: any = storedDeployment(managed([manager, owned]));
    const { files, report } = imported([{ ...stored, metadata: { ...stored.metadata, uid: 'w' } }, scaler]);
    const held = files.find(({ path }) => path === 'replicas.yaml')?.content;
    expect(held).toBe(
      isHeld
        ? 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: shop\nspec:\n  replicas: 3\n'
        : undefined,
    );
    expect(report.includes('--field-manager=edge-nodepools-replicas')).toBe(isHeld);
  });

  it('replicas of a manifest are left out beside an autoscaler, too', () => {
    const scaler = (name: string): object => ({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name, namespace: 'shop' },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } },
    });
    const { files, report } = imported([WRITTEN_DEPLOYMENT, scaler('web')]);
    expect(files.some(({ content }) => content.includes('replicas: 3'))).toBe(false);
    expect(report).toMatch(/^1 +spec\.replicas +its autoscaler +Deployment shop\/web$/m);
    const other = imported([WRITTEN_DEPLOYMENT, scaler('other')]);
    expect(other.files.some(({ content }) => content.includes('replicas: 3'))).toBe(true);
  });

  const POD = 'spec.template.spec.containers[]';
  const container = (fields: object): object => ({
    'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"web"}': fields } } } },
  });
  const ENTRY = 'k:{"name":"A"}';
  const WEB = { '.': {}, 'f:name': {}, 'f:env': { '.': {}, [ENTRY]: { '.': {}, 'f:name': {} } } };
  const status = { 'f:status': { 'f:replicas': {} } };
  it.each<[string, string, object, string[], object, (readonly [string, string?])[]]>([
    ...['node-fetch', 'Mozilla', 'k9s', 'rancher', 'OpenAPI-Generator', 'dashboard'].map(
      (manager): [string, string, object, string[], object, [string, string][]] => [
        manager,
        manager,
        { 'f:image': {}, 'f:env': { [ENTRY]: { 'f:value': {} } } },
        [],
        { image: 'a:1', env: [{ name: 'A', value: 'b' }], args: ['x'] },
        [
          [`${POD}.env[].value`, 'kept'],
          [`${POD}.image`, 'kept'],
        ],
      ],
    ),
    ...['kubectl.exe', 'kubectl1.30', 'oc', 'helm.exe', 'pulumi-resource-kubernetes'].map(
      (manager): [string, string, object, string[], object, []] => [
        manager,
        manager,
        { 'f:image': {}, 'f:args': {}, 'f:env': { [ENTRY]: { 'f:value': {} } } },
        [],
        { image: 'a:1', env: [{ name: 'A', value: 'b' }], args: ['x'] },
        [],
      ],
    ),
    ...['kube-controller-manager', 'image-operator', 'x'].map(
      (manager): [string, string, object, string[], object, [string, string?][]] => [
        `${manager}, which is a controller,`,
        manager,
        { 'f:image': {}, 'f:args': {}, 'f:env': { [ENTRY]: { 'f:value': {} } } },
        ['x'],
        { image: 'a:1', env: [{ name: 'A', value: 'b' }], args: undefined },
        [[`${POD}.args`], [`${POD}.env[].value`, 'kept'], [`${POD}.image`, 'kept']],
      ],
    ),
  ])(
    'what %s has changed in a container is kept, but for lists of controllers',
    (_, manager, fields, ofStatus, web, expected) => {
      const changed = ofStatus.map((name) => [`${name}/status`, status] as const);
      const metadata = managed(['kubectl-create', container(WEB)], [manager, container(fields)], ...changed);
      const env = [{ name: 'A', value: 'b' }];
      const containers = [{ name: 'web', image: 'a:1', env, args: ['x'] }];
      const { object, others } = writtenObject(storedDeployment(metadata, { containers }), false);
      expect((object.spec as any).template.spec.containers[0]).toEqual({ name: 'web', ...web });
      const known = others.filter(({ field }) => field.startsWith(POD));
      expect(known.sort((a, b) => (a.field < b.field ? -1 : 1))).toEqual(
        expected.map(([field, kept]) => ({ field, manager, ...(kept === undefined ? {} : { isKept: true }) })),
      );
    },
  );

  it('what a built-in kind needs is kept, and reported', () => {
    const metadata = {
      name: 'a',
      uid: 'u',
      ...managed(['kubectl-create', specOf('tls')], ['x-controller', specOf('rules')]),
    };
    const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata };
    const { files, report } = imported([{ ...ingress, spec: { rules: [{ host: 'a' }] } }]);
    expect(files.some(({ content }) => content.includes('rules:'))).toBe(true);
    expect(report).toMatch(/also changed by[^]*^1 +spec\.rules +x-controller +Ingress a$/m);
  });

  it('a certificate in what an item needs is left out all the same', () => {
    const metadata = managed(
      ['helm', ofWebhook({ '.': {}, 'f:name': {}, 'f:sideEffects': {} })],
      ['x-controller', ofWebhook({ 'f:clientConfig': { '.': {}, 'f:url': {}, 'f:caBundle': {} } })],
    );
    expect((asWritten(webhook(metadata)).webhooks as any)[0].clientConfig).toEqual({ url: 'https://a' });
  });

  it('hostNetwork: false of a NodePool is kept where somebody has written it', () => {
    const pool = (...fields: string[]): any => {
      const stored = storedPool('paris', { hostNetwork: false });
      const managers = managed(
        ['kubectl-client-side-apply', specOf('type', ...fields)],
        ['yurt-manager', specOf('hostNetwork')],
      );
      return asWritten({ ...stored, metadata: { ...stored.metadata, ...managers } }).spec;
    };
    expect([pool('hostNetwork').hostNetwork, pool().hostNetwork]).toEqual([false, undefined]);
  });
});

describe('a Service', () => {
  const service = (spec: object, labels = {}): any =>
    asWritten({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'a', uid: 'u', labels },
      spec: { sessionAffinity: 'None', type: 'ClusterIP', internalTrafficPolicy: 'Cluster', ...spec },
    }).spec;

  it('loses the address that was allocated, and keeps one that is fixed', () => {
    const address = { clusterIP: '10.96.0.10', clusterIPs: ['10.96.0.10'] };
    expect(service(address)).toEqual({});
    expect(service({ clusterIP: 'None', clusterIPs: ['None'] })).toEqual({ clusterIP: 'None' });
    expect(service(address, { 'kubernetes.io/cluster-service': 'true' })).toEqual({ clusterIP: '10.96.0.10' });
  });

  it('keeps a target port that is another one', () => {
    const ports = [
      { port: 80, targetPort: 80, protocol: 'TCP' },
      { port: 81, targetPort: 8081, protocol: 'UDP' },
    ];
    expect(service({ ports })).toEqual({ ports: [{ port: 80 }, { port: 81, targetPort: 8081, protocol: 'UDP' }] });
  });
});

describe('the import of a dump', () => {
  beforeEach(() => {
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => jest.restoreAllMocks());
  const dump = [
    NODE,
    ...MADE,
    storedPool('beijing'),
    storedPool('paris', { hostNetwork: false }),
    storedDeployment(),
    collector(),
    storedSecret(),
  ];
  const program = imported(dump, 'cdk8s', {});
  const source = program.files.map(({ path, content }) => `// ${path}\n${content}`).join('\n');

  it('finds the releases', () => {
    expect([program.cluster.openYurt, program.cluster.kubernetes]).toEqual(['1.7', '1.34']);
  });

  it('leaves out what controllers and the cluster write, and says why', () => {
    expect(program.counts.objects).toBe(dump.length - MADE.length - 1);
    expect(program.report).toMatch(/1 +made by its ReplicaSet|1 +made by its Deployment/);
    expect(program.report).toContain('written by kubelets');
    expect(program.report).toContain('the state of a release of Helm');
    expect(source).not.toMatch(/resourceVersion|managedFields|status:|creationTimestamp|u-1|last-applied/);
  });

  it('declares pools and workloads by what they are', () => {
    expect(program.counts.byClass).toEqual({ HostNetworkNodePool: 1, RegularNodePool: 1, HostNetworkWorkload: 1 });
    expect(source).not.toContain('hostNetwork: true');
  });

  it.each(['{"stringData":{"password":"not-in-it"}}\n', 'password: not-in-it', ''])(
    'has no value of a secret in the record of kubectl apply, also of a dump without the fields of the server: %j',
    (record) => {
      const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': record };
      const secret = (more: object): object => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'db', annotations: { ...annotations, ...more } },
        data: { password: 'bm90LWluLWl0' },
      });
      for (const [more, kept] of [
        [{}, undefined],
        [{ a: 'b' }, { a: 'b' }],
      ] as const) {
        const program = imported([secret(more)]);
        expect(program.files.map(({ content }) => content).join('')).not.toMatch(/not-in-it|bm90LWluLWl0|last-applied/);
        const [{ variable = '' } = {}] = program.secrets;
        process.env[variable] = 'x';
        expect(objectsOf(program).map(({ metadata }) => metadata.annotations)).toEqual([kept]);
      }
    },
  );

  it('has the objects of a list in a list, as kubectl reads them', () => {
    const [a, b] = ['a', 'b'].map((name) => ({ metadata: { name }, data: { a: name } }));
    const list = { apiVersion: 'v1', kind: 'ConfigMapList', items: [a] };
    const text = `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'v1', kind: 'List', items: [list] }] })}\n---\n${JSON.stringify({ ...list, items: [b, {}] })}\n`;
    expect(() => imported([{ path: 'a.yaml', text }])).toThrow(/a\.yaml:3: a ConfigMap without metadata\.name/);
    const whole = imported([{ path: 'a.yaml', text: text.replace(',{}', '') }]);
    expect(objectsOf(whole).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'ConfigMap a',
      'ConfigMap b',
    ]);
  });

  it('has no value of a secret, and says where it is read from', () => {
    expect(source + program.report).not.toContain('c2VjcmV0');
    expect(source).toContain("password: secret('SHOP_DB_PASSWORD')");
    expect(program.report).toContain('SHOP_DB_PASSWORD');
    process.env.SHOP_DB_PASSWORD = 'c2VjcmV0LW9mLXRoZS1kYg==';
    const made = objectsOf(program);
    expect(made.find(({ kind }) => kind === 'Secret')?.data).toEqual({ password: 'c2VjcmV0LW9mLXRoZS1kYg==' });
    expect(made.find(({ kind }) => kind === 'Deployment')).toEqual(WRITTEN_DEPLOYMENT);
    expect(made.find(({ kind }) => kind === 'DaemonSet')).toEqual(asWritten(collector()));
    expect(made.filter(({ kind }) => kind === 'NodePool')).toEqual(
      [storedPool('beijing'), storedPool('paris', { hostNetwork: false })].map(asWritten),
    );
  });
});
