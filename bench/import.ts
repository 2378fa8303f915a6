/**
 * npm run bench:import: the cost of importing each entry point, in addition to its framework, which every program loads.
 *
 * An entry loads a module when one of its names is first used, so the names that declare a pool are used; the time for all names is printed, too.
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

/** What a program that declares pools uses. */
const NAMES = ['EdgeCluster', 'HostNetworkNodePool'];

/** Milliseconds that a fresh process takes to load a framework, then the names of an entry, then all others. */
function load(framework: string, file: string): number[] {
  const program = `
    const timed = (run) => {
      const begin = process.hrtime.bigint();
      run();
      return Number(process.hrtime.bigint() - begin) / 1e6;
    };
    const names = ${JSON.stringify(NAMES)};
    const alone = timed(() => require(${JSON.stringify(framework)}));
    const some = timed(() => names.map((name) => require(${JSON.stringify(file)})[name]));
    const others = timed(() => ({ ...require(${JSON.stringify(file)}) }));
    console.log(JSON.stringify([alone, some, some + others]));
  `;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', program], { cwd: root, encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(stderr);
  }
  return JSON.parse(stdout) as number[];
}

let isMet = true;
for (const { entry, file, framework, mostAdded } of ENTRIES) {
  const rounds = Array.from({ length: ROUNDS }, () => load(framework, resolve(root, file)));
  const [alone, added, all] = [0, 1, 2].map((index) => Math.min(...rounds.map((times) => times[index] ?? NaN))) as [
    number,
    number,
    number,
  ];
  isMet &&= added <= mostAdded;
  console.log(
    `${added <= mostAdded ? 'met   ' : 'MISSED'} ${entry} adds ${added.toFixed(0)} ms (at most ${mostAdded}) to the ${alone.toFixed(0)} ms of ${framework}: ${((alone + added) / alone).toFixed(2)}x; all names ${all.toFixed(0)} ms`,
  );
}
process.exitCode = isMet ? 0 : 1;
