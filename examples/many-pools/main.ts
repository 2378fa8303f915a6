import { App } from 'cdk8s';
import { addPools } from './program.js';

const app = new App();
if (addPools(app, process.argv[2] ?? 'pools.csv') === undefined) {
  process.exitCode = 1;
} else {
  app.synth();
}
