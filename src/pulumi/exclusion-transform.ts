import * as pulumi from '@pulumi/pulumi';
import { checkCluster, EdgeCluster } from '../cluster/edge-cluster.js';
import { declarePlainObject } from '../cluster/declared-objects.js';
import type { Scope } from '../cluster/scope.js';
import { type EdgeWarning, isAboutUnknown, joinPath, ProblemList } from '../base/errors.js';
import { declaredHostNetworkPools } from '../pools/declared-pools.js';
import { mayHavePodTraces } from '../kubernetes/pod-traces.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { checkProperties } from '../base/property-table.js';
import { isUnknown } from '../base/unknown.js';
import {
  checkKinds,
  excludeFiltered,
  type ExclusionFilter,
  type FilteredExclusion,
  FILTER_ADVICE,
  FILTER_PROPERTIES,
  filteredBy,
  mayBeWorkload,
} from '../workloads/exclusion-filter.js';
import { Declaration } from './declaration.js';
import { withInputErrors } from './input-errors.js';
import { argumentsOf } from './outputs.js';
import { Program } from './program.js';

/**
 * A resource transform that excludes every matching workload from host-network nodes, including the children of `helm.v4.Chart`, `yaml.v2.ConfigGroup`
 * and other components. For one component: `new Chart(name, args, { transforms: [excludeFromHostNetworkPools(cluster)] })`; for the whole stack:
 * `pulumi.runtime.registerResourceTransform(excludeFromHostNetworkPools(cluster))`. It does not reach workloads that `helm.v3.Release` installs.
 *
 * @param cluster the cluster in which the workloads run
 * @param filter selects the workloads; by default all with a known Pod template. `match` gets the object as declared, with Outputs
 * @throws InputPropertiesError with EDGE_MISSING, EDGE_TYPE, EDGE_LABEL, EDGE_VALUE, EDGE_MATCHES_NOTHING or EDGE_UNKNOWN_PROPERTY; and, for a transformed resource, with
 * EDGE_KNOWN_LATER, EDGE_CONTRADICTION, EDGE_AFFINITY or EDGE_MATCHES_NOTHING
 * @category Exclude workloads from host-network nodes
 */
export function excludeFromHostNetworkPools(
  cluster: EdgeCluster,
  filter: ExclusionFilter = {},
): pulumi.ResourceTransform {
  withInputErrors(() => {
    const problems = new ProblemList();
    if (isMap(cluster) && (cluster as PlainMap).cluster instanceof EdgeCluster) {
      problems.add(
        'EDGE_TYPE',
        'the cluster is the first argument, not a property',
        'write excludeFromHostNetworkPools(cluster)',
      );
    } else {
      checkCluster(cluster, problems.at('cluster'));
    }
    checkProperties(filter, FILTER_PROPERTIES, problems, FILTER_ADVICE);
    checkKinds(filter, problems);
    problems.throwIfAny('excludeFromHostNetworkPools');
  });
  const planned = argumentsOf(cluster) as EdgeCluster;
  return ({ type, name, props, opts }) => {
    const object = objectOf(type, props);
    if (object === undefined) {
      return undefined;
    }
    const known = argumentsOf(object) as PlainMap;
    const isWorkload = mayBeWorkload(filter, known);
    if (!isWorkload && !mayHavePodTraces(known)) {
      return undefined;
    }
    const program = Program.current();
    const show = (warnings: readonly EdgeWarning[]): void =>
      warnings
        .map(({ code, path, message, hint }) => [`${code} ${name}`, path, `${message}; ${hint}`])
        .map((parts) => parts.filter((part) => part !== '').join(': '))
        .filter((text) => program.isNewWarning(text))
        .forEach((text) => void pulumi.log.warn(text));
    if (isWorkload && !program.isChild(String(object.kind), name)) {
      show(declarePlainObject({ path: name, owner: {}, object: known }, planned, program.declared));
    }
    const mark = program.reasonToSkip(String(object.kind), name);
    return withInputErrors(() => {
      if (isWorkload) {
        checkFilterKnows(filter, known, name);
      }
      if (filteredBy(filter, object) !== undefined) {
        return undefined;
      }
      // the filter was asked before, with the object as declared
      const { podTemplatePaths, onContradiction } = filter;
      const rule = (plain: PlainMap, scope: Scope): FilteredExclusion =>
        excludeFiltered(planned, { podTemplatePaths, onContradiction }, plain, {
          mark,
          subject: 'excludeFromHostNetworkPools',
          pools: declaredHostNetworkPools(scope, planned),
          ...(scope.unknown === undefined ? {} : { unknown: scope.unknown }),
        });
      const declaration = new Declaration(name, object, rule, program, {
        subject: name,
        refused: () => undefined,
        isData: () => true,
        warned: ({ warnings }, isShown) => show(warnings.filter(isShown)),
      });
      const { excluded, warnings } = declaration.made;
      // where the Pod specs are is known, whatever they contain
      const isKnown = ({ code, path }: EdgeWarning): boolean =>
        code === 'EDGE_NOT_EXCLUDED' || !isAboutUnknown(path, declaration.unknownPaths);
      show(warnings.filter(isKnown));
      const manifest = excluded?.manifest;
      return manifest === undefined
        ? undefined
        : { props: { ...props, ...withoutType(declaration.input(manifest) as PlainMap) }, opts };
    });
  };
}

/** Refuses Outputs in fields that a filter reads: an Output equals nothing, so the workload would be skipped silently. */
function checkFilterKnows({ names, namespaces, labels }: ExclusionFilter, object: PlainMap, name: string): void {
  const problems = new ProblemList();
  const metadata = isMap(object.metadata) ? object.metadata : {};
  const seen: [string, unknown][] = [
    ['metadata', (names ?? namespaces ?? labels) ? object.metadata : undefined],
    ['metadata.name', names && metadata.name],
    ['metadata.namespace', namespaces && metadata.namespace],
    ...Object.keys(labels ?? {}).map((key): [string, unknown] => [
      joinPath('metadata.labels', key),
      isUnknown(metadata.labels) ? metadata.labels : mapAt(metadata, 'labels')[key],
    ]),
  ];
  for (const [path, value] of seen) {
    if (isUnknown(value)) {
      problems.add(
        'EDGE_KNOWN_LATER',
        `the filter reads ${path} of ${name}, which is an Output`,
        'select by a plain value: by kinds, or by match, a function of the object as declared',
      );
    }
  }
  problems.throwIfAny('excludeFromHostNetworkPools');
}

/** The properties of a resource: the object without apiVersion and kind, which its type has. */
function withoutType(manifest: PlainMap): PlainMap {
  return Object.fromEntries(Object.entries(manifest).filter(([key]) => key !== 'apiVersion' && key !== 'kind'));
}

/** The object of a resource; undefined if it is not a Kubernetes object, or a patch of one. */
function objectOf(type: string, props: PlainMap): PlainMap | undefined {
  const [, apiVersion, kind] = /^kubernetes:([^:]+):([A-Za-z0-9]+)$/.exec(type) ?? [];
  if (apiVersion === undefined || kind === undefined || kind.endsWith('Patch')) {
    return undefined;
  }
  return { ...props, apiVersion: apiVersion.replace(/^core\//, ''), kind };
}
