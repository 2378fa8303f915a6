import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../../../src/cli/main.js';
import { type ControlPlane, WITH_ROLLOUTS } from '../../harness/control-plane.js';
import { FakeKubelets } from '../../harness/fake-kubelets.js';
import type { Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { openYurtCrds } from '../../harness/openyurt.js';
import { runScript } from '../../harness/script.js';
import { fleet } from './fleet.js';
import { EXCLUSION, pod, requiredTerms } from './pod-requests.js';
import { LABEL } from './requests.js';

const GROUP = 'platform:break-glass';
const SETS = '/apis/apps/v1/namespaces/default/daemonsets';

function daemonSet(name: string, image = 'a'): any {
  const labels = { app: name };
  const { spec } = pod({ containers: [{ name: 'a', image }] });
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'default' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

/** What the command `preconditions` finds in a dump, and writes. */
function findings(plane: ControlPlane): { workloads: string[]; out: string } {
  const out = mkdtempSync(join(plane.folder, 'found-'));
  const dump = join(out, 'dump.yaml');
  const kinds = 'services,daemonsets,mutatingadmissionpolicies,mutatingadmissionpolicybindings';
  writeFileSync(dump, plane.kubectl(['get', kinds, '--all-namespaces', '--output=yaml']).stdout);
  let printed = '';
  main(['preconditions', `--dump=${dump}`, '--openyurt=1.7', '--kubernetes=1.36', `--out=${out}`, '--json'], {
    stdin: () => '',
    stdout: (text) => (printed += text),
    stderr: (text) => (printed += text),
  });
  return { workloads: JSON.parse(printed).daemonSets.map(({ workload }: any) => workload as string), out };
}

/** With `strict`, the Pods of a DaemonSet and its template are judged alike, so that its rollout ends: whoever writes it, and before `strict` after one write. */
export async function earlierDaemonSets(proof: Proof): Promise<void> {
  await onControlPlane(WITH_ROLLOUTS, proof, async (plane) => {
    // something of a cluster that the command knows
    await plane.apply([
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'kube-dns', namespace: 'kube-system' },
        spec: { ports: [{ port: 53, protocol: 'UDP' }] },
      },
    ]);
    const claim = (what: string): string => `strict, kube-controller-manager 1.36: ${what}`;
    await plane.applyCrds(openYurtCrds('1.7', true));
    await plane.nodes.fake('regular');
    await plane.nodes.fake('edge', { [LABEL]: 'true' });
    const kubelets = new FakeKubelets(plane.api);
    const rollout = async (name: string): Promise<{ wanted: number; ended: boolean }> => {
      const { metadata, status } = await plane.api.must('GET', `${SETS}/${name}`);
      const wanted = (status.desiredNumberScheduled ?? 0) as number;
      const isSeen = status.observedGeneration === metadata.generation;
      const done = [status.updatedNumberScheduled, status.numberAvailable].every((count) => count === wanted);
      return { wanted, ended: isSeen && wanted > 0 && done };
    };
    const ends = async (name: string, on: number): Promise<boolean> => {
      const { wanted, ended } = await rollout(name);
      return ended && wanted === on;
    };
    try {
      await plane.apply([daemonSet('earlier'), daemonSet('patched')]);
      await proof.eventually(claim('before it, a DaemonSet runs on both nodes'), () => ends('earlier', 2));
      const { policies } = fleet('1.36', { guarantees: { strict: true }, breakGlassGroups: [GROUP] });
      await plane.apply(policies);
      await proof.eventually(claim('it is in force'), async () => {
        const probe = await plane.api.send('POST', '/api/v1/namespaces/default/pods', pod({}), {
          query: { dryRun: 'All' },
        });
        return requiredTerms(probe.body.spec) !== undefined;
      });
      await plane.nodes.fake('edge-2', { [LABEL]: 'true' });
      await proof.eventually(
        claim('a Pod of an earlier DaemonSet stays Pending on a new host-network node'),
        async () => {
          const { items } = await plane.api.must('GET', '/api/v1/namespaces/default/pods?labelSelector=app=earlier');
          return items.some(({ spec, status }: any) => spec.nodeName === undefined && status.phase === 'Pending');
        },
      );
      await proof.eventually(
        claim('the controller counts the new node'),
        async () => (await rollout('earlier')).wanted === 3,
      );
      proof.same(claim('so its rollout does not end'), await rollout('earlier'), { wanted: 3, ended: false });
      const found = findings(plane);
      proof.same(claim('preconditions finds the earlier DaemonSets'), found.workloads.sort(), [
        'DaemonSet default/earlier',
        'DaemonSet default/patched',
      ]);
      const touched = plane.kubectl(['annotate', 'daemonset', 'earlier', 'edge.example/touched=1']);
      proof.same(claim('it is touched once'), touched.status, 0);
      await proof.eventually(claim('then its rollout ends, on the regular node only'), () => ends('earlier', 1));
      await runScript(plane, found.out, 'daemon-sets.sh');
      await proof.eventually(claim('the script of preconditions has the same effect'), () => ends('patched', 1));
      proof.same(claim('and then it finds none'), findings(plane).workloads, []);
      const made = await plane.api.must('POST', SETS, daemonSet('by-break-glass'), {
        impersonate: { user: 'admin', groups: [GROUP, 'system:masters'] },
      });
      proof.same(
        claim('a template that a break-glass group writes is judged like its Pods'),
        requiredTerms(made.spec.template.spec),
        [{ matchExpressions: [EXCLUSION] }],
      );
      await proof.eventually(claim('and its rollout ends'), () => ends('by-break-glass', 1));
    } finally {
      await kubelets.stop();
    }
  });
}
