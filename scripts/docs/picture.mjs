// docs/fleet.svg, the picture of the README: where the workloads of examples/quickstart run.
import { App } from 'cdk8s';
import { load } from '../source.mjs';

export function picture() {
  const app = new App();
  new (load('examples/quickstart/chart.ts').FleetChart)(app, 'fleet');
  const manifests = app.charts.flatMap((chart) => chart.toJson());
  const overview = load('src/fleet/fleet-overview.ts').fleetOverview(manifests);
  const svg = load('src/fleet/fleet-picture.ts').fleetPicture(overview);
  return { files: new Map([['docs/fleet.svg', svg]]), failures: [] };
}
