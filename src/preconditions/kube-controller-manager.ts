import { type EdgeWarning, ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { runsOwnNodeLifecycle } from '../cluster/openyurt-capabilities.js';
import { knowsLongControllerNames } from '../cluster/kubernetes-capabilities.js';
import {
  checkControllers,
  KUBEADM_CONTROLLERS,
  runsNodeLifecycle,
  withNodeLifecycle,
  withoutNodeLifecycle,
} from './kube-controllers.js';
import { checkBoolean } from '../base/properties.js';
import { checkedElsewhere, plain, type PropertyTable } from '../base/property-table.js';
import { holdsUnknown } from '../base/unknown.js';
import { editClusterConfiguration, readClusterConfiguration } from './cluster-configuration.js';
import {
  type ClusterState,
  type PreconditionKind,
  type Seen,
  planned,
  type PlannedPrecondition,
  type Precondition,
  type PreconditionAdvice,
  type PreconditionGuide,
  type PreconditionFile,
  type PreconditionInput,
  type PreconditionStep,
  step,
} from './precondition.js';
import { editStaticPod, readStaticPod, runningControllersOf, runningFlagsOf } from './controller-manager-manifest.js';

/**
 * Settings of the precondition that turns the node lifecycle controller of kube-controller-manager off.
 *
 * @category Prepare the cluster
 */
export interface KubeControllerManagerSettings {
  /** Whether the node lifecycle controller is turned off.
   * @default - only if the release requires it */
  readonly apply?: boolean;
  /** Whether yurt-manager runs its own nodelifecycle controller (chart value `controllers`).
   * @default - as in the chart of the release: yes for OpenYurt 1.4 and 1.5, no from 1.6 on */
  readonly yurtManagerRunsNodeLifecycle?: boolean;
  /** Current value of `--controllers`.
   * @default - read from staticPod or clusterConfiguration, else the value that kubeadm writes: `*,bootstrapsigner,tokencleaner` */
  readonly controllers?: string;
  /** The current static Pod manifest of a control-plane node (`/etc/kubernetes/manifests/kube-controller-manager.yaml`), as text; it is edited.
   * @default - no edited manifest is written */
  readonly staticPod?: string;
  /** The current kubeadm configuration, or the ClusterConfiguration of the ConfigMap `kube-system/kubeadm-config`, as text; it is edited.
   * @default - a ClusterConfiguration that contains only this argument is written */
  readonly clusterConfiguration?: string;
}

const PROPERTIES: PropertyTable<KubeControllerManagerSettings> = {
  apply: plain(checkBoolean),
  // it determines whether the release requires the change
  yurtManagerRunsNodeLifecycle: plain(checkBoolean),
  controllers: checkedElsewhere,
  staticPod: checkedElsewhere,
  clusterConfiguration: checkedElsewhere,
};

const TWO_CONTROLLERS =
  'yurt-manager runs its own nodelifecycle controller, which knows that an edge node may be offline; with both, the Pods of such a node would be evicted';

/** Whether and why a cluster needs it. */
function advise(
  cluster: EdgeCluster,
  guide: PreconditionGuide = 'release',
  ownNodeLifecycle?: boolean,
): PreconditionAdvice {
  const component = 'kube-controller-manager';
  if (!cluster.hasOpenYurt()) {
    const reason =
      'nothing else watches the nodes: with the node lifecycle controller off, a dead node would stay Ready forever';
    return { component, need: 'harmful', reason };
  }
  if (guide === 'tunnel') {
    return {
      component,
      need: 'required',
      reason: `yurt-controller-manager runs its own nodelifecycle controller`,
    };
  }
  if (ownNodeLifecycle ?? runsOwnNodeLifecycle(cluster)) {
    return { component, need: 'required', reason: TWO_CONTROLLERS };
  }
  return {
    component,
    need: 'harmful',
    reason:
      'the chart of this release turns the nodelifecycle controller of yurt-manager off (controllers: "-nodelifecycle,*"); if the one of kube-controller-manager is off as well, a dead node would stay Ready forever',
  };
}

/** Documents with the flag, and its current value. */
type Documents = Pick<KubeControllerManagerSettings, 'controllers' | 'staticPod' | 'clusterConfiguration'>;

/** Plans the change of `--controllers`. Nothing else of the component changes. */
function plan(input: PreconditionInput & KubeControllerManagerSettings, problems: ProblemList): PlannedPrecondition {
  const { cluster, controllers, staticPod, clusterConfiguration } = input;
  const advice = advise(cluster, input.guide, input.yurtManagerRunsNodeLifecycle);
  const found = problems.problems.length;
  const documents = { controllers, staticPod, clusterConfiguration };
  const present = presentControllers(documents, problems);
  const isKnown = !holdsUnknown(documents);
  if (isKnown) {
    checkControllers(present, knowsLongControllerNames(cluster), problems.at('controllers'));
  }
  if (problems.problems.length > found) {
    return planned(advice, input, undefined, undefined);
  }
  const isNothing =
    isKnown &&
    runsNodeLifecycle(present) &&
    commandsOf(routesOf(cluster, documents, present, withoutNodeLifecycle(present))).length === 0;
  const others = (known: Documents): Partial<Precondition> => workOf(cluster, known);
  // no step has objects, so there are no steps to plan while a document is unknown
  const steps = (given: Documents): readonly PreconditionStep[] =>
    holdsUnknown(given) ? [] : (others(given).steps ?? []);
  return planned(advice, input, documents, { steps, others }, isNothing ? [NOTHING_TO_EDIT] : []);
}

/** The current value of the flag. */
function presentControllers(
  { controllers, staticPod, clusterConfiguration }: Documents,
  problems: ProblemList,
): string {
  const pod = staticPod === undefined ? undefined : readStaticPod(staticPod, problems.at('staticPod'));
  const configuration =
    clusterConfiguration === undefined
      ? undefined
      : readClusterConfiguration(clusterConfiguration, problems.at('clusterConfiguration'));
  const configured = pod === undefined ? (configuration?.controllers ?? KUBEADM_CONTROLLERS) : (pod.controllers ?? '');
  return controllers ?? configured;
}

/** The steps and files, with known documents. */
function workOf(cluster: EdgeCluster, documents: Documents): Partial<Precondition> {
  const present = presentControllers(documents, new ProblemList());
  const routes = runsNodeLifecycle(present) ? routesOf(cluster, documents, present, withoutNodeLifecycle(present)) : [];
  if (commandsOf(routes).length === 0) {
    return {};
  }
  return {
    files: routes.flatMap(({ files }) => files),
    steps: [
      step('rewrite the static Pod manifest on each control-plane node; the kubelet restarts it', {
        where: 'control-plane',
        commands: commandsOf(routes),
      }),
    ],
    rollback: [
      step(`write the static Pod with --controllers=${present} again on each control-plane node`, {
        where: 'control-plane',
        commands: routes.flatMap(({ rollback }) => rollback),
      }),
    ],
    rollbackFiles: routes.flatMap(({ rollbackFiles }) => rollbackFiles),
    // the next upgrade overwrites an edited manifest, unless it reads patches or the ClusterConfiguration with the change
    lostAfter: routes.some(({ lasts }) => lasts) ? [] : ['kubeadm upgrade'],
  };
}

function commandsOf(routes: readonly Route[]): string[] {
  return routes.flatMap(({ commands }) => commands);
}

const NOTHING_TO_EDIT: EdgeWarning = {
  code: 'EDGE_MISSING',
  path: 'staticPod',
  message: 'nothing is written: no given document contains --controllers, and kubeadm cannot add to this value',
  hint: 'write staticPod: the content of /etc/kubernetes/manifests/kube-controller-manager.yaml',
};

/** The steps that turn the node lifecycle controller on again. */
function undone(
  cluster: EdgeCluster,
  documents: Documents,
  present: string,
): Pick<Precondition, 'files' | 'steps' | 'rollback' | 'rollbackFiles'> {
  const { staticPod, clusterConfiguration } = documents;
  const isKubeadm = cluster.distribution === 'kubeadm';
  const routes = [
    ...(isKubeadm ? [patchAsideRoute(staticPod === undefined && clusterConfiguration === undefined)] : []),
    ...(staticPod === undefined && clusterConfiguration === undefined
      ? []
      : routesOf(cluster, documents, present, withNodeLifecycle(present))),
  ];
  const onEach = (what: string, commands: readonly string[]): PreconditionStep =>
    step(what, { where: 'control-plane', commands });
  return {
    files: routes.flatMap((route) => route.files),
    steps: [onEach('rewrite the static Pod manifest, with the node lifecycle controller on', commandsOf(routes))],
    rollback: [
      onEach(
        'write it as it was',
        routes.flatMap((route) => route.rollback),
      ),
    ],
    rollbackFiles: routes.flatMap((route) => route.rollbackFiles),
  };
}

/** One way to set the flag. */
interface Route {
  readonly files: readonly PreconditionFile[];
  readonly commands: readonly string[];
  readonly rollback: readonly string[];
  readonly rollbackFiles: readonly PreconditionFile[];
  /** Whether kubeadm preserves it at the next upgrade. */
  readonly lasts: boolean;
}

/**
 * The ways to set the flag in a cluster. The patch file and the ClusterConfiguration survive upgrades; the manifest takes effect at once. Without the user's
 * ClusterConfiguration, kubeadm is not called with one, because all other settings would be lost.
 */
function routesOf(cluster: EdgeCluster, documents: Documents, present: string, value: string): Route[] {
  const { staticPod, clusterConfiguration } = documents;
  const isKubeadm = cluster.distribution === 'kubeadm';
  const routes: Route[] = [];
  if (isKubeadm && clusterConfiguration !== undefined) {
    routes.push(
      configurationRoute(
        clusterConfiguration,
        editClusterConfiguration(cluster, clusterConfiguration, value),
        staticPod === undefined,
      ),
    );
  } else if (isKubeadm) {
    const patch = runsNodeLifecycle(present) ? kubeadmPatch(present) : undefined;
    const content = `# Merge this into your ClusterConfiguration.\n${editClusterConfiguration(cluster, undefined, value)}`;
    const files = [{ path: ARGUMENTS_FILE, content }];
    routes.push(
      patch === undefined
        ? { files, commands: [], rollback: [], rollbackFiles: [], lasts: false }
        : patchRoute(patch, files, staticPod === undefined),
    );
  }
  if (staticPod !== undefined) {
    const commands = [`install -m 0600 ${POD_FILE} /etc/kubernetes/manifests/kube-controller-manager.yaml`];
    routes.push({
      files: [{ path: POD_FILE, content: editStaticPod(staticPod, value) }],
      commands,
      rollback: commands,
      rollbackFiles: [{ path: POD_FILE, content: staticPod }],
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

/**
 * The ClusterConfiguration, which an upgrade reads from the ConfigMap `kube-system/kubeadm-config`.
 *
 * @param now whether kubeadm writes the static Pod at once; false with an edited manifest, which preserves flags that only the Pod has
 */
function configurationRoute(before: string, after: string, now: boolean): Route {
  const commands = [
    ...(now ? [`kubeadm init phase control-plane controller-manager --config=${CONFIGURATION_FILE}`] : []),
    `kubeadm init phase upload-config kubeadm --config=${CONFIGURATION_FILE}`,
  ];
  return {
    files: [{ path: CONFIGURATION_FILE, content: after }],
    commands,
    rollback: commands,
    rollbackFiles: [{ path: CONFIGURATION_FILE, content: before }],
    lasts: true,
  };
}

const REWRITE = `kubeadm upgrade node phase control-plane --patches=${PATCH_FOLDER}`;

/** Moves the patch of an earlier run aside; the rollback restores it. */
function patchAsideRoute(now: boolean): Route {
  const [patch, aside] = [`${PATCH_FOLDER}/${PATCH_NAME}`, `/etc/kubernetes/${PATCH_NAME}.aside`];
  const rewrite = now ? [REWRITE] : [];
  const move = (from: string, to: string): string => `if test -f ${from}; then mv ${from} ${to}; fi`;
  return {
    files: [],
    commands: [move(patch, aside), ...rewrite],
    rollback: [move(aside, patch), ...rewrite],
    rollbackFiles: [],
    lasts: true,
  };
}

/** Values of `--controllers` in a cluster to which the patch of this library was applied. */
function patchedValues(configured: string): string[] {
  return ['-nodelifecycle', '-node-lifecycle-controller'].map((entry) => `${configured},${entry}`);
}

/** @param now whether kubeadm writes the static Pod at once */
function patchRoute(patch: string, files: readonly PreconditionFile[], now: boolean): Route {
  const rewrite = now ? [REWRITE] : [];
  return {
    files: [{ path: `kubeadm-patches/${PATCH_NAME}`, content: patch }, ...files],
    commands: [`install -D -m 0600 kubeadm-patches/${PATCH_NAME} ${PATCH_FOLDER}/${PATCH_NAME}`, ...rewrite],
    rollback: [`rm -f ${PATCH_FOLDER}/${PATCH_NAME}`, ...rewrite],
    rollbackFiles: [],
    lasts: true,
  };
}

/**
 * A JSON patch for the patch directory of kubeadm. It adds the flag a second time. The flag is a list, and the second one is appended to the list that kubeadm
 * writes, whatever it contains. If that list already names the controller, the first entry would take precedence, and there is no patch.
 */
function kubeadmPatch(present: string): string | undefined {
  const named = present.split(',').some((entry) => entry === 'nodelifecycle' || entry === 'node-lifecycle-controller');
  const value = `--controllers=${withoutNodeLifecycle(present).split(',')[0]}`;
  const operations = [{ op: 'add', path: '/spec/containers/0/command/-', value }];
  return named ? undefined : `${JSON.stringify(operations, null, 2)}\n`;
}

/** Distinct values of `--controllers` in a cluster: of the manifests and the Pods, else the value that kubeadm would write. */
function controllersIn(state: ClusterState, problems: ProblemList): string[] {
  const { staticPods, controllerManagers, clusterConfiguration } = state;
  const written = staticPods.map((text) => readStaticPod(text, problems.at('staticPod'))?.controllers ?? '');
  const values = [...written, ...controllerManagers.map(runningControllersOf)];
  return values.length === 0 && clusterConfiguration !== undefined
    ? [configuredIn(state, problems)]
    : [...new Set(values)];
}

/** The value that kubeadm would write into the static Pod. */
function configuredIn({ clusterConfiguration: text }: ClusterState, problems: ProblemList): string {
  const read = text === undefined ? undefined : readClusterConfiguration(text, problems.at('clusterConfiguration'));
  return read?.controllers ?? KUBEADM_CONTROLLERS;
}

/** The settings for the controllers of a cluster. */
function controllerSettings(state: ClusterState): KubeControllerManagerSettings {
  const [staticPod] = state.staticPods;
  const { clusterConfiguration } = state;
  const [running] = controllersIn(state, new ProblemList());
  return {
    apply: true,
    ...(staticPod === undefined && running !== undefined && running !== '' ? { controllers: running } : {}),
    ...(staticPod === undefined ? {} : { staticPod }),
    ...(clusterConfiguration === undefined ? {} : { clusterConfiguration }),
  };
}

const MANIFEST = '/etc/kubernetes/manifests/kube-controller-manager.yaml';

/** Why no file can fix the finding without losing other settings; undefined if one can. */
function whyNotWritten(cluster: EdgeCluster, state: ClusterState): string | undefined {
  const values = controllersIn(state, new ProblemList());
  const [value = ''] = values;
  if (values.length > 1 || state.staticPods.length > 1) {
    return `the control-plane nodes differ; run this once per node with its ${MANIFEST}, without the Pods, and with a separate --out`;
  }
  if (state.staticPods.length === 1) {
    return undefined;
  }
  if (cluster.distribution !== 'kubeadm') {
    return `kubeadm did not create this control plane; needs ${MANIFEST}, or change --controllers where it is set`;
  }
  const configured = configuredIn(state, new ProblemList());
  const isPatched = !runsNodeLifecycle(value) && patchedValues(configured).includes(value);
  return value === configured || isPatched
    ? undefined
    : `needs ${MANIFEST}: kubeadm would write the manifest again with ${configured}, and the value of the Pods would be lost`;
}

/** Flags that kubeadm writes (cmd/kubeadm/app/phases/controlplane, getControllerManagerCommand, 1.22 to 1.37). */
const KUBEADM_FLAGS: readonly string[] = [
  'allocate-node-cidrs',
  'authentication-kubeconfig',
  'authorization-kubeconfig',
  'bind-address',
  'client-ca-file',
  'cluster-cidr',
  'cluster-name',
  'cluster-signing-cert-file',
  'cluster-signing-key-file',
  'controllers',
  'feature-gates',
  'kubeconfig',
  'leader-elect',
  'node-cidr-mask-size-ipv4',
  'node-cidr-mask-size-ipv6',
  'port',
  'requestheader-client-ca-file',
  'root-ca-file',
  'service-account-private-key-file',
  'service-cluster-ip-range',
  'use-service-account-credentials',
];

/** Warns about flags that are lost if kubeadm writes the manifest again; undefined if there are none, or if the manifest is edited instead. */
function lostFlags({ staticPods, controllerManagers, clusterConfiguration: text }: ClusterState): string | undefined {
  const configured = text === undefined ? [] : (readClusterConfiguration(text, new ProblemList())?.names ?? []);
  const known = [...KUBEADM_FLAGS, ...configured];
  const flags = new Set(controllerManagers.flatMap(runningFlagsOf).filter((flag) => !known.includes(flag)));
  return staticPods.length > 0 || flags.size === 0
    ? undefined
    : `kubeadm writes the static Pod again, and flags that only the Pods have would be lost: ${[...flags].map((flag) => `--${flag}`).join(', ')}; with ${MANIFEST}, this file is edited instead`;
}

/** Turns the node lifecycle controller on again. */
function turnedOn(
  cluster: EdgeCluster,
  state: ClusterState,
): Pick<Precondition, 'files' | 'steps' | 'rollback' | 'rollbackFiles'> {
  const [value = ''] = controllersIn(state, new ProblemList());
  const { clusterConfiguration, staticPod, controllers } = controllerSettings(state);
  // if the controller is on in the configuration, the configuration did not turn it off
  const isCause = !runsNodeLifecycle(configuredIn(state, new ProblemList()));
  const documents = { staticPod, controllers, ...(isCause ? { clusterConfiguration } : {}) };
  return undone(cluster, documents, value);
}

/** If the nodes differ: a required change is present if all nodes have it, a harmful one if any node has it. */
function seenControllers(
  state: ClusterState,
  { advice: { need } }: { readonly advice: PreconditionAdvice },
  problems: ProblemList,
): Seen | undefined {
  const values = controllersIn(state, problems);
  const isOff = (value: string): boolean => !runsNodeLifecycle(value);
  return values.length === 0
    ? undefined
    : {
        present: need === 'required' ? values.every(isOff) : values.some(isOff),
        found: values.map((value) => (value === '' ? 'no --controllers' : `--controllers=${value}`)).join(' and '),
      };
}

export const KUBE_CONTROLLER_MANAGER: PreconditionKind<KubeControllerManagerSettings> = {
  component: 'kube-controller-manager',
  properties: PROPERTIES,
  advise: (cluster, guide, settings) => advise(cluster, guide, settings.yurtManagerRunsNodeLifecycle),
  plan,
  shownBy:
    '/etc/kubernetes/manifests/kube-controller-manager.yaml, the ConfigMap kubeadm-config, or the Pods of kube-system',
  find: seenControllers,
  settingsOf: controllerSettings,
  changed: () => [],
  whyUnwritten: (state, { cluster }) => whyNotWritten(cluster, state),
  warning: lostFlags,
  undo: (state, cluster) => turnedOn(cluster, state),
};
