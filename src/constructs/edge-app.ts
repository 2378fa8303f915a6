import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ApiObject, App, type AppProps, Chart, Names, Yaml, YamlOutputType } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { deliveredCharts, deliveredFiles, writeDelivered } from './delivered-files.js';
import { EDGE_APP, PATCHES_FOLDER, isApart, removeFormer, synthApart, withFields } from './patches-folder.js';
import { showAdded, showNow } from './warnings.js';
import { yamlDocuments } from './yaml-documents.js';
import { ProblemList } from '../base/errors.js';
import { checkBoolean, nearMiss } from '../base/properties.js';
import { type DeliveredFile, expectFiles, recordFiles, recordMore, staleFiles, writeChanged } from '../base/output.js';

/**
 * Properties of {@link EdgeApp}: those of cdk8s' App, and what becomes of stale files.
 *
 * @category Write the result
 */
export interface EdgeAppProps extends AppProps {
  /**
   * Whether to remove the files that an earlier synth of an EdgeApp wrote into the folder, and that are no longer written, such as that of a chart with a
   * former name. Nothing else is ever removed. With `false` they are neither removed nor reported.
   * @default - they are reported
   */
  readonly prune?: boolean;
}

/** Properties; those that are like none of them may be of a newer cdk8s. */
const KNOWN = ['outdir', 'outputFileExtension', 'yamlOutputType', 'recordConstructMetadata', 'resolvers', 'prune'];

/** The file of `App.writeConstructMetadata`. */
const METADATA = 'construct-metadata.json';

/** A file of a synth. */
interface SynthFile {
  /** Its path in the output folder, by slashes. */
  readonly path: string;
  readonly objects: readonly unknown[];
}

/**
 * An `App` of cdk8s for large fleets: it writes the same files with the same bytes, in one pass, in time linear in charts and objects. cdk8s' App looks at
 * the whole tree for each chart. Validations run once, not once per chart. An object with text that cdk8s misprints (U+2028) is JSON.
 *
 * Files that have not changed are not touched. `.edge-app-files` in the output folder lists what was written, so that a later synth knows what is stale.
 *
 * @category Write the result
 */
export class EdgeApp extends App {
  /** Files in the output folder, by their paths, that an earlier synth wrote and the last one did not. */
  public staleFiles: readonly string[] = [];
  /** @internal */
  public readonly [EDGE_APP] = true;
  private readonly prune: boolean | undefined;
  private readonly recordsMetadata: boolean;

  /**
   * @param props as those of cdk8s' App, and `prune`
   * @throws {@link EdgeError} with EDGE_TYPE
   */
  constructor(props: EdgeAppProps = {}) {
    super(props);
    const problems = new ProblemList();
    for (const name of Object.keys(props)) {
      const near = KNOWN.includes(name) ? undefined : nearMiss(name, KNOWN);
      if (near !== undefined) {
        problems.at(name).add('EDGE_UNKNOWN_PROPERTY', `there is no property ${name}`, `did you mean ${near}?`);
      }
    }
    if (props.prune !== undefined) {
      checkBoolean(props.prune, problems.at('prune'));
    }
    problems.throwIfAny('EdgeApp');
    this.prune = props.prune;
    this.recordsMetadata = props.recordConstructMetadata ?? process.env.CDK8S_RECORD_CONSTRUCT_METADATA === 'true';
    expectFiles(this, this.outdir);
  }

  /**
   * Writes all manifests into the output folder, as `App.synth` does.
   *
   * @throws what validations and objects throw, and {@link EdgeError} with EDGE_STALE_FILES if there are stale files and warnings are errors
   */
  public override synth(): void {
    mkdirSync(this.outdir, { recursive: true });
    const files = new Set<string>();
    try {
      this.writeInto(files);
    } catch (error) {
      recordMore(this.outdir, files);
      throw error;
    }
    this.report(files);
  }

  private writeInto(files: Set<string>): void {
    const order = synthOrder(validated(this));
    if (order === undefined) {
      this.leaveToApp(files);
      return;
    }
    dependAsOrdered(order);
    try {
      const delivered = deliveredFiles(this, (chart) => objectsOf(chart, order));
      const last = new Map<string, SynthFile>();
      for (const file of this.files(order)) {
        if (this.yamlOutputType === YamlOutputType.FILE_PER_RESOURCE) {
          // several objects may have one file, which holds the last of them
          last.set(file.path, file);
        } else {
          this.write(file, files);
        }
      }
      last.forEach((file) => this.write(file, files));
      delivered.forEach((file) => this.deliver(file, files));
    } catch (error) {
      if (error instanceof ChangedTree) {
        this.leaveToApp(files);
        return;
      }
      throw error;
    }
    if (this.recordsMetadata) {
      this.writeMetadata(order, files);
    }
  }

  /** What cdk8s refuses it refuses itself; other trees may depend on constructs outside of them, or change while they are rendered. */
  private leaveToApp(files: Set<string>): void {
    const { outdir } = this;
    const save = (path: string, objects: readonly unknown[]): void => {
      writeChanged(path, yamlDocuments(objects));
      files.add(relative(outdir, path).replaceAll('\\', '/'));
    };
    withFields(Yaml, { save: () => save }, () => {
      synthApart(this, () => super.synth()).forEach(({ path }) => files.add(path));
    });
    if (this.recordsMetadata) {
      files.add(METADATA);
    }
  }

  /** All manifests as text, as `App.synthYaml` returns them. */
  public override synthYaml(): string {
    const order = synthOrder(validated(this));
    if (order === undefined) {
      return super.synthYaml();
    }
    dependAsOrdered(order);
    try {
      return [...yamlDocuments(order.charts.flatMap((chart) => objectsOf(chart, order)))].join('');
    } catch (error) {
      if (error instanceof ChangedTree) {
        return super.synthYaml();
      }
      throw error;
    }
  }

  /** What to write, rendered chart by chart. */
  private *files(order: SynthOrder): Generator<SynthFile> {
    const delivered = deliveredCharts(this);
    const charts = order.charts.filter((chart) => !delivered.has(chart));
    yield* this.filesOf(
      charts.filter((chart) => !isApart(this, chart)),
      order,
    );
    const apart = charts.filter((chart) => isApart(this, chart));
    if (apart.length > 0) {
      mkdirSync(join(this.outdir, PATCHES_FOLDER), { recursive: true });
      removeFormer(this, apart);
    }
    for (const file of this.filesOf(apart, order, `${PATCHES_FOLDER}/`)) {
      yield { ...file, path: `${PATCHES_FOLDER}/${file.path}` };
    }
  }

  private *filesOf(charts: readonly Chart[], order: SynthOrder, folder = ''): Generator<SynthFile> {
    const extension = this.outputFileExtension;
    const names = charts.map((chart, index) => {
      const number = order.hasDependentCharts ? `${String(index).padStart(4, '0')}-` : '';
      return `${number}${Names.toDnsLabel(chart)}`;
    });
    switch (this.yamlOutputType) {
      case YamlOutputType.FILE_PER_APP:
        if (charts.length > 0) {
          yield { path: `app${extension}`, objects: charts.flatMap((chart) => objectsOf(chart, order)) };
        }
        break;
      case YamlOutputType.FILE_PER_CHART:
        for (const [index, chart] of charts.entries()) {
          yield { path: `${names[index]}${extension}`, objects: objectsOf(chart, order) };
        }
        break;
      case YamlOutputType.FILE_PER_RESOURCE:
        for (const chart of charts) {
          for (const object of objectsOf(chart, order) as (ApiObject | undefined)[]) {
            if (object !== undefined) {
              yield { path: `${fileName(object)}${extension}`, objects: [object] };
            }
          }
        }
        break;
      case YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE:
        for (const [index, chart] of charts.entries()) {
          mkdirSync(join(this.outdir, folder, names[index] as string), { recursive: true });
          const last = new Map<string, unknown>();
          for (const object of unchanged(chart, order)) {
            last.set(`${names[index]}/${fileName(object)}${extension}`, object.toJson());
          }
          for (const [path, object] of last) {
            yield { path, objects: [object] };
          }
        }
    }
  }

  private write({ path, objects }: SynthFile, files: Set<string>): void {
    writeChanged(join(this.outdir, path), yamlDocuments(objects));
    files.add(path);
  }

  private deliver(file: DeliveredFile, files: Set<string>): void {
    writeDelivered(this, file);
    files.add(file.path);
  }

  /** As `App.writeConstructMetadata` of cdk8s, which is private. */
  private writeMetadata(order: SynthOrder, files: Set<string>): void {
    const resources: Record<string, { path: string }> = {};
    for (const object of order.charts.flatMap((chart) => order.objectsOf(chart))) {
      resources[object.name] = { path: object.node.path };
    }
    // eslint-disable-next-line no-restricted-syntax -- the version of the format, not a release
    writeChanged(join(this.outdir, METADATA), [JSON.stringify({ version: '1.0.0', resources })]);
    files.add(METADATA);
  }

  private report(files: ReadonlySet<string>): void {
    this.staleFiles = recordFiles(this, this.outdir, files, this.prune === true);
    if (this.prune === undefined && this.staleFiles.length > 0) {
      showNow(this, staleFiles(this.outdir, this.staleFiles, 'new EdgeApp({ prune: true })'));
    }
  }
}

/** Thrown, and caught, when rendering has added or removed constructs: then cdk8s looks again before each chart. */
class ChangedTree extends Error {}

/** The constructs of a tree after their validations, which may add further ones. */
function validated(app: App): readonly IConstruct[] {
  let constructs = app.node.findAll();
  for (let pass = 0; ; pass++) {
    const errors = constructs.flatMap(({ node }) => node.validate().map((error) => `[${node.path}] ${error}`));
    if (errors.length > 0) {
      throw new Error(`Validation failed with the following errors:\n  ${errors.join('\n  ')}`);
    }
    const before = constructs;
    constructs = app.node.findAll();
    const isSame = constructs.length === before.length && constructs.every((one, index) => one === before[index]);
    // cdk8s validates once more than there are charts
    if (isSame || pass >= constructs.filter((one) => Chart.isChart(one)).length) {
      showAdded(app);
      return constructs;
    }
  }
}

/** `app.charts` has the order of the synth, as after one of cdk8s. */
function dependAsOrdered({ chartDependencies }: SynthOrder): void {
  chartDependencies.forEach((targets, source) => source.addDependency(...targets));
}

/** Objects of a chart as they are written. A chart with a `toJson` of its own decides itself. */
function objectsOf(chart: Chart, order: SynthOrder): unknown[] {
  if (chart.toJson !== Chart.prototype.toJson) {
    return Object.values(chart.toJson() as unknown[]);
  }
  return unchanged(chart, order).map((object) => object.toJson() as unknown);
}

function unchanged(chart: Chart, order: SynthOrder): readonly ApiObject[] {
  if (chart.node.findAll().length !== order.sizeOf(chart)) {
    throw new ChangedTree();
  }
  return order.objectsOf(chart);
}

function fileName({
  kind,
  metadata,
}: {
  readonly kind: string;
  readonly metadata: { readonly name?: string };
}): string {
  return `${kind}.${metadata.name}`.replace(/[^0-9a-zA-Z-_.]/g, '');
}

/** What a synth writes, in the order of cdk8s. */
interface SynthOrder {
  /** The charts, each after those that it depends on. */
  readonly charts: readonly Chart[];
  /** Whether a chart depends on another: their files are numbered then. */
  readonly hasDependentCharts: boolean;
  /** The objects of a chart, without those of charts below it, each after those that it depends on. */
  readonly objectsOf: (chart: Chart) => readonly ApiObject[];
  /** Constructs of a chart and its descendants when the order was made. */
  readonly sizeOf: (chart: Chart) => number;
  /** Pairs of charts of which one depends on the other. */
  readonly chartDependencies: ReadonlyMap<Chart, ReadonlySet<Chart>>;
}

/** All objects of a construct. An object that depends on the construct depends on all of them, by one edge. */
interface Group {
  readonly members: readonly number[];
}
type Edge = number | Group;

/**
 * The order in which cdk8s writes a tree (`resolveDependencies` and `DependencyGraph` of cdk8s/lib/app.js and dependency.js), in linear time: cdk8s makes
 * an edge for each pair of objects of two constructs, and for every chart all of them again.
 *
 * @returns undefined for a tree that cdk8s refuses, such as one with a cycle
 */
function synthOrder(constructs: readonly IConstruct[]): SynthOrder | undefined {
  return new Tree(constructs).order();
}

class Tree {
  private readonly position = new Map<IConstruct, number>();
  /** Position of the chart of each construct; -1 for those in none. */
  private readonly chartAt: number[] = [];
  /** Position behind the last descendant of each construct. */
  private readonly end: number[] = [];
  /** Edges of those that have any. */
  private readonly edges = new Map<number, Edge[]>();
  private readonly groups = new Map<number, Group>();
  private readonly chartDependencies = new Map<Chart, Set<Chart>>();

  constructor(private readonly constructs: readonly IConstruct[]) {
    const above: number[] = [];
    constructs.forEach((construct, index) => {
      this.position.set(construct, index);
      while (above.length > 0 && constructs[above.at(-1) as number] !== construct.node.scope) {
        this.end[above.pop() as number] = index;
      }
      const chart = Chart.isChart(construct) ? index : (this.chartAt[above.at(-1) ?? -1] ?? -1);
      this.chartAt.push(chart);
      above.push(index);
    });
    above.forEach((index) => (this.end[index] = constructs.length));
  }

  public order(): SynthOrder | undefined {
    if (!this.addEdges()) {
      return undefined;
    }
    const all = this.constructs.map((_, index) => index);
    // the vertices of cdk8s are fields of an object with the paths as names: those that look like numbers come first
    const numbers = all.filter((index) => isArrayIndex(this.at(index).node.path));
    numbers.sort((a, b) => Number(this.at(a).node.path) - Number(this.at(b).node.path));
    const named = numbers.length === 0 ? all : all.filter((index) => !isArrayIndex(this.at(index).node.path));
    const charts = this.sorted([...numbers, ...named], () => true)?.filter((index) => this.chartAt[index] === index);
    if (charts === undefined) {
      return undefined;
    }
    return {
      charts: charts.map((index) => this.at(index) as Chart),
      hasDependentCharts: this.chartDependencies.size > 0,
      objectsOf: (chart) => this.objectsOf(this.position.get(chart) as number),
      sizeOf: (chart) => {
        const index = this.position.get(chart) as number;
        return (this.end[index] as number) - index;
      },
      chartDependencies: this.chartDependencies,
    };
  }

  private at(index: number): IConstruct {
    return this.constructs[index] as IConstruct;
  }

  private objectsOf(chart: number): ApiObject[] {
    // cdk8s sorts the charts below it as well: what they depend on comes late
    const end = this.end[chart] as number;
    const below = Array.from({ length: end - chart }, (_, offset) => chart + offset);
    // a cycle within the chart is one of the whole tree, which has none
    const order = this.sorted(below, (index) => index >= chart && index < end) ?? [];
    return order
      .filter((index) => this.chartAt[index] === chart)
      .map((index) => this.at(index))
      .filter((construct) => ApiObject.isApiObject(construct));
  }

  /** Adds the edges of cdk8s in its order; returns false for a dependency that cdk8s refuses, or that leads out of the tree. */
  private addEdges(): boolean {
    const dependencies: [number, number][] = [];
    this.constructs.forEach((construct, source) => {
      for (const target of construct.node.dependencies) {
        dependencies.push([source, this.position.get(target) ?? -1]);
      }
    });
    if (
      dependencies.some(([source, target]) => target === source || this.chartOf(source) < 0 || this.chartOf(target) < 0)
    ) {
      return false;
    }
    dependencies.forEach(([source, target]) => this.addEdge(source, target));
    this.constructs.forEach((construct, chart) => {
      if (this.chartAt[chart] === chart) {
        construct.node.children
          .filter((child) => Chart.isChart(child))
          .forEach((child) => this.addChartEdge(chart, this.position.get(child) as number));
      }
    });
    dependencies.forEach(([source, target]) => this.addChartEdge(this.chartOf(source), this.chartOf(target)));
    this.constructs.forEach((construct, source) => {
      const explicit = construct.node.dependencies.map((target) => this.position.get(target) as number);
      const added = [...(this.chartDependencies.get(construct as Chart) ?? [])].map(
        (chart) => this.position.get(chart) as number,
      );
      new Set([...explicit, ...added]).forEach((target) => this.addObjectEdges(source, target));
    });
    return true;
  }

  private chartOf(index: number): number {
    return this.chartAt[index] ?? -1;
  }

  private addEdge(source: number, edge: Edge): void {
    const edges = this.edges.get(source) ?? [];
    this.edges.set(source, edges);
    edges.push(edge);
  }

  private addChartEdge(source: number, target: number): void {
    if (source !== target) {
      const targets = this.chartDependencies.get(this.at(source) as Chart) ?? new Set();
      this.chartDependencies.set(this.at(source) as Chart, targets);
      targets.add(this.at(target) as Chart);
      this.addEdge(source, target);
    }
  }

  /** Every object of the source depends on every one of the target. */
  private addObjectEdges(source: number, target: number): void {
    const group = this.groups.get(target) ?? { members: this.objectsBelow(target) };
    this.groups.set(target, group);
    if (group.members.length > 0) {
      this.objectsBelow(source).forEach((object) => this.addEdge(object, group));
    }
  }

  private objectsBelow(index: number): number[] {
    const found: number[] = [];
    for (let at = index; at < (this.end[index] as number); at++) {
      if (this.chartAt[at] === this.chartAt[index] && ApiObject.isApiObject(this.at(at))) {
        found.push(at);
      }
    }
    return found;
  }

  /** Vertices, each after those that it depends on; undefined if there is a cycle. */
  private sorted(vertices: readonly number[], isInside: (index: number) => boolean): readonly number[] | undefined {
    if (!vertices.some((vertex) => this.edges.has(vertex))) {
      return vertices;
    }
    const inbound = this.inbound(vertices, isInside);
    const state = new Map<Edge, 'open' | 'done'>();
    // the member that depends on its own group; two of them are a cycle
    const insider = new Map<Edge, number>();
    const order: number[] = [];
    const stack: { readonly edge: Edge; readonly owner: number; readonly next: readonly Edge[]; at: number }[] = [];
    const open = (edge: Edge, owner: number): void => {
      state.set(edge, 'open');
      const next = typeof edge === 'number' ? (this.edges.get(edge) ?? []) : edge.members;
      stack.push({ edge, owner: typeof edge === 'number' ? edge : owner, next, at: 0 });
    };
    for (const root of vertices) {
      if (inbound.has(root)) {
        continue;
      }
      open(root, root);
      for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
        const edge = top.next[top.at++];
        if (edge === undefined) {
          stack.pop();
          state.set(top.edge, 'done');
          if (typeof top.edge === 'number') {
            order.push(top.edge);
          }
        } else if (typeof edge !== 'number') {
          const inside = insider.get(edge);
          if (state.get(edge) !== 'done') {
            open(edge, top.owner);
          } else if (inside !== undefined && inside !== top.owner && state.get(inside) === 'open') {
            return undefined;
          }
        } else if (edge === top.owner) {
          insider.set(top.edge, edge);
        } else if (isInside(edge)) {
          const before = state.get(edge);
          if (before === 'open') {
            return undefined;
          }
          if (before === undefined) {
            open(edge, edge);
          }
        }
      }
    }
    // what no root leads to is in a cycle
    return order.length === vertices.length ? order : undefined;
  }

  /** Those on which others depend. */
  private inbound(vertices: readonly number[], isInside: (index: number) => boolean): Set<number> {
    const inbound = new Set<number>();
    const sources = new Map<Group, number>();
    for (const source of vertices) {
      for (const edge of this.edges.get(source) ?? []) {
        if (typeof edge === 'number') {
          inbound.add(edge);
        } else {
          sources.set(edge, sources.has(edge) && sources.get(edge) !== source ? -1 : source);
        }
      }
    }
    for (const [group, source] of sources) {
      group.members.filter((member) => member !== source && isInside(member)).forEach((member) => inbound.add(member));
    }
    return inbound;
  }
}

/** Whether the fields of an object with such a name come first, in the order of numbers. */
function isArrayIndex(name: string): boolean {
  return /^(?:0|[1-9]\d{0,9})$/.test(name) && Number(name) < 2 ** 32 - 1;
}
