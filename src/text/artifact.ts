import type { ProblemList } from '../errors.js';

/**
 * A file that is no manifest but belongs to the result, for example a kubeadm patch.
 *
 * @category Write the result
 */
export interface EdgeArtifact {
  /** Path below the output folder, with `/`. */
  readonly path: string;
  /** The whole content. */
  readonly content: string;
  /** Whether it holds a secret, so that only its owner may read the file.
   * @default false */
  readonly isSecret?: boolean;
}

/** A folder below the output folder, as a user names one. */
export function checkArtifactFolder(folder: unknown, example: string, problems: ProblemList): void {
  const isFolder =
    typeof folder === 'string' && /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(folder);
  if (folder !== undefined && !isFolder) {
    problems.add(
      'EDGE_ARTIFACT',
      `${JSON.stringify(folder)} is not a folder below the output folder`,
      `write '${example}'`,
    );
  }
}
