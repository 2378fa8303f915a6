import { Chart } from 'cdk8s';
import { EdgeCluster, EdgeSystemComponents, ExclusionStrategy, SystemComponent } from 'edge-nodepools';
import { type BadInput, cluster, daemonSet, required, TERMS, untyped } from './case.js';

const { KUBE_PROXY, COREDNS, FLANNEL, CILIUM } = SystemComponent;
const excluding = (props: object) => (chart: Chart) =>
  new EdgeSystemComponents(chart, 'system', untyped({ cluster, exclude: [KUBE_PROXY], ...props }));
const reference = (props: object) => () =>
  SystemComponent.of(untyped({ kind: 'DaemonSet', namespace: 'monitoring', name: 'node-exporter', ...props }));

export const systemComponents: BadInput[] = [
  {
    what: 'no component to exclude',
    code: 'EDGE_MISSING',
    path: 'exclude',
    hint: 'SystemComponent.KUBE_PROXY',
    make: excluding({ exclude: [] }),
  },
  {
    what: 'system components without cluster',
    code: 'EDGE_MISSING',
    path: 'cluster',
    hint: 'EdgeCluster.of',
    make: excluding({ cluster: undefined }),
  },
  {
    what: 'a component by its name',
    code: 'EDGE_TYPE',
    path: 'exclude[0]',
    hint: 'SystemComponent.of',
    make: excluding({ exclude: ['kube-proxy'] }),
  },
  {
    what: 'a component twice',
    code: 'EDGE_DUPLICATE',
    path: 'exclude[1]',
    hint: 'once',
    make: excluding({ exclude: [KUBE_PROXY, KUBE_PROXY] }),
  },
  {
    what: 'an unknown strategy',
    code: 'EDGE_VALUE',
    path: 'strategy',
    hint: 'SERVER_SIDE_APPLY',
    make: excluding({ strategy: 'HOPE' }),
  },
  {
    what: 'a kubeadm patch for kube-proxy before 1.37',
    code: 'EDGE_STRATEGY',
    path: 'exclude[0]',
    hint: 'SERVER_SIDE_APPLY',
    make: excluding({ strategy: ExclusionStrategy.KUBEADM_PATCH }),
  },
  {
    what: 'a kubeadm patch for flannel',
    code: 'EDGE_STRATEGY',
    path: 'exclude[0]',
    hint: '"flannel"',
    make: excluding({ exclude: [FLANNEL], strategy: ExclusionStrategy.KUBEADM_PATCH }),
  },
  {
    what: 'a kubeadm patch without kubeadm',
    code: 'EDGE_STRATEGY',
    path: 'exclude[0]',
    hint: 'SERVER_SIDE_APPLY',
    make: excluding({
      cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36', distribution: 'other' }),
      exclude: [COREDNS],
      strategy: ExclusionStrategy.KUBEADM_PATCH,
    }),
  },
  {
    what: 'MANIFEST without manifest',
    code: 'EDGE_STRATEGY',
    path: 'exclude[0]',
    hint: 'leave strategy out',
    make: excluding({ strategy: ExclusionStrategy.MANIFEST }),
  },
  {
    what: 'settings for a component that is not excluded',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'components.coredns',
    hint: 'kube-proxy',
    make: excluding({ components: { coredns: {} } }),
  },
  {
    what: 'a misspelt setting',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'components["kube-proxy"].nameSpace',
    hint: 'namespace',
    make: excluding({ components: { 'kube-proxy': { nameSpace: 'x' } } }),
  },
  {
    what: 'a namespace that is none',
    code: 'EDGE_NAME',
    path: 'components["kube-proxy"].namespace',
    hint: '"kube-system"',
    make: excluding({ components: { 'kube-proxy': { namespace: 'Kube_System' } } }),
  },
  {
    what: 'a workload that the component does not have',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'components.cilium.absent[0]',
    hint: 'cilium-envoy',
    make: excluding({ exclude: [CILIUM], components: { cilium: { absent: ['envoy'] } } }),
  },
  {
    what: 'nothing among the components',
    code: 'EDGE_TYPE',
    path: 'exclude[0]',
    hint: 'SystemComponent.KUBE_PROXY',
    make: excluding({ exclude: [null] }),
  },
  {
    what: 'settings that are null',
    code: 'EDGE_TYPE',
    path: 'components["kube-proxy"]',
    hint: 'namespace',
    make: excluding({ components: { 'kube-proxy': null } }),
  },
  {
    what: 'absent as text',
    code: 'EDGE_TYPE',
    path: 'components.cilium.absent',
    hint: "['cilium-envoy']",
    make: excluding({ exclude: [CILIUM], components: { cilium: { absent: 'cilium-envoy' } } }),
  },
  {
    what: 'a component with an empty list of strategies',
    code: 'EDGE_STRATEGY',
    path: 'components["kube-proxy"].strategy',
    hint: 'SERVER_SIDE_APPLY',
    make: excluding({ components: { 'kube-proxy': { strategy: [] } } }),
  },
  {
    what: 'a patch chart that is not a chart',
    code: 'EDGE_TYPE',
    path: 'patchChart',
    hint: 'new Chart',
    make: excluding({ patchChart: 5 }),
  },
  {
    what: 'a manifest with a broken term',
    code: 'EDGE_AFFINITY',
    path: `spec.template.spec.${TERMS}[0]`,
    hint: 'matchExpressions',
    make: () =>
      SystemComponent.fromManifest({ ...daemonSet(required(['linux'])), metadata: { name: 'a', namespace: 'b' } }),
  },
  {
    what: 'a patch chart with labels',
    code: 'EDGE_CONTRADICTION',
    path: 'patchChart',
    hint: 'without labels',
    make: (chart) => excluding({ patchChart: new Chart(chart.node.root, 'p', { labels: { a: 'b' } }) })(chart),
  },
  {
    what: 'an artefact folder outside of the output',
    code: 'EDGE_ARTIFACT',
    path: 'artifactFolder',
    hint: 'kubeadm-patches',
    make: excluding({ artifactFolder: '../patches' }),
  },
  {
    what: 'a folder for kustomize outside of the output',
    code: 'EDGE_ARTIFACT',
    path: 'kustomizeFolder',
    hint: 'kustomize',
    make: excluding({ kustomizeFolder: '/etc' }),
  },
  {
    what: 'a misspelt property',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'excludes',
    hint: 'did you mean exclude?',
    make: excluding({ excludes: [] }),
  },
  {
    what: 'a reference without kind',
    code: 'EDGE_MISSING',
    path: 'kind',
    hint: "kind: 'DaemonSet'",
    make: reference({ kind: undefined }),
  },
  {
    what: 'a reference to a Pod',
    code: 'EDGE_VALUE',
    path: 'kind',
    hint: "'DaemonSet'",
    make: reference({ kind: 'Pod' }),
  },
  {
    what: 'a reference with a bad name',
    code: 'EDGE_NAME',
    path: 'name',
    hint: '"node-exporter"',
    make: reference({ name: 'Node Exporter' }),
  },
  {
    what: 'a reference without namespace',
    code: 'EDGE_MISSING',
    path: 'namespace',
    hint: 'kube-system',
    make: reference({ namespace: undefined }),
  },
  {
    what: 'a reference with a broken term',
    code: 'EDGE_AFFINITY',
    path: 'requiredTerms[0].matchExpressions[0].operator',
    hint: 'NotIn',
    make: reference({ requiredTerms: [{ matchExpressions: [{ key: 'a', operator: '!=' }] }] }),
  },
  {
    what: 'terms that are a map',
    code: 'EDGE_TYPE',
    path: 'requiredTerms',
    hint: '[{',
    make: reference({ requiredTerms: {} }),
  },
  {
    what: 'a reference that is text',
    code: 'EDGE_TYPE',
    path: '',
    hint: 'SystemComponent.of',
    make: () => SystemComponent.of(untyped('kube-proxy')),
  },
  {
    what: 'a manifest without namespace',
    code: 'EDGE_MISSING',
    path: 'metadata.namespace',
    hint: 'kube-system',
    make: () => SystemComponent.fromManifest(daemonSet()),
  },
  {
    what: 'a manifest of a Service',
    code: 'EDGE_VALUE',
    path: 'kind',
    hint: "'DaemonSet'",
    make: () =>
      SystemComponent.fromManifest({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace: 'b' } }),
  },
  {
    what: 'a component whose own term asks for host-network nodes',
    code: 'EDGE_CONTRADICTION',
    path: `exclude[0].${TERMS}[0].matchExpressions[0]`,
    hint: 'nodeSelectorTerms[0]',
    make: (chart) => {
      const manifest = {
        ...daemonSet(
          required([
            { matchExpressions: [{ key: 'nodepool.openyurt.io/hostnetwork', operator: 'In', values: ['true'] }] },
          ]),
        ),
        metadata: { name: 'a', namespace: 'b' },
      };
      return excluding({
        exclude: [SystemComponent.fromManifest(manifest)],
        strategy: ExclusionStrategy.SERVER_SIDE_APPLY,
      })(chart);
    },
  },
];
