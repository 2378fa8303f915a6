import { isDeepStrictEqual } from 'node:util';
import { ApiObject, Chart, JsonPatch, Lazy } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';
import { isCreatedOnce, withDeclaredObjects } from '../cluster/declared-objects.js';
import { type Plan, type PlannedObject, shownWarning } from '../cluster/plan.js';
import { Declarations, type Scope } from '../cluster/scope.js';
import { EdgeError, type EdgeWarning, ProblemList, joinPath } from '../base/errors.js';
import { isClusterScoped } from '../kubernetes/object.js';
import { type PlainMap, copyOf, isMap } from '../base/plain-data.js';
import { addArtifact } from './artifact.js';
import { checkAtSynth } from './object-at-synth.js';
import { EDGE_APP, writeApart } from './patches-folder.js';
import { recordMade } from './plain-objects.js';
import { remindOf } from './synth-reminder.js';
import { constructsIn, oncePerSynth } from './synth-run.js';
import { EdgeWarnings, addClusterWarnings, addLateWarnings } from './warnings.js';
import { isMisread, readAs } from '../base/misread-text.js';

/** Metadata type of objects that the exclusion mixin skips; the data is the reason. */
export const SKIPS_EXCLUSION = 'edge-nodepools:skips-exclusion';

const trees = new WeakMap<IConstruct, Declarations>();

/** A construct as the scope of a plan. Declarations are stored by the root of the tree, so they are garbage collected with it. */
export function scopeOf(construct: Construct, namespace = chartOf(construct)?.namespace): Scope {
  const { root, path } = construct.node;
  const declared = trees.get(root) ?? new Declarations();
  trees.set(root, declared);
  return {
    path,
    owner: construct,
    declared,
    namespace,
    plainObjects: (wanted) =>
      constructsIn(root)
        .filter((each) => ApiObject.isApiObject(each))
        .filter(({ kind }) => kind === wanted)
        .map((object) => object.toJson() as PlainMap),
    atEnd: (produce) => Lazy.any({ produce }) as unknown,
  };
}

function chartOf(construct: Construct): Chart | undefined {
  return construct.node.scopes.filter((scope) => Chart.isChart(scope)).at(-1);
}

/** The result of rendering a plan. */
export interface Rendered<Attributes> {
  readonly attributes: Attributes;
  /** The charts of the stages, by stage. */
  readonly stages: ReadonlyMap<string, Chart>;
}

/**
 * Creates the objects of a plan below a construct, with their dependencies, and adds its warnings.
 *
 * @param charts given charts for stages
 */
export function render<Attributes>(
  construct: Construct,
  given: Plan<Attributes>,
  charts: Readonly<Record<string, Chart | undefined>> = {},
): Rendered<Attributes> {
  const place = chartOf(construct);
  const plan = withDeclaredObjects(given, { ...scopeOf(construct, place?.namespace), place });
  if (place === undefined && plan.objects.some(({ stage }) => stage === undefined)) {
    throw inNoChart(plan.subject);
  }
  const stages = new Map<string, Chart>();
  const parts = new Map<string, Construct>();
  const made = new Map<PlannedObject, ApiObject>();
  plan.objects.forEach((planned, index) => {
    const { stage } = planned;
    if (stage !== undefined && !stages.has(stage)) {
      const chart = charts[stage] ?? stageChart(construct, stage);
      writeApart(chart);
      stages.set(stage, chart);
      parts.set(stage, new Construct(chart, freeId(chart, 'parts')));
    }
    const parent = stage === undefined ? construct : (parts.get(stage) as Construct);
    const resource = add(parent, planned, plan.subject);
    made.set(planned, resource);
    recordMade(construct, resource, isCreatedOnce(planned), plan.subject);
    EdgeWarnings.add(construct, EDGE_APP in construct.node.root ? [] : unquotedTextWarnings(planned.object));
    const before = planned.after ?? plan.objects.slice(Math.max(0, index - 1), index);
    before
      .filter((other) => stage === undefined && other.stage === undefined)
      .forEach((other) => resource.addDependency(made.get(other) as ApiObject));
  });
  plan.artifacts.forEach((artifact) => addArtifact(construct, artifact));
  EdgeWarnings.add(construct, plan.warnings.map(shownWarning));
  if (plan.cluster !== undefined) {
    addClusterWarnings(construct, plan.cluster);
  }
  lookAtEnd(construct, plan);
  remindOf(construct);
  return { attributes: plan.attributes, stages };
}

function inNoChart(subject: string): EdgeError {
  return new EdgeError(subject, [
    {
      code: 'EDGE_MISSING',
      path: 'scope',
      message: 'it is in no chart, and only a chart can hold objects',
      hint: "write const chart = new Chart(app, 'chart'), and give chart instead of app",
    },
  ]);
}

function add(parent: Construct, { object, id, skipExclusion, check }: PlannedObject, subject: string): ApiObject {
  // inner objects all have the same id: unique ids make the synthesis of large trees several times slower
  const resource = new ApiObject(
    parent,
    id === undefined ? 'Resource' : freeId(parent, `${object.kind}-${id}`),
    copyOf(object),
  );
  if (isClusterScoped(object) && resource.chart.namespace !== undefined) {
    // cdk8s sets the namespace of the chart on every object
    resource.addJsonPatch(JsonPatch.remove('/metadata/namespace'));
  }
  if (skipExclusion !== undefined) {
    resource.node.addMetadata(SKIPS_EXCLUSION, skipExclusion);
  }
  if (check !== undefined) {
    // as it was planned, it passes; it is rendered several times
    let passed: unknown = object;
    checkAtSynth(resource, (written) => {
      if (isDeepStrictEqual(written, passed)) {
        return;
      }
      const problems = new ProblemList();
      check(written, problems);
      problems.throwIfAny(subject);
      passed = written;
    });
  }
  return resource;
}

/** A chart for a stage. It is a child of the root, so that its objects do not get the labels and the namespace of the user's chart. */
function stageChart(construct: Construct, stage: string): Chart {
  const { root, path } = construct.node;
  return new Chart(root, freeId(root, `${path.replace(/\//g, '-')}-${stage}`));
}

/** An unused id for a child. */
function freeId(scope: IConstruct, wanted: string): string {
  let id = wanted;
  for (let count = 2; scope.node.tryFindChild(id) !== undefined; count++) {
    id = `${wanted}-${count}`;
  }
  return id;
}

function lookAtEnd<Attributes>(construct: Construct, { subject, atEnd }: Plan<Attributes>): void {
  if (atEnd === undefined) {
    return;
  }
  addLateWarnings(construct, () => [...atEnd(new ProblemList())]);
  construct.node.addValidation(
    oncePerSynth(construct, () => {
      const problems = new ProblemList();
      atEnd(problems);
      problems.throwIfAny(subject);
    }),
  );
}

/**
 * Warns of text in an object that cdk8s writes without quotes or escapes although Kubernetes then reads something else: cdk8s quotes for another reader of
 * YAML 1.1 (cdk8s/lib/yaml.js) than sigs.k8s.io/yaml.
 */
function unquotedTextWarnings(value: unknown): EdgeWarning[] {
  return isMisread(value) ? warningsBelow(value, '') : [];
}

function warningsBelow(value: unknown, path: string): EdgeWarning[] {
  if (typeof value === 'string') {
    return warningsOf(value, path);
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => warningsBelow(item, joinPath(path, index)));
  }
  return !isMap(value)
    ? []
    : Object.entries(value).flatMap(([key, item]) => {
        const at = joinPath(path, key);
        return [...warningsOf(key, at), ...warningsBelow(item, at)];
      });
}

function warningsOf(text: string, path: string): EdgeWarning[] {
  const read = readAs(text);
  return read === undefined
    ? []
    : [
        {
          code: 'EDGE_YAML',
          path,
          message: `cdk8s prints the text ${JSON.stringify(text)} so that Kubernetes reads ${read}`,
          hint: 'write new EdgeApp() in place of new App(), which prints such an object as JSON; or another text',
        },
      ];
}
