import { App } from 'cdk8s';
import { manifestsOf, placeFleet, writeArtifacts } from 'edge-nodepools';
import { FleetChart } from './chart.js';

const app = new App();
const { systemComponents } = new FleetChart(app, 'fleet');
app.synth();
writeArtifacts(app);

// cdk8s synth prints only the stderr of an app, not its stdout
console.error(String(placeFleet(manifestsOf(app))));
console.error(`\n${String(systemComponents.report)}`);
