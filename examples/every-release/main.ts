import { App } from 'cdk8s';
import { addCharts } from './chart.js';

const app = new App();
addCharts(app);
app.synth();
