// `edge-nodepools/checks`, which loads neither cdk8s nor Pulumi. Made by `npm run exports` of the declarations that have an @category.
export { type EdgeValidationProps, type SynthContext, EdgeValidation } from './app/checks/edge-validation.js';
export type { AfterEviction } from './placement/outages/after-eviction.js';
export type { ControllerManagerFlags } from './placement/outages/controller-flags.js';
export type { ZoneState, TimeRange } from './placement/outages/node-lifecycle.js';
export type { Outage, OutageReport } from './placement/outages/outage.js';
export { simulateOutage } from './placement/outages/simulate-outage.js';
export type { UpdateOutage } from './placement/outages/update-outage.js';
export type { PodOutcome, WorkloadOutage } from './placement/outages/workload-outage.js';
export type { CountRange, ZoneOutage } from './placement/outages/zone-outage.js';
export { checkManifests, checkFiles } from './checks/check-manifests.js';
export type { ManifestFile, CheckSettings } from './checks/check-settings.js';
export type { Finding, CheckedManifests } from './checks/finding.js';
export { type ProofSettings, type PodNetworkProof, provesNoPodNetwork } from './checks/pod-network-proof.js';
export type { FieldChange } from './diff/field-changes.js';
export { type ObjectChange, FleetDifferences, fleetDiff } from './diff/fleet-diff.js';
