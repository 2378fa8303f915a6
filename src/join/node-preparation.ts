import { type ShellSteps, together } from '../base/shell-script.js';
import { imageSteps, machineSteps, type MachineSettings, pullSteps, reloadSteps } from './machine-settings.js';
import { installSteps, type NodePackages, startSteps } from './package-installation.js';
import { runtimeSteps, type RuntimeSettings } from './runtime-files.js';
import { shell } from './shell-parts.js';

/** What a machine is prepared with. */
export interface PreparationInput {
  readonly runtime: RuntimeSettings;
  readonly machine: MachineSettings;
  readonly packages?: NodePackages;
  /** Minor of the cluster. */
  readonly kubernetes: string;
  readonly criSocket: string;
}

/** The steps that prepare a machine. A container runtime is configured when it is there: after the packages, if they install it. */
export function preparation({ runtime, machine, packages, kubernetes, criSocket }: PreparationInput): ShellSteps {
  const [before, after] = startSteps(packages ?? {});
  const enableCri = { steps: ['enable_cri'], variables: {}, parts: [shell('cri')] };
  const ofRuntime = together(
    before,
    runtime.runtime === 'containerd' ? enableCri : together(),
    runtimeSteps(runtime),
    after,
    imageSteps(machine, runtime.runtime),
  );
  const install = packages === undefined ? together() : installSteps(packages, kubernetes);
  return together(
    machineSteps(machine),
    reloadSteps(machine),
    ...(packages?.runtime === undefined ? [ofRuntime, install] : [install, ofRuntime]),
    pullSteps(machine, criSocket),
  );
}
