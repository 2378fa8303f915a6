import { type EdgeProblem, joinPath } from '../base/errors.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { nameOf } from '../kubernetes/object.js';
import { podPlaces } from '../kubernetes/pod-places.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, requireTree, valueAt } from '../base/plain-data.js';
import { quoted, showValue } from '../base/properties.js';

const textOf = (path: ObjectPath): string => path.reduce<string>(joinPath, '');

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** What is wrong with a document, so that it is no object that an API server can have. */
export function faultsOf(object: PlainMap): EdgeProblem[] {
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
