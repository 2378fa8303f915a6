import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { helm } from '../../harness/helm.js';
import { dumped, ImportedProject } from '../../harness/imported-project.js';
import { documents } from '../../harness/kubectl.js';

const NAMESPACE = 'changed';
const GIVEN = ['--openyurt', '1.7', '--kubernetes', '1.36'];
const FORCED = ['--server-side', '--force-conflicts', '--field-manager=edge-nodepools'];

/** A Deployment, and what a colleague makes of it: with a sidecar and a variable. */
function deployment(name: string, isChanged: boolean, more: object = { replicas: 1 }): any {
  const web = { name: 'web', image: 'registry.example/web:1.0' };
  const log = { name: 'log', image: 'registry.example/log:1.0' };
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: isChanged ? [{ ...web, env: [{ name: 'A', value: '1' }] }, log] : [web] },
      },
      ...more,
    },
  };
}

/** Who makes an object, and changes it in the same way: by the name of the field manager. */
const WAYS: Readonly<Record<string, (plane: ControlPlane, object: any, isChanged: boolean) => void | Promise<void>>> = {
  'kubectl-client-side-apply': (plane, object) => must(plane, ['apply', '-f', '-'], object),
  kubectl: (plane, object) => must(plane, ['apply', '--server-side', '-f', '-'], object),
  'argocd-controller': (plane, object) =>
    must(
      plane,
      ['apply', '--server-side', '--force-conflicts', '--field-manager=argocd-controller', '-f', '-'],
      object,
    ),
  helm: async (plane, object, isChanged) => {
    const chart = join(plane.folder, 'changed-chart');
    mkdirSync(join(chart, 'templates'), { recursive: true });
    writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: changed\nversion: 1.0.0\n');
    writeFileSync(join(chart, 'templates', 'web.yaml'), documents([object]));
    await helm(plane, [isChanged ? 'upgrade' : 'install', 'changed', chart, '--namespace', NAMESPACE]);
  },
};

const must = (plane: ControlPlane, args: readonly string[], object: any): void => {
  const { status, stderr } = plane.kubectl(args, documents([object]));
  if (status !== 0) {
    throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  }
};

const nameOf = (manager: string): string => manager.replace('kubectl-client-side-apply', 'applied');

/** Somebody changes a cluster between the dump and the apply: `import --compare` says what, and the apply of a new import keeps all of it. */
export async function changedSince(plane: ControlPlane, proof: Proof): Promise<void> {
  await plane.ensureNamespace(NAMESPACE);
  const pathOf = (name: string): string => `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${name}`;
  const names = [...Object.keys(WAYS).map(nameOf), 'scaled'];
  const WEBHOOK = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/changed';
  const dump = async (name: string): Promise<string> =>
    dumped(plane, name, await Promise.all([...names.map(pathOf), WEBHOOK].map((path) => plane.api.must('GET', path))));
  const claim = (what: string): string => `changed since the dump: ${what}`;
  for (const [manager, make] of Object.entries(WAYS)) {
    await make(plane, deployment(nameOf(manager), false), false);
  }
  must(plane, ['apply', '-f', '-'], deployment('scaled', false));
  plane.kubectl(['scale', `--namespace=${NAMESPACE}`, 'deployment/scaled', '--replicas=9']);
  must(plane, ['apply', '-f', '-'], {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'changed' },
    webhooks: [
      {
        name: 'changed.example.com',
        clientConfig: { url: 'https://192.0.2.1/' },
        failurePolicy: 'Ignore',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        rules: [{ apiGroups: ['changed.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['x'] }],
      },
    ],
  });
  const certify = (text: string): Promise<unknown> =>
    plane.api.must(
      'PATCH',
      WEBHOOK,
      [{ op: 'add', path: '/webhooks/0/clientConfig/caBundle', value: Buffer.from(text).toString('base64') }],
      { contentType: 'application/json-patch+json', query: { fieldManager: 'pilot-discovery' } },
    );
  await certify(CERTIFICATE);
  const project = ImportedProject.of(plane, 'changed/before', await dump('changed-before'), GIVEN);
  project.synth();
  const made = (of: ImportedProject, name: string): any => of.made().find(({ metadata }) => metadata.name === name);
  proof.same(claim('kubectl scale of a person is kept'), made(project, 'scaled').spec.replicas, 9);
  proof.same(claim('the certificate of pilot-discovery is not'), made(project, 'changed').webhooks[0].clientConfig, {
    url: 'https://192.0.2.1/',
  });
  proof.that(
    claim('and the report says so'),
    /caBundle +pilot-discovery +MutatingWebhookConfiguration changed/.test(project.report),
    project.report,
  );
  // what only controllers write, as the status and a new certificate, is no change
  await plane.api.must(
    'PATCH',
    `${pathOf('applied')}/status`,
    { status: { observedGeneration: 1, replicas: 1 } },
    {
      contentType: 'application/merge-patch+json',
      query: { fieldManager: 'kube-controller-manager' },
    },
  );
  await certify(`${CERTIFICATE}\n${CERTIFICATE}`);
  const unchanged = project.compared(await dump('changed-by-nobody'));
  proof.that(claim('by controllers only is no change'), unchanged.status === 0, unchanged.stdout);
  for (const [manager, make] of Object.entries(WAYS)) {
    await make(plane, deployment(nameOf(manager), true), true);
  }
  const diff = plane.kubectl(['diff', ...FORCED, '-f', project.dist]);
  proof.same(
    claim('kubectl diff --server-side does not show what kubectl apply has added'),
    /log:1\.0/.test(diff.stdout),
    false,
  );
  const later = await dump('changed-after');
  const compared = project.compared(later);
  proof.same(claim('is exit code 1'), compared.status, 1);
  const tables = compared.stdout.split('\n\n').map((text) => text.replace(/\s+/g, ' '));
  for (const manager of Object.keys(WAYS)) {
    const table = tables.find((text) => text.startsWith(`Deployment ${NAMESPACE}/${nameOf(manager)} `)) ?? '';
    const missing = ['[name=log]', '.env', manager].filter((text) => !table.includes(text));
    proof.that(claim(`by ${manager}: the sidecar, the variable and who`), missing.length === 0, compared.stdout);
  }
  const next = ImportedProject.of(plane, 'changed/after', later, GIVEN);
  next.synth();
  proof.same(claim('of a new import nothing has'), next.compared(later).status, 0);
  const empty = plane.kubectl(['diff', ...FORCED, '-f', next.dist]);
  proof.same(claim('and its difference is empty'), [empty.status, empty.stdout], [0, '']);
  const specs = (): Promise<any[]> =>
    Promise.all(names.map(async (name) => (await plane.api.must('GET', pathOf(name))).spec));
  const before = await specs();
  const { status, stderr } = plane.kubectl(['apply', ...FORCED, '-f', next.dist]);
  proof.that(claim('it is applied'), status === 0, stderr);
  proof.same(claim('and every Deployment is what it was'), await specs(), before);
  proof.same(
    claim('and the webhook has its new certificate'),
    (await plane.api.must('GET', WEBHOOK)).webhooks[0].clientConfig.caBundle,
    Buffer.from(`${CERTIFICATE}\n${CERTIFICATE}`).toString('base64'),
  );
  for (const path of [...names.map(pathOf), WEBHOOK]) {
    await plane.api.send('DELETE', path, { gracePeriodSeconds: 0 });
  }
}

/** Nobody connects. */
const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----';
