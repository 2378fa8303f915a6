import { Console } from 'node:console';
import { App } from 'cdk8s';
import { HarbourChart, PlatformChart } from './chart.js';

const app = new App();
const { quays, admission, systemComponents } = new PlatformChart(app, 'platform');
new HarbourChart(app, 'harbour', quays);
app.synth();

// cdk8s synth prints only the stderr of an app, not its stdout
const terminal = new Console(process.stderr);
terminal.table(admission.report, ['guarantee', 'mechanism', 'withYurtManagerDown']);
terminal.log('to let the policy change the system components, once:\n');
systemComponents.report.forEach(({ command }) => command !== undefined && terminal.log(command));
