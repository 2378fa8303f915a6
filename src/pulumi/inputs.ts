import type * as kubernetes from '@pulumi/kubernetes';
import type { types } from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { JoinToken } from '../join/join-token.js';
import type { NodeReservation } from '../pools/node-reservation.js';
import type { SystemComponent } from '../system-components/system-component.js';

/**
 * A value that may be an Output, and in which values may be Outputs; a cluster, component, reservation, token or function is passed through unchanged.
 *
 * @category Pulumi
 */
export type InputOf<T> = [T] extends [string | number | boolean | null | undefined]
  ? pulumi.Input<T>
  : T extends EdgeCluster | SystemComponent | NodeReservation | JoinToken | ((...args: never[]) => unknown)
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

/**
 * The attributes of a component: the same values, each as an Output, with lists and maps that a program may change.
 *
 * `Plain` names those that are plain values in a program too.
 *
 * @category Pulumi
 */
export type AsOutputs<T, Plain extends keyof T = never> = {
  readonly [Key in keyof T]: Key extends Plain
    ? T[Key]
    : pulumi.Output<
        Exclude<T[Key], undefined> extends readonly (infer Item)[]
          ? Item[]
          : Exclude<T[Key], undefined> extends object
            ? { -readonly [Inner in keyof T[Key]]: T[Key][Inner] }
            : Exclude<T[Key], undefined>
      >;
};

/**
 * A workload: an object of a kind of Kubernetes, as its class in `@pulumi/kubernetes` takes it, with `apiVersion` and `kind`; an object of a custom kind; or
 * YAML text with one object. Any part of it may be an Output, and all of it.
 *
 * @category Pulumi
 */
export type WorkloadArgument = pulumi.Input<
  | string
  // the types of @pulumi/kubernetes, so that a misspelt field does not compile
  | types.input.apps.v1.DaemonSet
  | types.input.apps.v1.Deployment
  | types.input.apps.v1.ReplicaSet
  | types.input.apps.v1.StatefulSet
  | types.input.batch.v1.CronJob
  | types.input.batch.v1.Job
  | types.input.core.v1.Pod
  | types.input.core.v1.PodTemplate
  | types.input.core.v1.ReplicationController
  // of a custom kind: its group has a dot
  | {
      readonly apiVersion: `${string}.${string}/${string}`;
      readonly kind: string;
      readonly [field: string]: unknown;
    }
>;

/**
 * The resource of a workload: that of its kind, or a CustomResource for a custom kind. `k8s.apps.v1.Deployment.isInstance(resource)` tells which.
 *
 * @category Pulumi
 */
export type WorkloadResource =
  | kubernetes.apps.v1.DaemonSet
  | kubernetes.apps.v1.Deployment
  | kubernetes.apps.v1.ReplicaSet
  | kubernetes.apps.v1.StatefulSet
  | kubernetes.batch.v1.CronJob
  | kubernetes.batch.v1.Job
  | kubernetes.core.v1.Pod
  | kubernetes.core.v1.PodTemplate
  | kubernetes.core.v1.ReplicationController
  | kubernetes.apiextensions.CustomResource;
