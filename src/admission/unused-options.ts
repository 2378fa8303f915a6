import type { EdgeWarning } from '../base/errors.js';
import { GUARANTEES, type PoolGuarantee } from './guarantee.js';
import { type Mechanism, settingsOf } from './mechanism.js';
import { mutatingPolicies } from './mutating-policies.js';
import type { PoolAdmissionProps } from './pool-admission-props.js';

/** What an option needs to have an effect. */
interface Use {
  /** Whether something in the plan reads the option. `held` are the guarantees that a policy enforces. */
  readonly isUsed: (held: readonly PoolGuarantee[], props: PoolAdmissionProps) => boolean;
  /** What it needs, for the message. */
  readonly needs: string;
}

const NAMESPACED: readonly PoolGuarantee[] = [
  'annotatedPods',
  'annotatedTemplates',
  'presetNodeName',
  'strict',
  'hostNetworkToleration',
  'refusePresetNodeName',
  'namespaceGate',
];
/** Guarantees that change Pods, and have a second policy that refuses what got past the first. */
const CHECKED: readonly PoolGuarantee[] = ['annotatedPods', 'presetNodeName', 'strict'];
const anyPolicy: Use = { isUsed: (held) => held.length > 0, needs: 'a policy' };
const labelPolicy: Use = { isUsed: (held) => held.includes('nodeLabel'), needs: 'a policy for nodeLabel' };

const USES: Readonly<Partial<Record<keyof PoolAdmissionProps, Use>>> = {
  pools: labelPolicy,
  otherPools: labelPolicy,
  templates: {
    isUsed: (held, { cluster, mutatingAdmissionPolicy }) =>
      held.includes('annotatedTemplates') ||
      held.includes('strict') ||
      (held.includes('namespaceGate') && mutatingPolicies(cluster, mutatingAdmissionPolicy) !== undefined),
    needs: 'a policy for annotatedTemplates, strict or namespaceGate',
  },
  breakGlassGroups: anyPolicy,
  excludedNamespaces: {
    isUsed: (held) => held.some((guarantee) => NAMESPACED.includes(guarantee)),
    needs: 'a policy for Pods or workloads',
  },
  namespaceGateLabel: {
    isUsed: (held) => held.includes('namespaceGate'),
    needs: 'the guarantee namespaceGate',
  },
  validationActions: {
    isUsed: (held, props) =>
      held.some(
        (guarantee) =>
          (CHECKED.includes(guarantee) && props.checkPods !== false) ||
          (GUARANTEES[guarantee].policy === 'validating' &&
            settingsOf(props, guarantee).validationActions === undefined),
      ),
    needs: 'a policy that refuses and has no validationActions of its own',
  },
  checkPods: {
    isUsed: (held) => held.some((guarantee) => CHECKED.includes(guarantee)),
    needs: 'a policy for annotatedPods, presetNodeName or strict',
  },
  namePrefix: anyPolicy,
  metadata: anyPolicy,
};

/** Warnings about options that have no effect in this cluster with these guarantees. */
export function unusedOptions(
  props: PoolAdmissionProps,
  mechanisms: ReadonlyMap<PoolGuarantee, Mechanism>,
): EdgeWarning[] {
  const held = [...mechanisms].filter(([, { kind }]) => kind === 'policy').map(([guarantee]) => guarantee);
  return Object.entries(USES)
    .filter(([option, { isUsed }]) => isGiven(props[option as keyof typeof props]) && !isUsed(held, props))
    .map(([option, { needs }]) => ({
      code: 'EDGE_UNUSED',
      path: option,
      message: `this has no effect: it needs ${needs}, and ${props.cluster.toString()} has none with these properties`,
      hint: 'leave it out; the report shows what enforces each guarantee',
    }));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}
