import type { ProblemList } from '../errors.js';
import type { KubernetesObject } from './object.js';
import { checkPlain, copyOf, isMap, type PlainMap } from '../validation/plain-data.js';
import { checkAnnotations, checkLabels } from './label-syntax.js';
import { checkNamespace, checkObjectName } from './names.js';
import { objectFromYaml } from '../text/yaml-text.js';

/**
 * A workload of the user's: a plain object, or one object as YAML text.
 *
 * @category Exclude workloads from host-network nodes
 */
export type WorkloadInput = KubernetesObject | string;

/** A copy of the user's workload, as plain data; undefined (and problems) when it is not one. */
export function readWorkload(input: unknown, problems: ProblemList): PlainMap | undefined {
  if (input === undefined || input === null || input === '') {
    problems.add(
      'EDGE_MISSING',
      'there is no workload',
      'give a Kubernetes object with a Pod template, or its YAML text',
    );
    return undefined;
  }
  if (typeof input === 'string') {
    const object = objectFromYaml(input, problems);
    return object === undefined ? undefined : checkedObject(object, problems);
  }
  if (!isMap(input)) {
    const what = Array.isArray(input)
      ? 'a list'
      : typeof input === 'object'
        ? `an instance of ${input.constructor?.name}`
        : typeof input;
    problems.add(
      'EDGE_NOT_AN_OBJECT',
      `the workload is ${what}`,
      'give one plain object or YAML text; for constructs that are already in a tree use ExcludedWorkload.mixin',
    );
    return undefined;
  }
  return checkedObject(input, problems);
}

function checkedObject(object: PlainMap, problems: ProblemList): PlainMap | undefined {
  for (const field of ['apiVersion', 'kind']) {
    if (typeof object[field] !== 'string' || object[field] === '') {
      problems
        .at(field)
        .add(
          'EDGE_MISSING',
          `a Kubernetes object needs ${field}`,
          field === 'kind' ? "write kind: 'Deployment'" : "write apiVersion: 'apps/v1'",
        );
    }
  }
  checkMetadata(object.metadata, problems.at('metadata'));
  checkPlain(object, problems);
  return problems.problems.length > 0 ? undefined : copyOf(object);
}

/** Metadata of an object of the user's. */
export function checkMetadata(metadata: unknown, problems: ProblemList): void {
  if (metadata === undefined || metadata === null) {
    return;
  }
  if (!isMap(metadata)) {
    problems.add('EDGE_TYPE', 'metadata must be a map', "write metadata: { name: 'web', namespace: 'default' }");
    return;
  }
  if (metadata.name !== undefined) {
    checkObjectName(metadata.name, problems.at('name'));
  }
  if (metadata.generateName !== undefined && metadata.name === undefined) {
    problems
      .at('generateName')
      .add(
        'EDGE_NAME',
        'objects with generateName can not be applied declaratively',
        "write name: '…' instead of generateName",
      );
  }
  if (metadata.namespace !== undefined) {
    checkNamespace(metadata.namespace, problems.at('namespace'));
  }
  checkLabels(metadata.labels ?? undefined, problems.at('labels'));
  checkAnnotations(metadata.annotations ?? undefined, problems.at('annotations'));
}
