import { type ControlPlane, type ControlPlaneProps, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { buildPackage } from '../../harness/installed-package.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { withYurtManager, type YurtManager, yurtManagerTools } from '../../harness/yurt-manager.js';
import { KUBEADM } from '../../harness/kubeadm-add-ons.js';
import { addOns } from './add-ons.js';
import { fleet } from './fleet.js';
import { imported } from './imported.js';
import { keptJoins } from './kept-joins.js';
import { late } from './late.js';
import { plugin } from './plugin.js';
import { releases, RELEASES_TOOLS } from './releases.js';
import { secrets } from './secrets.js';
import { systemComponents } from './system-components.js';

const PROPS: ControlPlaneProps = {
  kubernetes: '1.36',
  // pulumi uses foreground deletion, which needs the garbage collector
  controllers: ['garbage-collector-controller', 'namespace-controller', 'daemonset-controller'],
};

/** The webhook configurations are deleted with yurt-manager, so that the program can create them. */
async function withoutWebhooks(plane: ControlPlane, manager: YurtManager): Promise<void> {
  await manager.stop();
  for (const type of ['mutating', 'validating']) {
    const at = `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations/yurt-manager-${type}-webhook-configuration`;
    await plane.api.must('DELETE', at);
  }
}

export const pulumi: Group = {
  name: 'pulumi',
  claim:
    'the components of edge-nodepools/pulumi in the real engine: an update creates what the preview shows, a second one changes nothing, changes of immutable fields replace (deleted first; a pool with nodes is not deleted), patches of existing objects are applied and removed, a pool is imported as it is or not at all, by a transform and by `pulumi import`, a published join lives through changes, destroy and up, transforms reach charts, the plugin for other languages serves its schema and creates components, destroy removes everything, and no secret is in plain text in the state or the output',
  programs: 'pulumi 3.248, pulumi-resource-kubernetes 4.32, kube-apiserver and kubeadm 1.36, yurt-manager 1.7.0',
  tools: [...toolsOf(PROPS), ...yurtManagerTools('1.7'), KUBEADM, ...RELEASES_TOOLS],
  needs: ['pulumi'],
  run: async (proof: Proof) => {
    buildPackage();
    await onControlPlane(PROPS, proof, async (plane) => {
      await withYurtManager(plane, '1.7', async (manager) => {
        await fleet(plane, proof);
        await late(plane, proof);
        await keptJoins(plane, proof);
        await imported(plane, proof);
        await plugin(plane, proof);
        await addOns(plane, proof);
        await systemComponents(plane, proof);
        await withoutWebhooks(plane, manager);
        await secrets(plane, proof);
      });
    });
    await releases(proof);
  },
};
