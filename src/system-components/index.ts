// What programs import of this room.
export type { SystemComponentReport } from './component-report.js';
export type { EdgeSystemComponentsProps } from './edge-system-components-props.js';
export { ExclusionStrategy } from './exclusion-strategy.js';
export { type SystemComponentProps, SystemComponent } from './system-component.js';
