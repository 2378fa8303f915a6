import { JoinToken } from 'edge-nodepools';
import type { CloudMachine } from '../../harness/cloud-machine.js';
import type { JoinProof } from './proof.js';

/** What the preflight script says about a machine with a real kubelet and containerd, and a real API server. */
export async function preflight(joins: JoinProof, machine: CloudMachine, hasJoined: boolean): Promise<void> {
  const { preflightScript } = joins.declared.join(JoinToken.fromFile('/var/lib/edge/join-token'), {
    kubeletConfiguration: { failCgroupV1: false, failSwapOn: false },
  });
  await machine.room.write('/run/preflight.sh', preflightScript);
  await machine.room.write('/var/lib/edge/join-token', 'any', '0600');
  const ran = await machine.sh('sh /run/preflight.sh; status=$?; rm -f /var/lib/edge/join-token; exit $status');
  const missing = ran.stdout
    .split('\n')
    .filter((line) => / missing /.test(line))
    .map((line) => line.split(' ')[0]);
  joins.proof.same(
    hasJoined
      ? 'preflight on a node: it has joined, and its ports are taken'
      : 'preflight on a bare machine: nothing is missing',
    // whether this machine has a clock service is its own affair
    [missing.filter((row) => row !== 'clock' && row !== 'disk'), hasJoined ? ran.status : 0],
    hasJoined ? [['ports', 'node'], 1] : [[], 0],
  );
}
