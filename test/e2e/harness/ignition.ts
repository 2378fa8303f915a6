import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import type { Tool } from './tool.js';

export const IGNITION_VALIDATE: Tool = {
  name: 'ignition-validate',
  module: 'ignition-2.24',
  package: 'github.com/coreos/ignition/v2/validate',
};

export const BUTANE: Tool = {
  name: 'butane',
  module: 'butane-0.25',
  package: 'github.com/coreos/butane/internal',
};

/** Where the packages of Debian and Fedora have the program, which is for an initial RAM disk. */
const PROGRAM = '/usr/lib/dracut/modules.d/30ignition/ignition';

/** The program that applies a config; undefined if it is not installed. It is not built, because it needs C libraries. */
export function ignitionProgram(): string | undefined {
  return existsSync(PROGRAM) ? PROGRAM : undefined;
}

/** Applies a config to a folder as the stage `files` does. The output of the program if it fails. */
export function applyIgnition(config: string, root: string): string | undefined {
  const file = `${root}.ign`;
  writeFileSync(file, config);
  // it has this name for a system that is not being booted, and insists on a container
  const { status, stdout, stderr } = spawnSync(PROGRAM, ['--root', root, '--offline', file], {
    argv0: 'ignition-apply',
    env: { container: 'edge' },
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `${stdout}${stderr}`;
}
