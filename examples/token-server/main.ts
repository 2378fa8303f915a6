import { App } from 'cdk8s';
import { writeArtifacts } from 'edge-nodepools';
import { ShopsChart, TokenServerChart } from './chart.js';

const app = new App();
new TokenServerChart(app, 'token-server');
new ShopsChart(app, 'shops');
app.synth();

// cdk8s synth prints only the stderr of an app, not its stdout
writeArtifacts(app).forEach((file) => console.error(`  ${file}`));
