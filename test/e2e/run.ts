/**
 * npm run test:e2e [-- --list | --build | --only <group> … | --lane <lane> | --record]: tests with real programs; --build only builds them. The lanes can run
 * at the same time: `machines` has the groups that make machines on this one, as root, and `servers` the others.
 * E2E_MINORS=1.36 leaves out what needs servers of other minors of Kubernetes.
 * E2E_DELIVERY=1 also runs `flux` and `argo-cd`, whose programs take long to build. E2E_TRIES=2 gives a failed group a second try. A group whose tools or rights are missing says "skipped, because …" and is counted; E2E_REQUIRE=go makes a skip of a group that needs only Go a failure.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { groups } from './groups/index.js';
import { type Group, type Need, Proof } from './harness/group.js';
import { ignitionProgram } from './harness/ignition.js';
import { hasKuryr } from './harness/kuryr.js';
import { runsAllMinors } from './harness/minors.js';
import { stopProgramsAtExit } from './harness/program.js';
import { goVersion, isBuilt, nameOf, takeUsed } from './harness/tool.js';
import { ToolBuilds } from './harness/tool-builds.js';

const say = (line: string): void => console.log(line);
const record = resolve(__dirname, '..', '..', 'docs', 'proof.json');

const onPath = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

const NEEDS: Readonly<Record<Need, { readonly has: () => boolean; readonly lacking: string }>> = {
  linux: { has: () => process.platform === 'linux', lacking: 'this is not Linux' },
  root: { has: () => process.getuid?.() === 0, lacking: 'it needs root' },
  containerd: { has: () => onPath('containerd') && onPath('ctr'), lacking: 'containerd is not installed' },
  runc: { has: () => onPath('runc'), lacking: 'runc is not installed' },
  iproute2: { has: () => onPath('ip'), lacking: 'iproute2 is not installed' },
  namespaces: {
    has: () => spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', 'true']).status === 0,
    lacking: 'namespaces cannot be created here',
  },
  pulumi: {
    has: () => ['pulumi', 'pulumi-language-nodejs', 'pulumi-resource-kubernetes'].every(onPath),
    lacking: 'pulumi, its language host for Node.js or pulumi-resource-kubernetes is not on PATH',
  },
  'pulumi-languages': {
    has: () => ['yaml', 'go', 'python'].some((language) => onPath(`pulumi-language-${language}`)),
    lacking: 'no language host of Pulumi for YAML, Go or Python is on PATH',
  },
  'cloud-init': { has: () => onPath('cloud-init'), lacking: 'cloud-init is not installed' },
  ignition: { has: () => ignitionProgram() !== undefined, lacking: 'ignition is not installed' },
  curl: { has: () => onPath('curl'), lacking: 'curl is not installed' },
  chromium: { has: () => onPath('chromium'), lacking: 'chromium is not installed' },
  registry: {
    has: () => spawnSync('npm', ['view', 'cdk8s', 'version'], { timeout: 30_000 }).status === 0,
    lacking: 'no npm registry is reachable',
  },
  kuryr: { has: hasKuryr, lacking: 'kuryr-kubernetes 10.0.0 cannot be installed with pip' },
  swtpm: {
    has: () => ['swtpm', 'tpm2_unseal'].every(onPath),
    lacking: 'swtpm or tpm2-tools is not installed',
  },
  'all-minors': {
    has: () => runsAllMinors,
    lacking: 'it needs servers of all minors, and runs by hand, without E2E_MINORS',
  },
  delivery: {
    has: () => process.env.E2E_DELIVERY === '1',
    lacking: 'it runs by hand, with E2E_DELIVERY=1: its programs take 20 minutes to build',
  },
  git: { has: () => onPath('git'), lacking: 'git is not installed' },
  redis: { has: () => onPath('redis-server'), lacking: 'redis-server is not installed' },
  apt: { has: () => onPath('apt-get') && onPath('dpkg-deb'), lacking: 'apt and dpkg are not installed' },
  openssl: { has: () => onPath('openssl'), lacking: 'openssl is not installed' },
  systemd: {
    has: () => existsSync('/lib/systemd/systemd') && onPath('systemd-analyze') && onPath('journalctl'),
    lacking: 'systemd is not installed',
  },
  dnf: {
    has: () =>
      ['dnf', 'rpmbuild', 'rpmsign', 'createrepo_c', 'gpg', 'python3'].every(onPath) &&
      spawnSync('dnf', ['versionlock', '--help']).status === 0,
    lacking: 'dnf, its plugin versionlock, rpm, createrepo_c or gpg is not installed',
  },
  'cni-plugins': {
    has: () => ['/usr/lib/cni', '/opt/cni/bin'].some((folder) => existsSync(join(folder, 'loopback'))),
    lacking: 'the CNI plugins are not installed',
  },
};

/** Why a group cannot run on this machine; undefined if it can. */
function obstacle(group: Group): string | undefined {
  if (goVersion() === undefined) {
    return 'Go is not installed';
  }
  const missing = (group.needs ?? []).find((need) => !NEEDS[need].has());
  return missing === undefined ? undefined : NEEDS[missing].lacking;
}

function list(): void {
  for (const group of groups) {
    const reason = obstacle(group);
    const unbuilt = reason === undefined ? group.tools.filter((tool) => !isBuilt(tool)).length : 0;
    const state =
      reason === undefined
        ? unbuilt > 0
          ? `${unbuilt} programs to build`
          : 'ready'
        : `would be skipped, because ${reason}`;
    say(`${group.name.padEnd(12)} ${group.claim}\n${''.padEnd(12)} ${group.programs}; ${state}`);
  }
}

const OPTIONS = ['--list', '--build', '--only', '--lane', '--record'];

interface Result {
  readonly group: string;
  readonly claim: string;
  readonly programs: string;
  readonly result: string;
}

/** No group takes half of it on two cores beside another lane; what hangs is named, and not the whole run. */
const MOST_MINUTES = 20;

/** Ends the run with the name of a group that hangs. */
function watch(group: Group): NodeJS.Timeout {
  return setTimeout(() => {
    say(`\n  ${group.name} has not ended after ${MOST_MINUTES} minutes; nothing after it runs`);
    process.exit(1);
  }, MOST_MINUTES * 60_000);
}

async function runGroup(group: Group): Promise<{ readonly result: string; readonly failed: boolean }> {
  const begin = Date.now();
  const proof = new Proof(say);
  takeUsed();
  const hanging = watch(group);
  try {
    await group.run(proof);
  } catch (error) {
    proof.that('the group runs to its end', false, (error as Error).stack ?? String(error));
  }
  clearTimeout(hanging);
  const declared = new Set(group.tools.map(nameOf));
  const undeclared = takeUsed().filter((tool) => !declared.has(nameOf(tool)));
  if (undeclared.length > 0) {
    // a group can run before they are built
    proof.that('the group declares its programs', false, undeclared.map(nameOf).join(', '));
  }
  const seconds = Math.round((Date.now() - begin) / 1000);
  if (proof.failures.length === 0 && proof.passed > 0) {
    say(`  ok, ${proof.passed} checks, ${seconds} s`);
    return { result: `${proof.passed} checks passed`, failed: false };
  }
  if (proof.passed === 0 && proof.failures.length === 0) {
    proof.failures.push('the group checked nothing');
  }
  proof.failures.forEach((failure) => say(`\n  ${failure.replace(/\n/g, '\n    ')}`));
  say(`\n  ${proof.passed} checks passed, ${proof.failures.length} failed, ${seconds} s`);
  return { result: `${proof.failures.length} of ${proof.passed + proof.failures.length} checks failed`, failed: true };
}

/** Real programs on a busy machine can be slow. E2E_TRIES=2 gives a failed group a second try, and reports it; a real error fails twice. */
async function tried(group: Group): Promise<{ readonly result: string; readonly failed: boolean }> {
  const tries = Number(process.env.E2E_TRIES ?? '1');
  let outcome = await runGroup(group);
  for (let attempt = 2; outcome.failed && attempt <= tries; attempt++) {
    say(`  failed; try ${attempt} of ${tries}`);
    outcome = await runGroup(group);
    outcome = outcome.failed ? outcome : { ...outcome, result: `${outcome.result} (try ${attempt})` };
  }
  return outcome;
}

/** The first of the groups whose programs are there, or cannot be built; waits until there is one. */
async function nextOf(groups: readonly Group[], builds: ToolBuilds): Promise<Group | undefined> {
  for (;;) {
    const next = groups.find((group) => builds.errorsOf(group.tools) !== undefined);
    if (next !== undefined || groups.length === 0) {
      return next;
    }
    await builds.another();
  }
}

function remember(results: readonly Result[]): void {
  const before = existsSync(record) ? (JSON.parse(readFileSync(record, 'utf8')) as Result[]) : [];
  const merged = groups.flatMap(
    ({ name }) => results.find(({ group }) => group === name) ?? before.find(({ group }) => group === name) ?? [],
  );
  writeFileSync(record, `${JSON.stringify(merged, undefined, 2)}\n`);
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--list')) {
    list();
    return 0;
  }
  const options = args.filter((word) => word.startsWith('--'));
  const strange = options.filter((option) => !OPTIONS.includes(option));
  // every name up to the next option
  const after = (option: string): string[] =>
    args.filter(
      (word, index) =>
        !options.includes(word) && args.slice(0, index).findLast((each) => options.includes(each)) === option,
    );
  const only = after('--only');
  const [lane, ...lanes] = after('--lane');
  const loose = args.filter((word) => ![...options, ...only, ...after('--lane')].includes(word));
  const isEmpty = options.includes('--only') && only.length === 0;
  const isNoLane = options.includes('--lane') && !(['machines', 'servers'].includes(lane ?? '') && lanes.length === 0);
  if (strange.length + loose.length > 0 || isEmpty || isNoLane) {
    say(
      `${[...strange, ...loose].join(' ') || (isEmpty ? '--only without a group' : '--lane without a lane')} is not understood; write --list, --build, --only <group> …, --lane machines, --lane servers or --record`,
    );
    return 2;
  }
  const unknown = only.filter((name) => !groups.some((group) => group.name === name));
  if (unknown.length > 0) {
    say(`there is no group ${unknown.join(', ')}; write one of ${groups.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  stopProgramsAtExit();
  const chosen = groups.filter(
    ({ name, needs = [] }) =>
      (only.length === 0 || only.includes(name)) &&
      (lane === undefined || needs.includes('root') === (lane === 'machines')),
  );
  const obstacles = new Map(chosen.map((group) => [group, obstacle(group)]));
  const waiting = new Set(chosen.filter((group) => obstacles.get(group) === undefined));
  const builds = new ToolBuilds(
    [...waiting].map(({ tools }) => tools),
    say,
  );
  const built = builds.all();
  if (args.includes('--build')) {
    const errors = await built;
    errors.forEach(({ message }) => say(`\n${message}`));
    return errors.length === 0 ? 0 : 1;
  }
  const results: Result[] = [];
  let failed = 0;
  let skipped = 0;
  for (const [group, reason] of obstacles) {
    if (reason !== undefined) {
      const mustRun = process.env.E2E_REQUIRE === 'go' && (group.needs ?? []).length === 0;
      say(`\n${group.name}: ${group.claim}`);
      say(`  skipped, because ${reason}${mustRun ? '; here that is a failure' : ''}`);
      failed += mustRun ? 1 : 0;
      skipped += mustRun ? 0 : 1;
    }
  }
  for (;;) {
    const group = await nextOf([...waiting], builds);
    if (group === undefined) {
      break;
    }
    waiting.delete(group);
    say(`\n${group.name}: ${group.claim}`);
    const errors = builds.errorsOf(group.tools) ?? [];
    errors.forEach(({ message }) => say(`\n  ${message.replace(/\n/g, '\n    ')}`));
    if (errors.length > 0 && group.needs?.includes('delivery')) {
      say('  skipped, because its programs cannot be built');
      skipped += 1;
      continue;
    }
    const outcome = errors.length > 0 ? { result: 'its programs cannot be built', failed: true } : await tried(group);
    failed += outcome.failed ? 1 : 0;
    results.push({ group: group.name, claim: group.claim, programs: group.programs, result: outcome.result });
  }
  if (args.includes('--record')) {
    remember(results);
  }
  say(`\n${chosen.length - failed - skipped} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 ? 0 : 1;
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
