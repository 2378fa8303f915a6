import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** They run by hand, so a changed line would be noticed late. */
it('every mutation finds the line that it breaks, and names tests that exist', () => {
  const script = join(__dirname, '..', 'scripts', 'mutations.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
