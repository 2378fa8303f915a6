import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { pauseImage } from '../cluster/kubernetes-capabilities.js';
import type { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { checkProperties, type PropertyTable } from '../base/property-table.js';
import { compute } from '../base/unknown.js';

/**
 * The pause image that kubeadm of the cluster's minor names, in another registry than `registry.k8s.io`.
 *
 * @category Join nodes
 */
export interface KubeadmSandboxImage {
  /** Where the registry has the images of Kubernetes, as `imageRepository` of kubeadm: `registry.example:5000/kubernetes`. */
  readonly imageRepository: string;
}

/** Registry of the images of Kubernetes, in every kubeadm that has a last patch release (`apis/kubeadm/v1beta3/defaults.go`, DefaultImageRepository). */
const DEFAULT_REPOSITORY = 'registry.k8s.io';

/** The sandbox image as a name; undefined keeps the default of the container runtime. */
export function sandboxImageOf(
  cluster: EdgeCluster,
  image: string | KubeadmSandboxImage | undefined,
): string | undefined {
  const pause = pauseImage(cluster);
  return image === undefined ? undefined : compute({ image, pause }, nameOf);
}

function nameOf({ image, pause }: { readonly image: string | KubeadmSandboxImage; readonly pause: string }): string {
  if (typeof image === 'string') {
    return image === 'kubeadm' ? `${DEFAULT_REPOSITORY}/${pause}` : image;
  }
  return `${image.imageRepository.replace(/\/$/, '')}/${pause}`;
}

const TABLE: PropertyTable<KubeadmSandboxImage> = {
  imageRepository: (repository, problems) => {
    if (typeof repository !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9.-]*(:\d+)?(\/[\w.-]+)*\/?$/.test(repository)) {
      problems.add(
        'EDGE_VALUE',
        'this is not the name of a registry with a path',
        "write 'registry.example:5000/kubernetes', without scheme and image",
      );
    }
  },
};

export function checkSandboxImage(image: unknown, problems: ProblemList): void {
  if (isMap(image)) {
    checkProperties<KubeadmSandboxImage>(image, TABLE, problems);
  } else if (typeof image === 'string' && image.includes('://')) {
    problems.add(
      'EDGE_VALUE',
      'this is a URL, not the name of an image',
      "write 'registry.example/pause:3.10', without https://",
    );
  } else if (typeof image !== 'string' || !/^[A-Za-z0-9][\w.:/@-]*$/.test(image)) {
    problems.add(
      'EDGE_VALUE',
      'this is not the name of an image',
      "write 'registry.example/pause:3.10', or 'kubeadm' for the one that kubeadm names",
    );
  }
}
