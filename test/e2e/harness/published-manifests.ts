import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HELM_3 } from './helm.js';
import { chartFolder, objectsIn } from './openyurt.js';
import { pathOf, sourcesOf } from './tool.js';

/** Manifests that projects publish, from their own modules: by name, the folder in test/e2e/tools and the file in the module. */
const FILES: Readonly<Record<string, readonly [module: string, file: string]>> = {
  flannel: ['flannel-0.28', 'Documentation/kube-flannel.yml'],
  calico: ['calico-3.31', 'manifests/calico.yaml'],
  'argo-cd': ['argo-cd-3.5', 'manifests/install.yaml'],
  'ingress-nginx': ['ingress-nginx-1.11', 'deploy/static/provider/cloud/deploy.yaml'],
};

/** Charts that projects publish, from their own modules. */
const CHARTS: Readonly<Record<string, readonly [module: string, folder: string, namespace: string]>> = {
  'cert-manager': ['cert-manager-1.21', 'deploy/charts/cert-manager', 'cert-manager'],
  'metrics-server': ['metrics-server-0.9', 'charts/metrics-server', 'kube-system'],
};

const folderOf = (module: string): string => sourcesOf({ name: module, module, package: '' });

/** The chart of OpenYurt's control plane of a release, with its CustomResourceDefinitions, as `helm template` renders it. */
export function openYurtRelease(release: string): any[] {
  return rendered(chartFolder(release), 'yurt-manager', 'kube-system');
}

/** The objects of a project, by name. */
export function published(name: string): any[] {
  const file = FILES[name];
  if (file !== undefined) {
    const [module, path] = file;
    return objectsIn(readFileSync(join(folderOf(module), path), 'utf8')).map((object) =>
      // install.yaml is applied with --namespace argocd
      name === 'argo-cd' ? inNamespace(object, 'argocd') : object,
    );
  }
  const [module, folder, namespace] = CHARTS[name] as [string, string, string];
  return rendered(join(folderOf(module), folder), name, namespace, ['--set', 'crds.enabled=true']);
}

export const PUBLISHED: readonly string[] = [...Object.keys(FILES), ...Object.keys(CHARTS)];

/** More manifests: each folder or file in a folder that the environment names. */
export function otherManifests(): { readonly name: string; readonly objects: any[] }[] {
  const folder = process.env.EDGE_NODEPOOLS_MANIFESTS;
  return folder === undefined
    ? []
    : readdirSync(folder).map((name) => ({ name, objects: filesBelow(join(folder, name)).flatMap(read) }));
}

/** A list of one kind, such as RoleList, has objects, too. */
const read = (file: string): any[] =>
  objectsIn(readFileSync(file, 'utf8')).flatMap((object) => (Array.isArray(object.items) ? object.items : [object]));

function filesBelow(path: string): string[] {
  return statSync(path).isDirectory()
    ? readdirSync(path).flatMap((name) => filesBelow(join(path, name)))
    : /\.ya?ml$/.test(path)
      ? [path]
      : [];
}

function rendered(chart: string, name: string, namespace: string, more: readonly string[] = []): any[] {
  // the modules of Go are read-only, and a chart may need values that nobody has packed
  const args = [
    'template',
    name,
    chart,
    '--namespace',
    namespace,
    '--include-crds',
    '--kube-version',
    '1.36.0',
    ...more,
  ];
  return objectsIn(execFileSync(pathOf(HELM_3), args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }))
    .filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === undefined)
    .map((object) => inNamespace(object, namespace));
}

const CLUSTER_SCOPED =
  /^(Namespace|CustomResourceDefinition|ClusterRole|ClusterRoleBinding|PriorityClass|IngressClass|APIService|StorageClass|.*WebhookConfiguration|CSIDriver)$/;

function inNamespace(object: any, namespace: string): any {
  return CLUSTER_SCOPED.test(object.kind as string)
    ? object
    : { ...object, metadata: { namespace, ...object.metadata } };
}
