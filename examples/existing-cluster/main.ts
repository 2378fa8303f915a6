import { App } from 'cdk8s';
import { writeArtifacts } from 'edge-nodepools';
import { YardChart } from './chart.js';
import { reportTable } from './report-table.js';

const app = new App();
const { systemComponents } = new YardChart(app, 'yard');
app.synth();
writeArtifacts(app);

// cdk8s synth shows what an app writes to stderr, not what it writes to stdout
console.error(reportTable(systemComponents.report));
// safe however a component was installed; the file of patches is for tools that apply server-side (README)
console.error('');
systemComponents.report.forEach(({ command }) => command !== undefined && console.error(command));
