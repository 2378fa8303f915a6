import { App } from 'cdk8s';
import { writeArtifacts } from 'edge-nodepools';
import { StationsChart } from './chart.js';
import { kubeletArguments } from './kubelet-arguments.js';

const app = new App();
const { pools, joins, systemComponents } = new StationsChart(app, 'stations');
app.synth();
writeArtifacts(app);

// cdk8s synth prints only the stderr of an app, not its stdout
console.error('kubelet arguments of a node, by pool (each has a file in dist/join that makes a machine such a node):');
joins.forEach((join, index) => {
  console.error(`\n${pools[index]?.poolName}\n  ${kubeletArguments(join).join('\n  ')}`);
});

console.error('\nto keep the system components off:\n');
systemComponents.report.forEach(({ command }) => command !== undefined && console.error(command));
