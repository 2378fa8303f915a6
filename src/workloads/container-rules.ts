import type { ProblemList } from '../base/errors.js';
import { holdsUnresolved, isAbsent, itemsOf, mapsIn } from '../kubernetes/field-values.js';
import { isDnsLabel, isDnsSubdomain } from '../kubernetes/names.js';
import { Quantity } from '../kubernetes/quantity.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';
import { quoted, showValue, whatIs } from '../base/properties.js';
import {
  between,
  choice,
  conflict,
  counts,
  formed,
  has,
  isPortName,
  isPortNumber,
  known,
  knownItems,
  listOfMaps,
  needs,
  needsText,
  not,
  oneOf,
  onlyOne,
  type Rule,
  type RuleTable,
  texts,
  unlessHostNetwork,
} from './rule-builders.js';

const AMOUNTS = ['requests', 'limits'] as const;

const quantityOf = (amount: unknown): Quantity | undefined =>
  typeof amount === 'string' || typeof amount === 'number' ? Quantity.parse(String(amount)) : undefined;

/** Refuses amounts that are not quantities, and requests above their limit (core validation ValidateResourceRequirements). */
const checkAmounts: Rule = ({ resources }, problems) => {
  const [requests = {}, limits = {}] = isMap(resources) ? AMOUNTS.map((part) => mapAt(resources, part)) : [];
  for (const [part, amounts] of Object.entries({ requests, limits })) {
    for (const [resource, amount] of Object.entries(amounts)) {
      if (typeof amount === 'string' && quantityOf(amount) === undefined) {
        const hint = "write '500m', '2', '128Mi' or '1Gi'";
        problems.at('resources', part, resource).add('EDGE_QUANTITY', `${quoted(amount)} is not a quantity`, hint);
      }
    }
  }
  for (const [resource, amount] of Object.entries(requests)) {
    const [request, limit] = [quantityOf(amount), quantityOf(limits[resource])];
    if (request !== undefined && limit !== undefined && request.nano > limit.nano) {
      conflict(
        problems.at('resources', 'requests', resource),
        `the request ${request.toString()} is above the limit ${limit.toString()}`,
        'raise the limit, or lower the request',
      );
    }
  }
};

/** What probes and hooks of a container call, with its place. */
function actionsOf(container: PlainMap): [place: readonly string[], action: PlainMap][] {
  const hooks = ['postStart', 'preStop'].map((hook) => ['lifecycle', hook]);
  return [['livenessProbe'], ['readinessProbe'], ['startupProbe'], ...hooks].flatMap((place) =>
    ['httpGet', 'tcpSocket'].flatMap((way): [readonly string[], PlainMap][] => {
      const action = valueAt(container, [...place, way]);
      return isMap(action) ? [[[...place, way], action]] : [];
    }),
  );
}

/** Refuses text that is no name of a port (core validation ValidatePortNumOrName). */
const checkActionPorts: Rule = (container, problems) => {
  for (const [place, { port }] of actionsOf(container)) {
    const at = problems.at(...place, 'port');
    if (isAbsent(port)) {
      at.add('EDGE_MISSING', 'a port is required', 'write port: 8080, or the name of a port of the container');
    } else if (typeof port === 'number' && !isPortNumber(port)) {
      at.add('EDGE_PORT', `${port} is not a port`, 'write a number from 1 to 65535');
    } else if (typeof port === 'string' && !isPortName(port)) {
      const hint = 'write a number, or the name of a port of the container';
      const isNumber = /^\d+$/.test(port);
      at.add('EDGE_PORT', `${quoted(port)} is not a name of a port`, isNumber ? `write ${port}, without quotes` : hint);
    }
  }
};

const words =
  (field: string): Rule =>
  (container, problems) => {
    const value = container[field];
    if (!isAbsent(value) && !Array.isArray(value) && !holdsUnresolved(value)) {
      problems
        .at(field)
        .add(
          'EDGE_TYPE',
          `${field} must be a list of text, this is ${whatIs(value)}`,
          typeof value === 'string' ? `write ${field}: ${JSON.stringify(value.split(' '))}` : `write ${field}: ['…']`,
        );
    }
  };

const probe =
  (field: string): Rule =>
  (container, problems) => {
    const value = container[field];
    if (isMap(value) && !['exec', 'grpc', 'httpGet', 'tcpSocket'].some((way) => has(value, way))) {
      const hint = "write httpGet: { path: '/', port: 8080 }, tcpSocket, exec or grpc";
      problems.at(field).add('EDGE_MISSING', 'a probe needs what it does', hint);
    }
  };

/** The maps in a list of a container, each with a field that must be there. */
const itemsNeed = (list: string, what: string, field: string, hint: string): Rule => {
  const check = needsText(what, field, hint);
  return (container, problems) => {
    for (const [index, item] of mapsIn(container, list)) {
      check(item, problems.at(list, index));
    }
  };
};

const checkVariables: Rule = (container, problems) => {
  for (const [index, { value, valueFrom }] of mapsIn(container, 'env')) {
    if (typeof value === 'string' && value !== '' && !isAbsent(valueFrom) && !holdsUnresolved(valueFrom)) {
      conflict(problems.at('env', index), 'value and valueFrom', 'write one of them');
    }
  }
};

/** What the API server refuses in containers as people write them (core validation validateContainerCommon). Operators complete those of their own kinds. */
export const OWN_CONTAINER_RULES: readonly Rule[] = [
  unlessHostNetwork(listOfMaps('env')),
  listOfMaps('envFrom'),
  listOfMaps('volumeMounts'),
  needsText('a container', 'name', "write name: 'app'"),
  needsText('a container', 'image', "write image: 'registry.example/app:1.0'"),
  ({ image }: PlainMap, problems: ProblemList): void => {
    if (typeof image === 'string' && image.trim() !== image && image.trim() !== '') {
      const hint = `write ${quoted(image.trim())}`;
      problems.at('image').add('EDGE_VALUE', `${quoted(image)} begins or ends with blanks`, hint);
    }
  },
  formed(
    'name',
    isDnsLabel,
    'is not a name of a container',
    'write lower-case letters, digits and "-", at most 63',
    'EDGE_NAME',
  ),
  choice('imagePullPolicy', 'Always', 'IfNotPresent', 'Never'),
  words('command'),
  words('args'),
  checkAmounts,
  checkActionPorts,
  ...['livenessProbe', 'readinessProbe', 'startupProbe'].map(probe),
  itemsNeed('volumeMounts', 'a mount', 'mountPath', "write mountPath: '/data'"),
  itemsNeed('env', 'a variable', 'name', "write name: 'PORT'"),
  checkVariables,
];

/** Resources of a container without a prefix (core helper.IsStandardContainerResourceName). */
const isResource = (name: string): boolean =>
  ['cpu', 'memory', 'ephemeral-storage'].includes(name) || name.startsWith('hugepages-') || name.includes('/');

/** Resources that cannot be overcommitted: a request needs a limit, and equals it. */
const isExact = (name: string): boolean =>
  name.startsWith('hugepages-') || (name.includes('/') && !name.includes('kubernetes.io/'));

const amountsIn = (part: PlainMap, field: string): [string, unknown][] => Object.entries(known(part, field) ?? {});

const isKnownAt = (part: PlainMap, field: string): boolean => !has(part, field) || known(part, field) !== undefined;

const checkResources: Rule = (part, problems) => {
  for (const field of AMOUNTS) {
    for (const [name] of amountsIn(part, field).filter(([each]) => !isResource(each))) {
      const hint = "write 'cpu', 'memory', 'ephemeral-storage', or a name with a domain";
      problems.at(field, name).add('EDGE_NAME', `${quoted(name)} is not a valid name of a resource`, hint);
    }
  }
  const limits = new Map(amountsIn(part, 'limits'));
  const requests = isKnownAt(part, 'limits') ? amountsIn(part, 'requests') : [];
  for (const [name, amount] of requests.filter(([each]) => isExact(each))) {
    const [request, limit] = [amount, limits.get(name)].map((each) => Quantity.parse(String(each)));
    if (!limits.has(name) || (request !== undefined && limit !== undefined && request.nano < limit.nano)) {
      const hint = `also write limits: { '${name}': ${showValue(amount)} }`;
      conflict(problems.at('requests', name), `${name} cannot be overcommitted`, hint);
    }
  }
};

/** Amounts below 0, parts of what is whole (core helper.IsIntegerResourceName), and huge pages without memory or CPU. */
const checkWhole: Rule = (part, problems) => {
  const amounts = AMOUNTS.flatMap((field) =>
    amountsIn(part, field).flatMap(([name, amount]) => {
      const quantity = quantityOf(amount);
      return quantity === undefined ? [] : [{ field, name, nano: quantity.nano, amount }];
    }),
  );
  for (const { field, name, nano, amount } of amounts) {
    const isPart = isExact(name) && nano % 1_000_000_000n !== 0n;
    const what = nano < 0n ? 'is below 0' : isPart ? 'is not a whole number' : undefined;
    if (what !== undefined) {
      problems.at(field, name).add('EDGE_QUANTITY', `${showValue(amount)} ${what}`, 'write a whole number');
    }
  }
  const pages = amounts.filter(({ name }) => name.startsWith('hugepages-')).at(-1);
  const areKnown = AMOUNTS.every((field) => isKnownAt(part, field));
  if (pages !== undefined && areKnown && !amounts.some(({ name }) => name === 'cpu' || name === 'memory')) {
    conflict(problems.at(pages.field, pages.name), 'huge pages without cpu and memory', "write memory: '128Mi', too");
  }
};

/** Amounts of bytes with the suffix m, thousandths, which people write for megabytes: kubelet starts no such container. */
const checkBytes: Rule = (part, problems) => {
  for (const field of AMOUNTS) {
    for (const name of ['memory', 'ephemeral-storage']) {
      const amount = mapAt(part, field)[name];
      const quantity = typeof amount === 'string' ? Quantity.parse(amount) : undefined;
      if (quantity !== undefined && quantity.nano % 1_000_000_000n !== 0n) {
        const message = `${showValue(amount)} is not a whole number of bytes: m means thousandths`;
        problems.at(field, name).add('EDGE_QUANTITY', message, `write '${String(amount).replace(/m$/, 'Mi')}'`);
      }
    }
  }
};

/** Parts of an image's name (github.com/distribution/reference, reference.go and regexp.go). */
const COMPONENT = String.raw`[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`;
const HOST = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\])(?::\d+)?`;
const IMAGE = new RegExp(
  String.raw`^(?:${HOST}/)?${COMPONENT}(?:/${COMPONENT})*(?::\w[\w.-]{0,127})?(?:@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,})?$`,
);

/** The API server accepts it, and kubelet starts no container. */
const checkImage = formed(
  'image',
  (image) => IMAGE.test(image.trim()),
  'is not a valid name of an image: kubelet does not start the container (InvalidImageName)',
  "write 'registry.example/team/app:1.0', the repository in lower-case letters and without https://",
);

const checkPortNames: Rule = (part, problems) => {
  const seen = new Set<string>();
  for (const [index, port] of knownItems(part, 'ports')) {
    const name = isMap(port) ? known(port, 'name') : undefined;
    if (typeof name !== 'string' || name === '') {
      continue;
    }
    const at = problems.at('ports', index, 'name');
    if (!isPortName(name)) {
      const hint = 'write at most 15 lower-case letters, digits and "-"';
      at.add('EDGE_PORT', `${quoted(name)} is not a name of a port`, hint);
    } else if (seen.has(name)) {
      at.add('EDGE_DUPLICATE', `two ports have the name ${name}`, 'give each port its own name');
    }
    seen.add(name);
  }
};

/** Refuses probes and hooks of a port by a name that their own container does not have (kubelet, probe.ResolveContainerPort). */
const checkNamedPorts: Rule = (container, problems) => {
  const ports = known(container, 'ports') ?? [];
  const names = itemsOf(ports).map((port: unknown) => (isMap(port) ? port.name : undefined));
  const isKnown = Array.isArray(ports) && !names.some((name) => typeof name === 'object' && name !== null);
  for (const [field, { port }] of isKnown ? actionsOf(container) : []) {
    if (typeof port === 'string' && isPortName(port) && !names.includes(port)) {
      const own = names.filter((name) => typeof name === 'string').join(', ');
      const hint = own === '' ? 'write its number, or name a port of the container' : `write one of its own: ${own}`;
      problems.at(...field, 'port').add('EDGE_PORT', `the container has no port of the name ${quoted(port)}`, hint);
    }
  }
};

const checkMountPaths: Rule = (part, problems) => {
  const seen = new Set<unknown>();
  for (const [index, mount] of knownItems(part, 'volumeMounts')) {
    const path = isMap(mount) ? known(mount, 'mountPath') : undefined;
    if (typeof path === 'string' && path !== '' && seen.has(path)) {
      const at = problems.at('volumeMounts', index, 'mountPath');
      at.add('EDGE_DUPLICATE', `two volumes are mounted at ${path}`, 'give each mount its own path');
    }
    seen.add(path);
  }
};

/** Mounts of which the Node sees those of the container (core validation validateMountPropagation). */
const checkPropagation: Rule = (container, problems) => {
  const context = container.securityContext;
  const privileged = isMap(context) && has(context, 'privileged') ? context.privileged : (context ?? false);
  for (const [index, mount] of mapsIn(container, 'volumeMounts')) {
    if (mount.mountPropagation === 'Bidirectional' && (privileged === false || isMap(privileged))) {
      const at = problems.at('volumeMounts', index, 'mountPropagation');
      conflict(at, 'Bidirectional without privileged', 'write securityContext: { privileged: true }');
    }
  }
};

const oneSuccess =
  (field: string): Rule =>
  (part, problems) => {
    const count = known(mapAt(part, field), 'successThreshold');
    if (typeof count === 'number' && count > 1) {
      const at = problems.at(field, 'successThreshold');
      at.add('EDGE_VALUE', `${count} is not valid here`, 'write 1, or leave it out');
    }
  };

/** A call of nothing (core validation validateExecAction). */
const checkCommand: Rule = ({ command }, problems) => {
  if (isAbsent(command) || (Array.isArray(command) && command.length === 0)) {
    problems.at('command').add('EDGE_MISSING', 'exec needs command', "write command: ['…']");
  }
};

/** A port of gRPC, which has no name (core validation validateGRPCAction). */
const checkPort: Rule = (action, problems) => {
  const port = known(action, 'port');
  if (typeof port === 'number' && !isPortNumber(port)) {
    problems.at('port').add('EDGE_PORT', `${port} is not a port`, 'write a number from 1 to 65535');
  }
};

/** Paths of the Pod that a variable can have (core/v1 validEnvDownwardAPIFieldPathExpressions). */
const FIELD_PATH =
  /^(?:metadata\.(?:name|namespace|uid|(?:labels|annotations)\['[^']+'\])|spec\.(?:nodeName|serviceAccountName)|status\.(?:hostIPs?|podIPs?))$/;

const checkFieldPath: Rule = (part, problems) => {
  const path = mapAt(part, 'fieldRef').fieldPath;
  if (typeof path === 'string' && path !== '' && !FIELD_PATH.test(path)) {
    const hint = "write 'metadata.name', 'spec.nodeName', 'status.hostIP' or 'status.podIP'";
    problems.at('fieldRef', 'fieldPath').add('EDGE_VALUE', `a variable cannot have ${quoted(path)}`, hint);
  }
};

/** Amounts that a variable or a file can have (core validation validContainerResourceFieldPathExpressions). */
const AMOUNT = /^(?:limits|requests)\.(?:cpu|memory|ephemeral-storage|hugepages-.*)$/;

/** Keys of ConfigMaps and Secrets (apimachinery validation.IsConfigMapKey). */
const isKey = (key: string): boolean => /^(?!\.\.|\.$)[-._a-zA-Z0-9]{1,253}$/.test(key);

/** A trailing "-" is allowed here (core validation ValidateConfigMapName with a prefix). */
const isSourceName = (name: string): boolean => isDnsSubdomain(name.replace(/-$/, 'a'));

const aName = (isName: (name: string) => boolean): Rule =>
  formed('name', isName, 'is not a name', 'write lower-case letters, digits, "-" and "."', 'EDGE_NAME');

const keyOf = (kind: string): readonly Rule[] => [
  needs('a variable', 'name', `write the name of a ${kind}`),
  needs('a variable', 'key', `write a key of the ${kind}`),
  aName(isDnsSubdomain),
  formed('key', isKey, 'is not a key', 'write letters, digits, "-", "_" and "."', 'EDGE_NAME'),
];

const HANDLERS = ['exec', 'grpc', 'httpGet', 'tcpSocket', 'sleep'];
const SOURCES = ['configMapKeyRef', 'fieldRef', 'fileKeyRef', 'resourceFieldRef', 'secretKeyRef'];

/** What the API server refuses in containers (core validation validateContainerCommon, ValidateEnv, validateProbe and others), or kubelet does not start. */
export const CONTAINER_RULES: RuleTable = {
  Container: [
    checkPortNames,
    checkImage,
    checkMountPaths,
    checkNamedPorts,
    oneSuccess('livenessProbe'),
    oneSuccess('startupProbe'),
    checkPropagation,
    texts('terminationMessagePolicy', 'File', 'FallbackToLogsOnError'),
    not(
      (container) => known(mapAt(container, 'readinessProbe'), 'terminationGracePeriodSeconds') !== undefined,
      'readinessProbe.terminationGracePeriodSeconds',
      'a readinessProbe ends no container, and has no terminationGracePeriodSeconds',
      'leave it out, or write it in the livenessProbe',
    ),
  ],
  ResourceRequirements: [checkResources, checkWhole, checkBytes],
  Probe: [
    onlyOne('a probe', HANDLERS),
    ...counts('initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'),
    between('terminationGracePeriodSeconds', 1),
  ],
  LifecycleHandler: [
    onlyOne('a hook', HANDLERS),
    oneOf('a hook', ['exec', 'httpGet', 'sleep', 'tcpSocket'], "write exec: { command: ['sleep', '5'] }"),
  ],
  ExecAction: [checkCommand],
  GRPCAction: [needs('grpc', 'port', 'write port: 8080'), checkPort],
  HTTPHeader: [
    formed(
      'name',
      (name) => /^[-A-Za-z0-9]+$/.test(name),
      'is not a name of a header',
      'write letters, digits and "-"',
    ),
  ],
  HTTPGetAction: [texts('scheme', 'HTTP', 'HTTPS')],
  EnvVar: [
    formed(
      'name',
      (name) => /^[ -<>-~]+$/.test(name),
      'is not a valid name of an environment variable',
      'write letters, digits and "_"',
      'EDGE_NAME',
    ),
  ],
  EnvVarSource: [
    onlyOne('a variable', SOURCES),
    oneOf('valueFrom', SOURCES, 'write one of them, or value'),
    checkFieldPath,
  ],
  EnvFromSource: [
    oneOf('envFrom', ['configMapRef', 'secretRef'], "write configMapRef: { name: 'settings' }"),
    onlyOne('envFrom', ['configMapRef', 'secretRef']),
  ],
  ConfigMapEnvSource: [needs('envFrom', 'name', 'write the name of a ConfigMap'), aName(isSourceName)],
  SecretEnvSource: [needs('envFrom', 'name', 'write the name of a Secret'), aName(isSourceName)],
  ConfigMapKeySelector: keyOf('ConfigMap'),
  SecretKeySelector: keyOf('Secret'),
  ObjectFieldSelector: [needs('fieldRef', 'fieldPath', "write fieldPath: 'metadata.name'")],
  ResourceFieldSelector: [
    needs('resourceFieldRef', 'resource', "write resource: 'limits.cpu'"),
    formed(
      'resource',
      (resource) => AMOUNT.test(resource),
      'is not an amount of a container',
      "write 'limits.cpu' or 'requests.memory'",
    ),
  ],
};
