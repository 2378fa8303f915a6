import { resolve } from 'node:path';
import { type App, Chart } from 'cdk8s';
import { summaries } from '../cluster/warning-summary.js';
import { artifactsOf } from './artifact.js';
import { sitesOfCharts } from './delivered-files.js';
import { isConstruct } from './tree.js';
import { NodeJoin } from './node-join.js';
import { isSilent } from './warnings.js';
import { filesWritten } from './synth-reminder.js';
import { EdgeError } from '../base/errors.js';
import { poolsFile } from '../fleet/pools-file.js';
import { isPool } from '../pools/node-pool.js';
import { quoted, whatIs } from '../base/properties.js';
import { writeInto } from '../base/output.js';

/**
 * Writes the files that are not manifests (kubeadm patches, joins, scripts) into the output folder of an app, and `pools.jsonl`, by which
 * `npx edge-nodepools show` knows the pools without OpenYurt, and their expected nodes. Call it after `app.synth()`.
 *
 * @param app the synthesized app
 * @returns the paths of the written files
 * @throws {@link EdgeError} with EDGE_MISSING or EDGE_TYPE for anything else than an app, and EDGE_ARTIFACT if two different files have the same path, or if a symbolic link leads out of the folder
 * @category Write the result
 */
export function writeArtifacts(app: App): string[];
// of JavaScript, with more arguments: of forEach, or a folder
export function writeArtifacts(app: App, folder?: unknown): string[] {
  requireApp(app);
  requireOwnFolder(app, folder);
  const artifacts = artifactsOf(app);
  filesWritten(app);
  tellUnwritten(app);
  const sites = sitesOfCharts(app);
  const pools = poolsFile(
    app.node.findAll().flatMap((construct) => (isPool(construct) ? [construct] : [])),
    (pool) => sites.get(Chart.of(pool)) ?? [],
  );
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

function requireOwnFolder({ outdir }: App, folder: unknown): void {
  if (typeof folder === 'string' && resolve(folder) !== resolve(outdir)) {
    throw new EdgeError('writeArtifacts', [
      {
        code: 'EDGE_UNKNOWN_PROPERTY',
        path: 'folder',
        message: `only the app is read, and its files are written into its output folder, ${quoted(outdir)}`,
        hint: `write new App({ outdir: ${quoted(folder)} }), and writeArtifacts(app)`,
      },
    ]);
  }
}

/** Tells of joins that somebody who writes files expects among them. */
function tellUnwritten(app: App): void {
  const warnings = app.node.findAll().flatMap((construct: unknown) => {
    const { unwritten, node } = construct as NodeJoin;
    return construct instanceof NodeJoin && unwritten !== undefined && !isSilent(app)
      ? [{ ...unwritten, construct: node.path }]
      : [];
  });
  summaries(warnings, '').forEach((line) => process.stderr.write(`${line}\n`));
}
