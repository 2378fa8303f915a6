import type { ProblemList } from '../base/errors.js';
import { EdgeCluster } from '../cluster/edge-cluster.js';
import { openYurtRow } from '../cluster/openyurt-releases.js';
import type { ExclusionPlan } from '../system-components/exclusion-plan.js';
import { type PlainMap, isMap, mapAt, valueAt } from '../base/plain-data.js';
import { kustomizeComponent } from '../system-components/kustomize-component.js';
import { APPLY_FLAGS, preconditionFiles } from './step-files.js';
import { shellScript } from '../base/shell-script.js';
import { printManifests } from '../base/yaml-print.js';
import { changedBy, findPreconditions, fixOf, type PreconditionSettings, settingsFor, settingsName } from './kinds.js';
import { withoutServerFields } from './documents.js';
import { type ExclusionFinding, findExclusions } from './exclusion-findings.js';
import { type AccessFinding, findAccess } from './access-findings.js';
import { type NodePoolFinding, findNodePools, nodePoolsScript } from './node-pool-findings.js';
import { type WebhookFinding, findWebhooks, webhooksScript } from './webhook-findings.js';
import type {
  ClusterState,
  Precondition,
  PreconditionComponent,
  PreconditionFile,
  PreconditionFinding,
  PreconditionGuide,
} from './precondition.js';
import { type ConversionFinding, conversionScript, findConversion } from './conversion-findings.js';
import { shell } from './shell-parts.js';
import {
  EXCLUDE_ANNOTATION,
  HOST_NETWORK_LABEL,
  type HostNetworkLabel,
  MANAGED_BY,
  MANAGED_BY_LABEL,
  TRUE,
  hasOtherValues,
} from '../kubernetes/labels.js';
import { convertsNodes } from '../cluster/openyurt-capabilities.js';
import { missingRights } from '../pools/node-conversion.js';
import { SystemComponent } from '../system-components/system-component.js';
import { STRICT_TEMPLATES } from '../admission/pod-exclusion.js';
import { requiredTerms, withRequiredTerms } from '../kubernetes/node-affinity.js';
import { excludedTerms, podSpecExcludes } from '../workloads/exclusion-affinity.js';
import { nameOf } from '../kubernetes/object.js';
import { repairScript, shellCommand } from '../base/shell.js';

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
  /** Logs and exec of host-network nodes; undefined where the dump has none. */
  readonly access?: AccessFinding;
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
  const access = findAccess(cluster, state.objects);
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
  const others = [
    systemComponents.filter(isGap),
    nodePools,
    webhooks,
    policies,
    conversion,
    daemonSets,
    access === undefined ? [] : [access].filter(isGap),
  ];
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
    ...(access === undefined ? {} : { access }),
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
  return fixes
    .flatMap((fix) => changedBy(fix, state))
    .filter((object) => object !== undefined)
    .map(withoutServerFields)
    .map((object) => ({ path: `before/${fileNameOf(object)}`, content: printManifests([object]) }));
}

function fileNameOf(object: PlainMap): string {
  return `${String(object.kind)}-${String(mapAt(object, 'metadata').name)}.yaml`.toLowerCase();
}

/** A mutating policy of this library that is not in effect, although another one checks what it adds. */
interface PolicyFinding {
  readonly policy: string;
  readonly state: 'missing';
  readonly reason: string;
}

/**
 * Finds mutating policies that the API server does not serve, or that were deleted. The check of each stays, and names its binding as its parameter, so an API server
 * that came back without the flags of `v1beta1` shows it: nothing excludes or labels any more, and nothing is refused.
 */
export function findPolicies(objects: readonly PlainMap[]): PolicyFinding[] {
  const named = (kind: string): ReadonlySet<unknown> =>
    new Set(objects.filter((object) => object.kind === kind).map((object) => mapAt(object, 'metadata').name));
  const mutating = named('MutatingAdmissionPolicy');
  const bound = named('MutatingAdmissionPolicyBinding');
  const checks = objects.filter(
    (object) =>
      object.kind === 'ValidatingAdmissionPolicy' &&
      mapAt(object, 'metadata').labels !== undefined &&
      mapAt(mapAt(object, 'metadata'), 'labels')[MANAGED_BY_LABEL] === MANAGED_BY &&
      valueAt(object, ['spec', 'paramKind', 'kind']) === 'MutatingAdmissionPolicyBinding',
  );
  return checks.flatMap((check): PolicyFinding[] => {
    const { name } = mapAt(check, 'metadata');
    const binding = objects.find(
      (object) => object.kind === 'ValidatingAdmissionPolicyBinding' && mapAt(object, 'spec').policyName === name,
    );
    const policy = binding && valueAt(binding, ['spec', 'paramRef', 'name']);
    if (typeof policy !== 'string' || (mutating.has(policy) && bound.has(policy))) {
      return [];
    }
    const version = String(valueAt(check, ['spec', 'paramKind', 'apiVersion']));
    const served = version.endsWith('/v1')
      ? ''
      : `, or the API server does not serve ${version} (--feature-gates=MutatingAdmissionPolicy=true --runtime-config=${version}=true)`;
    return [
      {
        policy,
        state: 'missing',
        reason: `${String(name)} checks what it adds, and ${mutating.has(policy) ? 'it has no binding' : `it is not in the dump${served}`}: nothing is excluded or labelled; apply the manifests of PoolAdmission again`,
      },
    ];
  });
}

/** Objects that the input does not contain, so that the report says nothing about them. */
interface UnreadObjects {
  /** `DaemonSets of kube-flannel (flannel)` */
  readonly objects: string;
  /** The command that reads them. */
  readonly command: string;
}

/**
 * What is missing in the input. An empty list of `kubectl get` does not say what it lists, so a namespace counts as read if there is a workload of it, or if
 * the Namespaces were read and it is not among them.
 */
function unreadObjects(cluster: EdgeCluster, { objects }: ClusterState): UnreadObjects[] {
  const rights = 'clusterroles,clusterrolebindings,roles,rolebindings';
  return [
    ...unreadWorkloads(objects),
    ...unreadPools(cluster, objects),
    ...(convertsNodes(cluster) && missingRights(objects) === undefined
      ? [
          {
            objects: 'ClusterRoles, Roles and their bindings (rights of yurthub)',
            command: `kubectl get ${rights} --all-namespaces --output=yaml`,
          },
        ]
      : []),
  ];
}

function unreadWorkloads(objects: readonly PlainMap[]): UnreadObjects[] {
  const read = objects.filter(({ kind }) => kind === 'DaemonSet' || kind === 'Deployment');
  const namespacesRead = new Set(read.map((object) => mapAt(object, 'metadata').namespace));
  const listed = objects.filter(({ kind }) => kind === 'Namespace').map((object) => mapAt(object, 'metadata').name);
  const byNamespace = new Map<string, { readonly kinds: Set<string>; readonly components: Set<string> }>();
  for (const { name, data } of SystemComponent.known()) {
    for (const { namespace, kind } of data.workloads) {
      const known = byNamespace.get(namespace) ?? { kinds: new Set(), components: new Set() };
      byNamespace.set(namespace, known);
      known.kinds.add(kind);
      known.components.add(name);
    }
  }
  return [...byNamespace]
    .filter(([namespace]) => !namespacesRead.has(namespace) && (listed.length === 0 || listed.includes(namespace)))
    .map(([namespace, { kinds, components }]) => ({
      objects: `${[...kinds].map((kind) => `${kind}s`).join(' and ')} of ${namespace} (${[...components].join(', ')})`,
      command: `kubectl --namespace ${namespace} get ${[...kinds].map((kind) => `${kind.toLowerCase()}s`).join(',')} --output=yaml`,
    }));
}

/** NodePools, and the Nodes that show on which pool a bound Pod runs. */
function unreadPools(cluster: EdgeCluster, objects: readonly PlainMap[]): UnreadObjects[] {
  const pools = objects.filter(
    ({ apiVersion, kind }) => kind === 'NodePool' && String(apiVersion).startsWith('apps.openyurt.io/'),
  );
  const hasNodes = objects.some(({ kind }) => kind === 'Node') || pools.some((pool) => isMap(pool.status));
  return [
    ...(pools.length === 0 && cluster.hasOpenYurt()
      ? [{ objects: 'NodePools', command: 'kubectl get nodepools.apps.openyurt.io --output=yaml' }]
      : []),
    ...(pools.length > 0 && !hasNodes
      ? [{ objects: 'Nodes', command: `kubectl get nodes --selector=${HOST_NETWORK_LABEL} --output=yaml` }]
      : []),
  ];
}

/** A cdk8s program that applies missing preconditions. */
function programText(
  cluster: EdgeCluster,
  guide: PreconditionGuide | undefined,
  findings: readonly PreconditionFinding[],
  settings: Required<PreconditionSettings>,
  components: readonly ExclusionFinding[],
): string {
  const missing = findings.filter(isWritten);
  const excluded = componentTexts(components);
  const constructs = [
    'EdgeCluster',
    ...(missing.length > 0 ? ['EdgePreconditions'] : []),
    ...(excluded.length > 0 ? ['EdgeSystemComponents', 'SystemComponent'] : []),
    'writeArtifacts',
  ];
  const distribution = cluster.distribution === 'kubeadm' ? '' : `, distribution: '${cluster.distribution}'`;
  const newer = isNewer(cluster) ? ', allowNewer: true' : '';
  const { key, value } = cluster.hostNetworkLabel;
  const label = hasOtherValues(cluster.hostNetworkLabel)
    ? `, hostNetworkLabel: { key: '${key}', value: '${value}' }`
    : '';
  const releases = `openYurt: '${cluster.openYurtVersion}', kubernetes: '${cluster.kubernetesVersion}'${distribution}${newer}${label}`;
  return [
    `import { App, Chart } from 'cdk8s';`,
    `import { ${constructs.join(', ')} } from 'edge-nodepools';`,
    '',
    'const app = new App();',
    `const chart = new Chart(app, 'system');`,
    `const cluster = EdgeCluster.of({ ${releases} });`,
    ...(missing.length > 0 ? ['', ...preconditionLines(guide, findings, settings)] : []),
    ...(excluded.length > 0
      ? [
          '',
          `new EdgeSystemComponents(chart, 'keep-off', {`,
          '  cluster,',
          '  exclude: [',
          ...excluded.map((text) => `    ${text},`),
          '  ],',
          '});',
        ]
      : []),
    '',
    'app.synth();',
    'writeArtifacts(app);',
    '',
  ].join('\n');
}

const isWritten = ({ state, unwritten }: PreconditionFinding): boolean =>
  state === 'missing' && unwritten === undefined;

/** Required preconditions that exist already, or were not read, are turned off, because they are applied by default. */
function preconditionLines(
  guide: PreconditionGuide | undefined,
  findings: readonly PreconditionFinding[],
  settings: Required<PreconditionSettings>,
): string[] {
  return [
    `new EdgePreconditions(chart, 'preconditions', {`,
    '  cluster,',
    ...(guide === undefined ? [] : [`  guide: '${guide}',`]),
    ...findings.flatMap((finding) => {
      const { component, need, state } = finding;
      const name = settingsName(component);
      if (isWritten(finding)) {
        return [`  ${name}: ${literal(settings[name], '  ')},`];
      }
      const why =
        state === 'fine' ? 'is there already' : state === 'unknown' ? 'nothing of it was read' : 'not written';
      return need === 'required' ? [`  ${name}: { apply: false }, // ${why}`] : [];
    }),
    '});',
  ];
}

/** Plain data as a TypeScript literal: JSON, without unnecessary quotes around property names. */
function literal(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2)
    .replace(/^( *)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')
    .replace(/\n/g, `\n${indent}`);
}

/** The components to exclude: constants for those of the catalog, references for those with other terms. */
function componentTexts(findings: readonly ExclusionFinding[]): string[] {
  const missing = findings.filter(({ state }) => state === 'missing');
  const named = missing.filter(({ component }) => component === undefined).map(({ workload }) => workload);
  const constants = Object.entries(SystemComponent).flatMap(([name, component]) =>
    component instanceof SystemComponent &&
    component.data.workloads.some(({ kind, namespace, name: own }) => named.includes(`${kind} ${namespace}/${own}`))
      ? [`SystemComponent.${name}`]
      : [],
  );
  const references = missing.flatMap(({ component }) =>
    component === undefined ? [] : [`SystemComponent.of(${literal(component, '    ')})`],
  );
  return [...constants, ...references];
}

/** Whether a release of the cluster is newer than the release table (`allowNewer`). */
function isNewer({ openYurtVersion: openYurt, kubernetesVersion: kubernetes }: EdgeCluster): boolean {
  try {
    EdgeCluster.of({ openYurt, kubernetes });
    return false;
  } catch {
    return true;
  }
}

/**
 * A DaemonSet whose Pods are excluded from host-network nodes, and whose template is not. Its controller reads only the template: it creates a Pod for each
 * host-network node, which stays Pending, and a rollout never ends.
 */
interface DaemonSetFinding {
  /** `DaemonSet default/web` */
  readonly workload: string;
  readonly state: 'missing';
  readonly reason: string;
  /** Shell commands that fix it: they replace its Pods. */
  readonly commands: readonly string[];
}

/**
 * Finds DaemonSets whose template is from before a policy, or is not judged by any.
 *
 * @param known names of the DaemonSets that are reported as system components
 */
export function findDaemonSets(
  objects: readonly PlainMap[],
  known: readonly string[],
  label: HostNetworkLabel,
): DaemonSetFinding[] {
  const closed = strictNamespaces(objects);
  const excludedPods = setsWithExcludedPods(objects, label);
  return objects
    .filter(({ kind }) => kind === 'DaemonSet')
    .flatMap((object): DaemonSetFinding[] => {
      const workload = nameOf(object);
      const template = mapAt(mapAt(object, 'spec'), 'template');
      const spec = mapAt(template, 'spec');
      if (known.includes(workload) || podSpecExcludes(spec, label)) {
        return [];
      }
      const { name, namespace = 'default' } = mapAt(object, 'metadata');
      const policy = spec.hostNetwork === true ? undefined : closed(String(namespace));
      const reason =
        mapAt(mapAt(template, 'metadata'), 'annotations')[EXCLUDE_ANNOTATION] === TRUE
          ? `its template has the annotation ${EXCLUDE_ANNOTATION}, but not the node affinity`
          : excludedPods.has(workload)
            ? 'a policy or webhook excludes its Pods, but not its template'
            : policy === undefined
              ? undefined
              : `the policy ${policy} excludes its Pods; its template was written before`;
      return reason === undefined
        ? []
        : [
            {
              workload,
              state: 'missing',
              reason: `${reason}: its Pods stay Pending on host-network nodes, and its rollout never completes`,
              commands: [patchCommand(String(namespace), String(name), spec, label)],
            },
          ];
    });
}

/** Writes the affinity into the template, whether there is a policy that does it or not. */
function patchCommand(namespace: string, name: string, spec: PlainMap, label: HostNetworkLabel): string {
  const { affinity } = withRequiredTerms({}, excludedTerms(requiredTerms(spec), label));
  const patch = JSON.stringify({ spec: { template: { spec: { affinity } } } });
  return shellCommand(
    'kubectl',
    '--namespace',
    namespace,
    'patch',
    'daemonset',
    name,
    '--type=merge',
    '--patch',
    patch,
  );
}

/** The script that fixes them; none if there is nothing to fix. */
function daemonSetsScript(findings: readonly DaemonSetFinding[]): PreconditionFile[] {
  const repairs = findings.map(({ workload, reason, commands }) => ({ what: `${workload}: ${reason}`, commands }));
  const title = 'Writes the node affinity into templates of DaemonSets, which replaces their Pods. It can be repeated.';
  return repairs.length === 0 ? [] : [{ path: 'daemon-sets.sh', content: repairScript(title, repairs) }];
}

/** The DaemonSets that have a Pod which is excluded. */
function setsWithExcludedPods(objects: readonly PlainMap[], label: HostNetworkLabel): ReadonlySet<string> {
  return new Set(
    objects
      .filter((object) => object.kind === 'Pod' && podSpecExcludes(mapAt(object, 'spec'), label))
      .flatMap((pod) => {
        const { namespace, ownerReferences } = mapAt(pod, 'metadata');
        const owners = Array.isArray(ownerReferences) ? ownerReferences.filter(isMap) : [];
        return owners
          .filter(({ kind, controller }) => kind === 'DaemonSet' && controller === true)
          .map(({ name }) => nameOf({ kind: 'DaemonSet', metadata: { namespace, name } }));
      }),
  );
}

/** For a namespace, the name of a policy of this library that excludes every Pod without hostNetwork there; undefined if there is none. */
function strictNamespaces(objects: readonly PlainMap[]): (namespace: string) => string | undefined {
  const policies = objects.filter(
    (object) =>
      object.kind === 'MutatingAdmissionPolicy' &&
      mapAt(mapAt(object, 'metadata'), 'labels')[MANAGED_BY_LABEL] === MANAGED_BY &&
      JSON.stringify(mapAt(object, 'spec').mutations).includes(JSON.stringify(STRICT_TEMPLATES).slice(1, -1)),
  );
  const names = new Set(policies.map((policy) => mapAt(policy, 'metadata').name));
  const bindings = objects
    .filter(({ kind }) => kind === 'MutatingAdmissionPolicyBinding')
    .map((binding) => mapAt(binding, 'spec'))
    .filter(({ policyName }) => names.has(policyName))
    .map((spec) => {
      const expressions = valueAt(spec, ['matchResources', 'namespaceSelector', 'matchExpressions']);
      const values = (Array.isArray(expressions) ? expressions.filter(isMap) : []).flatMap(
        (expression) => expression.values as string[],
      );
      return { policy: String(spec.policyName), excluded: values };
    });
  return (namespace) => bindings.find(({ excluded }) => !excluded.includes(namespace))?.policy;
}
