import type { NodeFile } from './node-file.js';
import type { ProxyCredentials } from './proxy-credentials.js';

/** What the script depends on. */
export interface UpdateScriptInput {
  /** Comment at the beginning. */
  readonly about: string;
  /** Value of the label `edge-nodepools/join`. */
  readonly hash: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The files of the join, except for the one with the token. */
  readonly files: readonly NodeFile[];
  /** Files of a former join that go if this one does not write them. */
  readonly obsolete: readonly string[];
  /** The pool as a label with which its nodes have registered. */
  readonly poolLabel: string;
  /** All labels, as kubelet registers with them. */
  readonly labels: string;
  /** The taints, as kubeadm writes them. */
  readonly taints: string;
  /** Further arguments of kubelet, `--name=value`. */
  readonly kubeletArguments: readonly string[];
  /** Flags that the kubelet of the minor does not have any more. */
  readonly removedFlags: readonly string[];
  readonly nodeName?: string;
  readonly hasMachines: boolean;
  /** The kubeadm patch of the KubeletConfiguration, if there is one. */
  readonly patches: readonly string[];
  /** Lines that apply the settings of the machine. */
  readonly machine: readonly string[];
  /** Lines that edit the configuration of containerd, and that file. */
  readonly runtimeEdits: readonly string[];
  readonly runtimeFiles: readonly string[];
  /** The unit of the container runtime. */
  readonly runtimeUnit: 'containerd' | 'crio';
  /** User and password of the proxy, in a file of the machine. */
  readonly credentials?: ProxyCredentials;
  /** Lines of `/var/lib/edge-nodepools/applied`. */
  readonly applied: readonly string[];
  readonly caCertHashes: readonly string[];
  readonly ignorePreflightErrors: readonly string[];
  /** How long kubelet may take until it is healthy. */
  readonly secondsUntilHealthy: number;
  /** Packages of another version than the node has. */
  readonly packages?: UpdatePackages;
}

/** How the packages of kubelet and kubeadm change. */
export interface UpdatePackages {
  readonly version: string;
  /** Definition of the shell function `install_packages`. */
  readonly install: readonly string[];
  /** Definition of the shell function `install_version`, which installs another version from the repository as configured. */
  readonly reinstall: readonly string[];
  readonly files: readonly string[];
  /** A folder with the packages, in place of repositories; then the shell function `in_folder NAME VERSION` exists. */
  readonly folder?: string;
  /** The package of the container runtime, if it is one of them; then the shell functions `runtime_now`, `has_runtime` and `install_runtime` exist. */
  readonly runtime?: string;
}
