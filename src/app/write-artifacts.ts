import type { App } from 'cdk8s';
import { artifactsOf } from '../constructs/artifact.js';
import { isConstruct } from '../constructs/tree.js';
import { filesWritten } from '../constructs/reminder.js';
import { EdgeError } from '../errors.js';
import { poolsFile } from '../placement/pools-file.js';
import { isPool } from '../pools/node-pool.js';
import { whatIs } from '../validation/properties.js';
import { writeInto } from '../constructs/output-folder.js';

/**
 * Writes the files that are not manifests (kubeadm patches, joins, scripts) into the output folder of an app, and `pools.jsonl`, by which
 * `npx edge-nodepools show` knows the pools without OpenYurt, and their expected nodes. Call it after `app.synth()`.
 *
 * @param app the synthesized app
 * @returns the paths of the written files
 * @throws {@link EdgeError} with EDGE_MISSING or EDGE_TYPE for anything else than an app, and EDGE_ARTIFACT if two different files have the same path, or if a symbolic link leads out of the folder
 * @category Write the result
 */
export function writeArtifacts(app: App): string[] {
  requireApp(app);
  const artifacts = artifactsOf(app);
  filesWritten(app);
  const pools = poolsFile(app.node.findAll().flatMap((construct: unknown) => (isPool(construct) ? [construct] : [])));
  return [...artifacts, ...(pools === undefined ? [] : [pools])].map(({ path, content, isSecret }) =>
    writeInto(app.outdir, { path, content, ...(isSecret === true ? { mode: 0o600 } : {}) }, 'writeArtifacts'),
  );
}

function requireApp(app: unknown): void {
  const { outdir } = (app ?? {}) as Partial<App>;
  if (typeof outdir !== 'string' || !isConstruct(app)) {
    const isMissing = app === undefined || app === null;
    throw new EdgeError('writeArtifacts', [
      {
        code: isMissing ? 'EDGE_MISSING' : 'EDGE_TYPE',
        path: 'app',
        message: `the app is ${whatIs(app)}: only an app has an output folder`,
        hint: isConstruct(app)
          ? 'write writeArtifacts(App.of(chart)), or the app itself'
          : 'write writeArtifacts(app), after app.synth()',
      },
    ]);
  }
}
