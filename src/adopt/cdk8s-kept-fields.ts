import { cdk8sLosses, pointerOf } from './cdk8s-losses.js';
import type { PlainMap } from '../base/plain-data.js';
import { Call, callText, Expression } from './program-printer.js';
import type { Recognized } from './recognized-object.js';

/** The module with the functions that keep objects as they are in the cluster. */
export function keptFieldsSource(recognized: readonly Recognized[]): string {
  const hasKept = recognized.some(({ kept }) => kept !== undefined);
  const hasWithout = recognized.some(({ without }) => without !== undefined);
  return [
    "import { ApiObject, JsonPatch } from 'cdk8s';",
    "import type { Construct } from 'constructs';",
    ...(hasWithout ? [WITHOUT] : []),
    ...(hasKept ? [KEPT] : []),
    '',
  ].join('\n');
}

const WITHOUT = `
/** Keeps an object as it is in the cluster, without fields that its class would add. To get these, remove the call. */
export function without(declared: Construct, ...pointers: string[]): void {
  ApiObject.of(declared).addJsonPatch(...pointers.map((pointer) => JsonPatch.remove(pointer)));
}`;

const KEPT = `
/** A declaration; parts of system components are in a chart of their own. */
type Declared = Construct & { readonly patchChart?: Construct };

/** Keeps fields of one of the objects of a declaration as they are in the cluster. To get what the class makes, remove the call. */
export function kept(declared: Declared, kind: string, name: string, ...patches: JsonPatch[]): void {
  const constructs = [declared, declared.patchChart].flatMap((each) => each?.node.findAll() ?? []);
  const objects = constructs.filter((each) => ApiObject.isApiObject(each));
  objects.find((each) => each.kind === kind && each.name === name)?.addJsonPatch(...patches);
}`;

/** Keeps an object as it is in the cluster. */
export function withoutLines(target: string, without: Recognized['without'] = [], indent = 4): string[] {
  return without.length === 0 ? [] : [callText('without', [new Expression(target), ...without.map(pointerOf)], indent)];
}

/**
 * Keeps fields of the objects of a declaration.
 *
 * @param nameText expression of the name, in place of it
 */
export function keptLines(target: string, kept: Recognized['kept'] = [], indent = 4, nameText?: string): string[] {
  return kept.map(({ kind, name: own, fields }) => {
    const name = nameText === undefined ? own : new Expression(nameText);
    const patches = fields.map(({ path, value, isReplaced }) =>
      value === undefined
        ? new Call('JsonPatch.remove', [pointerOf(path)])
        : new Call(`JsonPatch.${isReplaced ? 'replace' : 'add'}`, [pointerOf(path), value]),
    );
    return callText('kept', [new Expression(target), kind, name, ...patches], indent);
  });
}

/** Fields that cdk8s leaves out, of an object that has them. */
export function lossLines(target: string, object: PlainMap, indent = 4): string[] {
  const patches = cdk8sLosses(object).patches.map(
    ({ pointer, value, isReplaced }) => new Call(`JsonPatch.${isReplaced ? 'replace' : 'add'}`, [pointer, value]),
  );
  return [
    `${' '.repeat(indent)}// cdk8s leaves these fields out.`,
    callText(`${target}.addJsonPatch`, patches, indent),
  ];
}
