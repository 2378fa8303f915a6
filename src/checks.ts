// `edge-nodepools/checks`, which loads neither cdk8s nor Pulumi. Made by `npm run exports` of the declarations that have an @category.
export { type EdgeValidationProps, type SynthContext, EdgeValidation } from './app/checks/edge-validation.js';
export { checkManifests, checkFiles } from './checks/check-manifests.js';
export type { ManifestFile, CheckSettings } from './checks/check-settings.js';
export type { Finding, CheckedManifests } from './checks/finding.js';
export { type ProofSettings, type PodNetworkProof, provesNoPodNetwork } from './checks/pod-network-proof.js';
export type { FieldChange } from './upgrades/field-changes.js';
export { type ObjectChange, FleetDifferences, fleetDiff } from './upgrades/fleet-diff.js';
