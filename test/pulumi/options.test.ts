/** What the engine is told of each resource besides its properties: whose child it is, what replaces it, what stays when it is destroyed. */
import * as k8s from '@pulumi/kubernetes';
import type * as pulumi from '@pulumi/pulumi';
import { EdgeCluster, EdgeComponent, EdgePreconditions, NodePoolComponent } from 'edge-nodepools/pulumi';
import * as entry from 'edge-nodepools/pulumi';
import { everyNoun } from './every-noun.js';
import { record, type Recorded } from './recorded.js';

const isOurs = ({ type }: Recorded): boolean => type.startsWith('edge-nodepools:');
const isObject = ({ type }: Recorded): boolean => type.startsWith('kubernetes:');

/** Type and name, as they stand at the end of a URN. */
const lastOf = (urn: string): string => urn.split('::').slice(-2).join('::').split('$').pop() as string;

const named = ({ type, name }: Recorded): string => `${type}::${name}`;

async function resources(options?: pulumi.ComponentResourceOptions): Promise<readonly Recorded[]> {
  return (await record(() => everyNoun(options))).resources;
}

// A name that changes makes Pulumi delete the resource and make it anew. What stands here since the first release stays, or gets an alias.
const SINCE_THE_FIRST_RELEASE = `
HostNetworkNodePool::shops kubernetes:apps.openyurt.io/v1beta2:NodePool::shops
EdgeNodePool::office kubernetes:apps.openyurt.io/v1beta2:NodePool::office
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
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicy::admission-mutatingadmissionpolicy-edge-nodepools-templates
PoolAdmission::admission kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicyBinding::admission-mutatingadmissionpolicybinding-edge-nodepools-templates
OpenYurtWebhooks::webhooks kubernetes:admissionregistration.k8s.io/v1:MutatingWebhookConfiguration::webhooks-mutatingwebhookconfiguration-yurt-manager-mutating-webhook-configuration
OpenYurtWebhooks::webhooks kubernetes:admissionregistration.k8s.io/v1:ValidatingWebhookConfiguration::webhooks-validatingwebhookconfiguration-yurt-manager-validating-webhook-configuration
PoolWebhook::guard kubernetes:admissionregistration.k8s.io/v1:ValidatingWebhookConfiguration::guard
NodeJoin::join kubernetes:core/v1:ConfigMap::join
KubeadmConfigTemplate::machines kubernetes:bootstrap.cluster.x-k8s.io/v1beta2:KubeadmConfigTemplate::machines
BootstrapToken::token kubernetes:core/v1:Secret::token
EdgePreconditions::ready kubernetes:core/v1:ConfigMapPatch::ready-configmap-coredns
EdgePreconditions::ready kubernetes:apps/v1:DaemonSet::ready-daemonset-coredns
EdgePreconditions::ready kubernetes:apps/v1:DeploymentPatch::ready-deployment-coredns
EdgePreconditions::ready kubernetes:core/v1:ServicePatch::ready-service-kube-dns
EdgePreconditions::ready kubernetes:core/v1:ConfigMapPatch::ready-configmap-kube-proxy
EdgePreconditions::ready kubernetes:apps/v1:DaemonSetPatch::ready-daemonset-kube-proxy
EdgePreconditions::corefile kubernetes:core/v1:ConfigMapPatch::corefile-configmap-coredns
EdgePreconditions::topology kubernetes:core/v1:ServicePatch::topology-service-kube-dns
EdgePreconditions::dns kubernetes:apps/v1:DaemonSet::dns-daemonset-coredns
EdgePreconditions::dns kubernetes:apps/v1:DeploymentPatch::dns-deployment-coredns
EdgePreconditions::proxy kubernetes:core/v1:ConfigMapPatch::proxy-configmap-kube-proxy
EdgePreconditions::proxy kubernetes:apps/v1:DaemonSetPatch::proxy-daemonset-kube-proxy
`;

/** What is deleted before its successor is made, and because of which fields. */
const REPLACED: Readonly<Record<string, readonly string[]>> = {
  NodePool: ['spec.type', 'spec.hostNetwork', 'spec.interConnectivity'],
};

/** What stays when the component is destroyed. */
const RETAINED = [
  // flannel brings an affinity of its own, which nobody could give back
  'DaemonSetPatch::system-daemonset-kube-flannel-ds',
  // nodes that were made with it may still read it
  'ConfigMap::join',
  // the rollback has an order of its own
  /::(ready|corefile|topology|dns|proxy)-/,
];

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

  it('children are what they were in the first release, each below its component', async () => {
    const made = (await resources()).filter(isObject);
    const lines = made.map(
      (each) => `${lastOf(each.options.parent).replace('edge-nodepools:index:', '')} ${named(each)}`,
    );
    expect(lines.sort()).toEqual(SINCE_THE_FIRST_RELEASE.trim().split('\n').sort());
  });

  it('what can not be changed replaces, and is deleted first', async () => {
    for (const { type, options } of (await resources()).filter(isObject)) {
      const fields = REPLACED[type.split(':')[2] as string];
      expect([type, options.deleteBeforeReplace]).toEqual([type, fields !== undefined]);
      const own = type.endsWith(':KubeadmConfigTemplate') ? ['spec'] : [];
      expect([type, options.replaceOnChanges]).toEqual([type, fields ?? own]);
    }
  });

  it('what must outlive the component is retained, and nothing else', async () => {
    const retained = (await resources()).filter(({ options }) => options.retainOnDelete).map(named);
    const isMeant = (name: string): boolean =>
      RETAINED.some((one) => (typeof one === 'string' ? name.endsWith(`:${one}`) : one.test(name)));
    const all = (await resources()).filter(isObject).map(named);
    expect(retained.sort()).toEqual(all.filter(isMeant).sort());
    expect(retained.length).toBeGreaterThan(RETAINED.length);
  });

  it('a binding comes after its policy, a patch after the policies, a step after the step before', async () => {
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

  it('what lives on the nodes of the control plane is a file and no resource', async () => {
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

  it('patches own their fields by one name, and wait for no rollout; what is made is waited for', async () => {
    for (const { type, inputs } of (await resources()).filter(isObject)) {
      const annotations = (inputs as any).metadata.annotations ?? {};
      const isPatch = type.endsWith('Patch');
      expect([type, annotations['pulumi.com/patchFieldManager']]).toEqual([
        type,
        isPatch ? 'edge-nodepools' : undefined,
      ]);
      expect([type, annotations['pulumi.com/skipAwait']]).toEqual([type, isPatch ? 'true' : undefined]);
    }
  });

  it('a provider of the component is that of every object', async () => {
    let provider: k8s.Provider | undefined;
    const { resources: made } = await record(() => {
      provider = new k8s.Provider('elsewhere', { kubeconfig: '{}' });
      everyNoun({ provider });
    });
    const objects = made.filter((each) => isObject(each));
    expect(objects.length).toBeGreaterThan(30);
    expect(objects.filter(({ options }) => !options.provider.includes('::elsewhere::'))).toEqual([]);
  });

  it('protection passes on to every object, and former names of a component stay its own', async () => {
    const made = await resources({ protect: true, aliases: [{ name: 'former' }] });
    expect(made.filter(({ options }) => !options.protect)).toEqual([]);
    const components = made.filter(isOurs);
    expect(components.filter(({ options }) => options.aliases[0]?.name !== 'former')).toEqual([]);
  });

  it('a single precondition keeps the resources of the component that it had', async () => {
    const made = (await resources()).filter(isOurs);
    const former = made.flatMap(({ name, options }) => options.aliases.map(({ type }) => [name, type]));
    expect(new Map(former as [string, string][])).toEqual(
      new Map([
        ['controllers', 'edge-nodepools:index:KubeControllerManagerControllers'],
        ['corefile', 'edge-nodepools:index:CoreDnsCorefile'],
        ['topology', 'edge-nodepools:index:CoreDnsServiceTopology'],
        ['dns', 'edge-nodepools:index:CoreDnsDaemonSet'],
        ['proxy', 'edge-nodepools:index:KubeProxyConfiguration'],
      ]),
    );
  });
});
