// What programs import of this room.
export type { AdmissionReport } from './admission-report.js';
export type { PoolGuarantee } from './guarantee.js';
export type { OpenYurtWebhooksProps } from './openyurt-webhooks-props.js';
export type { ValidationAction } from './policy.js';
export type { GuaranteeSettings, PoolAdmissionProps } from './pool-admission-props.js';
export type { WebhookRule, WebhookService, PoolWebhookEntry, PoolWebhookProps } from './pool-webhook-props.js';
export type { MatchCondition, WebhookSettings } from './webhook-settings.js';
