// What both entry points of deliveries (cdk8s and Pulumi) export. Made by `npm run exports` of the declarations that have an @category.
export {
  type DeliveryEngineProps,
  type ArgoCdProps,
  type FluxProps,
  type ArgoCdEngine,
  type FluxEngine,
  argoCd,
  flux,
} from './delivery/delivery-engine.js';
export type { DeliveryLayer } from './delivery/delivery-layer.js';
export type { DeliveredSiteReport, DeliveryReport } from './delivery/delivery-report.js';
export type { DeliveryStep, DeliveryRollout } from './delivery/delivery-rollout.js';
export type { ArgoCdCluster, FluxCluster, DeliverySite } from './delivery/delivery-site.js';
export {
  type GitSourceProps,
  type OciSourceProps,
  type GitSource,
  type OciSource,
  fromGit,
  fromOci,
} from './delivery/delivery-source.js';
export type { FleetDeliveryBaseProps } from './delivery/fleet-delivery-props.js';
export type { DeliveredComponent } from './delivery/partial-objects.js';
