import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { checkProperties, listOfWords, mapWith, optional, type PropertyTable } from '../base/property-table.js';
import { compute } from '../base/unknown.js';
import type { ShellSteps } from '../base/shell-script.js';
import { pathOnMachine } from './machine-path.js';
import { shell } from './shell-parts.js';

/**
 * HTTP proxies of the node, for kubeadm, the container runtime and package managers. If the cluster has `apiServer`, no
 * proxy is used for that host; with only a `discoveryFile`, add the host to `noProxy`. The join contains a password in
 * a URL in plain text (EDGE_PASSWORD warns about it); `credentialsFile` keeps it on the machine.
 *
 * @category Join nodes
 */
export interface NodeProxy {
  /** URL of the proxy for http.
   * @default - none */
  readonly httpProxy?: string;
  /** URL of the proxy for https.
   * @default - none */
  readonly httpsProxy?: string;
  /** Additional hosts, domains and networks for which no proxy is used.
   * @default - only the API server, the node itself and the cluster domain */
  readonly noProxy?: readonly string[];
  /** File on the machine with user and password of the proxies, one line `user:password` with any characters, written
   * by the tool that installs the machine. The runtime gets a drop-in with it, readable by root only.
   * @default - the proxies ask for no password */
  readonly credentialsFile?: string;
}

const URLS = ['httpProxy', 'httpsProxy'] as const;
const HAS_USER = /^https?:\/\/[^/]*@/;
const HAS_PASSWORD = /^https?:\/\/[^/@:]*:[^/]*@/;

const PROXY: PropertyTable<NodeProxy> = {
  httpProxy: optional(checkProxyAddress),
  httpsProxy: optional(checkProxyAddress),
  noProxy: listOfWords(/^[A-Za-z0-9.:/*_-]+$/, "['10.0.0.0/8', '.example']"),
  // the value is redacted: it may be the password itself
  credentialsFile: pathOnMachine('/var/lib/edge/proxy-credentials', ' (value redacted)'),
};

const ADVICE: Readonly<Record<string, string>> = {
  password: "did you mean credentialsFile? write '/var/lib/edge/proxy-credentials', a file with user:password",
  credentials: 'did you mean credentialsFile?',
};

/** Checks the proxies of a node; no message contains a URL, because it may contain a password. */
export const checkProxy = mapWith(
  (proxy, problems) => {
    checkProperties(proxy, PROXY, problems, ADVICE);
    if (proxy.credentialsFile === undefined) {
      return;
    }
    if (URLS.every((name) => proxy[name] === undefined)) {
      problems
        .at('credentialsFile')
        .add('EDGE_MISSING', 'it needs httpProxy or httpsProxy', "write httpsProxy: 'http://proxy.example:3128', too");
    }
    for (const name of URLS) {
      const url = proxy[name];
      if (typeof url === 'string' && HAS_USER.test(url)) {
        problems
          .at(name)
          .add(
            'EDGE_CONTRADICTION',
            'the URL has a user, and so does credentialsFile (value redacted)',
            "write 'http://proxy.example:3128', without the part before @",
          );
      }
    }
  },
  'proxy must be a map',
  "write { httpsProxy: 'http://proxy.example:3128' }",
);

function checkProxyAddress(address: unknown, problems: ProblemList): void {
  if (typeof address !== 'string' || !/^https?:\/\/[A-Za-z0-9._~:@/%[\]-]+$/.test(address)) {
    // the value is redacted: the URL of a proxy may contain a password
    problems.add('EDGE_VALUE', 'this is not the URL of a proxy (value redacted)', "write 'http://proxy.example:3128'");
  }
}

/** Warns about a password in a URL, which everybody who can read the published join can read. */
export function proxyWarnings(proxy: NodeProxy | undefined): readonly EdgeWarning[] {
  const warnings = new ProblemList();
  for (const name of URLS) {
    const url = proxy?.[name];
    if (typeof url === 'string' && HAS_PASSWORD.test(url)) {
      warnings
        .at('proxy', name)
        .add(
          'EDGE_PASSWORD',
          'the URL contains a password, and so do the files of the join and the ConfigMap in which it is published (value redacted)',
          "write credentialsFile: '/var/lib/edge/proxy-credentials', a file on the machine with user:password, and the URL without them",
        );
    }
  }
  return warnings.problems;
}

/**
 * The environment variables of a proxy, in lower and upper case.
 *
 * @param direct hosts for which no proxy is used; undefined ones are ignored
 */
export function proxyVariables(
  proxy: NodeProxy | undefined,
  direct: readonly (string | undefined)[],
): Readonly<Record<string, string>> {
  const { httpProxy, httpsProxy, noProxy = [] } = proxy ?? {};
  if (httpProxy === undefined && httpsProxy === undefined) {
    return {};
  }
  const hosts = compute({ direct, noProxy }, (known) =>
    [...new Set([...known.direct.filter((host) => host !== undefined), ...known.noProxy])].join(','),
  );
  const given = {
    ...(httpProxy === undefined ? {} : { http_proxy: httpProxy }),
    ...(httpsProxy === undefined ? {} : { https_proxy: httpsProxy }),
    no_proxy: hosts,
  };
  return { ...given, ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toUpperCase(), value])) };
}

/** A proxy whose user and password are in a file on the machine. */
export interface ProxyCredentials {
  /** The file, `user:password`. */
  readonly file: string;
  /** URLs without them, by the variable in which programs expect them. */
  readonly urls: Readonly<Record<string, string>>;
}

/** User and password of the proxies; undefined if they need none. */
export function credentialsOf(proxy: NodeProxy | undefined): ProxyCredentials | undefined {
  const { httpProxy, httpsProxy, credentialsFile: file } = proxy ?? {};
  return file === undefined
    ? undefined
    : {
        file,
        urls: {
          ...(httpProxy === undefined ? {} : { http_proxy: httpProxy }),
          ...(httpsProxy === undefined ? {} : { https_proxy: httpsProxy }),
        },
      };
}

/** The drop-in of the container runtime that the script makes of them. It comes after the one of the join, so its
 * variables prevail. */
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
