import type * as pulumi from '@pulumi/pulumi';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { JoinToken } from '../join/join-token.js';
import type { NodeReservation } from '../reservation/node-reservation.js';
import type { SystemComponent } from '../system-components/system-component.js';

/** Types that are passed through unchanged. */
type Whole = EdgeCluster | SystemComponent | NodeReservation | JoinToken | ((...args: never[]) => unknown);

/** A value that may be an Output, and in which values may be Outputs. */
type InputOf<T> = [T] extends [string | number | boolean | null | undefined]
  ? pulumi.Input<T>
  : T extends Whole
    ? T
    : T extends readonly (infer Item)[]
      ? pulumi.Input<InputOf<Item>[]>
      : T extends object
        ? pulumi.Input<{ [Key in keyof T]: InputOf<T[Key]> }>
        : T extends string | number | boolean
          ? pulumi.Input<T>
          : T;

/**
 * The same properties, each of which may be an Output, as may every value in it.
 *
 * `Plain` names the properties that must be plain values, because they determine which resources exist.
 *
 * @category Pulumi
 */
export type WithInputs<T, Plain extends keyof T = never> = {
  [Key in keyof T]: Key extends Plain ? T[Key] : InputOf<T[Key]>;
};
