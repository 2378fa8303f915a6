import { spawnSync } from 'node:child_process';
import { pathOf, type Tool } from './tool.js';

/** The library with which CRI-O, podman and skopeo read registries.conf and certificates of registries. */
export const REGISTRIES_JUDGE: Tool = { name: 'registries-judge', module: 'registries-judge', package: '.' };

/** Where an image is pulled from. */
export interface PullSource {
  readonly reference: string;
  /** Whether http is permitted. */
  readonly insecure: boolean;
  /** How many certificates of an authority its host is given. */
  readonly authorities: number;
}

/** Where images are pulled from, in order, with a folder that has `registries.conf.d` and `certs.d`. */
export function pullSources(
  folder: string,
  images: readonly string[],
): Readonly<Record<string, readonly PullSource[]>> {
  const input = JSON.stringify([folder, ...images]);
  const { status, stdout, stderr } = spawnSync(pathOf(REGISTRIES_JUDGE), { input, encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`registries-judge: ${stderr}`);
  }
  return JSON.parse(stdout) as Readonly<Record<string, readonly PullSource[]>>;
}
