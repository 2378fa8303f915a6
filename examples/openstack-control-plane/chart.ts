import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import {
  EdgeCluster,
  HostNetworkNodePool,
  KubeadmConfigTemplate,
  NodeReservation,
  SystemComponent,
} from 'edge-nodepools';
import {
  CinderStorageClass,
  ControlPlaneQos,
  EtcdCluster,
  OpenStackMachines,
  PersistentData,
  withQos,
} from 'edge-nodepools/control-plane';

export const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', apiServer: '10.0.0.5:6443' });

/** Namespace of the Cluster in the management cluster. */
const CLUSTERS = 'clusters';

/** Machines of the control plane: 4 cores, 16 GiB. */
const MACHINE = { cpu: 4, memory: '16Gi' };

/** What runs in the edge cluster itself. */
export class ClusterChart extends Chart {
  public readonly etcd: EtcdCluster;
  public readonly qos: ControlPlaneQos;
  public readonly pool: HostNetworkNodePool;
  public readonly metrics: PersistentData;

  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'monitoring' });
    new ApiObject(this, 'monitoring', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'monitoring' } });

    // Three machines with a fast volume each. Their user data is in dist/etcd.
    this.etcd = new EtcdCluster(this, 'etcd', {
      cluster,
      name: 'edge',
      members: [
        { name: 'etcd-1', address: '10.0.0.11', device: '/dev/disk/by-id/virtio-1f6a2c3e-7c5b-4d0a-9' },
        { name: 'etcd-2', address: '10.0.0.12', device: '/dev/disk/by-id/virtio-2b8e4d1f-0a9c-4e7b-8' },
        { name: 'etcd-3', address: '10.0.0.13', device: '/dev/disk/by-id/virtio-3c9f5e2a-1b8d-4f6c-7' },
      ],
      certificates: { source: 'kubeadm' },
      latency: 'shared',
      clusterApi: { clusterName: 'edge' },
      // that of the Cluster: certificates.sh makes two Secrets beside it
      namespace: CLUSTERS,
      clients: ['10.0.0.0/28'],
    });

    // etcd has machines of its own, so the control plane has three static Pods.
    this.qos = new ControlPlaneQos(this, 'qos', {
      cluster,
      apiServer: { preset: 'kube-apiserver', containers: { 'kube-apiserver': { requests: { memory: '4Gi' } } } },
      controllerManager: { preset: 'kube-controller-manager' },
      scheduler: { preset: 'kube-scheduler' },
      components: [{ component: SystemComponent.KUBE_PROXY, profile: { preset: 'kube-proxy' } }],
      priorityClasses: [{ name: 'observability', value: 900_000_000, description: 'metrics and logs of the cluster' }],
      allocatable: NodeReservation.preset('kubespray').allocatable(MACHINE),
    });

    // The metrics survive their Pod and its node.
    const storage = new CinderStorageClass(this, 'ssd', { name: 'ssd', volumeType: 'ssd' });
    this.metrics = PersistentData.forPrometheus(this, 'metrics', {
      name: 'edge',
      storage,
      size: '100Gi',
      retention: '30d',
      samplesPerSecond: 10_000,
    });
    new ApiObject(
      this,
      'prometheus',
      withQos(
        {
          apiVersion: 'monitoring.coreos.com/v1',
          kind: 'Prometheus',
          metadata: { name: 'edge' },
          spec: { serviceAccountName: 'prometheus', ...this.metrics.spec },
        },
        { preset: 'prometheus', priorityClassName: 'observability' },
      ),
    );

    this.pool = new HostNetworkNodePool(this, 'shops', {
      cluster,
      poolName: 'shops',
      registrationTaint: true,
      reservation: NodeReservation.preset('edge-small'),
    });
  }
}

/** What runs in the management cluster of Cluster API. The Cluster, its OpenStackCluster and the machine template of the control plane are there already. */
export class ManagementChart extends Chart {
  public readonly machines: OpenStackMachines;

  constructor(scope: Construct, id: string, { etcd, qos, pool }: ClusterChart) {
    super(scope, id, { namespace: CLUSTERS });
    new ApiObject(this, 'clusters', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: CLUSTERS } });

    new ApiObject(this, 'control-plane', {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmControlPlane',
      metadata: { name: 'edge' },
      spec: {
        replicas: 3,
        version: 'v1.34.2',
        machineTemplate: {
          spec: {
            infrastructureRef: {
              apiGroup: 'infrastructure.cluster.x-k8s.io',
              kind: 'OpenStackMachineTemplate',
              name: 'edge-control-plane',
            },
          },
        },
        kubeadmConfigSpec: {
          files: qos.files,
          clusterConfiguration: { etcd: etcd.clusterConfiguration.etcd },
          initConfiguration: { patches: qos.initConfiguration.patches },
          joinConfiguration: { patches: qos.joinConfiguration.patches },
        },
      },
    });

    const { templateName } = new KubeadmConfigTemplate(this, 'join', { pool });
    this.machines = new OpenStackMachines(this, 'machines', {
      pool,
      clusterName: 'edge',
      bootstrapTemplate: templateName,
      version: 'v1.34.2',
      flavor: 'm1.small',
      image: 'ubuntu-24.04-kube-v1.34.2',
      failureDomains: ['az1', 'az2'],
      rootVolume: { sizeGib: 50, type: 'ssd' },
    });
  }
}
