import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type ApiObject, App, type AppProps, Chart, Names, Yaml, YamlOutputType } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { deliveredCharts, deliveredFiles, writeDelivered } from './delivered-files.js';
import {
  EDGE_APP,
  isApart,
  PATCHES_FOLDER,
  removeFormer,
  synthApart,
  withFields,
} from './patches-folder.js';
import { showAdded, showNow } from './warnings.js';
import { yamlDocuments } from './yaml-documents.js';
import { ProblemList } from '../base/errors.js';
import { checkBoolean, nearMiss } from '../base/properties.js';
import { writeChanged } from '../base/changed-file.js';
import { type DeliveredFile, staleFiles } from '../base/delivered-files.js';
import { type SynthOrder, synthOrder } from './synth-order.js';
import { expectFiles, recordFiles, recordMore } from '../base/synth-record.js';

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
