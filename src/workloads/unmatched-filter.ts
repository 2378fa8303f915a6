import { type EdgeWarning, joinPath } from '../errors.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { mapAt, type PlainMap } from '../validation/plain-data.js';
import { nearest } from '../validation/properties.js';
import { type ExclusionFilter, namespaceOf } from './exclusion-filter.js';

/** What a filter reads of a workload, and whether it has selected it. */
export interface FilteredWorkload {
  readonly kind: string;
  /** `Kind.group` */
  readonly groupKind: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: PlainMap;
  readonly isSelected: boolean;
}

/** What a filter has read of a workload. */
export function filteredWorkload(object: PlainMap, isSelected: boolean): FilteredWorkload {
  const { name, labels } = mapAt(object, 'metadata') as { readonly name?: unknown; readonly labels?: PlainMap };
  return {
    kind: String(object.kind),
    groupKind: groupKindOf(object),
    namespace: namespaceOf(object),
    name: String(name),
    labels: labels ?? {},
    isSelected,
  };
}

/** Warns of the parts of a filter that match no workload of a program: they are probably misspelt. */
export function unmatchedWarnings(filter: ExclusionFilter, workloads: readonly FilteredWorkload[]): EdgeWarning[] {
  if (workloads.length === 0) {
    return [
      warning(
        '',
        'there is no workload to exclude',
        'apply the mixin to a construct that contains workloads, or remove it',
      ),
    ];
  }
  const lists: ['kinds' | 'namespaces' | 'names', 'kind' | 'namespace' | 'name'][] = [
    ['kinds', 'kind'],
    ['namespaces', 'namespace'],
    ['names', 'name'],
  ];
  const parts = [
    ...lists.flatMap(([field, what]) => {
      const existing = new Set(workloads.map((workload) => workload[what]));
      return (filter[field] ?? []).flatMap((item, index) =>
        existing.has(item) || (field === 'kinds' && workloads.some(({ groupKind }) => groupKind === item))
          ? []
          : [
              warning(
                joinPath(field, index),
                `no workload has the ${what} ${item}`,
                didYouMean(item, [...existing]) ?? `the workloads have: ${shown(existing)}`,
              ),
            ],
      );
    }),
    ...Object.entries(filter.labels ?? {}).flatMap(([key, value]) => unmatchedLabel(key, value, workloads)),
  ];
  return parts.length > 0 || workloads.some(({ isSelected }) => isSelected)
    ? parts
    : [
        warning(
          filter.match === undefined ? '' : 'match',
          `the filter selects none of the ${workloads.length} workloads`,
          `widen it; the report lists for each workload why it was skipped`,
        ),
      ];
}

function unmatchedLabel(key: string, value: string, workloads: readonly FilteredWorkload[]): EdgeWarning[] {
  const values = new Set(
    workloads.flatMap(({ labels }) =>
      Object.hasOwn(labels, key) ? [String((labels[key] as string | null) ?? '')] : [],
    ),
  );
  if (values.has(value)) {
    return [];
  }
  const keys = [...new Set(workloads.flatMap(({ labels }) => Object.keys(labels)))];
  const hint =
    values.size > 0
      ? (didYouMean(value, [...values]) ?? `its values are: ${shown(values)}`)
      : (didYouMean(key, keys) ?? `the workloads have: ${shown(new Set(keys))}`);
  return [warning(joinPath('labels', key), `no workload has the label ${key}=${value}`, hint)];
}

function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  const near = nearest(word, candidates);
  return near === undefined ? undefined : `did you mean ${near}?`;
}

/** The first few of a set, in order. */
function shown(words: ReadonlySet<string>): string {
  const sorted = [...words].sort();
  const more = sorted.length > 10 ? ` and ${sorted.length - 10} more` : '';
  return sorted.length === 0 ? 'none' : sorted.slice(0, 10).join(', ') + more;
}

function warning(path: string, message: string, hint: string): EdgeWarning {
  return { code: 'EDGE_MATCHES_NOTHING', path, message, hint };
}
