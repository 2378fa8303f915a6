import { App } from 'cdk8s';
import { writeArtifacts } from 'edge-nodepools';
import { ShopsChart } from './chart.js';

const app = new App();
const { machines } = new ShopsChart(app, 'shops');
app.synth();

// cdk8s synth prints only the stderr of an app, not its stdout
console.error(`files for ${machines.seeds.length} machines:`);
writeArtifacts(app).forEach((file) => console.error(`  ${file}`));
