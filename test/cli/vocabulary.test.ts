/** Commands have the same options for the same, and say in their own words what is wrong. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../src/cli/main.js';
import { pool, workload } from './fleet-objects.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'words-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const quantity = (name: string, memory: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { hostNetwork: true, containers: [{ name, image: name, resources: { requests: { memory } } }] },
});
const FLEET = [pool('hz', true), pool('office', false), workload('web', { hostNetwork: true }, 'Deployment')];

/** Runs the command with objects on stdin. */
function run(args: readonly string[], objects: readonly object[] = FLEET): { code: number; out: string; err: string } {
  let [out, err] = ['', ''];
  const code = main(args, {
    stdin: () => JSON.stringify({ kind: 'List', apiVersion: 'v1', items: objects }),
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
    kubectl: () => undefined,
  });
  return { code, out, err };
}

const READING: [command: string, rest: string[]][] = [
  ['show', []],
  ['check', []],
  ['explain', ['web']],
  ['simulate', ['--down=pool=hz', '--nodes=hz=2', '--nodes=office=2']],
];

describe('--dump', () => {
  it.each(READING)('%s: is the same as the argument', (command, rest) => {
    const [first, second] = [run([command, ...rest, '-']), run([command, ...rest, '--dump', '-'])];
    expect(second).toEqual(first);
    expect([0, 1]).toContain(first.code);
    expect(run([command, ...rest, '-', '--dump', 'a.yaml'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('are both given'),
    });
  });

  it.each(READING)('%s: says what to write without either', (command, rest) => {
    expect(run([command, ...rest])).toMatchObject({
      code: 2,
      err: expect.stringMatching(new RegExp(`write edge-nodepools ${command}.* dist`)),
    });
  });

  it('diff: is the old version', () => {
    writeFileSync(join(folder, 'new.json'), JSON.stringify({ kind: 'List', apiVersion: 'v1', items: FLEET }));
    expect(run(['diff', '--dump', '-', folder])).toMatchObject({ code: 0, out: 'no difference\n' });
    for (const args of [[], [folder], ['--dump', '-'], ['--dump', '-', folder, folder]]) {
      expect(run(['diff', ...args])).toMatchObject({ code: 2, err: expect.stringContaining('edge-nodepools diff') });
    }
  });
});

describe('options that contradict', () => {
  it('refuses --json beside another format', () => {
    expect(run(['check', '-', '--json', '--format', 'sarif'])).toMatchObject({
      code: 2,
      err: '--json is --format json, and --format sarif is also given; write one of them\n',
    });
    expect(run(['check', '-', '--json', '--format', 'json'])).toEqual(run(['check', '-', '--json']));
  });

  it.each(READING)('%s: refuses --host-network-pool of a regular NodePool', (command, rest) => {
    expect(run([command, ...rest, '-', '--host-network-pool', 'office'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--host-network-pool office: its NodePool has no hostNetwork: true'),
    });
    expect(run([command, ...rest, '-', '--host-network-pool', 'hz']).code).toBeLessThan(2);
  });
});

describe('texts of errors', () => {
  it('are those of the command', () => {
    const { code, err } = run(['simulate', '-', '--down', 'pool=nowhere', '--nodes', 'hz=2', '--nodes', 'office=2']);
    expect(code).toBe(2);
    expect(err).not.toMatch(/simulateOutage|down\.pools/);
    expect(err).toContain('--down pool');
    expect(run(['simulate', '-', '--down', 'pool=hz', '--flag', 'node-evictionrate=1'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean --flag node-eviction-rate=1?'),
    });
    writeFileSync(join(folder, 'w.yaml'), 'a: [');
    expect(run(['explain', 'web', folder]).err).not.toContain('["w.yaml"]');
    expect(run(['explain', 'web', folder]).err).toContain('w.yaml');
  });

  it.each(READING.filter(([command]) => command !== 'check'))('%s: goes on without a bad amount', (command, rest) => {
    const { code, out, err } = run([command, ...rest, '-'], [...FLEET, quantity('bad', '256MB')]);
    expect([code, out]).toEqual([0, run([command, ...rest, '-']).out]);
    expect(err).toContain('Pod bad is left out: spec.containers[0].resources.requests.memory');
  });
});

describe('files', () => {
  it('of hidden folders and of packages are not read', () => {
    const pod = JSON.stringify(quantity('a', '1Gi'));
    for (const each of ['.git', '.github/workflows', 'node_modules/a', 'sub/.cache', 'sub/a.b']) {
      mkdirSync(join(folder, each), { recursive: true });
      writeFileSync(join(folder, each, 'pod.json'), pod);
    }
    expect(run(['check', folder]).out).toContain('in 1 object of 1 file');
  });

  it('have the same path in explain as in check', () => {
    writeFileSync(
      join(folder, 'w.json'),
      JSON.stringify({ kind: 'List', apiVersion: 'v1', items: FLEET }, undefined, 1),
    );
    expect(run(['explain', 'web', folder]).out).toContain(`Deployment default/web  ${join(folder, 'w.json')}:`);
    const explained = JSON.parse(run(['explain', 'web', folder, '--json']).out);
    expect(explained).toMatchObject({ file: join(folder, 'w.json'), line: expect.any(Number) });
  });
});

describe('check', () => {
  it('says how many placements are unknown', () => {
    const job = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { hostNetwork: true, schedulerName: 'own', containers: [{ name: 'a', image: 'a' }] },
    };
    const { out } = run(['check', '-'], [...FLEET, job]);
    const { unknown } = JSON.parse(run(['check', '-', '--json'], [...FLEET, job]).out);
    expect(unknown).toBe(2);
    expect(out).toContain('; 2 placements are unknown: show says why');
    expect(run(['check', '-']).out).not.toContain('unknown');
  });
});

describe('dump', () => {
  it.each(['show', 'check', 'diff', 'explain'])(
    '%s: asks for everything that makes Pods, and what decides on them',
    (command) => {
      const { out } = run(['dump', command, '--print']);
      for (const kind of [
        'pods',
        'jobs',
        'cronjobs',
        'namespaces',
        'persistentvolumeclaims',
        'persistentvolumes',
        'storageclasses',
        'yurtappsets.apps.openyurt.io',
        'validatingadmissionpolicies',
        'mutatingadmissionpolicybindings',
      ]) {
        expect(out).toMatch(new RegExp(`[ ,]${kind}[ ,]`));
      }
    },
  );
});
