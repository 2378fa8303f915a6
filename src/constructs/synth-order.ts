import { ApiObject, Chart } from 'cdk8s';
import type { IConstruct } from 'constructs';

/** What a synth writes, in the order of cdk8s. */
export interface SynthOrder {
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
export function synthOrder(constructs: readonly IConstruct[]): SynthOrder | undefined {
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
