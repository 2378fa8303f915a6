/** What is a secret by its form, in any field and in base64; and what looks like one and is none. */
import { createHash, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { clearSecrets } from '../../src/kubernetes/clear-secrets.js';
import { runs } from '../depth.js';

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');
const lines = (text: string): string => text.replace(/.{76}/g, '$&\n');
// in parts, so that no scanner takes this file for a leak
const join = (...parts: string[]): string => parts.join('');
const letters = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'.repeat(3);

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PEM = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
const PUBLIC = String(publicKey.export({ type: 'spki', format: 'pem' }));
const RSA = String(
  generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs1', format: 'pem' }),
);
const JWT = [JSON.stringify({ alg: 'RS256', kid: 'x' }), JSON.stringify({ iss: 'k', sub: 'a' }), letters]
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.');
const kubeconfig = (user: object): object => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [
    { name: 'a', cluster: { server: 'https://a:6443', 'certificate-authority-data': base64('x'.repeat(99)) } },
  ],
  users: [{ name: 'a', user }],
});
const yaml = (user: string): string => `apiVersion: v1\nkind: Config\nusers:\n- name: a\n  user:\n    ${user}\n`;

/** Each is a secret wherever it stands. */
const SECRETS: Readonly<Record<string, readonly string[]>> = {
  'a bootstrap token': ['abcdef.0123456789abcdef', 'kubeadm join --token abcdef.abcdefghijklmnop a:6443'],
  'a private key': [
    PEM,
    RSA,
    PEM.replace(/PRIVATE/g, 'ENCRYPTED PRIVATE'),
    lines(base64(RSA)),
    JSON.stringify(JSON.stringify({ key: PEM })),
    JSON.stringify(kubeconfig({ 'client-certificate-data': base64(PUBLIC), 'client-key-data': base64(PEM) })),
    `data:,${encodeURIComponent(PEM)}`,
    join('-----BEGIN PGP PRIVATE KEY', ' BLOCK-----\nVersion: x\n\n'),
  ],
  'a password in an address': [
    'https://user:pw@git.example/r.git',
    'DATABASE_URL=postgres://shop:s3cr3t@db:5432/shop?sslmode=disable',
    'redis://:geheim@cache:6379/0',
    '{"url":"amqp://a:b%40c@[::1]/x"}',
  ],
  'the credentials of a kubeconfig': [
    yaml('token: 0123456789'),
    yaml('password: "geheim12"'),
    JSON.stringify(kubeconfig({ token: 'opaque-token' })),
  ],
  'a JSON Web Token': [JWT, `Authorization: Bearer ${JWT}`, JSON.stringify({ token: JWT })],
  'a key of AWS': [
    join('AKIA', 'QYLPMN5HFIQR7XYA'),
    `[default]\naws_secret_access_key = ${letters.slice(0, 40)}\n`,
    JSON.stringify({ secretAccessKey: letters.slice(2, 42) }),
  ],
  'a token of GitHub': [
    join('gh', 'p_', letters.slice(0, 36)),
    join('github', '_pat_', letters.slice(0, 22), '_', letters.slice(0, 59)),
    join('https://gh', 's_', letters.slice(0, 36), '@github.com/a/b'),
  ],
  'a token of GitLab': [join('gl', 'pat-', letters.slice(0, 20))],
  'a token of Slack': [
    join('xo', 'xb-', '123456789012-1234567890123-', letters.slice(0, 24)),
    join('xo', 'xp-1234567890-1234567890-', letters.slice(0, 32)),
  ],
  'a token of Vault': [join('hv', 's.', letters.slice(0, 24)), join('VAULT_TOKEN=hv', 'b.AAAA', letters)],
  'a token of npm': [
    join('npm', '_', letters.slice(0, 36)),
    join('//registry.example/:_auth', 'Token=0123-opaque'),
    join('always-auth=true\n//registry.example/npm/:_pass', 'word="Z2VoZWltMTI="'),
  ],
  'a token of PyPI': [join('py', 'pi-AgEIcHlwaS5vcmc', letters)],
  'a key of Azure': [
    join('DefaultEndpointsProtocol=https;AccountName=a;Account', 'Key=', letters.slice(0, 86), '==;EndpointSuffix=x'),
    join('Endpoint=sb://a/;SharedAccessKeyName=Send;SharedAccess', 'Key=', letters.slice(0, 43), '='),
  ],
  'a key of Google': [
    join('AI', 'za', letters.slice(0, 35)),
    join('https://a.example/?key=AI', 'za', letters.slice(1, 36)),
  ],
  'a key of Stripe': [join('sk', '_live_', letters.slice(0, 24)), join('rk', '_live_', letters.slice(0, 99))],
  'a password in a netrc': [
    'machine git.example login me password geheim',
    'machine git.example\n  login me\n  password geheim\n',
    'default login anonymous password me@a.example',
  ],
  'a login of a registry': [
    JSON.stringify({ auths: { 'registry.example': { auth: base64('me:geheim') } } }),
    `auths:\n  registry.example:\n    auth: ${base64('robot$x:abc')}\n`,
    JSON.stringify({ auths: { r: { username: 'u', password: 'p' } } }),
    'auths:\n  r:\n    username: u\n    password: p\n',
    JSON.stringify({ auths: { r: { identitytoken: 'opaque' } } }),
  ],
  'a key of age': [join('AGE-SECRET', '-KEY-1', letters.toUpperCase().slice(0, 58))],
};

const object = (kind: string, fields: object): any => ({
  apiVersion: kind === 'Deployment' ? 'apps/v1' : kind === 'Join' ? 'example.com/v1' : 'v1',
  kind,
  metadata: { name: 'a', namespace: 'b' },
  ...fields,
});
/** Places of a text. */
const PLACES: Readonly<Record<string, (text: string) => any>> = {
  'data of a ConfigMap': (text) => object('ConfigMap', { data: { 'a.conf': text } }),
  'binary data': (text) => object('ConfigMap', { binaryData: { a: base64(text) } }),
  'an annotation': (text) => object('ConfigMap', { metadata: { name: 'a', annotations: { 'a.b/c': text } } }),
  'a custom resource': (text) => object('Join', { spec: { list: [{ deep: { text } }] } }),
  'an argument': (text) =>
    object('Deployment', { spec: { template: { spec: { containers: [{ args: ['-c', text] }] } } } }),
  'a variable': (value) =>
    object('Deployment', { spec: { template: { spec: { containers: [{ env: [{ name: 'A', value }] }] } } } }),
};
const WAYS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `# a comment\n  x: 1\n${text}\nend`,
  (text) => JSON.stringify({ files: [{ content: `\n${text}` }] }),
  (text) => base64(text),
  (text) => lines(base64(`#cloud-config\nwrite_files:\n- content: |\n    ${text}\n`)),
  (text) => base64(JSON.stringify({ a: base64(text) })),
];

describe.each(Object.entries(SECRETS))('%s', (what, texts) => {
  it.each(texts.map((text) => [text]))('is found in each place and in base64: %#', (text) => {
    for (const place of Object.values(PLACES)) {
      for (const way of WAYS) {
        expect(clearSecrets(place(way(text))).map((each) => each.what)).toEqual([what]);
      }
    }
  });
});

it('a name beside a value says what it is', () => {
  const found = (fields: object): unknown => clearSecrets(object('ConfigMap', fields)).map((each) => each.what);
  expect(found({ data: { AWS_SECRET_ACCESS_KEY: letters.slice(0, 40) } })).toEqual(['a key of AWS']);
  expect(found({ spec: { env: [{ name: 'JOIN_TOKEN', value: 'abcdef.abcdefghijklmnop' }] } })).toHaveLength(1);
  expect(found({ spec: { auths: { r: { auth: base64('me:geheim') } } } })).toEqual(['a login of a registry']);
  expect(found({ data: { release: `H4sI${letters}` } })).toEqual(['a release of Helm']);
});

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const INNOCENT: Readonly<Record<string, string>> = {
  'a digest': `registry.example:5000/a/b@sha256:${hash('a')}`,
  'the id of an image': `docker-pullable://registry.example:5000/a@sha256:${hash('b')}`,
  'a hash': hash('c'),
  'a short hash': createHash('sha1').update('x').digest('hex'),
  'a uid': '0123abcd-89ab-cdef-0123-456789abcdef',
  'a public key': PUBLIC,
  'a public key in base64': base64(PUBLIC),
  'a public key of SSH': `ssh-ed25519 ${base64(Buffer.alloc(51, 'k'))} me@example`,
  'the name of a key': 'tls.key, -----BEGIN PRIVATE KEY-----',
  'a template of a key': '-----BEGIN PRIVATE KEY-----\n{{ .key }}\n-----END PRIVATE KEY-----',
  'a template of a key in an address': `data:,${encodeURIComponent('-----BEGIN PRIVATE KEY-----\n{{ .key }}')}`,
  'a public key in an address': `data:,${encodeURIComponent(PUBLIC)}`,
  'a template of a login': 'auths: { r: { username: u, password: $(PASSWORD) } }',
  'a template of an address': 'postgres://$(USER):$(PASSWORD)@db https://{{ .user }}:{{ .pw }}@a http://<user>:<pw>@a',
  'a template in a shell': 'https://$USER:${PW}@a.example, https://user:%s@a.example, https://user:***@a.example',
  'an address with a user': 'ssh://git@git.example/r.git git@github.com:a/b.git mailto:a@b.example',
  'an address with a port': 'http://a.example:8080/x@y https://a:6443 http://[::1]:80/ s3://a:b/c@d',
  'what cluster-info has': `eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9..${letters.slice(0, 43)}`,
  'the file of a token': yaml('tokenFile: /var/run/secrets/token'),
  'a kubeconfig with an executable': yaml('exec: { command: aws }'),
  'names with a dot': 'server.applicationconfig x.abcdef.0123456789abcdef.js edge-node01.0123456789abcdef',
  'the placeholder of this library': 'token: token0.placeholder00000',
  'the example of AWS': join('AKIA', 'IOSFODNN7EXAMPLE aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'),
  'what is like a token': 'xoxb-token npm_config_registry npm_package hvs.example.com pypi-publish sk_live_KEY AIzaSy',
  'the name of a host': `hvs.${'abcdef0-'.repeat(4)}x.example`,
  'a template of npm': '//registry.example/:_authToken=${NPM_TOKEN} //a/:_authToken=<token> :_password={{ .pw }}',
  'a template of Azure': 'AccountKey=$(KEY);SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey={{ .key }}',
  'the key of an emulator':
    'AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
  'a template of a netrc': 'machine git.example login me password ${PASSWORD}, the machine has a login and a password',
  'a reference': 'secretKey: password, auth: basicauth, auth: true',
  'a resource version': '17c3f0a2b3d4e5f6.web',
};

it.each(Object.entries(INNOCENT))('%s is none', (_, text) => {
  for (const place of Object.values(PLACES)) {
    for (const way of WAYS) {
      expect(clearSecrets(place(way(text)))).toEqual([]);
    }
  }
});

it('random bytes, as those of certificates, signatures and what is encrypted, are none', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 900 }).map((each) => Buffer.from(each));
  const form = fc.constantFrom<(each: Buffer) => string>(
    (each) => each.toString('hex'),
    (each) => each.toString('base64'),
    (each) => each.toString('base64url'),
    (each) => `-----BEGIN CERTIFICATE-----\n${lines(each.toString('base64'))}\n-----END CERTIFICATE-----\n`,
    (each) => base64(`-----BEGIN CERTIFICATE-----\n${lines(each.toString('base64'))}\n-----END CERTIFICATE-----\n`),
    (each) => `img@sha256:${hash(each.toString('hex'))}`,
  );
  const place = fc.constantFrom(...Object.values(PLACES));
  fc.assert(
    fc.property(bytes, form, place, (each, text, at) => {
      expect(clearSecrets(at(text(each)))).toEqual([]);
    }),
    runs(300),
  );
});

describe('a Secret', () => {
  const found = (fields: object, annotations: object = {}): string[] =>
    clearSecrets(object('Secret', { metadata: { name: 'a', annotations }, ...fields })).map(({ path }) =>
      path.join('.'),
    );

  it('has each of its values, and none that is encrypted or empty', () => {
    expect(found({ data: { a: 'YQ==', b: '' }, stringData: { c: 'd' } })).toEqual(['data.a', 'stringData.c']);
    const sops = { sops: { version: '3' } };
    expect(found({ ...sops, data: { a: 'ENC[AES256_GCM,x]', b: 'YQ==' } })).toEqual(['data.b']);
    expect(found({ data: { a: 'ENC[x' } })).toEqual(['data.a']);
    expect(found({ sops: {}, data: { a: 'ENC[x' } }, { x: 'ENC[x' })).toEqual([]);
  });

  it.each([
    ['a long copy', { x: 'my-geheim123-x' }],
    ['a copy in base64', { x: base64('geheim123') }],
    ['a short copy', { x: 'abc' }],
    ['a short copy in JSON', { x: '{"pin":"abc"}' }],
    ['a short copy in base64', { x: '{"pin":"YWJj"}' }],
    ['what kubectl has applied', { x: '{"kind":"Secret","apiVersion":"v1","data":{"old":"b2xk"}}' }],
    ['a compressed copy', { 'objectset.rio.cattle.io/applied': `H4sIAAAAAAAA${letters}` }],
  ])('has %s in its annotations', (_, annotations) => {
    expect(found({ data: { pin: base64('abc'), pw: base64('geheim123') } }, annotations)).toContain(
      `metadata.annotations.${Object.keys(annotations)[0]}`,
    );
  });

  it('has no annotation that only shares letters with a short value', () => {
    expect(found({ data: { pin: base64('abc') } }, { x: 'abcd 1abc', y: 'note' })).toEqual(['data.pin']);
  });

  it('of kubectl apply without values has none', () => {
    expect(found({}, { x: '{"kind":"Secret","data":{}}', y: '{"kind":"ConfigMap","data":{"a":"b"}}' })).toEqual([]);
  });
});

it('takes a time as long as the text', () => {
  const begin = process.cpuUsage().user;
  for (const part of [
    'a',
    '://',
    '://a:',
    ' ',
    '-----BEGIN ',
    'eyJ',
    'eyJaaaaaaaa.',
    'A/',
    'kind: Config token: ',
    'auth:',
    'machine ',
    'machine a login ',
    'default ',
    'xoxb-',
    'hvs.',
    ':_auth=',
    '\\\\n',
  ]) {
    clearSecrets(object('ConfigMap', { data: { a: part.repeat(100_000 / part.length) } }));
  }
  expect(process.cpuUsage().user - begin).toBeLessThan(3_000_000);
});
