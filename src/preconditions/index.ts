// What programs import of this room.
export type { CorefileSettings } from './coredns-corefile.js';
export type { CoreDnsDaemonSetSettings } from './coredns-daemon-set.js';
export type { CoreDnsServiceSettings } from './coredns-service.js';
export { type CorefileServerBlock, Corefile } from './corefile.js';
export type { CorefileForwarder } from './forwarders.js';
export type { CorefileHosts } from './corefile-edits.js';
export type { NodeLocalCache } from './node-local-cache.js';
export type { EdgePreconditionsProps } from './edge-preconditions-props.js';
export type { KubeControllerManagerSettings } from './kube-controller-manager.js';
export type { KubeProxySettings } from './kube-proxy.js';
export type { PreconditionFile, PreconditionStep, Precondition } from './precondition.js';
export type { ProxyNames } from './proxy-names.js';
