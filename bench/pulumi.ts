/**
 * npm run bench:pulumi: 1,000 pools and 1,000 workloads (COUNT), against bare components with the same arguments, objects, resource options,
 * dependencies and outputs, in one run.
 *
 * The alias of a NodePool, which lets a stack live through releases of OpenYurt, costs Pulumi itself a ninth of the time and of the memory. Bare components
 * have it too; a line without a bound says what it costs beside bare components without it.
 *
 * The CPU time and the memory of the program with mocks, with known values and with one Output in each component; and of the program and the engine in a
 * preview, if `pulumi` is on PATH. The preview needs no cluster: the provider writes files. The speed of a machine changes by more than the bounds, so
 * both programs run in turn, and the ratio is the median of those of several rounds (ROUNDS).
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROUNDS = Number(process.env.ROUNDS ?? '5');
const COUNT = process.env.COUNT ?? '1000';
const root = resolve(__dirname, '..');

interface Cost {
  readonly milliseconds: number;
  readonly megabytes: number;
}

const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-bench-'));
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  BENCH_COUNT: COUNT,
  BENCH_RECORDING: join(folder, 'recording.json'),
  BENCH_RESULT: join(folder, 'result.json'),
  PULUMI_HOME: join(folder, 'home'),
  PULUMI_BACKEND_URL: `file://${join(folder, 'state')}`,
  PULUMI_CONFIG_PASSPHRASE: 'bench',
  PULUMI_SKIP_UPDATE_CHECK: 'true',
  PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
};

/** Runs a command in the folder of the program. */
function run(command: string, args: readonly string[], added: NodeJS.ProcessEnv): void {
  const env = { ...environment, ...added };
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')}: ${stdout.slice(-2000)}${stderr.slice(-2000)}`);
  }
}

const withMocks = (added: NodeJS.ProcessEnv): void =>
  run(process.execPath, ['index.cjs'], { BENCH_MOCKS: 'true', ...added });

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** The third decimal is noise. */
const asPrinted = (ratio: number): number => Number(ratio.toFixed(2));

/** What the program itself has measured. */
function program(added: NodeJS.ProcessEnv): Cost {
  withMocks(added);
  return JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as Cost;
}

/** A preview by the engine: CPU time of all its processes is not to be had, so the time is that of the clock. */
function preview(added: NodeJS.ProcessEnv): Cost {
  const begin = process.hrtime.bigint();
  run('pulumi', ['preview', '--stack=bench', '--non-interactive', '--color=never', '--suppress-outputs'], added);
  const milliseconds = Number(process.hrtime.bigint() - begin) / 1e6;
  return { milliseconds, megabytes: (JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as Cost).megabytes };
}

function compare(
  what: string,
  most: number | undefined,
  measure: (added: NodeJS.ProcessEnv) => Cost,
  added: NodeJS.ProcessEnv,
): boolean {
  const rounds = Array.from({ length: ROUNDS }, () => ({
    bare: measure({ ...added, BENCH_KIND: 'bare' }),
    ours: measure({ ...added, BENCH_KIND: 'ours' }),
  }));
  const of = (unit: keyof Cost): number => median(rounds.map(({ ours }) => ours[unit]));
  const ratio = (unit: keyof Cost): number => median(rounds.map(({ bare, ours }) => ours[unit] / bare[unit]));
  const [time, memory] = [ratio('milliseconds'), ratio('megabytes')];
  const isMet = most === undefined || (asPrinted(time) <= most && asPrinted(memory) <= MOST_MEMORY);
  const [state, timeBound, memoryBound] =
    most === undefined
      ? ['      ', '', '']
      : [isMet ? 'met   ' : 'MISSED', ` (at most ${most})`, ` (at most ${MOST_MEMORY})`];
  console.log(
    `${state} ${what}: ${(of('milliseconds') / 1000).toFixed(1)} s, ${time.toFixed(2)}x bare components${timeBound}; ${of('megabytes').toFixed(0)} MB, ${memory.toFixed(2)}x${memoryBound}`,
  );
  return isMet;
}

const MOST_MEMORY = 1.2;

function main(): void {
  for (const name of ['@pulumi/pulumi', '@pulumi/kubernetes']) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
  symlinkSync(root, join(folder, 'node_modules', 'edge-nodepools'));
  writeFileSync(join(folder, 'index.cjs'), readFileSync(join(root, 'bench', 'pulumi-fleet.cjs')));
  withMocks({ BENCH_KIND: 'ours', BENCH_COUNT: '1', BENCH_RESULT: '' });
  const met = [
    compare('mocks, known values', 1.25, program, { BENCH_LATE: 'false' }),
    compare('mocks, an Output in each component', 1.4, program, { BENCH_LATE: 'true' }),
    compare('mocks, known values, NodePools without their alias', undefined, program, { BENCH_OPTIONS: 'false' }),
  ];
  if (spawnSync('pulumi', ['version']).status === 0) {
    const runtime = { name: 'nodejs', options: { typescript: false } };
    const config = { 'kubernetes:renderYamlToDirectory': { value: join(folder, 'rendered') } };
    writeFileSync(join(folder, 'Pulumi.yaml'), JSON.stringify({ name: 'bench', main: 'index.cjs', runtime, config }));
    mkdirSync(join(folder, 'state'));
    run('pulumi', ['stack', 'init', 'bench'], {});
    met.push(compare('preview by the engine', 1.1, preview, { BENCH_LATE: 'false' }));
  } else {
    console.log('preview by the engine: skipped, because there is no pulumi on PATH');
  }
  process.exitCode = met.every(Boolean) ? 0 : 1;
}

try {
  main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
