import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../../../src/cli/main.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { runScript } from '../../harness/script.js';
import { plainStaticPod } from './precondition-programs.js';

/** The input of a user: the documented dump, in a cluster without NodePools, and the static Pod manifest of kubeadm. */
function collect(plane: ControlPlane, staticPod: string): string {
  const from = mkdtempSync(join(plane.folder, 'collected-'));
  let dump = '';
  main(['dump', 'preconditions', '--openyurt=none'], {
    stdin: () => '',
    stdout: (text) => (dump += text),
    stderr: () => undefined,
    kubectl: (args) => {
      const { status, stdout } = plane.kubectl(args);
      return status === 0 ? stdout : undefined;
    },
  });
  writeFileSync(join(from, 'dump.yaml'), dump);
  writeFileSync(join(from, 'kube-controller-manager.yaml'), staticPod);
  return from;
}

function preconditions(from: string, out: string): { code: number; report: any } {
  let printed = '';
  const code = main(
    [
      'preconditions',
      `--dump=${from}`,
      '--openyurt=1.5',
      '--kubernetes=1.36',
      '--guide=tunnel',
      `--out=${out}`,
      '--json',
    ],
    {
      stdin: () => '',
      stdout: (text) => (printed += text),
      stderr: (text) => (printed += text),
    },
  );
  return { code, report: JSON.parse(printed) };
}

const statesOf = ({ preconditions: found, systemComponents }: any): string[] =>
  [...found, ...systemComponents].map(({ state }: any) => state as string);

/** The command on a dump of the cluster: its files fix every gap that it finds. */
export async function byCommand(plane: ControlPlane, proof: Proof): Promise<void> {
  const staticPod = plainStaticPod(plane.folder);
  const out = join(plane.folder, 'gaps');
  const before = preconditions(collect(plane, staticPod), out);
  proof.same('the command finds gaps in a cluster of kubeadm', before.code, 1);
  proof.same(
    'all preconditions of the tunnel, and both system components',
    statesOf(before.report),
    Array(7).fill('missing'),
  );
  proof.same(
    'the documented dump lacks nothing but NodePools, which this cluster has none of',
    before.report.unreadObjects.map(({ objects }: any) => objects),
    ['NodePools'],
  );
  proof.that('it writes an executable script', readdirSync(out).includes('apply.sh'));

  await runScript(plane, out, 'apply.sh');
  await runScript(plane, join(out, 'keep-off'), 'apply.sh');
  const edited = readFileSync(join(out, 'apply', 'static-pods', 'kube-controller-manager.yaml'), 'utf8');
  const lines = (text: string): string[] => text.split('\n');
  const changed = lines(staticPod).filter((line, index) => line !== lines(edited)[index]);
  proof.same("of kubeadm's static Pod one line is changed", changed.length, 1);
  const after = preconditions(collect(plane, edited), join(plane.folder, 'no-gaps'));
  const open = statesOf(after.report).filter((state) => state !== 'fine');
  proof.same('after its scripts it finds none', [after.code, open], [0, []]);
  proof.same('and writes nothing', after.report.files, []);

  await runScript(plane, out, 'revert.sh');
  const back = preconditions(collect(plane, staticPod), join(plane.folder, 'gaps-again'));
  const [, corefile, service, daemonSet, proxy] = statesOf(back.report);
  proof.same('after revert.sh it finds them again', [corefile, service, daemonSet, proxy], Array(4).fill('missing'));
}
