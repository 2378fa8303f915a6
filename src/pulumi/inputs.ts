import type * as pulumi from '@pulumi/pulumi';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { JoinToken } from '../join/join-token.js';
import type { NodeReservation } from '../reservation/node-reservation.js';
import type { SystemComponent } from '../system-components/system-component.js';

/** What is handed over as it is. */
type Whole =
  | EdgeCluster
  | SystemComponent
  | NodeReservation
  | JoinToken
  | boolean
  | null
  | undefined
  | ((...args: never[]) => unknown);

/**
 * The same structure with Inputs as leaves: text and numbers may be known later. What decides the shape of the objects stays plain: switches
 * (`true`, `'error'`), keys of maps, lengths of lists.
 *
 * @category Pulumi
 */
export type WithInputs<T> = T extends Whole
  ? T
  : T extends string
    ? string extends T
      ? pulumi.Input<string>
      : T
    : T extends number
      ? pulumi.Input<number>
      : T extends readonly (infer Item)[]
        ? WithInputs<Item>[]
        : T extends object
          ? { [Key in keyof T]: WithInputs<T[Key]> }
          : T;
