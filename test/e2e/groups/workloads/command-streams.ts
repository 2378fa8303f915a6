import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Proof } from '../../harness/group.js';
import { HELM_3 } from '../../harness/helm.js';
import type { Said, UserProject } from '../../harness/user-project.js';

const WORKLOAD =
  'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n' +
  'spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}}\n';

/** The command as a process, with every kind of stream that a shell or another program gives it. */
export async function streams(proof: Proof, project: UserProject): Promise<void> {
  project.write('workload.yaml', WORKLOAD);
  project.write(
    'large.yaml',
    `${WORKLOAD}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: large}\ndata: {text: ${'x'.repeat(1_000_000)}}\n`,
  );
  project.write('latin.yaml', Buffer.from('kind: ConfigMap\ndata: {name: Jürgen}\n', 'latin1'));
  const command = 'node_modules/.bin/edge-nodepools post-render';
  const sh = (script: string): Promise<Said> => project.sh(HELM_3, script);
  const silent = { status: 0, stdout: '', stderr: '' };

  const nothing = await sh(`${command} < /dev/null`);
  proof.same('nothing in, nothing out', { ...nothing, stderr: '' }, silent);
  proof.that('and it says so', /^post-render: stdin is empty/.test(nothing.stderr), nothing.stderr);
  const { status, stdout, stderr } = await sh(`${command} < workload.yaml`);
  proof.same(
    'the manifests and nothing else are on stdout',
    [status, stdout.slice(0, 10), stderr],
    [0, 'apiVersion', ''],
  );
  proof.same('a reader may stop early', await sh(`${command} < large.yaml | true`), silent);
  proof.same(
    'nobody has to read the warnings',
    await sh(`{ sleep 1; cat workload.yaml; } | ${command} --skip=None 2> >(true) | grep -c NotIn`),
    { ...silent, stdout: '1\n' },
  );
  const latin = await sh(`${command} < latin.yaml`);
  proof.same('bytes that are not UTF-8 are refused', [latin.status, latin.stdout], [2, '']);
  proof.that('with the reason', latin.stderr.startsWith('stdin is not UTF-8'), latin.stderr);
  const refused = await sh(`cat workload.yaml - <<< $'---\\na: [' | ${command}`);
  proof.same('one invalid document: nothing is written', [refused.status, refused.stdout], [2, '']);
  const full = await sh(`${command} < workload.yaml > /dev/full`);
  proof.same('a full disk is reported', [full.status, full.stderr.split('\n').length], [2, 2]);
  const help = await sh(`${command} --help`);
  proof.that('the help names the exit codes and the hooks', /Exit code 0[^]*hooks/.test(help.stdout), help.stdout);
  proof.same('stdin may be non-blocking', (await fromNonBlocking(project)).split('NotIn').length, 2);
}

/** The command on a pipe that is empty at first, and does not block. */
async function fromNonBlocking({ folder }: UserProject): Promise<string> {
  const pipe = join(folder, 'pipe');
  spawnSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, constants.O_WRONLY);
  const child = spawn('node_modules/.bin/edge-nodepools', ['post-render'], {
    cwd: folder,
    stdio: [reader, 'pipe', 'inherit'],
  });
  closeSync(reader);
  let written = '';
  child.stdout?.on('data', (data: Buffer) => (written += data.toString()));
  const ended = new Promise((done) => child.on('close', done));
  await new Promise((done) => setTimeout(done, 1000));
  // if the command has ended, nobody reads
  try {
    writeSync(writer, WORKLOAD);
  } catch (error) {
    written = String(error);
  }
  closeSync(writer);
  await ended;
  return written;
}
