import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { App } from 'cdk8s';
import { artifactsOf } from '../constructs/artifact.js';

/**
 * Writes the files that are not manifests (kubeadm patches, joins, scripts) into the output folder of an app. Call it after `app.synth()`.
 *
 * @param app the synthesized app
 * @returns the paths of the written files
 * @throws {@link EdgeError} with EDGE_ARTIFACT if two different files have the same path
 * @category Write the result
 */
export function writeArtifacts(app: App): string[] {
  return artifactsOf(app).map(({ path, content, isSecret }) => {
    const file = join(app.outdir, ...path.split('/'));
    mkdirSync(dirname(file), { recursive: true });
    if (isSecret === true) {
      // writing to an existing file would keep its mode
      rmSync(file, { force: true });
    }
    writeFileSync(file, content, isSecret === true ? { mode: 0o600 } : {});
    return file;
  });
}
