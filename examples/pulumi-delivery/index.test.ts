import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { EdgeApp, EdgeWarnings } from 'edge-nodepools';
import { parseAllDocuments } from 'yaml';
import { addFleet, SHOPS } from '../argo-cd/chart.js';
import type * as Program from './index.js';

const registered: pulumi.runtime.MockResourceArgs[] = [];
const [outdir, ofCdk8s] = ['pulumi-', 'cdk8s-'].map((name) => mkdtempSync(join(tmpdir(), name))) as [string, string];
const before = process.cwd();

/** The objects of each layer of a shop. */
function layersOf(folder: string, shop: string): [string, unknown[]][] {
  const root = join(folder, 'sites', shop);
  return readdirSync(root).map((layer) => {
    const texts = readdirSync(join(root, layer)).map((file) => readFileSync(join(root, layer, file), 'utf8'));
    const objects = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as unknown));
    return [layer, objects.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))];
  });
}

const sorted = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, item: unknown) =>
      typeof item === 'object' && item !== null && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
        : item,
    ),
  );

describe('pulumi-delivery', () => {
  let report: string;
  let engineObjects: readonly { kind: string; metadata?: { name?: string } }[];

  beforeAll(async () => {
    await pulumi.runtime.setMocks({
      newResource: (resource) => {
        registered.push(resource);
        return { id: `${resource.name}-id`, state: resource.inputs };
      },
      call: ({ inputs }) => inputs,
    });
    // Hangzhou has an older Kubernetes, so two guarantees are not enforced there: a warning
    const warned = jest.spyOn(console, 'warn').mockReturnValue();
    process.chdir(outdir);
    report = jest.requireActual<typeof Program>('./index.js').report;
    // warnings are shown when the program has declared everything
    await new Promise((done) => setImmediate(done));
    await pulumi.runtime.disconnect();
    expect(warned.mock.calls.join()).toContain('EDGE_NOT_GUARANTEED');
    warned.mockRestore();
    const app = new EdgeApp({ outdir: ofCdk8s });
    EdgeWarnings.setMode(app, 'silent');
    engineObjects = addFleet(app).engineObjects;
    app.synth();
  });

  afterAll(() => {
    process.chdir(before);
    [outdir, ofCdk8s].forEach((path) => rmSync(path, { recursive: true }));
  });

  it('writes the same objects for each shop as the cdk8s example', () => {
    SHOPS.forEach(({ name }) =>
      expect(sorted(layersOf(join(outdir, 'dist'), name))).toEqual(sorted(layersOf(ofCdk8s, name))),
    );
  });

  it('applies the objects of Argo CD itself, except the Application that would deliver them', () => {
    const applied = registered.filter(({ type }) => type.startsWith('kubernetes:')).map(({ inputs }) => inputs);
    const expected = engineObjects.filter(({ kind }) => kind !== 'Application');
    // resources register side by side, in no fixed order
    const byName = (list: readonly unknown[]): unknown[] =>
      (sorted(list) as { metadata: { name: string } }[]).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    expect(byName(applied)).toEqual(byName(expected));
    expect(expected.map(({ kind }) => kind)).toEqual(['AppProject', 'ApplicationSet', 'ApplicationSet']);
  });

  it('reports the waves', () => {
    expect(
      report
        .split('\n')
        .slice(1, 4)
        .map((line) => line.split(/\s+/).slice(0, 2)),
    ).toEqual([
      ['0', 'headquarters'],
      ['1', 'beijing'],
      ['1', 'hangzhou'],
    ]);
  });
});
