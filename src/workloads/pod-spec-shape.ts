import type { ProblemList } from '../errors.js';
import { holdsUnresolved, isAbsent } from '../kubernetes/field-values.js';
import { isDnsLabel } from '../kubernetes/names.js';
import { Quantity } from '../kubernetes/quantity.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { checkBoolean, checkOneOf, nearMiss, quoted, whatIs } from '../validation/properties.js';
import { CONTAINER_FIELDS } from './containers.js';

/**
 * Refuses what the API server would refuse of a Pod spec beside its scheduling, as far as people write it wrong (core validation ValidatePodSpec,
 * validateContainerCommon): lists that are none, containers without name or image, amounts that are no quantities.
 *
 * @param kind whether it allows restartPolicy Always only, and whether what a host-network Pod needs is checked elsewhere
 */
export function checkPodSpecShape(
  podSpec: PlainMap,
  { restartsAlways, isHostNetwork }: { readonly restartsAlways: boolean; readonly isHostNetwork: boolean },
  problems: ProblemList,
): void {
  const { containers, restartPolicy, hostNetwork } = podSpec;
  if (isAbsent(containers) || (Array.isArray(containers) && containers.length === 0)) {
    problems
      .at('containers')
      .add('EDGE_MISSING', 'at least one container is required', "write containers: [{ name: 'app', image: '…' }]");
  }
  if (!isHostNetwork && !isAbsent(hostNetwork) && !holdsUnresolved(hostNetwork)) {
    checkBoolean(hostNetwork, problems.at('hostNetwork'));
  }
  // the API server takes empty text for the default
  if (!isAbsent(restartPolicy) && restartPolicy !== '' && !holdsUnresolved(restartPolicy)) {
    checkOneOf(
      restartPolicy,
      restartsAlways ? ['Always'] : ['Always', 'OnFailure', 'Never'],
      problems.at('restartPolicy'),
    );
  }
  ['volumes', 'imagePullSecrets', ...(isHostNetwork ? [] : CONTAINER_FIELDS)].forEach((field) =>
    checkMaps(podSpec[field], problems.at(field)),
  );
  const names = new Set<unknown>();
  for (const field of CONTAINER_FIELDS) {
    const list = podSpec[field];
    (Array.isArray(list) ? (list as unknown[]) : []).forEach((container, index) => {
      if (isMap(container)) {
        const at = problems.at(field, index);
        const lists = isHostNetwork ? ['envFrom', 'volumeMounts'] : ['env', 'envFrom', 'ports', 'volumeMounts'];
        lists.forEach((each) => checkMaps(container[each], at.at(each)));
        checkContainer(container, at);
        const { name } = container;
        if (typeof name === 'string' && name !== '' && names.has(name)) {
          at.at('name').add(
            'EDGE_DUPLICATE',
            `two containers have the name ${name}`,
            'give each container its own name',
          );
        }
        names.add(name);
      }
    });
  }
}

function checkContainer(container: PlainMap, problems: ProblemList): void {
  const { name, imagePullPolicy, resources } = container;
  requireText(container, 'name', "write name: 'app'", problems);
  requireText(container, 'image', "write image: 'registry.example/app:1.0'", problems);
  if (typeof name === 'string' && name !== '' && !isDnsLabel(name)) {
    problems
      .at('name')
      .add(
        'EDGE_NAME',
        `${quoted(name)} is not a name of a container`,
        'write lower-case letters, digits and "-", at most 63',
      );
  }
  if (!isAbsent(imagePullPolicy) && imagePullPolicy !== '' && !holdsUnresolved(imagePullPolicy)) {
    checkOneOf(imagePullPolicy, ['Always', 'IfNotPresent', 'Never'], problems.at('imagePullPolicy'));
  }
  for (const field of ['command', 'args']) {
    const words = container[field];
    if (!isAbsent(words) && !Array.isArray(words) && !holdsUnresolved(words)) {
      problems
        .at(field)
        .add(
          'EDGE_TYPE',
          `${field} must be a list of text, this is ${whatIs(words)}`,
          typeof words === 'string' ? `write ${field}: ${JSON.stringify(words.split(' '))}` : `write ${field}: ['…']`,
        );
    }
  }
  for (const part of ['requests', 'limits']) {
    const amounts = isMap(resources) ? mapAt(resources, part) : {};
    for (const [resource, amount] of Object.entries(amounts)) {
      if (typeof amount === 'string' && Quantity.parse(amount) === undefined) {
        problems
          .at('resources', part, resource)
          .add('EDGE_QUANTITY', `${quoted(amount)} is not a quantity`, "write '500m', '2', '128Mi' or '1Gi'");
      }
    }
  }
}

/** Refuses a map or text where there must be a list of maps. */
function checkMaps(list: unknown, problems: ProblemList): void {
  if (isAbsent(list) || holdsUnresolved(list)) {
    return;
  }
  if (!Array.isArray(list)) {
    problems.add('EDGE_TYPE', `this must be a list, and is ${whatIs(list)}`, 'write a list of maps: [{ name: … }]');
    return;
  }
  list.forEach((item: unknown, index) => {
    if (!isMap(item)) {
      problems.at(index).add('EDGE_TYPE', `this must be a map, and is ${whatIs(item)}`, 'write { name: … }');
    }
  });
}

function requireText(container: PlainMap, field: string, hint: string, problems: ProblemList): void {
  const value = container[field];
  const near = Object.keys(container).find((other) => other !== field && nearMiss(other, [field]) !== undefined);
  if (holdsUnresolved(value)) {
    return;
  }
  if (isAbsent(value) || value === '') {
    problems
      .at(field)
      .add(
        'EDGE_MISSING',
        `a container needs ${field}`,
        near === undefined ? hint : `write ${field} instead of ${near}`,
      );
  } else if (typeof value !== 'string') {
    problems.at(field).add('EDGE_TYPE', `${field} must be text, this is ${whatIs(value)}`, hint);
  }
}
