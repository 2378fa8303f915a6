import * as pulumi from '@pulumi/pulumi';
import { joinPath } from '../errors.js';
import { isMap } from '../validation/plain-data.js';
import type { Deployment } from './deployment.js';
import { documentForms } from './cluster-document.js';
import { commonForms, type Form, isKnownLater, type StandIns, unseen } from './stand-in.js';

/** A value of the arguments that is known later. */
export interface Leaf {
  /** Position among the leaves. */
  readonly index: number;
  /** Path in the arguments, as problems name it. */
  readonly path: string;
  readonly output: pulumi.Output<unknown>;
  readonly id: number;
  /** The forms that it can have where a rule looks at it. */
  readonly forms: readonly Form[];
  /** How many of them were tried; with 0 it is a value that nobody looks at. */
  form: number;
  /** What stands for it: the same objects in every plan, so that nothing differs by chance. */
  standIns: StandIns;
}

/** Gives a leaf its next form; false when there is none. */
export function takeNextForm(leaf: Leaf): boolean {
  const form = leaf.forms[leaf.form];
  if (form === undefined) {
    return false;
  }
  leaf.form++;
  leaf.standIns = [form(leaf.id, 'a'), form(leaf.id, 'b')];
  return true;
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
      const forms = [...commonForms(), ...documentForms(path)];
      this.leaves.push({ index, path, output: pulumi.output(value), id, forms, form: 0, standIns: unseen(index) });
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
