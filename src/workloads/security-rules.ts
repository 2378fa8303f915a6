import type { ProblemList } from '../errors.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { CONTAINER_FIELDS } from './containers.js';
import { between, has, known, mapsIn, needs, not, type Rule, texts } from './rule-builders.js';

/** Users and groups of Linux (apimachinery validation.IsValidUserID). */
const ids = (...fields: string[]): Rule[] =>
  fields.map((field) => between(field, 0, 2 ** 31 - 1, 'write a number from 0 to 2147483647'));

const checkGroups: Rule = (context, problems) => {
  const groups = known(context, 'supplementalGroups');
  (Array.isArray(groups) ? groups : []).forEach((group: unknown, index) => {
    if (typeof group === 'number' && (group < 0 || group >= 2 ** 31)) {
      problems
        .at('supplementalGroups', index)
        .add('EDGE_VALUE', `${group} is not valid here`, 'write a number from 0 to 2147483647');
    }
  });
};

/** Fields of Linux alone (core validation validateWindows). */
const OF_LINUX = {
  pod: ['hostUsers', 'shareProcessNamespace'],
  podContext:
    'appArmorProfile fsGroup fsGroupChangePolicy runAsGroup runAsUser seLinuxChangePolicy seLinuxOptions seccompProfile supplementalGroups supplementalGroupsPolicy'.split(
      ' ',
    ),
  context:
    'allowPrivilegeEscalation appArmorProfile capabilities privileged procMount readOnlyRootFilesystem runAsGroup runAsUser seLinuxOptions seccompProfile'.split(
      ' ',
    ),
};

/** Refuses what the other operating system has, for Pods that name theirs. */
const checkSystem: Rule = (pod, problems) => {
  const name = isMap(pod.os) ? known(pod.os, 'name') : undefined;
  const refuse = (part: PlainMap, fields: readonly string[], at: ProblemList): void => {
    for (const field of fields.filter((each) => known(part, each) !== undefined)) {
      at.at(field).add(
        'EDGE_CONTRADICTION',
        `conflicting settings: a Pod of ${String(name)} has no ${field}`,
        'leave it out, or write another os',
      );
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
  for (const field of CONTAINER_FIELDS) {
    for (const [index, container] of mapsIn(pod, field)) {
      refuse(
        mapAt(container, 'securityContext'),
        isWindows ? OF_LINUX.context : ['windowsOptions'],
        problems.at(field, index, 'securityContext'),
      );
    }
  }
};

/** A process of a Windows host is on its network (core validation validateWindowsHostProcessPod). */
const checkHostProcess: Rule = (pod, problems) => {
  const isProcess = (part: PlainMap): boolean =>
    mapAt(mapAt(part, 'securityContext'), 'windowsOptions').hostProcess === true;
  const parts = [pod, ...CONTAINER_FIELDS.flatMap((field) => mapsIn(pod, field).map(([, container]) => container))];
  if (parts.some(isProcess) && (pod.hostNetwork ?? false) === false) {
    problems
      .at('hostNetwork')
      .add(
        'EDGE_CONTRADICTION',
        'conflicting settings: a process of the host (hostProcess) without hostNetwork',
        'write hostNetwork: true',
      );
  }
};

/** Since users of their own are there for every Pod, in Kubernetes 1.33; before, the field is dropped (core validation validateHostUsers). */
export const checkHostUsers: Rule = (pod, problems) => {
  const field = ['hostNetwork', 'hostPID', 'hostIPC'].find((each) => pod[each] === true);
  if (pod.hostUsers === false && field !== undefined) {
    problems
      .at('hostUsers')
      .add(
        'EDGE_CONTRADICTION',
        `conflicting settings: hostUsers false with ${field}`,
        `leave hostUsers out, or ${field}`,
      );
  }
};

const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

const profile = (example: string): readonly Rule[] => [
  needs('a profile', 'type', "write type: 'RuntimeDefault'"),
  texts('type', ...PROFILES),
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

/** What the API server refuses in users, profiles and what belongs to one operating system (core validation ValidateSecurityContext), by type. */
export const SECURITY_RULES: Readonly<Record<string, readonly Rule[]>> = {
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

/** The same for the Pod spec as a whole. */
export const POD_SECURITY_RULES: readonly Rule[] = [checkSystem, checkHostProcess];
