import type { ProblemList } from '../base/errors.js';
import { Corefile } from './corefile.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { type PlainMap, valueAt } from '../base/plain-data.js';
import { type ClusterState, withoutServerFields } from './cluster-state.js';
import { controllerSettings, lostFlags, turnedOn, whyNotWritten } from './controllers-fixes.js';
import { startDeployment } from './coredns-daemon-set.js';
import { corefilePartial, DIFF_FILE } from './coredns-corefile.js';
import { TOPOLOGY_ANNOTATION, topologyOf } from './coredns-service.js';
import { isAppliedByKubectl } from './documents.js';
import { type PreconditionFinding, seenDaemonSet } from './findings.js';
import { withKubeconfig, writeConfigSteps } from './kube-proxy.js';
import type { Precondition, PreconditionGuide } from './precondition.js';
import { step } from './precondition.js';
import { planOne, type PreconditionName, type PreconditionSettings } from './kinds.js';
import { shellCommand } from '../base/shell.js';
import { HOSTS_FILE } from './proxy-names.js';
import { writeStep } from './write-step.js';

/** The settings of `EdgePreconditions` that fix the findings of a cluster. */
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

const NAMES: Readonly<Record<Precondition['component'], PreconditionName>> = {
  'kube-controller-manager': 'kubeControllerManager',
  corefile: 'corefile',
  'coredns-service': 'coreDnsService',
  'coredns-daemon-set': 'coreDnsDaemonSet',
  'kube-proxy': 'kubeProxy',
};

/** The name of the settings of a component. */
export function settingsName(component: Precondition['component']): PreconditionName {
  return NAMES[component];
}

/** The fix of a finding, or why none is written. */
export interface FindingFix {
  readonly precondition?: Precondition;
  readonly unwritten?: string;
  readonly warning?: string;
}

/** The fix of a finding: the precondition if it is missing, its removal if it is harmful or obsolete. */
export function fixOf(
  cluster: EdgeCluster,
  guide: PreconditionGuide | undefined,
  finding: PreconditionFinding,
  state: ClusterState,
  problems: ProblemList,
): FindingFix {
  const { component } = finding;
  const unwritten = whyUnwritten(cluster, guide, finding, state);
  if (unwritten !== undefined) {
    return { unwritten };
  }
  const warning = component === 'kube-controller-manager' ? lostFlags(state) : undefined;
  const precondition =
    finding.state === 'missing' ? made(cluster, guide, finding, state, problems) : undone(cluster, finding, state);
  const isEmpty = precondition === undefined || precondition.steps.length === 0;
  return isEmpty && problems.problems.length === 0
    ? { unwritten: 'no document that was read can be changed to fix it; change it where it is set' }
    : { precondition, ...(warning === undefined ? {} : { warning }) };
}

function whyUnwritten(
  cluster: EdgeCluster,
  guide: PreconditionGuide | undefined,
  { component, state: found }: PreconditionFinding,
  state: ClusterState,
): string | undefined {
  switch (component) {
    case 'kube-controller-manager':
      return whyNotWritten(cluster, state);
    case 'coredns-service':
      return found === 'missing' && topologyOf(cluster, guide) === 'annotation' && seenDaemonSet(state)?.dns !== true
        ? 'without a DaemonSet of CoreDNS, pools would have no DNS with the annotation; needs the Deployment and DaemonSet kube-system/coredns'
        : undefined;
    case 'coredns-daemon-set':
      return state.coreDnsDeployment === undefined
        ? 'needs the Deployment kube-system/coredns; if there is none, find out why no Pod of the DaemonSet is ready'
        : undefined;
    case 'corefile': {
      const text = valueAt(state.corefile, ['data', 'Corefile']);
      return found === 'missing' || withoutTunnelHosts(String(text)) !== text
        ? undefined
        : 'the hosts plugin contains other names; move them elsewhere, or remove the plugin by hand';
    }
    default:
      return undefined;
  }
}

function made(
  cluster: EdgeCluster,
  guide: PreconditionGuide | undefined,
  { component }: PreconditionFinding,
  state: ClusterState,
  problems: ProblemList,
): Precondition | undefined {
  const name = settingsName(component);
  return planOne(name, cluster, guide, settingsFor(state)[name], problems.at(name))?.precondition;
}

function undone(
  cluster: EdgeCluster,
  { component, need, reason }: PreconditionFinding,
  state: ClusterState,
): Precondition {
  const base = { component, need, reason, applied: true, files: [], rollbackFiles: [], lostAfter: [] };
  const undo: Record<
    Precondition['component'],
    () => Pick<Precondition, 'steps' | 'rollback'> & Partial<Precondition>
  > = {
    'kube-controller-manager': () => turnedOn(cluster, state),
    corefile: () => undoCorefile(state),
    'coredns-daemon-set': () => ({
      steps: [startDeployment(2, isAppliedByKubectl(state.coreDnsDeployment))],
      // before, the cluster had no DNS
      rollback: [],
    }),
    'coredns-service': () => undoService(state),
    'kube-proxy': () => {
      const text = String(valueAt(state.kubeProxyConfig, ['data', 'config.conf']));
      const given = {
        isConfigByKubectl: isAppliedByKubectl(state.kubeProxyConfig),
        isByKubectl: isAppliedByKubectl(state.kubeProxyDaemonSet),
      };
      const write = (config: string): Precondition['steps'] => writeConfigSteps(config, given);
      return { steps: write(withKubeconfig(text)), rollback: write(text) };
    },
  };
  return { ...base, ...undo[component]() };
}

function withoutTunnelHosts(text: string): string {
  return Corefile.parse(text).withoutHosts(HOSTS_FILE).toString();
}

function undoCorefile({ corefile: present }: ClusterState): Pick<Precondition, 'steps' | 'rollback' | 'files'> {
  const text = String(valueAt(present, ['data', 'Corefile']));
  const isByKubectl = isAppliedByKubectl(present);
  const without = withoutTunnelHosts(text);
  return {
    files: [{ path: DIFF_FILE, content: Corefile.parse(text).diff(Corefile.parse(without)) }],
    steps: [writeStep('take the hosts plugin out of the Corefile', { partial: corefilePartial(without), isByKubectl })],
    rollback: [writeStep('write the Corefile as it was', { partial: corefilePartial(text), isByKubectl })],
  };
}

/** By command, because an apply does not remove a field that another field manager owns. */
function undoService({ coreDnsService }: ClusterState): Pick<Precondition, 'steps' | 'rollback'> {
  const annotate = (...words: readonly string[]): string =>
    shellCommand('kubectl', '--namespace', 'kube-system', 'annotate', 'service', 'kube-dns', ...words);
  const value = valueAt(coreDnsService, ['metadata', 'annotations', TOPOLOGY_ANNOTATION]);
  const isThere = typeof value === 'string';
  return {
    steps: [step('remove the annotation', { commands: isThere ? [annotate(`${TOPOLOGY_ANNOTATION}-`)] : [] })],
    rollback: [
      step('write the annotation again', {
        commands: isThere ? [annotate('--overwrite', `${TOPOLOGY_ANNOTATION}=${value}`)] : [],
      }),
    ],
  };
}
