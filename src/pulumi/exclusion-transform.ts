import type * as pulumi from '@pulumi/pulumi';
import { EdgeError, joinPath, ProblemList } from '../errors.js';
import { checkCluster, type EdgeCluster } from '../cluster/edge-cluster.js';
import { type Exclusion, excludeWorkload } from '../workloads/exclusion.js';
import { nameOf } from '../kubernetes/object.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { looksLikeWorkload } from '../kubernetes/pod-template.js';
import {
  checkExclusionFilter,
  type ExclusionFilter,
  filteredBy,
  FILTER_PROPERTIES,
  reasonToSkip,
} from '../workloads/exclusion-filter.js';
import { hostNetworkPoolsOf } from '../cluster/fleet.js';
import { Deployment } from './deployment.js';
import { inputErrors } from './input-errors.js';
import { Planned } from './planned.js';
import { isKnownLater } from './stand-in.js';
import { Template } from './template.js';

/**
 * A transform that keeps every matching workload off host-network nodes, also the children of `helm.v4.Chart`, `yaml.v2.ConfigGroup` and other
 * components. For one component: `new Chart(name, args, { transforms: [excludeFromHostNetworkPools(cluster)] })`; for the whole stack:
 * `pulumi.runtime.registerResourceTransform(excludeFromHostNetworkPools(cluster))`. It does not see what `helm.v3.Release` installs.
 *
 * @param cluster the cluster in which the workloads run
 * @param filter which workloads; without it all of which the Pod template is known. Its `match` gets the object as it is declared, Outputs and all
 * @throws InputPropertiesError with EDGE_MISSING, EDGE_TYPE, EDGE_LABEL, EDGE_VALUE or EDGE_UNKNOWN_PROPERTY; and for a resource that it sees with
 * EDGE_KNOWN_LATER, EDGE_CONTRADICTION, EDGE_AFFINITY or EDGE_MATCHES_NOTHING
 * @category Exclude workloads from host-network nodes
 */
export function excludeFromHostNetworkPools(
  cluster: EdgeCluster,
  filter: ExclusionFilter = {},
): pulumi.ResourceTransform {
  const problems = new ProblemList();
  checkCluster(cluster, problems.at('cluster'));
  checkExclusionFilter(filter, FILTER_PROPERTIES, problems);
  if (problems.problems.length > 0) {
    throw inputErrors(new EdgeError('excludeFromHostNetworkPools', problems.problems));
  }
  return ({ type, name, props, opts }) => {
    const object = objectOf(type, props);
    if (object === undefined) {
      return undefined;
    }
    const deployment = Deployment.current();
    if (!isWorkload(filter, new Template(object, deployment).filled([]) as PlainMap)) {
      return undefined;
    }
    const mark = deployment.reasonToLeave(String(object.kind), name);
    const { podTemplatePaths, onContradiction } = filter;
    const rule = (plain: PlainMap): Exclusion | undefined =>
      exclude(cluster, { podTemplatePaths, onContradiction }, plain, mark, deployment);
    try {
      checkFilterKnows(filter, object, name);
      if (filteredBy(filter, object) !== undefined) {
        return undefined;
      }
      const planned = new Planned<PlainMap, Exclusion | undefined>(
        object,
        rule,
        { path: name, fleets: deployment.fleets },
        `excludeFromHostNetworkPools on ${nameOf(object)}`,
        deployment,
      );
      const manifest = planned.lift((plan) => plan?.manifest, 1) as PlainMap | undefined;
      return manifest === undefined ? undefined : { props: { ...props, ...withoutType(manifest) }, opts };
    } catch (error) {
      throw error instanceof EdgeError ? inputErrors(error) : error;
    }
  };
}

/** Whether everything that a filter looks at is known: what is known later is equal to nothing, and would be left where it is without a word. */
function checkFilterKnows({ names, namespaces, labels }: ExclusionFilter, object: PlainMap, name: string): void {
  const problems = new ProblemList();
  const metadata = isMap(object.metadata) ? object.metadata : {};
  const seen: [string, unknown][] = [
    ['metadata', (names ?? namespaces ?? labels) ? object.metadata : undefined],
    ['metadata.name', names && metadata.name],
    ['metadata.namespace', namespaces && metadata.namespace],
    ...Object.keys(labels ?? {}).map((key): [string, unknown] => [
      joinPath('metadata.labels', key),
      isKnownLater(metadata.labels) ? metadata.labels : mapAt(metadata, 'labels')[key],
    ]),
  ];
  for (const [path, value] of seen) {
    if (isKnownLater(value)) {
      problems.add(
        'EDGE_KNOWN_LATER',
        `the filter looks at ${path} of ${name}, which is known later`,
        'choose by something that is known: kinds, or match, which is a function of the object as it is declared',
      );
    }
  }
  problems.throwIfAny('excludeFromHostNetworkPools');
}

/** What the properties of a resource are; its type says the rest. */
function withoutType(manifest: PlainMap): PlainMap {
  return Object.fromEntries(Object.entries(manifest).filter(([key]) => key !== 'apiVersion' && key !== 'kind'));
}

/** The object of a resource; undefined when it is none of Kubernetes, or a patch of one. */
function objectOf(type: string, props: PlainMap): PlainMap | undefined {
  const [, apiVersion, kind] = /^kubernetes:([^:]+):([A-Za-z]+)$/.exec(type) ?? [];
  if (apiVersion === undefined || kind === undefined || kind.endsWith('Patch')) {
    return undefined;
  }
  return { ...props, apiVersion: apiVersion.replace(/^core\//, ''), kind };
}

function templatePathOf({ podTemplatePaths }: ExclusionFilter, { kind }: PlainMap): string | undefined {
  return isMap(podTemplatePaths) ? podTemplatePaths[String(kind)] : undefined;
}

/** Whether a resource is a workload, as far as it is known: nobody has to know what is in a Secret. */
function isWorkload(filter: ExclusionFilter, known: PlainMap): boolean {
  return looksLikeWorkload(known) || templatePathOf(filter, known) !== undefined;
}

function exclude(
  cluster: EdgeCluster,
  filter: ExclusionFilter,
  object: PlainMap,
  mark: string | undefined,
  deployment: Deployment,
): Exclusion | undefined {
  if (reasonToSkip(filter, object, mark) !== undefined) {
    return undefined;
  }
  const podTemplatePath = templatePathOf(filter, object);
  const problems = new ProblemList();
  const isHostNetworkPool = hostNetworkPoolsOf(deployment.fleets.of(cluster));
  const exclusion = excludeWorkload(cluster, object, { podTemplatePath, isHostNetworkPool }, problems);
  if (exclusion === undefined && filter.onContradiction !== 'skip') {
    problems.throwIfAny(`excludeFromHostNetworkPools on ${nameOf(object)}`);
  }
  return exclusion === undefined || exclusion.report.changed.length === 0 ? undefined : exclusion;
}
