import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Precondition, type PreconditionComponent, step } from '../../src/preconditions/precondition.js';
import { preconditionFiles } from '../../src/preconditions/step-files.js';

const made = (component: PreconditionComponent): Precondition => ({
  component,
  need: 'required',
  reason: 'a test',
  applied: true,
  steps: [step('apply it', { manifests: [{ kind: component }], commands: [`kubectl after ${component}`] })],
  files: [],
  rollback: [step('take it back', { commands: [`kubectl back ${component}`] })],
  rollbackFiles: [],
  lostAfter: [],
});

const describeInShell = process.platform === 'win32' ? describe.skip : describe;

describeInShell('the scripts of preconditions', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-steps-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Runs a script with a kubectl that prints a text for `get`; returns its other calls. */
  function run(name: string, answer: string): { readonly status: number | null; readonly calls: string[] } {
    for (const { path, content } of preconditionFiles([made('corefile'), made('kube-proxy')], 'out')) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const kubectl = join(folder, 'kubectl');
    const log = join(folder, 'calls');
    writeFileSync(kubectl, `#!/bin/sh\nif [ "$1" = get ]; then echo '${answer}'; else echo "$*" >> ${log}; fi\n`);
    chmodSync(kubectl, 0o755);
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    const { status } = spawnSync('sh', [join(folder, 'out', name)], { env });
    return { status, calls: existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [] };
  }

  it('apply the steps in order, and revert them in reverse order', () => {
    const applies = (file: string): string =>
      `apply --server-side --field-manager=edge-nodepools-preconditions --force-conflicts --filename=apply/${file}`;
    expect(run('apply.sh', '')).toEqual({
      status: 0,
      calls: [applies('01-corefile.yaml'), 'after corefile', applies('02-kube-proxy.yaml'), 'after kube-proxy'],
    });
    rmSync(join(folder, 'calls'));
    expect(run('revert.sh', '')).toEqual({ status: 0, calls: ['back kube-proxy', 'back corefile'] });
  });

  it('stop before an object of client-side kubectl apply', () => {
    expect(run('apply.sh', '    kubectl.kubernetes.io/last-applied-configuration: "{}"')).toEqual({
      status: 1,
      calls: [],
    });
  });
});
