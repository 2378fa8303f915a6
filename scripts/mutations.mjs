// npm run test:mutations [-- <part of a name> …] [-- --e2e | --check]: breaks the library on purpose, and sees that the tests notice. Each mutation must turn
// every test file red that it names; with --e2e, its end-to-end group; with --check, it only must be possible. They are made in copies of the checkout, never in the checkout itself.
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { binOf, ensureInstalled, root } from './install.mjs';
import { editOf, mutatedText } from './mutations/place.mjs';
import { MUTATIONS } from './mutations/table.mjs';

const AT_A_TIME = 2;
/** A mutation may make a test run forever. */
const MOST_MINUTES = 10;

const copies = [];
const running = new Set();
process.on('exit', () => {
  running.forEach((child) => child.kill('SIGKILL'));
  copies.forEach((copy) => rmSync(copy, { recursive: true, force: true }));
});
['SIGINT', 'SIGTERM', 'SIGHUP'].forEach((signal) => process.on(signal, () => process.exit(130)));

function copyOfCheckout() {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const copy = mkdtempSync(join(root, '.cache', 'mutation-'));
  copies.push(copy);
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of files.split('\n').filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  // nothing may be installed in a copy: that would empty the folder behind the link
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Runs a program of a dependency in a copy. */
function runIn(copy, name, args, minutes) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [binOf(name), ...args], {
      cwd: copy,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, EDGE_NODEPOOLS_TEST_DEPTH: '' },
      ...(minutes === undefined ? {} : { timeout: minutes * 60_000, killSignal: 'SIGKILL' }),
    });
    running.add(child);
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('close', (status) => {
      running.delete(child);
      done({ status, output });
    });
  });
}

/** What jest says of each test file: `green`, `red`, or `does not run`, which is no answer to a mutation. */
async function jest(copy, files, workers, minutes) {
  const report = join(copy, 'jest-report.json');
  rmSync(report, { force: true });
  const flags = ['--silent', '--json', `--outputFile=${report}`, `--maxWorkers=${workers}`];
  const { output } = await runIn(copy, 'jest', [...flags, '--runTestsByPath', ...files], minutes);
  if (!existsSync(report)) {
    return { verdicts: new Map(files.map((file) => [file, 'does not run'])), output };
  }
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  // Jest calls a file with a skipped test focused
  const verdictOf = ({ status, assertionResults }) =>
    ['passed', 'focused'].includes(status)
      ? 'green'
      : assertionResults.some((each) => each.status === 'failed')
        ? 'red'
        : 'does not run';
  const found = new Map(testResults.map((result) => [relative(copy, result.name), verdictOf(result)]));
  return {
    verdicts: new Map(files.map((file) => [file, found.get(file) ?? 'does not run'])),
    output: testResults.map(({ message }) => message).join('\n'),
  };
}

async function mutated(copy, mutation, run) {
  const edit = editOf(root, mutation);
  const write = (text) => writeFileSync(join(copy, edit.file), text);
  write(mutatedText(edit));
  try {
    return await run();
  } finally {
    write(edit.text);
  }
}

/** What speaks against a mutation before it is made. */
function faultOf(mutation) {
  const { what, tests = [], group } = mutation;
  const edit = editOf(root, mutation);
  const missing = tests.filter((test) => !existsSync(join(root, test)));
  return typeof edit === 'string'
    ? `${what}: ${edit}`
    : mutatedText(edit) === edit.text
      ? `${what}: it changes nothing`
      : missing.length > 0
        ? `${what}: there is no ${missing.join(', ')}`
        : tests.length === 0 && group === undefined
          ? `${what}: it names neither tests nor a group`
          : undefined;
}

function roomsWithout(mutations) {
  const rooms = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return rooms.map(({ name }) => name).filter((name) => !mutations.some(({ at }) => /^[^/#]+/.exec(at)[0] === name));
}

/** By unit tests: the files that the mutation names. */
const BY_UNIT_TESTS = {
  concerns: ({ tests = [] }) => tests.length > 0,
  copies: AT_A_TIME,
  async isKilled(copy, { tests }) {
    const { verdicts, output } = await jest(copy, tests, 1, MOST_MINUTES);
    const alive = [...verdicts].filter(([, verdict]) => verdict !== 'red');
    return {
      killed: alive.length === 0,
      by: alive.length === 0 ? tests.join(', ') : alive.map(([file, verdict]) => `${file} ${verdict}`).join(', '),
      output,
    };
  },
};

/** By end-to-end groups, one after the other: they take all of the machine. */
const BY_GROUPS = {
  concerns: ({ group }) => group !== undefined,
  copies: 1,
  async isKilled(copy, { group }) {
    const { status, output } = await runIn(copy, 'tsx', [
      '--require',
      './scripts/texts.cjs',
      'test/e2e/run.ts',
      '--only',
      group,
    ]);
    return { killed: status === 1 && /[1-9]\d* failed/.test(output), by: `group ${group}`, output };
  },
};

const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/** Tests that fail without a mutation too would kill every one. */
async function findRed(copy, mutations) {
  const files = [...new Set(mutations.flatMap(({ tests }) => tests))];
  const { verdicts, output } = await jest(copy, files, AT_A_TIME);
  const red = [...verdicts].filter(([, verdict]) => verdict !== 'green').map(([file]) => file);
  if (red.length > 0) {
    console.log(`${output}\nnot green without any mutation: ${red.join(', ')}`);
  }
  return red;
}

async function main(args) {
  const start = Date.now();
  const parts = args.filter((arg) => !arg.startsWith('--'));
  const way = args.includes('--e2e') ? BY_GROUPS : BY_UNIT_TESTS;
  const wrong = [
    ...args
      .filter((arg) => arg.startsWith('--') && !['--e2e', '--check'].includes(arg))
      .map((arg) => `there is no option ${arg}`),
    ...MUTATIONS.map(faultOf).filter((fault) => fault !== undefined),
    ...roomsWithout(MUTATIONS).map((room) => `src/${room} has no mutation`),
  ];
  const chosen = MUTATIONS.filter(way.concerns).filter(
    ({ what, at }) => parts.length === 0 || parts.some((part) => what.includes(part) || at.includes(part)),
  );
  if (wrong.length > 0 || chosen.length === 0) {
    console.error(wrong.length > 0 ? wrong.join('\n') : `no mutation has ${parts.join(' or ')} in its name`);
    return 1;
  }
  if (args.includes('--check')) {
    return 0;
  }
  const own = Array.from({ length: Math.min(way.copies, chosen.length) }, copyOfCheckout);
  const red = way === BY_UNIT_TESTS ? await findRed(own[0], chosen) : [];
  if (red.length > 0) {
    return 1;
  }
  const survivors = [];
  const queue = [...chosen];
  const work = async (copy) => {
    for (let mutation = queue.shift(); mutation !== undefined; mutation = queue.shift()) {
      const since = Date.now();
      const { killed, by, output } = await mutated(copy, mutation, () => way.isKilled(copy, mutation));
      if (!killed) {
        survivors.push(mutation.what);
        console.log(output.split('\n').slice(-15).join('\n'));
      }
      console.log(`${killed ? 'killed  ' : 'SURVIVED'}  ${mutation.what} (${by}, ${seconds(since)})`);
    }
  };
  await Promise.all(own.map(work));
  console.log(`${chosen.length - survivors.length} of ${chosen.length} mutations killed in ${seconds(start)}`);
  if (survivors.length > 0) {
    console.log(`survivors:\n${survivors.map((what) => `  ${what}`).join('\n')}`);
  }
  return survivors.length === 0 ? 0 : 1;
}

ensureInstalled();
process.exit(await main(process.argv.slice(2)));
