import type { ProblemList } from '../../errors.js';
import type { ComponentWorkload } from '../components/component.js';
import type { EdgeCluster } from '../edge-cluster.js';
import { type KeepOffPlan, planKeepOff } from '../keep-off.js';
import { KeepOffStrategy } from '../keep-off-strategy.js';
import { mapAt, type PlainMap } from '../kubernetes-object.js';
import { podSpecExcludes, requiredTerms } from '../node-affinity.js';
import { same } from '../post-render.js';
import { SystemComponent } from '../system-component.js';
import { type ClusterState, withoutServerFields } from './cluster-state.js';

/** A system component that was found, and whether it is kept off host-network nodes. */
export interface KeepOffFinding {
  /** `DaemonSet kube-system/kube-proxy` */
  readonly workload: string;
  readonly state: 'fine' | 'missing' | 'unknown';
  /** Why nothing can be written for it.
   * @default - it is kept off, or something is written */
  readonly note?: string;
}

/** What was found of the system components, and what keeps those off that are not. */
export interface KeepOffFindings {
  readonly findings: readonly KeepOffFinding[];
  readonly plan?: KeepOffPlan;
}

/** One workload of a component, as it is in the cluster. */
interface Found {
  readonly component: SystemComponent;
  readonly workload: ComponentWorkload;
  readonly object: PlainMap;
}

const podSpecOf = (object: PlainMap): PlainMap => mapAt(mapAt(mapAt(object, 'spec'), 'template'), 'spec');
const nameOf = ({ workload: { kind, namespace, name } }: Found): string => `${kind} ${namespace}/${name}`;

/** Looks at every workload that this library knows by name; a Deployment without replicas runs nowhere. */
export function findKeptOff(cluster: EdgeCluster, { objects }: ClusterState, problems: ProblemList): KeepOffFindings {
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
  const missing = found.filter(({ object }) => !podSpecExcludes(podSpecOf(object)));
  const findings = found.map((each): KeepOffFinding => {
    const note = each.component.data.cannotKeepOff;
    const isMissing = missing.includes(each);
    return {
      workload: nameOf(each),
      state: !isMissing ? 'fine' : note === undefined ? 'missing' : 'unknown',
      ...(isMissing && note !== undefined ? { note } : {}),
    };
  });
  const plans = missing
    .filter(({ component }) => component.data.cannotKeepOff === undefined)
    .map((each) => planOf(cluster, each, problems));
  return plans.length === 0 ? { findings } : { findings, plan: joined(plans) };
}

/** By the known component where it is as it is known; else by its own manifest, so that its own terms are kept. */
function planOf(cluster: EdgeCluster, { component, workload, object }: Found, problems: ProblemList): KeepOffPlan {
  const isAsKnown = same(requiredTerms(podSpecOf(object)) ?? [], workload.requiredTerms ?? []);
  const without = component.data.workloads.map(({ name }) => name).filter((name) => name !== workload.name);
  if (isAsKnown) {
    const components = without.length === 0 ? {} : { [component.name]: { without } };
    return planKeepOff({ cluster, keepOff: [component], components }, problems);
  }
  const keepOff = [SystemComponent.fromManifest(withoutServerFields(object) as never)];
  return planKeepOff({ cluster, keepOff, strategy: KeepOffStrategy.SERVER_SIDE_APPLY }, problems);
}

function joined(plans: readonly KeepOffPlan[]): KeepOffPlan {
  return {
    partials: plans.flatMap(({ partials }) => partials),
    manifests: plans.flatMap(({ manifests }) => manifests),
    kubeadmPatches: plans.flatMap(({ kubeadmPatches }) => kubeadmPatches),
    report: plans.flatMap(({ report }) => report),
    warnings: plans.flatMap(({ warnings }) => warnings),
    forceConflicts: plans.some(({ forceConflicts }) => forceConflicts),
  };
}
