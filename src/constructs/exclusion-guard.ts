import type { ApiObject } from 'cdk8s';
import { ProblemList } from '../errors.js';
import type { EdgeCluster } from '../manifests/edge-cluster.js';
import { findPoolContradictions } from '../manifests/exclusion.js';
import { isMap, mapAt, nameOf, type PlainMap, valueAt } from '../manifests/kubernetes-object.js';
import { podSpecExcludes } from '../manifests/node-affinity.js';
import { podTemplatePaths } from '../manifests/pod-template.js';
import { fleetOf, hostNetworkPoolsOf } from './fleet-registry.js';

/**
 * Fails the synth when an object was changed after the mixin so that it is no longer excluded, or when a host-network pool that it asks for was
 * declared later. Looks once: validations run once per chart.
 */
export function guardExclusion(
  apiObject: ApiObject,
  cluster: EdgeCluster,
  at: readonly string[],
  templatePath: string | undefined,
): void {
  let verdict: string[] | undefined;
  apiObject.node.addValidation({
    validate: () => {
      verdict ??= foundAtSynth(apiObject, cluster, at, templatePath).problems.map(
        ({ code, path, message, hint }) => `${code} ${path}: ${message} -> ${hint}`,
      );
      return verdict;
    },
  });
}

function foundAtSynth(
  apiObject: ApiObject,
  cluster: EdgeCluster,
  at: readonly string[],
  templatePath: string | undefined,
): ProblemList {
  const problems = new ProblemList();
  const root = apiObject.toJson() as PlainMap;
  const [, item] = at;
  const object: unknown = item === undefined ? root : (root.items as unknown[])[Number(item)];
  const workload = isMap(object) ? object : {};
  for (const path of podTemplatePaths(workload, templatePath)) {
    const podSpec = mapAt(valueAt(workload, path) as PlainMap, 'spec');
    const here = problems.at(...at, ...path, 'spec');
    if (!podSpecExcludes(podSpec)) {
      here.add(
        'EDGE_EXCLUSION_LOST',
        `${nameOf(workload)} was changed after ExcludedWorkload.mixin and is no longer excluded`,
        'apply the mixin last: chart.with(…) after everything else',
      );
    }
    findPoolContradictions(cluster.nodePoolLabel, hostNetworkPoolsOf(fleetOf(apiObject, cluster)), podSpec, here);
  }
  return problems;
}
