import { poolNames } from './fleet.js';
import { hangingText } from '../base/table.js';
import { changeText, changeTitle } from './fleet-diff.js';
import type { Difference, FleetMoves, Move, PlaceOutcome } from './fleet-moves.js';

const SIGNS: Readonly<Record<Difference['change'], string>> = { appears: '+ ', goes: '- ', changes: '~ ' };

/** How many fields of an object are named. */
const MOST_FIELDS = 5;

/** The differences as lines of at most 100 columns: `+` appears, `-` goes, `~` changes. */
export function movesText(moves: FleetMoves): string {
  const all = [...moves.pools, ...moves.workloads];
  return [
    ...all.flatMap((difference) => [
      hangingText(SIGNS[difference.change], titleOf(difference)),
      ...difference.moves.map((move) => hangingText(INDENT, moveText(move))),
      ...(difference.immutable ?? []).map((path) =>
        hangingText(INDENT, `${path} cannot be changed: delete the object, and create it again`),
      ),
      ...fieldsText(difference),
    ]),
    ...moves.unknown.map(({ object, fields }) => hangingText('? ', unknownText(object, fields))),
    summaryOf(moves),
    '',
  ].join('\n');
}

const INDENT = '    ';

function titleOf({ immutable = [], ...difference }: Difference): string {
  return changeTitle(immutable.length === 0 ? difference : { ...difference, rollsOut: false, held: undefined });
}

function unknownText(object: string, fields: readonly string[]): string {
  const more = fields.length > MOST_FIELDS ? ` and ${fields.length - MOST_FIELDS} more` : '';
  return `${object}: ${fields.slice(0, MOST_FIELDS).join(', ')}${more}: not in the manifests, and the dump does not say who wrote it (that of npx edge-nodepools dump diff does)`;
}

function moveText({ pools, before, after }: Move): string {
  const [from, to] = [before, after].map((each) => (each === undefined ? undefined : outcomeText(each)));
  const what = from === undefined ? to : to === undefined ? `${from} -> goes` : `${from} -> ${to}`;
  return `${poolNames(pools)}: ${what}`;
}

function outcomeText({ outcome, reason }: PlaceOutcome): string {
  return reason === '' || reason.startsWith(outcome) ? reason || outcome : `${outcome} (${reason})`;
}

function fieldsText({ object, fields }: Difference): string[] {
  const shown = fields.slice(0, MOST_FIELDS).map((field) => hangingText(INDENT, changeText(object, field)));
  const rest = fields.length - shown.length;
  return rest > 0 ? [...shown, `${INDENT}and ${rest} more, which --format json names`] : shown;
}

function summaryOf({ pools, workloads, undeclared }: FleetMoves): string {
  const of = (change: Difference['change']): number => workloads.filter((each) => each.change === change).length;
  const moving = workloads.filter(({ change, moves }) => change === 'changes' && moves.length > 0).length;
  const rolling = workloads.filter(
    ({ rollsOut, immutable = [] }) => rollsOut === true && immutable.length === 0,
  ).length;
  const kinds = [
    [moving, 'moves', 'move'],
    [rolling, 'rolls out', 'roll out'],
    [of('appears'), 'appears', 'appear'],
    [of('goes'), 'goes', 'go'],
  ] as const;
  const reported = kinds
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => `${count} ${count === 1 ? one : many}`);
  const differ = (count: number, what: string): string[] =>
    count === 0 ? [] : [`${count} ${what}${count === 1 ? ' differs' : 's differ'}`];
  const parts = [
    ...differ(pools.length, 'pool'),
    ...differ(workloads.length, 'workload').map((text) =>
      reported.length === 0 ? text : `${text}: ${reported.join(', ')}`,
    ),
  ];
  const others = undeclared.length;
  return [
    parts.length === 0 ? 'no difference' : parts.join('; '),
    ...(others === 0
      ? []
      : [`${others} ${others === 1 ? 'object' : 'objects'} of the dump ${others === 1 ? 'is' : 'are'} not declared`]),
  ].join('; ');
}
