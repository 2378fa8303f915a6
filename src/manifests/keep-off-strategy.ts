/**
 * How a system component is kept off host-network nodes.
 *
 * @category Keep system components off host-network nodes
 */
export enum KeepOffStrategy {
  /** A partial object for server-side apply that owns exactly the required node affinity. Works at once, on any cluster; the component must exist. */
  SERVER_SIDE_APPLY = 'SERVER_SIDE_APPLY',
  /** A patch file for `kubeadm init|upgrade --patches`. Works at the next run of kubeadm and at every one after. */
  KUBEADM_PATCH = 'KUBEADM_PATCH',
  /** The component's whole manifest, patched. For components that you apply yourself. */
  MANIFEST = 'MANIFEST',
}

/**
 * What may undo a keep-off.
 *
 * @category Keep system components off host-network nodes
 */
export type KeepOffEvent = 'node re-join' | 'kubeadm upgrade' | 'manifest or Helm upgrade' | 'operator';

/**
 * What a strategy survives. Sources: kubeadm writes add-ons by PUT of a freshly rendered object (apiclient.CreateOrUpdate), so fields that it
 * does not render are lost; a node's own life never touches the workload's template; Helm and `kubectl apply` write what they render.
 */
export const SURVIVAL: Readonly<Record<KeepOffStrategy, Readonly<Record<KeepOffEvent, boolean>>>> = {
  [KeepOffStrategy.SERVER_SIDE_APPLY]: {
    'node re-join': true,
    'kubeadm upgrade': false,
    'manifest or Helm upgrade': false,
    operator: false,
  },
  [KeepOffStrategy.KUBEADM_PATCH]: {
    'node re-join': true,
    'kubeadm upgrade': true,
    'manifest or Helm upgrade': false,
    operator: false,
  },
  [KeepOffStrategy.MANIFEST]: {
    'node re-join': true,
    'kubeadm upgrade': false,
    'manifest or Helm upgrade': true,
    operator: false,
  },
};
