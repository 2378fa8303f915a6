import type { ProblemList } from '../../errors.js';
import type { EdgeCluster } from '../edge-cluster.js';
import {
  checkControllers,
  KUBEADM_CONTROLLERS,
  runsNodeLifecycle,
  withNodeLifecycle,
  withoutNodeLifecycle,
} from './controllers.js';
import { editClusterConfiguration, readClusterConfiguration } from './cluster-configuration.js';
import {
  planned,
  type PlannedPrecondition,
  type Precondition,
  type PreconditionAdvice,
  type PreconditionEra,
  type PreconditionFile,
  type PreconditionInput,
  step,
} from './precondition.js';
import { editStaticPod, readStaticPod } from './static-pod.js';

/**
 * What is known of the kube-controller-manager of a cluster.
 *
 * @category Prepare the cluster
 */
export interface KubeControllerManagerSettings {
  /** Whether the node lifecycle controller is to be turned off.
   * @default - only where the release requires it */
  readonly apply?: boolean;
  /** Whether yurt-manager runs its own nodelifecycle controller (chart value `controllers`).
   * @default - as the chart of the release has it: yes for OpenYurt 1.4 and 1.5, no from 1.6 on */
  readonly yurtManagerRunsNodeLifecycle?: boolean;
  /** Present value of `--controllers`.
   * @default - read from staticPod or clusterConfiguration, else the one of kubeadm: `*,bootstrapsigner,tokencleaner` */
  readonly controllers?: string;
  /** The static Pod manifest as it stands on a control-plane node (`/etc/kubernetes/manifests/kube-controller-manager.yaml`), to be edited.
   * @default - no edited manifest is written */
  readonly staticPod?: string;
  /** The kubeadm configuration, or the ClusterConfiguration in the ConfigMap `kube-system/kubeadm-config`, to be edited.
   * @default - a ClusterConfiguration that holds the one argument is written */
  readonly clusterConfiguration?: string;
}

const TWO_CONTROLLERS =
  'yurt-manager runs a nodelifecycle controller of its own, which knows that an edge node may be offline; with two of them the Pods of such a node would be evicted';

/** Whether and why a cluster needs it. */
export function adviseKubeControllerManager(
  cluster: EdgeCluster,
  era: PreconditionEra = 'release',
  ownNodeLifecycle?: boolean,
): PreconditionAdvice {
  const component = 'kube-controller-manager';
  if (!cluster.hasOpenYurt()) {
    const reason =
      'nothing else watches the nodes: with the node lifecycle controller off, a dead node would stay Ready for ever';
    return { component, need: 'harmful', reason };
  }
  if (era === 'tunnel') {
    return {
      component,
      need: 'required',
      reason: `yurt-controller-manager runs a nodelifecycle controller of its own`,
    };
  }
  if (ownNodeLifecycle ?? cluster.runsOwnNodeLifecycle()) {
    return { component, need: 'required', reason: TWO_CONTROLLERS };
  }
  return {
    component,
    need: 'harmful',
    reason:
      'the chart of this release turns the nodelifecycle controller of yurt-manager off (controllers: "-nodelifecycle,*"); with that of kube-controller-manager off too, nobody would notice a dead node',
  };
}

/** Plans the change of `--controllers`; everything else of the component stays as it is. */
export function planKubeControllerManager(
  input: PreconditionInput & KubeControllerManagerSettings,
  problems: ProblemList,
): PlannedPrecondition {
  const { cluster } = input;
  const advice = adviseKubeControllerManager(cluster, input.era, input.yurtManagerRunsNodeLifecycle);
  const found = problems.problems.length;
  const pod = input.staticPod === undefined ? undefined : readStaticPod(input.staticPod, problems.at('staticPod'));
  const atConfiguration = problems.at('clusterConfiguration');
  const configuration =
    input.clusterConfiguration === undefined
      ? undefined
      : readClusterConfiguration(input.clusterConfiguration, atConfiguration);
  const configured = pod === undefined ? (configuration?.controllers ?? KUBEADM_CONTROLLERS) : (pod.controllers ?? '');
  const present = input.controllers ?? configured;
  checkControllers(present, cluster.knowsLongControllerNames(), problems.at('controllers'));
  return planned(advice, input, () => {
    if (problems.problems.length > found || !runsNodeLifecycle(present)) {
      return {};
    }
    const routes = routesOf(input, present, withoutNodeLifecycle(present));
    return {
      files: routes.flatMap(({ files }) => files),
      steps: [
        step('write the static Pod anew on each control-plane node; the kubelet restarts it', {
          where: 'control-plane',
          commands: routes.flatMap(({ commands }) => commands),
        }),
      ],
      reversal: [
        step(`write the static Pod with --controllers=${present} again on each control-plane node`, {
          where: 'control-plane',
          commands: routes.flatMap(({ reversal }) => reversal),
        }),
      ],
      reversalFiles: routes.flatMap(({ reversalFiles }) => reversalFiles),
      // a manifest that was edited alone is written anew by the next upgrade; patches and the ClusterConfiguration are read by it
      lostAfter: routes.some(({ lasts }) => lasts) ? [] : ['kubeadm upgrade'],
    };
  });
}

/** The steps that turn the node lifecycle controller on again, in a cluster where it is off and must not be. */
export function undoKubeControllerManager(
  input: PreconditionInput & KubeControllerManagerSettings,
  present: string,
): Pick<Precondition, 'files' | 'steps' | 'reversal' | 'reversalFiles'> {
  const routes = routesOf(input, present, withNodeLifecycle(present));
  const patched = input.clusterConfiguration === undefined && input.cluster.distribution === 'kubeadm';
  const what = 'write the static Pod anew, with the node lifecycle controller on';
  const commands = [
    ...(patched ? [`rm -f ${PATCH_FOLDER}/${PATCH_NAME}`] : []),
    ...routes.flatMap((route) => route.commands),
  ];
  const undone = step('write it as it was', {
    where: 'control-plane',
    commands: routes.flatMap((route) => route.reversal),
  });
  return {
    files: routes.flatMap((route) => route.files),
    steps: [step(what, { where: 'control-plane', commands })],
    reversal: [undone],
    reversalFiles: routes.flatMap((route) => route.reversalFiles),
  };
}

/** One way in which the flag reaches the component. */
interface Route {
  readonly files: readonly PreconditionFile[];
  readonly commands: readonly string[];
  readonly reversal: readonly string[];
  readonly reversalFiles: readonly PreconditionFile[];
  /** Whether kubeadm reads it at the next upgrade. */
  readonly lasts: boolean;
}

/**
 * The ways that a cluster has. The patch file and the ClusterConfiguration last, the manifest works at once. Without the user's ClusterConfiguration
 * kubeadm is never told to write anything from one: it would forget the rest of it.
 */
function routesOf(input: PreconditionInput & KubeControllerManagerSettings, present: string, value: string): Route[] {
  const { cluster, staticPod, clusterConfiguration } = input;
  const isKubeadm = cluster.distribution === 'kubeadm';
  const routes: Route[] = [];
  if (isKubeadm && clusterConfiguration !== undefined) {
    routes.push(
      configurationRoute(clusterConfiguration, editClusterConfiguration(cluster, clusterConfiguration, value)),
    );
  } else if (isKubeadm) {
    const patch = runsNodeLifecycle(present) ? kubeadmPatch(present) : undefined;
    const content = `# Merge this into your ClusterConfiguration.\n${editClusterConfiguration(cluster, undefined, value)}`;
    const files = [{ path: ARGUMENTS_FILE, content }];
    routes.push(
      patch === undefined
        ? { files, commands: [], reversal: [], reversalFiles: [], lasts: false }
        : patchRoute(patch, files, staticPod === undefined),
    );
  }
  if (staticPod !== undefined) {
    const commands = [`install -m 0600 ${POD_FILE} /etc/kubernetes/manifests/kube-controller-manager.yaml`];
    routes.push({
      files: [{ path: POD_FILE, content: editStaticPod(staticPod, value) }],
      commands,
      reversal: commands,
      reversalFiles: [{ path: POD_FILE, content: staticPod }],
      lasts: false,
    });
  }
  return routes;
}

const PATCH_NAME = 'kube-controller-manager+json.json';
const PATCH_FOLDER = '/etc/kubernetes/patches';
const CONFIGURATION_FILE = 'kubeadm/cluster-configuration.yaml';
const ARGUMENTS_FILE = 'kubeadm/controller-manager-arguments.yaml';
const POD_FILE = 'static-pods/kube-controller-manager.yaml';

/** kubeadm takes the ClusterConfiguration of an upgrade from the ConfigMap `kube-system/kubeadm-config`. */
function configurationRoute(before: string, after: string): Route {
  const commands = [
    `kubeadm init phase control-plane controller-manager --config=${CONFIGURATION_FILE}`,
    `kubeadm init phase upload-config kubeadm --config=${CONFIGURATION_FILE}`,
  ];
  return {
    files: [{ path: CONFIGURATION_FILE, content: after }],
    commands,
    reversal: commands,
    reversalFiles: [{ path: CONFIGURATION_FILE, content: before }],
    lasts: true,
  };
}

/** @param now whether kubeadm is to write the static Pod at once */
function patchRoute(patch: string, files: readonly PreconditionFile[], now: boolean): Route {
  const rewrite = now ? [`kubeadm upgrade node phase control-plane --patches=${PATCH_FOLDER}`] : [];
  return {
    files: [{ path: `kubeadm-patches/${PATCH_NAME}`, content: patch }, ...files],
    commands: [`install -D -m 0600 kubeadm-patches/${PATCH_NAME} ${PATCH_FOLDER}/${PATCH_NAME}`, ...rewrite],
    reversal: [`rm -f ${PATCH_FOLDER}/${PATCH_NAME}`, ...rewrite],
    reversalFiles: [],
    lasts: true,
  };
}

/**
 * A JSON patch for the directory for patches of kubeadm. It adds the flag once more, which adds to the list that kubeadm renders (the flag is a list;
 * a second one appends), so it holds whatever else kubeadm writes there. Where the list names the controller before, the first name would win.
 */
function kubeadmPatch(present: string): string | undefined {
  const named = present.split(',').some((entry) => entry === 'nodelifecycle' || entry === 'node-lifecycle-controller');
  const value = `--controllers=${withoutNodeLifecycle(present).split(',')[0]}`;
  const operations = [{ op: 'add', path: '/spec/containers/0/command/-', value }];
  return named ? undefined : `${JSON.stringify(operations, null, 2)}\n`;
}
