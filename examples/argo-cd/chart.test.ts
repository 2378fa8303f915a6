import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EdgeApp, EdgeWarnings, placeFleet } from 'edge-nodepools';
import { Testing } from 'edge-nodepools/testing';
import { addFleet, SHOPS } from './chart.js';

describe('argo-cd', () => {
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

  it('changes the headquarters first, and writes the parameters of each shop outside of the synced folders', () => {
    const [project, set, patches, root] = delivery.engineObjects as any[];
    expect([project, set, patches, root].map(({ kind }) => kind)).toEqual([
      'AppProject',
      'ApplicationSet',
      'ApplicationSet',
      'Application',
    ]);
    const steps: any[] = set.spec.strategy.rollingSync.steps;
    expect(steps.map(({ matchExpressions }) => matchExpressions[0].values)).toEqual([['0'], ['1']]);
    SHOPS.forEach(({ name, cluster }) => {
      const site: unknown = JSON.parse(readFileSync(join(outdir, 'argo-cd', 'sites', `${name}.json`), 'utf8'));
      expect(site).toMatchObject({ application: `shops-${name}`, cluster });
      expect(existsSync(join(outdir, 'sites', name, 'site.json'))).toBe(false);
    });
  });
});
