import { cdk8sLosses, pointerOf } from './cdk8s-losses.js';
import { LINE_WIDTH, printed, quotedText } from './program-printer.js';
import type { KeptField, Recognized } from './recognized-object.js';

/** A call with each argument on a line of its own, if they do not fit on one. */
export function callLines(name: string, args: readonly string[], indent: number): string[] {
  const pad = ' '.repeat(indent);
  const flat = `${pad}${name}(${args.join(', ')});`;
  return flat.length <= LINE_WIDTH && !flat.includes('\n')
    ? [flat]
    : [`${pad}${name}(`, ...args.map((each) => `${pad}  ${each},`), `${pad});`];
}

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
/** Keeps fields of one of the objects of a declaration as they are in the cluster. To get what the class makes, remove the call. */
export function kept(declared: Construct, kind: string, name: string, ...patches: JsonPatch[]): void {
  const objects = declared.node.findAll().filter((each) => ApiObject.isApiObject(each));
  objects.find((each) => each.kind === kind && each.name === name)?.addJsonPatch(...patches);
}`;

/** Keeps an object as it is in the cluster. */
export function withoutLines(target: string, without: Recognized['without'], indent = 4): string[] {
  const pointers = (without ?? []).map((path) => quotedText(pointerOf(path)));
  return pointers.length === 0 ? [] : callLines('without', [target, ...pointers], indent);
}

/** Keeps fields of the objects of a declaration. */
export function keptLines(target: string, kept: Recognized['kept'], indent = 4): string[] {
  return (kept ?? []).flatMap(({ kind, name, fields }) =>
    callLines(
      'kept',
      [target, quotedText(kind), quotedText(name), ...fields.map((each) => patchText(each, indent + 2))],
      indent,
    ),
  );
}

/** `JsonPatch.replace('/spec/a', …)`, on as many lines as prettier gives it. */
function patchText({ path, value, isReplaced }: KeptField, indent: number): string {
  const pointer = quotedText(pointerOf(path));
  if (value === undefined) {
    return `JsonPatch.remove(${pointer})`;
  }
  const begin = `JsonPatch.${isReplaced ? 'replace' : 'add'}(`;
  const flat = `${begin}${pointer}, ${printed(value, indent, 0)})`;
  return indent + flat.length + 1 <= LINE_WIDTH && !flat.includes('\n')
    ? flat
    : [
        begin,
        `${' '.repeat(indent + 2)}${pointer},`,
        `${' '.repeat(indent + 2)}${printed(value, indent + 2, indent + 2)},`,
        `${' '.repeat(indent)})`,
      ].join('\n');
}

/** Fields that cdk8s leaves out, of an object that has them. */
export function lossLines(target: string, object: Parameters<typeof cdk8sLosses>[0], indent = 4): string[] {
  const { patches } = cdk8sLosses(object);
  const pad = ' '.repeat(indent);
  const texts = patches.map(
    ({ pointer, value, isReplaced }) =>
      `JsonPatch.${isReplaced ? 'replace' : 'add'}(${quotedText(pointer)}, ${printed(value, indent + 2, 200)})`,
  );
  return [`${pad}// cdk8s leaves these fields out.`, ...callLines(`${target}.addJsonPatch`, texts, indent)];
}
