import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { objectsIn } from './openyurt.js';
import { sourcesOf } from './tool.js';

/** The module of Cluster API; nothing of it is built. */
const CLUSTER_API = { name: 'cluster-api', module: 'cluster-api-1.13', package: 'sigs.k8s.io/cluster-api' };

/** The CustomResourceDefinition of KubeadmConfigTemplate, from Cluster API's own module. */
export function kubeadmConfigTemplateCrd(version: string): any {
  return crdOf('bootstrap/kubeadm/config/crd/bases/bootstrap.cluster.x-k8s.io_kubeadmconfigtemplates.yaml', version);
}

/** The CustomResourceDefinition of KubeadmControlPlane. */
export function kubeadmControlPlaneCrd(version: string): any {
  return crdOf(
    'controlplane/kubeadm/config/crd/bases/controlplane.cluster.x-k8s.io_kubeadmcontrolplanes.yaml',
    version,
  );
}

/** @param version the only one that is served, because no conversion webhook runs here */
function crdOf(file: string, version: string): any {
  const [crd] = objectsIn(readFileSync(join(sourcesOf(CLUSTER_API), ...file.split('/')), 'utf8'));
  const versions = crd.spec.versions
    .filter(({ name }: any) => name === version)
    .map((each: any) => ({ ...each, served: true, storage: true }));
  return { ...crd, spec: { ...crd.spec, versions } };
}
