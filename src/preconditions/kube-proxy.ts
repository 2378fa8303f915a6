import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { sha256Of } from '../base/content-hash.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { isMap, type PlainMap, valueAt } from '../base/plain-data.js';
import { partialOf, type WorkloadInput } from '../kubernetes/object-input.js';
import { checkBoolean } from '../base/properties.js';
import { checkedElsewhere, oneOf, plain, type PropertyTable, wholeNumber } from '../base/property-table.js';
import { compute, isUnknown, text } from '../base/unknown.js';
import { YamlText } from '../base/yaml-edit.js';
import { given, isAppliedByKubectl, reach, readDocument, textIn } from './documents.js';
import {
  type ClusterState,
  type PreconditionKind,
  type Seen,
  type Undo,
  applied,
  isApplied,
  notApplied,
  planned,
  type PlannedPrecondition,
  type Precondition,
  type PreconditionAdvice,
  type PreconditionGuide,
  type PreconditionInput,
  type PreconditionStep,
  type Work,
} from './precondition.js';
import { writeStep } from './write-step.js';
import { itemsOf } from '../kubernetes/field-values.js';

/**
 * Settings of the precondition that changes the configuration of kube-proxy.
 *
 * @category Prepare the cluster
 */
export interface KubeProxySettings {
  /** Whether kube-proxy finds the API server by the environment of its Pod instead of its kubeconfig.
   * @default - only with `guide: 'tunnel'` */
  readonly apply?: boolean;
  /** The current ConfigMap `kube-system/kube-proxy` of the cluster: a plain object or YAML text. Required if the configuration is changed.
   * @default - none */
  readonly configMap?: WorkloadInput;
  /** The current DaemonSet `kube-system/kube-proxy` of the cluster: a plain object or YAML text.
   * @default - the DaemonSet that kubeadm writes */
  readonly daemonSet?: WorkloadInput;
  /** Whether the line of the kubeconfig becomes a comment, as on OpenYurt's page, or is removed.
   * @default comment */
  readonly mode?: 'comment' | 'remove';
  /** Log verbosity, to verify that kube-proxy sends requests to yurthub (6 logs each request). Remove it afterwards, because the logs fill disks.
   * @default - unchanged */
  readonly verbosity?: number;
}

export const CONFIG_MAP = { kind: 'ConfigMap', namespace: 'kube-system', name: 'kube-proxy' } as const;
export const DAEMON_SET = { kind: 'DaemonSet', namespace: 'kube-system', name: 'kube-proxy' } as const;

const PROPERTIES: PropertyTable<KubeProxySettings> = {
  apply: plain(checkBoolean),
  configMap: checkedElsewhere,
  daemonSet: checkedElsewhere,
  mode: oneOf('comment', 'remove'),
  verbosity: wholeNumber(0),
};

const KEY = 'config.conf';
const KUBECONFIG = ['clientConnection', 'kubeconfig'];

/** Annotation of the Pod template that changes with the configuration, so that the DaemonSet controller re-creates the Pods. */
export const CONFIG_HASH_ANNOTATION = 'edge-nodepools/config-hash';

// cmd/kubeadm/app/phases/addons/proxy/manifests.go
const KUBEADM_COMMAND = [
  '/usr/local/bin/kube-proxy',
  '--config=/var/lib/kube-proxy/config.conf',
  '--hostname-override=$(NODE_NAME)',
];

/** Whether and why a cluster needs it. */
function advise(cluster: EdgeCluster, guide: PreconditionGuide = 'release'): PreconditionAdvice {
  const component = 'kube-proxy';
  if (!cluster.hasOpenYurt()) {
    const reason =
      'without its kubeconfig, kube-proxy connects to the API server by the Service kubernetes, which is reachable only through kube-proxy';
    return { component, need: 'harmful', reason };
  }
  if (guide === 'tunnel') {
    const reason =
      'kube-proxy must connect to yurthub, which is in the environment of its Pod, and not to the API server, which is in its kubeconfig';
    return { component, need: 'required', reason };
  }
  return {
    component,
    need: 'none',
    reason:
      'on nodes with yurthub, yurthub removes the kubeconfig from the configuration (filter inclusterconfig, since OpenYurt 1.2); other nodes need it; host-network nodes have no kube-proxy',
  };
}

/** What the steps depend on. */
interface Given {
  readonly config: { readonly text: string; readonly mode: 'comment' | 'remove' };
  readonly isConfigByKubectl: boolean;
  readonly log?: Verbosity;
  readonly isByKubectl: boolean;
  readonly isKubeadm: boolean;
}

/** The command of kube-proxy, and its log verbosity. */
interface Verbosity {
  readonly command: readonly string[];
  readonly verbosity: number;
}

/** Plans the change of the configuration. Everything else in it stays the same, including comments and unknown fields. */
function plan(input: PreconditionInput & KubeProxySettings, problems: ProblemList): PlannedPrecondition {
  const { cluster, mode = 'comment', verbosity } = input;
  const advice = advise(cluster, input.guide);
  const isEdited = isApplied(advice, input.apply);
  if (!isEdited && verbosity === undefined) {
    return notApplied(advice);
  }
  const config = isEdited ? readConfigMap(input, problems) : undefined;
  const at = problems.at('daemonSet');
  const daemonSet = input.daemonSet === undefined ? undefined : readDocument(input.daemonSet, DAEMON_SET, at);
  const command = daemonSet === undefined ? KUBEADM_COMMAND : commandIn(daemonSet, at);
  const isUsable = command !== undefined && (config !== undefined || !isEdited) && problems.problems.length === 0;
  const warnings = verbosity === undefined || isUnknown(verbosity) ? [] : [reminder(verbosity)];
  if (!isUsable) {
    return isEdited ? planned(advice, input, undefined, undefined) : applied(advice, undefined, NO_WORK, warnings);
  }
  const given = { isByKubectl: isAppliedByKubectl(daemonSet), isKubeadm: cluster.distribution === 'kubeadm' };
  const log = verbosity === undefined ? undefined : { command, verbosity };
  return config === undefined
    ? applied(advice, { ...given, log: log as Verbosity }, LOG_WORK, warnings)
    : planned(
        advice,
        input,
        { ...given, log, config: { text: config.text, mode }, isConfigByKubectl: config.isByKubectl },
        CONFIG_WORK,
        warnings,
      );
}

/** The text of the configuration, which may be unknown, and whether its ConfigMap was created by client-side `kubectl apply`. */
function readConfigMap(
  { configMap }: KubeProxySettings,
  problems: ProblemList,
): { readonly text: string; readonly isByKubectl: boolean } | undefined {
  const at = problems.at('configMap');
  const object = readDocument(configMap, CONFIG_MAP, at);
  const config = object === undefined ? undefined : textIn(object, KEY, at);
  const isReadable =
    config !== undefined && (isUnknown(config) || readConfig(config, at.at('data', KEY)) !== undefined);
  return isReadable ? { text: config, isByKubectl: isAppliedByKubectl(object) } : undefined;
}

const NO_WORK: Work<undefined> = { steps: () => [], others: () => ({}) };

const CONFIG_WORK: Work<Given> = {
  steps: (given) => writeConfigSteps(editedConfig(given), given, 'write the edited configuration'),
  others: (given) => ({
    rollback: [
      writeStep('write the configuration as it was', {
        partial: configPartial(given.config.text),
        isByKubectl: given.isConfigByKubectl,
      }),
      writeStep('restart the rollout of kube-proxy once more', {
        // the annotation is missing, so it is removed; the former command is restored
        partial: templatePartial(undefined, given.log?.command),
        isByKubectl: given.isByKubectl,
        instead: templatePartial(sha256Of(editedConfig(given)), verboseCommand(given)),
        commands: [ROLLED],
      }),
    ],
    lostAfter: lostAfter(given),
  }),
};

/** Only the verbosity; the configuration does not change. */
const LOG_WORK: Work<Pick<Given, 'isByKubectl' | 'isKubeadm'> & { readonly log: Verbosity }> = {
  steps: (given) => [
    roll(text`set the verbosity of kube-proxy to --v=${given.log.verbosity}`, verboseCommand(given), given),
  ],
  others: (given) => ({
    rollback: [roll('set the verbosity of kube-proxy back', given.log.command, given)],
    lostAfter: lostAfter(given),
  }),
};

function roll(
  what: string,
  command: readonly string[] | undefined,
  { isByKubectl }: Pick<Given, 'isByKubectl'>,
): PreconditionStep {
  return writeStep(what, { partial: templatePartial(undefined, command), isByKubectl, commands: [ROLLED] });
}

/** kubeadm sets the kubeconfig again, and writes the DaemonSet again (componentconfigs/kubeproxy.go). */
function lostAfter({ isKubeadm }: Pick<Given, 'isKubeadm'>): Precondition['lostAfter'] {
  return isKubeadm ? ['kubeadm upgrade'] : [];
}

function editedConfig({ config }: Pick<Given, 'config'>): string {
  return compute(config, ({ text: before, mode }) => {
    const read = YamlText.read(before, new ProblemList()) as YamlText;
    return (mode === 'comment' ? read.withComment(KUBECONFIG) : read.without(KUBECONFIG)).toString();
  });
}

function verboseCommand({ log }: Pick<Given, 'log'>): readonly string[] | undefined {
  return log === undefined
    ? undefined
    : compute(log, ({ command, verbosity }) => [
        ...command.filter((each) => !/^(-v|--v)=/.test(each)),
        `--v=${verbosity}`,
      ]);
}

const ROLLED = 'kubectl --namespace kube-system rollout status daemonset/kube-proxy --timeout=10m';

function reminder(verbosity: number): EdgeWarning {
  return {
    code: 'EDGE_REMINDER',
    path: 'verbosity',
    message: `kube-proxy logs with --v=${verbosity} on every node, which fills disks`,
    hint: 'search its log for 169.254.2.1:10268, then remove verbosity and apply again',
  };
}

function readConfig(before: string, problems: ProblemList): YamlText | undefined {
  const config = YamlText.read(before, problems);
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
    problems.at('kind').add('EDGE_WRONG_OBJECT', `this is a ${kind}`, 'write the KubeProxyConfiguration');
  }
  const connection = config.get(['clientConnection']) ?? undefined;
  if (connection !== undefined && !isMap(connection)) {
    problems.at('clientConnection').add('EDGE_TYPE', 'clientConnection must be a map', 'write { kubeconfig: … }');
    return undefined;
  }
  return config;
}

/** Whether a configuration has a kubeconfig; undefined if it is invalid. */
function namesKubeconfig(config: string, problems: ProblemList): boolean | undefined {
  const read = readConfig(config, problems);
  const value = read?.get(KUBECONFIG) ?? '';
  return read === undefined ? undefined : value !== '';
}

/** The configuration with the kubeconfig: of the line that is a comment now, else the value that kubeadm writes. Nothing else changes. */
export function withKubeconfig(before: string): string {
  const uncommented = before.replace(/^([ \t]*)#[ \t]*(kubeconfig:[ \t]*[^\s#].*)$/m, '$1$2');
  const problems = new ProblemList();
  const read = uncommented === before ? undefined : YamlText.read(uncommented, problems);
  const value = read?.get(KUBECONFIG);
  if (typeof value === 'string' && value !== '') {
    return uncommented;
  }
  const config = YamlText.read(before, new ProblemList()) as YamlText;
  return config.withValue(KUBECONFIG, '/var/lib/kube-proxy/kubeconfig.conf').toString();
}

/** Steps that write a configuration and re-create the Pods of kube-proxy. */
function writeConfigSteps(
  config: string,
  given: Pick<Given, 'isConfigByKubectl' | 'isByKubectl' | 'log'>,
  what = 'write the configuration',
): PreconditionStep[] {
  return [
    writeStep(what, { partial: configPartial(config), isByKubectl: given.isConfigByKubectl }),
    writeStep('restart kube-proxy, so that it reads the configuration', {
      partial: templatePartial(compute(config, sha256Of), verboseCommand(given)),
      isByKubectl: given.isByKubectl,
      commands: [ROLLED],
    }),
  ];
}

/** The command of kube-proxy, which may be unknown. A DaemonSet without one is a problem. */
function commandIn(daemonSet: PlainMap, problems: ProblemList): readonly string[] | undefined {
  const containers = reach(daemonSet, ['spec', 'template', 'spec', 'containers']);
  // only the necessary fields, so that other unknown fields do not make the command unknown
  const read = Array.isArray(containers)
    ? containers.map((each: unknown) => (isMap(each) ? { name: each.name, command: each.command } : each))
    : containers;
  const command = compute(read, commandOf);
  if (command === undefined) {
    problems.add(
      'EDGE_WRONG_OBJECT',
      'the DaemonSet has no container kube-proxy with a command',
      'write the DaemonSet of kube-proxy',
    );
  }
  return command;
}

function commandOf(containers: unknown): readonly string[] | undefined {
  const list = itemsOf(containers);
  const command = list.find((each): each is PlainMap => isMap(each) && each.name === 'kube-proxy')?.command;
  return Array.isArray(command) && command.every((word) => typeof word === 'string') ? command : undefined;
}

function configPartial(config: string): PlainMap {
  return partialOf('v1', CONFIG_MAP, { data: { [KEY]: config } });
}

function templatePartial(hash: string | undefined, command: readonly string[] | undefined): PlainMap {
  const template: PlainMap = {
    ...(hash === undefined ? {} : { metadata: { annotations: { [CONFIG_HASH_ANNOTATION]: hash } } }),
    ...(command === undefined ? {} : { spec: { containers: [{ name: 'kube-proxy', command }] } }),
  };
  return partialOf('apps/v1', DAEMON_SET, Object.keys(template).length === 0 ? {} : { spec: { template } });
}

function seenKubeProxy({ kubeProxyConfig }: ClusterState, _: object, problems: ProblemList): Seen | undefined {
  const text = valueAt(kubeProxyConfig, ['data', KEY]);
  if (typeof text !== 'string') {
    return undefined;
  }
  const named = namesKubeconfig(text, problems.at('ConfigMap kube-system/kube-proxy', 'data', KEY));
  return { present: named === false, found: named === false ? 'no kubeconfig' : 'a kubeconfig' };
}

function undoKubeProxy({ kubeProxyConfig, kubeProxyDaemonSet }: ClusterState): Undo {
  const text = String(valueAt(kubeProxyConfig, ['data', KEY]));
  const write = (config: string): Precondition['steps'] =>
    writeConfigSteps(config, {
      isConfigByKubectl: isAppliedByKubectl(kubeProxyConfig),
      isByKubectl: isAppliedByKubectl(kubeProxyDaemonSet),
    });
  return { steps: write(withKubeconfig(text)), rollback: write(text) };
}

export const KUBE_PROXY: PreconditionKind<KubeProxySettings> = {
  component: 'kube-proxy',
  properties: PROPERTIES,
  advise,
  plan,
  shownBy: 'the ConfigMap kube-system/kube-proxy',
  find: seenKubeProxy,
  settingsOf: ({ kubeProxyConfig, kubeProxyDaemonSet }) => ({
    apply: true,
    ...given('configMap', kubeProxyConfig),
    ...given('daemonSet', kubeProxyDaemonSet),
  }),
  changed: ({ kubeProxyConfig, kubeProxyDaemonSet }) => [kubeProxyConfig, kubeProxyDaemonSet],
  undo: undoKubeProxy,
};
