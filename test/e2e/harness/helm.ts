import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ControlPlane } from './control-plane.js';
import { kubernetesTool, pathOf, type Tool } from './tool.js';

export const HELM_3: Tool = { name: 'helm', module: 'helm-3.20', package: 'helm.sh/helm/v3/cmd/helm' };
/** With the libraries of the module kubernetes-1.37, so that both share what the compiler made of them. */
export const HELM_4: Tool = { name: 'helm', module: 'helm-4.3', package: 'helm.sh/helm/v4/cmd/helm' };

/** The environment of a shell with one of the two as `helm`, with kubectl, and with nothing of the user's own Helm. */
export function helmShell(plane: ControlPlane, tool: Tool): NodeJS.ProcessEnv {
  const home = join(plane.folder, tool.module);
  const [helm, kubectl] = [pathOf(tool), pathOf(kubernetesTool('kubectl', '1.36'))];
  const own = Object.fromEntries(['CACHE', 'CONFIG', 'DATA'].map((name) => [`HELM_${name}_HOME`, home]));
  const { HELM_PLUGINS: _, ...inherited } = process.env;
  return {
    ...inherited,
    ...own,
    KUBECONFIG: plane.kubeconfig,
    PATH: [dirname(helm), dirname(kubectl), process.env.PATH].join(':'),
  };
}

/** Runs Helm, by default 3, as the administrator; a failure is an error. Returns what it prints. */
export async function helm(plane: ControlPlane, args: readonly string[], tool = HELM_3): Promise<string> {
  const { stdout } = await promisify(execFile)(pathOf(tool), args, { env: helmShell(plane, tool) });
  return stdout;
}
