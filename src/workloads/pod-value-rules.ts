import { isIP } from 'node:net';
import { isQualifiedName } from '../kubernetes/label-syntax.js';
import { isDnsSubdomain } from '../kubernetes/names.js';
import { isMap, mapAt } from '../validation/plain-data.js';
import { quoted } from '../validation/properties.js';
import { AMOUNT_CHECKS } from './amount-rules.js';
import { checkImage, checkNamedPorts, checkUsers } from './container-start-rules.js';
import { CONTAINER_FIELDS } from './containers.js';
import { POD_SECURITY_RULES, SECURITY_RULES } from './security-rules.js';
import {
  between,
  counts,
  formed,
  has,
  isPortName,
  isPortNumber,
  known,
  mapsIn,
  needs,
  not,
  oneOf,
  onlyOne,
  type Rule,
  texts,
} from './rule-builders.js';
import { VARIABLE_RULES } from './variable-rules.js';
import { checkDevices, VOLUME_RULES } from './volume-rules.js';

const HANDLERS = ['exec', 'grpc', 'httpGet', 'tcpSocket', 'sleep'];

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

const SYSCTL = /^(?:[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;

/** Names of a list of which each may be there once. */
const eachOnce =
  (place: readonly string[], what: string, isName: (name: string) => boolean): Rule =>
  (part, problems) => {
    const seen = new Set<unknown>();
    const [field = '', ...parents] = [...place].reverse();
    const holder = parents.reverse().reduce(mapAt, part);
    for (const [index, item] of mapsIn(holder, field)) {
      const name = known(item, 'name');
      const at = problems.at(...place, index, 'name');
      needs(what, 'name', 'write its name')(item, problems.at(...place, index));
      if (typeof name === 'string' && name !== '') {
        if (!isName(name)) {
          at.add('EDGE_NAME', `${quoted(name)} is not a name of ${what}`, 'write letters, digits, "-", "_" and "."');
        } else if (seen.has(name)) {
          at.add('EDGE_DUPLICATE', `${name} is there twice`, 'write it once');
        }
        seen.add(name);
      }
    }
  };

/** A hook that sleeps longer than the Pod has to end (core validation validateSleepAction). */
const checkSleeps: Rule = (pod, problems) => {
  const grace = has(pod, 'terminationGracePeriodSeconds') ? known(pod, 'terminationGracePeriodSeconds') : 30;
  for (const field of CONTAINER_FIELDS) {
    for (const [index, container] of mapsIn(pod, field)) {
      for (const hook of ['postStart', 'preStop']) {
        const seconds = known(mapAt(mapAt(mapAt(container, 'lifecycle'), hook), 'sleep'), 'seconds');
        if (typeof seconds === 'number' && typeof grace === 'number' && (seconds < 0 || seconds > grace)) {
          problems
            .at(field, index, 'lifecycle', hook, 'sleep', 'seconds')
            .add(
              'EDGE_VALUE',
              `${seconds} is not valid here: the Pod ends within terminationGracePeriodSeconds, ${grace}`,
              `write ${grace} or less, or a longer terminationGracePeriodSeconds`,
            );
        }
      }
    }
  }
};

/** Mounts of which the Node sees those of the container (core validation validateMountPropagation). */
const checkPropagation: Rule = (container, problems) => {
  const context = container.securityContext;
  const privileged = isMap(context) && has(context, 'privileged') ? context.privileged : (context ?? false);
  for (const [index, mount] of mapsIn(container, 'volumeMounts')) {
    if (mount.mountPropagation === 'Bidirectional' && (privileged === false || isMap(privileged))) {
      problems
        .at('volumeMounts', index, 'mountPropagation')
        .add(
          'EDGE_CONTRADICTION',
          'conflicting settings: Bidirectional without privileged',
          'write securityContext: { privileged: true }',
        );
    }
  }
};

const checkHostnames: Rule = (alias, problems) => {
  const names = known(alias, 'hostnames');
  (Array.isArray(names) ? names : []).forEach((name: unknown, index) => {
    if (typeof name === 'string' && !isDnsSubdomain(name)) {
      problems
        .at('hostnames', index)
        .add('EDGE_NAME', `${quoted(name)} is not a name of a host`, 'write lower-case letters, digits, "-" and "."');
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
  checkPropagation,
  texts('terminationMessagePolicy', 'File', 'FallbackToLogsOnError'),
  not(
    ({ readinessProbe: probe }) => isMap(probe) && known(probe, 'terminationGracePeriodSeconds') !== undefined,
    'readinessProbe.terminationGracePeriodSeconds',
    'a readinessProbe ends no container, and has no terminationGracePeriodSeconds',
    'leave it out, or write it in the livenessProbe',
  ),
];

/** Debug containers, which only a running Pod gets (core validation ValidatePodTemplateSpec). */
const checkTemplate: Rule = ({ spec }, problems) => {
  if (isMap(spec) && mapsIn(spec, 'ephemeralContainers').length > 0) {
    problems
      .at('spec', 'ephemeralContainers')
      .add('EDGE_VALUE', 'a template has no ephemeralContainers', 'leave them out: kubectl debug adds them to a Pod');
  }
};

/** A call of nothing (core validation validateExecAction). */
const checkCommand: Rule = ({ command }, problems) => {
  if ((command ?? undefined) === undefined || (Array.isArray(command) && command.length === 0)) {
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
    between('activeDeadlineSeconds', 1),
    texts('preemptionPolicy', 'Never', 'PreemptLowerPriority'),
    checkSleeps,
    checkDevices,
    eachOnce(['schedulingGates'], 'a gate', isQualifiedName),
    eachOnce(['securityContext', 'sysctls'], 'a sysctl', (name) => name.length <= 253 && SYSCTL.test(name)),
    ...POD_SECURITY_RULES,
  ],
  PodTemplateSpec: [checkTemplate],
  PodReadinessGate: [
    needs('a readiness gate', 'conditionType', 'write a type of a condition'),
    formed(
      'conditionType',
      isQualifiedName,
      'is not a type of a condition',
      'write letters, digits, "-", "_" and "."',
      'EDGE_NAME',
    ),
  ],
  Container: CONTAINER,
  ResourceRequirements: AMOUNT_CHECKS,
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
  HostAlias: [
    needs('an alias', 'ip', "write ip: '192.0.2.1'"),
    formed('ip', (ip) => isIP(ip) !== 0, 'is not an IP address', "write '192.0.2.1'"),
    checkHostnames,
  ],
  ...SECURITY_RULES,
  ...VARIABLE_RULES,
  ...VOLUME_RULES,
};
