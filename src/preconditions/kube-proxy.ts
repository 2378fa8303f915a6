import { type EdgeWarning, ProblemList } from '../errors.js';
import { sha256Of } from '../text/content-hash.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { partialOf, readNamedObject, textOfConfigMap } from '../kubernetes/object-reference.js';
import { checkOneOf, checkWholeNumber } from '../validation/properties.js';
import type { WorkloadInput } from '../kubernetes/object-input.js';
import { YamlText } from '../text/yaml-edit.js';
import {
  isApplied,
  planned,
  type PlannedPrecondition,
  type Precondition,
  type PreconditionAdvice,
  type PreconditionEra,
  type PreconditionInput,
  type PreconditionStep,
} from './precondition.js';
import { writeStep } from './write-step.js';

/**
 * What is to be changed in the configuration of kube-proxy.
 *
 * @category Prepare the cluster
 */
export interface KubeProxySettings {
  /** Whether kube-proxy is to find the API server by the environment of its Pod instead of its kubeconfig.
   * @default - only in the tunnel era */
  readonly apply?: boolean;
  /** The ConfigMap `kube-system/kube-proxy` as it is in the cluster: a plain object or YAML text.
   * @default - needed where something is changed */
  readonly configMap?: WorkloadInput;
  /** The DaemonSet `kube-system/kube-proxy` as it is in the cluster: a plain object or YAML text.
   * @default - as kubeadm writes it */
  readonly daemonSet?: WorkloadInput;
  /** Whether the line of the kubeconfig becomes a comment, as OpenYurt's page has it, or goes.
   * @default comment */
  readonly mode?: 'comment' | 'remove';
  /** Verbosity of the log while it is verified that kube-proxy speaks to yurthub (6 shows each request). Take it back afterwards: it fills disks.
   * @default - as it is */
  readonly verbosity?: number;
}

export const CONFIG_MAP = { kind: 'ConfigMap', namespace: 'kube-system', name: 'kube-proxy' } as const;
export const DAEMON_SET = { kind: 'DaemonSet', namespace: 'kube-system', name: 'kube-proxy' } as const;
const KEY = 'config.conf';
const KUBECONFIG = ['clientConnection', 'kubeconfig'];

/** Template annotation that changes with the configuration, so that the DaemonSet controller rolls the Pods. */
export const CONFIG_HASH_ANNOTATION = 'edge-nodepools/config-hash';

// cmd/kubeadm/app/phases/addons/proxy/manifests.go
const KUBEADM_COMMAND = [
  '/usr/local/bin/kube-proxy',
  '--config=/var/lib/kube-proxy/config.conf',
  '--hostname-override=$(NODE_NAME)',
];

/** Whether and why a cluster needs it. */
export function adviseKubeProxy(cluster: EdgeCluster, era: PreconditionEra = 'release'): PreconditionAdvice {
  const component = 'kube-proxy';
  if (!cluster.hasOpenYurt()) {
    const reason =
      'without its kubeconfig kube-proxy looks for the API server at the address of the Service kubernetes, which only kube-proxy itself makes reachable';
    return { component, need: 'harmful', reason };
  }
  if (era === 'tunnel') {
    const reason =
      'kube-proxy must ask yurthub, which the environment of its Pod names, and not the API server, which its kubeconfig names';
    return { component, need: 'required', reason };
  }
  return {
    component,
    need: 'none',
    reason:
      'yurthub takes the kubeconfig out of the configuration by itself (filter inclusterconfig, since OpenYurt 1.2) on the nodes where it runs; the others need it; host-network nodes have no kube-proxy',
  };
}

/** Plans the change of the configuration. Everything else in it stays, comments and unknown fields too. */
export function planKubeProxy(
  input: PreconditionInput & KubeProxySettings,
  problems: ProblemList,
): PlannedPrecondition {
  const { cluster, mode = 'comment', verbosity } = input;
  const advice = adviseKubeProxy(cluster, input.era);
  checkOneOf(input.mode, ['comment', 'remove'], problems.at('mode'));
  checkWholeNumber(verbosity, 0, problems.at('verbosity'));
  if (!isApplied(advice, input.apply)) {
    return verbosity === undefined
      ? planned(advice, input, () => ({}))
      : planVerbosity(input, advice, verbosity, problems);
  }
  const at = problems.at('configMap');
  const configMap = readNamedObject(input.configMap, CONFIG_MAP, at);
  const text = configMap === undefined ? undefined : textOfConfigMap(configMap, KEY, at);
  const config = text === undefined ? undefined : readConfig(text, at.at('data', KEY));
  const atDaemonSet = problems.at('daemonSet');
  const daemonSet =
    input.daemonSet === undefined ? undefined : readNamedObject(input.daemonSet, DAEMON_SET, atDaemonSet);
  const command = daemonSet === undefined ? KUBEADM_COMMAND : commandOf(daemonSet, atDaemonSet);
  if (config === undefined || command === undefined || problems.problems.length > 0) {
    return planned(advice, input, () => ({}));
  }
  const edited = (mode === 'comment' ? config.withComment(KUBECONFIG) : config.without(KUBECONFIG)).toString();
  const template = templatePartial(
    sha256Of(edited),
    verbosity === undefined ? undefined : withVerbosity(command, verbosity),
  );
  return planned(
    advice,
    input,
    () => ({
      steps: [
        writeStep('write the edited configuration', { partial: configPartial(edited), present: configMap }),
        writeStep('roll kube-proxy, so that it reads the configuration', {
          partial: template,
          present: daemonSet,
          commands: [ROLLED],
        }),
      ],
      reversal: [
        writeStep('write the configuration as it was', {
          partial: configPartial(config.toString()),
          present: configMap,
        }),
        writeStep('roll kube-proxy once more', {
          // what is left out goes: the annotation; the command was somebody else's, and is given back
          partial: templatePartial(undefined, verbosity === undefined ? undefined : command),
          present: daemonSet,
          instead: template,
          commands: [ROLLED],
        }),
      ],
      // kubeadm sets the kubeconfig again, and writes the DaemonSet anew (componentconfigs/kubeproxy.go)
      lostAfter: cluster.distribution === 'kubeadm' ? ['kubeadm upgrade'] : [],
    }),
    verbosity === undefined ? [] : [reminder(verbosity)],
  );
}

/** Verbosity alone: the configuration stays as it is. */
function planVerbosity(
  { cluster, daemonSet: given }: PreconditionInput & KubeProxySettings,
  advice: PreconditionAdvice,
  verbosity: number,
  problems: ProblemList,
): PlannedPrecondition {
  const at = problems.at('daemonSet');
  const daemonSet = given === undefined ? undefined : readNamedObject(given, DAEMON_SET, at);
  const command = given === undefined ? KUBEADM_COMMAND : daemonSet && commandOf(daemonSet, at);
  const roll = (words: readonly string[], what: string): PreconditionStep =>
    writeStep(what, { partial: templatePartial(undefined, words), present: daemonSet, commands: [ROLLED] });
  const isUsable = command !== undefined && problems.problems.length === 0;
  return {
    precondition: {
      ...advice,
      applied: true,
      steps: isUsable ? [roll(withVerbosity(command, verbosity), `let kube-proxy log with --v=${verbosity}`)] : [],
      files: [],
      reversal: isUsable ? [roll(command, 'let kube-proxy log as before')] : [],
      reversalFiles: [],
      lostAfter: cluster.distribution === 'kubeadm' ? ['kubeadm upgrade'] : [],
    },
    warnings: [reminder(verbosity)],
  };
}

const ROLLED = 'kubectl --namespace kube-system rollout status daemonset/kube-proxy --timeout=10m';

function reminder(verbosity: number): EdgeWarning {
  return {
    code: 'EDGE_REMINDER',
    path: 'verbosity',
    message: `kube-proxy logs with --v=${verbosity} on every node, which fills disks`,
    hint: 'look for 169.254.2.1:10268 in its log, then take verbosity out and apply again',
  };
}

function readConfig(text: string, problems: ProblemList): YamlText | undefined {
  const config = YamlText.read(text, problems);
  if (config === undefined) {
    return undefined;
  }
  const [apiVersion, kind] = [config.get(['apiVersion']), config.get(['kind'])];
  for (const [field, value] of Object.entries({ apiVersion, kind })) {
    if (typeof value !== 'string') {
      const hint = 'write apiVersion: kubeproxy.config.k8s.io/v1alpha1 and kind: KubeProxyConfiguration';
      problems.at(field).add('EDGE_MISSING', `the configuration has no ${field}`, hint);
    }
  }
  if (typeof kind === 'string' && kind !== 'KubeProxyConfiguration') {
    problems.at('kind').add('EDGE_WRONG_OBJECT', `this is a ${kind}`, 'give the KubeProxyConfiguration');
  }
  const connection = config.get(['clientConnection']) ?? undefined;
  if (connection !== undefined && !isMap(connection)) {
    problems.at('clientConnection').add('EDGE_TYPE', 'clientConnection must be a map', 'write { kubeconfig: … }');
    return undefined;
  }
  return config;
}

/** Whether a configuration names a kubeconfig; undefined when it can not be read. */
export function namesKubeconfig(text: string, problems: ProblemList): boolean | undefined {
  const config = readConfig(text, problems);
  const value = config?.get(KUBECONFIG) ?? '';
  return config === undefined ? undefined : value !== '';
}

/** The configuration with the kubeconfig of the line that is a comment now, else with the one that kubeadm writes; the rest stays. */
export function withKubeconfig(text: string): string {
  const uncommented = text.replace(/^([^\S\n]*)#[^\S\n]*(kubeconfig:[^\S\n]*[^\s#].*)$/m, '$1$2');
  const problems = new ProblemList();
  const read = uncommented === text ? undefined : YamlText.read(uncommented, problems);
  const value = read?.get(KUBECONFIG);
  if (typeof value === 'string' && value !== '') {
    return uncommented;
  }
  const config = YamlText.read(text, new ProblemList()) as YamlText;
  return config.withValue(KUBECONFIG, '/var/lib/kube-proxy/kubeconfig.conf').toString();
}

/** Steps that write a configuration and let every kube-proxy read it. */
export function writeConfigSteps(
  text: string,
  configMap: PlainMap | undefined,
  daemonSet: PlainMap | undefined,
): Precondition['steps'] {
  return [
    writeStep('write the configuration', { partial: configPartial(text), present: configMap }),
    writeStep('roll kube-proxy, so that it reads the configuration', {
      partial: templatePartial(sha256Of(text), undefined),
      present: daemonSet,
      commands: [ROLLED],
    }),
  ];
}

function containerOf(daemonSet: PlainMap): PlainMap | undefined {
  const { containers } = mapAt(mapAt(mapAt(daemonSet, 'spec'), 'template'), 'spec');
  const list: unknown[] = Array.isArray(containers) ? containers : [];
  return list.find((each): each is PlainMap => isMap(each) && each.name === 'kube-proxy');
}

function commandOf(daemonSet: PlainMap, problems: ProblemList): string[] | undefined {
  const command = containerOf(daemonSet)?.command;
  if (!Array.isArray(command) || command.some((wordOfIt: unknown) => typeof wordOfIt !== 'string')) {
    problems.add(
      'EDGE_WRONG_OBJECT',
      'there is no container kube-proxy with a command',
      'give the DaemonSet of kube-proxy',
    );
    return undefined;
  }
  return command as string[];
}

function withVerbosity(command: readonly string[], verbosity: number): string[] {
  return [...command.filter((each) => !/^(-v|--v)=/.test(each)), `--v=${verbosity}`];
}

function configPartial(text: string): PlainMap {
  return partialOf('v1', CONFIG_MAP, { data: { [KEY]: text } });
}

function templatePartial(hash: string | undefined, command: readonly string[] | undefined): PlainMap {
  const template: PlainMap = {
    ...(hash === undefined ? {} : { metadata: { annotations: { [CONFIG_HASH_ANNOTATION]: hash } } }),
    ...(command === undefined ? {} : { spec: { containers: [{ name: 'kube-proxy', command }] } }),
  };
  return partialOf('apps/v1', DAEMON_SET, Object.keys(template).length === 0 ? {} : { spec: { template } });
}
