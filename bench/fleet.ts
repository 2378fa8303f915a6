/**
 * npm run bench: what whole commands cost that write the manifests of a fleet, this library beside what people use: CPU time and memory of the process.
 *
 * All programs write the same objects, which is checked first, and run in turn: ratios are medians over rounds of one run. The result is written to
 * docs/performance.md, with a picture. Helm, kustomize and jsonnet are taken from PATH; GNU time measures them all.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { makeFolder, objectsIn, peers, readObjects, type Peer, type Shape } from './fleet-peers';
import { AGAIN, writeReport, type Cost, type Row } from './fleet-report';

const SIZES: Readonly<Record<Shape, readonly number[]>> = {
  flat: [100, 1_000, 10_000, 20_000, 100_000],
  charts: [100, 1_000, 4_000, 20_000, 100_000],
  sites: [30, 300, 3_000],
  included: [10, 100],
  warned: [100, 1_000],
};
/** A program that would take longer than this, in seconds, is not run at that size, and ended if it does. */
const LIMIT = Number(process.env.LIMIT ?? '150');
/** How `timeout` of GNU says so. */
const TIMED_OUT = 124;
const LARGEST = Number(process.env.LARGEST ?? '100000');

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;

/** Its result is thrown away. Undefined if it takes too long. */
function measure(command: readonly string[], folder: string): Cost | undefined {
  const report = join(folder, 'time');
  const output = openSync(join(folder, 'output'), 'w');
  const time = ['/usr/bin/time', '-f', '%U %S %M', '-o', report];
  const { status, stderr, error } = spawnSync('timeout', [String(LIMIT), ...time, ...command], {
    cwd: folder,
    stdio: ['ignore', output, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(output);
  if (status === TIMED_OUT) {
    return undefined;
  }
  if (error !== undefined || status !== 0) {
    throw new Error(`${command.join(' ')}: ${error?.message ?? stderr}`);
  }
  const [user = NaN, system = NaN, kilobytes = NaN] = readFileSync(report, 'utf8').split(/\s+/).map(Number);
  return { seconds: user + system, megabytes: kilobytes / 1024 };
}

const distOf = (name: string, folder: string): string => join(folder, `${name}-dist`);

/** Every program writes the same objects, and cdk8s the same bytes. */
function check(shape: Shape, programs: readonly Peer[], folder: string): void {
  const count = 3;
  const written = programs.map((peer) => {
    peer.prepare(shape, count, folder);
    measure(peer.command(shape, count, folder), folder);
    const dist = distOf(peer.name, folder);
    const objects = ['edge-nodepools', 'cdk8s', 'yaml'].includes(peer.name)
      ? readObjects(dist)
      : objectsIn(readFileSync(join(folder, 'output'), 'utf8'));
    rmSync(dist, { recursive: true, force: true });
    return objects.map((object) => JSON.stringify(sorted(object))).sort();
  });
  for (const [index, objects] of written.entries()) {
    if (!isDeepStrictEqual(objects, written[0])) {
      throw new Error(`${programs[index]?.name} writes other objects than ${programs[0]?.name}`);
    }
  }
}

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([one], [other]) => (one < other ? -1 : 1))
            .map(([key, inner]) => [key, sorted(inner)]),
        )
      : value;

function measureSize(shape: Shape, count: number, programs: readonly Peer[], folder: string, rounds: number): Row {
  const taken = new Map<string, Cost[]>();
  const slow = new Set<string>();
  const note = (name: string, peer: Peer): void => {
    const cost = measure(peer.command(shape, count, folder), folder);
    if (cost === undefined) {
      slow.add(peer.name);
      taken.delete(name);
    } else {
      taken.set(name, [...(taken.get(name) ?? []), cost]);
    }
  };
  for (const peer of programs) {
    peer.prepare(shape, count, folder);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const peer of programs.filter(({ name }) => !slow.has(name))) {
      rmSync(distOf(peer.name, folder), { recursive: true, force: true });
      note(peer.name, peer);
      if (peer.name === 'edge-nodepools') {
        note(AGAIN, peer);
      }
    }
  }
  const ours = taken.get('edge-nodepools') ?? [];
  return {
    shape,
    count,
    costs: new Map(
      [...taken].map(([name, costs]) => [
        name,
        { seconds: median(costs.map((cost) => cost.seconds)), megabytes: median(costs.map((cost) => cost.megabytes)) },
      ]),
    ),
    ratios: new Map(
      [...taken].map(([name, costs]) => [
        name,
        median(costs.map(({ seconds }, round) => (ours[round]?.seconds ?? NaN) / seconds)),
      ]),
    ),
  };
}

/** What a program will take at the next size, as if its time grew as it did before. */
function foretold(rows: readonly Row[], name: string, count: number): number {
  const [last, before] = rows.toReversed();
  const seconds = last?.costs.get(name)?.seconds;
  if (last === undefined || seconds === undefined) {
    return rows.length === 0 ? 0 : Infinity;
  }
  const earlier = before?.costs.get(name)?.seconds ?? seconds;
  const power = before === undefined ? 1 : Math.log(seconds / earlier) / Math.log(last.count / before.count);
  return seconds * (count / last.count) ** Math.max(1, power);
}

/** Fewer of what takes minutes. */
function roundsOf(shape: Shape, count: number): number {
  if (count >= 100_000 || (shape === 'sites' && count >= 3_000)) {
    return 1;
  }
  return count >= 10_000 || !['flat', 'charts'].includes(shape) ? 3 : 5;
}

function main(): void {
  const all = peers();
  for (const { name, isMissing } of all) {
    if (isMissing !== undefined) {
      console.log(`${name}: skipped, because ${isMissing}`);
    }
  }
  const there = all.filter(({ isMissing }) => isMissing === undefined);
  const rows: Row[] = [];
  for (const shape of Object.keys(SIZES) as Shape[]) {
    const programs = there.filter(({ isOfCharts }) => isOfCharts ?? !['included', 'warned'].includes(shape));
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-bench-'));
    try {
      makeFolder(shape, folder);
      check(shape, programs, folder);
      for (const count of SIZES[shape].filter((size) => size <= LARGEST)) {
        const before = rows.filter((row) => row.shape === shape);
        const able = programs.filter(({ name }) => foretold(before, name, count) <= LIMIT);
        const rounds = Number(process.env.ROUNDS ?? roundsOf(shape, count));
        const row = measureSize(shape, count, able, folder, rounds);
        rows.push(row);
        console.log(
          `${shape} ${count}: ${[...row.costs].map(([name, cost]) => `${name} ${cost.seconds.toFixed(2)} s ${cost.megabytes.toFixed(0)} MB`).join(', ')}`,
        );
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  writeReport(rows, there);
}

main();
