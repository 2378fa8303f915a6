/** EdgeApp against cdk8s' App: the same program, built twice, writes the same files. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, App, type AppProps, Chart, Include, JsonPatch, Lazy, YamlOutputType } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';
import fc from 'fast-check';
import { EdgeApp, EdgeCluster, EdgeWarnings, ExcludedWorkload, HostNetworkNodePool } from 'edge-nodepools';
import { samples } from '../depth.js';
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

/** What a program writes, returns as text, and says in errors. */
function outcome(app: App): unknown {
  EdgeWarnings.setMode(app, 'silent');
  try {
    app.synth();
    return [filesIn(app.outdir), app.charts.map(({ node }) => node.path), app.synthYaml()];
  } catch (error) {
    return String(error);
  }
}

let trees = 0;
function both(build: (app: App) => void, props: AppProps = {}): [unknown, unknown] {
  const outdir = join(folder, String(trees++));
  return [App, EdgeApp].map((Class) => {
    const app = new Class({ ...props, outdir: join(outdir, Class.name) });
    build(app);
    return outcome(app);
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
        object(new ApiObject(scope, free, { ...daemonSet(), metadata: { name: `ds-${index}` } }));
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
          const [stock, ours] = both((app) => build(app, steps), props);
          compared += typeof stock === 'string' ? 0 : 1;
          expect(ours).toEqual(stock);
        },
      ),
      { numRuns: samples(200) },
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
          String(two.node.tryFindChild('late') ?? new ApiObject(two, 'late', { apiVersion: 'v1', kind: 'A' }));
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
  ])('does as App does with %s', (_, make) => {
    for (const yamlOutputType of TYPES) {
      const [stock, ours] = both(make, { yamlOutputType, recordConstructMetadata: true });
      expect(ours).toEqual(stock);
    }
  });
});

describe('files of EdgeApp', () => {
  const fleet = (
    names: readonly string[],
    value = 'v',
    props: ConstructorParameters<typeof EdgeApp>[0] = {},
  ): EdgeApp => {
    const app = new EdgeApp({ outdir: folder, ...props });
    names.forEach(
      (name) =>
        new ApiObject(new Chart(app, name), 'o', {
          apiVersion: 'v1',
          kind: 'A',
          data: { name, value: name === 'b' ? value : 'v' },
        }),
    );
    app.synth();
    return app;
  };
  const file = (name: string): string => join(folder, `${name}.k8s.yaml`);
  let printed: string[];
  beforeEach(() => {
    printed = [];
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  });
  afterEach(() => jest.restoreAllMocks());

  it('are touched only if they change, also if they become shorter or longer', () => {
    fleet(['a', 'b']);
    const old = new Date(1000);
    for (const value of ['v', 'w', 'longer', 's', 'x'.repeat(600_000), 's']) {
      const before = readFileSync(file('b'), 'utf8');
      readdirSync(folder).forEach((name) => utimesSync(join(folder, name), old, old));
      fleet(['a', 'b'], value);
      expect(statSync(file('a')).mtime).toEqual(old);
      expect(statSync(join(folder, RECORD)).mtime).toEqual(old);
      expect(readFileSync(file('b'), 'utf8')).toContain(`  value: ${value}\n`);
      expect(statSync(file('b')).mtime.getTime() === old.getTime()).toBe(before === readFileSync(file('b'), 'utf8'));
    }
  });

  it('that are stale are reported until they are removed, and nothing else is', () => {
    const names = ['a.k8s.yaml', 'b.k8s.yaml', 'c/d.k8s.yaml', 'mine.k8s.yaml'];
    mkdirSync(join(folder, 'c'));
    names.forEach((name) => writeFileSync(join(folder, name), ''));
    writeFileSync(join(folder, RECORD), ['a.k8s.yaml', 'b.k8s.yaml', 'c/d.k8s.yaml', 'gone.k8s.yaml', ''].join('\n'));
    const stale = ['b.k8s.yaml', 'c/d.k8s.yaml'];
    for (let time = 0; time < 2; time++) {
      expect(fleet(['a']).staleFiles).toEqual(stale);
      expect(printed.splice(0).join('')).toMatch(/EDGE_STALE_FILES .*: b\.k8s\.yaml, c\/d\.k8s\.yaml\n/);
    }
    expect(fleet(['a'], 'v', { prune: false }).staleFiles).toEqual(stale);
    expect(fleet(['a'], 'v', { prune: true }).staleFiles).toEqual(stale);
    expect(printed).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual([RECORD, 'a.k8s.yaml', 'c', 'mine.k8s.yaml']);
    expect(fleet(['a']).staleFiles).toEqual([]);
  });

  it('of another app in the same folder are not stale, those of a removed chart are', () => {
    const app = fleet(['a', 'b'], 'v', { prune: true });
    fleet(['c'], 'v', { prune: true });
    app.node.tryRemoveChild('b');
    app.synth();
    expect(readdirSync(folder).sort()).toEqual([RECORD, 'a.k8s.yaml', 'c.k8s.yaml']);
  });

  it('outside of the folder are never removed', () => {
    const outside = join(folder, 'outside');
    const outdir = join(folder, 'dist');
    [outside, outdir].forEach((path) => mkdirSync(path));
    writeFileSync(join(outside, 'a.yaml'), '');
    symlinkSync(outside, join(outdir, 'link'));
    symlinkSync(join(outside, 'a.yaml'), join(outdir, 'file'));
    for (const path of [
      '../outside/a.yaml',
      join(outside, 'a.yaml'),
      'x/../../outside/a.yaml',
      'file',
      'link/a.yaml',
    ]) {
      writeFileSync(join(outdir, RECORD), `${path}\n`);
      try {
        fleet(['a'], 'v', { outdir, prune: true });
      } catch (error) {
        expect(String(error)).toMatch(/EDGE_ARTIFACT.*symbolic link/);
      }
      expect(readdirSync(outside)).toEqual(['a.yaml']);
    }
  });

  it('fail the synth if they are stale and warnings are errors; prune is a boolean', () => {
    fleet(['a']);
    writeFileSync(join(folder, 'b.k8s.yaml'), '');
    writeFileSync(join(folder, RECORD), 'b.k8s.yaml\n');
    const app = new EdgeApp({ outdir: folder });
    EdgeWarnings.setMode(app, 'error');
    expect(() => app.synth()).toThrow(/EDGE_STALE_FILES/);
    EdgeWarnings.accept(app, 'EDGE_STALE_FILES', 'kept on purpose');
    app.synth();
    expect(() => new EdgeApp({ prune: 'yes' as never })).toThrow(/EDGE_TYPE {2}prune/);
  });
});
