import type { Form } from './stand-in.js';

const KUBE_PROXY =
  'apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nclientConnection:\n  kubeconfig: /known-later\n';
const KUBEADM = 'apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\n';
const STATIC_POD =
  'apiVersion: v1\nkind: Pod\nmetadata:\n  name: kube-controller-manager\n  namespace: kube-system\nspec:\n  containers:\n    - name: kube-controller-manager\n      command:\n        - kube-controller-manager\n';
const COREFILE =
  '.:53 {\n    errors\n    ready\n    kubernetes cluster.local\n    forward . /etc/resolv.conf\n    cache 30\n    reload\n}\n';

const withMark =
  (document: string): Form =>
  (id, variant) =>
    `# ${variant}-known-later-${id}\n${document}`;

/**
 * Documents that a cluster has and this library edits, by the property in which they are handed over: what stands for such a text must be one of its kind.
 * By the property, because elsewhere a document is not edited but becomes what is made, and then nothing may stand for it.
 */
const DOCUMENTS: readonly (readonly [RegExp, Form])[] = [
  [/(^|\.)corefile$/, withMark(COREFILE)],
  [/(^|\.)configMap\.data\.Corefile$/, withMark(COREFILE)],
  [/(^|\.)configMap\.data\["config\.conf"\]$/, withMark(KUBE_PROXY)],
  [/(^|\.)clusterConfiguration$/, withMark(KUBEADM)],
  [/(^|\.)staticPod$/, withMark(STATIC_POD)],
  [/(^|\.)controllers$/, (_, variant) => (variant === 'a' ? '*,bootstrapsigner' : '*,bootstrapsigner,tokencleaner')],
];

/** The document that may stand for a value. */
export function documentForms(path: string): readonly Form[] {
  return DOCUMENTS.filter(([property]) => property.test(path)).map(([, form]) => form);
}
