/**
 * How OpenYurt 1.7 makes an edge node of a Node with the label of an Edge pool: a Job on the node installs yurthub, and the Node stays cordoned until it has
 * succeeded (`pkg/yurtmanager/controller/yurtnodeconversion` and `pkg/node-servant`, v1.7.0).
 */
import { NEXT_CONVERSION, OPENYURT_RELEASES } from '../cluster/openyurt-releases.js';
import type { PlannedObject } from '../cluster/plan.js';
import { EDGE_WORKER_LABEL, NODE_POOL_LABEL, OWN_LABELS, TRUE } from '../kubernetes/labels.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import { type Repair, shellCommand } from '../base/shell.js';
import { printManifests } from '../base/yaml-print.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';

const JOB = 'node-servant-conversion-';
const JOB_LABEL = 'openyurt.io/conversion-node';

/** The longest name of a Node that can be converted: a Job whose name is longer than a label value has no Pods, and is refused. */
export const LONGEST_CONVERTED_NAME = 63 - JOB.length;

/** Name of the rights. Not `yurt-hub`: the chart yurt-manager after 1.7 has that name, and Helm refuses to take over what it did not make. */
export const YURTHUB_RIGHTS = 'edge-nodepools-yurthub';

/** What yurthub lists and watches as its node, and what kube-proxy and CoreDNS do through it; everything else the authorizer of nodes permits. */
const NEEDED = [
  { group: 'apps.openyurt.io', resource: 'nodepools' },
  { group: 'discovery.k8s.io', resource: 'endpointslices' },
  { group: '', resource: 'configmaps', namespace: 'kube-system' },
] as const;
const VERBS = ['list', 'watch'] as const;
const NODES = 'system:nodes';
const RBAC = 'rbac.authorization.k8s.io';

/** Argo CD, Flux and Helm keep them when the program has no join any more: a node that is converted does not start without them. */
const KEPT = {
  'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
  'helm.sh/resource-policy': 'keep',
  'kustomize.toolkit.fluxcd.io/prune': 'disabled',
};

/** The least rights of yurthub. */
export function yurthubRights(): KubernetesObject[] {
  return [undefined, 'kube-system'].flatMap((namespace) => {
    const kind = namespace === undefined ? 'ClusterRole' : 'Role';
    const place = namespace === undefined ? {} : { namespace };
    const metadata = { name: YURTHUB_RIGHTS, ...place, labels: { ...OWN_LABELS }, annotations: { ...KEPT } };
    const rules = NEEDED.filter((need) => ('namespace' in need ? need.namespace : undefined) === namespace);
    return [
      {
        apiVersion: `${RBAC}/v1`,
        kind,
        metadata,
        rules: rules.map(({ group, resource }) => ({ apiGroups: [group], resources: [resource], verbs: [...VERBS] })),
      },
      {
        apiVersion: `${RBAC}/v1`,
        kind: `${kind}Binding`,
        metadata,
        roleRef: { apiGroup: RBAC, kind, name: YURTHUB_RIGHTS },
        subjects: [{ apiGroup: RBAC, kind: 'Group', name: NODES }],
      },
    ];
  });
}

/** The same as part of a plan. */
export function plannedRights(): PlannedObject[] {
  return yurthubRights().map((object) => ({
    object,
    apply: 'create',
    id: YURTHUB_RIGHTS,
    after: [],
    retain: 'always',
    force: true,
  }));
}

/** The command that applies them. */
export const APPLY_RIGHTS = [
  "kubectl apply --server-side --force-conflicts --field-manager=edge-nodepools --filename=- <<'END'",
  `${printManifests(yurthubRights()).trimEnd()}`,
  'END',
].join('\n');

const listOf = (value: unknown): PlainMap[] => (Array.isArray(value) ? value.filter(isMap) : []);
const includes = (list: unknown, word: string): boolean =>
  Array.isArray(list) && (list.includes(word) || list.includes('*'));

/**
 * What nodes may not do that yurthub does, by the rules that are bound to them, whatever their names are; undefined if the bindings were not read.
 *
 * @returns `list configmaps of kube-system`
 */
export function missingRights(objects: readonly PlainMap[]): string[] | undefined {
  const roles = objects.filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role');
  const rulesIn = (namespace: string | undefined): PlainMap[] =>
    objects
      .filter(({ kind, metadata }) =>
        namespace === undefined
          ? kind === 'ClusterRoleBinding'
          : kind === 'RoleBinding' && isMap(metadata) && metadata.namespace === namespace,
      )
      .filter(({ subjects }) =>
        listOf(subjects).some(
          ({ kind, name }) => kind === 'Group' && (name === NODES || name === 'system:authenticated'),
        ),
      )
      .flatMap(({ roleRef }) => {
        const { kind, name } = isMap(roleRef) ? roleRef : {};
        const role = roles.find((each) => {
          const metadata = mapAt(each, 'metadata');
          return each.kind === kind && metadata.name === name && (kind !== 'Role' || metadata.namespace === namespace);
        });
        return listOf(role?.rules);
      });
  // every cluster has some of both
  const isRead = (kind: string): boolean => objects.some((object) => object.kind === kind);
  if (!isRead('ClusterRoleBinding') || !isRead('ClusterRole')) {
    return undefined;
  }
  const everywhere = rulesIn(undefined);
  const missing = NEEDED.flatMap((need) => {
    const namespace = 'namespace' in need ? need.namespace : undefined;
    const rules = namespace === undefined ? everywhere : [...everywhere, ...rulesIn(namespace)];
    return VERBS.filter(
      (verb) =>
        !rules.some(
          ({ apiGroups, resources, resourceNames, verbs }) =>
            includes(apiGroups, need.group) &&
            includes(resources, need.resource) &&
            includes(verbs, verb) &&
            !(Array.isArray(resourceNames) && resourceNames.length > 0),
        ),
    ).map((verb) => ({
      namespace,
      text: `${verb} ${need.resource}${namespace === undefined ? '' : ` of ${namespace}`}`,
    }));
  });
  const isUnread = missing.some(({ namespace }) => namespace !== undefined) && !isRead('RoleBinding');
  const known = missing.filter(({ namespace }) => namespace === undefined || !isUnread);
  return isUnread && known.length === 0 ? undefined : known.map(({ text }) => text);
}

/**
 * - `not begun`: nothing has happened yet, although yurt-manager converts nodes
 * - `stale Job`: the Job of an earlier machine of that name counts as the one of this Node, or is left of a Node that is gone
 * - `long name`: the Job was refused
 */
export type ConversionState = 'converted' | 'not begun' | 'running' | 'failed' | 'stale Job' | 'long name' | 'reverted';

/** How far the conversion of a Node is. */
export interface NodeConversion {
  readonly node: string;
  readonly state: ConversionState;
  /** The condition of the Node, its cordon, and its Job with its age. */
  readonly seen: string;
  /** The Job of a Node that is gone, as it is named in messages.
   * @default - the Node is there */
  readonly job?: string;
  /** What is wrong, and what repairs it.
   * @default - nothing is wrong */
  readonly repair?: Repair;
}

/** What a Job says. */
interface JobFact {
  readonly name: string;
  readonly namespace: string;
  readonly node: string;
  readonly action: string;
  readonly createdAt: string;
  readonly outcome: 'runs' | 'Complete' | 'Failed' | 'is being deleted';
  readonly finalizer?: string;
}

const FINALIZERS = [...OPENYURT_RELEASES.map(({ conversion }) => conversion), NEXT_CONVERSION].flatMap(
  (facts) => facts?.finalizer ?? [],
);

function jobFacts(objects: readonly PlainMap[]): JobFact[] {
  return objects
    .filter(({ kind }) => kind === 'Job')
    .flatMap((job): JobFact[] => {
      const metadata = mapAt(job, 'metadata');
      const node = mapAt(metadata, 'labels')[JOB_LABEL];
      const command = String(valueAt(job, ['spec', 'template', 'spec', 'containers', 0, 'args', 0]));
      const is = (type: string): boolean =>
        listOf(mapAt(job, 'status').conditions).some((each) => each.type === type && each.status === 'True');
      const { finalizers } = metadata;
      const finalizer = FINALIZERS.find((each) => Array.isArray(finalizers) && finalizers.includes(each));
      return typeof node !== 'string'
        ? []
        : [
            {
              name: String(metadata.name),
              namespace: textOf(metadata.namespace) || 'kube-system',
              node,
              action: /entry\.sh revert\b/.test(command) ? 'revert' : 'convert',
              createdAt: textOf(metadata.creationTimestamp),
              outcome:
                metadata.deletionTimestamp !== undefined
                  ? 'is being deleted'
                  : is('Failed')
                    ? 'Failed'
                    : is('Complete')
                      ? 'Complete'
                      : 'runs',
              ...(finalizer === undefined ? {} : { finalizer }),
            },
          ];
    });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Deletes a Job, whereupon yurt-manager begins again; a finalizer would keep one that runs. */
function deletions({ name, namespace, finalizer }: Pick<JobFact, 'name' | 'namespace' | 'finalizer'>): string[] {
  const job = ['kubectl', '--namespace', namespace];
  return [
    shellCommand(...job, 'delete', '--ignore-not-found', '--wait=false', 'job', name),
    ...(finalizer === undefined
      ? []
      : [
          `${shellCommand(...job, 'get', '--ignore-not-found', '--output=name', 'job', name)} | while read -r job; do`,
          `  ${shellCommand(...job, 'patch', '--type=merge', '--patch', '{"metadata":{"finalizers":null}}')} "$job"`,
          'done',
        ]),
  ];
}

/** Settings of {@link readConversions}. */
export interface ConversionSettings {
  /** Node label with the pool's name. */
  readonly membershipLabel?: string;
  /** Whether a yurt-manager that converts nodes was read. */
  readonly converts?: boolean;
}

/**
 * How far the conversions of the Nodes of a dump are. Nodes that have nothing to do with one are left out: of other releases, of Cloud pools, or without pool.
 */
export function readConversions(
  objects: readonly PlainMap[],
  { membershipLabel = NODE_POOL_LABEL, converts = false }: ConversionSettings = {},
): NodeConversion[] {
  const jobs = jobFacts(objects);
  const missing = missingRights(objects);
  const nodes = objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Node');
  const edge = new Set(
    objects
      .filter(({ kind }) => kind === 'NodePool')
      .filter((pool) => (mapAt(pool, 'spec').type ?? 'Edge') === 'Edge')
      .map((pool) => mapAt(pool, 'metadata').name),
  );
  const names = new Set(nodes.map((node) => mapAt(node, 'metadata').name));
  return [
    ...nodes.flatMap((node) => {
      const { name } = mapAt(node, 'metadata');
      const pool = textOf(mapAt(mapAt(node, 'metadata'), 'labels')[membershipLabel]);
      const job = jobs.find((each) => each.node === name);
      return conversionOf(node, { pool, job, missing, isConverted: converts && edge.has(pool) });
    }),
    ...jobs.filter(({ node }) => nodes.length > 0 && !names.has(node)).map(orphan),
  ];
}

function orphan(job: JobFact): NodeConversion {
  const what = `there is no such Node, and its Job ${job.name} (${job.outcome}, of ${job.createdAt}) is left: a machine that joins under this name takes it for its own, and gets no yurthub`;
  const name = nameOf({ kind: 'Job', metadata: job });
  return {
    node: job.node,
    state: 'stale Job',
    seen: jobText(job),
    job: name,
    repair: { what, commands: deletions(job) },
  };
}

const jobText = (job: JobFact | undefined): string =>
  job === undefined ? 'no Job' : `${job.action} Job of ${job.createdAt}: ${job.outcome}`;

/** What the state of one Node is computed from. */
interface NodeFacts {
  readonly pool: string;
  readonly job: JobFact | undefined;
  readonly missing: readonly string[] | undefined;
  /** Whether yurt-manager converts nodes of its pool. */
  readonly isConverted: boolean;
}

function conversionOf(node: PlainMap, { pool, job, missing, isConverted }: NodeFacts): NodeConversion[] {
  const { name, labels, creationTimestamp } = mapAt(node, 'metadata') as { name: string } & PlainMap;
  const isWorker = isMap(labels) && labels[EDGE_WORKER_LABEL] === TRUE;
  const condition = listOf(mapAt(node, 'status').conditions).find(({ type }) => type === 'YurtNodeConversionFailed');
  const reason = textOf(condition?.reason);
  const isCordoned = mapAt(node, 'spec').unschedulable === true;
  const seen = [
    reason === '' ? 'no condition' : reason,
    ...(isCordoned ? ['cordoned'] : []),
    ...(isWorker ? ['edge worker'] : []),
    jobText(job),
  ].join(', ');
  const found = (state: ConversionState, what?: string, commands: readonly string[] = [], byHand?: string) => {
    const repair = what && { what, commands, ...(byHand === undefined ? {} : { byHand }) };
    return [{ node: name, state, seen, ...(repair ? { repair } : {}) }];
  };
  if (condition === undefined && job === undefined && (isWorker || !isConverted)) {
    return [];
  }
  if (job !== undefined && job.createdAt !== '' && job.createdAt < textOf(creationTimestamp)) {
    return found(
      'stale Job',
      `the Job of ${job.createdAt} (${job.outcome}) is of an earlier machine: yurt-manager takes it for that of this Node, which ${isWorker ? 'counts as converted, and has no yurthub' : 'is not converted'}`,
      [
        ...deletions(job),
        // only the controller and nodes may change the label
        ...(isWorker
          ? [shellCommand('kubectl', `--as=${CONTROLLER}`, 'label', 'node', name, `${EDGE_WORKER_LABEL}-`)]
          : []),
      ],
    );
  }
  if (!isWorker && job === undefined && pool !== '' && name.length > LONGEST_CONVERTED_NAME) {
    return found(
      'long name',
      `its name has ${name.length} characters, and a Node with more than ${LONGEST_CONVERTED_NAME} cannot be converted: the API server refuses the Job, and the Node stays cordoned`,
      [],
      'take the machine out with the leave script of its join, delete the Node, and join it under a shorter name (nodeName, or the host name)',
    );
  }
  if (job?.outcome === 'is being deleted') {
    return found(
      'failed',
      `its Job ${job.name} waits to be deleted, and the Node ${reason === '' ? 'waits for it' : `is ${reason}`} for ever`,
      job.finalizer === undefined ? [] : deletions(job).slice(1),
      job.finalizer === undefined ? 'delete the Pod of the Job' : undefined,
    );
  }
  if (condition?.status === 'True') {
    const isReversal = reason === 'RevertFailed';
    const lacks = isReversal || (missing ?? []).length === 0 ? '' : `; nodes may not ${(missing ?? []).join(', ')}`;
    return found(
      'failed',
      `its ${isReversal ? 'reversal' : 'conversion'} has failed (${textOf(condition.message)}), and it stays cordoned${lacks}`,
      [
        ...(isReversal || missing?.length === 0 ? [] : [APPLY_RIGHTS]),
        // the Job may not be in the dump
        ...deletions(job ?? { name: `${JOB}${name}`, namespace: 'kube-system' }),
      ],
      pool === '' && !isReversal
        ? 'it has left its pool, so nothing takes away what the failed conversion has left on it: give it the label of its pool again, run these commands, wait for the reason Converted, and remove the label'
        : undefined,
    );
  }
  if (reason === '' && job === undefined) {
    return found(
      'not begun',
      `it is in an Edge pool, and its conversion has not begun`,
      [],
      'yurt-manager begins within a second: see whether its Pod runs, and its log',
    );
  }
  return found(reason === 'Converted' ? 'converted' : reason === 'Reverted' ? 'reverted' : 'running');
}

/** Who may change the label of edge nodes besides the node itself (`pkg/yurtmanager/webhook/node/v1`, of 1.7). */
const CONTROLLER = 'system:serviceaccount:kube-system:yurt-manager-yurt-node-conversion-controller';
