import type { ShellSteps } from '../base/shell-script.js';
import { shell } from './shell-parts.js';

/** A proxy whose user and password are in a file on the machine. */
export interface ProxyCredentials {
  /** The file, `user:password`. */
  readonly file: string;
  /** URLs without them, by the variable in which programs expect them. */
  readonly urls: Readonly<Record<string, string>>;
}

/** The drop-in of the container runtime that the script makes of them. It comes after the one of the join, so its variables prevail. */
export function credentialsDropIn(unit: 'containerd' | 'crio'): string {
  return `/etc/systemd/system/${unit}.service.d/20-edge-nodepools-proxy.conf`;
}

/** Programs that the script needs for it. */
export const CREDENTIALS_PROGRAMS: readonly string[] = ['od'];

/** The step that exports the URLs with user and password. */
export function proxySteps({ file, urls }: ProxyCredentials): ShellSteps {
  const proxies = Object.entries(urls).map(([name, url]) => `${name}=${url}`);
  return { steps: ['use_proxy'], variables: { proxy_credentials: file, proxies }, parts: [shell('proxy')] };
}

/** The step that gives them to the container runtime. */
export function dropInSteps(unit: 'containerd' | 'crio'): ShellSteps {
  return {
    steps: ['give_runtime_proxy'],
    variables: { drop_in: credentialsDropIn(unit) },
    parts: [shell('drop-in')],
  };
}
