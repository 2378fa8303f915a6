/** What nobody writes is left out, with the reason: what is computed, what controllers make, and what another object makes again. */
import { imported, objectsOf } from './programs.js';

beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => jest.restoreAllMocks());

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
  ['a labelled certificate', tls({ labels: { 'controller.cert-manager.io/fao': 'true' } }), /written by cert-manager/],
  ['a release of Helm', object('v1', 'Secret', { uid: 'u' }, { type: 'helm.sh/release.v1' }), /release of Helm/],
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
