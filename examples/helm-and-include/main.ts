import { App } from 'cdk8s';
import { AddOnsChart, hasHelm } from './chart.js';

const helm = hasHelm();
const app = new App();
const { report } = new AddOnsChart(app, 'add-ons', { helm });
app.synth();

// cdk8s synth prints only the stderr of an app, not its stdout
console.error(String(report));
if (!helm) {
  console.error('charts/agent: skipped, because helm is not on PATH');
}
