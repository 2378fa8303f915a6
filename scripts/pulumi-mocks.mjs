// node scripts/pulumi-mocks.mjs <folder>: runs the Pulumi program of a folder with mocks instead of an engine, prints every resource as JSON.
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const folder = resolve(process.argv[2]);
const require = createRequire(join(folder, 'index.ts'));
// the same copy as the program's
const pulumi = require('@pulumi/pulumi');

/** What users of the examples write with `pulumi config set`. */
const CONFIG = {
  caCertHash: `sha256:${'4a'.repeat(32)}`,
  joinToken: 'abcdef.0123456789abcdef',
  validUntil: '2100-01-01T00:00:00Z',
};
const SECRETS = ['project:joinToken'];

const registered = [];
const newResource = ({ type, name, inputs }) => {
  registered.push({ type, name, inputs });
  return { id: `${name}-id`, state: inputs };
};
const config = Object.entries(CONFIG).map(([key, value]) => [`project:${key}`, value]);
pulumi.runtime.setAllConfig(Object.fromEntries(config), SECRETS);
await pulumi.runtime.setMocks({ newResource, call: ({ inputs }) => inputs });
await pulumi.runtime.runInPulumiStack(async () => {
  // mocks know no transforms: only an engine shows them what a chart makes
  pulumi.runtime.registerStackTransformation(({ props, opts }) => ({ props, opts: { ...opts, transforms: [] } }));
  // index.ts with tsx, or what it was compiled to
  return require(join(folder, 'index'));
});
await pulumi.runtime.disconnect();
// resources register side by side, in no fixed order
const byName = (a, b) => `${a.type} ${a.name}`.localeCompare(`${b.type} ${b.name}`, 'en');
console.log(JSON.stringify(registered.sort(byName)));
