import { App } from 'cdk8s';
import { HarbourChart, PlatformChart } from './chart.js';

const app = new App();
const { quays, admission, systemComponents } = new PlatformChart(app, 'platform');
new HarbourChart(app, 'harbour', quays);
app.synth();

// cdk8s synth prints only the stderr of an app, not its stdout
console.error(String(admission.report));
console.error('\nto let the policy change the system components, once:\n');
systemComponents.report.forEach(({ command }) => command !== undefined && console.error(command));
