import type { ProblemList } from '../base/errors.js';
import { mutatingPolicies } from '../admission/mutating-policies.js';
import type { ComponentWorkload } from '../system-components/catalog.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { ComponentSettings } from '../system-components/edge-system-components-props.js';
import { type ExclusionPlan, planExclusion } from '../system-components/exclusion-plan.js';
import { mapAt, type PlainMap, same } from '../base/plain-data.js';
import { requiredTerms } from '../kubernetes/node-affinity.js';
import { podSpecExcludes } from '../workloads/exclusion-affinity.js';
import { SystemComponent, type SystemComponentProps } from '../system-components/system-component.js';
import type { ClusterState } from './precondition.js';

/** A system component of the cluster, and whether it is excluded from host-network nodes. */
export interface ExclusionFinding {
  /** `DaemonSet kube-system/kube-proxy` */
  readonly workload: string;
  readonly state: 'fine' | 'missing' | 'unknown';
  /** Why no fix can be written.
   * @default - it is excluded, or a fix is written */
  readonly note?: string;
  /** The component with its node affinity terms in this cluster, if they differ from the catalog.
   * @default - as in the catalog */
  readonly component?: SystemComponentProps;
}

/** The system components of a cluster, and the plan that excludes those that are not excluded yet. */
export interface ExclusionFindings {
  readonly findings: readonly ExclusionFinding[];
  readonly plan?: ExclusionPlan;
}

/** One workload of a component, as it is in the cluster. */
interface Found {
  readonly component: SystemComponent;
  readonly workload: ComponentWorkload;
  readonly object: PlainMap;
}

const podSpecOf = (object: PlainMap): PlainMap => mapAt(mapAt(mapAt(object, 'spec'), 'template'), 'spec');
const nameOf = ({ workload: { kind, namespace, name } }: Found): string => `${kind} ${namespace}/${name}`;

/** Checks every workload of the catalog. A Deployment without replicas is skipped, because it runs nowhere. */
export function findExclusions(
  cluster: EdgeCluster,
  { objects }: ClusterState,
  problems: ProblemList,
): ExclusionFindings {
  const found = SystemComponent.known().flatMap((component) =>
    component.data.workloads.flatMap((workload): Found[] => {
      const object = objects.find(
        (each) =>
          each.kind === workload.kind &&
          mapAt(each, 'metadata').name === workload.name &&
          mapAt(each, 'metadata').namespace === workload.namespace,
      );
      return object === undefined || mapAt(object, 'spec').replicas === 0 ? [] : [{ component, workload, object }];
    }),
  );
  const hasPolicy = mutatingPolicies(cluster, undefined) !== undefined;
  const findings = found.map((each): ExclusionFinding => {
    const { notExcludable } = each.component.data;
    const workload = nameOf(each);
    if (podSpecExcludes(podSpecOf(each.object), cluster.hostNetworkLabel)) {
      return { workload, state: 'fine' };
    }
    return notExcludable === undefined || hasPolicy
      ? { workload, state: 'missing', ...(isAsKnown(each) ? {} : { component: ownComponent(each) }) }
      : { workload, state: 'unknown', note: notExcludable };
  });
  const missing = found.filter((_, index) => findings[index]?.state === 'missing');
  return missing.length === 0 ? { findings } : { findings, plan: planOf(cluster, missing, problems) };
}

/** Whether a workload has the node affinity terms of the catalog. */
function isAsKnown({ workload, object }: Found): boolean {
  return same(requiredTerms(podSpecOf(object)) ?? [], workload.requiredTerms ?? []);
}

/** A component with its own terms instead of those of the catalog, so that they are preserved. */
function ownComponent({ component, workload: { kind, namespace, name }, object }: Found): SystemComponentProps {
  const terms = requiredTerms(podSpecOf(object));
  return {
    kind,
    namespace,
    name,
    owner: component.data.owner,
    ...(terms === undefined ? {} : { requiredTerms: terms }),
  };
}

function planOf(cluster: EdgeCluster, missing: readonly Found[], problems: ProblemList): ExclusionPlan {
  const [known, others] = [missing.filter(isAsKnown), missing.filter((each) => !isAsKnown(each))];
  const components = [...new Set(known.map(({ component }) => component))];
  const names = known.map(({ workload }) => workload.name);
  const settings = components.map((component): [string, ComponentSettings] => [
    component.name,
    { absent: component.data.workloads.map(({ name }) => name).filter((name) => !names.includes(name)) },
  ]);
  const exclude = [...components, ...others.map((each) => SystemComponent.of(ownComponent(each)))];
  return planExclusion({ cluster, exclude, components: Object.fromEntries(settings) }, problems);
}
