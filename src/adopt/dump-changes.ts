import { EdgeError, type EdgeProblem } from '../base/errors.js';
import { hasOwners, IMPORTED_FROM, type ImportedFrom, versionsOf } from './imported-from.js';
import { importModel, recordedObject } from './import-model.js';
import { type ImportedFile, keyOf } from './input-objects.js';
import { managersAt } from '../fleet/managed-fields.js';
import { nameOf } from '../kubernetes/object.js';
import { textTable } from '../base/table.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { fieldChanges } from '../fleet/field-changes.js';

/** A row of what has changed since the import. */
export interface DumpChange {
  readonly object: string;
  readonly field: string;
  readonly before: string;
  readonly now: string;
  /** Who has written it, by managedFields. */
  readonly by: string;
}

/** What a folder has of its import: the texts of its two files; undefined for one that is not there. */
export interface ImportedFolder {
  readonly folder: string;
  readonly objects: string | undefined;
  readonly from: string | undefined;
}

/** What differs, and what nobody can compare. */
export interface DumpComparison {
  /** Number of the objects of the program that are in the dump, too. */
  readonly objects: number;
  readonly changes: readonly DumpChange[];
  /** Kinds of which the dump has no object, with their number before: nobody has dumped them, or all are gone. */
  readonly kinds: ReadonlyMap<string, number>;
  /** Objects whose values are not known, because neither dump says when they were written. */
  readonly values: readonly string[];
}

/**
 * What differs between a dump and the one of which a program was imported: every field that the import reads, and every object of the program that is gone
 * or new. What only the API server and controllers write, such as status and resourceVersion, is no change.
 *
 * @throws {@link EdgeError} with EDGE_VALUE for a folder that no import has written, or a dump that cannot be compared
 */
export function changesSince(imported: ImportedFolder, files: readonly ImportedFile[]): DumpComparison {
  const { before, from } = readFolder(imported);
  const model = importModel(files, from.target, from.given);
  if (hasOwners(model) !== from.hasOwners) {
    throw refused(
      files[0]?.path ?? '',
      `${imported.folder} was imported ${from.hasOwners ? 'from a dump with' : 'without'} managedFields, and this dump is ${from.hasOwners ? 'without' : 'with'} them`,
      `make it as the first one: kubectl get ${from.hasOwners ? 'with --show-managed-fields' : 'without --show-managed-fields'}; or import it again`,
    );
  }
  const raw = new Map(model.all.map((object) => [keyOf(object), object]));
  const was = byKey(before);
  const is = byKey(model.objects.map(({ object }) => recordedObject(object) as PlainMap));
  const versions = versionsOf(model);
  const dumped = new Set([...raw.keys()].flatMap((key) => key.split(' ', 1)));
  const kinds = new Map<string, number>();
  const keys = [...new Set([...was.keys(), ...is.keys(), ...Object.keys(from.versions)])].sort();
  const changes = keys.flatMap((key): DumpChange[] => {
    const [one, other] = [was.get(key), is.get(key)];
    const secret = key.replace(/^ExternalSecret\.external-secrets\.io /, 'Secret ');
    const isMade = secret !== key && from.versions[secret] !== undefined;
    const given = raw.get(key.replace(/ #\d+$/, '')) ?? (secret === key ? undefined : raw.get(secret));
    const [kind] = key.split(' ', 1) as [string];
    // what is made of a Secret goes with it; of what is left out nothing is in the program
    const isLeftOut = from.given.secrets === 'leave-out' && (one ?? other) === undefined;
    if (isLeftOut || ((other ?? given) === undefined && isMade)) {
      return [];
    }
    if ((other ?? given) === undefined && !dumped.has(kind)) {
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      return [];
    }
    const any = one ?? other ?? given;
    const object = any === undefined ? key : nameOf(any);
    const by = (path: string): string => managersAt(given ?? {}, path);
    if (given === undefined || (one === undefined) !== (other === undefined)) {
      const left = model.leftOut.find(({ name }) => name === object);
      const now = other !== undefined ? 'new' : left === undefined ? 'gone' : `left out: ${left.reason}`;
      return [{ object, field: 'the whole object', before: '', now, by: given === undefined ? '' : by('') }];
    }
    const rows = fieldChanges(one ?? {}, other ?? {}, '').map(({ path, before: earlier, after }) => ({
      ...{ object, field: path, before: shown(earlier), now: shown(after), by: by(path) },
    }));
    const isWritten = from.versions[key] !== undefined && from.versions[key] !== versions[key];
    const isInStore = one === undefined && from.given.secrets === 'external';
    const now = `written since, and may differ: ${isInStore ? 'write them into the store' : 'read them again (README.md)'}`;
    return isWritten ? [...rows, { object, field: 'values', before: 'are not kept', now, by: by('data') }] : rows;
  });
  const values = Object.keys(from.versions).filter((key) => from.versions[key] === '' && versions[key] === '');
  return { objects: [...was.keys()].filter((key) => is.has(key)).length, changes, kinds, values };
}

const LONGEST = 40;

function shown(value: unknown): string {
  const text = value === undefined ? '-' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Objects by key; a part and its whole object have one key. */
function byKey(objects: readonly PlainMap[]): Map<string, PlainMap> {
  const found = new Map<string, PlainMap>();
  for (const object of objects) {
    const key = keyOf(object);
    found.set(found.has(key) ? `${key} #${found.size}` : key, object);
  }
  return found;
}

function readFolder({ folder, objects, from }: ImportedFolder): { before: PlainMap[]; from: ImportedFrom } {
  if (objects === undefined || from === undefined) {
    const missing = objects === undefined ? 'imported.json' : IMPORTED_FROM;
    throw refused(
      `${folder}/${missing}`,
      'there is no such file: this is no folder that this release of import has written',
      'write --compare <the folder of --out>; or import into a new folder',
    );
  }
  const [before, how] = [parsed(folder, 'imported.json', objects), parsed(folder, IMPORTED_FROM, from)];
  const isRecord = Array.isArray(before) && before.every((object) => isMap(object) && isMap(object.metadata));
  const isHow =
    isMap(how) && isMap(how.given) && isMap(how.versions) && ['cdk8s', 'pulumi'].includes(String(how.target));
  if (!isRecord || !isHow) {
    const file = isRecord ? IMPORTED_FROM : 'imported.json';
    throw refused(`${folder}/${file}`, 'it is not what import has written', AS_WRITTEN);
  }
  return { before: before as PlainMap[], from: how as unknown as ImportedFrom };
}

const AS_WRITTEN = 'take it from the history of the repository; or import into a new folder';

function parsed(folder: string, file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused(`${folder}/${file}`, `it is no JSON: ${(error as Error).message}`, AS_WRITTEN);
  }
}

function refused(path: string, message: string, hint: string): EdgeError {
  const problem: EdgeProblem = { code: 'EDGE_VALUE', path, message, hint };
  return new EdgeError('import --compare', [problem]);
}

/** The changes as a table, and what to do. */
export function changesText(folder: string, { objects, changes, kinds, values }: DumpComparison): string {
  const unknown = [
    ...[...kinds].map(([kind, count]) => `not in this dump: ${kind} (${count} when ${folder} was imported)`),
    ...(kinds.size === 0 ? [] : ['These are not compared: dump them as the first time, unless all of them are gone.']),
    ...(values.length === 0 ? [] : [`not compared, for lack of a resourceVersion: the values of ${values.join(', ')}`]),
  ].map((text) => `${text}\n`);
  if (changes.length === 0) {
    return `no change: ${objects} objects are as they were when ${folder} was imported\n${unknown.join('')}`;
  }
  const byObject = new Map<string, DumpChange[]>();
  changes.forEach((change) => byObject.set(change.object, [...(byObject.get(change.object) ?? []), change]));
  const tables = [...byObject].flatMap(([object, rows]) => [
    '',
    object,
    textTable(
      ['field', 'imported', 'now', 'written by'],
      rows.map(({ field, before, now, by }) => [field, before, now, by]),
    ),
  ]);
  return [
    `${changes.length} change${changes.length === 1 ? '' : 's'} since ${folder} was imported`,
    ...tables,
    '',
    'An apply of the program would undo what is changed or gone.',
    'Import this dump into a new folder, or write the changes into the program.',
    unknown.join(''),
  ].join('\n');
}
