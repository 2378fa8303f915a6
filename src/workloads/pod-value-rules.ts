import { isIP } from 'node:net';
import { holdsUnresolved, isAbsent } from '../kubernetes/field-values.js';
import { Quantity } from '../kubernetes/quantity.js';
import { fieldsOfType } from '../kubernetes/workload-fields.js';
import { isMap, mapAt } from '../validation/plain-data.js';
import { checkOneOf, quoted, showValue } from '../validation/properties.js';
import { checkBytes, checkImage, checkNamedPorts, checkUsers } from './container-start-rules.js';
import { counts, formed, has, isPortName, known, mode, not, onlyOne, type Rule, texts } from './value-rule.js';

const HANDLERS = ['exec', 'grpc', 'httpGet', 'tcpSocket', 'sleep'];
const FILE_MODE = mode('defaultMode');

/** Paths of the Pod that a variable can have (core/v1 validEnvDownwardAPIFieldPathExpressions). */
const FIELD_PATH =
  /^(?:metadata\.(?:name|namespace|uid|(?:labels|annotations)\['[^']+'\])|spec\.(?:nodeName|serviceAccountName)|status\.(?:hostIPs?|podIPs?))$/;

function isQuantity(text: string): boolean {
  return Quantity.parse(text) !== undefined;
}

const isRelative = (path: string): boolean => !path.startsWith('/') && !path.split('/').includes('..');
const hasNoWayBack = (path: string): boolean => !path.split('/').includes('..');

/** Resources of a container without a prefix (core helper.IsStandardContainerResourceName). */
const isResource = (name: string): boolean =>
  ['cpu', 'memory', 'ephemeral-storage'].includes(name) || name.startsWith('hugepages-') || name.includes('/');

/** Resources that cannot be overcommitted: a request needs a limit, and equals it. */
const isExact = (name: string): boolean =>
  name.startsWith('hugepages-') || (name.includes('/') && !name.includes('kubernetes.io/'));

const checkResources: Rule = (part, problems) => {
  const amounts = (field: string): [string, unknown][] => Object.entries(known(part, field) ?? {});
  const limits = new Map(amounts('limits'));
  for (const field of ['requests', 'limits']) {
    for (const [name] of amounts(field).filter(([each]) => !isResource(each))) {
      problems
        .at(field, name)
        .add(
          'EDGE_NAME',
          `${quoted(name)} is not a valid name of a resource`,
          "write 'cpu', 'memory', 'ephemeral-storage', or a name with a domain",
        );
    }
  }
  for (const [name, amount] of amounts('requests').filter(([each]) => isExact(each))) {
    const [request, limit] = [amount, limits.get(name)].map((each) => Quantity.parse(String(each)));
    if (!limits.has(name) || (request !== undefined && limit !== undefined && request.nano < limit.nano)) {
      problems
        .at('requests', name)
        .add(
          'EDGE_CONTRADICTION',
          `conflicting settings: ${name} cannot be overcommitted`,
          `write limits: { '${name}': ${showValue(amount)} }, too`,
        );
    }
  }
};

const checkPortNames: Rule = (part, problems) => {
  const ports = known(part, 'ports');
  const seen = new Set<unknown>();
  (Array.isArray(ports) ? ports : []).forEach((port: unknown, index) => {
    const name = isMap(port) ? known(port, 'name') : undefined;
    if (typeof name !== 'string' || name === '') {
      return;
    }
    const at = problems.at('ports', index, 'name');
    if (!isPortName(name)) {
      at.add(
        'EDGE_PORT',
        `${quoted(name)} is not a name of a port`,
        'write at most 15 lower-case letters, digits and "-"',
      );
    } else if (seen.has(name)) {
      at.add('EDGE_DUPLICATE', `two ports have the name ${name}`, 'give each port its own name');
    }
    seen.add(name);
  });
};

const checkMountPaths: Rule = (part, problems) => {
  const mounts = known(part, 'volumeMounts');
  const seen = new Set<unknown>();
  (Array.isArray(mounts) ? mounts : []).forEach((mount: unknown, index) => {
    const path = isMap(mount) ? known(mount, 'mountPath') : undefined;
    if (typeof path === 'string' && path !== '' && seen.has(path)) {
      problems
        .at('volumeMounts', index, 'mountPath')
        .add('EDGE_DUPLICATE', `two volumes are mounted at ${path}`, 'give each mount its own path');
    }
    seen.add(path);
  });
};

const ORDINARY = ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'];

const checkInitContainers: Rule = (part, problems) => {
  const containers = known(part, 'initContainers');
  (Array.isArray(containers) ? containers : []).forEach((container: unknown, index) => {
    if (isMap(container) && known(container, 'restartPolicy') === undefined && !has(container, 'restartPolicyRules')) {
      for (const field of ORDINARY.filter((each) => has(container, each))) {
        problems
          .at('initContainers', index, field)
          .add(
            'EDGE_CONTRADICTION',
            `conflicting settings: an init container that ends has no ${field}`,
            "leave it out, or write restartPolicy: 'Always' (a sidecar)",
          );
      }
    }
  });
};

const checkSysctls: Rule = (part, problems) => {
  const sysctls = isMap(part.securityContext) ? known(part.securityContext, 'sysctls') : undefined;
  (Array.isArray(sysctls) ? sysctls : []).forEach((sysctl: unknown, index) => {
    const name = isMap(sysctl) ? known(sysctl, 'name') : undefined;
    if (part.hostNetwork === true && typeof name === 'string' && /^net[./]/.test(name)) {
      problems
        .at('securityContext', 'sysctls', index, 'name')
        .add(
          'EDGE_CONTRADICTION',
          `conflicting settings: ${name} is one of the node with hostNetwork`,
          'set it on the node, for example by a file of its join',
        );
    }
  });
};

const oneSuccess =
  (field: string): Rule =>
  (part, problems) => {
    const probe = part[field];
    const count = isMap(probe) ? known(probe, 'successThreshold') : undefined;
    if (typeof count === 'number' && count > 1) {
      problems
        .at(field, 'successThreshold')
        .add('EDGE_VALUE', `${count} is not valid here`, 'write 1, or leave it out');
    }
  };

const CONTAINER: readonly Rule[] = [
  checkPortNames,
  checkImage,
  checkMountPaths,
  checkNamedPorts,
  oneSuccess('livenessProbe'),
  oneSuccess('startupProbe'),
];

const checkFieldPath: Rule = (part, problems) => {
  const ref = part.fieldRef;
  const path = isMap(ref) ? known(ref, 'fieldPath') : undefined;
  if (typeof path === 'string' && path !== '' && !FIELD_PATH.test(path)) {
    problems
      .at('fieldRef', 'fieldPath')
      .add(
        'EDGE_VALUE',
        `a variable cannot have ${quoted(path)}`,
        "write 'metadata.name', 'spec.nodeName', 'status.hostIP' or 'status.podIP'",
      );
  }
};

const checkSources: Rule = (part, problems) => {
  const sources = Object.keys(part).filter(
    (field) => field !== 'name' && has(part, field) && fieldsOfType('Volume').has(field),
  );
  if (sources.length > 1) {
    problems.add(
      'EDGE_CONTRADICTION',
      `conflicting settings: a volume has ${sources.join(' and ')}`,
      'write one of them',
    );
  }
};

/** Without these no claim is made; from Kubernetes 1.36 on the workload is refused (core validation ValidatePersistentVolumeClaimSpec). */
const checkClaim: Rule = (claim, problems) => {
  const modes = claim.accessModes;
  if (isAbsent(modes) || (Array.isArray(modes) && modes.length === 0)) {
    problems.at('accessModes').add('EDGE_MISSING', 'a claim needs accessModes', "write accessModes: ['ReadWriteOnce']");
  } else if (Array.isArray(modes) && !holdsUnresolved(modes)) {
    modes.forEach((each: unknown, index) => checkOneOf(each ?? null, ACCESS_MODES, problems.at('accessModes', index)));
  }
  const { resources } = claim;
  if (holdsUnresolved(resources)) {
    return;
  }
  const { storage } = mapAt(mapAt(claim, 'resources'), 'requests');
  const at = problems.at('resources', 'requests', 'storage');
  if (isAbsent(storage)) {
    at.add('EDGE_MISSING', 'a claim needs its size', "write resources: { requests: { storage: '1Gi' } }");
  } else if (typeof storage === 'string' && !isQuantity(storage)) {
    at.add('EDGE_QUANTITY', `${quoted(storage)} is not a quantity`, "write '500Mi' or '1Gi'");
  }
};

const ACCESS_MODES = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'];

/** What the API server refuses in a Pod spec (core validation), by the type of the object that has the values. */
export const POD_VALUE_RULES: Readonly<Record<string, readonly Rule[]>> = {
  PodSpec: [
    not(
      (pod) => pod.hostPID === true && pod.shareProcessNamespace === true,
      'shareProcessNamespace',
      'hostPID and shareProcessNamespace',
      'write one of them',
    ),
    checkSysctls,
    checkInitContainers,
    checkUsers,
    ...counts('terminationGracePeriodSeconds'),
    texts('preemptionPolicy', 'Never', 'PreemptLowerPriority'),
  ],
  Container: CONTAINER,
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
    onlyOne('a variable', ['configMapKeyRef', 'fieldRef', 'fileKeyRef', 'resourceFieldRef', 'secretKeyRef']),
    checkFieldPath,
  ],
  ResourceRequirements: [checkResources, checkBytes],
  Probe: [
    onlyOne('a probe', HANDLERS),
    ...counts('initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'),
  ],
  LifecycleHandler: [onlyOne('a hook', HANDLERS)],
  HTTPGetAction: [texts('scheme', 'HTTP', 'HTTPS')],
  SecurityContext: [
    not(
      (context) => context.privileged === true && context.allowPrivilegeEscalation === false,
      'allowPrivilegeEscalation',
      'privileged without allowPrivilegeEscalation',
      'leave one of them out',
    ),
  ],
  SeccompProfile: [
    texts('type', 'Localhost', 'RuntimeDefault', 'Unconfined'),
    not(
      (profile) => profile.type === 'Localhost' && !has(profile, 'localhostProfile'),
      'localhostProfile',
      'type Localhost without localhostProfile',
      "write localhostProfile: 'profiles/app.json', or type: 'RuntimeDefault'",
    ),
  ],
  HostAlias: [formed('ip', (ip) => isIP(ip) !== 0, 'is not an IP address', "write '192.0.2.1'")],
  VolumeMount: [
    formed('subPath', isRelative, 'is not a path in the volume', 'write it without "/" in front and without ".."'),
    onlyOne('a mount', ['subPath', 'subPathExpr']),
  ],
  Volume: [checkSources],
  PersistentVolumeClaimSpec: [checkClaim],
  EmptyDirVolumeSource: [
    formed(
      'medium',
      (medium) => medium === 'Memory' || /^HugePages(?:-|$)/.test(medium),
      'is not a valid medium',
      "write 'Memory', or leave it out",
    ),
    formed('sizeLimit', isQuantity, 'is not a quantity', "write '500Mi' or '1Gi'", 'EDGE_QUANTITY'),
  ],
  HostPathVolumeSource: [
    texts('type', 'DirectoryOrCreate', 'Directory', 'FileOrCreate', 'File', 'Socket', 'CharDevice', 'BlockDevice'),
    formed('path', hasNoWayBack, 'contains ".."', 'write the path without ".."'),
  ],
  SecretVolumeSource: [FILE_MODE],
  ConfigMapVolumeSource: [FILE_MODE],
  DownwardAPIVolumeSource: [FILE_MODE],
  ProjectedVolumeSource: [FILE_MODE],
  KeyToPath: [
    mode('mode'),
    formed('path', isRelative, 'is not a path in the volume', 'write it without "/" in front and without ".."'),
  ],
};
