import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { writeInto } from '../base/output-folder.js';
import { outputFolder, text } from './options.js';
import { type Action, type CommandLine, EXIT, UsageError } from './command-line.js';

interface Options {
  readonly out: string;
}

/** Files of a seed that cloud-init's data source NoCloud reads; it needs the first two. */
const SEED = ['meta-data', 'user-data', 'network-config', 'vendor-data'] as const;

/** Volume label by which cloud-init knows the disc, names of more than eight letters, and no padding. */
const DISC = ['-quiet', '-volid', 'cidata', '-joliet', '-rational-rock', '-no-pad'];

/** The dates that mkisofs cannot have as an option, so that the same files are the same bytes. */
const DATES = ['--modification-date=1980010100000000', '--set_all_file_dates', '1980010100000000'];

/** Programs that make a disc, the best one first. */
const PROGRAMS: readonly (readonly [name: string, ...args: string[]])[] = [
  ['xorriso', '-as', 'mkisofs', ...DATES],
  ['genisoimage'],
  ['mkisofs'],
];

/** `edge-nodepools seed-iso`: a disc of each seed folder, for machines that read their seed from a disc or a USB stick. */
function runSeedIso(from: string, { out }: Options, line: CommandLine): number {
  if (!existsSync(from) || !statSync(from).isDirectory()) {
    throw new UsageError(
      `${from}: there is no such folder; write the one that writeArtifacts has written, for example dist/join`,
    );
  }
  const seeds = seedsBelow(from);
  if (seeds.length === 0) {
    throw new UsageError(
      `there is no seed in ${from}: a folder with meta-data and user-data, as a NodeJoin with machines writes it`,
    );
  }
  for (const seed of seeds) {
    // the folder itself has no name below it
    const name = relative(from, seed).split(sep).join('/') || basename(resolve(from));
    const isSecret = (statSync(join(seed, 'user-data')).mode & 0o077) === 0;
    const disc = { path: `${name}.iso`, content: discOf(seed), ...(isSecret ? { mode: 0o600 } : {}) };
    line.stdout(`${writeInto(out, disc, 'seed-iso')}\n`);
  }
  return EXIT.ok;
}

function seedsBelow(folder: string): string[] {
  const isSeed = (path: string): boolean => existsSync(join(path, SEED[0])) && existsSync(join(path, SEED[1]));
  const below = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  return [folder, ...below].filter(isSeed).sort();
}

/** The bytes of a disc with the files of a seed. */
function discOf(seed: string): Buffer {
  const files = SEED.filter((name) => existsSync(join(seed, name)));
  for (const [program, ...args] of PROGRAMS) {
    const { error, status, stdout, stderr } = spawnSync(program, [...args, ...DISC, ...files], {
      cwd: seed,
      env: process.env,
      maxBuffer: 2 ** 26,
    });
    if (error === undefined || !('code' in error) || error.code !== 'ENOENT') {
      if (error !== undefined || status !== 0) {
        throw new UsageError(`${program} made no disc of ${seed}: ${error?.message ?? stderr.toString().trim()}`);
      }
      return stdout;
    }
  }
  throw new UsageError(
    `none of ${PROGRAMS.map(([name]) => name).join(', ')} is installed; install xorriso (apt, dnf, apk, brew), or copy each folder to a disc with the label cidata`,
  );
}

/** The options of `edge-nodepools seed-iso`. */
export function addSeedIso(program: Command, action: Action): void {
  program
    .command('seed-iso')
    .description('makes a disc for cloud-init of each seed folder that a join with machines has written')
    .argument('<folder>', 'the folder with the seed folders, for example dist/join', text)
    .addOption(outputFolder('iso'))
    .addHelpText(
      'after',
      '\nIt needs xorriso, genisoimage or mkisofs. Exit code 0: the discs are written.\n2: the input is invalid, or none of these is installed.',
    )
    .action(action(runSeedIso));
}
