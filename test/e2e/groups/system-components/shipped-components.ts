import { SystemComponent } from 'edge-nodepools';
import type { RevertingEvent } from '../../../../src/system-components/exclusion-strategy.js';
import { daemonSet, deployment } from '../../../bad-inputs/case.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import { flannel } from '../../harness/flannel.js';
import type { KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';

// kubeadm reads the release of CoreDNS from the tag, and refuses unknown ones
export const RELEASE = 'registry.example/component:v1.12.0';
export const NEXT_RELEASE = 'registry.example/component:v1.12.1';

/** A component as its project ships it, in one release and the next. */
export interface Shipped {
  readonly component: SystemComponent;
  readonly byKubeadm: boolean;
  readonly ownAffinity: boolean;
  readonly manifest: (image: string) => any;
}

function metricsServer(image: string): any {
  const manifest = deployment({ containers: [{ name: 'metrics-server', image }] });
  return { ...manifest, metadata: { name: 'metrics-server', namespace: 'kube-system' } };
}

function nodeLocalDns(image: string): any {
  const manifest = daemonSet({ containers: [{ name: 'node-cache', image }] });
  return { ...manifest, metadata: { name: 'node-local-dns', namespace: 'kube-system' } };
}

/** Components of each kind: by kubeadm, by manifest as Deployment and as DaemonSet, and with its own node affinity. */
export function shippedWith(addOns: KubeadmAddOns): Shipped[] {
  const rendered = addOns.rendered('coredns');
  const coredns = (image: string): any => {
    const { template, ...spec } = rendered.spec;
    const [container] = template.spec.containers;
    const containers = [{ ...container, image }];
    return { ...rendered, spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } } };
  };
  return [
    { component: SystemComponent.COREDNS, byKubeadm: true, ownAffinity: false, manifest: coredns },
    { component: SystemComponent.METRICS_SERVER, byKubeadm: false, ownAffinity: false, manifest: metricsServer },
    { component: SystemComponent.NODE_LOCAL_DNS, byKubeadm: false, ownAffinity: false, manifest: nodeLocalDns },
    { component: SystemComponent.FLANNEL, byKubeadm: false, ownAffinity: true, manifest: flannel },
  ];
}

/** What an installer of a component does at an event. */
interface Installer {
  /** kubeadm writes its add-on again. */
  readonly reinstall: () => unknown;
  /** The next release is installed like the first one. */
  readonly upgrade: () => unknown;
}

/** Triggers an event that can revert the exclusion of an installed component. */
export async function happen(
  plane: ControlPlane,
  event: RevertingEvent,
  manifest: Shipped['manifest'],
  { reinstall, upgrade }: Installer,
): Promise<void> {
  const events: Readonly<Record<RevertingEvent, () => unknown>> = {
    'node re-join': async () => {
      await plane.nodes.delete('edge-1');
      await plane.nodes.fake('edge-1', { 'nodepool.openyurt.io/hostnetwork': 'true' });
    },
    'kubeadm upgrade': reinstall,
    'manifest or Helm upgrade': upgrade,
    operator: async () => plane.api.must('PUT', await plane.api.pathOf(manifest(NEXT_RELEASE)), manifest(NEXT_RELEASE)),
  };
  await events[event]();
}
