import type { ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { openYurtRow } from '../cluster/openyurt-releases.js';
import type { ExclusionPlan } from '../system-components/exclusion-plan.js';
import { mapAt, type PlainMap } from '../base/plain-data.js';
import { kustomizeComponent } from '../system-components/kustomize-component.js';
import { APPLY_FLAGS, preconditionFiles } from './step-files.js';
import { shellScript } from '../base/shell-script.js';
import { printManifests } from '../base/yaml-print.js';
import { fixOf, settingsFor } from './finding-fixes.js';
import { type ClusterState, withoutServerFields } from './cluster-state.js';
import { findPreconditions, type PreconditionFinding } from './findings.js';
import { type DaemonSetFinding, daemonSetsScript, findDaemonSets } from './daemon-set-findings.js';
import { findExclusions, type ExclusionFinding } from './exclusion-findings.js';
import { findNodePools, type NodePoolFinding, nodePoolsScript } from './node-pool-findings.js';
import { findPolicies, type PolicyFinding } from './policy-findings.js';
import { findWebhooks, type WebhookFinding, webhooksScript } from './webhook-findings.js';
import type { Precondition, PreconditionComponent, PreconditionGuide, PreconditionFile } from './precondition.js';
import { findConversion, conversionScript, type ConversionFinding } from './conversion-findings.js';
import { programText } from './program-text.js';
import { shell } from './shell-parts.js';
import { type UnreadObjects, unreadObjects } from './unread-objects.js';

/** The findings of a cluster, and the files that fix them. */
export interface PreconditionReport {
  readonly cluster: string;
  readonly preconditions: readonly PreconditionFinding[];
  readonly systemComponents: readonly ExclusionFinding[];
  /** NodePools that an upgrade of OpenYurt changes, or has changed. */
  readonly nodePools: readonly NodePoolFinding[];
  /** Webhooks of yurt-manager that an upgrade of OpenYurt has lost. */
  readonly webhooks: readonly WebhookFinding[];
  /** Mutating policies of this library that are not in effect. */
  readonly policies: readonly PolicyFinding[];
  /** What the conversion of nodes lacks, and the Nodes that it has not made edge nodes. */
  readonly conversion: readonly ConversionFinding[];
  /** DaemonSets whose Pods are excluded from host-network nodes, and whose template is not. */
  readonly daemonSets: readonly DaemonSetFinding[];
  /** Number of findings that need a fix. */
  readonly gaps: number;
  /** Components with a required precondition whose state is unknown. */
  readonly unread: readonly PreconditionComponent[];
  /** Objects that the input does not contain, and that nothing is said about. */
  readonly unreadObjects: readonly UnreadObjects[];
  /** The objects that were read, and the partial objects that exclude components. */
  readonly objects: readonly PlainMap[];
  /** Files that fix the findings, files of the rollback, and the objects before the change. */
  readonly files: readonly PreconditionFile[];
}

const isGap = ({ state }: { readonly state: string }): boolean => ['missing', 'harmful', 'obsolete'].includes(state);

/** Compares a cluster with what its release needs. */
export function reportPreconditions(
  cluster: EdgeCluster,
  guide: PreconditionGuide | undefined,
  state: ClusterState,
  problems: ProblemList,
): PreconditionReport {
  const found = findPreconditions(cluster, guide, state, problems);
  const { findings: systemComponents, plan } = findExclusions(cluster, state, problems);
  const nodePools = findNodePools(cluster, state.objects);
  const release = openYurtRow(cluster.openYurt);
  const webhooks = findWebhooks(release, state.objects);
  const policies = findPolicies(state.objects);
  const conversion = findConversion(cluster, state.objects);
  const known = systemComponents.map(({ workload }) => workload);
  const daemonSets = findDaemonSets(state.objects, known, cluster.hostNetworkLabel);
  const partials = plan?.partials.map(({ object }) => object) ?? [];
  const readable = problems.problems.length === 0;
  const fixed = found.map((finding) => ({
    finding,
    fix: readable && isGap(finding) ? fixOf(cluster, guide, finding, state, problems) : {},
  }));
  const preconditions = fixed.map(({ finding, fix: { unwritten, warning } }) => ({
    ...finding,
    ...(unwritten === undefined ? {} : { unwritten }),
    ...(warning === undefined ? {} : { warning }),
  }));
  const fixes = fixed.flatMap(({ fix: { precondition } }) => precondition ?? []);
  const gaps = found.filter(isGap);
  const exclusionFiles: PreconditionFile[] =
    plan === undefined
      ? []
      : [
          { path: 'keep-off/system-components.yaml', content: printManifests(partials) },
          ...(plan.policies.length === 0
            ? []
            : [{ path: POLICY_FILE, content: printManifests(plan.policies.map(({ object }) => object)) }]),
          { path: 'keep-off/apply.sh', content: exclusionScript(plan) },
          ...kustomizeComponent(partials).map(({ fileName, content }) => ({
            path: `keep-off/kustomize-component/${fileName}`,
            content,
          })),
          ...plan.kubeadmPatches.map(({ fileName, content }) => ({
            path: `keep-off/kubeadm-patches/${fileName}`,
            content,
          })),
        ];
  const before = fixes.length === 0 ? [] : filesBefore(state, fixes);
  const others = [systemComponents.filter(isGap), nodePools, webhooks, policies, conversion, daemonSets];
  const total = others.reduce((sum, { length }) => sum + length, gaps.length);
  const program = {
    path: 'preconditions.ts',
    content: programText(cluster, guide, preconditions, settingsFor(state), systemComponents),
  };
  return {
    cluster: cluster.toString(),
    preconditions,
    systemComponents,
    nodePools,
    webhooks,
    policies,
    conversion,
    daemonSets,
    gaps: total,
    unreadObjects: unreadObjects(cluster, state),
    objects: [...state.objects, ...partials],
    unread: preconditions
      .filter(({ state: seen, need }) => seen === 'unknown' && need === 'required')
      .map(({ component }) => component),
    files: [
      ...(fixes.length === 0 && plan === undefined
        ? []
        : [...inRoot(preconditionFiles(fixes, '.')), ...exclusionFiles, ...before, program]),
      ...nodePoolsScript(nodePools),
      ...webhooksScript(release, state.objects),
      ...conversionScript(conversion),
      ...daemonSetsScript(daemonSets),
    ],
  };
}

function inRoot(files: readonly PreconditionFile[]): PreconditionFile[] {
  return files.map(({ path, content }) => ({ path: path.replace(/^\.\//, ''), content }));
}

const POLICY_FILE = 'keep-off/policy.yaml';

/** A script with patches, which take effect at once for any kind of installation. The policy preserves the exclusion later. */
function exclusionScript({ policies, report }: ExclusionPlan): string {
  return shellScript({
    comments: [
      'Keeps the system components off host-network nodes. It can be repeated.',
      `Tools that apply server-side take system-components.yaml instead, with ${APPLY_FLAGS.join(' ')}.`,
    ],
    parts: [
      shell('own-folder'),
      ...(policies.length === 0
        ? []
        : [`kubectl apply ${APPLY_FLAGS.join(' ')} --filename=${POLICY_FILE.split('/')[1]}`]),
      ...report.flatMap(({ command }) => command ?? []),
    ],
  });
}

/** The current state of the objects that are changed. */
function filesBefore(state: ClusterState, fixes: readonly Precondition[]): PreconditionFile[] {
  const objects: Readonly<Record<PreconditionComponent, readonly (PlainMap | undefined)[]>> = {
    'kube-controller-manager': [],
    corefile: [state.corefile],
    'coredns-service': [state.coreDnsService],
    'coredns-daemon-set': [state.coreDnsDeployment],
    'kube-proxy': [state.kubeProxyConfig, state.kubeProxyDaemonSet],
  };
  return fixes
    .flatMap(({ component }) => objects[component])
    .filter((object) => object !== undefined)
    .map(withoutServerFields)
    .map((object) => ({ path: `before/${fileNameOf(object)}`, content: printManifests([object]) }));
}

function fileNameOf(object: PlainMap): string {
  return `${String(object.kind)}-${String(mapAt(object, 'metadata').name)}.yaml`.toLowerCase();
}
