import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ControlPlane } from './control-plane.js';
import { shellOf } from './kubectl.js';

/** Runs a script with the real kubectl, with a concurrent check. Returns its output. */
export async function runScript(
  plane: ControlPlane,
  folder: string,
  name: string,
  look: () => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const child = spawn('sh', [join(folder, name)], { env: shellOf(plane), stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.on('data', (data: Buffer) => (said += data.toString()));
  child.stderr.on('data', (data: Buffer) => (said += data.toString()));
  const ended = new Promise<number>((done) => child.on('close', (code) => done(code ?? 1)));
  let over = false;
  const watching = (async () => {
    while (!over) {
      await look();
      await new Promise((done) => setTimeout(done, 50));
    }
  })();
  const status = await ended;
  over = true;
  await watching;
  if (status !== 0) {
    throw new Error(`${name}: ${said}`);
  }
  return said;
}
