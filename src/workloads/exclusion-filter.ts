import type { KubernetesObject } from '../kubernetes/object.js';
import { mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';
import { showValue } from '../validation/properties.js';
import { checkLabels } from '../kubernetes/label-syntax.js';
import { EXCLUDE_ANNOTATION, TRUE } from '../kubernetes/labels.js';
import { checkTemplatePath, isKnownWorkload, podTemplatePaths } from '../kubernetes/pod-template.js';
import { fieldsBeforeUnknownTemplates } from './exclusion.js';
import { type Check, mapWith, oneOf, optional, type PropertyTable } from '../validation/property-table.js';

/**
 * Selects the workloads to exclude.
 *
 * @category Exclude workloads from host-network nodes
 */
export interface ExclusionFilter {
  /** Only objects of these kinds, for example `['DaemonSet']`.
   * @default - every kind whose Pod template is known */
  readonly kinds?: string[];
  /** Only objects in these namespaces; objects without one are in `default`.
   * @default - every namespace */
  readonly namespaces?: string[];
  /** Only objects of these names.
   * @default - every name */
  readonly names?: string[];
  /** Only objects that have all of these labels.
   * @default - any labels */
  readonly labels?: Record<string, string>;
  /** Only objects for which this function returns true; it gets the object as plain data.
   * @default - every object that the other filters select */
  readonly match?: (object: KubernetesObject) => boolean;
  /** Paths of Pod templates by kind, for kinds that this library does not know: `{ Rollout: 'spec.template' }`.
   * @default - none */
  readonly podTemplatePaths?: Record<string, string>;
  /** What to do with a workload that requires host-network nodes: fail, or skip it and report it.
   * @default error */
  readonly onContradiction?: 'error' | 'skip';
}

/** The properties of a filter. */
export const FILTER_PROPERTIES: PropertyTable<ExclusionFilter> = {
  kinds: checkList('kinds'),
  namespaces: checkList('namespaces'),
  names: checkList('names'),
  labels: checkLabels,
  match: optional((match, problems) => {
    if (typeof match !== 'function') {
      problems.add('EDGE_TYPE', 'match must be a function', "write match: (object) => object.metadata?.name !== 'web'");
    }
  }),
  podTemplatePaths: mapWith(
    (paths, problems) => Object.entries(paths).forEach(([kind, path]) => checkTemplatePath(path, problems.at(kind))),
    'podTemplatePaths must be a map',
    "write { Rollout: 'spec.template' }",
  ),
  onContradiction: oneOf('error', 'skip'),
};

function checkList(field: string): Check {
  return optional((list, problems) => {
    if (!Array.isArray(list)) {
      problems.add('EDGE_TYPE', `${field} must be a list`, `write ${field}: [${JSON.stringify(list)}]`);
      return;
    }
    list.forEach((item: unknown, index) => {
      if (typeof item !== 'string') {
        problems.at(index).add('EDGE_TYPE', `must be text, this is ${showValue(item)}`, `write ${field}: ['…']`);
      }
    });
  });
}

/**
 * Why a workload is skipped; undefined if it is excluded.
 *
 * @param mark reason given by the declaration of the workload
 */
export function reasonToSkip(props: ExclusionFilter, object: PlainMap, mark?: string): string | undefined {
  const templatePath = props.podTemplatePaths?.[String(object.kind)];
  const filtered = filteredBy(props, object);
  if (filtered !== undefined) {
    return `not selected: ${filtered}`;
  }
  if (!isKnownWorkload(object) && templatePath === undefined) {
    return `unknown kind: write podTemplatePaths: { ${String(object.kind)}: 'spec.template' }`;
  }
  if (mark !== undefined) {
    return mark;
  }
  const paths = podTemplatePaths(object, templatePath);
  if (paths.length === 0 && fieldsBeforeUnknownTemplates(object, templatePath).length === 0) {
    return 'has no Pod template';
  }
  const annotations = paths.map(
    (path) => mapAt(mapAt(valueAt(object, path) as PlainMap, 'metadata'), 'annotations')[EXCLUDE_ANNOTATION],
  );
  const optOut = annotations.find((annotation) => annotation !== undefined && annotation !== TRUE);
  return optOut === undefined
    ? undefined
    : `opts out: ${EXCLUDE_ANNOTATION} is ${JSON.stringify(optOut)}, and only the text "true" (in quotes) requests exclusion`;
}

/** The criterion by which an object is not selected; undefined if it is selected. */
export function filteredBy(
  { kinds, namespaces, names, labels, match }: ExclusionFilter,
  object: PlainMap,
): string | undefined {
  const metadata = mapAt(object, 'metadata');
  if (kinds !== undefined && !kinds.includes(String(object.kind))) {
    return 'kind';
  }
  if (
    namespaces !== undefined &&
    !namespaces.includes(typeof metadata.namespace === 'string' ? metadata.namespace : 'default')
  ) {
    return 'namespace';
  }
  if (names !== undefined && !names.includes(String(metadata.name))) {
    return 'name';
  }
  const own = mapAt(metadata, 'labels');
  if (!Object.entries(labels ?? {}).every(([key, value]) => own[key] === value)) {
    return 'labels';
  }
  return match === undefined || match(object as KubernetesObject) ? undefined : 'match';
}
