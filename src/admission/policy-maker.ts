import type { FailurePolicy } from '../cluster/openyurt-webhook.js';
import { compute, text } from '../base/unknown.js';
import type { PoolGuarantee } from './guarantee.js';
import { actionsOf, type Mechanism, settingsOf } from './mechanism.js';
import { mutatingPolicies } from './mutating-policies.js';
import type { Named, PolicyBase, PolicyRule, ValidationAction } from './policy.js';
import { NAME_PREFIX, type PoolAdmissionProps } from './pool-admission-props.js';

/** What all policies of one declaration have in common. */
export class PolicyMaker {
  /** Beginning of the names of all objects. */
  public readonly prefix: string;
  /** Names of the policies that enforce each guarantee. */
  public readonly names = new Map<PoolGuarantee, string[]>();

  constructor(
    public readonly props: PoolAdmissionProps,
    private readonly mechanisms: ReadonlyMap<PoolGuarantee, Mechanism>,
  ) {
    this.prefix = compute(props.namePrefix, (prefix) => prefix ?? NAME_PREFIX);
  }

  /** Whether a policy enforces a guarantee. */
  public holds(guarantee: PoolGuarantee): boolean {
    return this.mechanisms.get(guarantee)?.kind === 'policy';
  }

  /** API version of mutating policies; undefined if the cluster has none. */
  public mutatingApiVersion(): string | undefined {
    return mutatingPolicies(this.props.cluster, this.props.mutatingAdmissionPolicy)?.apiVersion;
  }

  /** failurePolicy of the policy of a guarantee. */
  public failurePolicyOf(guarantee: PoolGuarantee): FailurePolicy {
    const fallback = guarantee === 'nodeLabel' && this.props.pools === 'live' ? 'Ignore' : 'Fail';
    return settingsOf(this.props, guarantee).failurePolicy ?? fallback;
  }

  /** validationActions of the policy of a guarantee. */
  public actionsOf(guarantee: PoolGuarantee): readonly ValidationAction[] {
    return actionsOf(this.props, guarantee);
  }

  /**
   * The common part of a policy.
   *
   * @param id end of its name
   * @param guarantees what it enforces, at least one
   */
  public base(id: string, guarantees: readonly PoolGuarantee[]): Omit<PolicyBase, keyof PolicyRule> {
    const first = guarantees[0] as PoolGuarantee;
    const { apiVersion } = this.mechanisms.get(first) as Extract<Mechanism, { kind: 'policy' }>;
    const name = text`${this.prefix}-${id}`;
    guarantees.forEach((guarantee) => this.names.set(guarantee, [...(this.names.get(guarantee) ?? []), name]));
    return {
      id,
      name,
      apiVersion,
      metadata: this.props.metadata,
      failurePolicy: this.failurePolicyOf(first),
      breakGlassGroups: this.props.breakGlassGroups,
      matchConditions: [] as readonly Named[],
    };
  }

  /** The common part of a policy for namespaced objects. */
  public namespaced(id: string, guarantees: readonly PoolGuarantee[]): Omit<PolicyBase, keyof PolicyRule> {
    return { ...this.base(id, guarantees), excludedNamespaces: this.props.excludedNamespaces };
  }

  /**
   * The common part of a policy for Pod templates. It exempts no break-glass group: a controller, which is in none, creates the Pods, and a template that is
   * judged differently from its Pods never rolls out.
   */
  public templates(id: string, guarantees: readonly PoolGuarantee[]): Omit<PolicyBase, keyof PolicyRule> {
    return { ...this.namespaced(id, guarantees), breakGlassGroups: undefined };
  }
}
