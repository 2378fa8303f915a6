import { EdgeApp, writeArtifacts } from 'edge-nodepools';
import { addFleet } from './chart.js';

const app = new EdgeApp({ prune: true });
addFleet(app);
app.synth();
writeArtifacts(app);
