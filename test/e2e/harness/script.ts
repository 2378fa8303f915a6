import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ControlPlane } from './control-plane.js';
import { shellOf } from './kubectl.js';

/** How a script is run. */
export interface ScriptRun {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Runs again and again while the script does. */
  readonly look?: () => Promise<void>;
}

/** Runs a script with the real kubectl. Returns its exit code and its output. */
export async function tryScript(
  plane: ControlPlane,
  file: string,
  { args = [], env = {}, look = () => Promise.resolve() }: ScriptRun = {},
): Promise<{ readonly status: number; readonly said: string }> {
  const child = spawn('sh', [file, ...args], {
    env: { ...shellOf(plane), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.on('data', (data: Buffer) => (said += data.toString()));
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  const ended = new Promise<number>((done) => child.on('close', (code) => done(code ?? 1)));
  let over = false;
  const watching = (async () => {
    try {
      while (!over) {
        await look();
        await new Promise((done) => setTimeout(done, 50));
      }
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  })();
  // a failure is thrown below, after the script has ended
  watching.catch(() => undefined);
  const status = await ended;
  over = true;
  await watching;
  return { status, said };
}

/** Runs a script with the real kubectl, with a concurrent check. Returns its output. */
export async function runScript(
  plane: ControlPlane,
  folder: string,
  name: string,
  look?: () => Promise<void>,
): Promise<string> {
  const { status, said } = await tryScript(plane, join(folder, name), { look });
  if (status !== 0) {
    throw new Error(`${name}: ${said}`);
  }
  return said;
}
