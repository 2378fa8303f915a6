import { type BadInput } from './case.js';
import { join } from './join-flags.js';

const bad = (code: BadInput['code'], hint: string, props: Record<string, string>, kubernetes = '1.34'): BadInput => ({
  what: `the runtime of a node: ${JSON.stringify(props)} with Kubernetes ${kubernetes}`,
  code,
  path: 'criSocket',
  hint,
  make: join(props, kubernetes),
});

/** Sockets with which kubelet finds no container runtime. */
export const joinRuntime: BadInput[] = [
  bad('EDGE_CONTRADICTION', "write runtime: 'cri-o'", { criSocket: 'unix:///run/crio/crio.sock' }),
  bad('EDGE_CONTRADICTION', "write runtime: 'cri-o'", {
    runtime: 'containerd',
    criSocket: 'unix:///var/run/crio/crio.sock',
  }),
  bad('EDGE_CONTRADICTION', "write runtime: 'containerd'", {
    runtime: 'cri-o',
    criSocket: 'unix:///run/containerd/containerd.sock',
  }),
  bad('EDGE_JOIN', 'unix:///run/containerd/containerd.sock', { criSocket: 'unix:///var/run/dockershim.sock' }),
  bad('EDGE_JOIN', 'leave it out', { criSocket: 'unix:///run/dockershim.sock' }, '1.24'),
  bad('EDGE_JOIN', 'leave it out', { criSocket: 'unix:///var/run/docker.sock' }, '1.22'),
];
