import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { SystemComponent } from '../system-components/system-component.js';
import type { PriorityClassProps } from './priority-classes.js';
import type { ContainerAmounts, QosProfile } from './qos-profile.js';

/**
 * QoS of a running component that another tool writes: kube-proxy, CoreDNS, agents on the nodes.
 *
 * @category Run the control plane
 */
export interface ComponentQos {
  /** The component, as in `exclude` of {@link EdgeSystemComponents}. */
  readonly component: SystemComponent;
  /** Resources and priority of its Pods. */
  readonly profile: QosProfile;
}

/**
 * Properties of {@link ControlPlaneQos}.
 *
 * @category Run the control plane
 */
export interface ControlPlaneQosProps {
  /** The cluster whose control plane it is. */
  readonly cluster: EdgeCluster;
  /** QoS of kube-apiserver.
   * @default - as kubeadm writes it: burstable, 250m */
  readonly apiServer?: QosProfile;
  /** QoS of kube-controller-manager.
   * @default - as kubeadm writes it: burstable, 200m */
  readonly controllerManager?: QosProfile;
  /** QoS of kube-scheduler.
   * @default - as kubeadm writes it: burstable, 100m */
  readonly scheduler?: QosProfile;
  /** QoS of the etcd that kubeadm runs on the machines of the control plane.
   * @default - as kubeadm writes it: burstable, 100m and 100Mi */
  readonly etcd?: QosProfile;
  /** QoS of components that run already.
   * @default - none */
  readonly components?: ComponentQos[];
  /** PriorityClasses.
   * @default - none */
  readonly priorityClasses?: PriorityClassProps[];
  /** Allocatable resources of a machine of the control plane (`NodeReservation.allocatable`). The requests of its static Pods and of the DaemonSets in
   * `components` are checked to fit.
   * @default - not checked */
  readonly allocatable?: ContainerAmounts;
  /** Folder of the kubeadm patches on the machines.
   * @default /etc/kubernetes/patches */
  readonly patchFolder?: string;
  /** Field manager of the patches of running components. It must be another one than that of {@link EdgeSystemComponents}.
   * @default - edge-nodepools-qos; in Pulumi each patch has its own, with a random name */
  readonly fieldManager?: string;
  /** Folder of the kubeadm patch files, below the output folder.
   * @default control-plane-patches */
  readonly artifactFolder?: string;
}
