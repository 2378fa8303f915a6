import { OPENYURT_RELEASES } from '../cluster/openyurt-releases.js';
import {
  DESIRED_NODE_POOL_LABEL,
  EXCLUDE_ANNOTATION,
  hasOtherValues,
  type HostNetworkLabel,
  JOIN_LABEL,
  NODE_POOL_LABEL,
  OPENYURT_HOST_NETWORK,
  TRUE,
} from '../kubernetes/labels.js';
import { ProblemList } from '../base/errors.js';
import { podSpecExcludes } from '../workloads/exclusion-affinity.js';
import { nameOf } from '../kubernetes/object.js';
import { checkTaints } from '../kubernetes/taint.js';
import { publishedTexts } from '../join/join-report.js';
import { YURTHUB_DROP_IN } from '../join/node-paths.js';
import { type ConversionState, type NodeConversion, readConversions } from '../pools/node-conversion.js';
import { nodeFacts, poolFacts } from '../preconditions/node-pool-facts.js';
import { conversionIn } from '../preconditions/yurt-manager-fact.js';
import { type Repair, repairScript, shellCommand } from '../base/shell.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { itemsOf } from './placement-input.js';

/** Something on a Node that its pool does not want. */
export interface NodeFinding extends Repair {
  /**
   * - `label-missing`: the Node is in a host-network pool without the host-network label, or with another value than `"true"`
   * - `label-unexpected`: the Node has the label, and is in a regular pool or in none
   * - `taint-missing`: a taint of the pool
   * - `pod-misplaced`: a Pod on a host-network node that cannot run there, or that is excluded
   * - `pool-missing`: the pool of the Node does not exist
   * - `not-converted`: OpenYurt has not made an edge node of it
   * - `dead-after-boot`: it is an edge node whose yurthub nothing starts at boot
   */
  readonly kind:
    | 'label-missing'
    | 'label-unexpected'
    | 'taint-missing'
    | 'pod-misplaced'
    | 'pool-missing'
    | 'not-converted'
    | 'dead-after-boot';
}

/** A Node, and what is wrong with it. */
export interface NodeRow {
  readonly name: string;
  /** @default - it is in no pool */
  readonly pool?: string;
  /** Whether its pool is a host-network pool.
   * @default - unknown, or it is in no pool */
  readonly hostNetwork?: boolean;
  /** How far OpenYurt is with making an edge node of it, and what shows that.
   * @default - nothing shows that it is doing so */
  readonly conversion?: { readonly state: ConversionState; readonly seen: string };
  readonly findings: readonly NodeFinding[];
}

/** The Nodes of a dump compared with their pools. */
export interface NodeReport {
  readonly nodes: readonly NodeRow[];
  /** Number of findings. */
  readonly gaps: number;
  /** Pools with Nodes of which the dump does not say what they are, because it has no NodePool at all. */
  readonly unknownPools: readonly string[];
  /** Whether the dump has a Pod. */
  readonly readsPods: boolean;
  /** Jobs that are left of Nodes which are gone. */
  readonly staleJobs: readonly NodeConversion[];
}

/** Settings of {@link reportNodes}. */
export interface NodeReportSettings {
  /** Node label with the pool's name. */
  readonly membershipLabel?: string;
  /** Host-network pools without a NodePool object, as without OpenYurt. */
  readonly hostNetworkPools?: readonly string[];
  /** Label of host-network nodes. */
  readonly hostNetworkLabel?: HostNetworkLabel;
}

/** What a pool wants of its Nodes. */
interface Wanted {
  readonly hostNetwork: boolean;
  readonly taints: readonly PlainMap[];
}

/** Compares the Nodes of a dump with the pools that they are in. */
export function reportNodes(
  dump: readonly PlainMap[],
  {
    membershipLabel = NODE_POOL_LABEL,
    hostNetworkPools = [],
    hostNetworkLabel = OPENYURT_HOST_NETWORK,
  }: NodeReportSettings = {},
): NodeReport {
  const objects = dump.flatMap(itemsOf);
  const pools = wantedOf(objects, membershipLabel, hostNetworkPools);
  const hasNodePools = objects.some(({ kind }) => kind === 'NodePool');
  const pods = podsByNode(objects);
  const unknownPools = new Set<string>();
  const conversion = conversionIn(objects);
  const conversions = readConversions(objects, { membershipLabel, converts: conversion !== undefined });
  const byNode = new Map(conversions.map((each) => [each.node, each]));
  const joins = publishedTexts(objects);
  const nodes = objects
    .filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Node')
    .map((node): NodeRow => {
      const name = String(mapAt(node, 'metadata').name);
      const pool = poolOf(node, membershipLabel, hasNodePools);
      const wanted = pool === undefined ? undefined : pools.get(pool);
      const isKnown = hasNodePools || hostNetworkPools.length > 0;
      const own = byNode.get(name);
      byNode.delete(name);
      const converted = {
        ...(own === undefined ? {} : { conversion: { state: own.state, seen: own.seen } }),
        findings: [
          ...(own?.repair === undefined ? [] : [{ ...own.repair, kind: 'not-converted' as const }]),
          ...(own?.state === 'converted' && conversion?.unitEnabled !== true ? bootFindings(node, joins) : []),
        ],
      };
      if (pool !== undefined && wanted === undefined && !isKnown) {
        unknownPools.add(pool);
        return { name, pool, ...converted };
      }
      // without OpenYurt every pool that is not named is a regular one
      const hostNetwork = wanted?.hostNetwork ?? (pool === undefined || hasNodePools ? undefined : false);
      return {
        name,
        ...(pool === undefined ? {} : { pool }),
        ...(hostNetwork === undefined ? {} : { hostNetwork }),
        ...converted,
        findings: [
          ...converted.findings,
          ...(pool !== undefined && wanted === undefined && hasNodePools ? [poolMissing(pool)] : []),
          ...labelFindings(name, node, pool, hostNetwork, hostNetworkLabel),
          ...taintFindings(name, node, wanted?.taints ?? []),
          ...((hostNetwork ?? labelsOf(node)[hostNetworkLabel.key] === hostNetworkLabel.value)
            ? (pods.get(name) ?? []).flatMap((pod) => podFindings(pod, hostNetworkLabel))
            : []),
        ],
      };
    });
  // of no Node
  const staleJobs = [...byNode.values()];
  return {
    nodes,
    gaps: nodes.reduce((sum, { findings }) => sum + findings.length, staleJobs.length),
    unknownPools: [...unknownPools],
    readsPods: pods.size > 0,
    staleJobs,
  };
}

/** The script that repairs Nodes; undefined if there is nothing to repair. */
export function nodesScript({ nodes, staleJobs }: NodeReport): string | undefined {
  const named = (node: string, repair: Repair): Repair => ({ ...repair, what: `${node}: ${repair.what}` });
  const repairs = [
    ...nodes.flatMap(({ name, findings }) => findings.map((finding) => named(name, finding))),
    ...staleJobs.flatMap(({ node, repair }) => (repair === undefined ? [] : [named(node, repair)])),
  ];
  return repairs.length === 0
    ? undefined
    : repairScript('Repairs Nodes. It can be run again. Lines that are commented out need a decision.', repairs);
}

/** The pools of a dump by name. A pool of an older API version has hostNetwork in an annotation. */
function wantedOf(
  objects: readonly PlainMap[],
  membershipLabel: string,
  hostNetworkPools: readonly string[],
): ReadonlyMap<string, Wanted> {
  const stored = `apps.openyurt.io/${OPENYURT_RELEASES.at(-1)?.nodePoolVersion ?? ''}`;
  const facts = poolFacts(objects, nodeFacts(objects, membershipLabel), stored);
  const taints = new Map(
    objects.filter(({ kind }) => kind === 'NodePool').map((pool) => [mapAt(pool, 'metadata').name, taintsOf(pool)]),
  );
  return new Map<string, Wanted>([
    ...hostNetworkPools.map((name): [string, Wanted] => [name, { hostNetwork: true, taints: [] }]),
    ...facts.map(({ name, hostNetwork }): [string, Wanted] => [
      name,
      { hostNetwork: hostNetwork || hostNetworkPools.includes(name), taints: taints.get(name) ?? [] },
    ]),
  ]);
}

function taintsOf(object: PlainMap): PlainMap[] {
  const { taints } = mapAt(object, 'spec');
  return Array.isArray(taints) ? taints.filter(isMap) : [];
}

const labelsOf = (object: PlainMap): Readonly<Record<string, string | undefined>> =>
  mapAt(mapAt(object, 'metadata'), 'labels') as Record<string, string | undefined>;

/** OpenYurt reads the older label if the newer one is empty. */
function poolOf(node: PlainMap, membershipLabel: string, hasOpenYurt: boolean): string | undefined {
  const labels = labelsOf(node);
  const named = labels[membershipLabel] ?? '';
  const pool = named === '' && hasOpenYurt ? labels[DESIRED_NODE_POOL_LABEL] : named;
  return pool === '' ? undefined : pool;
}

/** A Node that was converted, and whose join does not let kubelet wait for yurthub; if its join is not in the dump, nothing is said. */
function bootFindings(node: PlainMap, joins: ReadonlyMap<string, string>): NodeFinding[] {
  const join = labelsOf(node)[JOIN_LABEL];
  const text = join === undefined ? '' : joins.get(join);
  return text === undefined || text.includes(YURTHUB_DROP_IN)
    ? []
    : [
        {
          kind: 'dead-after-boot',
          what: 'OpenYurt does not enable the unit of yurthub: after a reboot kubelet waits for a proxy that does not run',
          commands: [
            `mkdir -p ${YURTHUB_DROP_IN.replace(/\/[^/]*$/, '')}`,
            `printf '[Unit]\\nWants=yurthub.service\\nAfter=yurthub.service\\n' >${YURTHUB_DROP_IN}`,
            'systemctl daemon-reload && systemctl start yurthub',
          ],
          byHand:
            'update the node to a join of this release, which writes the file; or run this on the node as root, also if it is down already',
        },
      ];
}

function poolMissing(pool: string): NodeFinding {
  return {
    kind: 'pool-missing',
    what: `there is no NodePool ${pool}`,
    commands: [],
    byHand: 'create the pool, or remove the Node',
  };
}

function labelFindings(
  name: string,
  node: PlainMap,
  pool: string | undefined,
  hostNetwork: boolean | undefined,
  ofMode: HostNetworkLabel,
): NodeFinding[] {
  const { key, value } = ofMode;
  const label = labelsOf(node)[key];
  if (hostNetwork === true && label !== value) {
    const what = label === undefined ? `it lacks label ${key}=${value}` : `label ${key} is ${label}`;
    return [
      {
        kind: 'label-missing',
        what: `${what}, and pool ${pool ?? ''} is a host-network pool`,
        commands: [shellCommand('kubectl', 'label', '--overwrite', '--', 'node', name, `${key}=${value}`)],
        ...(label === undefined || hasOtherValues(ofMode)
          ? {}
          : {
              byHand:
                'the webhook of OpenYurt refuses it while yurt-manager is up: delete the Node then, and join it again',
            }),
      },
    ];
  }
  const isOther = label === undefined || (hasOtherValues(ofMode) && label !== value);
  if (hostNetwork === true || isOther || (pool !== undefined && hostNetwork === undefined)) {
    return [];
  }
  return [
    {
      kind: 'label-unexpected',
      what: `it has label ${key}=${label}, and ${pool === undefined ? 'is in no pool' : `pool ${pool} is a regular pool`}`,
      commands: [
        shellCommand('kubectl', '--as=me', '--as-group=BREAK-GLASS-GROUP', 'label', '--', 'node', name, `${key}-`),
      ],
      byHand:
        'without the label Pods that need a Pod network are scheduled to it. If it has one, remove the label as a member of a break-glass group, or delete the Node and join it again',
    },
  ];
}

function taintFindings(name: string, node: PlainMap, wanted: readonly PlainMap[]): NodeFinding[] {
  const own = taintsOf(node);
  const text = ({ key, value = '', effect }: PlainMap): string =>
    [`${String(key)}${value === '' ? '' : '='}`, value, ':', effect].join('');
  return wanted
    .filter((taint) => !own.some((each) => text(each) === text(taint)))
    .map((taint) => {
      const faults = new ProblemList();
      checkTaints([taint], faults);
      const what = `it lacks taint ${text(taint)} of its pool`;
      return faults.problems.length > 0
        ? { kind: 'taint-missing', what, commands: [], byHand: 'no Node can have it: correct it in the NodePool' }
        : {
            kind: 'taint-missing',
            what,
            commands: [shellCommand('kubectl', 'taint', '--overwrite', '--', 'node', name, text(taint))],
          };
    });
}

/** The Pods that have not ended, by the name of their Node. */
function podsByNode(objects: readonly PlainMap[]): ReadonlyMap<string, PlainMap[]> {
  const pods = new Map<string, PlainMap[]>();
  for (const pod of objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Pod')) {
    const { nodeName } = mapAt(pod, 'spec');
    if (typeof nodeName === 'string' && !['Succeeded', 'Failed'].includes(String(mapAt(pod, 'status').phase))) {
      const others = pods.get(nodeName);
      if (others === undefined) {
        pods.set(nodeName, [pod]);
      } else {
        others.push(pod);
      }
    }
  }
  return pods;
}

/** A Pod on a host-network node that needs a Pod network, or is excluded: it was there before the label, or named its node. */
function podFindings(pod: PlainMap, label: HostNetworkLabel): NodeFinding[] {
  const { name, namespace = 'default', annotations, ownerReferences } = mapAt(pod, 'metadata');
  const spec = mapAt(pod, 'spec');
  const isExcluded = podSpecExcludes(spec, label) || (isMap(annotations) && annotations[EXCLUDE_ANNOTATION] === TRUE);
  if (spec.hostNetwork === true && !isExcluded) {
    return [];
  }
  const owners = Array.isArray(ownerReferences) ? ownerReferences.filter(isMap) : [];
  const owner = owners.find(({ controller }) => controller === true);
  const byHand =
    owner === undefined
      ? 'nothing creates it again'
      : owner.kind === 'Node'
        ? 'a static Pod: remove its file on the node'
        : isExcluded
          ? undefined
          : `${String(owner.kind)} ${String(owner.name)} can put the next one here: exclude its workload first`;
  return [
    {
      kind: 'pod-misplaced',
      what: `${nameOf({ ...pod, kind: 'Pod' })} runs here, and ${isExcluded ? 'is excluded from host-network nodes' : 'is not a hostNetwork Pod'}`,
      commands: [
        shellCommand(
          'kubectl',
          '--namespace',
          String(namespace),
          'delete',
          '--ignore-not-found',
          '--',
          'pod',
          String(name),
        ),
      ],
      ...(byHand === undefined ? {} : { byHand }),
    },
  ];
}
