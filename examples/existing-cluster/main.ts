import { App } from 'cdk8s';
import { writeArtifacts } from 'edge-nodepools';
import { YardChart } from './chart.js';

const app = new App();
const { systemComponents } = new YardChart(app, 'yard');
app.synth();
writeArtifacts(app);

// cdk8s synth prints only the stderr of an app, not its stdout
console.error(String(systemComponents.report));
// these commands are safe for any kind of installation; the file with patches is for tools that apply server-side (README)
console.error('');
systemComponents.report.forEach(({ command }) => command !== undefined && console.error(command));
