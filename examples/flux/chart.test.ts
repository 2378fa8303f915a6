import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EdgeApp, EdgeWarnings, placeFleet } from 'edge-nodepools';
import { Testing } from 'edge-nodepools/testing';
import { addFleet, SHOPS } from './chart.js';

describe('flux', () => {
  const outdir = mkdtempSync(join(tmpdir(), 'shops-'));
  const app = new EdgeApp({ outdir });
  EdgeWarnings.setMode(app, 'silent');
  const delivery = addFleet(app);
  app.synth();
  afterAll(() => rmSync(outdir, { recursive: true }));

  it('gives each shop a folder with all layers', () => {
    expect(readdirSync(join(outdir, 'sites')).sort()).toEqual(SHOPS.map(({ name }) => name).sort());
    SHOPS.forEach(({ name }) =>
      expect(readdirSync(join(outdir, 'sites', name)).sort()).toEqual([
        '10-pools',
        '20-policies',
        '30-workloads',
        '40-patches',
      ]),
    );
  });

  it('runs the till on the host-network pool of each shop, and kube-proxy nowhere there', () => {
    for (const { name } of SHOPS) {
      const charts = app.node.findAll().filter((construct) => construct.node.path.startsWith(`${name}-`));
      const objects = charts.filter(({ node }) => node.scopes.length === 2).flatMap((chart) => Testing.synth(chart));
      expect(placeFleet(objects).map(({ pool, runs }) => [pool, runs])).toEqual([['tills', ['DaemonSet tills/till']]]);
    }
  });

  it('changes the headquarters first: every other shop waits for their gate', () => {
    const all = (delivery.engineObjects as any[]).filter(({ kind }) => kind === 'Kustomization');
    const pools = all.filter(({ metadata }) => metadata.name.endsWith('-pools'));
    expect(pools.map(({ spec }) => spec.dependsOn?.[0].name)).toEqual([undefined, 'shops-wave-0', 'shops-wave-0']);
    expect(all.find(({ metadata }) => metadata.name === 'shops-wave-0').spec.dependsOn).toEqual([
      { name: 'shops-headquarters-patches' },
    ]);
  });

  it('waits for the health of pools and policies, never for workloads: their nodes may join later', () => {
    const all = (delivery.engineObjects as any[]).filter(({ spec }) => spec.wait === true);
    expect(new Set(all.map(({ metadata }) => metadata.labels['edge-nodepools/layer']))).toEqual(
      new Set(['pools', 'policies']),
    );
  });
});
