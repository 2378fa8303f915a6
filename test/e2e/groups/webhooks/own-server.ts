import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, EdgeError, EdgeWarnings, PoolWebhook } from 'edge-nodepools';
import fc from 'fast-check';
import { CA_BUNDLE } from '../../../corpus/ca-bundle.js';
import { everyField, oddProps } from '../../../corpus/odd-webhooks.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import type { YurtManager } from '../../harness/yurt-manager.js';
import { synthesized } from './configurations.js';

const POOLS = '/apis/apps.openyurt.io/v1beta2/nodepools';
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

/** A PoolWebhook with a real server: yurt-manager's path for NodePools, with another name. */
export async function ownServer(plane: ControlPlane, { port }: YurtManager, proof: Proof): Promise<void> {
  const { api } = plane;
  const claim = (what: string): string => `a PoolWebhook with a real server: ${what}`;
  const { data } = await api.must('GET', '/api/v1/namespaces/kube-system/secrets/yurt-manager-webhook-certs');
  const caBundle = data['ca-cert.pem'] as string;
  const path = '/validate-apps-openyurt-io-v1beta2-nodepool';
  const shared = { rules: ['nodepools' as const], caBundle, failurePolicy: 'Fail' as const };
  const servers = {
    url: { url: `https://localhost:${port}${path}` },
    service: { service: { name: 'yurt-manager-webhook-service', namespace: 'kube-system', path } },
  };
  for (const [how, server] of Object.entries(servers)) {
    const name = `pools-by-${how}.guard.example.com`;
    const objects = synthesized((chart) => {
      new PoolWebhook(chart, 'guard', {
        cluster,
        type: 'validating',
        // before yurt-manager's webhook in alphabetical order, so that the error has its name
        metadata: { name: `a-guard-by-${how}` },
        webhooks: [{ name, ...shared, ...server }],
      });
    });
    await plane.apply(objects);
    const pool = (type: string): object => ({
      apiVersion: 'apps.openyurt.io/v1beta2',
      kind: 'NodePool',
      metadata: { name: 'guarded' },
      spec: { type, hostNetwork: true },
    });
    await proof.eventually(claim(`by ${how}: an object that it refuses is refused, with its name`), async () => {
      const { status, body } = await api.send('POST', POOLS, pool('Cloud'), { query: { dryRun: 'All' } });
      return status >= 400 && JSON.stringify(body).includes(name);
    });
    const { status, body } = await api.send('POST', POOLS, pool('Edge'), { query: { dryRun: 'All' } });
    proof.that(claim(`by ${how}: an object that it accepts is accepted`), status === 201, body);
    await api.must('DELETE', await api.pathOf(objects[0]));
  }
}

/** What a webhook with Fail refuses while its server is down, although its match condition looks like a restriction: the reasons for EDGE_WEBHOOK_LOCK. */
export async function serverDown(plane: ControlPlane, proof: Proof): Promise<void> {
  const { api } = plane;
  const review = (group: string, kind: string, spec: object): [string, string, object] => [
    'POST',
    `/apis/${group}/v1/${kind.toLowerCase()}s`,
    { apiVersion: `${group}/v1`, kind, spec },
  ];
  const pod = { metadata: { name: 'stays' }, spec: { containers: [{ name: 'a', image: 'a' }] } };
  await api.must('POST', '/api/v1/namespaces/default/pods', pod);
  const cases: readonly [resource: string, group: string, request: [string, string, object?]][] = [
    ['tokenreviews', 'authentication.k8s.io', review('authentication.k8s.io', 'TokenReview', { token: 'some-token' })],
    [
      'subjectaccessreviews',
      'authorization.k8s.io',
      review('authorization.k8s.io', 'SubjectAccessReview', {
        user: 'alice',
        resourceAttributes: { verb: 'get', resource: 'pods' },
      }),
    ],
    ['pods', '', ['DELETE', '/api/v1/namespaces/default/pods/stays']],
  ];
  for (const [resource, group, [method, path, body]] of cases) {
    const claim = (what: string): string => `a webhook of ${resource} with Fail, server down: ${what}`;
    const app = new App();
    EdgeWarnings.setMode(app, 'silent');
    const chart = new Chart(app, 'webhooks');
    new PoolWebhook(chart, 'guard', {
      cluster,
      type: 'validating',
      metadata: { name: 'server-down' },
      webhooks: [
        {
          name: 'down.guard.example.com',
          url: 'https://127.0.0.1:1/none',
          caBundle: CA_BUNDLE,
          failurePolicy: 'Fail',
          rules: [
            {
              apiGroups: [group],
              apiVersions: ['v1'],
              resources: [resource],
              operations: [method === 'DELETE' ? 'DELETE' : 'CREATE'],
            },
          ],
        },
      ],
    });
    proof.that(
      claim('the construct warns'),
      EdgeWarnings.of(chart).some(({ code }) => code === 'EDGE_WEBHOOK_LOCK'),
    );
    const objects = Testing.synth(chart);
    await plane.apply(objects);
    await proof.eventually(claim('the request is refused'), async () => {
      const answer = await api.send(method, path, body);
      return answer.status >= 400 && JSON.stringify(answer.body).includes('down.guard.example.com');
    });
    await api.must('DELETE', await api.pathOf(objects[0]));
    await proof.eventually(
      claim('without it the request is admitted'),
      async () => (await api.send(method, path, body)).status < 300,
    );
  }
}

const service = { name: 'guard', namespace: 'edge-system' };
const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] };

/** Fields that the API server refuses in a webhook: the reasons for the checks at synth. Each is a change of an accepted webhook. */
const REFUSED: readonly (readonly [what: string, field: string, change: object])[] = [
  ['a name of two parts', 'name', { name: 'guard.local' }],
  ['a timeout of 31 seconds', 'timeoutSeconds', { timeoutSeconds: 31 }],
  ['no timeout at all', 'timeoutSeconds', { timeoutSeconds: 0 }],
  ['side effects', 'sideEffects', { sideEffects: 'Some' }],
  ['no version that is sent', 'admissionReviewVersions', { admissionReviewVersions: ['v2'] }],
  ['a version twice', 'admissionReviewVersions', { admissionReviewVersions: ['v1', 'v1'] }],
  ['service and url', 'clientConfig', { clientConfig: { service, url: 'https://a.example.com/' } }],
  ['neither service nor url', 'clientConfig', { clientConfig: {} }],
  ['http', 'url', { clientConfig: { url: 'http://a.example.com/' } }],
  ['a user', 'url', { clientConfig: { url: 'https://me@a.example.com/' } }],
  ['a query', 'url', { clientConfig: { url: 'https://a.example.com/?b=c' } }],
  ['a fragment', 'url', { clientConfig: { url: 'https://a.example.com/#b' } }],
  ['no host', 'url', { clientConfig: { url: 'https:///pods' } }],
  ['an empty user', 'url', { clientConfig: { url: 'https://@a.b/' } }],
  ['neither user nor password', 'url', { clientConfig: { url: 'https://:@a.b/' } }],
  ['a broken escape', 'url', { clientConfig: { url: 'https://a.b/%zz' } }],
  ['an escape that ends', 'url', { clientConfig: { url: 'https://a.b/%4' } }],
  ['an escape in the host', 'url', { clientConfig: { url: 'https://%41/' } }],
  ['a backslash in the host', 'url', { clientConfig: { url: 'https://a.b\\c/' } }],
  ['backslashes for slashes', 'url', { clientConfig: { url: 'https:\\\\a.b/' } }],
  ['a line feed', 'url', { clientConfig: { url: 'https://a.b/c\n' } }],
  ['a space in the host', 'url', { clientConfig: { url: 'https://a b/' } }],
  ['a port that is a word', 'url', { clientConfig: { url: 'https://a.b:http/' } }],
  ['a path without slash', 'path', { clientConfig: { service: { ...service, path: 'pods' } } }],
  ['a path in capitals', 'path', { clientConfig: { service: { ...service, path: '/Pods' } } }],
  ['an empty part of a path', 'path', { clientConfig: { service: { ...service, path: '/a//b' } } }],
  ['a port that is none', 'port', { clientConfig: { service: { ...service, port: 65536 } } }],
  ['no resources', 'resources', { rules: [{ ...rule, resources: [] }] }],
  ['all groups and one more', 'apiGroups', { rules: [{ ...rule, apiGroups: ['*', 'apps'] }] }],
  ['all operations and one more', 'operations', { rules: [{ ...rule, operations: ['*', 'CREATE'] }] }],
  ['all resources and one more', 'resources', { rules: [{ ...rule, resources: ['*', 'pods'] }] }],
  ['a subresource twice', 'resources', { rules: [{ ...rule, resources: ['pods/*', 'pods/exec'] }] }],
  ['a wildcard twice', 'resources', { rules: [{ ...rule, resources: ['pods/*', 'nodes', 'pods/*'] }] }],
  ['a wildcard of resources twice', 'resources', { rules: [{ ...rule, resources: ['*/status', '*/status'] }] }],
  ['an empty version', 'apiVersions', { rules: [{ ...rule, apiVersions: [''] }] }],
  ['a selector without values', 'values', { objectSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }],
  [
    'a selector by Gt',
    'operator',
    { objectSelector: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] } },
  ],
  ['a condition without expression', 'expression', { matchConditions: [{ name: 'a', expression: '' }] }],
  ['a condition with a name in words', 'name', { matchConditions: [{ name: 'a b', expression: 'true' }] }],
];

/** Unusual URLs that the API server and the check at synth both accept. */
const ACCEPTED_URLS = [
  'https://a.b/#',
  'https://a.b/?',
  'https://a.b',
  'HTTPS://A.b:8443/c',
  'https://a_b/%41',
  'https://a.b/c\\d',
  'https://[::1]:8443/',
];

/** Which of our checks the API server has, too, and what it accepts. */
export async function refusals({ api }: ControlPlane, proof: Proof): Promise<void> {
  const claim = (what: string): string => `kube-apiserver 1.36, a webhook with ${what}`;
  const [accepted] = synthesized((chart) => {
    new PoolWebhook(chart, 'guard', {
      cluster,
      type: 'validating',
      metadata: { name: 'refused' },
      webhooks: [{ name: 'pods.guard.example.com', rules: ['pods'], service, caBundle: CA_BUNDLE }],
    });
  });
  const create = (change: object): Promise<any> =>
    api.send(
      'POST',
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
      { ...accepted, webhooks: [{ ...accepted.webhooks[0], ...change }] },
      { query: { dryRun: 'All', fieldValidation: 'Strict' } },
    );
  proof.same(claim('a valid webhook is accepted'), (await create({})).status, 201);
  for (const [what, field, change] of REFUSED) {
    const { status, body } = await create(change);
    proof.that(claim(`${what} is refused`), status === 422 && (body.message as string).includes(field), body);
  }
  for (const url of ACCEPTED_URLS) {
    const [made] = synthesized((chart) => {
      const webhooks = [{ name: 'pods.guard.example.com', rules: ['pods' as const], url }];
      new PoolWebhook(chart, 'guard', { cluster, type: 'validating', webhooks });
    });
    const { status, body } = await create({ clientConfig: made.webhooks[0].clientConfig });
    proof.that(claim(`the URL ${url} is accepted`), status === 201, body);
  }
  const notPem = { clientConfig: { service, caBundle: 'Cg==' } };
  proof.same(claim('an invalid caBundle is accepted, and never works'), (await create(notPem)).status, 201);
}

/** Everything that passes the checks at synth is accepted: properties with an unusual value at one path, deterministic. */
export async function oddOnes({ api }: ControlPlane, proof: Proof): Promise<void> {
  for (const [construct, good, make] of everyField) {
    let made = 0;
    let refused = 0;
    for (const props of fc.sample(oddProps(good), { numRuns: 1500, seed: 1 })) {
      let objects: any[];
      try {
        objects = synthesized((chart) => make(chart, props));
      } catch (error) {
        if (!(error instanceof EdgeError)) {
          throw error;
        }
        refused += 1;
        continue;
      }
      made += 1;
      for (const object of objects) {
        const { status, body } = await api.send('PATCH', await api.pathOf(object), object, {
          contentType: 'application/apply-patch+yaml',
          query: { fieldManager: 'odd', fieldValidation: 'Strict', dryRun: 'All', force: true },
        });
        if (status >= 300) {
          proof.that(`${construct}: created objects are accepted`, false, {
            message: body.message,
            webhooks: object.webhooks,
          });
        }
      }
    }
    proof.that(
      `${construct}: some of the unusual ones are created, some refused`,
      made > 50 && refused > 50,
      `${made} and ${refused}`,
    );
  }
}
