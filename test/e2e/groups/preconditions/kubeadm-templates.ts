import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Corefile, EdgeCluster } from 'edge-nodepools';
import { kubeadmCoreDns } from '../../../../src/preconditions/coredns-daemon-set.js';
import type { Proof } from '../../harness/group.js';
import { objectsIn } from '../../harness/openyurt.js';
import { kubernetesTool, sourcesOf } from '../../harness/tool.js';
import type { KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';
import { coreDnsOfKubeadm } from '../../../../src/cluster/kubeadm-capabilities.js';

/** The minors whose sources are available. */
const MINORS = ['1.30', '1.34', '1.36', '1.37'];

const VALUES: Readonly<Record<string, string>> = {
  DNSDomain: 'cluster.local',
  DeploymentName: 'coredns',
  Image: 'registry.k8s.io/coredns/coredns:TAG',
  Replicas: '2',
  ControlPlaneTaintKey: 'node-role.kubernetes.io/control-plane',
  OldControlPlaneTaintKey: 'node-role.kubernetes.io/master',
};

/** A rendered template of kubeadm, from its sources. */
function template(sources: string, name: string): any {
  const text = readFileSync(join(sources, 'cmd/kubeadm/app/phases/addons/dns/manifests.go'), 'utf8');
  const filled = (new RegExp(`${name} = \`([^\`]*)\``).exec(text)?.[1] ?? '')
    .replace(/\n *\{\{- (?:if .*|end) \}\}/g, '')
    .replace(/\{\{ \.(\w+) \}\}/g, (_, field: string) => VALUES[field] ?? `unknown ${field}`);
  return objectsIn(filled)[0];
}

const withTag = (deployment: any, tag: string): any =>
  JSON.parse(JSON.stringify(deployment).replaceAll(':TAG', `:${tag}`));

/** The objects of kubeadm are as expected: Corefiles are printed unchanged and can be edited, and its Deployment of CoreDNS is that of the minor. */
export function kubeadmsCoreDns(proof: Proof, addOns: KubeadmAddOns): void {
  for (const kubernetes of MINORS) {
    const sources = sourcesOf(kubernetesTool('kubeadm', kubernetes));
    const text = template(sources, 'CoreDNSConfigMap').data.Corefile as string;
    const corefile = Corefile.parse(text);
    proof.same(`the Corefile of kubeadm ${kubernetes} is printed unchanged`, corefile.toString(), text);
    const edited = corefile.withHosts({ file: '/etc/edge/tunnel-nodes' });
    proof.same(
      `the Corefile of kubeadm ${kubernetes}: the rollback`,
      edited.withoutHosts('/etc/edge/tunnel-nodes').toString(),
      text,
    );
    const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes });
    proof.same(
      `the Deployment of kubeadm ${kubernetes} is known`,
      // patch releases of kubeadm have other patch releases of CoreDNS
      kubeadmCoreDns(cluster),
      withTag(template(sources, 'CoreDNSDeployment'), coreDnsOfKubeadm(cluster).version),
    );
  }
  const { spec } = addOns.rendered('coredns');
  const { strategy, ...known } = kubeadmCoreDns(EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' })).spec as any;
  const { strategy: renderedStrategy, ...rendered } = structuredClone(spec);
  delete rendered.template.metadata.creationTimestamp;
  proof.same('kubeadm renders the expected Deployment', rendered.template.spec, known.template.spec);
  proof.same('with its strategy', renderedStrategy, strategy);
}
