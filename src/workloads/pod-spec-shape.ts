import type { ProblemList } from '../errors.js';
import { holdsUnresolved, isAbsent } from '../kubernetes/field-values.js';
import { isDnsLabel, isDnsSubdomain } from '../kubernetes/names.js';
import { Quantity } from '../kubernetes/quantity.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { checkBoolean, checkOneOf, misspelt, quoted, whatIs } from '../validation/properties.js';
import { actionsOf, CONTAINER_FIELDS } from './containers.js';
import { checkContainerPorts } from './host-ports.js';
import { checkPodDns } from './pod-dns.js';
import { isPortName, isPortNumber } from './rule-builders.js';

/** What the kind of a workload allows in the spec of its Pods. */
export interface PodSpecKind {
  /** Allowed values of restartPolicy; the first of several is not the default, which is Always. */
  readonly restarts: readonly ('Always' | 'OnFailure' | 'Never')[];
  /** Whether what a host-network Pod needs is checked elsewhere. */
  readonly isHostNetwork: boolean;
  /** Names of the volumes that a StatefulSet claims; undefined if they are not known. */
  readonly claims: readonly unknown[] | undefined;
}

/**
 * Refuses what the API server would refuse of a Pod spec beside its scheduling, as far as people write it wrong (core validation ValidatePodSpec,
 * validateContainerCommon): lists that are none, containers without name or image, amounts that are not quantities.
 *
 * @param kind what its kind allows
 */
export function checkPodSpecShape(
  podSpec: PlainMap,
  { restarts, isHostNetwork, claims }: PodSpecKind,
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
    checkOneOf(restartPolicy, restarts, problems.at('restartPolicy'));
  } else if (!holdsUnresolved(restartPolicy) && !restarts.includes('Always')) {
    problems
      .at('restartPolicy')
      .add(
        'EDGE_MISSING',
        'restartPolicy is required here: its default, Always, is refused',
        `write restartPolicy: '${restarts.join("' or '")}'`,
      );
  }
  if (!isHostNetwork) {
    checkContainerPorts(podSpec, problems);
    checkPodDns(podSpec, problems);
  }
  checkNames(podSpec, problems);
  const volumes = checkVolumes(podSpec, claims, problems);
  ['volumes', 'imagePullSecrets', ...(isHostNetwork ? [] : CONTAINER_FIELDS)].forEach((field) =>
    checkMaps(podSpec[field], problems.at(field)),
  );
  const names = new Set<unknown>();
  for (const field of CONTAINER_FIELDS) {
    const list = podSpec[field];
    (Array.isArray(list) ? (list as unknown[]) : []).forEach((container, index) => {
      if (isMap(container)) {
        const at = problems.at(field, index);
        const lists = isHostNetwork ? ['envFrom', 'volumeMounts'] : ['env', 'envFrom', 'volumeMounts'];
        lists.forEach((each) => checkMaps(container[each], at.at(each)));
        checkContainer(container, at);
        checkMounts(container, volumes, at);
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
  const { image } = container;
  if (typeof image === 'string' && !holdsUnresolved(image) && image.trim() !== image && image.trim() !== '') {
    problems
      .at('image')
      .add('EDGE_VALUE', `${quoted(image)} begins or ends with blanks`, `write ${quoted(image.trim())}`);
  }
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
  if (isMap(resources)) {
    checkAmounts(resources, problems.at('resources'));
  }
  for (const [place, action] of actionsOf(container)) {
    checkActionPort(action.port, problems.at(...place, 'port'));
  }
  for (const field of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = container[field];
    if (isMap(probe) && !['exec', 'grpc', 'httpGet', 'tcpSocket'].some((way) => !isAbsent(probe[way]))) {
      problems
        .at(field)
        .add(
          'EDGE_MISSING',
          'a probe needs what it does',
          "write httpGet: { path: '/', port: 8080 }, tcpSocket, exec or grpc",
        );
    }
  }
}

/** Refuses amounts that are not quantities, and requests above their limit (core validation ValidateResourceRequirements). */
function checkAmounts(resources: PlainMap, problems: ProblemList): void {
  const [requests, limits] = ['requests', 'limits'].map((part) => {
    const amounts = Object.entries(mapAt(resources, part)).map(([resource, amount]) => {
      const isKnown = typeof amount === 'string' || typeof amount === 'number';
      const quantity = isKnown ? Quantity.parse(String(amount)) : undefined;
      if (typeof amount === 'string' && quantity === undefined) {
        problems
          .at(part, resource)
          .add('EDGE_QUANTITY', `${quoted(amount)} is not a quantity`, "write '500m', '2', '128Mi' or '1Gi'");
      }
      return [resource, quantity] as const;
    });
    return new Map(amounts);
  });
  for (const [resource, request] of requests ?? []) {
    const limit = limits?.get(resource);
    if (request !== undefined && limit !== undefined && request.nano > limit.nano) {
      problems
        .at('requests', resource)
        .add(
          'EDGE_CONTRADICTION',
          `conflicting settings: the request ${request.toString()} is above the limit ${limit.toString()}`,
          'raise the limit, or lower the request',
        );
    }
  }
}

/** Refuses text that is no name of a port (core validation ValidatePortNumOrName). */
function checkActionPort(port: unknown, problems: ProblemList): void {
  if (isAbsent(port)) {
    problems.add('EDGE_MISSING', 'a port is required', 'write port: 8080, or the name of a port of the container');
  } else if (typeof port === 'number' && !isPortNumber(port)) {
    problems.add('EDGE_PORT', `${port} is not a port`, 'write a number from 1 to 65535');
  } else if (typeof port === 'string' && !isPortName(port)) {
    problems.add(
      'EDGE_PORT',
      `${quoted(port)} is not a name of a port`,
      /^\d+$/.test(port) ? `write ${port}, without quotes` : 'write a number, or the name of a port of the container',
    );
  }
}

/** Names of objects, and of the machine, in a Pod spec (core validation ValidatePodSpec). */
const NAMES: readonly [field: string, isName: (name: string) => boolean][] = [
  ...['serviceAccountName', 'priorityClassName', 'runtimeClassName'].map(
    (field) => [field, (name: string) => isDnsSubdomain(name)] as [string, typeof isDnsLabel],
  ),
  ['nodeName', (name) => isDnsSubdomain(name)],
  ['hostname', isDnsLabel],
  ['subdomain', isDnsLabel],
];

function checkNames(podSpec: PlainMap, problems: ProblemList): void {
  for (const [field, isName] of NAMES) {
    const name = podSpec[field];
    if (typeof name === 'string' && name !== '' && !holdsUnresolved(name) && !isName(name)) {
      const trimmed = name.trim();
      problems
        .at(field)
        .add(
          'EDGE_NAME',
          `${quoted(name)} is not a name`,
          isName(trimmed) ? `write ${quoted(trimmed)}` : 'write lower-case letters, digits and "-"',
        );
    }
  }
}

/**
 * Refuses volumes without a name and two of one name (core validation ValidateVolumes).
 *
 * @returns their names and those of the claims; undefined if one is not known
 */
function checkVolumes(
  { volumes }: PlainMap,
  claims: PodSpecKind['claims'],
  problems: ProblemList,
): ReadonlySet<unknown> | undefined {
  const names = new Set<unknown>();
  const list = Array.isArray(volumes) ? (volumes as unknown[]) : [];
  list.forEach((volume, index) => {
    if (isMap(volume)) {
      const at = problems.at('volumes', index);
      requireText(volume, 'name', "write name: 'data'", at, 'a volume');
      if (typeof volume.name === 'string' && names.has(volume.name)) {
        at.at('name').add(
          'EDGE_DUPLICATE',
          `two volumes have the name ${volume.name}`,
          'give each volume its own name',
        );
      }
      names.add(volume.name);
    }
  });
  const areKnown = !holdsUnresolved(volumes) && claims !== undefined;
  claims?.forEach((claim) => names.add(claim));
  return areKnown ? names : undefined;
}

/** Refuses mounts of no volume and without a path, and variables without a name (core validation ValidateVolumeMounts, ValidateEnv). */
function checkMounts(container: PlainMap, volumes: ReadonlySet<unknown> | undefined, problems: ProblemList): void {
  eachOf(container.volumeMounts, (mount, index) => {
    const at = problems.at('volumeMounts', index);
    requireText(mount, 'mountPath', "write mountPath: '/data'", at, 'a mount');
    requireVolume(mount, 'a mount', volumes, at);
  });
  eachOf(container.volumeDevices, (device, index) => {
    requireVolume(device, 'a device', volumes, problems.at('volumeDevices', index));
  });
  eachOf(container.env, (variable, index) => {
    const at = problems.at('env', index);
    requireText(variable, 'name', "write name: 'PORT'", at, 'a variable');
    const { value, valueFrom } = variable;
    if (typeof value === 'string' && value !== '' && !isAbsent(valueFrom) && !holdsUnresolved(valueFrom)) {
      at.add('EDGE_CONTRADICTION', 'conflicting settings: value and valueFrom', 'write one of them');
    }
  });
}

function requireVolume(
  part: PlainMap,
  what: string,
  volumes: ReadonlySet<unknown> | undefined,
  problems: ProblemList,
): void {
  requireText(part, 'name', 'write the name of a volume', problems, what);
  const { name } = part;
  if (typeof name === 'string' && name !== '' && volumes?.has(name) === false) {
    const hint = `write volumes: [{ name: ${quoted(name)}, … }] in the Pod spec`;
    problems.at('name').add('EDGE_MISSING', `there is no volume ${quoted(name)}`, hint);
  }
}

function eachOf(list: unknown, check: (item: PlainMap, index: number) => void): void {
  (Array.isArray(list) ? (list as unknown[]) : []).forEach((item, index) => {
    if (isMap(item)) {
      check(item, index);
    }
  });
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

function requireText(part: PlainMap, field: string, hint: string, problems: ProblemList, what = 'a container'): void {
  const value = part[field];
  if (holdsUnresolved(value)) {
    return;
  }
  if (isAbsent(value) || value === '') {
    const near = misspelt(field, part);
    problems
      .at(field)
      .add('EDGE_MISSING', `${what} needs ${field}`, near === undefined ? hint : `write ${field} instead of ${near}`);
  } else if (typeof value !== 'string') {
    problems.at(field).add('EDGE_TYPE', `${field} must be text, this is ${whatIs(value)}`, hint);
  }
}
