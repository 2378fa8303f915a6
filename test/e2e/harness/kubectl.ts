import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import type { ControlPlane } from './control-plane.js';
import { kubernetesTool, pathOf } from './tool.js';

function must({ status, stdout, stderr }: { status: number | null; stdout: string; stderr: string }): string {
  if (status !== 0) {
    throw new Error(stderr);
  }
  return stdout;
}

/** Objects as documents of one file, like those of cdk8s: kubectl validates items of a List against the whole schema. */
export function documents(objects: readonly any[]): string {
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}

/** Client-side `kubectl apply`. */
export function kubectlApply(plane: ControlPlane, objects: readonly any[], flags: readonly string[] = []): string {
  return must(plane.kubectl(['apply', ...flags, '-f', '-'], documents(objects)));
}

/** The environment of a shell with the real kubectl, for this control plane. */
export function shellOf(plane: ControlPlane): NodeJS.ProcessEnv {
  const kubectl = dirname(pathOf(kubernetesTool('kubectl', '1.36')));
  return { ...process.env, KUBECONFIG: plane.kubeconfig, PATH: `${kubectl}:${process.env.PATH}` };
}

/** Runs a command of the report in a shell, like a user. */
export function inShell(plane: ControlPlane, command: string): string {
  return must(spawnSync('sh', ['-ec', command], { encoding: 'utf8', env: shellOf(plane) }));
}

export async function stored(plane: ControlPlane, object: any): Promise<any> {
  return plane.api.must('GET', await plane.api.pathOf(object));
}

export async function remove(plane: ControlPlane, object: any): Promise<void> {
  await plane.api.send('DELETE', await plane.api.pathOf(object));
}
