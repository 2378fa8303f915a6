// npm run house [-- --check | --lower]: how large the house is, beside the bounds in house.json. --check fails where a bound is passed, --lower writes what is
// smaller. Who raises a bound names the capability in "raised".
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './install.mjs';
import { source } from './source.mjs';

const require = createRequire(import.meta.url);

/** Lines are counted in hundreds, so that not every change touches a bound. */
const STEP = 100;
const textOf = (path) => readFileSync(join(root, path), 'utf8');
const linesOf = (path) => textOf(path).split('\n').length - 1;

function filesBelow(folder) {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', folder];
  const paths = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n');
  return paths.filter((path) => path !== '' && existsSync(join(root, path)));
}

/** How many files of the plans a call goes through. */
function filesOf(call) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true });
  call();
  let entered;
  session.post('Profiler.takePreciseCoverage', (_, { result }) => (entered = result));
  session.disconnect();
  const isCalled = ({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0;
  const ofPlans = /\/src\/(?!constructs|pulumi|cli)[a-z-]+\/[a-z-]+\.ts$/;
  return entered.filter(({ url, functions }) => ofPlans.test(url) && functions.some(isCalled)).length;
}

/** The three nouns that the bounds name, with few properties. */
function filesOfNouns() {
  const { App, Chart } = require('cdk8s');
  const { EdgeCluster, EdgeWarnings, ExcludedWorkload, HostNetworkNodePool, JoinToken, NodeJoin } = source('index.ts');
  const app = new App({ outdir: join(root, '.cache', 'house') });
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'house');
  const apiServer = '192.0.2.1:6443';
  const caCertHashes = [`sha256:${'0'.repeat(64)}`];
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', apiServer, caCertHashes });
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
  const workload = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: labels }, template },
  };
  let pool;
  return {
    HostNetworkNodePool: filesOf(() => (pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'edge' }))),
    ExcludedWorkload: filesOf(() => new ExcludedWorkload(chart, 'web', { cluster, workload })),
    NodeJoin: filesOf(() => new NodeJoin(chart, 'join', { pool, token: JoinToken.fromFile('/run/token') })),
  };
}

function measure() {
  const src = filesBelow('src');
  const lines = {};
  for (const path of src) {
    const room = path.split('/').slice(0, -1).join('/');
    lines[`lines of ${room}`] = (lines[`lines of ${room}`] ?? 0) + linesOf(path);
  }
  const tests = filesBelow('test').filter((path) => !path.startsWith('test/e2e/'));
  lines['lines of tests without e2e'] = tests.reduce((sum, path) => sum + linesOf(path), 0);
  const hundreds = Object.entries(lines).map(([name, count]) => [name, Math.ceil(count / STEP) * STEP]);
  const ofJoin = src.filter((path) => path.startsWith('src/join/'));
  const all = src.map(textOf).join('').split('\n');
  return {
    ...Object.fromEntries(hundreds.sort()),
    'files of src': src.length,
    'files of src/join': ofJoin.length,
    'shell files of src/join': ofJoin.filter((path) => path.endsWith('.sh')).length,
    'names of edge-nodepools': textOf('etc/edge-nodepools.api.md').match(/^export /gm).length,
    'lines over 120 characters': all.filter((line) => line.length > 120).length,
    ...Object.fromEntries(
      Object.entries(filesOfNouns()).map(([noun, files]) => [`files that ${noun} goes through`, files]),
    ),
  };
}

const path = join(root, 'scripts', 'house.json');
const { bounds, raised } = JSON.parse(readFileSync(path, 'utf8'));
const measured = measure();
const faults = [...new Set([...Object.keys(bounds), ...Object.keys(measured)])].flatMap((name) => {
  if (bounds[name] === undefined) return [`${name}: no bound`];
  if (measured[name] === undefined) return [`${name}: a bound of nothing`];
  return measured[name] > bounds[name] ? [`${name}: ${measured[name]}, at most ${bounds[name]}`] : [];
});
if (process.argv.includes('--lower')) {
  const lowered = Object.entries(measured).map(([name, value]) => [name, Math.min(value, bounds[name] ?? value)]);
  writeFileSync(path, `${JSON.stringify({ bounds: Object.fromEntries(lowered), raised }, null, 2)}\n`);
} else {
  Object.entries(measured).forEach(([name, value]) =>
    console.log(`${String(value).padStart(7)}  ${name} (${bounds[name]})`),
  );
  console.log(
    `${String(filesBelow('src').reduce((sum, file) => sum + linesOf(file), 0)).padStart(7)}  lines of src, exactly`,
  );
  console.log(faults.join('\n'));
  process.exitCode = process.argv.includes('--check') && faults.length > 0 ? 1 : 0;
}
