import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { EdgeArtifact } from '../base/artifact.js';

export const PACKAGE_MANAGERS = ['npm', 'pnpm', 'yarn'] as const;

/** What a new project is for. */
export interface ProjectProps {
  /** Name of the package, and of the Pulumi project. */
  readonly name: string;
  readonly cluster: EdgeCluster;
  readonly pulumi: boolean;
  readonly packageManager: (typeof PACKAGE_MANAGERS)[number];
  /** Packages and their versions, from the package.json of this library. */
  readonly versions: Readonly<Record<string, string>>;
}

/** A command that a user types, and what it does. */
export type Step = readonly [command: string, what: string];

/** What the files of both kinds of project have in common. */
export interface ProjectKind {
  readonly files: readonly EdgeArtifact[];
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  /** Commands without which that fails.
   * @default - none */
  readonly before?: readonly Step[];
  /** The command that shows what the program makes. */
  readonly run: string;
  /** Commands after it.
   * @default - none */
  readonly after?: readonly Step[];
  readonly about: string;
  /** What it declares, for README.md.
   * @default A host-network edge node pool */
  readonly title?: string;
  readonly ignored: readonly string[];
}

/** What a new project declares. */
export const ONE_POOL = 'A host-network edge node pool';

/** How to run a command of an installed package. */
export function runner(manager: ProjectProps['packageManager']): string {
  return manager === 'npm' ? 'npx' : manager === 'pnpm' ? 'pnpm exec' : 'yarn';
}
