import { CRI_LINES } from './containerd-settings.js';
import { imageLines, machineLines, machineReloads, type MachineSettings } from './machine-settings.js';
import type { JoinVia } from './node-join-props.js';
import { type NodePackages, startLines } from './package-installation.js';
import { runtimeLines, type RuntimeSettings } from './runtime-files.js';

/** What a machine is prepared with. */
export interface PreparationInput {
  readonly via: JoinVia;
  readonly runtime: RuntimeSettings;
  readonly machine: MachineSettings;
  readonly packages?: NodePackages;
}

/** Shell lines that prepare a machine, in the order of an attempt. If they fail, they return from the function that contains them. */
export interface Preparation {
  /** Before the packages. */
  readonly prepare: readonly string[];
  /** After the packages. */
  readonly configure: readonly string[];
}

/** A container runtime is configured when it is there: after the packages, if they install it. */
export function preparation({ via, runtime, machine, packages }: PreparationInput): Preparation {
  const ofMachine = [...machineLines(machine), ...Object.values(machineReloads(machine))];
  const [before, after] = startLines(packages ?? {});
  const ofRuntime = [
    ...before,
    ...(runtime.runtime === 'containerd' ? CRI_LINES : []),
    ...runtimeLines(runtime),
    ...after,
    ...imageLines(machine, runtime.runtime),
    ...(via === 'label-driven'
      ? ["command -v crictl >/dev/null 2>&1 || say 'crictl is not installed: OpenYurt needs it to convert this node'"]
      : []),
  ];
  return packages?.runtime === undefined
    ? { prepare: [...ofMachine, ...ofRuntime], configure: [] }
    : { prepare: ofMachine, configure: ofRuntime };
}
