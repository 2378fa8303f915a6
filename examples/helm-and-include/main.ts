import { App } from 'cdk8s';
import { AddOnsChart, hasHelm } from './chart.js';

const helm = hasHelm();
const app = new App();
const { report } = new AddOnsChart(app, 'add-ons', { helm });
app.synth();

// cdk8s synth prints only the stderr of an app, not its stdout
for (const { workload, changed } of report.touched) {
  console.error([`touched  ${workload}`, ...changed].join('\n           '));
}
for (const { workload, reason } of report.skipped) {
  console.error(`skipped  ${workload}: ${reason}`);
}
if (!helm) {
  console.error('charts/agent: skipped, because helm is not on PATH');
}
