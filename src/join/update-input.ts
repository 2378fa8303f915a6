import type { ShellSteps } from '../base/shell-script.js';
import type { NodeFile } from './node-file.js';

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
  /** The unit of the container runtime. */
  readonly runtimeUnit: 'containerd' | 'crio';
  /** Lines of `/var/lib/edge-nodepools/applied`. */
  readonly applied: readonly string[];
  readonly caCertHashes: readonly string[];
  readonly ignorePreflightErrors: readonly string[];
  /** How long kubelet may take until it is healthy. */
  readonly secondsUntilHealthy: number;
  /** What only some joins have. */
  readonly subjects: readonly UpdateSubject[];
}

/** A subject that only some joins have: its files and variables, and the steps in which it takes part. */
export interface UpdateSubject extends Omit<ShellSteps, 'steps'> {
  /** Before anything is looked at. */
  readonly before?: readonly string[];
  readonly checks?: readonly string[];
  /** Writes new files beside the old ones. */
  readonly stages?: readonly string[];
  /** Files that it changes. */
  readonly files?: readonly string[];
  /** Remembers what there was. */
  readonly backups?: readonly string[];
  readonly changes?: readonly string[];
  /** Takes the changes back that are not files. */
  readonly returns?: readonly string[];
}
