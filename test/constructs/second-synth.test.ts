/** A program that synthesizes twice, such as a test or a watcher: the second synth is checked as the first one is. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiObject, App, Chart, JsonPatch } from 'cdk8s';
import { EdgeApp, EdgeCluster, EdgeWarnings, ExcludedWorkload } from 'edge-nodepools';
import { daemonSet, deployment } from '../bad-inputs/case.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'synths-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const written = (): string[] => (existsSync(folder) ? readdirSync(folder) : []);
const named = (name: string): any => ({ ...deployment(), metadata: { name } });

describe.each<[string, () => App]>([
  ['App', () => new App({ outdir: folder })],
  ['EdgeApp', () => new EdgeApp({ outdir: folder })],
])('%s', (_, make) => {
  /** An excluded workload in the second of two charts. */
  const started = (): { app: App; chart: Chart } => {
    const app = make();
    EdgeWarnings.setMode(app, 'silent');
    new ApiObject(new Chart(app, 'a-first'), 'map', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } });
    const chart = new Chart(app, 'second');
    new ExcludedWorkload(chart, 'own', { cluster, workload: named('web') });
    return { app, chart };
  };

  it('refuses a sure duplicate every time, and writes nothing', () => {
    const { app, chart } = started();
    new ApiObject(chart, 'plain', named('web'));
    [1, 2, 3].forEach(() => {
      expect(() => app.synth()).toThrow(/EDGE_DUPLICATE {2}second\/plain already creates Deployment web/);
      expect(written()).toEqual([]);
    });
  });

  it('looks again for duplicates when one object has taken the place of another', () => {
    const { app, chart } = started();
    const replace = (name: string): void => {
      chart.node.tryRemoveChild('plain');
      new ApiObject(chart, 'plain', named(name));
    };
    replace('web');
    expect(() => app.synth()).toThrow('EDGE_DUPLICATE');
    replace('api');
    app.synth();
    replace('web');
    expect(() => app.synth()).toThrow('EDGE_DUPLICATE');
  });

  it.each<[string, (chart: Chart) => ApiObject, JsonPatch]>([
    [
      'ExcludedWorkload',
      (chart) => ApiObject.of(chart.node.findChild('own')),
      JsonPatch.remove('/spec/template/spec/affinity'),
    ],
    [
      'the mixin',
      (chart) => {
        const object = new ApiObject(chart, 'plain', { ...daemonSet(), metadata: { name: 'log' } });
        chart.with(ExcludedWorkload.mixin({ cluster }));
        return object;
      },
      JsonPatch.add('/spec/template/spec/nodeSelector', { [cluster.hostNetworkLabel.key]: 'true' }),
    ],
  ])('checks what %s writes before anything is written, every time', (_, objectIn, patch) => {
    const { app, chart } = started();
    const object = objectIn(chart);
    app.synth();
    expect(written()).not.toEqual([]);
    rmSync(folder, { recursive: true });
    object.addJsonPatch(patch);
    [1, 2].forEach(() => {
      expect(() => app.synth()).toThrow('EDGE_CONTRADICTION');
      expect(written()).toEqual([]);
    });
  });
});
