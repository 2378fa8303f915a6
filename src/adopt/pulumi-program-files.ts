// Files of a Pulumi program that are the same in each.

/** Objects of any kind. */
export const PLAIN_OBJECT = `import * as pulumi from '@pulumi/pulumi';

/** A Kubernetes object of any kind, as a manifest has it. */
interface Manifest {
  apiVersion: string;
  kind: string;
  [field: string]: unknown;
}

/** The type that @pulumi/kubernetes gives the kind, so that its provider makes it. */
function typeOf({ apiVersion, kind }: Manifest): string {
  return \`kubernetes:\${apiVersion.includes('/') ? apiVersion : \`core/\${apiVersion}\`}:\${kind}\`;
}

/** Pulumi makes a text of each field for its messages, and cannot of a map with a key \`toString\`. Of an Output it does not. */
function fieldsOf(manifest: Manifest): Record<string, unknown> {
  const isHidden = (value: unknown): boolean => Object.keys(value ?? {}).includes('toString');
  return Object.fromEntries(
    Object.entries(manifest).map(([field, value]) => [field, isHidden(value) ? pulumi.output(value) : value]),
  );
}

/** A whole object. The classes of @pulumi/kubernetes would drop fields that they do not know. */
export class PlainObject extends pulumi.CustomResource {
  constructor(name: string, manifest: Manifest, options?: pulumi.CustomResourceOptions) {
    super(typeOf(manifest), name, fieldsOf(manifest), options);
  }
}

/** A whole object that runs on edge nodes. Pulumi does not wait for it, because it would wait for nodes that are offline. */
export class UnawaitedObject extends PlainObject {
  constructor(name: string, manifest: Manifest, options?: pulumi.CustomResourceOptions) {
    const metadata = manifest['metadata'] as { annotations?: Record<string, string> };
    const annotations = { 'pulumi.com/skipAwait': 'true', ...metadata.annotations };
    super(name, { ...manifest, metadata: { ...metadata, annotations } }, options);
  }
}

/** Some fields of an object that another tool manages. */
export class PartialObject extends pulumi.CustomResource {
  constructor(name: string, manifest: Manifest, options?: pulumi.CustomResourceOptions) {
    super(\`\${typeOf(manifest)}Patch\`, name, fieldsOf(manifest), options);
  }
}
`;

/** Values that are not in the program. */
export const SECRET = `import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';

const config = new pulumi.Config();

/** A value that is not in the program: of the configuration, or of a file in the folder secrets, because Pulumi cannot hand on a long configuration. */
export function secret(name: string): pulumi.Output<string> {
  const file = join(__dirname, 'secrets', name);
  const value = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // an empty one would empty the Secret
  return value === '' ? config.requireSecret(name, { minLength: 1 }) : pulumi.secret(value);
}
`;

/** What keeps objects as they are. */
export const KEPT_FIELDS = `import * as pulumi from '@pulumi/pulumi';

function withField(value: any, [step, ...below]: (string | number)[], change: object): any {
  if (step === undefined) {
    return (change as { value?: unknown }).value;
  }
  if (pulumi.Output.isInstance(value)) {
    return value.apply((known: any) => withField(known, [step, ...below], change));
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === step ? withField(item, below, change) : item));
  }
  const { [step]: field, ...others } = value;
  return below.length === 0 && !('value' in change) ? others : { ...value, [step]: withField(field, below, change) };
}

/** Keeps an object as it is in the cluster, without fields that its class would add. To get these, remove it. */
export function without(...paths: string[][]): pulumi.ComponentResourceOptions {
  return {
    transformations: [
      ({ type, props, opts }: pulumi.ResourceTransformationArgs) =>
        type.startsWith('kubernetes:')
          ? { props: paths.reduce((fields, path) => withField(fields, path, {}), props), opts }
          : undefined,
    ],
  };
}

/** A field of an object, as it is in the cluster. Without a value the object does not have it. */
interface KeptField {
  kind: string;
  name: string;
  path: (string | number)[];
  value?: unknown;
}

/** Keeps fields of the objects of a component as they are in the cluster. To get what the class makes, remove it. */
export function kept(...kept: KeptField[]): pulumi.ComponentResourceOptions {
  return {
    transformations: [
      ({ type, props, opts }: pulumi.ResourceTransformationArgs) => {
        const isOf = (kind: string): boolean => [\`:\${kind}\`, \`:\${kind}Patch\`].some((end) => type.endsWith(end));
        const own = kept.filter(({ kind, name }) => isOf(kind) && props['metadata']?.name === name);
        return { props: own.reduce((fields, { path, ...change }) => withField(fields, path, change), props), opts };
      },
    ],
  };
}
`;

/** What protects everything while it is taken over. */
export const TAKE_OVER = `import * as pulumi from '@pulumi/pulumi';

// To take over what is in the cluster, without a change of it:
//
//   pulumi config set kubernetes:upsertExistingObjects true && pulumi config set kubernetes:enablePatchForce true
//   pulumi config set takeOver true && pulumi up
//   pulumi config rm kubernetes:upsertExistingObjects && pulumi config rm kubernetes:enablePatchForce
//   pulumi preview --diff
//
// While the configuration says \`takeOver\`, nothing is deleted or replaced, and Pulumi waits for nothing: by an annotation of the objects for which it would
// wait. Afterwards remove this file and its import.
const AWAITED =
  /:(DaemonSet|Deployment|Ingress|Job|PersistentVolume|PersistentVolumeClaim|Pod|ReplicationController|Service|StatefulSet)$/;

function withoutAwait({ metadata, ...others }: any): object {
  const annotations = { 'pulumi.com/skipAwait': 'true', ...metadata?.annotations };
  return { ...others, metadata: { ...metadata, annotations } };
}

if (new pulumi.Config().getBoolean('takeOver') === true) {
  pulumi.runtime.registerStackTransformation(({ type, props, opts }) =>
    type.startsWith('kubernetes:') && !type.endsWith('Patch')
      ? { props: AWAITED.test(type) ? withoutAwait(props) : props, opts: { ...opts, protect: true } }
      : undefined,
  );
}
`;

/** The test of a project. */
export const TEST = `import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesObject } from 'edge-nodepools/pulumi';
import { Testing } from 'edge-nodepools/testing';

// What was imported. When the program is to make something else, change or remove this file and its test.
const text = readFileSync(join(__dirname, 'imported.json'), 'utf8');

const nameOf = ({ apiVersion, kind, metadata }: KubernetesObject): string =>
  [apiVersion, kind, metadata?.namespace, metadata?.name].join(' ');

const sorted = (objects: readonly KubernetesObject[]): KubernetesObject[] =>
  [...objects].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

/** Without annotations for Pulumi, such as the one by which it does not wait for nodes that may be offline. */
const asApplied = ({ metadata, ...object }: any): any => {
  const others = Object.entries(metadata.annotations ?? {}).filter(([key]) => !key.startsWith('pulumi.com/'));
  const annotations = others.length === 0 ? undefined : Object.fromEntries(others);
  return { ...object, metadata: { ...metadata, annotations } };
};

/** The value of a secret, as mocks see it. */
const revealed = (value: any): any => (value?.['4dabf18193072939515e22adb298388d'] === undefined ? value : value.value);

it('makes what was imported, object by object', async () => {
  // in place of the secrets, the names of their variables
  const variables = text.match(/(?<="<)[a-z0-9-]+(?=>")/g) ?? [];
  const config = Object.fromEntries(variables.map((name) => [\`project:\${name}\`, \`<\${name}>\`]));
  const { objects } = await Testing.preview(() => jest.requireActual('./index'), config);
  const plain = objects.map((object) =>
    Object.fromEntries(Object.entries(object).map(([field, value]) => [field, revealed(value)])),
  );
  const imported = JSON.parse(text) as KubernetesObject[];
  expect(sorted(plain as KubernetesObject[]).map(asApplied)).toEqual(sorted(imported).map(asApplied));
});
`;
