import { App } from 'cdk8s';
import { writeArtifacts } from 'edge-nodepools';
import { ShopsChart } from './chart.js';

const app = new App();
const { report } = new ShopsChart(app, 'shops');
app.synth();

// cdk8s synth shows what an app writes to stderr, not what it writes to stdout
console.error('files for new machines:');
writeArtifacts(app).forEach((file) => console.error(`  ${file}`));
console.error(`\n${report}`);
