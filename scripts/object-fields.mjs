// node scripts/object-fields.mjs: writes src/kubernetes/object-fields.ts, the fields of Pods and workloads and their types, from the schema in k8s.io/client-go
// of the newest Kubernetes in test/e2e/tools. Needs Go.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binOf, root } from './install.mjs';

/** The types in the table, besides all that they contain. */
const ROOTS = {
  'core.v1': ['PodTemplateSpec', 'Pod', 'PodTemplate', 'ReplicationController'],
  'apps.v1': ['Deployment', 'DaemonSet', 'StatefulSet', 'ReplicaSet'],
  'batch.v1': ['Job', 'CronJob'],
  'meta.v1': ['LabelSelector'],
};
/** Nobody writes a status, or the fields that the API server manages. */
const LEFT_OUT = ['status', 'managedFields'];

/** Types of values that have no fields; one that is not here can be several. */
const SCALARS = { string: 'text', numeric: 'number', boolean: 'boolean' };

const tools = join(root, 'test', 'e2e', 'tools');
const newest = readdirSync(tools)
  .filter((name) => /^kubernetes-\d/.test(name))
  .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  .at(-1);
const { Dir, Version } = JSON.parse(
  execFileSync('go', ['list', '-m', '-json', 'k8s.io/client-go'], { cwd: join(tools, newest), encoding: 'utf8' }),
).Replace;
const schema = readFileSync(join(Dir, 'applyconfigurations', 'internal', 'internal.go'), 'utf8').split('`types:')[1];

const short = (name) => name.replace(/^.*\.(?=[a-z]+\.v\d)/, '');
const types = new Map();
for (const block of schema.split(/\n- name: /).slice(1)) {
  const fields = block.split(/\n {4}- name: /).slice(1);
  types.set(
    short(block.split('\n')[0]),
    fields.map((field) => ({
      field: field.split('\n')[0],
      of: /namedType: (\S+)/.exec(field)?.[1],
      scalar: SCALARS[/scalar: (\S+)/.exec(field)?.[1]],
      many: /^ {8}list:/m.test(field) ? '[]' : /^ {8}map:/m.test(field) ? '{}' : '',
    })),
  );
}

const found = new Map();
function visit(name) {
  const type = name.replace(/^.*\./, '');
  const known = found.get(type);
  if (known !== undefined || (types.get(name) ?? []).length === 0) {
    if (known !== undefined && known.name !== name) {
      throw new Error(`two types are called ${type}: ${known.name}, ${name}`);
    }
    return known === undefined ? '' : `:${type}`;
  }
  const entry = { name, fields: [] };
  found.set(type, entry);
  entry.fields = types.get(name).map(({ field, of, scalar, many }) => {
    if (LEFT_OUT.includes(field)) {
      return field;
    }
    const inner = of === undefined ? (scalar === undefined ? '' : `:${scalar}`) : visit(short(of));
    return inner === '' ? field : `${field}${inner}${many}`;
  });
  return `:${type}`;
}
Object.entries(ROOTS).forEach(([group, names]) => names.forEach((name) => visit(`${group}.${name}`)));

const rows = [...found].sort().map(([type, { fields }]) => `  ${type}: '${fields.sort().join(' ')}',`);
const file = join(root, 'src', 'kubernetes', 'object-fields.ts');
writeFileSync(
  file,
  `/**
 * Fields of Pods, their templates and the workloads around them, by type, each with the type of its value: \`env:EnvVar[]\` is a list, \`labels:text{}\` a map.
 * What can have several types, as a quantity, has none here. Older minors have a part of the fields. A newer minor may have more, so a field that is not listed
 * is not wrong.
 *
 * Written by scripts/object-fields.mjs from k8s.io/client-go ${Version} (applyconfigurations/internal/internal.go).
 */
export const OBJECT_FIELDS: Readonly<Record<string, string>> = {
${rows.join('\n')}
};
`,
);
execFileSync(process.execPath, [binOf('prettier'), '--write', file]);
