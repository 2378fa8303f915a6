import type { ProblemList } from './errors.js';
import { quoted } from './properties.js';

/**
 * A file that is not a manifest, for example a kubeadm patch.
 *
 * @category Write the result
 */
export interface EdgeArtifact {
  /** Path below the output folder, with `/`. */
  readonly path: string;
  /** Content of the file. */
  readonly content: string;
  /** Whether it contains a secret. Then only the owner of the file can read it.
   * @default false */
  readonly isSecret?: boolean;
}

/** Checks a folder below the output folder. */
export function checkArtifactFolder(folder: unknown, example: string, problems: ProblemList): void {
  const isFolder =
    typeof folder === 'string' && /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(folder);
  if (folder !== undefined && !isFolder) {
    problems.add('EDGE_ARTIFACT', `${quoted(folder)} is not a folder below the output folder`, `write '${example}'`);
  }
}
