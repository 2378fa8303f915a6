import type { EdgeCode } from '../base/error-codes.js';
import { type EdgeProblem, ProblemList } from '../base/errors.js';
import { fleetOverview } from './fleet-overview.js';
import { itemsOf, requireManifests } from './placement-input.js';
import { objectsFromYaml } from '../base/yaml-text.js';
import { nameOf } from '../kubernetes/object.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import {
  type CheckSettings,
  type ManifestFile,
  minorOf,
  readSettings,
  refuseFiles,
  requireFiles,
  requireSettings,
} from './check-settings.js';
import { type KeyFinding, keyFindings, objectFindings } from './duplicate-findings.js';
import { FieldLines } from './field-lines.js';
import type { CheckedManifests, Finding } from './finding.js';
import type { PlacedObject } from './placed-object.js';
import { intentFindings } from './intent-findings.js';
import { nodeFindings, poolFindings } from './cluster-findings.js';
import { hostNetworkFindings } from './host-network-findings.js';
import { identityFindings } from './object-findings.js';
import { nowhereFindings, placementFindings } from './placement-findings.js';
import { shapeFindings } from './workload-findings.js';

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
    const keys: KeyFinding[] = [];
    let documents = 0;
    const objects =
      objectsFromYaml(text, problems, 'rounded', (roots, offset) => {
        const maps = roots.filter(({ kind }) => kind === 'map');
        keys.push(...keyFindings(maps, documents, offset, path, lines.lines));
        documents += maps.length;
      }) ?? [];
    unreadable.push(
      ...problems.problems.map((problem) => syntaxFinding(path, problem)),
      ...keys.flatMap(({ document, ...finding }) => {
        const object = objects[document];
        return isObject(object) ? [{ ...finding, object: nameOf(object) }] : [];
      }),
    );
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

/** Whether a document is meant as an object of Kubernetes. */
function isObject(object: PlainMap | undefined): object is PlainMap {
  return object !== undefined && (object.apiVersion !== undefined || object.kind !== undefined);
}

function checkedOf(
  subject: string,
  placed: readonly PlacedObject[],
  settings: CheckSettings,
): Omit<CheckedManifests, 'files'> {
  const findings: Finding[] = objectFindings(placed);
  const minor = minorOf(settings);
  const readable = placed.filter((each) => {
    const identity = identityFindings(each, minor);
    const isNone = identity.some(({ path }) => path === 'apiVersion' || path === 'kind');
    const found = [...identity, ...(isNone ? [] : shapeFindings(each))];
    findings.push(...found);
    return !found.some(({ code, level }) => level === 'error' && UNREADABLE.includes(code));
  });
  const objects = readable.map(({ object }) => object);
  const read = readSettings(subject, objects, settings);
  const { groups, nowhere } = fleetOverview(objects, read.counts, read.labels, read.declared);
  findings.push(
    ...placementFindings(placed, groups),
    ...nowhereFindings(placed, nowhere),
    ...hostNetworkFindings(placed, groups),
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

function syntaxFinding(file: string, problem: EdgeProblem): Finding {
  const [, line] = /\(line (\d+),/.exec(problem.message) ?? [];
  return { ...problem, level: 'error', object: '', file, ...(line === undefined ? {} : { line: Number(line) }) };
}
