import { EdgeApp, writeArtifacts } from 'edge-nodepools';
import { addFleet } from './chart.js';

const app = new EdgeApp({ prune: true });
const delivery = addFleet(app);
app.synth();
writeArtifacts(app);

// cdk8s synth prints only the stderr of an app, not its stdout
console.error(String(delivery.report));
