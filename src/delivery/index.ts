// What programs import of this room.
export {
  type DeliveryEngineProps,
  type ArgoCdProps,
  type FluxProps,
  type ArgoCdEngine,
  type FluxEngine,
  argoCd,
  flux,
} from './delivery-engine.js';
export type { DeliveryLayer } from './delivery-layer.js';
export type { DeliveredSiteReport, DeliveryReport } from './delivery-report.js';
export type { DeliveryStep, DeliveryRollout } from './delivery-rollout.js';
export type { ArgoCdCluster, FluxCluster, DeliverySite } from './delivery-site.js';
export {
  type GitSourceProps,
  type OciSourceProps,
  type GitSource,
  type OciSource,
  fromGit,
  fromOci,
} from './delivery-source.js';
export type { FleetDeliveryBaseProps } from './fleet-delivery-props.js';
export type { DeliveredComponent } from './partial-objects.js';
