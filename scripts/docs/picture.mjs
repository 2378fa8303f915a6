// docs/fleet.svg, the picture of the README: where the workloads of examples/quickstart run.
import { join } from 'node:path';
import { App } from 'cdk8s';
import { require as requireSource } from 'tsx/cjs/api';
import { root } from '../install.mjs';

export function picture() {
  const load = (path) => requireSource(join(root, path), import.meta.url);
  const app = new App();
  new (load('examples/quickstart/chart.ts').FleetChart)(app, 'fleet');
  const manifests = app.charts.flatMap((chart) => chart.toJson());
  const overview = load('src/fleet/fleet-overview.ts').fleetOverview(manifests);
  const svg = load('src/fleet/fleet-picture.ts').fleetPicture(overview);
  return { files: new Map([['docs/fleet.svg', svg]]), failures: [] };
}
