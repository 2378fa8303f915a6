/**
 * npm run bench:import: the cost of importing each entry point, in addition to its framework, which every program loads.
 *
 * Each load is timed in a new process, in which the framework is loaded first; its time is the lower bound. Other load of the machine only adds time, so
 * the minimum of each is used.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const ROUNDS = Number(process.env.ROUNDS ?? '15');
const root = resolve(__dirname, '..');

const ENTRIES = [
  { entry: 'edge-nodepools', file: 'lib/index.js', framework: 'cdk8s', mostAdded: 15 },
  { entry: 'edge-nodepools/pulumi', file: 'lib/pulumi/index.js', framework: '@pulumi/pulumi', mostAdded: 40 },
];

/** Milliseconds that a fresh process takes to load modules, one after the other. */
function load(modules: readonly string[]): number[] {
  const program = `console.log(JSON.stringify(${JSON.stringify(modules)}.map((module) => {
    const begin = process.hrtime.bigint();
    require(module);
    return Number(process.hrtime.bigint() - begin) / 1e6;
  })))`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', program], { cwd: root, encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(stderr);
  }
  return JSON.parse(stdout) as number[];
}

let isMet = true;
for (const { entry, file, framework, mostAdded } of ENTRIES) {
  const rounds = Array.from({ length: ROUNDS }, () => load([framework, resolve(root, file)]));
  const [alone, added] = [0, 1].map((index) => Math.min(...rounds.map((times) => times[index] ?? NaN))) as [
    number,
    number,
  ];
  isMet &&= added <= mostAdded;
  console.log(
    `${added <= mostAdded ? 'met   ' : 'MISSED'} ${entry} adds ${added.toFixed(0)} ms (at most ${mostAdded}) to the ${alone.toFixed(0)} ms of ${framework}: ${((alone + added) / alone).toFixed(2)}x`,
  );
}
process.exitCode = isMet ? 0 : 1;
