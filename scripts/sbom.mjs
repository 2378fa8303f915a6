// node scripts/sbom.mjs: writes the software bill of materials of the package, sbom.cdx.json (CycloneDX, by npm). The same lock file gives the same bytes:
// what npm takes from the clock, from chance and from the name of the folder is replaced.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './install.mjs';

const { name, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { status, stdout, stderr } = spawnSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 1e9,
  shell: process.platform === 'win32',
});
if (status !== 0) {
  throw new Error(`npm sbom: ${stderr}`);
}
const bom = JSON.parse(stdout);

// what a user gets: the dependencies, not the tools of this project and not its peers, which are the user's own
const requires = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
const direct = requires
  .get(bom.metadata.component['bom-ref'])
  .filter((ref) => ref.replace(/@[^@]*$/, '') in dependencies);
const shipped = new Set(direct);
for (const ref of shipped) {
  requires.get(ref)?.forEach((next) => shipped.add(next));
}
const component = { ...bom.metadata.component, name };
const { timestamp: _, ...metadata } = { ...bom.metadata, tools: [{ vendor: 'npm', name: 'cli' }], component };
const content = {
  ...bom,
  serialNumber: '',
  metadata,
  components: bom.components.filter((each) => shipped.has(each['bom-ref'])),
  dependencies: [
    { ref: component['bom-ref'], dependsOn: direct },
    ...bom.dependencies.filter(({ ref }) => shipped.has(ref)),
  ],
};
const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
// a UUID of its own form (RFC 9562, version 8)
const uuid = [
  hash.slice(0, 8),
  hash.slice(8, 12),
  `8${hash.slice(13, 16)}`,
  `a${hash.slice(17, 20)}`,
  hash.slice(20, 32),
];
writeFileSync(
  join(root, 'sbom.cdx.json'),
  `${JSON.stringify({ ...content, serialNumber: `urn:uuid:${uuid.join('-')}` }, undefined, 2)}\n`,
);
