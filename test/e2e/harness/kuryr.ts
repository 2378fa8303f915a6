import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sha256Of } from '../../../src/base/content-hash.js';
import { cacheFolder } from './tool.js';

const MODULE = resolve(__dirname, '..', 'tools', 'kuryr-10.0');
const REQUIREMENTS = join(MODULE, 'requirements.txt');

/** Prints what the controller reads from a folder. */
export const READ_CONF = join(MODULE, 'read.py');

/** Whether its package can be had here. */
export function hasKuryr(): boolean {
  if (existsSync(folderOf())) {
    return true;
  }
  const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-pip-'));
  const args = ['-m', 'pip', 'download', '-q', '--no-deps', '-d', folder, 'kuryr-kubernetes==10.0.0'];
  const { status } = spawnSync('python3', args, { timeout: 60_000 });
  rmSync(folder, { recursive: true, force: true });
  return status === 0;
}

const folderOf = (): string =>
  join(cacheFolder(), `kuryr-${sha256Of(readFileSync(REQUIREMENTS, 'utf8')).slice(0, 16)}`);

/** The programs of the last release of kuryr-kubernetes, installed once. */
export function kuryrPrograms(): string {
  const folder = folderOf();
  if (!existsSync(folder)) {
    const draft = `${folder}.${process.pid}`;
    for (const [program, args] of [
      ['python3', ['-m', 'venv', draft]],
      [join(draft, 'bin', 'python'), ['-m', 'pip', 'install', '-q', '-r', REQUIREMENTS]],
    ] as const) {
      const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
      if (status !== 0) {
        rmSync(draft, { recursive: true, force: true });
        throw new Error(`kuryr-kubernetes cannot be installed: ${stderr}`);
      }
    }
    renameSync(draft, folder);
  }
  return join(folder, 'bin');
}
