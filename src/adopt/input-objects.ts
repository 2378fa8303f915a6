import { objectsAndKeys } from '../fleet/check-manifests.js';
import { FieldLines, strayItems } from '../fleet/field-lines.js';
import { type ToolFile, toolOf } from '../fleet/unchecked-files.js';
import { EdgeError, type EdgeProblem, ProblemList, joinPath } from '../base/errors.js';
import { isClusterScoped, nameOf } from '../kubernetes/object.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { itemsOf } from '../fleet/placement-input.js';
import { withoutBigints } from '../base/yaml-text.js';
import {
  type ObjectPath,
  type PlainMap,
  isMap,
  mapAt,
  requireTree,
  same,
  valueAt,
  withoutValueAt,
} from '../base/plain-data.js';
import { inFieldOrder } from './field-order.js';
import { claimsOfSets, reasonToLeaveOut } from './left-out.js';
import type { OthersField } from '../fleet/managed-fields.js';
import { type WrittenObject, writtenObject } from '../fleet/server-fields.js';
import { isPart, podPlaces } from '../kubernetes/pod-places.js';
import { quoted, showValue } from '../base/properties.js';

/** A file that is read. */
export interface ImportedFile {
  readonly path: string;
  readonly text: string;
  /** Whether its folder was named, and not the file.
   * @default false */
  readonly isFromFolder?: boolean;
}

/** An object as people have written it. */
export interface InputObject {
  readonly object: PlainMap;
  /** The object as it was read. */
  readonly given: PlainMap;
  /** File and line. */
  readonly place: () => string;
  /** Name of the file of patches that has it: a part of an object, for server-side apply.
   * @default - a whole object */
  readonly patchFile?: string;
  /** Fields that are left out, because another manager writes them. */
  readonly others: readonly OthersField[];
}

/** An object that is no part of the program, and why. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
  /** Whether the report names it also where others are left out for the same reason. */
  readonly isNamed?: true;
}

/** Everything that was read. */
export interface ImportInput {
  readonly objects: readonly InputObject[];
  readonly leftOut: readonly LeftOut[];
  /** All objects as they were read, also those that are left out: they show releases. */
  readonly all: readonly PlainMap[];
  /** File and line of one of them. */
  readonly placeOf: (object: PlainMap) => string | undefined;
}

/** What a file of patches is called: `dist/patches/system-patches.k8s.yaml`. */
const PATCH_FILE = /(?:^|\/)patches\/([^/]+?)(?:\.k8s)?\.(?:ya?ml|json)$/;

/** A file of the folder that `kubeadm --patches` reads: `corednsdeployment+strategic.json`. */
const KUBEADM_PATCH = /(?:^|\/)[a-z]+\d*\+(?:strategic|merge|json)\.(?:ya?ml|json)$/;

/**
 * Reads the objects of files.
 *
 * @throws {@link EdgeError} with EDGE_YAML, EDGE_MISSING, EDGE_NAME, EDGE_TYPE or EDGE_DUPLICATE: all problems of all files, each with file and line
 */
export function readObjects(files: readonly ImportedFile[]): ImportInput {
  const found: EdgeProblem[] = [];
  const objects: InputObject[] = [];
  const leftOut: LeftOut[] = [];
  const all: PlainMap[] = [];
  const places = new Map<PlainMap, () => string>();
  const known = new Map<string, InputObject>();
  const documents: ReadDocument[] = [];
  for (const { path, text, isFromFolder } of files) {
    const tool = isFromFolder === true ? toolOf({ path, text }) : undefined;
    if (tool !== undefined) {
      found.push(toolFault(path, tool));
      continue;
    }
    const problems = new ProblemList(path);
    const lines = new FieldLines(text);
    const { objects: read, twice } = objectsAndKeys(path, text, problems, 'kept', lines);
    found.push(...problems.problems.map((problem) => ({ ...problem, path })));
    found.push(...twice.map(({ code, message, hint, line }) => ({ code, path: `${path}:${line}`, message, hint })));
    if (read.some(hasStrayItem)) {
      found.push(...strayItems(text).map((line) => ({ ...STRAY_ITEM, path: `${path}:${line}` })));
    }
    read.flatMap(itemsOf).forEach((given, index) => {
      const placeOf = (field: string): string => `${path}:${lines.lineOf(index, field) ?? 1}`;
      if (isFromFolder === true && IDENTITY.every((field) => given[field] === undefined)) {
        leftOut.push({ name: path, reason: 'a file of another tool, not of Kubernetes' });
        return;
      }
      const wrong = faultsOf(given);
      if (wrong.length > 0) {
        found.push(...wrong.map((fault) => ({ ...fault, path: placeOf(fault.path) })));
        return;
      }
      all.push(given);
      places.set(given, () => placeOf('metadata.name'));
      documents.push({ given, path, placeOf });
    });
  }
  const scaled = scaledBy(all);
  for (const { given, path, placeOf } of documents) {
    const reason = KUBEADM_PATCH.test(path)
      ? 'a patch for kubeadm, in its own folder'
      : (reasonToLeaveOut(given) ?? (holdsPrototype(given) ? PROTOTYPE : undefined));
    const { object, others } =
      reason === undefined ? withoutServerIntegers(writtenObject(given, scaled.has(keyOf(given)))) : NOTHING;
    const left = reason ?? integerReason(object, placeOf);
    // what the server alone writes is no part of the program, and is judged with the nearest number
    withoutBigints(given, []);
    withoutBigints(object, []);
    if (left !== undefined) {
      leftOut.push({ name: nameOf(given), reason: left });
      continue;
    }
    const [, inPatches] = PATCH_FILE.exec(path) ?? [];
    const patchFile = inPatches ?? (isPatch(given) ? stemOf(path) : undefined);
    // the line is counted only for an error or a comment
    const one: InputObject = {
      object: inFieldOrder(object),
      given,
      place: () => placeOf('metadata.name'),
      others,
      ...(patchFile === undefined ? {} : { patchFile }),
    };
    const key = `${patchFile ?? ''} ${keyOf(given)}`;
    const earlier = known.get(key);
    if (earlier === undefined) {
      known.set(key, one);
      objects.push(one);
    } else if (!same(earlier.object, one.object)) {
      found.push({
        code: 'EDGE_DUPLICATE',
        path: one.place(),
        message: `${nameOf(given)} is also in ${earlier.place()}, and differs${differenceText(earlier.given, given)}`,
        hint: 'give the files of one state of the cluster: leave one of the two out',
      });
    }
  }
  if (found.length > 0) {
    throw new EdgeError('import', found);
  }
  const claimed = claimsOfSets(all);
  const isClaim = ({ given }: InputObject): boolean => claimed.has(given);
  return {
    objects: objects.filter((each) => !isClaim(each)),
    leftOut: [
      ...leftOut,
      ...objects.filter(isClaim).map(({ given }) => ({ name: nameOf(given), reason: 'made by its StatefulSet' })),
    ],
    all,
    placeOf: (object) => places.get(object)?.(),
  };
}

/** An object of a file. */
interface ReadDocument {
  readonly given: PlainMap;
  readonly path: string;
  /** File and line of a field. */
  readonly placeOf: (field: string) => string;
}

const NOTHING = { object: {}, others: [] };

/** Above every int64 it is a float, such as a maximum in a CustomResourceDefinition, and JavaScript writes it as it stands. */
const isFloat = (value: bigint): boolean => value > 2n ** 63n - 1n && String(Number(value)) === String(value);

interface FoundInteger {
  readonly value: bigint;
  readonly path: string;
}

/** The first integer below a value that JavaScript would round. */
function roundedIn(value: unknown, path: string): FoundInteger | undefined {
  if (typeof value === 'bigint') {
    return isFloat(value) ? undefined : { value, path };
  }
  for (const [field, item] of typeof value === 'object' && value !== null ? Object.entries(value) : []) {
    const below = roundedIn(item, joinPath(path, Array.isArray(value) ? Number(field) : field));
    if (below !== undefined) {
      return below;
    }
  }
  return undefined;
}

/** What the API server writes over, also where a manifest has it. */
const OF_SERVER: readonly ObjectPath[] = [['status'], ['metadata', 'generation']];

/** A manifest without what the server alone writes, if JavaScript would round it. */
function withoutServerIntegers({ object, others }: WrittenObject): WrittenObject {
  const lost = OF_SERVER.filter((path) => roundedIn(valueAt(object, path), '') !== undefined);
  return {
    object: lost.reduce((rest, path) => withoutValueAt(rest, path) as PlainMap, object),
    others: [...others, ...lost.map((path) => ({ field: textOf(path), manager: 'the API server and controllers' }))],
  };
}

/** Why an object with an integer is left out that JavaScript would round, and so every constructs library: with where it stands. */
function integerReason(object: PlainMap, placeOf: (field: string) => string): string | undefined {
  const found = roundedIn(object, '');
  return found === undefined
    ? undefined
    : `${found.path} is ${found.value} (${placeOf(found.path)}), which JavaScript rounds: go on applying it with kubectl, or write it in quotes where it is a quantity`;
}

/** Objects whose replicas an autoscaler of the dump sets, as keyOf names them. */
function scaledBy(all: readonly PlainMap[]): ReadonlySet<string> {
  return new Set(
    all
      .filter((object) => ['HorizontalPodAutoscaler.autoscaling', 'ScaledObject.keda.sh'].includes(groupKindOf(object)))
      .map((object) => {
        const { apiVersion = 'apps/v1', kind = 'Deployment', name } = mapAt(mapAt(object, 'spec'), 'scaleTargetRef');
        return keyOf({ apiVersion, kind, metadata: { ...mapAt(object, 'metadata'), name } });
      }),
  );
}

/** Whether an item of a List is no map: kubectl refuses it. */
function hasStrayItem({ kind, items }: PlainMap): boolean {
  return (
    String(kind).endsWith('List') &&
    Array.isArray(items) &&
    items.some((item: unknown) => !isMap(item) || hasStrayItem(item))
  );
}

const STRAY_ITEM = {
  code: 'EDGE_TYPE',
  message: 'an item of this List is no object',
  hint: 'remove it, or write the object',
} as const;

function stemOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/(?:\.k8s)?\.\w+$/, '');
}

/** Whether a patch of others is in the file of an object: a part of a workload that others install. */
function isPatch(object: PlainMap): boolean {
  return ['Deployment', 'DaemonSet', 'StatefulSet'].includes(String(object.kind)) && isPart(object);
}

/** Groups in which a kind was before, and those where it is: both are one object (docs of Kubernetes, deprecation guide). */
const MOVED: Readonly<Record<string, string>> = {
  'Deployment.extensions': 'Deployment.apps',
  'DaemonSet.extensions': 'DaemonSet.apps',
  'ReplicaSet.extensions': 'ReplicaSet.apps',
  'Ingress.extensions': 'Ingress.networking.k8s.io',
  'NetworkPolicy.extensions': 'NetworkPolicy.networking.k8s.io',
  'PodSecurityPolicy.extensions': 'PodSecurityPolicy.policy',
  'Event.events.k8s.io': 'Event',
};

/** Group, kind, namespace and name. An object without a namespace is in `default`, unless kubectl uses another one. */
export function keyOf(object: PlainMap): string {
  const { name, namespace = 'default' } = mapAt(object, 'metadata');
  const groupKind = groupKindOf(object);
  const place = isClusterScoped({ kind: String(object.kind) }) ? '' : String(namespace);
  return `${MOVED[groupKind] ?? groupKind} ${place}/${String(name)}`;
}

/** In what two objects of one name differ, as far as it makes them two. */
function differenceText(one: PlainMap, other: PlainMap): string {
  const [place, otherPlace] = [one, other].map((object) => mapAt(object, 'metadata').namespace);
  return one.apiVersion !== other.apiVersion
    ? `: it is in ${String(one.apiVersion)} and ${String(other.apiVersion)}`
    : place !== otherPlace
      ? ': an object without a namespace is in default'
      : '';
}

/** What an object has, and a file of another tool has nothing of. */
const IDENTITY = ['apiVersion', 'kind', 'metadata', 'spec'];

function toolFault(path: string, { what, makes }: ToolFile): EdgeProblem {
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.';
  return {
    code: 'EDGE_VALUE',
    path,
    message: `this is ${what}: its folder is the input of another tool`,
    hint: `import what that tool makes: ${makes(folder)} | npx edge-nodepools import -`,
  };
}

/** cdk8s sets the prototype of a map in place of this field (cdk8s/lib/_util.js, sanitizeValue), and JSON patches refuse it (fast-json-patch). */
const PROTOTYPE = 'it has a field __proto__, which cdk8s drops: go on applying it with kubectl';

function holdsPrototype(value: unknown): boolean {
  return Array.isArray(value)
    ? value.some(holdsPrototype)
    : isMap(value) && Object.entries(value).some(([key, item]) => key === '__proto__' || holdsPrototype(item));
}

const textOf = (path: ObjectPath): string => path.reduce<string>(joinPath, '');

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** What is wrong with a document, so that it is no object that an API server can have. */
function faultsOf(object: PlainMap): EdgeProblem[] {
  const identity = identityFault(object);
  if (identity !== undefined) {
    return [identity];
  }
  requireTree(object, nameOf(object));
  return [...metadataFaults(object), ...keyFaults(object), ...textFaults(object)];
}

function identityFault({ apiVersion, kind, metadata }: PlainMap): EdgeProblem | undefined {
  const missing = Object.entries({ apiVersion, kind }).find(([, value]) => !isText(value))?.[0];
  if (missing !== undefined) {
    return {
      code: 'EDGE_MISSING',
      path: '',
      message: `this is not a Kubernetes object: ${missing} is missing`,
      hint: 'give only files with manifests, for example dist/*.k8s.yaml; leave this one out',
    };
  }
  if (String(apiVersion).split('/').length > 2) {
    return {
      code: 'EDGE_VALUE',
      path: 'apiVersion',
      message: `${JSON.stringify(apiVersion)} is not an API version`,
      hint: 'write group/version, or v1',
    };
  }
  const { name, generateName } = isMap(metadata) ? metadata : {};
  return isText(name)
    ? undefined
    : {
        code: 'EDGE_NAME',
        path: 'metadata',
        message: `a ${String(kind)} without metadata.name${isText(generateName) ? ', only with generateName,' : ''} cannot be applied declaratively`,
        hint: 'leave the document out: configuration of programs, such as that of kubeadm, is no object of a cluster',
      };
}

function metadataFaults(object: PlainMap): EdgeProblem[] {
  const metadata = mapAt(object, 'metadata');
  // API servers refuse such a name of any kind (apimachinery, IsValidPathSegmentName)
  const names = ['name', 'namespace'].flatMap((field): EdgeProblem[] => {
    const value = metadata[field];
    return (value ?? undefined) === undefined || (typeof value === 'string' && !/^\.{1,2}$|[/%]/.test(value))
      ? []
      : [
          {
            code: 'EDGE_NAME',
            path: `metadata.${field}`,
            message: `metadata.${field}: ${quoted(value)} is not a name: API servers refuse it`,
            hint: 'write lower-case letters, digits, "-" and "."',
          },
        ];
  });
  const maps = ['labels', 'annotations'].flatMap((field): EdgeProblem[] => {
    const value = metadata[field];
    const texts = isMap(value) ? Object.values(value) : [];
    return (value ?? undefined) !== undefined &&
      (!isMap(value) || texts.some((text) => text !== null && typeof text !== 'string'))
      ? [
          {
            code: 'EDGE_TYPE',
            path: `metadata.${field}`,
            message: `metadata.${field} is not a map of strings: the API server refuses it`,
            hint: `write each value in quotes: ${field}: { version: "1.0" }`,
          },
        ]
      : [];
  });
  return [...names, ...maps];
}

/** Values that have to be text, of which YAML makes something else if they are not in quotes: `yes`, `1.0`, `2024-01-01`. */
function textFaults(object: PlainMap): EdgeProblem[] {
  return textPaths(object).flatMap((path): EdgeProblem[] => {
    const value = valueAt(object, path);
    return value === null || value === undefined || typeof value === 'string'
      ? []
      : [
          {
            code: 'EDGE_TYPE',
            path: textOf(path),
            message: `${textOf(path)} must be text, and is ${showValue(value)}: the API server refuses it`,
            hint: `write '${typeof value === 'object' ? '…' : `${value as number | bigint}`}', in quotes`,
          },
        ];
  });
}

const MAPS: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ['data', 'binaryData'],
  Secret: ['data', 'stringData'],
};

/** Keys that API servers refuse in Secrets and ConfigMaps (apimachinery, validation.IsConfigMapKey). */
function keyFaults(object: PlainMap): EdgeProblem[] {
  const paths = (MAPS[groupKindOf(object)] ?? []).flatMap((field) => entriesAt(object, [field]));
  return paths.flatMap((path): EdgeProblem[] => {
    const key = String(path.at(-1));
    return /^(?!\.\.|\.$)[-._a-zA-Z0-9]{1,253}$/.test(key)
      ? []
      : [
          {
            code: 'EDGE_NAME',
            path: textOf(path),
            message: `${JSON.stringify(key)} is not a key of ${String(path[0])}: API servers refuse it`,
            hint: 'write letters, digits, "-", "_" and ".", up to 253',
          },
        ];
  });
}

function textPaths(object: PlainMap): ObjectPath[] {
  const maps = (MAPS[groupKindOf(object)] ?? []).map((field): ObjectPath => [field]);
  const templates = podPlaces(object).filter(({ isTemplate }) => isTemplate);
  const ofPods = templates.flatMap(({ path }): ObjectPath[] => [
    [...path, 'spec', 'nodeSelector'],
    ...(path.length === 0
      ? []
      : [
          [...path, 'metadata', 'labels'],
          [...path, 'metadata', 'annotations'],
        ]),
  ]);
  const containers = templates.flatMap(({ path }) =>
    ['containers', 'initContainers'].flatMap((field) => itemsAt(object, [...path, 'spec', field])),
  );
  return [
    ...[...maps, ...ofPods].flatMap((path) => entriesAt(object, path)),
    ...containers.flatMap((path) => [
      ...['command', 'args'].flatMap((field) => itemsAt(object, [...path, field])),
      ...itemsAt(object, [...path, 'env']).map((item) => [...item, 'value']),
    ]),
  ];
}

function entriesAt(object: PlainMap, path: ObjectPath): ObjectPath[] {
  const value = valueAt(object, path);
  return isMap(value) ? Object.keys(value).map((key) => [...path, key]) : [];
}

function itemsAt(object: PlainMap, path: ObjectPath): ObjectPath[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.map((_, index) => [...path, index]) : [];
}
