// What programs import of this room.
export type { AdmissionReport } from './admission-report.js';
export type { PoolGuarantee } from './guarantee.js';
export type { OpenYurtWebhooksProps } from './openyurt-webhooks-props.js';
export type { PoolAdmissionProps } from './pool-admission-props.js';
export type { PoolWebhookProps } from './pool-webhook-props.js';
