import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { kubeletFlagRemovedIn } from '../cluster/kubelet-capabilities.js';
import type { ProblemList } from '../base/errors.js';
import { showValue } from '../base/properties.js';
import { isAbsolutePath } from './absolute-path.js';

type Runtime = 'containerd' | 'cri-o';

/** The socket of a runtime, as its packages have it. */
export function defaultSocket(runtime: Runtime): string {
  return runtime === 'containerd' ? 'unix:///run/containerd/containerd.sock' : 'unix:///run/crio/crio.sock';
}

/** Runtimes by the last part of a path. */
const RUNTIME_OF: Readonly<Record<string, Runtime>> = { 'containerd.sock': 'containerd', 'crio.sock': 'cri-o' };

/** Checks the socket of the container runtime of a join: that of another runtime than the join configures, or of Docker, is a mistake. */
export function checkSocket(socket: unknown, runtime: unknown, cluster: EdgeCluster, problems: ProblemList): void {
  const path = typeof socket === 'string' && socket.startsWith('unix://') ? socket.slice('unix://'.length) : undefined;
  if (path === undefined || !isAbsolutePath(path)) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(socket)} is not the URL of a socket`,
      "write 'unix:///run/containerd/containerd.sock'",
    );
    return;
  }
  const name = path.slice(path.lastIndexOf('/') + 1);
  // kubelet lost the flags of Docker together with dockershim
  const removedIn = kubeletFlagRemovedIn(cluster, 'docker-endpoint');
  if (name === 'docker.sock' || (name === 'dockershim.sock' && removedIn !== undefined)) {
    problems.add(
      'EDGE_JOIN',
      name === 'docker.sock'
        ? 'this is the socket of Docker, which does not speak CRI: kubelet would not start'
        : `Kubernetes ${removedIn} removed dockershim: the kubelet of Kubernetes ${cluster.kubernetes} finds no container runtime there`,
      `leave it out, or write '${defaultSocket(runtime === 'cri-o' ? 'cri-o' : 'containerd')}'`,
    );
  }
  const own = Object.hasOwn(RUNTIME_OF, name) ? RUNTIME_OF[name] : undefined;
  const used = runtime ?? 'containerd';
  if (own !== undefined && used !== own && (used === 'containerd' || used === 'cri-o')) {
    problems.add(
      'EDGE_CONTRADICTION',
      `this is the socket of ${own}, and the join configures ${used}`,
      `write runtime: '${own}', or leave the socket out`,
    );
  }
}
