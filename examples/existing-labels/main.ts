import { App } from 'cdk8s';
import { manifestsOf, placeFleet, writeArtifacts } from 'edge-nodepools';
import { DepotsChart } from './chart.js';

const app = new App();
const { north, systemComponents } = new DepotsChart(app, 'depots');
app.synth();
writeArtifacts(app);

// cdk8s synth prints only the stderr of an app, not its stdout
const station = { name: 'station', labels: { 'kubernetes.io/os': 'linux' } };
console.error(String(placeFleet(manifestsOf(app), [north, station])));
console.error(`\n${String(systemComponents.report)}`);
console.error('\nlabels with which a new node of the depot north joins:', north.joinLabels);
