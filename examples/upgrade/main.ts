import { App } from 'cdk8s';
import { clusters, differences, FleetChart } from './chart.js';

const app = new App();
new FleetChart(app, 'before', clusters.before);
new FleetChart(app, 'after', clusters.after);
app.synth();
// stdout is for cdk8s
process.stderr.write(`${differences().toString()}\n`);
