import type { EdgeCode } from '../base/error-codes.js';
import { type EdgeProblem, ProblemList, joinPath } from '../base/errors.js';
import { fleetOverview } from './fleet-overview.js';
import { itemsOf, requireManifests } from './placement-input.js';
import { checkJson, objectsFromYaml } from '../base/yaml-text.js';
import { nameOf } from '../kubernetes/object.js';
import { type PlainMap, isMap, mapAt } from '../base/plain-data.js';
import {
  type CheckSettings,
  type ManifestFile,
  minorOf,
  readSettings,
  refuseFiles,
  requireFiles,
  requireSettings,
} from './check-settings.js';
import { FieldLines } from './field-lines.js';
import type { CheckedManifests, Finding } from './finding.js';
import { type PlacedObject, findingAt } from './placed-object.js';
import { nodeFindings, poolFindings } from './cluster-findings.js';
import { hostNetworkFindings } from './host-network-findings.js';
import { reachFindings } from './reachability.js';
import { nowhereFindings, placementFindings } from './placement-findings.js';
import { checkNames } from '../preconditions/cluster-state.js';
import { shapeFindings } from './workload-findings.js';
import { isPart, looksLikeWorkload } from '../kubernetes/pod-places.js';
import { misplacedExclusion, misspeltPools } from '../workloads/misplaced-workloads.js';
import { apiVersionFault, isKindOfKubernetes } from '../cluster/api-versions.js';
import { KUBERNETES_MINORS } from '../cluster/kubernetes-minors.js';
import { groupKindOf, workloadKindOf } from '../kubernetes/group-kind.js';
import { isAbsent } from '../kubernetes/field-values.js';
import { checkMetadataFields, checkPlainKind, checkWrittenMetadata } from '../kubernetes/object-checks.js';
import { checkWrittenNodePool, unknownPoolFields } from '../pools/written-node-pool.js';
import { dirname } from 'node:path';
import { duplicateKeys } from '../base/yaml-duplicates.js';
import type { TextLines } from '../base/text-lines.js';
import type { YamlNode } from '../base/yaml-tree.js';

/** Faults with which it cannot be said where a workload runs: there is no such object, or its scheduling cannot be read. */
const UNREADABLE: readonly EdgeCode[] = [
  'EDGE_QUANTITY',
  'EDGE_TYPE',
  'EDGE_NAME',
  'EDGE_API_VERSION',
  'EDGE_LABEL',
  'EDGE_AFFINITY',
  'EDGE_TAINT',
];

/**
 * Finds what is wrong in manifests: what the API server refuses of workloads, or drops, and workloads that do not run where they can be scheduled. That a
 * workload is excluded from a pool is not a finding. The command `edge-nodepools check` and {@link EdgeValidation} also run it.
 *
 * @param manifests plain Kubernetes objects, for example `manifestsOf(app)`
 * @param settings what is known beside the manifests
 * @throws {@link EdgeError} with EDGE_TYPE or EDGE_NOT_AN_OBJECT for other things than plain objects, and EDGE_MISSING without any
 * @category Check manifests
 */
export function checkManifests(manifests: readonly object[], settings: CheckSettings = {}): CheckedManifests {
  requireSettings('checkManifests', settings);
  const { labels, pools = [] } = settings;
  readSettings('checkManifests', manifests, { labels, pools });
  refuseFiles('checkManifests', manifests);
  requireManifests('checkManifests', manifests);
  const placed = manifests
    .filter(isMap)
    .flatMap(itemsOf)
    .map((object, index): PlacedObject => ({ object, file: '', index }));
  return { ...checkedOf('checkManifests', placed, settings), files: 0 };
}

/**
 * The same for files: each finding has the file and the line of the field.
 *
 * @param files YAML or JSON files with manifests, or a dump of a cluster
 * @param settings what is known beside the manifests
 * @throws {@link EdgeError} with EDGE_TYPE or EDGE_NOT_AN_OBJECT; a file that cannot be read is a finding
 * @category Check manifests
 */
export function checkFiles(files: readonly ManifestFile[], settings: CheckSettings = {}): CheckedManifests {
  requireFiles('checkFiles', files);
  requireSettings('checkFiles', settings);
  const unreadable: Finding[] = [];
  const placed = files.flatMap(({ path, text }) => {
    const problems = new ProblemList();
    const lines = new FieldLines(text);
    const { objects, twice } = objectsAndKeys(path, text, problems, 'rounded', lines);
    unreadable.push(...problems.problems.map((problem) => syntaxFinding(path, problem)), ...twice);
    return objects
      .flatMap(itemsOf)
      .map((object, index): PlacedObject => ({ object, file: path, lines, index }))
      .filter(({ object }) => isObject(object));
  });
  const { findings, ...rest } = checkedOf('checkFiles', placed, settings);
  const order = new Map(files.map(({ path }, index) => [path, index]));
  const rank = ({ file }: Finding): number => order.get(file) ?? -1;
  return {
    ...rest,
    findings: [...unreadable, ...findings].sort((a, b) => rank(a) - rank(b) || (a.line ?? 0) - (b.line ?? 0)),
    files: files.length,
  };
}

/** The documents of a file, and the keys that its objects have twice. */
export function objectsAndKeys(
  file: string,
  text: string,
  problems: ProblemList,
  integers: 'rounded' | 'kept',
  { lines }: FieldLines,
): { readonly objects: readonly PlainMap[]; readonly twice: readonly Finding[] } {
  const keys: KeyFinding[] = [];
  let documents = 0;
  const objects =
    objectsFromYaml(text, problems, integers, (roots, offset) => {
      const maps = roots.filter(({ kind }) => kind === 'map');
      keys.push(...keyFindings(maps, documents, offset, file, lines));
      documents += maps.length;
    }) ?? [];
  if (!checkJson(text, objects, problems)) {
    return { objects: [], twice: [] };
  }
  const twice = keys.flatMap(({ document, ...finding }) => {
    const object = objects[document];
    return isObject(object) ? [{ ...finding, object: nameOf(object) }] : [];
  });
  return { objects, twice };
}

/** Whether a document is meant as an object of Kubernetes. */
export function isObject(object: PlainMap | undefined): object is PlainMap {
  return object !== undefined && (object.apiVersion !== undefined || object.kind !== undefined);
}

function checkedOf(
  subject: string,
  placed: readonly PlacedObject[],
  settings: CheckSettings,
): Omit<CheckedManifests, 'files'> {
  const findings: Finding[] = objectFindings(placed);
  const minor = minorOf(settings);
  const contradicting = new Set(contradictionsIn(placed).map(({ object }) => nameOf(object)));
  const objects = placed.flatMap((each) => {
    const found = findingsOf(each, minor);
    findings.push(...found);
    return found.some(isUnplaceable) || contradicting.has(nameOf(each.object)) ? [] : [each.object];
  });
  const read = readSettings(subject, objects, settings);
  const judged = { ...read.labels, ...(minor === undefined ? {} : { kubernetes: minor }) };
  const { groups, nowhere } = fleetOverview(objects, read.counts, judged, read.declared);
  findings.push(
    ...placementFindings(placed, groups),
    ...nowhereFindings(placed, nowhere),
    ...hostNetworkFindings(placed, groups),
    ...reachFindings(placed, groups),
    ...intentFindings(
      placed,
      read.labels.nodePoolLabel,
      groups.flatMap(({ pools }) => pools),
    ),
    ...nodeFindings(placed, read),
    ...poolFindings(placed, read),
  );
  const unknown = groups.map(
    ({ pools, others }) => pools.length * others.filter(({ outcome }) => outcome === 'unknown').length,
  );
  return {
    findings,
    objects: placed.length,
    pools: groups.flatMap(({ pools }) => pools),
    unknown: unknown.reduce((sum, each) => sum + each, 0),
  };
}

/** What is wrong with an object by itself. */
function findingsOf(each: PlacedObject, minor?: string): Finding[] {
  const identity = identityFindings(each, minor);
  const isNone = identity.some(({ path }) => path === 'apiVersion' || path === 'kind');
  return [...identity, ...(isNone ? [] : shapeFindings(each))];
}

const isUnplaceable = ({ code, level }: Finding): boolean => level === 'error' && UNREADABLE.includes(code);

/** Why it cannot be said where an object runs; undefined if it can. A warning never is a reason. */
export function unplaceable(each: PlacedObject, minor?: string): Finding | undefined {
  return findingsOf(each, minor).find(isUnplaceable);
}

function syntaxFinding(file: string, problem: EdgeProblem): Finding {
  const [, line] = /\(line (\d+),/.exec(problem.message) ?? [];
  return { ...problem, level: 'error', object: '', file, ...(line === undefined ? {} : { line: Number(line) }) };
}

/** Warnings about what an API server accepts, and nobody means. */
function intentFindings(placed: readonly PlacedObject[], label: string, pools: readonly string[]): Finding[] {
  const known = new Set(pools);
  return placed.flatMap((each) =>
    [...misplacedExclusion(each.object), ...misspeltPools(each.object, label, known)].map((problem) =>
      findingAt(each, 'warning', problem),
    ),
  );
}

const NEWEST = KUBERNETES_MINORS.at(-1)?.minor ?? '';

/**
 * What is wrong with an object of any kind: its apiVersion and kind, its metadata, a NodePool, and the values of kinds that most programs have.
 *
 * @param minor the minor of Kubernetes by which it is judged
 */
function identityFindings(each: PlacedObject, minor = NEWEST): Finding[] {
  const { object } = each;
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    return missingFindings(each);
  }
  const fault = apiVersionFault(apiVersion, kind, minor);
  const found: Finding[] = [];
  if (fault !== undefined) {
    const { isRefused, ...problem } = fault;
    found.push(findingAt(each, isRefused ? 'error' : 'warning', problem));
  }
  const isPool = groupKindOf(object) === 'NodePool.apps.openyurt.io';
  const isKnown = isPool || isKindOfKubernetes(apiVersion, kind) || workloadKindOf(object) !== undefined;
  const problems = new ProblemList();
  // programs have files of this form, too, which no API server reads
  if (isKnown) {
    checkWrittenMetadata(object, problems.at('metadata'));
    checkPlainKind(object, problems);
    if (workloadKindOf(object) === undefined) {
      checkMetadataFields(object.metadata, problems.at('metadata'));
    }
  } else {
    checkNames(object, problems.at('metadata', 'name'));
  }
  if (isPool) {
    checkWrittenNodePool(object, problems);
  }
  found.push(...problems.problems.map((problem) => findingAt(each, 'error', problem)));
  return isPool ? [...found, ...unknownFindings(each)] : found;
}

/** A file of another program may also have one of the two: only what has the rest of an object is one. */
function missingFindings(each: PlacedObject): Finding[] {
  const { object } = each;
  if (!isMap(object.metadata) && !isMap(object.spec)) {
    return [];
  }
  return ['apiVersion', 'kind'].flatMap((field) => {
    const value = object[field];
    return typeof value === 'string'
      ? []
      : [
          findingAt(each, 'error', {
            code: isAbsent(value) ? 'EDGE_MISSING' : 'EDGE_TYPE',
            path: field,
            message: isAbsent(value) ? `the object has no ${field}` : `${field} must be text`,
            hint: field === 'kind' ? 'write kind: Deployment, or what it is' : 'write apiVersion: apps/v1, or its own',
          }),
        ];
  });
}

function unknownFindings(each: PlacedObject): Finding[] {
  return unknownPoolFields(each.object).map(({ field, near }) =>
    findingAt(each, near === undefined ? 'warning' : 'error', {
      code: 'EDGE_UNKNOWN_PROPERTY',
      path: `spec.${field}`,
      message: `a NodePool has no field ${field}: the API server drops it`,
      hint: near === undefined ? 'remove it, unless your OpenYurt is newer than this library' : `did you mean ${near}?`,
    }),
  );
}

/** A finding whose object is not known yet: it is the one of this number in its file. */
interface KeyFinding extends Omit<Finding, 'object'> {
  readonly document: number;
}

/**
 * Keys that documents have twice. kubectl since 1.25 refuses them (fieldValidation=Strict); others take the last one, so what is before a missing --- is lost.
 *
 * @param first number of the first of the documents
 * @param offset where they begin in the text
 */
function keyFindings(
  roots: readonly YamlNode[],
  first: number,
  offset: number,
  file: string,
  lines: TextLines,
): KeyFinding[] {
  return roots.flatMap((root, index) => {
    const all = duplicateKeys(root);
    const isTop = ({ path }: (typeof all)[number]): boolean => path.length === 1;
    const isUnseparated = ['apiVersion', 'kind'].every((field) =>
      all.some((each) => isTop(each) && each.path[0] === field),
    );
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

/** An object that is there once more. */
interface SecondObject extends PlacedObject {
  readonly earlier: PlacedObject;
  readonly isSame: boolean;
}

/** Whether an object is in the folder of what is applied in a way of its own, such as steps: a later state. */
const isPatch = ({ file }: PlacedObject): boolean => /(?:^|\/)patches\/[^/]*$/.test(file);

/** Objects that are there twice. A part for server-side apply is no second object, and what is in a dump is there once. */
function secondObjectsIn(placed: readonly PlacedObject[]): SecondObject[] {
  const seen = new Map<string, PlacedObject>();
  return placed.flatMap((each) => {
    const { object } = each;
    const { name, namespace, uid } = mapAt(object, 'metadata');
    if (typeof name !== 'string' || uid !== undefined || (looksLikeWorkload(object) && isPart(object))) {
      return [];
    }
    const key = JSON.stringify([groupKindOf(object), namespace ?? 'default', name, isPatch(each)]);
    const earlier = seen.get(key);
    seen.set(key, each);
    return earlier === undefined
      ? []
      : [{ ...each, earlier, isSame: JSON.stringify(earlier.object) === JSON.stringify(object) }];
  });
}

/** Objects that are there twice with other content, and of which the answer depends on which of them is meant. */
export function contradictionsIn(placed: readonly PlacedObject[]): SecondObject[] {
  const decides = ({ object }: PlacedObject): boolean =>
    ['NodePool', 'Node'].includes(String(object.kind)) || looksLikeWorkload(object);
  return secondObjectsIn(placed).filter((each) => !each.isSame && !isPatch(each) && decides(each));
}

/** Objects that are there twice: the later one stays. The same in another folder is for another cluster. */
function objectFindings(placed: readonly PlacedObject[]): Finding[] {
  return secondObjectsIn(placed).flatMap(({ earlier, isSame, ...each }) => {
    const { object, file } = each;
    if (isSame && dirname(earlier.file) !== dirname(file)) {
      return [];
    }
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
