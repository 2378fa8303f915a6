import type { App } from 'cdk8s';
import { artifactsOf } from '../constructs/artifact.js';
import { writeInto } from './output-folder.js';

/**
 * Writes the files that are not manifests (kubeadm patches, joins, scripts) into the output folder of an app. Call it after `app.synth()`.
 *
 * @param app the synthesized app
 * @returns the paths of the written files
 * @throws {@link EdgeError} with EDGE_ARTIFACT if two different files have the same path, or if a symbolic link leads out of the folder
 * @category Write the result
 */
export function writeArtifacts(app: App): string[] {
  return artifactsOf(app).map(({ path, content, isSecret }) =>
    writeInto(app.outdir, { path, content, ...(isSecret === true ? { mode: 0o600 } : {}) }, 'writeArtifacts'),
  );
}
