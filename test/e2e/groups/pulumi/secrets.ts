import { CA_BUNDLE } from '../../../corpus/ca-bundle.js';
import { corednsConfigMap } from '../../../corpus/kube-system.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { PulumiProject } from '../../harness/pulumi-project.js';
import type { RefusedSettings } from '../../programs/refused.js';
import type { SecretsSettings } from '../../programs/secrets.js';

const CANARY = 'canary-7f3a';

const TOKEN = 'aaaaaa.7f3acanary7f3aca';

/** Texts that no file may contain: the canary, the secret half of the token, the bundle, and user-data in base64, which contains the token. */
const NOWHERE = [CANARY, '7f3acanary7f3aca', Buffer.from('#cloud-config\n# edge').toString('base64').slice(0, 24)];

/** A part of the bundle that is in no other text. */
const OF_THE_BUNDLE = CA_BUNDLE.slice(100, 160);

/** A secret at every path: it is in the cluster, and nowhere else in plain text. */
export async function secrets(plane: ControlPlane, proof: Proof): Promise<void> {
  const project = new PulumiProject(plane.folder, 'secrets', plane.kubeconfig);
  const settings: SecretsSettings = { canary: CANARY, caBundle: CA_BUNDLE, token: TOKEN };
  const nothingIsClear = (when: string): void => {
    const files = project.leftBehind();
    const clear = files.filter(({ text }) => [...NOWHERE, OF_THE_BUNDLE].some((part) => text.includes(part)));
    proof.same(
      `secrets: after ${when}, no secret is in plain text in ${files.length} files: state, history, output`,
      clear.map(({ path }) => path),
      [],
    );
  };
  await plane.api.must('POST', '/api/v1/namespaces/kube-system/configmaps', corednsConfigMap());
  proof.same('secrets: preview succeeds', project.preview(settings, ['--diff']).status, 0);
  nothingIsClear('preview --diff');
  const up = project.up(settings, ['--diff']);
  proof.same('secrets: up succeeds', up.status, 0);
  nothingIsClear('up --diff');
  await arrived(plane, proof, up.steps.length);
  proof.same('secrets: a second up changes nothing', project.up(settings, ['--expect-no-changes']).status, 0);
  proof.same('secrets: refresh succeeds', project.refresh(settings, ['--diff']).status, 0);
  nothingIsClear('refresh --diff');
  proof.same('secrets: other secrets', project.up({ ...settings, canary: `${CANARY}-b` }, ['--diff']).status, 0);
  nothingIsClear('an up with other secrets');
  const { taints, userData, joinConfiguration } = project.outputs();
  proof.that('secrets: user-data too', userData.includes(TOKEN) && userData.includes(`${CANARY}-b-file`), userData);
  proof.same('secrets: and the JoinConfiguration', joinConfiguration.discovery.bootstrapToken.token, TOKEN);
  proof.same('secrets: outputs contain them, on request', taints[0].value, `${CANARY}-b-taint`);
  proof.same('secrets: destroy succeeds', project.destroy(settings).status, 0);
  proof.same('secrets: destroy leaves no Secret with the token', await holdingToken(plane), 0);
  const { data } = await plane.api.must('GET', '/api/v1/namespaces/kube-system/configmaps/coredns');
  proof.that('secrets: a precondition is not undone by destroy', data.Corefile.includes(`${CANARY}-b-zone`), data);
  nothingIsClear('destroy');
  refused(plane, proof);
}

/** Errors are printed by the engine in plain text. */
function refused(plane: ControlPlane, proof: Proof): void {
  const project = new PulumiProject(plane.folder, 'refused', plane.kubeconfig);
  const settings: RefusedSettings = { label: `${CANARY} is no label` };
  const { status, said } = project.preview(settings);
  proof.that('secrets: a secret that a rule refuses fails the preview', status !== 0, said);
  proof.that('secrets: the code and the path are printed', /EDGE_LABEL +labels\.place/.test(said), said);
  const clear = project.leftBehind().filter(({ text }) => text.includes(CANARY));
  proof.same(
    'secrets: and the value is not',
    clear.map(({ path }) => path),
    [],
  );
}

async function arrived(plane: ControlPlane, proof: Proof, steps: number): Promise<void> {
  proof.note(`secrets: ${steps} resources`);
  const paths = [
    '/apis/apps.openyurt.io/v1beta2/nodepools/hidden',
    '/apis/apps.openyurt.io/v1beta2/nodepools/hidden-edge',
    '/apis/apps/v1/namespaces/default/daemonsets/hidden-agent',
    '/apis/apps/v1/namespaces/default/deployments/hidden-web',
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/guard',
    '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/yurt-manager-mutating-webhook-configuration',
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/hidden-frozen-node-labels',
    '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/hidden-node-label',
    '/api/v1/namespaces/kube-system/configmaps/coredns',
  ];
  for (const path of paths) {
    const text = JSON.stringify((await plane.api.send('GET', path)).body);
    const count = text.split(CANARY).length - 1;
    proof.that(`secrets: ${path} contains its secrets in the cluster`, count > 0, text);
  }
  proof.same('secrets: the token is in two Secrets, its own and the published join', await holdingToken(plane), 2);
  const { body } = await plane.api.send('GET', paths[4] as string);
  proof.same('secrets: and the CA bundle', body.webhooks[0].clientConfig.caBundle, CA_BUNDLE);
}

/** The number of Secrets that contain the token. */
async function holdingToken(plane: ControlPlane): Promise<number> {
  const { items } = await plane.api.must('GET', '/api/v1/namespaces/kube-system/secrets');
  const texts = items.map(({ data }: any) =>
    Object.values<string>(data ?? {})
      .map((value) => Buffer.from(value, 'base64').toString('utf8'))
      .join('\n'),
  );
  return texts.filter((text: string) => text.includes('7f3acanary7f3aca')).length;
}
