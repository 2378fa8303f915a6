import type { KubernetesObject } from '../kubernetes/object.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import type { FailurePolicy } from '../cluster/openyurt-webhook.js';
import { exclusionMutation, exclusionVariables, type PodCarrier, wantsExclusion } from './exclusion-mutation.js';
import type { PoolGuarantee } from './guarantee.js';
import { actionsOf, type Mechanism, settingsOf } from './mechanism.js';
import {
  frozenLabelRules,
  isMemberOfListedPool,
  isMemberOfLivePool,
  LABEL_MUTATION,
  listedPools,
  livePools,
} from './node-label-policy.js';
import {
  BINDS_TO_NODE,
  HOST_NETWORK_NODES,
  NAMES_NODE,
  namespaceGateRules,
  PRESET_NODE,
  PRESET_NODE_RULES,
} from './node-parameter-policy.js';
import { nodePoolRules } from './node-pool-policy.js';
import { mutatingPolicy, type Named, type PolicyBase, validatingPolicy } from './policy.js';
import { NAME_PREFIX, NAMESPACE_GATE_LABEL, type PoolAdmissionProps, poolsOf } from './pool-admission-props.js';
import { lacksToleration, tolerationMutation } from './toleration-mutation.js';

const PODS = { apiGroup: '', apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] } as const;
const NODES = { apiGroup: '', apiVersions: ['v1'], resources: ['nodes'] } as const;
const WORKLOADS = { apiGroup: 'apps', apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'] } as const;

/** Guarantees that one policy holds together: a Pod is looked at once, however many of them concern it. */
const EXCLUSIONS: Readonly<Record<PodCarrier, readonly PoolGuarantee[]>> = {
  pod: ['annotatedPods', 'presetNodeName', 'strict'],
  template: ['annotatedTemplates', 'strict'],
};

/** The policies of an installation, each followed by its binding. */
export class PoolPolicies {
  /** Objects in the order in which they must be applied. */
  public readonly objects: KubernetesObject[] = [];
  /** Names of the policies that hold a guarantee. */
  public readonly names = new Map<PoolGuarantee, string[]>();

  constructor(
    private readonly props: PoolAdmissionProps,
    private readonly mechanisms: ReadonlyMap<PoolGuarantee, Mechanism>,
    listedData: unknown,
  ) {
    this.addPools();
    this.addFrozenLabels();
    this.addNodeLabel(listedData);
    this.addExclusions('pod', { ...PODS }, 'pods');
    const resources = props.templates ?? ['daemonsets'];
    if (resources.length > 0) {
      this.addExclusions('template', { ...WORKLOADS, resources }, 'templates');
    }
    this.addToleration();
    this.addNodeParameters();
  }

  private has(guarantee: PoolGuarantee): boolean {
    return this.mechanisms.get(guarantee)?.kind === 'policy';
  }

  private failureOf(guarantee: PoolGuarantee): FailurePolicy {
    const fallback = guarantee === 'nodeLabel' && poolsOf(this.props) === 'live' ? 'Ignore' : 'Fail';
    return settingsOf(this.props, guarantee).failurePolicy ?? fallback;
  }

  private base(suffix: string, guarantees: readonly PoolGuarantee[]) {
    const { props } = this;
    const first = guarantees[0] as PoolGuarantee;
    const mechanism = this.mechanisms.get(first) as Extract<Mechanism, { kind: 'policy' }>;
    const name = `${props.namePrefix ?? NAME_PREFIX}-${suffix}`;
    for (const guarantee of guarantees) {
      this.names.set(guarantee, [...(this.names.get(guarantee) ?? []), name]);
    }
    return {
      name,
      apiVersion: mechanism.apiVersion,
      metadata: props.metadata,
      failurePolicy: this.failureOf(first),
      breakGlassGroups: props.breakGlassGroups ?? [],
      excludedNamespaces: [] as readonly string[],
      matchConditions: [] as readonly Named[],
    };
  }

  private namespaced(suffix: string, guarantees: readonly PoolGuarantee[]) {
    return { ...this.base(suffix, guarantees), excludedNamespaces: this.props.excludedNamespaces ?? [] };
  }

  private addPools(): void {
    const guarantee = 'immutablePools';
    if (!this.has(guarantee)) {
      return;
    }
    const [group, version] = (this.props.cluster.nodePoolApiVersion() as string).split('/') as [string, string];
    this.objects.push(
      ...validatingPolicy({
        ...this.base('immutable-pools', [guarantee]),
        ...nodePoolRules(this.props.cluster),
        apiGroup: group,
        apiVersions: [version],
        resources: ['nodepools'],
        operations: ['CREATE', 'UPDATE'],
        validationActions: actionsOf(this.props, guarantee),
      }),
    );
  }

  private addFrozenLabels(): void {
    const guarantee = 'frozenNodeLabels';
    if (this.has(guarantee)) {
      this.objects.push(
        ...validatingPolicy({
          ...this.base('frozen-node-labels', [guarantee]),
          ...NODES,
          ...frozenLabelRules(this.props.cluster),
          // a write of the status can change labels too (pkg/registry/core/node/strategy.go); OpenYurt's webhook does not see it
          resources: ['nodes', 'nodes/status'],
          operations: ['UPDATE'],
          validationActions: actionsOf(this.props, guarantee),
        }),
      );
    }
  }

  private addNodeLabel(listedData: unknown): void {
    if (!this.has('nodeLabel')) {
      return;
    }
    const { cluster, namespace = 'kube-system', metadata, namePrefix = NAME_PREFIX } = this.props;
    const isLive = poolsOf(this.props) === 'live';
    const listName = `${namePrefix}-pools`;
    if (!isLive) {
      this.objects.push({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { ...metadata, name: listName, namespace, labels: { ...metadata?.labels, ...OWN_LABELS } },
        data: listedData,
      });
    }
    this.objects.push(
      ...mutatingPolicy({
        ...this.base('node-label', ['nodeLabel']),
        ...NODES,
        operations: ['CREATE', 'UPDATE'],
        matchConditions: isLive ? isMemberOfLivePool(cluster) : isMemberOfListedPool(cluster),
        parameters: isLive ? livePools(cluster) : listedPools(namespace, listName),
        mutations: [LABEL_MUTATION],
      }),
    );
  }

  private addExclusions(
    carrier: PodCarrier,
    rule: Pick<PolicyBase, 'apiGroup' | 'apiVersions' | 'resources' | 'operations'>,
    suffix: string,
  ): void {
    for (const failure of ['Fail', 'Ignore'] as const) {
      const together = EXCLUSIONS[carrier].filter(
        (guarantee) => this.has(guarantee) && this.failureOf(guarantee) === failure,
      );
      if (together.length > 0) {
        this.objects.push(
          ...mutatingPolicy({
            ...this.namespaced(failure === 'Fail' ? suffix : `${suffix}-ignore`, together),
            ...rule,
            matchConditions: [wantsExclusion(carrier, together)],
            variables: exclusionVariables(carrier),
            mutations: [exclusionMutation(carrier)],
          }),
        );
      }
    }
  }

  private addToleration(): void {
    const guarantee = 'hostNetworkToleration';
    if (!this.has(guarantee)) {
      return;
    }
    const rules: readonly [
      PodCarrier,
      string,
      Pick<PolicyBase, 'apiGroup' | 'apiVersions' | 'resources' | 'operations'>,
    ][] = [
      ['pod', 'pod-toleration', PODS],
      // its controller makes no Pod for a node whose taint the template does not tolerate
      ['template', 'template-toleration', { ...WORKLOADS, resources: ['daemonsets'] }],
    ];
    for (const [carrier, suffix, rule] of rules) {
      this.objects.push(
        ...mutatingPolicy({
          ...this.namespaced(suffix, [guarantee]),
          ...rule,
          matchConditions: lacksToleration(carrier),
          mutations: [tolerationMutation(carrier)],
        }),
      );
    }
  }

  private addNodeParameters(): void {
    const gateLabel = this.props.namespaceGateLabel ?? NAMESPACE_GATE_LABEL;
    if (this.has('refusePresetNodeName')) {
      this.objects.push(
        ...validatingPolicy({
          ...this.namespaced('preset-node-name', ['refusePresetNodeName']),
          ...PODS,
          matchConditions: [PRESET_NODE],
          parameters: HOST_NETWORK_NODES,
          validations: PRESET_NODE_RULES,
          validationActions: actionsOf(this.props, 'refusePresetNodeName'),
        }),
      );
    }
    if (!this.has('namespaceGate')) {
      return;
    }
    for (const [suffix, way, resources] of [
      // the second is the same write under its older address
      ['namespace-gate', BINDS_TO_NODE, ['pods/binding', 'bindings']],
      ['namespace-gate-pods', NAMES_NODE, ['pods']],
    ] as const) {
      this.objects.push(
        ...validatingPolicy({
          ...this.namespaced(suffix, ['namespaceGate']),
          ...PODS,
          resources,
          matchConditions: [way.condition],
          parameters: HOST_NETWORK_NODES,
          validations: namespaceGateRules(gateLabel, way),
          validationActions: actionsOf(this.props, 'namespaceGate'),
        }),
      );
    }
  }
}
