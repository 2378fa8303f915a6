/** What the scheduler, admission and allocators write into fields that people can write, too. */
import { asWritten } from '../../src/fleet/server-fields.js';
import { storedDeployment } from './imported-dump.js';
import { imported, objectsOf } from './programs.js';

beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => jest.restoreAllMocks());

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const recorded = (spec: object): object => ({ annotations: { [LAST_APPLIED]: JSON.stringify({ spec }) } });
const toleration = (key: string): object => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });

function pod(metadata: object): any {
  const token = { name: 'kube-api-access-x7k2p', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'debug', namespace: 'shop', uid: 'u', ...metadata },
    spec: {
      nodeName: 'munich-0',
      priority: 0,
      serviceAccountName: 'default',
      serviceAccount: 'default',
      tolerations: [
        { key: 'mine', operator: 'Exists' },
        toleration('node.kubernetes.io/not-ready'),
        toleration('node.kubernetes.io/unreachable'),
      ],
      volumes: [{ name: 'kube-api-access-x7k2p', projected: { sources: [] } }],
      containers: [{ name: 'a', image: 'a:1', volumeMounts: [token] }],
    },
  };
}

describe('a Pod', () => {
  const written = { tolerations: [{ key: 'mine', operator: 'Exists' }], containers: [{ name: 'a', image: 'a:1' }] };

  it('loses what the scheduler and admission have written', () => {
    expect(asWritten(pod({})).spec).toEqual(written);
    const managedFields = [
      { manager: 'kubectl-create', operation: 'Update', fieldsV1: { 'f:spec': { 'f:containers': {} } } },
    ];
    expect(asWritten(pod({ managedFields })).spec).toMatchObject({ containers: written.containers });
    expect(asWritten(pod({ managedFields })).spec).not.toHaveProperty('nodeName');
  });

  it('keeps a node that somebody has chosen', () => {
    expect(asWritten(pod(recorded({ nodeName: 'munich-0' }))).spec).toEqual({ ...written, nodeName: 'munich-0' });
    const managedFields = [
      {
        manager: 'kubectl-create',
        operation: 'Update',
        fieldsV1: { 'f:spec': { 'f:nodeName': {}, 'f:containers': {} } },
      },
    ];
    expect(asWritten(pod({ managedFields })).spec).toHaveProperty('nodeName', 'munich-0');
  });
});

describe('a Service', () => {
  const service = (spec: object, metadata: object = {}): any =>
    asWritten({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', uid: 'u', ...metadata }, spec }).spec;
  const ports = [
    { name: 'a', port: 80, nodePort: 30199 },
    { name: 'b', port: 90, nodePort: 31234 },
  ];

  it('keeps the node ports that were applied, and all of them where nothing shows which', () => {
    const spec = { type: 'NodePort', ports };
    const [a, b] = ports as [object, object];
    const applied = recorded({
      ports: [
        { name: 'a', port: 80, nodePort: 30199 },
        { name: 'b', port: 90 },
      ],
    });
    expect(service(spec, applied).ports).toEqual([a, { name: 'b', port: 90 }]);
    expect(service(spec).ports).toEqual([a, b]);
  });

  it('keeps its own address, without its copies', () => {
    const managedFields = [{ manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:spec': { 'f:clusterIP': {} } } }];
    const spec = { clusterIP: '10.0.7.7', clusterIPs: ['10.0.7.7'], ipFamilies: ['IPv4'], ports: [{ port: 80 }] };
    expect(service(spec, { managedFields })).toEqual({ clusterIP: '10.0.7.7', ports: [{ port: 80 }] });
  });
});

it('finalizers of volumes, the status of claims, and labels of a Job are left out', () => {
  const claim = (finalizers: string[]): any =>
    asWritten({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'a', uid: 'u', finalizers },
      spec: {},
    }).metadata;
  expect(claim(['kubernetes.io/pvc-protection'])).toEqual({ name: 'a' });
  expect(claim(['kubernetes.io/pvc-protection', 'mine'])).toEqual({ name: 'a', finalizers: ['mine'] });
  const named = { 'job-name': 'a', 'batch.kubernetes.io/job-name': 'a', app: 'a' };
  const job = (labels: object): any =>
    asWritten({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'a', uid: 'u', labels },
      spec: { template: { metadata: { labels: named } } },
    });
  // of the template, where it had none
  expect(job(named)).toMatchObject({
    metadata: { name: 'a' },
    spec: { template: { metadata: { labels: { app: 'a' } } } },
  });
  expect(job(named).metadata.labels).toBeUndefined();
  expect(job({ app: 'a' }).metadata.labels).toEqual({ app: 'a' });
});

describe('a StatefulSet', () => {
  const { replicas: _, strategy: _strategy, progressDeadlineSeconds: _deadline, ...spec } = storedDeployment().spec;
  const volumeClaimTemplates = [
    { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1Gi' } } }, status: { phase: 'Pending' } },
  ];
  const orders = {
    ...storedDeployment({ name: 'orders' }),
    kind: 'StatefulSet',
    spec: { ...spec, volumeClaimTemplates },
  };
  const claim = (name: string, labels: object, more: object = {}): any => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'shop', labels, uid: `u-${name}`, ...more },
    spec: { resources: { requests: { storage: '1Gi' } } },
  });

  it('makes its claims, and the program makes all others', () => {
    const program = imported([
      orders,
      claim('data-orders-0', { app: 'web' }),
      claim('data-orders-1', { app: 'other' }),
      claim('data-orders-2', { app: 'web' }, recorded({})),
      claim('data-orders-old', { app: 'web' }),
    ]);
    const made = objectsOf(program);
    expect(made.map(({ metadata }) => metadata.name)).toEqual([
      'data-orders-1',
      'data-orders-2',
      'data-orders-old',
      'orders',
    ]);
    expect(JSON.stringify(made)).not.toContain('Pending');
    expect(program.report).toMatch(/1 +made by its StatefulSet/);
  });
});

it('check accepts what only an API server writes', () => {
  const uid = { 'batch.kubernetes.io/controller-uid': 'u-7' };
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'migrate', namespace: 'shop', uid: 'u-7' },
    spec: {
      selector: { matchLabels: uid },
      template: {
        metadata: { labels: uid },
        spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a:1' }] },
      },
    },
  };
  const service = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.', uid: 'u-8', labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
    spec: { groupPriorityMinimum: 18000, versionPriority: 1, version: 'v1' },
  };
  expect(imported([job, service]).checked.findings).toEqual([]);
  const written = { ...job, spec: { ...job.spec, selector: { matchLabels: { app: 'a' } } } };
  expect(imported([written]).checked.findings.map(({ code }) => code)).toContain('EDGE_CONTRADICTION');
});
