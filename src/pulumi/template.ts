import * as pulumi from '@pulumi/pulumi';
import { joinPath } from '../errors.js';
import { isMap } from '../manifests/kubernetes-object.js';
import type { Deployment } from './deployment.js';
import { isKnownLater, type StandIns, standIns } from './stand-in.js';

/** A value of the arguments that is known later. */
export interface Leaf {
  /** Position among the leaves. */
  readonly index: number;
  /** Path in the arguments, as problems name it. */
  readonly path: string;
  readonly output: pulumi.Output<unknown>;
  readonly id: number;
  /** Position in the list of forms. */
  form: number;
  /** What stands for it: the same objects in every plan, so that nothing differs by chance. */
  standIns: StandIns;
}

/** Arguments, with a place for every value that is known later. */
export class Template {
  public readonly leaves: Leaf[] = [];
  private readonly template: unknown;

  constructor(args: unknown, deployment: Deployment) {
    this.template = this.templateOf(args, '', deployment);
  }

  /** The arguments with a value for every leaf. */
  public filled(values: readonly unknown[]): unknown {
    const fill = (value: unknown): unknown => {
      if (value instanceof Place) {
        return values[value.index];
      }
      if (Array.isArray(value)) {
        return value.map(fill);
      }
      return isMap(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item)])) : value;
    };
    return fill(this.template);
  }

  private templateOf(value: unknown, path: string, deployment: Deployment): unknown {
    if (isKnownLater(value)) {
      const index = this.leaves.length;
      const id = deployment.idOf(value);
      this.leaves.push({ index, path, output: pulumi.output(value), id, form: 0, standIns: standIns(0, index, id) });
      return new Place(index);
    }
    if (Array.isArray(value)) {
      return value.map((item, index) => this.templateOf(item, joinPath(path, index), deployment));
    }
    if (isMap(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, this.templateOf(item, joinPath(path, key), deployment)]),
      );
    }
    return value;
  }
}

/** Where a leaf was in the arguments. */
class Place {
  constructor(public readonly index: number) {}
}
