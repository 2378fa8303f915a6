import { App } from 'cdk8s';
import { writeArtifacts } from 'edge-nodepools';
import { PreparedCluster } from './chart.js';

const app = new App();
const { preconditions } = new PreparedCluster(app, 'system');
app.synth();
writeArtifacts(app);

// cdk8s synth prints only the stderr of an app, not its stdout
console.error(String(preconditions.report));
