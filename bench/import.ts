/**
 * npm run bench:import: the CPU time of importing each entry point, in addition to its framework, which every program loads.
 *
 * Each import is timed in a new process, in which the framework is loaded first. The median of all rounds is compared.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const ROUNDS = Number(process.env.ROUNDS ?? '15');
const root = resolve(__dirname, '..');

const ENTRIES = [
  { entry: 'edge-nodepools', file: 'lib/index.js', framework: 'cdk8s', mostAdded: 40 },
  { entry: 'edge-nodepools/control-plane', file: 'lib/control-plane.js', framework: 'cdk8s', mostAdded: 40 },
  { entry: 'edge-nodepools/delivery', file: 'lib/delivery.js', framework: 'cdk8s', mostAdded: 40 },
  { entry: 'edge-nodepools/pulumi', file: 'lib/pulumi/index.js', framework: '@pulumi/pulumi', mostAdded: 60 },
  {
    entry: 'edge-nodepools/pulumi/control-plane',
    file: 'lib/pulumi/control-plane.js',
    framework: '@pulumi/pulumi',
    mostAdded: 60,
  },
  {
    entry: 'edge-nodepools/pulumi/delivery',
    file: 'lib/pulumi/delivery.js',
    framework: '@pulumi/pulumi',
    mostAdded: 60,
  },
];

/** Milliseconds that a fresh process takes to load a framework, then an entry. */
function load(framework: string, file: string): number[] {
  const program = `
    const timed = (run) => {
      const begin = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(begin);
      return (user + system) / 1e3;
    };
    console.log(JSON.stringify([${[framework, file].map((name) => `timed(() => require(${JSON.stringify(name)}))`).join()}]));
  `;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', program], { cwd: root, encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(stderr);
  }
  return JSON.parse(stdout) as number[];
}

const median = (times: readonly number[]): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? NaN;

let isMet = true;
for (const { entry, file, framework, mostAdded } of ENTRIES) {
  const rounds = Array.from({ length: ROUNDS }, () => load(framework, resolve(root, file)));
  const alone = median(rounds.map(([time = NaN]) => time));
  const added = median(rounds.map(([, time = NaN]) => time));
  isMet &&= added <= mostAdded;
  console.log(
    `${added <= mostAdded ? 'met   ' : 'MISSED'} ${entry} adds ${added.toFixed(0)} ms (at most ${mostAdded}) to the ${alone.toFixed(0)} ms of ${framework}`,
  );
}
process.exitCode = isMet ? 0 : 1;
