/** Options of each resource: its parent, what replaces it, and whether it is retained. */
import * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { EdgeCluster, EdgeComponent, EdgePreconditions, NodePoolComponent } from 'edge-nodepools/pulumi';
import * as entry from '../doors/pulumi.js';
import { everyNoun } from './every-noun.js';
import { record, type Recorded } from './recorded.js';

const FIRST_POD = 'jsonpath={.status.numberAvailable}';

const isOurs = ({ type }: Recorded): boolean => type.startsWith('edge-nodepools:');
const isObject = ({ type }: Recorded): boolean => type.startsWith('kubernetes:');

/** Type and name, as at the end of a URN. */
const lastOf = (urn: string): string => urn.split('::').slice(-2).join('::').split('$').pop() as string;

const named = ({ type, name }: Recorded): string => `${type}::${name}`;

async function recordEveryNoun(options?: pulumi.ComponentResourceOptions): Promise<readonly Recorded[]> {
  return (await record(() => everyNoun(options))).resources;
}

let withoutOptions: Promise<readonly Recorded[]> | undefined;

/** All resources of a program with every component; it runs once without options. */
function resources(): Promise<readonly Recorded[]> {
  return (withoutOptions ??= recordEveryNoun());
}

// With another name, Pulumi deletes a resource and creates it again. So names since the first release do not change, or get an alias.
const SINCE_THE_FIRST_RELEASE = `
HostNetworkNodePool::shops kubernetes:apps.openyurt.io/v1beta2:NodePool::shops
RegularNodePool::office kubernetes:apps.openyurt.io/v1beta2:NodePool::office
ExcludedWorkload::dashboard kubernetes:apps/v1:DaemonSet::dashboard
HostNetworkWorkload::agent kubernetes:apps/v1:DaemonSet::agent
EdgeSystemComponents::system kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicy::system-mutatingadmissionpolicy-edge-nodepools-system-components
EdgeSystemComponents::system kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicyBinding::system-mutatingadmissionpolicybinding-edge-nodepools-system-components
EdgeSystemComponents::system kubernetes:apps/v1:DaemonSetPatch::system-daemonset-kube-proxy
EdgeSystemComponents::system kubernetes:apps/v1:DaemonSetPatch::system-daemonset-kube-flannel-ds
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy::admission-validatingadmissionpolicy-edge-nodepools-immutable-pools
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicyBinding::admission-validatingadmissionpolicybinding-edge-nodepools-immutable-pools
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy::admission-validatingadmissionpolicy-edge-nodepools-frozen-node-labels
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicyBinding::admission-validatingadmissionpolicybinding-edge-nodepools-frozen-node-labels
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicy::admission-mutatingadmissionpolicy-edge-nodepools-node-label
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicyBinding::admission-mutatingadmissionpolicybinding-edge-nodepools-node-label
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicy::admission-mutatingadmissionpolicy-edge-nodepools-pods
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicyBinding::admission-mutatingadmissionpolicybinding-edge-nodepools-pods
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy::admission-validatingadmissionpolicy-edge-nodepools-pods-check
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicyBinding::admission-validatingadmissionpolicybinding-edge-nodepools-pods-check
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicy::admission-mutatingadmissionpolicy-edge-nodepools-templates
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicyBinding::admission-mutatingadmissionpolicybinding-edge-nodepools-templates
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicy::admission-mutatingadmissionpolicy-edge-nodepools-pods-applied-again
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicyBinding::admission-mutatingadmissionpolicybinding-edge-nodepools-pods-applied-again
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy::admission-validatingadmissionpolicy-edge-nodepools-node-label-check
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicyBinding::admission-validatingadmissionpolicybinding-edge-nodepools-node-label-check
OpenYurtWebhooks::webhooks kubernetes:admissionregistration.k8s.io/v1:MutatingWebhookConfiguration::webhooks-mutatingwebhookconfiguration-yurt-manager-mutating-webhook-configuration
OpenYurtWebhooks::webhooks kubernetes:admissionregistration.k8s.io/v1:ValidatingWebhookConfiguration::webhooks-validatingwebhookconfiguration-yurt-manager-validating-webhook-configuration
PoolWebhook::guard kubernetes:admissionregistration.k8s.io/v1:ValidatingWebhookConfiguration::guard
NodeAccess::access kubernetes:core/v1:ServiceAccount::access-serviceaccount-konnectivity-agent
NodeAccess::access kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding::access-clusterrolebinding-system:konnectivity-server
NodeAccess::access kubernetes:apps/v1:DaemonSet::access-daemonset-konnectivity-agent
NodeAccess::access kubernetes:apps/v1:DaemonSet::access-daemonset-konnectivity-agent-default-route
NodeAccess::access kubernetes:apps/v1:DaemonSet::access-daemonset-konnectivity-agent-other
NodeJoin::join kubernetes:core/v1:ConfigMapPatch::join
NodeJoin::join kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBindingPatch::join-clusterrolebinding-edge-nodepools-yurthub
NodeJoin::join kubernetes:rbac.authorization.k8s.io/v1:ClusterRolePatch::join-clusterrole-edge-nodepools-yurthub
NodeJoin::join kubernetes:rbac.authorization.k8s.io/v1:RoleBindingPatch::join-rolebinding-edge-nodepools-yurthub
NodeJoin::join kubernetes:rbac.authorization.k8s.io/v1:RolePatch::join-role-edge-nodepools-yurthub
KubeadmConfigTemplate::machines kubernetes:bootstrap.cluster.x-k8s.io/v1beta2:KubeadmConfigTemplate::machines
BootstrapToken::token kubernetes:core/v1:Secret::token
CinderStorageClass::ssd kubernetes:storage.k8s.io/v1:StorageClass::ssd
VolumeSnapshotClass::snapshots kubernetes:snapshot.storage.k8s.io/v1:VolumeSnapshotClass::snapshots
YurtAppSet::web-sites kubernetes:apps.openyurt.io/v1beta1:YurtAppSet::web-sites
YurtStaticSet::static-agent kubernetes:apps.openyurt.io/v1alpha1:YurtStaticSet::static-agent
ManilaCredentials::manila kubernetes:core/v1:Secret::manila
ManilaStorageClass::shares kubernetes:storage.k8s.io/v1:StorageClass::shares
OpenStackMachines::shops-machines kubernetes:infrastructure.cluster.x-k8s.io/v1beta1:OpenStackMachineTemplate::shops-machines
OpenStackMachines::shops-machines kubernetes:cluster.x-k8s.io/v1beta2:MachineDeployment::shops-machines-machinedeployment-shops-az1
OpenStackMachines::shops-machines kubernetes:cluster.x-k8s.io/v1beta2:MachineDeployment::shops-machines-machinedeployment-shops-az2
KuryrKubernetes::kuryr kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinitionPatch::kuryr-customresourcedefinition-kuryrports.openstack.org
KuryrKubernetes::kuryr kubernetes:core/v1:ServiceAccount::kuryr-serviceaccount-kuryr-controller
KuryrKubernetes::kuryr kubernetes:rbac.authorization.k8s.io/v1:ClusterRole::kuryr-clusterrole-kuryr-controller
KuryrKubernetes::kuryr kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding::kuryr-clusterrolebinding-kuryr-controller-global
KuryrKubernetes::kuryr kubernetes:core/v1:ServiceAccount::kuryr-serviceaccount-kuryr-cni
KuryrKubernetes::kuryr kubernetes:rbac.authorization.k8s.io/v1:ClusterRole::kuryr-clusterrole-kuryr-cni
KuryrKubernetes::kuryr kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding::kuryr-clusterrolebinding-kuryr-cni-global
KuryrKubernetes::kuryr kubernetes:core/v1:ConfigMap::kuryr-configmap-kuryr-config
KuryrKubernetes::kuryr kubernetes:core/v1:Secret::kuryr-secret-kuryr-credentials
KuryrKubernetes::kuryr kubernetes:apps/v1:Deployment::kuryr-deployment-kuryr-controller
KuryrKubernetes::kuryr kubernetes:apps/v1:DaemonSet::kuryr-daemonset-kuryr-cni-ds
NfsVolume::share kubernetes:core/v1:PersistentVolume::share-persistentvolume-share
NfsVolume::share kubernetes:core/v1:PersistentVolumeClaim::share
PersistentData::web kubernetes:core/v1:PersistentVolumeClaim::web
PersistentData::web kubernetes:snapshot.storage.k8s.io/v1:VolumeSnapshot::web-volumesnapshot-daily-web-data
EdgePreconditions::ready kubernetes:core/v1:ConfigMapPatch::ready-configmap-coredns
EdgePreconditions::ready kubernetes:apps/v1:DaemonSetPatch::ready-daemonset-coredns
EdgePreconditions::ready kubernetes:apps/v1:DeploymentPatch::ready-deployment-coredns
EdgePreconditions::ready kubernetes:core/v1:ServicePatch::ready-service-kube-dns
EdgePreconditions::ready kubernetes:core/v1:ConfigMapPatch::ready-configmap-kube-proxy
EdgePreconditions::ready kubernetes:apps/v1:DaemonSetPatch::ready-daemonset-kube-proxy
EdgePreconditions::corefile kubernetes:core/v1:ConfigMapPatch::corefile-configmap-coredns
EdgePreconditions::topology kubernetes:core/v1:ServicePatch::topology-service-kube-dns
EdgePreconditions::dns kubernetes:apps/v1:DaemonSetPatch::dns-daemonset-coredns
EdgePreconditions::dns kubernetes:apps/v1:DeploymentPatch::dns-deployment-coredns
EdgePreconditions::proxy kubernetes:core/v1:ConfigMapPatch::proxy-configmap-kube-proxy
EdgePreconditions::proxy kubernetes:apps/v1:DaemonSetPatch::proxy-daemonset-kube-proxy
ServingCertificateApprover::serving kubernetes:core/v1:ServiceAccount::serving-serviceaccount-kubelet-csr-approver
ServingCertificateApprover::serving kubernetes:rbac.authorization.k8s.io/v1:ClusterRole::serving-clusterrole-kubelet-csr-approver
ServingCertificateApprover::serving kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding::serving-clusterrolebinding-kubelet-csr-approver
ServingCertificateApprover::serving kubernetes:rbac.authorization.k8s.io/v1:Role::serving-role-kubelet-csr-approver
ServingCertificateApprover::serving kubernetes:rbac.authorization.k8s.io/v1:RoleBinding::serving-rolebinding-kubelet-csr-approver
ServingCertificateApprover::serving kubernetes:apps/v1:Deployment::serving-deployment-kubelet-csr-approver
ControlPlaneQos::qos kubernetes:scheduling.k8s.io/v1:PriorityClass::qos-priorityclass-logs
ControlPlaneQos::qos kubernetes:apps/v1:DaemonSetPatch::qos-daemonset-kube-proxy
EtcdCluster::etcd kubernetes:cert-manager.io/v1:Issuer::etcd-issuer-edge-etcd-root
EtcdCluster::etcd kubernetes:cert-manager.io/v1:Certificate::etcd-certificate-edge-etcd-ca
EtcdCluster::etcd kubernetes:cert-manager.io/v1:Issuer::etcd-issuer-edge-etcd-ca
EtcdCluster::etcd kubernetes:cert-manager.io/v1:Certificate::etcd-certificate-edge-etcd-etcd-1-server
EtcdCluster::etcd kubernetes:cert-manager.io/v1:Certificate::etcd-certificate-edge-etcd-etcd-1-peer
EtcdCluster::etcd kubernetes:cert-manager.io/v1:Certificate::etcd-certificate-edge-etcd-etcd-2-server
EtcdCluster::etcd kubernetes:cert-manager.io/v1:Certificate::etcd-certificate-edge-etcd-etcd-2-peer
EtcdCluster::etcd kubernetes:cert-manager.io/v1:Certificate::etcd-certificate-edge-etcd-etcd-3-server
EtcdCluster::etcd kubernetes:cert-manager.io/v1:Certificate::etcd-certificate-edge-etcd-etcd-3-peer
EtcdCluster::etcd kubernetes:cert-manager.io/v1:Certificate::etcd-certificate-edge-apiserver-etcd-client
`;

/** Resources that are deleted before their replacement, with the fields that cause it. */
const REPLACED: Readonly<Record<string, readonly string[]>> = {
  NodePool: ['spec.type', 'spec.hostNetwork', 'spec.interConnectivity'],
  PriorityClass: ['value', 'preemptionPolicy'],
  StorageClass: ['provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'],
};

/** Resources that are retained when the component is destroyed. */
const RETAINED = [
  // without them a node that is converted does not start
  /Patch::join-(cluster)?role(binding)?-edge-nodepools-yurthub$/,
  // flannel has its own affinity, which cannot be restored
  'DaemonSetPatch::system-daemonset-kube-flannel-ds',
  // the amounts that kubeadm or a manifest had written, which cannot be restored
  'DaemonSetPatch::qos-daemonset-kube-proxy',
  // nodes may still read it
  'ConfigMapPatch::join',
  // every KuryrPort would go with it
  'CustomResourceDefinitionPatch::kuryr-customresourcedefinition-kuryrports.openstack.org',
  // the data
  'PersistentVolumeClaim::web',
  // the rollback has its own order
  /::(ready|corefile|topology|dns|proxy)-/,
];

/** Resources of whole objects that are adopted if they exist, because an earlier life of the stack has retained them. */
const ADOPTED =
  /:(ConfigMapPatch::join|(Cluster)?Role(Binding)?Patch::join-(cluster)?role(binding)?-edge-nodepools-yurthub|CustomResourceDefinitionPatch::kuryr-customresourcedefinition-kuryrports\.openstack\.org|DaemonSetPatch::(ready|dns)-daemonset-coredns)$/;

describe('options', () => {
  it('every component is in the program, with a token of this package', async () => {
    const classes = Object.values(entry).filter(
      (value) => typeof value === 'function' && value.prototype instanceof EdgeComponent,
    ) as { name: string }[];
    const abstract: string[] = [EdgeComponent.name, NodePoolComponent.name];
    const nouns = classes.map(({ name }) => name).filter((name) => !abstract.includes(name));
    const tokens = new Set((await resources()).filter(isOurs).map(({ type }) => type));
    expect([...tokens].sort()).toEqual(nouns.map((noun) => `edge-nodepools:index:${noun}`).sort());
  });

  it('children are those of the first release, each below its component', async () => {
    const made = (await resources()).filter(isObject);
    const lines = made.map(
      (each) => `${lastOf(each.options.parent).replace('edge-nodepools:index:', '')} ${named(each)}`,
    );
    expect(lines.sort()).toEqual(SINCE_THE_FIRST_RELEASE.trim().split('\n').sort());
  });

  it('changes of immutable fields replace, and the old object is deleted first', async () => {
    for (const { type, options } of (await resources()).filter(isObject)) {
      const fields = REPLACED[type.split(':')[2] as string];
      expect([type, options.deleteBeforeReplace]).toEqual([type, fields !== undefined]);
      const own = /:(KubeadmConfig|OpenStackMachine)Template$/.test(type) ? ['spec'] : [];
      expect([type, options.replaceOnChanges]).toEqual([type, fields ?? own]);
    }
  });

  it('only the necessary resources are retained', async () => {
    const retained = (await resources()).filter(({ options }) => options.retainOnDelete).map(named);
    const isMeant = (name: string): boolean =>
      RETAINED.some((one) => (typeof one === 'string' ? name.endsWith(`:${one}`) : one.test(name)));
    const all = (await resources()).filter(isObject).map(named);
    expect(retained.sort()).toEqual(all.filter(isMeant).sort());
    expect(retained.length).toBeGreaterThan(RETAINED.length);
  });

  it('a binding depends on its policy, a patch on the policies, a step on the previous step', async () => {
    const made = await resources();
    const before = (name: string): string[] =>
      made.find((each) => each.name === name)?.options.dependsOn.map((urn) => lastOf(urn).split('::')[1] as string) ??
      [];
    const binding = 'system-mutatingadmissionpolicybinding-edge-nodepools-system-components';
    expect(before(binding)).toContain('system-mutatingadmissionpolicy-edge-nodepools-system-components');
    expect(before('system-daemonset-kube-proxy')).toContain(binding);
    expect(before('dns-deployment-coredns')).toContain('dns-daemonset-coredns');
    expect(before('ready-service-kube-dns')).toContain('ready-deployment-coredns');
  });

  it('a workload depends on the objects of its pools, and so does a join', async () => {
    const made = await resources();
    const before = (name: string): string[] =>
      made.find((each) => isObject(each) && each.name.startsWith(name))?.options.dependsOn.map(lastOf) ?? [];
    expect(before('agent')).toEqual(['kubernetes:apps.openyurt.io/v1beta2:NodePool::shops']);
    expect(before('join')).toEqual(['kubernetes:apps.openyurt.io/v1beta2:NodePool::shops']);
  });

  it('customTimeouts of a component are those of every object, ignoreChanges those of the main one', async () => {
    const made = (await recordEveryNoun({ customTimeouts: { update: '7s' }, ignoreChanges: ['spec.x'] })).filter(
      isObject,
    );
    expect(new Set(made.map(({ options }) => options.customTimeouts.join()))).toEqual(new Set([',7s,']));
    const ignoring = made.filter(({ options }) => options.ignoreChanges.join() === 'spec.x');
    expect(ignoring.length).toBeGreaterThan(5);
    expect(ignoring.filter(({ name, options }) => name !== lastOf(options.parent).split('::')[1])).toEqual([]);
    expect((await resources()).filter(({ options }) => options.customTimeouts.join() !== ',,')).toEqual([]);
  });

  it('changes of control-plane nodes are files, not resources', async () => {
    let files: any[] = [];
    const { resources: made } = await record(() => {
      const cluster = EdgeCluster.of({ openYurt: '1.5', kubernetes: '1.28' });
      const { artifacts } = new EdgePreconditions('it', { cluster, only: ['kubeControllerManager'] });
      artifacts.apply((all) => (files = all));
    });
    expect(made.map(({ type }) => type)).toEqual(['edge-nodepools:index:EdgePreconditions']);
    expect(files.map(({ path }) => path)).toContain(
      'preconditions/it/apply/kubeadm-patches/kube-controller-manager+json.json',
    );
  });

  const annotationsOf = ({ inputs }: Recorded): any => (inputs as any).metadata.annotations ?? {};

  it('no patch names its field manager: the provider makes one for each; what is adopted names one, and was another type', async () => {
    const isNamed = (each: Recorded): boolean => 'pulumi.com/patchFieldManager' in annotationsOf(each);
    const adopted = (await resources()).filter((each) => isObject(each) && isNamed(each));
    expect(adopted.map(named).filter((one) => !ADOPTED.test(one))).toEqual([]);
    expect(adopted).toHaveLength(8);
    for (const { type, options } of adopted) {
      expect(options.aliases).toContainEqual({ type: type.replace(/Patch$/, '') });
      expect(options.retainOnDelete).toBe(true);
    }
  });

  it('what runs on edge nodes is not awaited; of CoreDNS, the first Pod', async () => {
    const awaited = (each: Recorded): string =>
      annotationsOf(each)['pulumi.com/skipAwait'] === 'true'
        ? 'nothing'
        : (annotationsOf(each)['pulumi.com/waitFor'] ?? 'all');
    const WORKLOADS = /:(DaemonSet|Deployment|\w+Patch)$/;
    const found = (await resources())
      .filter((each) => WORKLOADS.test(each.type) && !/::(join|join-.*-yurthub|kuryr-.*)$/.test(named(each)))
      .map((each) => [each.name, awaited(each)]);
    const CREATED = /^(ready|dns)-daemonset-coredns$/;
    expect(found.filter(([name, what]) => what !== (CREATED.test(name as string) ? FIRST_POD : 'nothing'))).toEqual([]);
    const others = (await resources()).filter((each) => isObject(each) && !WORKLOADS.test(each.type));
    expect(others.filter((each) => awaited(each) !== 'all')).toEqual([]);
  });

  it('a provider of the component is used for every object', async () => {
    let provider: k8s.Provider | undefined;
    const { resources: made } = await record(() => {
      provider = new k8s.Provider('elsewhere', { kubeconfig: '{}' });
      everyNoun({ provider });
    });
    const objects = made.filter((each) => isObject(each));
    expect(objects.length).toBeGreaterThan(30);
    expect(objects.filter(({ options }) => !options.provider.includes('::elsewhere::'))).toEqual([]);
  });

  it('protection is inherited by every object, aliases of a component are not', async () => {
    const made = await recordEveryNoun({ protect: true, aliases: [{ name: 'former' }] });
    expect(made.filter(({ options }) => !options.protect)).toEqual([]);
    const components = made.filter(isOurs);
    expect(components.filter(({ options }) => options.aliases[0]?.name !== 'former')).toEqual([]);
  });

  it('a component keeps the resources of its former type', async () => {
    const made = (await resources()).filter(isOurs);
    const former = made.flatMap(({ name, options }) => options.aliases.map(({ type }) => [name, type]));
    expect(new Map(former as [string, string][])).toEqual(
      new Map([
        ['office', 'edge-nodepools:index:EdgeNodePool'],
        ['controllers', 'edge-nodepools:index:KubeControllerManagerControllers'],
        ['corefile', 'edge-nodepools:index:CoreDnsCorefile'],
        ['topology', 'edge-nodepools:index:CoreDnsServiceTopology'],
        ['dns', 'edge-nodepools:index:CoreDnsDaemonSet'],
        ['proxy', 'edge-nodepools:index:KubeProxyConfiguration'],
      ]),
    );
  });

  it('an option that is misspelt is refused; one that only a newer Pulumi has is not', async () => {
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
    const make = (options: object) => () => record(() => new entry.PoolAdmission('admission', { cluster }, options));
    for (const [option, meant] of [
      ['dependOn', 'dependsOn'],
      ['protected', 'protect'],
      ['providerr', 'provider'],
    ] as const) {
      await expect(make({ [option]: [] })).rejects.toThrow(`did you mean ${meant}?`);
    }
    expect((await make({ onlyOnTuesdays: true })()).errors).toEqual([]);
  });
});
