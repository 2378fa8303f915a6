import { ApiObject, Chart } from 'cdk8s';
import { type ArgoCdEngine, FleetDelivery, type FluxEngine, fromGit } from 'edge-nodepools/delivery';
import type { Proof } from '../../harness/group.js';
import { type ShopClusters, synthesized } from './shop-clusters.js';

/** The repository, the delivery, and the program that answers the webhook. */
export const CHECKER = 'checker';

const DEPLOYMENT = `/apis/apps/v1/namespaces/default/deployments/${CHECKER}`;
const WEBHOOK = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${CHECKER}`;

/** A site brings a webhook, the program that answers it, whose Deployment the webhook checks, too, and a policy for it with params. */
export async function ownAdmission(
  shops: ShopClusters & { readonly proof: Proof },
  engine: ArgoCdEngine | FluxEngine,
  begin: (outdir: string) => void,
): Promise<void> {
  const { proof, planes, git } = shops;
  const { api } = planes.headquarters;
  const metadata = { name: CHECKER, namespace: 'default', labels: { app: CHECKER } };
  const rules = [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }];
  const objectSelector = { matchLabels: { app: CHECKER } };
  const outdir = synthesized(shops, (app) => {
    const chart = new Chart(app, 'site');
    new ApiObject(chart, 'service', {
      ...{ apiVersion: 'v1', kind: 'Service', metadata },
      spec: { selector: { app: CHECKER }, ports: [{ port: 443 }] },
    });
    new ApiObject(chart, 'deployment', {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
      spec: {
        selector: { matchLabels: { app: CHECKER } },
        template: {
          metadata: { labels: { app: CHECKER } },
          spec: { containers: [{ name: CHECKER, image: 'registry.example/checker:1' }] },
        },
      },
    });
    new ApiObject(chart, 'webhook', {
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
      metadata: { name: CHECKER },
      webhooks: [
        {
          name: 'checker.example.com',
          clientConfig: { service: { namespace: 'default', name: CHECKER, path: '/' } },
          rules,
          objectSelector,
          failurePolicy: 'Fail',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    new ApiObject(chart, 'param', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { name: CHECKER } });
    new ApiObject(chart, 'policy', {
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy' },
      metadata: { name: CHECKER },
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: { resourceRules: rules, objectSelector },
        validations: [{ expression: 'object.metadata.name == params.data.name' }],
      },
    });
    new ApiObject(chart, 'binding', {
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicyBinding' },
      metadata: { name: CHECKER },
      spec: {
        policyName: CHECKER,
        paramRef: { name: CHECKER, namespace: 'default', parameterNotFoundAction: 'Deny' },
        validationActions: ['Deny'],
      },
    });
    new FleetDelivery(app, 'delivery', {
      name: CHECKER,
      source: fromGit({ url: `https://git.example/${CHECKER}.git`, path: 'dist' }),
      engine,
      sites: [{ name: 'headquarters', charts: [chart] }],
    });
  });
  git.commit(`${CHECKER}.git`, outdir, 'admission of its own');
  begin(outdir);
  await proof.eventually(
    'a webhook that the same site answers, and a policy with params, do not keep a Deployment from being created',
    async () => (await api.send('GET', DEPLOYMENT)).status === 200,
    120,
  );
  await proof.eventually(
    'the webhook is there afterwards',
    async () => (await api.send('GET', WEBHOOK)).status === 200,
    120,
  );
  const created = async (path: string): Promise<string> =>
    (await api.must('GET', path)).metadata.creationTimestamp as string;
  proof.that('not before it', (await created(DEPLOYMENT)) <= (await created(WEBHOOK)));
}
