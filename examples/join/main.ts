import { App } from 'cdk8s';
import { writeArtifacts } from 'edge-nodepools';
import { ShopsChart } from './chart.js';

const app = new App();
const { report } = new ShopsChart(app, 'shops');
app.synth();

// cdk8s synth prints only the stderr of an app, not its stdout
console.error('files for new machines:');
writeArtifacts(app).forEach((file) => console.error(`  ${file}`));
console.error(`\n${report}`);
