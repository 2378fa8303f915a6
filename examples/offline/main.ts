import { App } from 'cdk8s';
import { manifestsOf, writeArtifacts } from 'edge-nodepools';
import { simulateOutage } from 'edge-nodepools/checks';
import { SitesChart } from './chart.js';

const app = new App();
const { pools } = new SitesChart(app, 'sites');
app.synth();
writeArtifacts(app);

// cdk8s synth prints only the stderr of an app, not its stdout
const outage = { down: { pools: ['site-1'] }, for: '10m', zones: 'pool' } as const;
console.error(String(simulateOutage(manifestsOf(app), outage, pools)));
