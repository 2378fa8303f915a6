/** What joins and repositories need never travels in clear: tokens, keys, and users in addresses. */
import { ApiObject, Chart } from 'cdk8s';
import { EdgeError } from 'edge-nodepools';
import { fromGit, fromOci } from 'edge-nodepools/delivery';
import { delivery, NAMES, synth } from './shops.js';

function told(run: () => unknown): string[] {
  try {
    run();
    return [];
  } catch (error) {
    if (error instanceof EdgeError) {
      return error.problems.map(({ code, message, hint }) => `${code} ${message} -> ${hint}`);
    }
    throw error;
  }
}

function ofObject(object: any, props: object = {}): string[] {
  return NAMES.flatMap((engine) =>
    told(() =>
      synth((app) => {
        const chart = new Chart(app, 'lab', { namespace: 'tills' });
        new ApiObject(chart, 'object', object);
        delivery(app, engine, ['lab'], { chart: () => chart, props });
      }),
    ),
  );
}

const workload = (container: object): object => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'a' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { spec: { containers: [{ name: 'a', image: 'a', ...container }] } },
  },
});
const configMap = (more: object): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, ...more });
const TOKEN = 'abcdef.0123456789abcdef';
const pem = (label: string): string =>
  `-----BEGIN ${label}-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END ${label}-----\n`;
const base64 = (text: string): string => Buffer.from(text).toString('base64');

it.each<[string, object, string]>([
  ['an argument', workload({ args: [`--token=${TOKEN}`] }), 'a bootstrap token'],
  ['a variable', workload({ env: [{ name: 'TOKEN', value: TOKEN }] }), 'a bootstrap token'],
  [
    'a custom resource',
    { apiVersion: 'example.com/v1', kind: 'Join', metadata: { name: 'a' }, spec: { token: TOKEN } },
    'a bootstrap token',
  ],
  ['binary data', configMap({ binaryData: { join: base64(`token: ${TOKEN}`) } }), 'a bootstrap token'],
  ['an annotation', configMap({ metadata: { name: 'a', annotations: { join: TOKEN } } }), 'a bootstrap token'],
  ['data, without a digit', configMap({ data: { join: 'token: abcdef.abcdefghijklmnop' } }), 'a bootstrap token'],
  ['data', configMap({ data: { 'tls.key': pem('PRIVATE KEY') } }), 'a private key'],
  ['data', configMap({ data: { 'tls.key': pem('RSA PRIVATE KEY') } }), 'a private key'],
  ['data', configMap({ data: { 'tls.key': pem('OPENSSH PRIVATE KEY') } }), 'a private key'],
  ['data as JSON', configMap({ data: { 'a.json': JSON.stringify({ key: pem('EC PRIVATE KEY') }) } }), 'a private key'],
  ['binary data', configMap({ binaryData: { 'tls.key': base64(pem('PRIVATE KEY')) } }), 'a private key'],
  ['an argument', workload({ args: [pem('PRIVATE KEY')] }), 'a private key'],
])('in %s: %#', (_, object, what) => {
  const problems = ofObject(object);
  expect(problems).toEqual(NAMES.map(() => expect.stringMatching(new RegExp(`^EDGE_SECRET .* has ${what} in it`))));
  expect(problems.join()).not.toMatch(/0123456789abcdef|MIIE/);
});

it.each<[string, object]>([
  ['a certificate', configMap({ data: { 'ca.crt': pem('CERTIFICATE') } })],
  ['a public key', configMap({ data: { key: pem('PUBLIC KEY') } })],
  [
    'a template of a key',
    configMap({ data: { key: '-----BEGIN PRIVATE KEY-----\n{{ .key }}\n-----END PRIVATE KEY-----' } }),
  ],
  ['names with a dot', workload({ args: ['server.applicationconfig', 'x.abcdef.0123456789abcdef.js'] })],
  ['the placeholder', workload({ args: ['token0.placeholder00000'] })],
  [
    'the example of a schema',
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'a' },
      spec: { description: TOKEN },
    },
  ],
])('%s is delivered', (_, object) => {
  expect(ofObject(object)).toEqual([]);
});

it('a partial object has none, either', () => {
  const object = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'kube-proxy', namespace: 'kube-system' },
    spec: { template: { metadata: { annotations: { join: TOKEN } } } },
  };
  expect(ofObject(object, { partials: 'engine' })).toEqual(NAMES.map(() => expect.stringMatching(/^EDGE_SECRET /)));
});

it.each([
  'https://ghp_abcdefghij1234567890@github.com/o/r',
  'https://ghp_abcdefghij1234567890@github.com/o/r/tree/main',
  'https://glpat-abcdefghij1234567890@gitlab.example/o/r/-/tree/main',
  'http://ghp_abcdefghij1234567890@git.example/r.git',
  'https://me:abcdefghij1234567890@git.example/r.git',
  'ssh://git:abcdefghij1234567890@git.example/r.git',
  'git+https://abcdefghij1234567890@git.example/r.git',
])('the address %s is refused, and not quoted', (url) => {
  const problems = told(() => fromGit({ url }));
  expect(problems).toEqual([expect.stringMatching(/^EDGE_PASSWORD .* -> write the address without what is before @/)]);
  expect(problems.join()).not.toContain('abcdefghij1234567890');
});

it.each(['ssh://git@git.example/r.git', 'https://git.example/a@b.git', 'https://git.example:8443/r.git'])(
  '%s is taken',
  (url) => {
    expect(told(() => fromGit({ url }))).toEqual([]);
  },
);

it('nor has that of a registry any', () => {
  expect(told(() => fromOci({ url: 'oci://abcdefghij1234567890@registry.example/fleet' }))).toEqual([
    expect.stringMatching(/^EDGE_PASSWORD (?!.*abcdefghij1234567890)/),
  ]);
});
