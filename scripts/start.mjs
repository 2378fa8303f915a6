// npm start: installs, builds, runs the real `cdk8s synth` of examples/quickstart, which prints what runs where, and prints what was made.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { build } from './build.mjs';
import { binOf, ensureInstalled, root, run } from './install.mjs';

const example = join(root, 'examples', 'quickstart');
const dist = join(example, 'dist');

function filesBelow(folder) {
  if (!existsSync(folder)) {
    return [];
  }
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort();
}

function fingerprint() {
  const hash = createHash('sha256');
  filesBelow(dist).forEach((file) => hash.update(relative(dist, file)).update('\0').update(readFileSync(file)));
  return hash.digest('hex');
}

function countByKind(objects) {
  const counts = new Map();
  objects.forEach(({ kind }) => counts.set(kind, (counts.get(kind) ?? 0) + 1));
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}

ensureInstalled();
console.log('building …');
await build();
const before = fingerprint();
const { stdout } = run(process.execPath, [binOf('cdk8s'), 'synth', '--check-upgrade=false'], {
  cwd: example,
  // the example uses the built package, as a user's program does
  env: { ...process.env, TSX_TSCONFIG_PATH: join(root, 'tsconfig.build.json') },
  stdio: ['inherit', 'pipe', 'inherit'],
  encoding: 'utf8',
});
if (process.env.VERBOSE) {
  console.log(stdout);
}

const require = createRequire(import.meta.url);
const { parseAllDocuments } = require('yaml');
const { source } = await import('./source.mjs');
const { patchCommand } = source('system-components/exclusion-plan.ts');

const show = (file) => relative(root, file).split('\\').join('/');
const manifests = new Map(
  filesBelow(dist)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => [file, parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS())]),
);

console.log(`\nexamples/quickstart (chart.ts) was synthesized${before === fingerprint() ? '; no byte changed' : ''}:`);
for (const file of filesBelow(dist)) {
  const objects = manifests.get(file);
  const other = file.endsWith('pools.jsonl') ? 'for edge-nodepools show' : 'for kubeadm --patches';
  console.log(`  ${show(file)}  ${objects === undefined ? other : countByKind(objects)}`);
}

const patches = [...manifests.keys()].filter((file) => file.endsWith('-patches.k8s.yaml'));
console.log('\nnext, with kubectl pointed at a cluster that runs OpenYurt 1.7:');
console.log(`  kubectl apply --server-side -f ${show(dist)}`);
console.log(
  'then exclude the system components from host-network nodes; these commands work however the components were installed:',
);
patches.flatMap((file) => manifests.get(file)).forEach((partial) => console.log(`  ${patchCommand({ partial })}`));
