import type { Group } from '../../harness/group.js';
import { JoinSite } from '../../harness/join-site.js';
import { Machines } from './machines.js';
import { JoinFailures } from './failures.js';
import { IgnitionJoin } from './ignition-join.js';
import { preflight } from './preflight.js';
import { UserDataParts } from './parts.js';
import { PowerCuts } from './power-cuts.js';
import { JoinProof } from './proof.js';
import { ServiceRuns } from './service.js';
import { Updates } from './updates.js';

export const join: Group = {
  name: 'join',
  claim:
    'cloud-init, a plain script and the files of Ignition make a machine a Ready host-network node by a real kubeadm join, with label and taints in the request that creates the Node, with the predicted allocatable, and without a remaining token; every failure is reported, leaves no token, and the next run joins',
  programs: 'kubeadm, kubelet and control plane 1.36 as kubeadm makes it, cloud-init, ignition, containerd, runc',
  tools: JoinSite.TOOLS,
  needs: [...JoinSite.NEEDS, 'cloud-init', 'openssl'],
  run: async (proof) => {
    const begin = Date.now();
    const site = await JoinSite.open();
    const before = proof.failures.length;
    let ended = false;
    try {
      proof.note(`the control plane was ready after ${Math.round((Date.now() - begin) / 1000)} s`);
      const joins = new JoinProof(site, proof);
      const machine = await joins.run(async (node, joined) => {
        await preflight(joins, node, true);
        await new Updates(joins, node, joined).run();
      });
      await preflight(joins, machine, false);
      await new JoinFailures(joins, machine).run();
      await joins.joinsAsFirstPart(machine);
      await new UserDataParts(joins, machine).run();
      await new Machines(joins, machine).run();
      await new IgnitionJoin(joins, machine).run();
      await new ServiceRuns(joins, machine).run();
      await joins.staleNode(machine);
      const cuts = new PowerCuts(joins, machine);
      await cuts.run();
      // by hand: about a minute for each write, with strace
      const step = Number(process.env.EDGE_NODEPOOLS_POWER_CUTS ?? '0');
      if (step > 0) {
        await cuts.everyWrite(step);
      }
      ended = true;
    } finally {
      const failed = !ended || proof.failures.length > before;
      await site.close({ keepLogs: failed });
      if (failed) {
        proof.note(`logs are kept in ${site.logs}`);
      }
    }
  },
};
