import { ProblemList } from '../../errors.js';
import { Corefile } from '../corefile/corefile.js';
import type { EdgeCluster } from '../edge-cluster.js';
import { type KubernetesObject, type PlainMap, valueAt } from '../kubernetes-object.js';
import { partialOf } from '../named-object.js';
import { type ClusterState, withoutServerFields } from './cluster-state.js';
import { CONFIG_MAP as COREDNS_CONFIG_MAP } from './corefile.js';
import { TOPOLOGY_ANNOTATION } from './coredns-service.js';
import { type PreconditionFinding, presentControllers } from './findings.js';
import { type KubeControllerManagerSettings, undoKubeControllerManager } from './kube-controller-manager.js';
import { withKubeconfig, writeConfigSteps } from './kube-proxy.js';
import type { Precondition, PreconditionEra } from './precondition.js';
import { step } from './precondition.js';
import { planOne, type PreconditionSettings } from './preconditions.js';
import { shellCommand } from '../shell.js';
import { HOSTS_FILE } from './proxy-names.js';
import { writeStep } from './write-step.js';

/** What the constructs would be given to close the gaps of a cluster. */
export function settingsFor(state: ClusterState): Required<PreconditionSettings> {
  const given = <Name extends string>(name: Name, object: PlainMap | undefined): { [key in Name]?: KubernetesObject } =>
    (object === undefined ? {} : { [name]: withoutServerFields(object) }) as { [key in Name]?: KubernetesObject };
  return {
    kubeControllerManager: controllerSettings(state),
    corefile: { apply: true, ...given('configMap', state.corefile) },
    coreDnsService: { apply: true, ...given('service', state.coreDnsService) },
    coreDnsDaemonSet: { apply: true, ...given('deployment', state.coreDnsDeployment) },
    kubeProxy: {
      apply: true,
      ...given('configMap', state.kubeProxyConfig),
      ...given('daemonSet', state.kubeProxyDaemonSet),
    },
  };
}

function controllerSettings(state: ClusterState): KubeControllerManagerSettings {
  const { staticPod, clusterConfiguration } = state;
  const running = presentControllers(state, new ProblemList());
  return {
    apply: true,
    ...(staticPod === undefined && running !== undefined && running !== '' ? { controllers: running } : {}),
    ...(staticPod === undefined ? {} : { staticPod }),
    ...(clusterConfiguration === undefined ? {} : { clusterConfiguration }),
  };
}

const NAMES: Readonly<Record<Precondition['component'], keyof PreconditionSettings>> = {
  'kube-controller-manager': 'kubeControllerManager',
  corefile: 'corefile',
  'coredns-service': 'coreDnsService',
  'coredns-daemon-set': 'coreDnsDaemonSet',
  'kube-proxy': 'kubeProxy',
};

/** The name of the settings of a component. */
export function settingsName(component: Precondition['component']): keyof PreconditionSettings {
  return NAMES[component];
}

/** What closes one gap: the precondition where it is missing, the way back where it does harm or nothing any more. */
export function closingOf(
  cluster: EdgeCluster,
  era: PreconditionEra | undefined,
  finding: PreconditionFinding,
  state: ClusterState,
  problems: ProblemList,
): Precondition | undefined {
  const { state: found, component, need, reason } = finding;
  if (found === 'missing') {
    const name = settingsName(component);
    return planOne(name, cluster, era, settingsFor(state)[name], problems.at(name))?.precondition;
  }
  if (found !== 'harmful' && found !== 'obsolete') {
    return undefined;
  }
  const base = { component, need, reason, applied: true, files: [], reversalFiles: [], lostAfter: [] };
  const undo: Partial<
    Record<Precondition['component'], () => Pick<Precondition, 'steps' | 'reversal'> & Partial<Precondition>>
  > = {
    'kube-controller-manager': () =>
      undoKubeControllerManager({ cluster, ...controllerSettings(state) }, presentControllers(state, problems) ?? ''),
    corefile: () => undoCorefile(state),
    'coredns-service': () => undoService(state),
    'kube-proxy': () => {
      const text = String(valueAt(state.kubeProxyConfig, ['data', 'config.conf']));
      const { kubeProxyConfig, kubeProxyDaemonSet } = state;
      const write = (config: string): Precondition['steps'] =>
        writeConfigSteps(config, kubeProxyConfig, kubeProxyDaemonSet);
      return { steps: write(withKubeconfig(text)), reversal: write(text) };
    },
  };
  const undone = undo[component]?.();
  return undone === undefined ? undefined : { ...base, ...undone };
}

function undoCorefile({ corefile: present }: ClusterState): Pick<Precondition, 'steps' | 'reversal'> {
  const text = String(valueAt(present, ['data', 'Corefile']));
  const partial = (corefile: string): PlainMap => partialOf('v1', COREDNS_CONFIG_MAP, { data: { Corefile: corefile } });
  const without = Corefile.parse(text).withoutHosts(HOSTS_FILE).toString();
  return {
    steps: [writeStep('take the hosts plugin out of the Corefile', { partial: partial(without), present })],
    reversal: [writeStep('write the Corefile as it was', { partial: partial(text), present })],
  };
}

/** By command: a field that another manager owns is not removed by an apply that leaves it out. */
function undoService({ coreDnsService }: ClusterState): Pick<Precondition, 'steps' | 'reversal'> {
  const annotate = (...words: readonly string[]): string =>
    shellCommand('kubectl', '--namespace', 'kube-system', 'annotate', 'service', 'kube-dns', ...words);
  const value = valueAt(coreDnsService, ['metadata', 'annotations', TOPOLOGY_ANNOTATION]);
  const isThere = typeof value === 'string';
  return {
    steps: [step('remove the annotation', { commands: isThere ? [annotate(`${TOPOLOGY_ANNOTATION}-`)] : [] })],
    reversal: [
      step('write the annotation again', {
        commands: isThere ? [annotate('--overwrite', `${TOPOLOGY_ANNOTATION}=${value}`)] : [],
      }),
    ],
  };
}
