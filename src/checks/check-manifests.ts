import { type EdgeCode, type EdgeProblem, ProblemList } from '../errors.js';
import { objectKind } from '../kubernetes/group-kind.js';
import { nameOf } from '../kubernetes/object.js';
import { podPlaces } from '../kubernetes/pod-places.js';
import { looksLikeWorkload } from '../kubernetes/pod-template.js';
import { fleetOverview, type PoolGroup } from '../placement/fleet-overview.js';
import { poolNames } from '../placement/fleet.js';
import { itemsOf } from '../placement/manifests.js';
import type { FleetLabels } from '../placement/node.js';
import type { DeclaredPool } from '../placement/pools-file.js';
import type { PlacementOutcome } from '../placement/verdict.js';
import { objectsFromYaml } from '../text/yaml-text.js';
import { type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { checkShape, shapeWarnings } from '../workloads/workload-shape.js';
import type { Checked, Finding, FindingLevel } from './finding.js';
import { FieldLines } from './field-lines.js';

/** A file with manifests. */
export interface ManifestFile {
  readonly path: string;
  readonly text: string;
}

/** Faults with which it cannot be said where a workload runs. */
const UNREADABLE: readonly EdgeCode[] = ['EDGE_QUANTITY', 'EDGE_TYPE'];

/** What is known beside the manifests. */
export interface CheckInput {
  readonly labels?: FleetLabels;
  /** Pools of the program that has made the manifests, which need not have a NodePool. */
  readonly declared?: readonly DeclaredPool[];
  /** Numbers of nodes by pool. */
  readonly counts?: ReadonlyMap<string, number>;
}

/** An object and where it is. */
interface Placed {
  readonly object: PlainMap;
  readonly file: ManifestFile;
  readonly lines: FieldLines;
  /** Which of the objects of the file. */
  readonly index: number;
}

/**
 * What is wrong in manifests: what the API server refuses of workloads, or drops, and workloads that do not run where they can be scheduled. That a workload
 * is excluded from a pool is no finding.
 */
export function checkManifests(files: readonly ManifestFile[], input: CheckInput = {}): Checked {
  const findings: Finding[] = [];
  const placed = files.flatMap((file) => {
    const problems = new ProblemList();
    const objects = objectsFromYaml(file.text, problems) ?? [];
    findings.push(...problems.problems.map((problem) => syntaxFinding(file.path, problem)));
    const lines = new FieldLines(file.text);
    return objects.flatMap(itemsOf).map((object, index): Placed => ({ object, file, lines, index }));
  });
  const readable = placed.filter((each) => {
    const found = shapeFindings(each);
    findings.push(...found);
    return !found.some(({ code }) => UNREADABLE.includes(code));
  });
  const { labels, declared, counts } = input;
  const { groups } = fleetOverview(
    readable.map(({ object }) => object),
    counts,
    labels,
    declared,
  );
  findings.push(...placementFindings(placed, groups));
  const order = new Map(files.map(({ path }, index) => [path, index]));
  const rank = ({ file }: Finding): number => order.get(file) ?? -1;
  return {
    findings: findings.sort((a, b) => rank(a) - rank(b) || (a.line ?? 0) - (b.line ?? 0)),
    files: files.length,
    objects: placed.length,
    pools: groups.flatMap(({ pools }) => pools),
  };
}

function syntaxFinding(file: string, problem: EdgeProblem): Finding {
  const [, line] = /\(line (\d+),/.exec(problem.message) ?? [];
  return { ...problem, level: 'error', object: '', file, ...(line === undefined ? {} : { line: Number(line) }) };
}

function findingAt({ object, file, lines, index }: Placed, level: FindingLevel, problem: EdgeProblem): Finding {
  const line = lines.lineOf(index, problem.path);
  return { ...problem, level, object: nameOf(object), file: file.path, ...(line === undefined ? {} : { line }) };
}

/** What the API server refuses of a workload, and the fields that it may drop. A part of one, for server-side apply, lacks most fields. */
function shapeFindings(each: Placed): Finding[] {
  const { object } = each;
  const kind = objectKind(object);
  const templates = podPlaces(object).flatMap(({ path, isTemplate }) => (isTemplate ? [path] : []));
  if (!looksLikeWorkload(object) || isPart(object, templates)) {
    return [];
  }
  const all = shapeWarnings(object, templates, false, kind);
  if (all.length === 0) {
    return [];
  }
  const refused = new ProblemList();
  checkShape(object, templates, refused, false, kind);
  const isRefused = ({ code, path }: EdgeProblem): boolean =>
    refused.problems.some((problem) => problem.code === code && problem.path === path);
  return all.map((problem) => findingAt(each, isRefused(problem) ? 'error' : 'warning', problem));
}

/** Whether an object is only a part of a workload, for server-side apply: placing fields, without what the API server requires. */
function isPart(object: PlainMap, templates: readonly ObjectPath[]): boolean {
  const isWithout = (path: ObjectPath): boolean => (valueAt(object, path) ?? undefined) === undefined;
  return (
    object.kind !== 'Pod' &&
    isWithout(['spec', 'selector']) &&
    templates.every((path) => isWithout([...path, 'spec', 'containers']))
  );
}

/** What is wrong with an outcome, and what helps; the other outcomes are no findings. */
const WRONG: Partial<Record<PlacementOutcome, Pick<EdgeProblem, 'code' | 'hint'>>> = {
  'never starts': {
    code: 'EDGE_NEVER_STARTS',
    hint: 'keep it off these nodes (ExcludedWorkload, or edge-nodepools post-render), or make it run there: hostNetwork: true, an image for them',
  },
  'port taken': {
    code: 'EDGE_PORT_CONFLICT',
    hint: 'give one of them another port, or other nodes',
  },
  'no room': {
    code: 'EDGE_NO_ROOM',
    hint: 'lower the requests or the replicas, or give it more or larger nodes',
  },
};

function placementFindings(placed: readonly Placed[], groups: readonly PoolGroup[]): Finding[] {
  const byName = new Map([...placed].reverse().map((each) => [nameOf(each.object), each]));
  const found = new Map<
    string,
    { readonly workload: string; readonly outcome: PlacementOutcome; readonly reason: string; readonly pools: string[] }
  >();
  for (const { pools, others } of groups) {
    for (const { workload, outcome, reason } of others.filter((each) => WRONG[each.outcome] !== undefined)) {
      const key = JSON.stringify([workload, outcome, reason]);
      const same = found.get(key) ?? { workload, outcome, reason, pools: [] };
      found.set(key, same);
      same.pools.push(...pools);
    }
  }
  return [...found.values()].flatMap(({ workload, outcome, reason, pools }) => {
    const each = byName.get(workload);
    const wrong = WRONG[outcome];
    return each === undefined || wrong === undefined
      ? []
      : [
          findingAt(each, 'error', {
            code: wrong.code,
            path: pathOf(each.object),
            message: `${outcome} on ${poolNames(pools)}: ${reason}`,
            hint: wrong.hint,
          }),
        ];
  });
}

/** The Pod spec of a workload, which decides where it runs. */
function pathOf(object: PlainMap): string {
  const [place] = podPlaces(object);
  return place === undefined ? '' : problemsPath(place.path, place.isTemplate);
}

function problemsPath(path: readonly (string | number)[], isTemplate: boolean): string {
  return new ProblemList().at(...path, ...(isTemplate ? ['spec'] : [])).path;
}
