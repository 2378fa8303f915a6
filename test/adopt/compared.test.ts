/** `import --compare`: nothing that an apply would undo is missed, and what only the server writes is no change. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../src/cli/main.js';
import { NODE, storedDeployment, storedPool, storedSecret } from './imported-dump.js';

const APPLIED = {
  'f:metadata': { 'f:labels': { 'f:app': {} } },
  'f:spec': { 'f:replicas': {}, 'f:selector': {}, 'f:strategy': {}, 'f:template': {} },
};
const by = (manager: string, fieldsV1: object, more: object = {}): object => ({
  manager,
  operation: manager === 'argocd-controller' ? 'Apply' : 'Update',
  time: '2026-05-04T08:00:00Z',
  fieldsV1,
  ...more,
});
const managedBy = (...managedFields: object[]): object => ({ managedFields });
const MANAGER = 'kubectl-client-side-apply';
const web = (spec: object = {}, metadata: object = managedBy(by(MANAGER, APPLIED))): any => {
  const stored = storedDeployment(metadata);
  return { ...stored, spec: { ...stored.spec, ...spec } };
};
const secret = (resourceVersion = '812', metadata: object = {}): any => {
  const stored = storedSecret();
  return { ...stored, metadata: { ...stored.metadata, resourceVersion, ...metadata } };
};
const FIRST = [NODE, storedPool('beijing'), web(), secret()];

let folder: string;
const run = (...args: readonly string[]): { code: number; out: string; err: string } => {
  let [out, err] = ['', ''];
  const code = main(['import', ...args], {
    stdin: () => '',
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
  });
  return { code, out: out.split(folder).join('.'), err: err.split(folder).join('.') };
};
const dump = (objects: readonly object[]): string => {
  const file = join(folder, 'dump.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  return file;
};
const fleet = (): string => join(folder, 'fleet');
/** What `--compare` says, with one blank in place of many. */
const compared = (objects: readonly object[], ...more: readonly string[]): string => {
  const { code, out, err } = run(dump(objects), '--compare', fleet(), ...more);
  return `${code} ${out}${err}`.replace(/ +/g, ' ');
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-compared-'));
  expect(run(dump(FIRST), '--out', fleet()).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { containers } = web().spec.template.spec;
const template = (more: object): any => {
  const { spec } = web();
  return { template: { ...spec.template, spec: { ...spec.template.spec, ...more } } };
};

it('the same dump has no change, and neither has one in which only the server has written', () => {
  expect(compared(FIRST)).toBe('0 no change: 3 objects are as they were when ./fleet was imported\n');
  const touched = web(
    {},
    {
      resourceVersion: '9999',
      generation: 4,
      ...managedBy(
        by(MANAGER, APPLIED),
        by('kube-controller-manager', { 'f:status': { 'f:replicas': {} } }, { subresource: 'status' }),
        by('vpa', { 'f:metadata': { 'f:annotations': { 'f:seen': {} } } }),
      ),
      annotations: { seen: 'today', 'deployment.kubernetes.io/revision': '4' },
    },
  );
  expect(compared([NODE, storedPool('beijing'), { ...touched, status: { replicas: 2 } }, secret()])).toMatch(/^0 /);
});

it.each<[string, object, RegExp]>([
  [
    'a sidecar',
    web(template({ containers: [...containers, { name: 'log', image: 'a/log:1' }] })),
    /^1 1 change since \.\/fleet was imported Deployment shop\/web .*containers - \{"name":"log".* kubectl-client-side-apply \[name=log\]/,
  ],
  [
    'a variable of an environment',
    web(template({ containers: [{ ...containers[0], env: [{ name: 'A', value: '1' }] }] })),
    /containers - \[\{"name":"A".* kubectl-client-side-apply \[name=web\]\.env/,
  ],
  [
    'fewer replicas',
    web({ replicas: 1 }),
    /Deployment shop\/web field .* spec\.replicas 3 - kubectl-client-side-apply/,
  ],
  [
    'an image that a controller has set',
    web(
      template({ containers: [{ ...containers[0], image: 'a/web:2' }] }),
      managedBy(
        by('helm', { ...APPLIED, 'f:spec': { 'f:replicas': {}, 'f:selector': {} } }),
        by('keel', { 'f:spec': { 'f:template': {} } }),
      ),
    ),
    /containers\[name=web\]\.image registry\.example\/web:1\.0 a\/web:2 keel/,
  ],
  [
    'a label that is gone',
    web(
      {},
      {
        labels: {},
        ...managedBy(
          by(MANAGER, { 'f:spec': APPLIED['f:spec'] }),
          by('kubectl-edit', {}, { time: '2026-06-01T00:00:00Z' }),
        ),
      },
    ),
    /metadata\.labels\.app web - nobody; last written by kubectl-edit/,
  ],
])('%s since the dump is a change', (_, changed, row) => {
  expect(compared([NODE, storedPool('beijing'), changed, secret()]).replace(/\s+/g, ' ')).toMatch(row);
});

it('an object that is gone, that is new, and a Secret that was written are changes; no value of a Secret is shown', () => {
  const answer = compared([
    NODE,
    web(),
    storedPool('paris'),
    secret('900', managedBy(by('kubectl-edit', { 'f:data': { 'f:password': {} } }))),
  ]);
  expect(answer).toMatch(/^1 3 changes/);
  expect(answer).toMatch(/^NodePool beijing\nfield .*\nthe whole object gone$/m);
  expect(answer).toMatch(/^NodePool paris\nfield .*\nthe whole object new$/m);
  expect(answer.replace(/\s+/g, ' ')).toMatch(
    /Secret shop\/db field .* values are not kept written since, and may differ: read .* kubectl-edit/,
  );
  expect(answer).not.toContain('c2VjcmV0');
});

describe.each(['env', 'external'])('--secrets %s', (how) => {
  const store = ['--secret-store', 'ClusterSecretStore/vault'];
  const said = (before: readonly object[], after: readonly object[]): string => {
    const out = join(folder, `${how}-${String(readdirSync(folder).length)}`);
    const given = ['--secrets', how, ...(how === 'external' ? store : [])];
    expect(run(dump(before), '--out', out, ...given).code).toBe(0);
    const { code, out: text } = run(dump(after), '--compare', out);
    return `${code} ${text}`.replace(/\s+/g, ' ');
  };
  const changed = (given: object): any => ({ ...secret('900'), data: { password: 'bmV1' }, ...given });
  const DO = { env: 'read them again', external: 'write them into the store' };

  it('names a Secret of which the value has changed, or that is gone', () => {
    const answer = said(FIRST, [...FIRST.slice(0, 3), changed({})]);
    expect(answer).toMatch(/^1 1 change since .* Secret shop\/db field .* values are not kept written since, and may/);
    expect(answer).toContain(DO[how as keyof typeof DO]);
    expect(answer).not.toContain('bmV1');
    const other = storedSecret('other');
    expect(said([...FIRST, other], [...FIRST.slice(0, 3), other])).toMatch(
      /^1 1 change since .*Secret shop\/db field .* the whole object gone An apply .* into the program\. $/,
    );
  });

  it('says of what it cannot compare that it does not', () => {
    const { resourceVersion, ...metadata } = secret().metadata;
    const objects = [...FIRST.slice(0, 3), changed({ metadata })];
    expect(resourceVersion).toBe('812');
    expect(said(objects, objects)).toMatch(/^0 no change.* lack of a resourceVersion: the values of Secret shop\/db $/);
    const answer = said([...FIRST, storedSecret('other')], FIRST.slice(0, 3));
    expect(answer).toMatch(/^1 no change: 2 objects .* not in this dump: Secret \(2 when .* imported\) These are not/);
    const owned = storedPool('paris');
    Object.assign(owned.metadata, managedBy(by(MANAGER, { 'f:spec': { 'f:type': {} } })));
    expect(said(FIRST, [NODE, owned])).toMatch(/^1 2 changes .* not in this dump: Deployment\.apps \(1/);
  });
});

it.each<[string, () => string, RegExp]>([
  [
    'a folder that import has not written',
    () => compared(FIRST, '--compare', folder),
    /^2 .*EDGE_VALUE \.\/imported\.json: there is no such file.*-> write --compare/s,
  ],
  [
    'a dump without managedFields',
    () => compared([NODE, storedPool('beijing'), secret()]),
    /^2 .*EDGE_VALUE \.\/dump\.json: .* with managedFields.*--show-managed-fields/s,
  ],
  ['an option of the import', () => compared(FIRST, '--openyurt', '1.7'), /^2 .*leave --openyurt and --kubernetes out/],
  [
    'a record that was cut',
    () => {
      writeFileSync(join(folder, 'imported.json'), '[]');
      writeFileSync(join(folder, 'imported-from.json'), '{"given": {');
      return compared(FIRST, '--compare', folder);
    },
    /^2 .*EDGE_VALUE \.\/imported-from\.json: it is no JSON.*-> take it from the history/s,
  ],
])('%s is refused, and nothing is written', (_, answer, message) => {
  const before = readdirSync(fleet());
  expect(answer()).toMatch(message);
  expect(readdirSync(fleet())).toEqual(before);
});

it('--secrets leave-out: what the program does not write is no change', () => {
  const out = join(folder, 'left');
  expect(run(dump(FIRST), '--out', out, '--secrets', 'leave-out').code).toBe(0);
  for (const rest of [[secret('900')], []]) {
    expect(run(dump([...FIRST.slice(0, 3), ...rest]), '--compare', out)).toMatchObject({ code: 0 });
  }
});

it('of a workload with a secret in it, a new status is no change, and a new spec may be one', () => {
  const at = (generation: number, resourceVersion: string): any => {
    const args = ['--upstream=amqp://u:pwpw2@mq/'];
    const given = web(template({ containers: [{ ...containers[0], args }] }));
    return { ...given, metadata: { ...given.metadata, generation, resourceVersion } };
  };
  const out = join(folder, 'held');
  expect(run(dump([NODE, storedPool('beijing'), at(3, '10')]), '--out', out).code).toBe(0);
  expect(run(dump([NODE, storedPool('beijing'), at(3, '11')]), '--compare', out)).toMatchObject({ code: 0 });
  expect(run(dump([NODE, storedPool('beijing'), at(4, '11')]), '--compare', out)).toMatchObject({
    code: 1,
    out: expect.stringContaining('written since'),
  });
});
