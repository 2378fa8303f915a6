/** Who has applied objects: the report names each tool, with how many objects and what is stopped there. */
import { findOwners } from '../../src/import/found-owners.js';
import { imported } from './programs.js';

const object = (metadata: object): any => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'shop', ...metadata },
});
const managed = (...managers: (string | [string, string])[]): object => ({
  managedFields: managers.map((each) => {
    const [manager, subresource] = [each].flat();
    return { manager, operation: 'Apply', fieldsV1: {}, ...(subresource === undefined ? {} : { subresource }) };
  }),
});
const HELM = { 'meta.helm.sh/release-name': 'yurt-manager', 'meta.helm.sh/release-namespace': 'kube-system' };

it.each<[string, object, string | undefined, RegExp?]>([
  [
    'Helm',
    { labels: { 'app.kubernetes.io/managed-by': 'Helm' }, annotations: HELM, ...managed('helm', 'kubectl-edit') },
    'Helm release kube-system/yurt-manager',
    /resource-policy: keep/,
  ],
  [
    'a HelmRelease of Flux, whose objects are those of Helm, too',
    {
      labels: { 'helm.toolkit.fluxcd.io/name': 'edge', 'helm.toolkit.fluxcd.io/namespace': 'flux-system' },
      annotations: HELM,
    },
    'Flux HelmRelease flux-system/edge',
    /suspend/,
  ],
  [
    'a Kustomization of Flux',
    {
      labels: { 'kustomize.toolkit.fluxcd.io/name': 'shops', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' },
      ...managed('kustomize-controller'),
    },
    'Flux Kustomization flux-system/shops',
    /prune: disabled/,
  ],
  [
    'Argo CD with annotations',
    { annotations: { 'argocd.argoproj.io/tracking-id': 'shops:apps/Deployment:shop/web' } },
    'Argo CD Application shops',
    /Prune=false/,
  ],
  ['Argo CD with its label', { labels: { 'argocd.argoproj.io/instance': 'shops' } }, 'Argo CD Application shops'],
  [
    'Argo CD with the label of others',
    { labels: { 'app.kubernetes.io/instance': 'shops' }, ...managed('argocd-controller') },
    'Argo CD Application shops',
  ],
  ['the label of others alone', { labels: { 'app.kubernetes.io/instance': 'shops' } }, undefined],
  ['Pulumi', managed('pulumi-kubernetes-1a2b3c4d'), 'Pulumi', /pulumi state delete/],
  ['Terraform', managed('Terraform'), 'Terraform', /terraform state rm/],
  ['kubeadm', managed('kubeadm'), 'kubeadm', /kubeadm upgrade/],
  ['Helm without its annotations', managed('helm'), 'Helm'],
  ['Flux without its labels', managed('kustomize-controller'), 'Flux', /suspend/],
  ['a server of Argo CD, which writes its own objects', managed('argocd-server'), 'the field manager argocd-server'],
  ['another tool', managed('gitops', 'kubectl'), 'the field manager gitops'],
  ['kubectl', managed('kubectl-client-side-apply', 'edge-nodepools'), 'kubectl'],
  [
    'kubectl without managedFields',
    { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } },
    'kubectl',
  ],
  ['this library', managed('edge-nodepools'), 'edge-nodepools'],
  [
    'controllers, and status',
    managed('kube-controller-manager', 'before-first-apply', ['gitops', 'status']),
    undefined,
  ],
  ['nobody who is shown', {}, undefined],
])('finds %s', (_, metadata, owner, stop = /./) => {
  expect(findOwners([object(metadata)])).toEqual(
    owner === undefined ? [] : [{ owner, objects: ['ConfigMap shop/a'], stop: expect.stringMatching(stop) }],
  );
});

it('counts them in the report, the most first, before what is to be done', () => {
  const named = (name: string, metadata: object): any => object({ name, ...metadata });
  const { report } = imported([
    named('a', { annotations: HELM, uid: 'a' }),
    named('b', { annotations: HELM, uid: 'b' }),
    named('c', managed('kubectl')),
  ]);
  expect(report).toMatch(
    /who has applied them; stop it there before the first change[^]*^2 +Helm release[^]*^1 +kubectl/m,
  );
  expect(report.replace(/\s+/g, ' ')).toContain(
    'Helm release kube-system/yurt-manager ConfigMap shop/a, ConfigMap shop/b',
  );
  expect(imported([object({})]).report).not.toContain('who has applied them');
});
