// Compiles src into lib. Incremental: a second run changes nothing.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled, root, runBin } from './install.mjs';

export function build() {
  const lib = join(root, 'lib');
  if (!existsSync(join(lib, '.tsbuildinfo'))) {
    rmSync(lib, { recursive: true, force: true });
  }
  runBin('tsc', ['-p', 'tsconfig.build.json']);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  ensureInstalled();
  build();
}
