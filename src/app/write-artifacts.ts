import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { App } from 'cdk8s';
import { artifactsOf } from '../constructs/artifact.js';
import { ProblemList } from '../errors.js';

/**
 * Writes the files that are not manifests (kubeadm patches, joins, scripts) into the output folder of an app. Call it after `app.synth()`.
 *
 * @param app the synthesized app
 * @returns the paths of the written files
 * @throws {@link EdgeError} with EDGE_ARTIFACT if two different files have the same path, or if a symbolic link leads out of the folder
 * @category Write the result
 */
export function writeArtifacts(app: App): string[] {
  return artifactsOf(app).map(({ path, content, isSecret }) => {
    const file = fileIn(app.outdir, path);
    mkdirSync(dirname(file), { recursive: true });
    if (isSecret === true || isLink(file)) {
      // writing to an existing file would keep its mode, and to a link would write its target
      rmSync(file, { force: true });
    }
    writeFileSync(file, content, isSecret === true ? { mode: 0o600 } : {});
    return file;
  });
}

/** The path of a file in a folder. No folder between them may be a link, which could lead anywhere. */
function fileIn(folder: string, path: string): string {
  const steps = path.split('/');
  const inner = steps.slice(0, -1).map((_, index) => join(folder, ...steps.slice(0, index + 1)));
  const link = inner.find(isLink);
  if (link !== undefined) {
    const problems = new ProblemList();
    problems.add(
      'EDGE_ARTIFACT',
      `${link} is a symbolic link, and files are written only into the output folder itself`,
      'remove the link; or write the files to another output folder',
    );
    problems.throwIfAny('writeArtifacts');
  }
  return join(folder, ...steps);
}

function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
