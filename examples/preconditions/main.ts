import { App } from 'cdk8s';
import { writeArtifacts } from 'edge-nodepools';
import { PreparedCluster } from './chart.js';

const app = new App();
const { preconditions } = new PreparedCluster(app, 'system');
app.synth();
writeArtifacts(app);

// cdk8s synth prints only the stderr of an app, not its stdout
for (const { component, need, applied, lostAfter } of preconditions.report) {
  const again = lostAfter.length > 0 ? `, again after a ${lostAfter.join(', ')}` : '';
  console.error(`${component.padEnd(24)} ${need.padEnd(9)} ${applied ? `made${again}` : '-'}`);
}
