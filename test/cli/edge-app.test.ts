/** EdgeApp against cdk8s' App: the same program, built twice, writes the same files. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, App, type AppProps, Chart, Include, JsonPatch, Lazy, YamlOutputType } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';
import fc from 'fast-check';
import { EdgeApp, EdgeCluster, EdgeWarnings, ExcludedWorkload, HostNetworkNodePool } from 'edge-nodepools';
import { isFullDepth, runs } from '../depth.js';
import { daemonSet, deployment } from '../bad-inputs/case.js';

const RECORD = '.edge-app-files';
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
const TYPES = [
  YamlOutputType.FILE_PER_APP,
  YamlOutputType.FILE_PER_CHART,
  YamlOutputType.FILE_PER_RESOURCE,
  YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE,
];

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'edge-app-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function filesIn(path: string): Map<string, string> {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).filter((file) => !file.endsWith(RECORD));
  return new Map(paths.sort().map((file) => [file.slice(path.length), readFileSync(file, 'utf8')]));
}

/** What a program writes and returns as text; or its error: a patch that does not fit fails where the mixin first renders its object. */
function outcome(app: App, build: (app: App) => void): unknown {
  EdgeWarnings.setMode(app, 'silent');
  try {
    build(app);
    app.synth();
    return [filesIn(app.outdir), app.charts.map(({ node }) => node.path), app.synthYaml()];
  } catch (error) {
    return String(error);
  }
}

/** The order of `app.charts` differs where a construct depends on its own ancestor; that of the files does not. */
function withoutOrderOfCharts(result: unknown): unknown {
  return Array.isArray(result) ? [result[0], [...(result[1] as string[])].sort(), result[2]] : result;
}

let trees = 0;
function both(build: (app: App) => void, props: AppProps = {}): [unknown, unknown] {
  const outdir = join(folder, String(trees++));
  return [App, EdgeApp].map((Class) => {
    const app = new Class({ ...props, outdir: join(outdir, Class.name) });
    return outcome(app, build);
  }) as [unknown, unknown];
}

interface Step {
  readonly kind: number;
  readonly under: number;
  readonly other: number;
  readonly id: string;
  readonly text: string;
}

const step = fc.record<Step>({
  kind: fc.nat(15),
  under: fc.nat(1000),
  other: fc.nat(1000),
  id: fc.constantFrom('a', 'b', 'c', 'Resource', 'Default', '7', '10', '4294967295', 'constructor'),
  text: fc.oneof(
    fc.constantFrom('yes', '0x1', 'a: b', ' x', 'a\nb\n', "it's", '1e3', ''),
    fc.string({ unit: 'grapheme' }),
  ),
});

const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];

/** Makes a tree of steps; a step that cdk8s refuses is refused in both. */
function build(app: App, steps: readonly Step[]): void {
  const charts: Chart[] = [new Chart(app, 'first')];
  const all: IConstruct[] = [charts[0] as Chart];
  const objects: ApiObject[] = [];
  const add = (construct: IConstruct): void => void all.push(construct);
  steps.forEach(({ kind, under, other, id, text }, index) => {
    const scope = pick(all, under) as Construct;
    const freeIn = ({ node }: IConstruct): string =>
      node.tryFindChild(id) === undefined && !(id in {}) ? id : `${id}-${index}`;
    const free = freeIn(scope);
    const manifest = (extra: object = {}): ConstructorParameters<typeof ApiObject>[2] => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { labels: { at: `l${other}` } },
      data: { text, [`key-${text.length}`]: 'v', list: [text, { [text]: [] }], ...extra },
    });
    const object = (made: ApiObject): void => {
      objects.push(made);
      add(made);
    };
    switch (kind) {
      case 0:
      case 1:
        charts.push(new Chart(app, freeIn(app), { namespace: text === '' ? undefined : 'n' }));
        add(charts.at(-1) as Chart);
        break;
      case 2:
        charts.push(new Chart(scope, free));
        add(charts.at(-1) as Chart);
        break;
      case 3:
      case 4:
        add(new Construct(scope, free));
        break;
      case 5:
      case 6:
        object(new ApiObject(scope, free, manifest()));
        break;
      case 7:
        object(
          new ApiObject(scope, free, manifest({ lazy: Lazy.any({ produce: () => ({ text, at: [objects.length] }) }) })),
        );
        break;
      case 8:
        pick(objects, under)?.addJsonPatch(JsonPatch.add('/data/patched', [text, null]));
        break;
      case 9:
      case 10:
      case 11: {
        // mostly without cycles: later ones depend on earlier ones
        const [one, two] = [under % all.length, other % all.length].sort((a, b) => a - b) as [number, number];
        all[kind === 11 && index % 4 === 0 ? one : two]?.node.addDependency(
          all[kind === 11 && index % 4 === 0 ? two : one] as IConstruct,
        );
        break;
      }
      case 12:
        new HostNetworkNodePool(scope, free, {
          cluster,
          poolName: `pool-${index}`,
          annotations: { text: text.trim() },
        });
        break;
      case 13:
        new ExcludedWorkload(scope, free, { cluster, workload: { ...deployment(), metadata: { name: `w-${index}` } } });
        break;
      case 14: {
        let isAdded = false;
        app.node.addValidation({
          validate: () => {
            if (!isAdded) {
              isAdded = true;
              new ApiObject(scope, `late-${index}`, manifest());
            }
            return [];
          },
        });
        break;
      }
      default:
        // not patched: the mixin renders it here, and it has no data, where the patch would add something
        add(new ApiObject(scope, free, { ...daemonSet(), metadata: { name: `ds-${index}` } }));
        scope.with(ExcludedWorkload.mixin({ cluster }));
    }
  });
}

describe('EdgeApp', () => {
  it('writes what App writes, for random trees', () => {
    let compared = 0;
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 14 }),
        fc.constantFrom(...TYPES),
        fc.boolean(),
        fc.boolean(),
        (steps, yamlOutputType, recordConstructMetadata, hasResolver) => {
          const props: AppProps = {
            yamlOutputType,
            recordConstructMetadata,
            ...(hasResolver
              ? {
                  resolvers: [{ resolve: (context) => context.value === 'v' && context.replaceValue('resolved') }],
                  outputFileExtension: '.yml',
                }
              : {}),
          };
          const [stock, ours] = both((app) => build(app, steps), props).map(withoutOrderOfCharts);
          compared += typeof stock === 'string' ? 0 : 1;
          expect(ours).toEqual(stock);
        },
      ),
      runs(200),
    );
    expect(compared).toBeGreaterThan(0);
  });

  it.each<[string, (app: App) => void]>([
    ['no chart', () => undefined],
    ['an empty chart', (app) => void new Chart(app, 'empty')],
    [
      'charts that are named by numbers',
      (app) =>
        ['b', '10', '9', 'a'].forEach((id) => new ApiObject(new Chart(app, id), 'o', { apiVersion: 'v1', kind: 'A' })),
    ],
    [
      'a chart with a toJson of its own',
      (app) => {
        const chart = new Chart(app, 'own');
        chart.toJson = () => [
          { kind: 'A', metadata: { name: 'a' } },
          undefined,
          { kind: 'A', metadata: { name: 'a' }, b: 1 },
        ];
      },
    ],
    [
      'an object that is added while another chart is rendered',
      (app) => {
        const [one, two] = ['one', 'two'].map((id) => new Chart(app, id)) as [Chart, Chart];
        const produce = (): string =>
          (two.node.tryFindChild('late') ?? new ApiObject(two, 'late', { apiVersion: 'v1', kind: 'A' })).node.path;
        new ApiObject(one, 'o', { apiVersion: 'v1', kind: 'A', spec: { at: Lazy.any({ produce }) } });
      },
    ],
    [
      'a cycle of charts',
      (app) => {
        const [one, two] = ['one', 'two'].map((id) => new Chart(app, id)) as [Chart, Chart];
        one.addDependency(two);
        two.addDependency(one);
      },
    ],
    [
      'objects that depend on each other by the constructs above them',
      (app) => {
        const chart = new Chart(app, 'c');
        const above = new Construct(chart, 'above');
        const object = new ApiObject(above, 'a', { apiVersion: 'v1', kind: 'A' });
        above.node.addDependency(chart);
        chart.node.addDependency(object);
        new ApiObject(chart, 'b', { apiVersion: 'v1', kind: 'B' });
      },
    ],
    [
      'a chart below an object that depends on it',
      (app) => {
        const object = new ApiObject(new Chart(app, 'c'), 'a', { apiVersion: 'v1', kind: 'A' });
        new ApiObject(object, 'b', { apiVersion: 'v1', kind: 'B' });
        new Chart(object, 'below').node.addDependency(object);
      },
    ],
    ['a failing validation', (app) => new Chart(app, 'c').node.addValidation({ validate: () => ['no', 'never'] })],
    [
      'an included file',
      (app) => {
        const url = join(folder, 'in.yaml');
        writeFileSync(
          url,
          'apiVersion: v1\nkind: A\nmetadata: {name: a}\ndata: {a: "1", b: [1, x]}\n---\napiVersion: v1\nkind: B\nmetadata: {name: b}\n',
        );
        new Include(new Chart(app, 'c'), 'in', { url });
      },
    ],
  ])('does as App does with %s', (what, make) => {
    // cdk8s starts a program to read a file
    const isSlow = what === 'an included file' && !isFullDepth;
    for (const yamlOutputType of isSlow ? [YamlOutputType.FILE_PER_CHART] : TYPES) {
      const [stock, ours] = both(make, { yamlOutputType, recordConstructMetadata: true });
      expect(ours).toEqual(stock);
    }
  });

  it.each(['synth', 'synthYaml'] as const)('%s shows a warning that a validation adds, once', (method) => {
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const app = new EdgeApp({ outdir: folder });
      const chart = new Chart(app, 'c');
      chart.node.addValidation({
        validate: () => {
          EdgeWarnings.add(chart, [{ code: 'EDGE_VALUE', path: 'a', message: 'odd', hint: 'even' }]);
          return [];
        },
      });
      for (let time = 0; time < 2; time++) {
        app[method]();
        expect(write.mock.calls.flat().join('').split('odd')).toHaveLength(2);
      }
      EdgeWarnings.setMode(app, 'error');
      expect(() => app[method]()).toThrow(/EDGE_VALUE/);
    } finally {
      write.mockRestore();
    }
  });
});
