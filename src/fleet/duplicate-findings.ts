import { dirname } from 'node:path';
import { joinPath } from '../base/errors.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { nameOf } from '../kubernetes/object.js';
import { duplicateKeys } from '../base/yaml-duplicates.js';
import type { TextLines } from '../base/text-lines.js';
import type { YamlNode } from '../base/yaml-tree.js';
import { mapAt } from '../base/plain-data.js';
import type { Finding } from './finding.js';
import { findingAt, type PlacedObject } from './placed-object.js';
import { isPart } from './workload-findings.js';

/** A finding whose object is not known yet: it is the one of this number in its file. */
export interface KeyFinding extends Omit<Finding, 'object'> {
  readonly document: number;
}

/**
 * Keys that documents have twice. kubectl since 1.25 refuses them (fieldValidation=Strict); others take the last one, so what is before a missing --- is lost.
 *
 * @param first number of the first of the documents
 * @param offset where they begin in the text
 */
export function keyFindings(
  roots: readonly YamlNode[],
  first: number,
  offset: number,
  file: string,
  lines: TextLines,
): KeyFinding[] {
  return roots.flatMap((root, index) => {
    const all = duplicateKeys(root);
    const isTop = ({ path }: (typeof all)[number]): boolean => path.length === 1;
    const isUnseparated = all.some((each) => isTop(each) && each.path[0] === 'kind');
    const [unseparated] = isUnseparated ? all.filter(isTop) : [];
    return all
      .filter((each) => !isUnseparated || !isTop(each) || each === unseparated)
      .map((each): KeyFinding => {
        const { path, start } = each;
        return {
          code: 'EDGE_DUPLICATE',
          level: 'error',
          path: path.reduce<string>(joinPath, ''),
          message:
            each === unseparated
              ? 'a second object begins here without ---: the fields of the first are lost'
              : `${String(path.at(-1))} is here twice: the last one wins, and kubectl refuses it`,
          hint: each === unseparated ? 'write --- in a line before it' : 'remove one of the two',
          file,
          line: lines.numberAt(offset + start),
          document: first + index,
        };
      });
  });
}

/** Objects that the files of one folder have twice: kubectl apply writes both, and the later one stays. A part for server-side apply is no second object. */
export function objectFindings(placed: readonly PlacedObject[]): Finding[] {
  const seen = new Map<string, PlacedObject>();
  return placed.flatMap((each) => {
    const { object, file } = each;
    const { name, namespace, uid } = mapAt(object, 'metadata');
    // what is in a dump is there once
    if (typeof name !== 'string' || uid !== undefined || isPart(object)) {
      return [];
    }
    const key = JSON.stringify([dirname(file), groupKindOf(object), namespace ?? 'default', name]);
    const earlier = seen.get(key);
    seen.set(key, each);
    if (earlier === undefined) {
      return [];
    }
    const isSame = JSON.stringify(earlier.object) === JSON.stringify(object);
    const line = earlier.lines?.lineOf(earlier.index, '');
    const where =
      earlier.file === file ? (line === undefined ? 'here' : `in line ${line}`) : `in ${earlier.file}:${line ?? 1}`;
    return [
      findingAt(each, 'warning', {
        code: 'EDGE_DUPLICATE',
        path: 'metadata.name',
        message: `this object is also ${where}, ${isSame ? 'with the same content' : 'with other content: kubectl apply writes both, and this one, the later, stays'}`,
        hint: `remove one of them, or give ${nameOf(object)} another name`,
      }),
    ];
  });
}
