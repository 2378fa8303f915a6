import { containerdLines } from './containerd-settings.js';
import { CNI_FOLDER } from './loopback-cni.js';
import type { NodeFile } from './node-file.js';
import { compute, isUnknown } from '../validation/unknown.js';

/**
 * Proxies of the node, for kubeadm, the container runtime and package managers. The API server's host is never asked through them if the cluster
 * names it; with a `discoveryFile` alone, name it in `noProxy`. A password in an address is part of the join's file, published or not; on the node
 * only root reads it.
 *
 * @category Join nodes
 */
export interface NodeProxy {
  /** Proxy for http addresses.
   * @default - none */
  readonly httpProxy?: string;
  /** Proxy for https addresses.
   * @default - none */
  readonly httpsProxy?: string;
  /** Hosts, domains and networks that are asked directly.
   * @default - none but the API server, the node itself and the cluster's domain */
  readonly noProxy?: readonly string[];
}

/** Time servers, if there are any. */
export function timeServers(servers: readonly string[] | undefined): readonly string[] | undefined {
  return compute(
    servers,
    (known) => (known === undefined || known.length === 0 ? undefined : known),
    isUnknown(servers) && servers,
  );
}

/** What differs from the defaults of the container runtime. */
export interface RuntimeSettings {
  readonly runtime: 'containerd' | 'cri-o';
  readonly cniFolder: string;
  readonly sandboxImage?: string;
  readonly proxy: Readonly<Record<string, string>>;
}

const CRIO_FILE = '/etc/crio/crio.conf.d/10-edge-nodepools.conf';

const dropIn = (unit: string): string => `/etc/systemd/system/${unit}.service.d/10-edge-nodepools.conf`;

/** Every file that {@link runtimeFiles} may make, whatever the settings. */
export const RUNTIME_FILES: readonly string[] = [CRIO_FILE, dropIn('containerd'), dropIn('crio')];

/** Files that tell the container runtime what differs from its defaults; none where nothing does. */
export function runtimeFiles(settings: RuntimeSettings): readonly NodeFile[] {
  const { runtime, cniFolder, proxy } = settings;
  return compute(settings, filesOf, [runtime, cniFolder, isUnknown(proxy) && proxy]);
}

function filesOf(settings: RuntimeSettings): readonly NodeFile[] {
  const { runtime, cniFolder, sandboxImage, proxy } = settings;
  const differs = cniFolder !== CNI_FOLDER || sandboxImage !== undefined;
  return [
    ...(differs && runtime === 'cri-o' ? [crioFile(settings)] : []),
    ...(Object.keys(proxy).length > 0
      ? [
          {
            path: dropIn(runtime === 'containerd' ? 'containerd' : 'crio'),
            content: compute(proxy, unitEnvironment),
            // an address of a proxy may hold a password
            permissions: '0600',
          },
        ]
      : []),
  ];
}

/** Shell lines after which the runtime knows what differs from its defaults; they end the function in which they stand where that fails. */
export function runtimeLines(settings: RuntimeSettings): string[] {
  const isContainerd = settings.runtime === 'containerd';
  const edits = isContainerd ? containerdLines(settings) : [];
  return edits.length === 0 && filesOf(settings).length === 0
    ? []
    : [
        ...edits,
        'if command -v systemctl >/dev/null 2>&1; then',
        `  systemctl daemon-reload; systemctl restart ${isContainerd ? 'containerd' : 'crio'} || return`,
        'fi',
      ];
}

function crioFile({ cniFolder, sandboxImage }: RuntimeSettings): NodeFile {
  const quote = (value: string): string => JSON.stringify(value);
  return {
    path: CRIO_FILE,
    content: compute({ cniFolder, sandboxImage }, (known) =>
      [
        ...(known.sandboxImage === undefined ? [] : ['[crio.image]', `pause_image = ${quote(known.sandboxImage)}`]),
        ...(known.cniFolder === CNI_FOLDER ? [] : ['[crio.network]', `network_dir = ${quote(known.cniFolder)}`]),
        '',
      ].join('\n'),
    ),
  };
}

/** Environment of a systemd unit; "%" would be a specifier there. */
function unitEnvironment(variables: Readonly<Record<string, string>>): string {
  const lines = Object.entries(variables).map(
    ([name, value]) => `Environment=${JSON.stringify(`${name}=${value.replace(/%/g, '%%')}`)}`,
  );
  return ['[Service]', ...lines, ''].join('\n');
}

/**
 * The variables that programs read, in both spellings.
 *
 * @param direct what is never asked through a proxy; what is undefined is left out
 */
export function proxyVariables(
  proxy: NodeProxy | undefined,
  direct: readonly (string | undefined)[],
): Readonly<Record<string, string>> {
  return compute({ proxy, direct }, variablesOf, isUnknown(proxy) && proxy);
}

function variablesOf({
  proxy,
  direct,
}: {
  readonly proxy: NodeProxy | undefined;
  readonly direct: readonly (string | undefined)[];
}): Readonly<Record<string, string>> {
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
