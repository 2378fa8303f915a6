import type { IConstruct } from 'constructs';
import { requireConstruct } from './tree.js';
import { ProblemList } from '../base/errors.js';
import type { EdgeArtifact } from '../base/artifact.js';

const METADATA_TYPE = 'edge-nodepools:artifact';

export function addArtifact(construct: IConstruct, artifact: EdgeArtifact): void {
  construct.node.addMetadata(METADATA_TYPE, artifact);
}

/**
 * All artifacts of a construct and its descendants, sorted by path.
 *
 * @param scope for example the app
 * @throws {@link EdgeError} with EDGE_ARTIFACT if two different files have the same path
 * @category Write the result
 */
export function artifactsOf(scope: IConstruct): EdgeArtifact[] {
  requireConstruct(scope, 'artifactsOf');
  const found = new Map<string, { readonly artifact: EdgeArtifact; readonly construct: string }>();
  const problems = new ProblemList();
  for (const construct of scope.node.findAll()) {
    for (const entry of construct.node.metadata.filter(({ type }) => type === METADATA_TYPE)) {
      const artifact = entry.data as EdgeArtifact;
      const earlier = found.get(artifact.path);
      if (earlier !== undefined && earlier.artifact.content !== artifact.content) {
        problems
          .at(artifact.path)
          .add(
            'EDGE_ARTIFACT',
            `${earlier.construct} and ${construct.node.path} write different files with this path`,
            'give one of them another artifactFolder',
          );
      }
      found.set(artifact.path, { artifact, construct: construct.node.path });
    }
  }
  problems.throwIfAny('artifacts');
  return [...found.values()].map(({ artifact }) => artifact).sort((a, b) => (a.path < b.path ? -1 : 1));
}
