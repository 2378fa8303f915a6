import { shellScript } from '../base/shell-script.js';
import { LONGEST_CONVERTED_NAME } from '../pools/node-conversion.js';
import { SCRIPT_PROGRAMS } from './join-command.js';
import { LOOPBACK_FILE } from './container-runtime.js';
import { shell } from './shell-parts.js';

/** What the script looks at. */
export interface PreflightInput {
  /** Comment at the beginning. */
  readonly about: string;
  /** Minor of the cluster. */
  readonly kubernetes: string;
  readonly programs: readonly string[];
  /** Whether the join downloads a key, by curl or wget. */
  readonly downloads: boolean;
  /** Folder with images that the join imports. */
  readonly imageFolder?: string;
  /** The version of kubelet that the join installs.
   * @default - it has to be there */
  readonly installs?: string;
  /** The package of the container runtime that the join installs.
   * @default - the runtime has to be there */
  readonly installsRuntime?: string;
  /** The folder from which the join installs its packages, and the program that finds packages in it. */
  readonly folder?: PackageFolder;
  /** Whether kubelet of the minor refuses control groups of version 1. */
  readonly needsCgroupV2: boolean;
  /** What is done about swap: kubelet ends with it, is told to run with it, or the join switches it off. */
  readonly swap: 'refused' | 'permitted' | 'switched off';
  /** Path of the socket of the container runtime. */
  readonly socket: string;
  readonly runtime: string;
  /** Folder of the loopback CNI, on a host-network node. */
  readonly cniFolder?: string;
  /** Address of the API server, `host:port`. */
  readonly apiServer?: string;
  /** File with the token. */
  readonly tokenFile?: string;
  /** Program that prints the token. */
  readonly tokenProgram?: string;
  /** File with user and password of the proxy. */
  readonly proxyFile?: string;
  readonly discoveryFile?: string;
  readonly nodeName?: string;
  readonly hasMachines: boolean;
  /** Whether OpenYurt installs yurthub on the machine after it has joined. */
  readonly isConverted: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

/** A folder with packages. */
export interface PackageFolder {
  readonly path: string;
  readonly manager: 'apt' | 'dnf';
  /** Names and versions that have to be in it; without a version, any. */
  readonly packages: readonly (readonly [name: string, version: string])[];
}

/**
 * The script that says what a machine lacks for a join, in one table. It changes nothing, and its exit status is 1 if
 * anything is missing. What the join does itself is a note.
 */
export function preflightScript(input: PreflightInput): string {
  const { folder, imageFolder, cniFolder, apiServer, discoveryFile, proxyFile, tokenFile, tokenProgram } = input;
  const isOnMachine = discoveryFile?.startsWith('/') === true;
  const uses: Readonly<Record<string, boolean>> = {
    programs: true,
    kubelet: true,
    folder: folder !== undefined,
    images: imageFolder !== undefined,
    kernel: true,
    runtime: true,
    disk: true,
    ports: true,
    clock: true,
    name: true,
    cni: cniFolder !== undefined,
    api_server: apiServer !== undefined,
    discovery: isOnMachine,
    proxy: proxyFile !== undefined,
    token: tokenFile !== undefined,
    token_program: tokenProgram !== undefined,
  };
  return shellScript({
    comments: [
      input.about,
      'Prints what this machine lacks for the join, and changes nothing. Exit status 1: something is missing.',
    ],
    environment: input.environment,
    variables: {
      checks: Object.keys(uses).filter((check) => uses[check]),
      kubernetes: input.kubernetes,
      programs: [...new Set([...SCRIPT_PROGRAMS, ...input.programs])],
      downloads: yesOrNo(input.downloads),
      installs: input.installs ?? '',
      installs_runtime: input.installsRuntime ?? '',
      needs_cgroup_v2: yesOrNo(input.needsCgroupV2),
      swap: input.swap,
      socket: input.socket,
      runtime: input.runtime,
      node_name: input.nodeName ?? '',
      shares: yesOrNo(input.hasMachines),
      longest_name: input.isConverted ? LONGEST_CONVERTED_NAME : 63,
      is_converted: yesOrNo(input.isConverted),
      folder_of_packages: folder?.path,
      wanted_packages: folder?.packages.map(([name, version]) => `${name}=${version}`),
      image_folder: imageFolder,
      ...(cniFolder === undefined ? {} : { cni_folder: cniFolder, loopback: LOOPBACK_FILE }),
      api_server: apiServer,
      discovery_file: isOnMachine ? discoveryFile : undefined,
      proxy_file: proxyFile,
      token_file: tokenFile,
      token_program: tokenProgram,
    },
    parts: [
      shell('common'),
      shell('clock'),
      ...(folder === undefined ? [] : [shell(`preflight-${folder.manager}`), shell('preflight-folder')]),
      ...(imageFolder === undefined ? [] : [shell('preflight-images')]),
      shell('preflight'),
    ],
  });
}

const yesOrNo = (is: boolean): string => (is ? 'yes' : '');
