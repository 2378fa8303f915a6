import type { ProblemList, EdgeWarning } from '../base/errors.js';
import { isMap, type ObjectPath, type PlainMap, valueAt, withValueAt, mapAt } from '../base/plain-data.js';
import { parseNodes } from '../base/yaml-nodes.js';
import { YamlSplicer } from '../base/yaml-splice.js';
import type { MapNode, YamlNode } from '../base/yaml-tree.js';
import { fieldOf, isMerge, keyOf, valueOf } from '../base/yaml-values.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { excludeWorkload } from './exclusion.js';
import { nameOf } from '../kubernetes/object.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import {
  podPlaces,
  givenTemplatePath,
  isKnownWorkload,
  looksLikeWorkload,
  missingHint,
  type PodTemplatePaths,
  spellingHint,
  traceHint,
} from '../kubernetes/pod-places.js';
import type { PodTrace } from '../kubernetes/pod-traces.js';
import {
  defaultTemplateWarnings,
  misplacedWarnings,
  namedPoolsWarnings,
  unknownKindWarnings,
} from './controller-warnings.js';
import { shellCommand } from '../base/shell.js';
import { checkYurtAppOverrider, isYurtAppOverrider, overriddenBy } from './yurt-app.js';
import { splitStream } from '../base/yaml-stream.js';
import { addSyntaxProblem } from '../base/yaml-text.js';

/** A field of an object, and its new value. */
interface FieldChange {
  readonly path: ObjectPath;
  readonly value: unknown;
}

/** Gets each object of a document, those in a list with the kind of the list, and gives the fields to change. */
type ChangeObject = (object: PlainMap) => readonly FieldChange[];

/**
 * The text of a document in which fields of its objects have other values.
 *
 * The items of a list are read one by one, so that a long list needs little memory. Of some documents only their end tells that this is right; if it is
 * not, they are read again as a whole.
 *
 * @param begin begins a reading; what was found in an earlier one does not count
 */
function withChangedObjects(text: string, begin: () => ChangeObject, problems: ProblemList): string {
  const { length } = problems.problems;
  try {
    return new ItemByItem(text, begin(), problems).result();
  } catch {
    problems.problems.length = length;
    return new AsAWhole(text, begin(), problems).result();
  }
}

/** The objects of a document that is read as a whole. */
class AsAWhole {
  constructor(
    protected readonly text: string,
    private readonly changeObject: ChangeObject,
    private readonly problems: ProblemList,
  ) {}

  public result(): string {
    const tree = parseNodes(this.text);
    const splicer = new YamlSplicer(this.text, tree);
    tree.roots.forEach((root) => this.changeRoot(root, splicer));
    return splicer.result();
  }

  /** The object of a document, or the items of a list. */
  protected changeRoot(root: YamlNode, splicer: YamlSplicer): void {
    if (root.kind === 'scalar' && valueOf(root) === null) {
      return;
    }
    if (root.kind !== 'map') {
      this.problems.add('EDGE_YAML', 'the document is not a map', 'write YAML with fields: apiVersion, kind, …');
      return;
    }
    if (isTwoObjects(root)) {
      this.problems.add(
        'EDGE_DUPLICATE',
        'a second object begins in it without ---: the fields of the first would be lost, and its workload not excluded',
        'write --- between the two objects',
      );
      return;
    }
    const head = headOf(root);
    if (this.changeItems(root, head, splicer)) {
      return;
    }
    const { written, value } = read(root);
    splicer.change(root, written, this.changed(written, value as PlainMap));
  }

  protected changeItem(item: YamlNode, head: ListHead, splicer: YamlSplicer): void {
    // kubectl reads a List in a List, too
    if (item.kind === 'map' && this.changeItems(item, headOf(item), splicer)) {
      return;
    }
    const { written, value } = read(item);
    splicer.change(item, written, this.changed(written, asItem(value, head)));
  }

  /** Whether a map is a list whose items can be read one by one. */
  private changeItems(map: MapNode, head: ListHead, splicer: YamlSplicer): boolean {
    const items = isList(head.kind) ? fieldOf(map, 'items') : undefined;
    if (items?.kind !== 'list' || map.pairs.some(isMerge)) {
      return false;
    }
    items.items.forEach((item) => this.changeItem(item, head, splicer));
    return true;
  }

  /** A value with the changes of an object, or of the objects in a list, in it. */
  private changed(value: unknown, object: PlainMap): unknown {
    const { apiVersion, kind, items } = object;
    if (isList(kind) && Array.isArray(items)) {
      const written = valueAt(value, ['items']) as unknown[];
      const changed = items.map((item, index) => this.changed(written[index], asItem(item, { apiVersion, kind })));
      return withValueAt(value, ['items'], changed);
    }
    return this.changeObject(object).reduce((whole, field) => withValueAt(whole, field.path, field.value), value);
  }
}

interface ListHead {
  readonly apiVersion: unknown;
  readonly kind: unknown;
}

/** The same, with the items of lists one by one. */
class ItemByItem extends AsAWhole {
  private readonly heads = new Map<YamlNode, ListHead>();

  /** @throws if this cannot be known before the end of the document */
  public override result(): string {
    let splicer: YamlSplicer | undefined;
    const tree = parseNodes(this.text, {
      item: (item, open) => {
        splicer ??= new YamlSplicer(this.text, open);
        const root = open.roots[open.roots.length - 1] as MapNode;
        const head = this.heads.get(root) ?? headOf(root);
        this.heads.set(root, head);
        this.changeItem(item, head, splicer);
      },
      root: (root, open) => {
        splicer ??= new YamlSplicer(this.text, open);
        this.changeRoot(root, splicer);
        this.heads.delete(root);
      },
    });
    return (splicer ?? new YamlSplicer(this.text, tree)).result();
  }

  protected override changeItem(item: YamlNode, head: ListHead, splicer: YamlSplicer): void {
    const isKnown = (field: 'apiVersion' | 'kind'): boolean =>
      head[field] !== undefined || (item.kind === 'map' && fieldOf(item, field) !== undefined);
    if (!isKnown('apiVersion') || !isKnown('kind')) {
      throw new TypeError('the kind of an item may follow');
    }
    super.changeItem(item, head, splicer);
  }

  protected override changeRoot(root: YamlNode, splicer: YamlSplicer): void {
    const before = this.heads.get(root);
    if (before === undefined) {
      super.changeRoot(root, splicer);
      return;
    }
    const { pairs } = root as MapNode;
    const after = headOf(root as MapNode);
    const isSame = (['apiVersion', 'kind'] as const).every((field) =>
      [undefined, after[field]].includes(before[field]),
    );
    const hasOneList = !pairs.some(isMerge) && pairs.filter(({ key }) => keyOf(key) === 'items').length === 1;
    if (!isList(after.kind) || !isSame || !hasOneList || isTwoObjects(root as MapNode)) {
      throw new TypeError('not a list, or one with other items');
    }
  }
}

/** The value of a node, and the same for reading only: without integers that a number cannot represent. */
function read(node: YamlNode): { readonly written: unknown; readonly value: unknown } {
  let isExact = true;
  const written = valueOf(node, (integer) => {
    isExact = false;
    return integer;
  });
  return { written, value: isExact ? written : valueOf(node, Number) };
}

/** Whether a second object begins in a document, as where files that do not begin with --- are joined. */
function isTwoObjects({ pairs }: MapNode): boolean {
  return pairs.filter(({ key }) => keyOf(key) === 'kind').length > 1;
}

function headOf(root: MapNode): ListHead {
  const [apiVersion, kind] = ['apiVersion', 'kind'].map((field) => fieldOf(root, field));
  return { apiVersion: apiVersion && valueOf(apiVersion), kind: kind && valueOf(kind) };
}

function isList(kind: unknown): boolean {
  return typeof kind === 'string' && kind.endsWith('List');
}

/** An item of a list; those of a DeploymentList, as the API server writes it, have no kind. */
function asItem(item: unknown, { apiVersion, kind }: ListHead): PlainMap {
  const own = typeof kind === 'string' ? kind.replace(/List$/, '') : '';
  return isMap(item) ? { ...(own === '' ? {} : { apiVersion, kind: own }), ...item } : {};
}

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
    const warnings = [...defaultTemplateWarnings(object), ...misplaced];
    return {
      name,
      fields: [],
      warnings: named([...warnings, ...(warnings.length === 0 ? withoutPodSpec(object) : []), ...inPools]),
    };
  }
  const excluded = excludeWorkload(input.cluster, object, { podTemplatePath: given }, problems.at(name));
  if (excluded === undefined) {
    return undefined;
  }
  return { name, fields: excluded.added, warnings: named([...excluded.warnings, ...inPools]) };
}

/** Kinds of Kubernetes that always have a Pod spec. */
const WITH_POD_SPEC = /^(?:Deployment|DaemonSet|StatefulSet|ReplicaSet)\.apps$|^(?:Cron)?Job\.batch$|^Pod$/;

/** Warns of a workload that has none: where a value of a chart is empty, or a line begins with a no-break space. */
function withoutPodSpec(object: PlainMap): EdgeWarning[] {
  return WITH_POD_SPEC.test(groupKindOf(object))
    ? [
        {
          code: 'EDGE_NOT_EXCLUDED',
          path: 'spec',
          message: `a ${String(object.kind)} needs a Pod spec, and this has none, so nothing is excluded`,
          hint: 'look for a value of the chart that is not set, and for no-break spaces in the indentation',
        },
      ]
    : [];
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
