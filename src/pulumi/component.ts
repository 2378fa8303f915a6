import * as pulumi from '@pulumi/pulumi';
import { EdgeError, type EdgeWarning } from '../errors.js';
import { EdgeCluster } from '../cluster/edge-cluster.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { isMap } from '../validation/plain-data.js';
import { SystemComponent } from '../system-components/system-component.js';
import { Deployment } from './deployment.js';
import { inputErrors } from './input-errors.js';
import { type Plan, Planned } from './planned.js';
import { resourceOf } from './resource.js';
import { isKnownLater } from './stand-in.js';

/**
 * What all components of this library share. Their children are made in the same program run, with the component as parent, so that providers
 * and other options pass on as everywhere in Pulumi.
 *
 * @category Pulumi
 */
export abstract class EdgeComponent extends pulumi.ComponentResource {
  /** @internal */
  protected readonly deployment: Deployment;
  private readonly kind: string;
  private readonly label: string;

  /**
   * @param kind name of the class
   * @param name name of the resource
   * @param args properties; what is recorded in the state
   * @param options options of the component
   */
  protected constructor(
    kind: string,
    name: string,
    args: object,
    options: pulumi.ComponentResourceOptions | undefined,
  ) {
    super(`edge-nodepools:index:${kind}`, name, recorded(args ?? {}) as pulumi.Inputs, options);
    this.deployment = Deployment.current();
    this.kind = kind;
    this.label = name;
  }

  /**
   * Makes a plan of properties that may hold Outputs.
   *
   * @throws InputPropertiesError with all problems at once
   * @internal
   */
  protected planned<P, R>(args: unknown, rule: Plan<P, R>): Planned<P, R> {
    const { fleets } = this.deployment;
    const subject = `${this.kind} ${this.label}`;
    const planned = this.attempt(() => new Planned(args, rule, { path: this.label, fleets }, subject, this.deployment));
    planned.checkWhenKnown(({ message }) => void pulumi.log.error(message, this));
    return planned;
  }

  /** Runs something that finds problems of properties. @internal */
  protected attempt<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw error instanceof EdgeError ? inputErrors(error) : error;
    }
  }

  /**
   * Makes the resources of objects, each after the one before.
   *
   * @param select takes the objects from the plan; how many there are and of which kinds must be known
   * @internal
   */
  protected makeInOrder<P, R>(
    planned: Planned<P, R>,
    select: (plan: R) => readonly KubernetesObject[],
    nameOfObject: (object: KubernetesObject) => string,
  ): pulumi.CustomResource[] {
    const plain = select(planned.plan);
    const objects = this.attempt(() => planned.lift(select, 2)) as KubernetesObject[];
    const made: pulumi.CustomResource[] = [];
    objects.forEach((object, index) => {
      const before = made.slice(-1);
      const name = nameOfObject(plain[index] as KubernetesObject);
      made.push(resourceOf(name, object, { parent: this, ...(before.length > 0 ? { dependsOn: before } : {}) }));
    });
    return made;
  }

  /** Shows warnings, and once those of the cluster. @internal */
  protected warn(cluster: EdgeCluster, warnings: readonly EdgeWarning[]): void {
    this.warnAlone(warnings);
    if (this.deployment.warnsOf(cluster)) {
      this.warnAlone(cluster.warnings.map((warning) => ({ ...warning, path: `EdgeCluster.${warning.path}` })));
    }
  }

  /** Shows warnings. @internal */
  protected warnAlone(warnings: readonly EdgeWarning[]): void {
    for (const { code, path, message, hint } of warnings) {
      void pulumi.log.warn(`${code} ${path}: ${message}; ${hint}`, this);
    }
  }
}

/** Arguments as they stand in the state: plain data and Inputs, and the names of everything else. */
function recorded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isKnownLater(value)) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map(recorded);
  }
  if (isMap(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, recorded(item)]));
  }
  if (pulumi.Resource.isInstance(value)) {
    return value.urn;
  }
  if (value instanceof EdgeCluster) {
    return value.toString();
  }
  return value instanceof SystemComponent ? value.name : value.constructor.name;
}
