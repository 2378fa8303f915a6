import {
  type Detection,
  EXCLUDE_DISRUPTION,
  nodeLifecycleOf,
  zoneOf,
  zoneStateOf,
  type ZoneTaints,
  zoneTaints,
} from '../../../../src/fleet/node-lifecycle.js';
import { stayOf } from '../../../../src/fleet/pod-stay.js';
import type { JudgedFlags, JudgedNode, SeenNode } from '../../harness/node-lifecycle-judge.js';

/** What is wrong in each zone with silent Nodes; nothing if all is as foretold. */
export interface Comparison {
  readonly verdicts: ReadonlyMap<string, readonly string[]>;
  readonly taints: number;
  readonly evictions: number;
}

/** How late something may be on a machine that is busy, in seconds. Nothing may be early. */
const SLACK = 3;

interface Zone {
  readonly zone: string;
  readonly nodes: number;
  readonly notReady: number;
  readonly silent: readonly JudgedNode[];
}

function zonesOf(nodes: readonly JudgedNode[]): Zone[] {
  const members = new Map<string, JudgedNode[]>();
  nodes.forEach((node) => {
    const zone = zoneOf(node.labels);
    const others = members.get(zone);
    if (others === undefined) {
      members.set(zone, [node]);
    } else {
      others.push(node);
    }
  });
  return [...members].map(([zone, all]) => {
    const counted = all.filter(({ labels }) => !Object.hasOwn(labels, EXCLUDE_DISRUPTION));
    const notReady = counted.filter(({ silent }) => silent).length;
    return { zone, nodes: counted.length, notReady, silent: all.filter(({ silent }) => silent) };
  });
}

/** Compares what the controllers did with the rule. */
export function compare(
  nodes: readonly JudgedNode[],
  { nodes: seen, end }: { readonly nodes: readonly SeenNode[]; readonly end: number },
  flags: JudgedFlags,
): Comparison {
  const lifecycle = { ...nodeLifecycleOf('1.36'), ...flags };
  const by = new Map(seen.map((node) => [node.name, node]));
  const found = nodes.filter(({ silent }) => silent).map(({ name }) => by.get(name)?.unknown ?? Infinity);
  const [first, last] = [Math.min(...found), Math.max(...found)];
  // a state counts from the end of the pass, in which all zones are looked at
  const detection = { earliest: first, latest: last + SLACK, spread: last - first + flags.nodeMonitorPeriod };
  const zones = zonesOf(nodes);
  const stops = zones
    .filter((zone) => zone.nodes > 0)
    .every((zone) => zoneStateOf(zone.notReady, zone.nodes, flags.unhealthyZoneThreshold) === 'full');
  let [taints, evictions] = [0, 0];
  const verdicts = zones
    .filter(({ silent, nodes: counted }) => silent.length > 0 && counted > 0)
    .map((zone): [string, string[]] => {
      const rule = zoneTaints({ ...zone, away: zone.silent.length }, stops, lifecycle, detection);
      const members = zone.silent.map((node) => ({ ...node, ...by.get(node.name) }));
      taints += members.filter(({ tainted }) => tainted !== undefined).length;
      evictions += members.filter(({ evicted }) => evicted !== undefined).length;
      return [
        zone.zone,
        [...taintsWrong(members, rule, detection, end), ...members.flatMap((each) => podWrong(each, end))],
      ];
    });
  return { verdicts: new Map(verdicts), taints, evictions };
}

type Member = JudgedNode & SeenNode;

/** The first taint may be there before its zone is found to be in its state, and each has its time. */
function taintsWrong(
  members: readonly Member[],
  { taintOf, state, rate }: ZoneTaints,
  { earliest }: Detection,
  end: number,
): string[] {
  const times = members.flatMap(({ tainted }) => tainted ?? []).sort((a, b) => a - b);
  const what = `${state}, ${rate} in a second`;
  return [
    ...members
      .filter(({ noSchedule, unknown }) => unknown === undefined || noSchedule === undefined)
      .map(({ name }) => `${name} is not found, or has no NoSchedule`),
    ...Array.from({ length: members.length }, (_, index) => index).flatMap((index) => {
      const [time, range] = [times[index], taintOf(index + 1)];
      if (time !== undefined && (range === undefined || time < range.earliest - 0.15)) {
        return `taint ${index + 1} of ${members.length} after ${time - earliest} s, foretold ${range === undefined ? 'never' : `from ${range.earliest - earliest} s on`} (${what})`;
      }
      const isDue = range?.latest !== undefined && range.latest + SLACK + 0.5 * (range.latest - earliest) < end;
      return time === undefined && isDue
        ? `no taint ${index + 1} of ${members.length}, foretold until ${(range.latest ?? 0) - earliest} s (${what})`
        : [];
    }),
  ];
}

function podWrong({ name, tolerations = [], tainted, takenBack, evicted }: Member, end: number): string[] {
  const { seconds, rule } = stayOf({ tolerations }, false, false);
  const due = (tainted ?? Infinity) + seconds;
  if (evicted !== undefined && evicted < due - 0.15) {
    return [`Pod on ${name} is evicted ${evicted - (tainted ?? 0)} s after the taint: ${rule}`];
  }
  const isOver = due + SLACK < end && takenBack === undefined;
  return evicted === undefined && isOver ? [`Pod on ${name} is not evicted: ${rule}`] : [];
}
