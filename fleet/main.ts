import { EdgeApp, writeArtifacts } from 'edge-nodepools';
import { addFleet } from './fleet';

const app = new EdgeApp();
addFleet(app);
app.synth();
writeArtifacts(app);
