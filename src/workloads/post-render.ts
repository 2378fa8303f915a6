import type { EdgeWarning, ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { excludeWorkload } from './exclusion.js';
import { nameOf } from '../kubernetes/object.js';
import { mapAt, type PlainMap, same, valueAt } from '../validation/plain-data.js';
import { EXCLUDE_ANNOTATION } from '../kubernetes/labels.js';
import { REQUIRED_PATH } from '../kubernetes/node-affinity.js';
import { isKnownWorkload, podTemplatePaths } from '../kubernetes/pod-template.js';
import { parseNodes } from '../text/yaml-nodes.js';
import { withChanges } from '../text/yaml-splice.js';
import { type ObjectChange, changesOf, objectsIn, type StreamObject } from './stream-objects.js';
import { checkYurtAppOverrider, isYurtAppOverrider, overriddenBy } from './yurt-app-patches.js';
import { joinStream, splitStream } from '../text/yaml-stream.js';
import { addSyntaxProblem } from '../text/yaml-text.js';

/** Which workloads of a stream are excluded from host-network nodes. */
export interface PostRenderInput {
  readonly cluster: EdgeCluster;
  /** `Kind`, or `Kind/name`: only these.
   * @default - all */
  readonly only?: readonly string[];
  /** `Kind`, or `Kind/name`: not these.
   * @default - none */
  readonly skip?: readonly string[];
}

/** A stream of manifests whose workloads are excluded. */
export interface PostRendered {
  /** The stream. Unchanged documents are the same bytes; the others keep comments and order. */
  readonly text: string;
  /** What was changed, `DaemonSet kube-system/kube-proxy`. */
  readonly changed: readonly string[];
  readonly warnings: readonly EdgeWarning[];
}

/**
 * Excludes the workloads of a stream of manifests from host-network nodes, with the annotation and the affinity in each Pod template. Reads Lists, and
 * the ResourceList that kustomize passes to its functions. Idempotent.
 */
export function postRender(stream: string, input: PostRenderInput, problems: ProblemList): PostRendered {
  const changed: string[] = [];
  const warnings: EdgeWarning[] = [];
  const seen = new Set<string>();
  const parts = splitStream(stream).map((part, index) => {
    const text = part.marker + part.body;
    const at = problems.at('documents', index);
    try {
      const tree = parseNodes(text);
      const edits = objectsIn(tree, at).flatMap((place) => {
        namesOf(place.object).forEach((name) => seen.add(name));
        const edit = editOf(place, input, problems);
        warnings.push(...(edit?.warnings ?? []));
        return edit === undefined || edit.fields.length === 0 ? [] : [edit];
      });
      changed.push(...edits.map(({ name }) => name));
      return edits.length === 0 ? part : { marker: '', body: withChanges(text, tree, changesOf(edits)) };
    } catch (error) {
      addSyntaxProblem(error, text, 0, at);
      return part;
    }
  });
  warnings.push(...unmatched(input, seen));
  return { text: joinStream(parts), changed, warnings };
}

/** The changed fields of one workload. */
interface Edit extends ObjectChange {
  readonly name: string;
  readonly warnings: readonly EdgeWarning[];
}

/** Names of an object for `only` and `skip`. */
function namesOf(object: PlainMap): string[] {
  return [String(object.kind), `${String(object.kind)}/${String(mapAt(object, 'metadata').name)}`];
}

function isSelected(object: PlainMap, { only, skip = [] }: PostRenderInput): boolean {
  const names = namesOf(object);
  const isNamed = (list: readonly string[]): boolean => list.some((each) => names.includes(each));
  return (only === undefined || isNamed(only)) && !isNamed(skip);
}

/** Warns of names without a match in the stream: they are probably misspelt. */
function unmatched({ only = [], skip = [] }: PostRenderInput, seen: ReadonlySet<string>): EdgeWarning[] {
  const lists: [string, readonly string[]][] = [
    ['only', only],
    ['skip', skip],
  ];
  return lists.flatMap(([path, names]) =>
    names
      .filter((name) => !seen.has(name))
      .map((name) => ({
        code: 'EDGE_MATCHES_NOTHING' as const,
        path,
        message: `no object of the stream is ${name}`,
        hint: 'write the kind as in the manifest, or Kind/name: DaemonSet or DaemonSet/kube-proxy',
      })),
  );
}

function editOf(place: StreamObject, input: PostRenderInput, problems: ProblemList): Edit | undefined {
  const { object } = place;
  if (isYurtAppOverrider(object) && isSelected(object, input) && isSelected(overriddenBy(object), input)) {
    checkYurtAppOverrider(object, problems.at(nameOf(object)));
  }
  if (!isKnownWorkload(object) || !isSelected(object, input)) {
    return undefined;
  }
  const paths = podTemplatePaths(object);
  if (paths.length === 0) {
    return undefined;
  }
  const name = nameOf(object);
  const excluded = excludeWorkload(input.cluster, object, {}, problems.at(name));
  if (excluded === undefined) {
    return undefined;
  }
  const fields = paths.flatMap((path) =>
    [
      [...path, 'metadata', 'annotations', EXCLUDE_ANNOTATION],
      [...path, 'spec', ...REQUIRED_PATH, 'nodeSelectorTerms'],
    ].flatMap((field) => {
      const value = valueAt(excluded.manifest, field);
      return same(value, valueAt(object, field)) ? [] : [{ path: field, value }];
    }),
  );
  return {
    name,
    place,
    fields,
    warnings: excluded.warnings.map((warning) => ({ ...warning, path: `${name}: ${warning.path}` })),
  };
}
