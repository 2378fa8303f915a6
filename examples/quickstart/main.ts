import { App } from 'cdk8s';
import { writeArtifacts } from 'edge-nodepools';
import { FleetChart } from './chart.js';

const app = new App();
new FleetChart(app, 'fleet');
app.synth();
writeArtifacts(app);
