import type { EdgeWarning, ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { excludeWorkload } from '../workloads/exclusion.js';
import { type ObjectPath, type PlainMap, isMap, mapAt, valueAt } from '../base/plain-data.js';
import { type WorkloadInput, partialOf } from '../kubernetes/object-input.js';
import { checkBoolean, showValue } from '../base/properties.js';
import { type PropertyTable, checkedElsewhere, oneOf, plain } from '../base/property-table.js';
import { compute, holdsUnknown, isUnknown, merged } from '../base/unknown.js';
import { checkTolerations } from '../kubernetes/scheduling-fields.js';
import type { Toleration } from '../kubernetes/taint.js';
import { given, isAppliedByKubectl, reach, readDocument } from './documents.js';
import {
  type ClusterState,
  type PreconditionKind,
  type Seen,
  type PlannedPrecondition,
  type PreconditionAdvice,
  type PreconditionGuide,
  type PreconditionInput,
  type PreconditionStep,
  type Work,
  isApplied,
  notApplied,
  planned,
  step,
} from './precondition.js';
import { HOSTS_CONFIG_MAPS, HOSTS_FOLDER, type ProxyNames, proxyNamesOf } from './proxy-names.js';
import { writeStep } from './write-step.js';
import { coreDnsOfKubeadm } from '../cluster/kubeadm-capabilities.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** Differences of the Pods of the DaemonSet; values may be unknown. */
export interface PodEdits {
  readonly image?: string;
  readonly tolerations?: readonly Toleration[];
  /** Which hosts file is mounted. */
  readonly names?: ProxyNames;
}

/** A DaemonSet with the Pod template of the Deployment; it differs only as far as the kind requires. */
function daemonSetOf(deployment: PlainMap, edits: PodEdits): PlainMap {
  const { spec } = deployment;
  const { labels } = mapAt(deployment, 'metadata');
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {
      namespace: 'kube-system',
      name: 'coredns',
      labels: merged(isMap(labels) || isUnknown(labels) ? labels : {}, OWN_LABELS),
    },
    spec: compute(
      { spec, edits },
      (known) => {
        const { selector, template } = known.spec as PlainMap;
        return {
          selector,
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
          template: templateOf(template as PlainMap, known.edits),
        };
      },
      isUnknown(spec) && spec,
    ),
  };
}

function templateOf(template: PlainMap, edits: PodEdits): PlainMap {
  return compute(
    { template, edits },
    (known) => {
      const labels = reach(known.template, ['metadata', 'labels']);
      return { ...known.template, spec: podSpecOf(known.template.spec as PlainMap, labels, known.edits) };
    },
    isUnknown(template) && template,
  );
}

function podSpecOf(podSpec: PlainMap, labels: unknown, edits: PodEdits): PlainMap {
  return compute(
    { podSpec, labels, edits },
    (known) => {
      const { containers, tolerations, volumes, affinity } = known.podSpec;
      const { names } = known.edits;
      return {
        ...known.podSpec,
        ...(affinity === undefined ? {} : { affinity: affinityOf(affinity, known.labels) }),
        tolerations: tolerationsOf(tolerations, known.edits.tolerations),
        containers: compute(
          { containers: containers as PlainMap[], edits: known.edits },
          (all) => all.containers.map((container) => containerOf(container, all.edits)),
          isUnknown(containers) && containers,
        ),
        ...(names === undefined ? {} : { volumes: withHosts(volumes, hostsVolume(names)) }),
      };
    },
    isUnknown(podSpec) && podSpec,
  );
}

/** Path of the required anti-affinity in a Pod spec. */
const ANTI_AFFINITY: ObjectPath = ['affinity', 'podAntiAffinity', 'requiredDuringSchedulingIgnoredDuringExecution'];
const [, , REQUIRED] = ANTI_AFFINITY as [string, string, string];

/** Whether required anti-affinity refuses Pods with these labels on the same node. */
function refusesOwnPods(terms: unknown, labels: unknown): boolean {
  return Array.isArray(terms) && terms.some((term) => isOwn(term, labels));
}

function isOwn(term: unknown, labels: unknown): boolean {
  return (
    isMap(term) &&
    term.topologyKey === 'kubernetes.io/hostname' &&
    selects(mapAt(term, 'labelSelector'), mapAt({ labels }, 'labels'))
  );
}

/** The affinity without required anti-affinity to Pods with these labels on the same node. */
function affinityOf(affinity: unknown, labels: unknown): unknown {
  const terms = reach({ affinity }, ANTI_AFFINITY);
  if (terms === undefined) {
    return affinity;
  }
  if (isUnknown(affinity) || !holdsUnknown([terms, labels])) {
    return compute({ affinity, labels }, withoutOwnAntiAffinity, isUnknown(affinity) && [affinity, labels]);
  }
  const { podAntiAffinity } = affinity as PlainMap;
  return { ...(affinity as PlainMap), podAntiAffinity: compute({ podAntiAffinity, labels }, otherAntiAffinity) };
}

function withoutOwnAntiAffinity({
  affinity,
  labels,
}: {
  readonly affinity: unknown;
  readonly labels: unknown;
}): unknown {
  const { podAntiAffinity, ...others } = mapAt({ affinity }, 'affinity');
  const other = otherAntiAffinity({ podAntiAffinity, labels });
  if (other === podAntiAffinity) {
    return affinity;
  }
  return { ...others, ...(other === undefined ? {} : { podAntiAffinity: other }) };
}

/** The anti-affinity without the required terms for Pods with these labels on the same node; undefined if nothing remains. */
function otherAntiAffinity(given: { readonly podAntiAffinity: unknown; readonly labels: unknown }): unknown {
  const { [REQUIRED]: terms, ...preferred } = mapAt(given, 'podAntiAffinity');
  if (!refusesOwnPods(terms, given.labels)) {
    return given.podAntiAffinity;
  }
  const kept = (terms as unknown[]).filter((term) => !isOwn(term, given.labels));
  const rest = { ...preferred, ...(kept.length === 0 ? {} : { [REQUIRED]: kept }) };
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Whether a label selector matches labels (apimachinery, LabelSelector). */
function selects(selector: PlainMap, labels: PlainMap): boolean {
  const expressions = itemsOf(selector.matchExpressions);
  const holds = (expression: unknown): boolean => {
    const { key, operator, values } = isMap(expression) ? expression : {};
    const value = labels[String(key)];
    const isIn = Array.isArray(values) && values.includes(value);
    switch (operator) {
      case 'In':
        return isIn;
      case 'NotIn':
        return !isIn;
      case 'Exists':
        return value !== undefined;
      default:
        return value === undefined;
    }
  };
  return (
    Object.entries(mapAt(selector, 'matchLabels')).every(([key, value]) => labels[key] === value) &&
    expressions.every(holds)
  );
}

/** Whether a list of tolerations tolerates every taint. */
function isToleratingAll(tolerations: unknown): boolean {
  return Array.isArray(tolerations) && tolerations.some(isEverything);
}

const isEverything = (toleration: unknown): boolean =>
  isMap(toleration) && toleration.operator === 'Exists' && toleration.key === undefined;

/** The tolerations of the Deployment except the one for every taint, and additional ones. */
function tolerationsOf(own: unknown, more: unknown): unknown {
  const forms = Array.isArray(own) ? own.map((each: unknown) => (isMap(each) ? [each.operator, each.key] : each)) : own;
  return compute(
    { own, more },
    (all) => [
      ...itemsOf(all.own).filter((each) => !isEverything(each)),
      ...((all.more as unknown[] | undefined) ?? []),
    ],
    [forms, isUnknown(more) && more],
  );
}

/** A list with an additional item, which replaces one with the name hosts. */
function withHosts(list: unknown, added: PlainMap): unknown {
  const names = Array.isArray(list) ? list.map((each: unknown) => (isMap(each) ? each.name : each)) : list;
  const isHosts = (item: unknown): boolean => isMap(item) && item.name === 'hosts';
  return compute({ list, added }, (all) => [...itemsOf(all.list).filter((each) => !isHosts(each)), all.added], names);
}

/** Optional, because CoreDNS must start without it: the tunnel that writes it needs DNS. */
function hostsVolume(names: ProxyNames): PlainMap {
  return { name: 'hosts', configMap: { name: compute(names, (whose) => HOSTS_CONFIG_MAPS[whose]), optional: true } };
}

function containerOf(container: PlainMap, edits: PodEdits): PlainMap {
  return compute(
    { container, edits },
    (known) => {
      const { image, names } = known.edits;
      if (known.container.name !== 'coredns') {
        return known.container;
      }
      const mount = { name: 'hosts', mountPath: HOSTS_FOLDER, readOnly: true };
      return {
        ...known.container,
        ...(image === undefined ? {} : { image }),
        ...(names === undefined ? {} : { volumeMounts: withHosts(known.container.volumeMounts, mount) }),
      };
    },
    isMap(container) ? container.name : container,
  );
}

/**
 * Settings of the precondition that runs CoreDNS as a DaemonSet.
 *
 * @category Prepare the cluster
 */
export interface CoreDnsDaemonSetSettings {
  /** Whether CoreDNS becomes a DaemonSet.
   * @default - only with `guide: 'tunnel'` */
  readonly apply?: boolean;
  /** The current Deployment `kube-system/coredns` of the cluster: a plain object or YAML text. The DaemonSet gets its Pod spec, and the rollback restores its
   * replicas.
   * @default - the Deployment that the kubeadm of the minor writes */
  readonly deployment?: WorkloadInput;
  /** Image of CoreDNS.
   * @default - the image of the Deployment */
  readonly image?: string;
  /** Mounts the hosts file of a tunnel at /etc/edge; see {@link CorefileSettings.proxyNames}.
   * @default - `yurt-tunnel` with `guide: 'tunnel'`, none otherwise */
  readonly proxyNames?: ProxyNames;
  /** Tolerations in addition to those of the Deployment, for regular nodes with taints. The toleration of every taint, as on OpenYurt's page, is removed.
   * @default - none */
  readonly tolerations?: Toleration[];
}

const NAME = { namespace: 'kube-system', name: 'coredns' } as const;
export const DEPLOYMENT = { kind: 'Deployment', ...NAME } as const;
export const DAEMON_SET = { kind: 'DaemonSet', ...NAME } as const;

const PROPERTIES: PropertyTable<CoreDnsDaemonSetSettings> = {
  apply: plain(checkBoolean),
  deployment: checkedElsewhere,
  image: (image, problems) => {
    if (image !== undefined && (typeof image !== 'string' || !/^[^\s]+$/.test(image))) {
      const hint = "write 'registry.k8s.io/coredns/coredns:<tag>'";
      problems.add('EDGE_VALUE', `${showValue(image)} is not the name of an image`, hint);
    }
  },
  proxyNames: oneOf('yurt-tunnel', 'raven'),
  tolerations: checkTolerations,
};

/** Whether and why a cluster needs CoreDNS on each of its regular nodes. */
function advise(cluster: EdgeCluster, guide: PreconditionGuide = 'release'): PreconditionAdvice {
  const component = 'coredns-daemon-set';
  if (guide === 'tunnel') {
    const reason = 'DNS requests do not cross pools, so each node needs its own CoreDNS';
    return { component, need: 'required', reason };
  }
  const where = cluster.hasOpenYurt() ? 'in pools that have a Pod network' : 'on sites that have a Pod network';
  return {
    component,
    need: 'optional',
    reason: `DNS is local ${where}, and works while the site is offline; host-network nodes cannot use it and are excluded`,
  };
}

/** What the steps depend on. */
interface Given {
  readonly daemonSet: PlainMap;
  readonly replicas: number;
  readonly isByKubectl: boolean;
}

/** Plans the DaemonSet, the Deployment with 0 replicas, and the rollback. */
function plan(input: PreconditionInput & CoreDnsDaemonSetSettings, problems: ProblemList): PlannedPrecondition {
  const { cluster, guide, image, tolerations } = input;
  const advice = advise(cluster, guide);
  if (!isApplied(advice, input.apply)) {
    return notApplied(advice);
  }
  const at = problems.at('deployment');
  const deployment =
    input.deployment === undefined ? kubeadmCoreDns(cluster) : readDocument(input.deployment, DEPLOYMENT, at);
  const podSpec = mapAt(mapAt(mapAt(deployment ?? {}, 'spec'), 'template'), 'spec');
  if (deployment !== undefined && !hasCoreDns(podSpec)) {
    const place = at.at('spec', 'template', 'spec', 'containers');
    place.add('EDGE_WRONG_OBJECT', 'the Deployment has no container coredns', 'write the Deployment of CoreDNS');
  }
  if (deployment === undefined || problems.problems.length > 0) {
    return planned(advice, input, undefined, undefined);
  }
  const drafted = daemonSetOf(deployment, { image, tolerations, names: proxyNamesOf(guide, input.proxyNames) });
  const excluded = excludeWorkload(cluster, drafted, {}, at);
  const given = {
    daemonSet: excluded?.manifest ?? drafted,
    replicas: compute(reach(deployment, ['spec', 'replicas']), replicasToRestore),
    isByKubectl: isAppliedByKubectl(deployment),
  };
  const warnings = [...(excluded?.warnings ?? []), ...warningsAbout(podSpec, deployment)];
  return planned(advice, input, given, WORK, warnings);
}

const KUBECTL = 'kubectl --namespace kube-system';

/** Checks that a Pod of the DaemonSet is ready. `rollout status` succeeds at once for a DaemonSet without matching nodes, and the cluster would have no DNS. */
export const DAEMON_SET_ANSWERS = `test "0$(${KUBECTL} get daemonset coredns --ignore-not-found --output=jsonpath='{.status.numberReady}')" -gt 0`;

/** Checks that a Pod of the Deployment is ready. `rollout status` also succeeds at once for a Deployment with 0 replicas. */
const DEPLOYMENT_ANSWERS = `test "0$(${KUBECTL} get deployment coredns --output=jsonpath='{.status.readyReplicas}')" -gt 0`;

const WORK: Work<Given> = {
  steps: ({ daemonSet, isByKubectl }) => [
    step('start CoreDNS on each ordinary node, beside the Deployment, and wait until it answers', {
      manifests: [daemonSet],
      commands: [`${KUBECTL} rollout status daemonset/coredns --timeout=5m`, DAEMON_SET_ANSWERS],
    }),
    writeStep('scale the Deployment to zero, now that the DaemonSet answers', {
      partial: withReplicas(0),
      isByKubectl,
    }),
  ],
  others: ({ replicas, isByKubectl }) => ({
    rollback: [
      startDeployment(replicas, isByKubectl),
      step('delete the DaemonSet, now that the Deployment answers', {
        commands: [DEPLOYMENT_ANSWERS, `${KUBECTL} delete daemonset coredns --ignore-not-found`],
      }),
    ],
    // kubeadm preserves the number of replicas of its Deployment, and has no DaemonSet of CoreDNS
    lostAfter: [],
  }),
};

/** @param isByKubectl whether the Deployment was created by client-side `kubectl apply` */
function startDeployment(replicas: number, isByKubectl: boolean): PreconditionStep {
  return writeStep('start the Deployment again, and wait until it answers', {
    partial: withReplicas(replicas),
    isByKubectl,
    commands: [`${KUBECTL} rollout status deployment/coredns --timeout=5m`],
  });
}

function withReplicas(replicas: unknown): PlainMap {
  return partialOf('apps/v1', DEPLOYMENT, { spec: { replicas } });
}

/** The former number of replicas; if it is 0, because CoreDNS is already a DaemonSet, the number that kubeadm writes. */
function replicasToRestore(before: unknown): number {
  const isNone = typeof before === 'number' && before < 1;
  return isNone ? 2 : typeof before === 'number' ? before : 1;
}

function hasCoreDns(podSpec: PlainMap): boolean {
  const { containers } = podSpec;
  return (
    Array.isArray(containers) &&
    containers.some((container: unknown) => isMap(container) && container.name === 'coredns')
  );
}

/** Warnings about fields of the Deployment that the DaemonSet does not have. */
function warningsAbout(podSpec: PlainMap, deployment: PlainMap): EdgeWarning[] {
  const labels = reach(deployment, ['spec', 'template', 'metadata', 'labels']);
  const terms = reach(podSpec, ANTI_AFFINITY);
  return [
    ...(isToleratingAll(podSpec.tolerations) ? [TOLERATION_WARNING] : []),
    ...(!holdsUnknown([terms, labels]) && refusesOwnPods(terms, labels) ? [ANTI_AFFINITY_WARNING] : []),
  ];
}

const TOLERATION_WARNING: EdgeWarning = {
  code: 'EDGE_VALUE',
  path: 'deployment.spec.template.spec.tolerations',
  message:
    'the toleration of every taint is removed from the DaemonSet: with it, CoreDNS would run on nodes that are tainted for other purposes',
  hint: 'write tolerations of the taints of your regular nodes',
};

const ANTI_AFFINITY_WARNING: EdgeWarning = {
  code: 'EDGE_VALUE',
  path: 'deployment.spec.template.spec.affinity.podAntiAffinity',
  message:
    'the required anti-affinity to its own Pods on the same node is removed from the DaemonSet: with it, the Pods could not start next to those of the Deployment; a DaemonSet has only one Pod per node anyway',
  hint: 'nothing needs to be done',
};

/**
 * The Deployment of CoreDNS that the kubeadm of a minor writes (`cmd/kubeadm/app/phases/addons/dns/manifests.go`, 1.22 to 1.37).
 *
 * @param repository image repository, without the name of the image
 */
export function kubeadmCoreDns(cluster: EdgeCluster, repository = 'registry.k8s.io/coredns'): PlainMap {
  const { version, pod } = coreDnsOfKubeadm(cluster);
  const labels = { 'k8s-app': 'kube-dns' };
  const named = pod === 'named-probe-ports';
  const port = (containerPort: number, name: string, protocol = 'TCP'): PlainMap => ({ containerPort, name, protocol });
  const probe = (path: string, name: string, number: number): PlainMap => ({
    httpGet: { path, port: named ? name : number, scheme: 'HTTP' },
  });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'coredns', namespace: 'kube-system', labels },
    spec: {
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          priorityClassName: 'system-cluster-critical',
          serviceAccountName: 'coredns',
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 100,
                  podAffinityTerm: {
                    labelSelector: { matchExpressions: [{ key: 'k8s-app', operator: 'In', values: ['kube-dns'] }] },
                    topologyKey: 'kubernetes.io/hostname',
                  },
                },
              ],
            },
          },
          tolerations: [
            { key: 'CriticalAddonsOnly', operator: 'Exists' },
            ...(pod === 'tolerates-master' ? [{ key: 'node-role.kubernetes.io/master', effect: 'NoSchedule' }] : []),
            { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
          ],
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          containers: [
            {
              name: 'coredns',
              image: `${repository}/coredns:${version}`,
              imagePullPolicy: 'IfNotPresent',
              resources: { limits: { memory: '170Mi' }, requests: { cpu: '100m', memory: '70Mi' } },
              args: ['-conf', '/etc/coredns/Corefile'],
              volumeMounts: [{ name: 'config-volume', mountPath: '/etc/coredns', readOnly: true }],
              ports: [
                port(53, 'dns', 'UDP'),
                port(53, 'dns-tcp'),
                port(9153, 'metrics'),
                ...(named ? [port(8080, 'liveness-probe'), port(8181, 'readiness-probe')] : []),
              ],
              livenessProbe: {
                ...probe('/health', 'liveness-probe', 8080),
                initialDelaySeconds: 60,
                timeoutSeconds: 5,
                successThreshold: 1,
                failureThreshold: 5,
              },
              readinessProbe: probe('/ready', 'readiness-probe', 8181),
              securityContext: {
                allowPrivilegeEscalation: false,
                capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
                readOnlyRootFilesystem: true,
              },
            },
          ],
          dnsPolicy: 'Default',
          volumes: [
            {
              name: 'config-volume',
              configMap: { name: 'coredns', items: [{ key: 'Corefile', path: 'Corefile' }] },
            },
          ],
        },
      },
    },
  };
}

const NO_DNS =
  'the cluster has no DNS: the Deployment of CoreDNS has no replicas, and no Pod of a DaemonSet of CoreDNS is ready';

/** Whether CoreDNS is a DaemonSet: it has ready Pods, and the Deployment has no replicas; and whether there is DNS
 * at all, which every release needs. */
export function seenDaemonSet({ coreDnsDaemonSet, coreDnsDeployment }: ClusterState): Seen | undefined {
  if (coreDnsDaemonSet === undefined && coreDnsDeployment === undefined) {
    return undefined;
  }
  const replicas = coreDnsDeployment === undefined ? 0 : (valueAt(coreDnsDeployment, ['spec', 'replicas']) ?? 1);
  const { numberReady: ready, desiredNumberScheduled: desired } = mapAt(coreDnsDaemonSet ?? {}, 'status');
  // manifests that were not read from a cluster have no status
  const answers = coreDnsDaemonSet !== undefined && (ready === undefined ? desired === undefined : Number(ready) > 0);
  const pods =
    ready === undefined && desired === undefined
      ? ''
      : ` (${showValue(ready ?? 0)} of ${showValue(desired)} Pods ready)`;
  const deployment = coreDnsDeployment === undefined ? 'no Deployment' : `a Deployment of ${showValue(replicas)}`;
  const hasDns = answers || replicas !== 0;
  return {
    present: answers && replicas === 0,
    found: `${hasDns ? '' : 'no DNS: '}${coreDnsDaemonSet === undefined ? 'no' : 'a'} DaemonSet${pods}, ${deployment}`,
    ...(hasDns ? {} : { harm: NO_DNS }),
  };
}

export const COREDNS_DAEMON_SET: PreconditionKind<CoreDnsDaemonSetSettings> = {
  component: 'coredns-daemon-set',
  properties: PROPERTIES,
  advise,
  plan,
  shownBy: 'the Deployment and DaemonSet kube-system/coredns',
  find: seenDaemonSet,
  settingsOf: ({ coreDnsDeployment }) => ({ apply: true, ...given('deployment', coreDnsDeployment) }),
  changed: ({ coreDnsDeployment }) => [coreDnsDeployment],
  whyUnwritten: ({ coreDnsDeployment }) =>
    coreDnsDeployment === undefined
      ? 'needs the Deployment kube-system/coredns; if there is none, find out why no Pod of the DaemonSet is ready'
      : undefined,
  // before, the cluster had no DNS
  undo: ({ coreDnsDeployment }) => ({
    steps: [startDeployment(2, isAppliedByKubectl(coreDnsDeployment))],
    rollback: [],
  }),
};
