import type { ProblemList } from '../errors.js';

/**
 * A file besides the manifests, for example a kubeadm patch.
 *
 * @category Write the result
 */
export interface EdgeArtifact {
  /** Path below the output folder, with `/`. */
  readonly path: string;
  /** The whole content. */
  readonly content: string;
  /** Whether it contains a secret, so that only its owner may read the file.
   * @default false */
  readonly isSecret?: boolean;
}

/** Checks a folder below the output folder. */
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
