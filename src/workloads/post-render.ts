import type { EdgeWarning, ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { excludeWorkload } from './exclusion.js';
import { nameOf } from '../kubernetes/object.js';
import { mapAt, type PlainMap } from '../validation/plain-data.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { podPlaces } from '../kubernetes/pod-places.js';
import {
  givenTemplatePath,
  isKnownWorkload,
  looksLikeWorkload,
  missingHint,
  type PodTemplatePaths,
  spellingHint,
  traceHint,
} from '../kubernetes/pod-template.js';
import type { PodTrace } from '../kubernetes/pod-traces.js';
import {
  defaultTemplateWarnings,
  misplacedWarnings,
  namedPoolsWarnings,
  unknownKindWarnings,
} from './controller-warnings.js';
import { shellCommand } from '../text/shell.js';
import { type ChangeObject, type FieldChange, withChangedObjects } from './stream-objects.js';
import { checkYurtAppOverrider, isYurtAppOverrider, overriddenBy } from './yurt-app-patches.js';
import { splitStream } from '../text/yaml-stream.js';
import { addSyntaxProblem } from '../text/yaml-text.js';

/** Which workloads of a stream are excluded from host-network nodes. */
export interface PostRenderInput {
  readonly cluster: EdgeCluster;
  /** `Kind` of any group, `Kind.group`, or one of them with `/name`: only these.
   * @default - all */
  readonly only?: readonly string[];
  /** The same: not these.
   * @default - none */
  readonly skip?: readonly string[];
  /** Paths of Pod templates by `Kind.group`.
   * @default - none */
  readonly podTemplatePaths?: PodTemplatePaths;
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
  const found: Found[] = [];
  checkChosen(input, problems);
  const unmatched = new Set([...(input.only ?? []), ...(input.skip ?? [])]);
  const isChosen = unmatched.size > 0;
  const seen = new Set<string>();
  const parts = splitStream(stream).map(({ marker, body }, index) => {
    const text = marker + body;
    const at = problems.at('documents', index);
    const { length } = found;
    const begin = (): ChangeObject => {
      found.length = length;
      return (object) => {
        if (isChosen) {
          const names = namesOf(object);
          names.slice(0, 2).forEach((name) => seen.add(name));
          names.forEach((name) => unmatched.delete(name));
        }
        const edit = editOf(object, input, problems);
        if (edit === undefined) {
          return [];
        }
        const { fields, name, warnings } = edit;
        found.push({ name, warnings, isChanged: fields.length > 0 });
        return fields;
      };
    };
    try {
      return withChangedObjects(text, begin, at);
    } catch (error) {
      addSyntaxProblem(error, text, 0, at);
      return text;
    }
  });
  return {
    text: parts.join(''),
    changed: found.filter(({ isChanged }) => isChanged).map(({ name }) => name),
    warnings: [...found.flatMap(({ warnings }) => warnings), ...unmatchedWarnings(input, unmatched, seen)],
  };
}

/** The changed fields of one workload. */
interface Edit {
  readonly name: string;
  readonly fields: readonly FieldChange[];
  readonly warnings: readonly EdgeWarning[];
}

/** What is kept of it. */
interface Found extends Pick<Edit, 'name' | 'warnings'> {
  readonly isChanged: boolean;
}

/** Names of an object for `only` and `skip`; the first two without its group. */
function namesOf(object: PlainMap): string[] {
  const name = String(mapAt(object, 'metadata').name);
  return [String(object.kind), groupKindOf(object)].flatMap((kind) => [kind, `${kind}/${name}`]);
}

/** Refuses names that are chosen and left out: nothing would be excluded of them, in silence. */
function checkChosen({ only = [], skip = [] }: PostRenderInput, problems: ProblemList): void {
  const both = only.find((name) => skip.includes(name));
  if (both !== undefined) {
    problems
      .at('skip')
      .add('EDGE_CONTRADICTION', `only names ${both}, too, so it is never excluded`, 'write it into one of the two');
  }
}

function isSelected(object: PlainMap, { only, skip = [] }: PostRenderInput): boolean {
  if (only === undefined && skip.length === 0) {
    return true;
  }
  const names = namesOf(object);
  const isNamed = (list: readonly string[]): boolean => list.some((each) => names.includes(each));
  return (only === undefined || isNamed(only)) && !isNamed(skip);
}

/** What is meant by a name that no object has: `web` or `deployment/web` by Deployment/web. */
function hintForName(name: string, seen: ReadonlySet<string>): string {
  const wanted = name.toLowerCase();
  const meant = [...seen].filter((each) => each.toLowerCase() === wanted || each.toLowerCase().endsWith(`/${wanted}`));
  return meant.length > 0 && meant.length <= 4
    ? `did you mean ${meant.join(' or ')}?`
    : 'write the kind as in the manifest, or Kind/name: DaemonSet or DaemonSet/kube-proxy';
}

/** Warns of names without a match in the stream: they are probably misspelt. */
function unmatchedWarnings(
  { only = [], skip = [] }: PostRenderInput,
  unmatched: ReadonlySet<string>,
  seen: ReadonlySet<string>,
): EdgeWarning[] {
  const lists: [string, readonly string[]][] = [
    ['only', only],
    ['skip', skip],
  ];
  return lists.flatMap(([path, names]) =>
    names
      .filter((name) => unmatched.has(name))
      .map((name) => ({
        code: 'EDGE_MATCHES_NOTHING' as const,
        path,
        message: `no object of the stream is ${name}`,
        hint: hintForName(name, seen),
      })),
  );
}

function editOf(object: PlainMap, input: PostRenderInput, problems: ProblemList): Edit | undefined {
  if (isYurtAppOverrider(object) && isSelected(object, input) && isSelected(overriddenBy(object), input)) {
    checkYurtAppOverrider(object, problems.at(nameOf(object)));
  }
  const given = givenTemplatePath(input.podTemplatePaths, object);
  if (!(given !== undefined || looksLikeWorkload(object))) {
    const stray = strayWarning(object);
    return stray && { name: stray.path, fields: [], warnings: [stray] };
  }
  if (!isSelected(object, input)) {
    return undefined;
  }
  const name = nameOf(object);
  const named = (warnings: readonly EdgeWarning[]): EdgeWarning[] =>
    warnings.map((warning) => ({ ...warning, path: `${name}: ${warning.path}` }));
  if (given === undefined && !isKnownWorkload(object)) {
    const { hostNetworkLabel } = input.cluster;
    return { name, fields: [], warnings: named(unknownKindWarnings(object, hostNetworkLabel, hintFor(object))) };
  }
  const places = podPlaces(object, given);
  const inPools = namedPoolsWarnings(object, `pass ${shellCommand('--skip', groupKindOf(object))}`);
  if (places.length === 0) {
    const misplaced = misplacedWarnings(object, given, hintFor(object));
    return { name, fields: [], warnings: named([...defaultTemplateWarnings(object), ...misplaced, ...inPools]) };
  }
  const excluded = excludeWorkload(input.cluster, object, { podTemplatePath: given }, problems.at(name));
  if (excluded === undefined) {
    return undefined;
  }
  return { name, fields: excluded.added, warnings: named([...excluded.warnings, ...inPools]) };
}

/** A document that no API server takes: notes or values of a chart, or the file of kustomize in place of what it builds. */
function strayWarning(object: PlainMap): EdgeWarning | undefined {
  const isOfKustomize = String(object.apiVersion).startsWith('kustomize.config.k8s.io/');
  if (!isOfKustomize && typeof object.kind === 'string' && typeof object.apiVersion === 'string') {
    return undefined;
  }
  const fields = Object.keys(object).slice(0, 3).join(', ');
  return {
    code: 'EDGE_NOT_AN_OBJECT',
    path: isOfKustomize ? nameOf(object) : `the document with ${fields}`,
    message: isOfKustomize
      ? 'this is what kustomize reads, not what it builds'
      : 'this is not a Kubernetes object: it has no apiVersion and kind',
    hint: isOfKustomize
      ? 'pass the output of kustomize build'
      : 'pass manifests: the output of helm template or kustomize build',
  };
}

/** The options to write for traces of Pods in an object. */
function hintFor(object: PlainMap): (traces: readonly PodTrace[]) => string {
  const kind = groupKindOf(object);
  // other ConfigMaps are read too
  const skipped = kind === 'ConfigMap' ? `${kind}/${String(mapAt(object, 'metadata').name)}` : kind;
  const skip = `; or ${shellCommand('--skip', skipped)} if its Pods may run on host-network nodes`;
  const pass = (paths: readonly string[]): string =>
    `pass ${shellCommand(...paths.flatMap((path) => ['--pod-template-path', `${kind}=${path}`]))}`;
  return (traces) => missingHint(object) ?? `${spellingHint(object) ?? traceHint(traces, pass)}${skip}`;
}
