import { ProblemList } from '../base/errors.js';
import {
  CALICO,
  CALICO_OPERATOR,
  CILIUM,
  type ComponentData,
  type ComponentWorkload,
  COREDNS,
  COREDNS_DAEMON_SET,
  FLANNEL,
  FLANNEL_KUBE_SYSTEM,
  KUBE_PROXY,
  METRICS_SERVER,
  NODE_LOCAL_DNS,
  YURT_COREDNS,
} from './catalog.js';
import { checkFactory, MADE } from '../base/factory.js';
import { isMap, mapAt, type PlainMap, requireTree } from '../base/plain-data.js';
import { checkObjectName, checkNamespace } from '../kubernetes/names.js';
import { checkRequiredAffinity, checkTerm, type NodeSelectorTerm, requiredTerms } from '../kubernetes/node-affinity.js';
import { checkProperties, listOf, oneOf, type PropertyTable } from '../base/property-table.js';
import { readWorkload, type WorkloadInput } from '../kubernetes/object-input.js';
import { inProgram } from '../base/program-language.js';

/**
 * A system component by reference, for {@link SystemComponent.of}.
 *
 * @category Exclude system components from host-network nodes
 */
export interface SystemComponentProps {
  /** Kind of its workload. */
  readonly kind: 'DaemonSet' | 'Deployment' | 'StatefulSet';
  /** Namespace of its workload. */
  readonly namespace: string;
  /** Name of its workload. */
  readonly name: string;
  /** Its shipped required node affinity terms. Without them here, a patch would remove them, because the required node affinity is one atomic value.
   * @default - none */
  readonly requiredTerms?: NodeSelectorTerm[];
  /** Which tool writes its object, and can revert a patch.
   * @default manifest */
  readonly owner?: 'kubeadm' | 'manifest' | 'helm' | 'operator';
}

/**
 * A system component, which by default runs on any node and is to be excluded from host-network nodes.
 *
 * @category Exclude system components from host-network nodes
 */
export class SystemComponent {
  /** kube-proxy of kubeadm. */
  public static readonly KUBE_PROXY = new SystemComponent(MADE, KUBE_PROXY);
  /** CoreDNS as Deployment, of kubeadm. */
  public static readonly COREDNS = new SystemComponent(MADE, COREDNS);
  /** CoreDNS as DaemonSet, of OpenYurt's documentation. */
  public static readonly COREDNS_DAEMON_SET = new SystemComponent(MADE, COREDNS_DAEMON_SET);
  /** flannel v0.19 and later (namespace kube-flannel). Its os=linux term is preserved. */
  public static readonly FLANNEL = new SystemComponent(MADE, FLANNEL);
  /** flannel v0.13 to v0.18 (namespace kube-system). Its os=linux term is preserved. */
  public static readonly FLANNEL_KUBE_SYSTEM = new SystemComponent(MADE, FLANNEL_KUBE_SYSTEM);
  /** Calico installed by manifest. */
  public static readonly CALICO = new SystemComponent(MADE, CALICO);
  /** Calico installed by the Tigera operator, which reverts patches. Only an admission policy can exclude it; otherwise the report says what to do. */
  public static readonly CALICO_OPERATOR = new SystemComponent(MADE, CALICO_OPERATOR);
  /** Cilium installed by Helm: agent, Envoy and operator. */
  public static readonly CILIUM = new SystemComponent(MADE, CILIUM);
  /** NodeLocal DNSCache. */
  public static readonly NODE_LOCAL_DNS = new SystemComponent(MADE, NODE_LOCAL_DNS);
  /** metrics-server installed by manifest. */
  public static readonly METRICS_SERVER = new SystemComponent(MADE, METRICS_SERVER);
  /** CoreDNS as DaemonSet with the name yurt-coredns. */
  public static readonly YURT_COREDNS = new SystemComponent(MADE, YURT_COREDNS);

  /**
   * Any other component, by reference to its workload.
   *
   * @param props kind, namespace and name of the workload, and the terms that it ships with
   * @throws {@link EdgeError} with EDGE_MISSING, EDGE_NAME, EDGE_VALUE, EDGE_AFFINITY, EDGE_TYPE or EDGE_UNKNOWN_PROPERTY
   */
  public static of(props: SystemComponentProps): SystemComponent {
    requireTree(props, 'SystemComponent');
    const problems = new ProblemList();
    checkReference(props, problems);
    problems.throwIfAny('SystemComponent');
    const { owner = 'manifest', ...workload } = props;
    return new SystemComponent(MADE, { name: props.name, owner, workloads: [workload] });
  }

  /**
   * Any other component, by its whole manifest, which contains its node affinity terms. The strategy MANIFEST can write it.
   *
   * @param manifest a DaemonSet, Deployment or StatefulSet, as a plain object or YAML text
   * @throws {@link EdgeError} with EDGE_YAML, EDGE_MISSING, EDGE_NOT_AN_OBJECT, EDGE_TYPE, EDGE_AFFINITY, EDGE_VALUE, EDGE_NAME, EDGE_LABEL,
   * EDGE_ANNOTATION or EDGE_NO_POD_TEMPLATE
   */
  public static fromManifest(manifest: WorkloadInput): SystemComponent {
    const problems = new ProblemList();
    const object = readWorkload(manifest, problems);
    problems.throwIfAny('SystemComponent');
    const whole = object as PlainMap;
    const { name, namespace } = mapAt(whole, 'metadata');
    if (name === undefined) {
      problems
        .at('metadata', 'name')
        .add('EDGE_MISSING', 'the manifest has no name', "write metadata: { name: '…', namespace: '…' }");
    }
    if (namespace === undefined) {
      problems
        .at('metadata', 'namespace')
        .add('EDGE_MISSING', 'the manifest has no namespace', "write metadata: { namespace: 'kube-system' }");
    }
    checkKind(whole.kind, problems.at('kind'));
    const podSpec = mapAt(mapAt(whole, 'spec'), 'template').spec;
    if (!isMap(podSpec)) {
      problems.add('EDGE_NO_POD_TEMPLATE', 'the manifest has no Pod spec', 'write it at spec.template.spec');
    }
    problems.throwIfAny('SystemComponent');
    checkRequiredAffinity(podSpec as PlainMap, problems.at('spec', 'template', 'spec'));
    problems.throwIfAny('SystemComponent');
    const workload: ComponentWorkload = {
      apiVersion: whole.apiVersion as string,
      kind: whole.kind as ComponentWorkload['kind'],
      namespace: namespace as string,
      name: name as string,
      requiredTerms: requiredTerms(podSpec as PlainMap),
    };
    const isKubeadms = [KUBE_PROXY, COREDNS].some(({ workloads: [known] }) =>
      (['kind', 'namespace', 'name'] as const).every((field) => known?.[field] === workload[field]),
    );
    return new SystemComponent(
      MADE,
      { name: name as string, owner: isKubeadms ? 'kubeadm' : 'manifest', workloads: [workload] },
      whole,
    );
  }

  /** All components of the catalog. */
  public static known(): SystemComponent[] {
    return Object.values(SystemComponent).filter((value): value is SystemComponent => value instanceof SystemComponent);
  }

  /** Name of the constant of a component of the catalog: `KUBE_PROXY`. @internal */
  public static constantOf(component: SystemComponent): string | undefined {
    return Object.entries(SystemComponent).find(([, value]) => value === component)?.[0];
  }

  /** Short name, used in options and reports. */
  public readonly name: string;
  /** What the catalog knows of the component. @internal */
  public readonly data: ComponentData;
  /** Its whole manifest, if it was created from one. */
  public readonly manifest?: Readonly<Record<string, unknown>>;

  private constructor(made: typeof MADE, data: ComponentData, manifest?: PlainMap) {
    checkFactory(
      made,
      'SystemComponent',
      "SystemComponent.KUBE_PROXY or SystemComponent.of({ kind: 'DaemonSet', namespace: 'kube-system', name: 'node-exporter' })",
    );
    this.name = data.name;
    this.data = data;
    this.manifest = manifest;
    Object.freeze(this);
  }
}

const checkKind = oneOf('DaemonSet', 'Deployment', 'StatefulSet');

function checkReference(props: SystemComponentProps, problems: ProblemList): void {
  if (!isMap(props)) {
    problems.add(
      'EDGE_TYPE',
      'a component must be a map',
      `write ${inProgram("SystemComponent.of({ kind: 'DaemonSet', namespace: 'kube-system', name: 'node-exporter' })", "{ kind: 'DaemonSet', namespace: 'kube-system', name: 'node-exporter' }")}`,
    );
    return;
  }
  checkProperties(props, PROPERTIES, problems);
}

const PROPERTIES: PropertyTable<SystemComponentProps> = {
  kind: (kind, problems) => {
    if (kind === undefined) {
      problems.add('EDGE_MISSING', 'kind is required', "write kind: 'DaemonSet'");
    }
    checkKind(kind, problems);
  },
  name: checkObjectName,
  namespace: checkNamespace,
  owner: oneOf('kubeadm', 'manifest', 'helm', 'operator'),
  requiredTerms: listOf(
    checkTerm,
    'write [{ matchExpressions: [{ key, operator, values }] }]',
    'requiredTerms must be a list',
  ),
};
