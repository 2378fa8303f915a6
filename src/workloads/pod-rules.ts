import { isIP } from 'node:net';
import type { ProblemList } from '../base/errors.js';
import { holdsUnresolved, isAbsent, mapsIn } from '../kubernetes/field-values.js';
import { isQualifiedName } from '../kubernetes/label-syntax.js';
import { isDnsLabel, isDnsSubdomain } from '../kubernetes/names.js';
import { Quantity } from '../kubernetes/quantity.js';
import { fieldsOfType } from '../kubernetes/workload-fields.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { checkBoolean, checkOneOf, quoted } from '../base/properties.js';
import { CONTAINER_FIELDS } from './containers.js';
import { checkContainerPorts } from './host-ports.js';
import { checkPodDns } from './pod-dns.js';
import {
  between,
  conflict,
  counts,
  formed,
  has,
  known,
  knownItems,
  listOfMaps,
  mode,
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

/** The containers of a Pod spec, each with its place. */
export function containersIn(pod: PlainMap): [place: [field: string, index: number], container: PlainMap][] {
  return CONTAINER_FIELDS.flatMap((field) =>
    mapsIn(pod, field).map(([index, container]): [[string, number], PlainMap] => [[field, index], container]),
  );
}

const checkContainers: Rule = ({ containers }, problems) => {
  if (isAbsent(containers) || (Array.isArray(containers) && containers.length === 0)) {
    const hint = "write containers: [{ name: 'app', image: '…' }]";
    problems.at('containers').add('EDGE_MISSING', 'at least one container is required', hint);
  }
};

const checkRestart: Rule = ({ restartPolicy }, problems, place) => {
  const [at, restarts] = [problems.at('restartPolicy'), place?.restarts ?? []];
  if (holdsUnresolved(restartPolicy)) {
    return;
  }
  // the API server takes empty text for the default
  if (!isAbsent(restartPolicy) && restartPolicy !== '') {
    checkOneOf(restartPolicy, restarts, at);
  } else if (!restarts.includes('Always')) {
    at.add(
      'EDGE_MISSING',
      'restartPolicy is required here: its default, Always, is refused',
      `write restartPolicy: '${restarts.join("' or '")}'`,
    );
  }
};

/** Names of objects, and of the machine, in a Pod spec (core validation ValidatePodSpec). */
const podName =
  (isName: (name: string) => boolean) =>
  (field: string): Rule =>
  (pod, problems) => {
    const name = pod[field];
    if (typeof name === 'string' && name !== '' && !isName(name)) {
      const trimmed = name.trim();
      const hint = isName(trimmed) ? `write ${quoted(trimmed)}` : 'write lower-case letters, digits and "-"';
      problems.at(field).add('EDGE_NAME', `${quoted(name)} is not a name`, hint);
    }
  };

/** Refuses two containers, or two volumes, of one name. */
const checkNames: Rule = (pod, problems) => {
  const once = (what: string, items: readonly [(string | number)[], PlainMap][]): void => {
    const seen = new Set<unknown>();
    for (const [place, { name }] of items) {
      if (typeof name === 'string' && name !== '' && seen.has(name)) {
        const at = problems.at(...place, 'name');
        at.add('EDGE_DUPLICATE', `two ${what}s have the name ${name}`, `give each ${what} its own name`);
      }
      seen.add(name);
    }
  };
  once('container', containersIn(pod));
  once(
    'volume',
    mapsIn(pod, 'volumes').map(([index, volume]) => [['volumes', index], volume]),
  );
};

/** Refuses volumes without a name, and mounts of no volume (core validation ValidateVolumes, ValidateVolumeMounts). */
const checkMounts: Rule = (pod, problems, place) => {
  const claims = place?.claims;
  const volumes = mapsIn(pod, 'volumes');
  for (const [index, volume] of volumes) {
    needsText('a volume', 'name', "write name: 'data'")(volume, problems.at('volumes', index));
  }
  const names = new Set([...volumes.map(([, { name }]) => name), ...(claims ?? [])]);
  const areKnown = claims !== undefined && !holdsUnresolved(pod.volumes);
  for (const [place, container] of containersIn(pod)) {
    for (const [list, what] of Object.entries({ volumeMounts: 'a mount', volumeDevices: 'a device' })) {
      for (const [index, part] of mapsIn(container, list)) {
        const at = problems.at(...place, list, index);
        needsText(what, 'name', 'write the name of a volume')(part, at);
        const { name } = part;
        if (areKnown && typeof name === 'string' && name !== '' && !names.has(name)) {
          const hint = `write volumes: [{ name: ${quoted(name)}, … }] in the Pod spec`;
          at.at('name').add('EDGE_MISSING', `there is no volume ${quoted(name)}`, hint);
        }
      }
    }
  }
};

/** What the API server refuses in Pod specs as people write them (core validation ValidatePodSpec), of Kubernetes' own kinds. */
export const OWN_POD_RULES: readonly Rule[] = [
  checkContainers,
  unlessHostNetwork(({ hostNetwork }, problems) => {
    if (!isAbsent(hostNetwork) && !holdsUnresolved(hostNetwork)) {
      checkBoolean(hostNetwork, problems.at('hostNetwork'));
    }
  }),
  checkRestart,
  unlessHostNetwork(checkContainerPorts),
  unlessHostNetwork(checkPodDns),
  ...['serviceAccountName', 'priorityClassName', 'runtimeClassName', 'nodeName'].map(podName(isDnsSubdomain)),
  ...['hostname', 'subdomain'].map(podName(isDnsLabel)),
  checkNames,
  checkMounts,
  ...['volumes', 'imagePullSecrets'].map(listOfMaps),
  ...CONTAINER_FIELDS.map((field) => unlessHostNetwork(listOfMaps(field))),
];

const ORDINARY = ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'];

const checkInitContainers: Rule = (pod, problems) => {
  for (const [index, container] of knownItems(pod, 'initContainers')) {
    if (isMap(container) && known(container, 'restartPolicy') === undefined && !has(container, 'restartPolicyRules')) {
      for (const field of ORDINARY.filter((each) => has(container, each))) {
        conflict(
          problems.at('initContainers', index, field),
          `an init container that ends has no ${field}`,
          "leave it out, or write restartPolicy: 'Always' (a sidecar)",
        );
      }
    }
  }
};

const checkSysctls: Rule = (pod, problems) => {
  for (const [index, sysctl] of knownItems(mapAt(pod, 'securityContext'), 'sysctls')) {
    const name = isMap(sysctl) ? known(sysctl, 'name') : undefined;
    if (pod.hostNetwork === true && typeof name === 'string' && /^net[./]/.test(name)) {
      conflict(
        problems.at('securityContext', 'sysctls', index, 'name'),
        `${name} is one of the node with hostNetwork`,
        'set it on the node, for example by a file of its join',
      );
    }
  }
};

const SYSCTL = /^(?:[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;

/** Names of a list of which each may be there once. */
const eachOnce =
  (place: readonly string[], what: string, isName: (name: string) => boolean): Rule =>
  (pod, problems) => {
    const seen = new Set<string>();
    const holder = place.slice(0, -1).reduce(mapAt, pod);
    for (const [index, item] of mapsIn(holder, place.at(-1) ?? '')) {
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
  for (const [place, container] of containersIn(pod)) {
    for (const hook of ['postStart', 'preStop']) {
      const seconds = known(['lifecycle', hook, 'sleep'].reduce(mapAt, container), 'seconds');
      if (typeof seconds === 'number' && typeof grace === 'number' && (seconds < 0 || seconds > grace)) {
        const message = `${seconds} is not valid here: the Pod ends within terminationGracePeriodSeconds, ${grace}`;
        const hint = `write ${grace} or less, or a longer terminationGracePeriodSeconds`;
        problems.at(...place, 'lifecycle', hook, 'sleep', 'seconds').add('EDGE_VALUE', message, hint);
      }
    }
  }
};

/** Refuses containers that may not run as root, and are told to (kubelet, kuberuntime/security_context.go verifyRunAsNonRoot). */
const checkUsers: Rule = (pod, problems) => {
  const ofPod = mapAt(pod, 'securityContext');
  for (const field of CONTAINER_FIELDS) {
    for (const [index, container] of knownItems(pod, field)) {
      const own = isMap(container) ? mapAt(container, 'securityContext') : {};
      const setting = (name: string): unknown => known(own, name) ?? known(ofPod, name);
      if (isMap(container) && setting('runAsNonRoot') === true && setting('runAsUser') === 0) {
        const at = known(own, 'runAsUser') === undefined ? problems : problems.at(field, index);
        conflict(
          at.at('securityContext', 'runAsUser'),
          `runAsNonRoot with runAsUser 0: kubelet does not start the container ${String(container.name)}`,
          'write another user, or leave runAsNonRoot out',
        );
      }
    }
  }
};

/** Users and groups of Linux (apimachinery validation.IsValidUserID). */
const ids = (...fields: string[]): Rule[] =>
  fields.map((field) => between(field, 0, 2 ** 31 - 1, 'write a number from 0 to 2147483647'));

const checkGroups: Rule = (context, problems) => {
  for (const [index, group] of knownItems(context, 'supplementalGroups')) {
    if (typeof group === 'number' && (group < 0 || group >= 2 ** 31)) {
      const at = problems.at('supplementalGroups', index);
      at.add('EDGE_VALUE', `${group} is not valid here`, 'write a number from 0 to 2147483647');
    }
  }
};

/** Fields of Linux alone (core validation validateWindows). */
const OF_BOTH = ['appArmorProfile', 'runAsGroup', 'runAsUser', 'seLinuxOptions', 'seccompProfile'];
const OF_LINUX = {
  pod: ['hostUsers', 'shareProcessNamespace'],
  podContext: [
    ...OF_BOTH,
    ...['fsGroup', 'fsGroupChangePolicy', 'seLinuxChangePolicy', 'supplementalGroups', 'supplementalGroupsPolicy'],
  ],
  context: [
    ...OF_BOTH,
    ...['allowPrivilegeEscalation', 'capabilities', 'privileged', 'procMount', 'readOnlyRootFilesystem'],
  ],
};

/** Refuses what the other operating system has, for Pods that name theirs. */
const checkSystem: Rule = (pod, problems) => {
  const name = known(mapAt(pod, 'os'), 'name');
  const refuse = (part: PlainMap, fields: readonly string[], at: ProblemList): void => {
    for (const field of fields.filter((each) => known(part, each) !== undefined)) {
      conflict(at.at(field), `a Pod of ${String(name)} has no ${field}`, 'leave it out, or write another os');
    }
  };
  const isWindows = name === 'windows';
  if (!isWindows && name !== 'linux') {
    return;
  }
  const at = problems.at('securityContext');
  const ofPod = mapAt(pod, 'securityContext');
  if (isWindows) {
    const isOn = ['hostPID', 'hostIPC'].filter((field) => pod[field] === true);
    refuse(pod, [...OF_LINUX.pod, ...isOn], problems);
    refuse(ofPod, mapsIn(ofPod, 'sysctls').length > 0 ? ['sysctls'] : [], at);
  }
  refuse(ofPod, isWindows ? OF_LINUX.podContext : ['windowsOptions'], at);
  for (const [place, container] of containersIn(pod)) {
    const fields = isWindows ? OF_LINUX.context : ['windowsOptions'];
    refuse(mapAt(container, 'securityContext'), fields, problems.at(...place, 'securityContext'));
  }
};

/** A process of a Windows host is on its network (core validation validateWindowsHostProcessPod). */
const checkHostProcess: Rule = (pod, problems) => {
  const isProcess = (part: PlainMap): boolean =>
    ['securityContext', 'windowsOptions'].reduce(mapAt, part).hostProcess === true;
  const parts = [pod, ...containersIn(pod).map(([, container]) => container)];
  if (parts.some(isProcess) && (pod.hostNetwork ?? false) === false) {
    const message = 'a process of the host (hostProcess) without hostNetwork';
    conflict(problems.at('hostNetwork'), message, 'write hostNetwork: true');
  }
};

/**
 * Since users of their own are there for every Pod, in Kubernetes 1.33; before, the field is dropped (core validation
 * validateHostUsers).
 */
const checkHostUsers: Rule = (pod, problems) => {
  const field = ['hostNetwork', 'hostPID', 'hostIPC'].find((each) => pod[each] === true);
  if (pod.hostUsers === false && field !== undefined) {
    conflict(problems.at('hostUsers'), `hostUsers false with ${field}`, `leave hostUsers out, or ${field}`);
  }
};

const profile = (example: string): readonly Rule[] => [
  needs('a profile', 'type', "write type: 'RuntimeDefault'"),
  texts('type', 'Localhost', 'RuntimeDefault', 'Unconfined'),
  not(
    ({ type, localhostProfile }) => type === 'Localhost' && (localhostProfile ?? '') === '',
    'localhostProfile',
    'type Localhost without localhostProfile',
    `write localhostProfile: '${example}', or type: 'RuntimeDefault'`,
  ),
  not(
    (part) => ['RuntimeDefault', 'Unconfined'].includes(String(known(part, 'type'))) && has(part, 'localhostProfile'),
    'localhostProfile',
    'localhostProfile without type Localhost',
    "write type: 'Localhost', or leave it out",
  ),
];

const checkHostnames: Rule = (alias, problems) => {
  for (const [index, name] of knownItems(alias, 'hostnames')) {
    if (typeof name === 'string' && !isDnsSubdomain(name)) {
      const hint = 'write lower-case letters, digits, "-" and "."';
      problems.at('hostnames', index).add('EDGE_NAME', `${quoted(name)} is not a name of a host`, hint);
    }
  }
};

/** Debug containers, which only a running Pod gets (core validation ValidatePodTemplateSpec). */
const checkTemplate: Rule = ({ spec }, problems) => {
  if (isMap(spec) && mapsIn(spec, 'ephemeralContainers').length > 0) {
    const hint = 'leave them out: kubectl debug adds them to a Pod';
    problems.at('spec', 'ephemeralContainers').add('EDGE_VALUE', 'a template has no ephemeralContainers', hint);
  }
};

const FILE_MODE = mode('defaultMode');
const isRelative = (path: string): boolean => !path.startsWith('/') && hasNoWayBack(path);
const hasNoWayBack = (path: string): boolean => !path.split('/').includes('..');
const inVolume = (field: string): Rule =>
  formed(field, isRelative, 'is not a path in the volume', 'write it without "/" in front and without ".."');

const checkSources: Rule = (part, problems) => {
  const sources = Object.keys(part).filter(
    (field) => field !== 'name' && has(part, field) && fieldsOfType('Volume').has(field),
  );
  onlyOne('a volume', sources)(part, problems);
};

const ACCESS_MODES = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'];

/**
 * Without these no claim is made; from Kubernetes 1.36 on the workload is refused (core validation
 * ValidatePersistentVolumeClaimSpec).
 */
const checkClaim: Rule = (claim, problems) => {
  const modes = claim.accessModes;
  if (isAbsent(modes) || (Array.isArray(modes) && modes.length === 0)) {
    problems.at('accessModes').add('EDGE_MISSING', 'a claim needs accessModes', "write accessModes: ['ReadWriteOnce']");
  } else if (Array.isArray(modes) && !holdsUnresolved(modes)) {
    modes.forEach((each: unknown, index) => checkOneOf(each ?? null, ACCESS_MODES, problems.at('accessModes', index)));
  }
  if (holdsUnresolved(claim.resources)) {
    return;
  }
  const { storage } = ['resources', 'requests'].reduce(mapAt, claim);
  const at = problems.at('resources', 'requests', 'storage');
  const isAmount = typeof storage === 'string' || typeof storage === 'number';
  const size = isAmount ? Quantity.parse(String(storage)) : undefined;
  if (isAbsent(storage)) {
    at.add('EDGE_MISSING', 'a claim needs its size', "write resources: { requests: { storage: '1Gi' } }");
  } else if (typeof storage === 'string' && size === undefined) {
    at.add('EDGE_QUANTITY', `${quoted(storage)} is not a quantity`, "write '500Mi' or '1Gi'");
  } else if (size !== undefined && size.nano <= 0n) {
    at.add('EDGE_QUANTITY', 'a claim is of more than 0', "write '500Mi' or '1Gi'");
  }
};

/** Files of the Pod that a volume can have (core validation validVolumeDownwardAPIFieldPathExpressions). */
const FILE_PATH = /^metadata\.(?:name|namespace|uid|(?:labels|annotations)(?:\['[^']+'\])?)$/;

const checkFile: Rule = (file, problems) => {
  const path = mapAt(file, 'fieldRef').fieldPath;
  if (typeof path === 'string' && path !== '' && !FILE_PATH.test(path)) {
    const hint = "write 'metadata.labels', or give it to a variable";
    problems.at('fieldRef', 'fieldPath').add('EDGE_VALUE', `a file cannot have ${quoted(path)}`, hint);
  }
  // of a variable it is that of its own container
  if (isMap(file.resourceFieldRef)) {
    const check = needs('an amount in a file', 'containerName', 'write the name of a container');
    check(file.resourceFieldRef, problems.at('resourceFieldRef'));
  }
};

/** Devices of volumes that are not claims (core validation ValidateVolumeDevices). */
const checkDevices: Rule = (pod, problems) => {
  const volumes = new Map(mapsIn(pod, 'volumes').map(([, volume]) => [volume.name, volume]));
  for (const [place, container] of containersIn(pod)) {
    for (const [index, device] of mapsIn(container, 'volumeDevices')) {
      const volume = volumes.get(known(device, 'name'));
      const isClaim = ['persistentVolumeClaim', 'ephemeral'].some((source) => has(volume ?? {}, source));
      if (volume !== undefined && !isClaim && !holdsUnresolved(pod.volumes)) {
        const at = problems.at(...place, 'volumeDevices', index, 'name');
        at.add('EDGE_VALUE', `${quoted(device.name)} is not a claim`, 'mount it by volumeMounts');
      }
    }
  }
};

const PROJECTED = ['clusterTrustBundle', 'configMap', 'downwardAPI', 'podCertificate', 'secret', 'serviceAccountToken'];

/** What the API server refuses in volumes (core validation validateVolumeSource, ValidateVolumeMounts). */
const VOLUME_RULES: RuleTable = {
  VolumeMount: [
    inVolume('subPath'),
    onlyOne('a mount', ['subPath', 'subPathExpr']),
    texts('mountPropagation', 'None', 'HostToContainer', 'Bidirectional'),
  ],
  VolumeDevice: [needs('a device', 'devicePath', "write devicePath: '/dev/xvda'")],
  Volume: [
    checkSources,
    formed(
      'name',
      isDnsLabel,
      'is not a name of a volume',
      'write lower-case letters, digits and "-", at most 63',
      'EDGE_NAME',
    ),
  ],
  PersistentVolumeClaimSpec: [checkClaim],
  EmptyDirVolumeSource: [
    formed(
      'medium',
      (medium) => medium === 'Memory' || /^HugePages(?:-|$)/.test(medium),
      'is not a valid medium',
      "write 'Memory', or leave it out",
    ),
    formed(
      'sizeLimit',
      (size) => (Quantity.parse(size)?.nano ?? -1n) >= 0n,
      'is not a size',
      "write '500Mi' or '1Gi'",
      'EDGE_QUANTITY',
    ),
  ],
  HostPathVolumeSource: [
    texts('type', 'DirectoryOrCreate', 'Directory', 'FileOrCreate', 'File', 'Socket', 'CharDevice', 'BlockDevice'),
    formed('path', hasNoWayBack, 'contains ".."', 'write the path without ".."'),
    needs('a hostPath', 'path', "write path: '/var/lib/app'"),
  ],
  SecretVolumeSource: [FILE_MODE, needs('the volume', 'secretName', 'write the name of a Secret')],
  ConfigMapVolumeSource: [FILE_MODE, needs('the volume', 'name', 'write the name of a ConfigMap')],
  PersistentVolumeClaimVolumeSource: [needs('the volume', 'claimName', 'write the name of a PersistentVolumeClaim')],
  NFSVolumeSource: [
    needs('NFS', 'server', "write server: 'nfs.example'"),
    needs('NFS', 'path', "write path: '/exports'"),
    formed('path', (path) => path.startsWith('/'), 'is not an absolute path', 'begin it with "/"'),
  ],
  CSIVolumeSource: [needs('CSI', 'driver', "write the name of a CSIDriver: 'nfs.csi.k8s.io'")],
  EphemeralVolumeSource: [
    needs(
      'the volume',
      'volumeClaimTemplate',
      "write { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }",
    ),
  ],
  SecretProjection: [needs('the source', 'name', 'write the name of a Secret')],
  ConfigMapProjection: [needs('the source', 'name', 'write the name of a ConfigMap')],
  ServiceAccountTokenProjection: [
    needs('the token', 'path', "write path: 'token'"),
    between('expirationSeconds', 600, 2 ** 32, 'write 600 (ten minutes) or more'),
  ],
  VolumeProjection: [onlyOne('a source', PROJECTED)],
  DownwardAPIVolumeFile: [
    needs('a file', 'path', "write path: 'labels'"),
    oneOf('a file', ['fieldRef', 'resourceFieldRef'], "write fieldRef: { fieldPath: 'metadata.labels' }"),
    onlyOne('a file', ['fieldRef', 'resourceFieldRef']),
    checkFile,
    mode('mode'),
  ],
  DownwardAPIVolumeSource: [FILE_MODE],
  ProjectedVolumeSource: [FILE_MODE],
  KeyToPath: [
    mode('mode'),
    needs('a file', 'key', 'write a key of the data'),
    needs('a file', 'path', 'write its path in the volume'),
    inVolume('path'),
  ],
};

/** What the API server refuses in Pod specs (core validation ValidatePodSpec, ValidateSecurityContext and others). */
export const POD_RULES: RuleTable = {
  ...VOLUME_RULES,
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
    checkSystem,
    checkHostProcess,
    unlessHostNetwork(checkHostUsers),
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
  HostAlias: [
    needs('an alias', 'ip', "write ip: '192.0.2.1'"),
    formed('ip', (ip) => isIP(ip) !== 0, 'is not an IP address', "write '192.0.2.1'"),
    checkHostnames,
  ],
  SecurityContext: [
    ...ids('runAsUser', 'runAsGroup'),
    texts('procMount', 'Default', 'Unmasked'),
    not(
      (context) => context.privileged === true && context.allowPrivilegeEscalation === false,
      'allowPrivilegeEscalation',
      'privileged without allowPrivilegeEscalation',
      'leave one of them out',
    ),
  ],
  PodSecurityContext: [
    ...ids('runAsUser', 'runAsGroup', 'fsGroup'),
    checkGroups,
    texts('fsGroupChangePolicy', 'OnRootMismatch', 'Always'),
    texts('supplementalGroupsPolicy', 'Merge', 'Strict'),
  ],
  PodOS: [needs('os', 'name', "write name: 'linux'"), texts('name', 'linux', 'windows')],
  SeccompProfile: profile('profiles/app.json'),
  AppArmorProfile: profile('app'),
};
