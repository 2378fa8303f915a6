// The entry point `edge-nodepools/checks`, which loads neither cdk8s nor Pulumi.
export { type EdgeValidationProps, type SynthContext, EdgeValidation } from './fleet/edge-validation.js';
export type { AfterEviction } from './fleet/workload-outage.js';
export type { ControllerManagerFlags } from './fleet/controller-flags.js';
export type { ZoneState, TimeRange } from './fleet/node-lifecycle.js';
export type { Outage, OutageReport } from './fleet/outage.js';
export { simulateOutage } from './fleet/simulate-outage.js';
export type { UpdateOutage } from './fleet/update-outage.js';
export type { PodOutcome, WorkloadOutage } from './fleet/workload-outage.js';
export type { CountRange, ZoneOutage } from './fleet/zone-outage.js';
export { checkManifests, checkFiles } from './fleet/check-manifests.js';
export type { ManifestFile, CheckSettings } from './fleet/check-settings.js';
export type { Finding, CheckedManifests } from './fleet/finding.js';
export { type ProofSettings, type PodNetworkProof, provesNoPodNetwork } from './fleet/pod-network-proof.js';
export type { FieldChange } from './fleet/field-changes.js';
export { type ObjectChange, FleetDifferences, fleetDiff } from './fleet/fleet-diff.js';
