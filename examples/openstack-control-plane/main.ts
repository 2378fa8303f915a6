import { App } from 'cdk8s';
import { writeArtifacts } from 'edge-nodepools';
import { ClusterChart, ManagementChart } from './chart.js';

const app = new App();
const edge = new ClusterChart(app, 'edge');
new ManagementChart(app, 'management', edge);
app.synth();
writeArtifacts(app);

// cdk8s synth prints only the stderr of an app, not its stdout
console.error(`patches of running components:\n\n${String(edge.qos.report)}`);
