import type { ProblemList } from '../base/errors.js';
import { type KubernetesObject, nameOf } from './object.js';
import { checkPlain, copyOf, isMap, type PlainMap, mapAt } from '../base/plain-data.js';
import { withTexts } from './field-values.js';
import { checkMetadata } from './object-checks.js';
import { misspelt, whatIs } from '../base/properties.js';
import { refuseUnknown } from '../base/property-table.js';
import { isPulumiResource, isUnknown } from '../base/unknown.js';
import { objectFromYaml } from '../base/yaml-text.js';
import { inProgram } from '../base/program-language.js';

/**
 * A workload: a plain object, or YAML text with one object.
 *
 * @category Exclude workloads from host-network nodes
 */
export type WorkloadInput = KubernetesObject | string;

/** A copy of a workload as plain data; undefined, with problems, if it is invalid. */
export function readWorkload(input: unknown, problems: ProblemList): PlainMap | undefined {
  if (input === undefined || input === null || input === '') {
    problems.add(
      'EDGE_MISSING',
      'a workload is required',
      'give a Kubernetes object with a Pod template, or its YAML text',
    );
    return undefined;
  }
  if (typeof input === 'string' && /^[\w./\\ -]+\.(ya?ml|json)$/.test(input)) {
    problems.add(
      'EDGE_YAML',
      'this is the name of a file, not YAML text',
      `write readFileSync('${input}', 'utf8'), with import { readFileSync } from 'node:fs'`,
    );
    return undefined;
  }
  const object = typeof input === 'string' ? objectFromYaml(input, problems) : givenObject(input, problems);
  return object === undefined ? undefined : checkedObject(object, problems);
}

/** What is given as an object; undefined, with a problem, if it is something else. */
function givenObject(input: unknown, problems: ProblemList): PlainMap | undefined {
  const inPlace = typeof input === 'object' && input !== null ? hintInPlace(input) : undefined;
  if (inPlace === undefined && isMap(input)) {
    return input;
  }
  const what = whatIs(input);
  problems.add(
    'EDGE_NOT_AN_OBJECT',
    `the workload is ${what}`,
    inPlace ??
      `give one plain object with apiVersion and kind, or its YAML text${
        isPulumiResource(input)
          ? ': what the class of @pulumi/kubernetes takes as its arguments, with apiVersion and kind; the component creates the resource. Resources of others are excluded by excludeFromHostNetworkPools'
          : what.startsWith('an instance')
            ? inProgram('; constructs are excluded by ExcludedWorkload.mixin', '')
            : ''
      }`,
  );
  return undefined;
}

/** What to write for what a function of Node.js returns in place of a workload. */
function hintInPlace(input: object): string | undefined {
  if (typeof (input as { then?: unknown }).then === 'function' && !isPulumiResource(input)) {
    return 'write it with await: workload: await loadWorkload()';
  }
  return input instanceof Uint8Array
    ? "write it as text: readFileSync('web.yaml', 'utf8'), or buffer.toString('utf8')"
    : undefined;
}

function checkedObject(object: PlainMap, problems: ProblemList): PlainMap | undefined {
  for (const field of ['apiVersion', 'kind']) {
    if (isUnknown(object[field])) {
      refuseUnknown(problems.at(field));
    } else if (typeof object[field] !== 'string' || object[field] === '') {
      const near = misspelt(field, object);
      problems
        .at(field)
        .add(
          'EDGE_MISSING',
          `a Kubernetes object needs ${field}`,
          near !== undefined
            ? `write ${field} instead of ${near}`
            : field === 'kind'
              ? "write kind: 'Deployment'"
              : "write apiVersion: 'apps/v1'",
        );
    }
  }
  checkMetadata(object.metadata, problems.at('metadata'));
  checkPlain(object, problems);
  return problems.problems.length > 0 ? undefined : withTexts(copyOf(object));
}

/** Identifies an object. */
export interface ObjectReference {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A copy of a given object as plain data; undefined, with problems, if it is not the expected one. */
export function readNamedObject(input: unknown, wanted: ObjectReference, problems: ProblemList): PlainMap | undefined {
  const { kind, namespace, name } = wanted;
  const command = `kubectl --namespace ${namespace} get ${kind.toLowerCase()} ${name} --output=yaml`;
  if (input === undefined || input === null || input === '') {
    problems.add(
      'EDGE_MISSING',
      `${kind} ${namespace}/${name} is required`,
      `give the object, or the output of: ${command}`,
    );
    return undefined;
  }
  const object = readWorkload(input, problems);
  if (object === undefined) {
    return undefined;
  }
  const metadata = mapAt(object, 'metadata');
  if (object.kind !== kind || metadata.name !== name || (metadata.namespace ?? namespace) !== namespace) {
    problems.add(
      'EDGE_WRONG_OBJECT',
      `this is ${nameOf(object)}, not ${kind} ${namespace}/${name}`,
      `give the output of: ${command}`,
    );
    return undefined;
  }
  return object;
}

/** The text at `data.<key>` of a ConfigMap; undefined, with a problem, if there is none. */
export function textOfConfigMap(configMap: PlainMap, key: string, problems: ProblemList): string | undefined {
  const { data } = configMap;
  const at = problems.at('data');
  if (!isMap(data)) {
    at.add('EDGE_MISSING', `${nameOf(configMap)} has no data`, `give the ConfigMap with its key ${key}`);
    return undefined;
  }
  const text = data[key];
  if (typeof text !== 'string') {
    const keys = Object.keys(data).join(', ');
    const hint = keys === '' ? `give the ConfigMap with its key ${key}` : `its keys are ${keys}`;
    at.at(key).add('EDGE_MISSING', `${nameOf(configMap)} has no text ${key}`, hint);
    return undefined;
  }
  return text;
}

/** A partial object for server-side apply. */
export function partialOf(apiVersion: string, { kind, namespace, name }: ObjectReference, fields: PlainMap): PlainMap {
  const { metadata, ...others } = fields;
  return { apiVersion, kind, metadata: { name, namespace, ...(isMap(metadata) ? metadata : {}) }, ...others };
}
