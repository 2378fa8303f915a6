// What programs import of this room.
export type { BootstrapTokenProps } from './bootstrap-token.js';
export { JoinToken } from './join-token.js';
export type { KubeadmConfigTemplateProps } from './kubeadm-config-template.js';
export { parseMachines } from './machines-file.js';
export type { NodeJoinProps } from './node-join-props.js';
export type { ServingCertificateApproverProps } from './serving-certificate-approver.js';
