import { hangingText, textTable, wrappedText } from '../base/table.js';
import { poolNames } from './fleet.js';
import { timeText } from '../kubernetes/duration.js';
import type { TimeRange } from './node-lifecycle.js';
import type { OutageReport } from './outage.js';
import type { WorkloadOutage } from './workload-outage.js';
import type { CountRange } from './zone-outage.js';

/** `40 s to 60 s`, `from 340 s on`. */
export function rangeText({ earliest, latest }: TimeRange): string {
  if (latest === undefined) {
    return `from ${timeText(earliest)} on`;
  }
  return earliest === latest ? timeText(earliest) : `${timeText(earliest)} to ${timeText(latest)}`;
}

/** `4`, `0 to 3`. */
export function countText({ min, max }: CountRange): string {
  return min === max ? String(min) : `${min} to ${max}`;
}

const THEN: Readonly<Record<NonNullable<WorkloadOutage['then']>, string>> = {
  replaced: 'replaced',
  'waits for a Node': 'no other Node can run it: Pending',
  'waits for the same Node': 'Terminating until the Node is back or deleted',
  'not created again': 'nothing creates it again',
  unknown: 'what follows is unknown',
};

/** What happens to a workload, in one line. */
export function outcomeText({ outcome, evictedAt, then, replacedOn = [], doubled }: WorkloadOutage): string {
  if (outcome === 'not there' || outcome === 'stays') {
    return outcome;
  }
  const when = evictedAt === undefined ? '' : ` ${rangeText(evictedAt)}`;
  const next =
    then === undefined ? '' : `; ${THEN[then]}${replacedOn.length > 0 ? ` on ${poolNames(replacedOn)}` : ''}`;
  return `${outcome}${when}${next}${doubled ? ', and the old one runs on until the network is back' : ''}`;
}

/** The rows of the workloads; pools of a YurtAppSet with the same fate are one. */
function workloadRows(workloads: readonly WorkloadOutage[]): string[][] {
  const rows = new Map<string, { readonly row: readonly string[]; readonly pools: string[] }>();
  workloads.forEach((each, index) => {
    const row = [each.workload, countText(each.pods), outcomeText(each), each.rule];
    const key = JSON.stringify(each.pool === undefined ? index : row);
    const pools = rows.get(key)?.pools ?? [];
    rows.set(key, { row, pools: each.pool === undefined ? pools : [...pools, each.pool] });
  });
  return [...rows.values()].map(({ row: [workload = '', ...rest], pools }) => [
    pools.length === 0 ? workload : `${workload} in ${poolNames(pools)}`,
    ...rest,
  ]);
}

/** What happens to the Nodes, in one line. */
export function nodesText({ kubernetes, assumed, nodesAway, lasts, notReadyAt }: OutageReport): string {
  const long = lasts === undefined ? 'without end' : `for ${timeText(lasts)}`;
  const ready =
    notReadyAt === undefined ? 'none becomes NotReady' : `NotReady and NoSchedule after ${rangeText(notReadyAt)}`;
  const many = nodesAway === 1 ? '1 Node is' : `${nodesAway} Nodes are`;
  return `${many} unreachable ${long}, with kube-controller-manager ${kubernetes}${assumed === undefined ? '' : ' (assumed)'}: ${ready}`;
}

/** The report as text of at most 100 columns. */
export function outageText(report: OutageReport): string {
  const { kubernetes, assumed, zones, workloads, update } = report;
  const groups = new Map<string, string[]>();
  for (const zone of zones) {
    const when = zone.taintedAt === undefined ? '' : `, ${rangeText(zone.taintedAt)}`;
    const key = JSON.stringify([zone.state, `${countText(zone.tainted)}${when}`, zone.rule]);
    groups.set(key, [...(groups.get(key) ?? []), zone.zone === '' ? '(no zone)' : zone.zone]);
  }
  const zoneRows = [...groups].map(([key, names]) => [poolNames(names), ...(JSON.parse(key) as string[])]);
  const there = workloads.filter(({ outcome }) => outcome !== 'not there');
  const others = workloads.length - there.length;
  return [
    wrappedText(nodesText(report)),
    ...(assumed === undefined
      ? []
      : [
          hangingText(
            'assumed: ',
            `kube-controller-manager ${kubernetes}, because ${assumed}; write kubernetes (--kubernetes)`,
          ),
        ]),
    '',
    textTable(['ZONE', 'STATE', 'NOEXECUTE', 'WHY'], zoneRows),
    '',
    there.length === 0
      ? 'no workload has a Pod on them'
      : textTable(['WORKLOAD', 'PODS', 'WHAT HAPPENS', 'WHY'], workloadRows(there)),
    ...(others === 0 || there.length === 0
      ? []
      : ['', `${others === 1 ? '1 other workload has' : `${others} other workloads have`} no Pod there`]),
    ...(update === undefined
      ? []
      : [
          '',
          hangingText(
            `update of ${update.workload}: `,
            `${update.outcome}; ${countText(update.updated)} of ${update.pods} Pods are updated, ${countText(update.away)} are unreachable; ${update.rule}`,
          ),
        ]),
  ].join('\n');
}
