import * as pulumi from '@pulumi/pulumi';
import { isMap } from '../validation/plain-data.js';

/** Two values of one form; what differs in a plan that was made with the one and with the other depends on the value. */
export type StandIns = readonly [unknown, unknown];

/** Thrown when a rule wants to see a value that is known later. */
export class ValueNeeded extends Error {
  constructor(public readonly index: number) {
    super('a value that is known later was looked at');
  }
}

/** Stands for a value that no rule looks at. A rule that does all the same is stopped, so that the value gets a stand-in of some form. */
export class KnownLater {
  constructor(public readonly index: number) {}

  public toString(): string {
    throw new ValueNeeded(this.index);
  }

  public toJSON(): unknown {
    throw new ValueNeeded(this.index);
  }

  public valueOf(): unknown {
    throw new ValueNeeded(this.index);
  }
}

/** Makes what stands for a value: one of two variants. */
export type Form = (id: number, variant: 'a' | 'b') => unknown;

/** The forms that every value can have where a rule looks at it, tried one after the other until the rule is content. The first stand-in comes
 * before and the second after most other values, so that a rule that sorts is seen to depend on the value. */
const FORMS: readonly Form[] = [
  // a name, and a label value
  (id, variant) => `${variant === 'a' ? '00' : 'zz'}-known-later-${id}`,
  (id, variant) => `${variant === 'a' ? 'aa' : 'zz'}-known-later-${id}`,
  // a number, also as a port or a count
  (id, variant) => (variant === 'a' ? 1 + (id % 1_000) : 65_535 - (id % 1_000)),
  // a number of seconds, and a count
  (_, variant) => (variant === 'a' ? 1 : 30),
  // host and port
  (id, variant) => `${variant}-known-later-${id}.invalid:${variant === 'a' ? 6443 : 6444}`,
  (id, variant) => `https://${variant}-known-later-${id}.invalid/known-later`,
  (id, variant) => `/${variant}-known-later-${id}`,
  // namespace and name
  (id, variant) => `${variant}-known-later-${id}/${variant}-known-later-${id}`,
  // a group of those who join
  (id, variant) => `system:bootstrappers:${variant}-known-later-${id}`,
  // an address
  (id, variant) => `192.0.2.${1 + 2 * (id % 100) + (variant === 'a' ? 0 : 1)}`,
  // a quantity, a duration, a point in time
  (_, variant) => (variant === 'a' ? '11Mi' : '12Mi'),
  (_, variant) => (variant === 'a' ? '11h' : '12h'),
  (_, variant) => (variant === 'a' ? '2100-01-01T00:00:00Z' : '2100-01-02T00:00:00Z'),
  // the hash of a CA, and a bootstrap token
  (_, variant) => `sha256:${variant.repeat(64)}`,
  (_, variant) => `${variant.repeat(6)}.${variant.repeat(16)}`,
  // a CA bundle: certificates in base64
  (_, variant) => certificate(variant === 'a' ? 1 : 2),
];

/** Text that is written in another way than most: nothing at all, what no line of text holds, and what templates of cloud-init would replace. */
export const ODD: readonly string[] = ['', '\u0007\n', '{{ known }}'];

/** The forms that every value can have. */
export function commonForms(): readonly Form[] {
  return FORMS;
}

/** What stands for a value that nobody looks at. */
export function unseen(index: number): StandIns {
  const value = new KnownLater(index);
  return [value, value];
}

/** Whether a stand-in is anywhere in a value. */
export function holdsStandIn(value: unknown): boolean {
  if (typeof value === 'string') {
    return /-known-later-\d/.test(value);
  }
  if (Array.isArray(value)) {
    return value.some(holdsStandIn);
  }
  return value instanceof KnownLater || (isMap(value) && Object.values(value).some(holdsStandIn));
}

/** Text in which no stand-in can be read any more. */
export function withoutStandIns(text: string, instead = '<known later>'): string {
  return text.replace(/(00|aa|zz|a|b)-known-later-\d+(\.invalid(:\d+)?)?/g, instead);
}

function certificate(serial: number): string {
  // a SEQUENCE with an INTEGER: enough for what is checked, which is PEM and the outermost DER
  const der = Buffer.from([0x30, 0x03, 0x02, 0x01, serial]).toString('base64');
  return Buffer.from(`-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`).toString('base64');
}

/** Whether a value is known later only. */
export function isKnownLater(value: unknown): value is pulumi.Output<unknown> | Promise<unknown> {
  return pulumi.Output.isInstance(value) || value instanceof Promise;
}
