import { join } from 'node:path';
import type { Command } from 'commander';
import { ProblemList } from '../base/errors.js';
import { entryOf, mapAt, type PlainMap } from '../base/plain-data.js';
import { type JoinReport, reportJoins } from '../join/join-report.js';
import { type NodeReport, type NodeRow, nodesScript, reportNodes } from '../fleet/node-report.js';
import { itemsOf } from '../fleet/placement-input.js';
import { poolNames } from '../fleet/fleet.js';
import { readState } from '../preconditions/cluster-state.js';
import { dump, hostNetworkLabel, hostNetworkPool, json, nodePoolLabel, outputFolder, reportFormat } from './options.js';
import { type Action, type CommandLine, EXIT, hostNetworkLabelOf, UsageError } from './command-line.js';
import { filesAt, sourceOf } from './read-files.js';
import { hangingText, textTable, wrappedText } from '../base/table.js';
import { writeInto } from '../base/output.js';

interface Options {
  readonly dump?: string;
  readonly out: string;
  readonly hostNetworkPool?: readonly string[];
  readonly nodePoolLabel?: string;
  readonly hostNetworkLabel?: string;
  readonly format: 'text' | 'json';
}

const DUMP = 'npx edge-nodepools dump nodes > dump.yaml';

/** `edge-nodepools nodes`: which Nodes are not as their pools want them, and the commands that repair them. */
function runNodes(
  { dump, out, hostNetworkPool, nodePoolLabel, format, hostNetworkLabel }: Options,
  line: CommandLine,
): number {
  if (dump === undefined) {
    throw new UsageError(`write --dump <folder, file or - for stdin>; it is written by: ${DUMP}`);
  }
  const problems = new ProblemList();
  const { objects } = readState(filesAt(dump, '--dump', out, line), problems);
  problems.throwIfAny('nodes');
  const report = reportNodes(objects, {
    membershipLabel: nodePoolLabel,
    hostNetworkPools: hostNetworkPool,
    ...hostNetworkLabelOf(hostNetworkLabel),
  });
  if (report.nodes.length === 0) {
    throw new UsageError(`there is no Node in ${sourceOf(dump)}; write a dump: ${DUMP}`);
  }
  const pools = report.nodes.flatMap(({ name, pool }): [string, string][] =>
    pool === undefined ? [] : [[name, pool]],
  );
  if (nodePoolLabel !== undefined && !objects.flatMap(itemsOf).some((each) => hasLabel(each, nodePoolLabel))) {
    throw new UsageError(
      `--node-pool-label ${nodePoolLabel}: no Node has this label; write its key, without a value, for example apps.openyurt.io/nodepool`,
    );
  }
  const stray = hostNetworkPool?.find((pool) => !pools.some(([, each]) => each === pool));
  if (stray !== undefined) {
    const there = [...new Set(pools.map(([, pool]) => pool))];
    throw new UsageError(
      `--host-network-pool ${stray}: no Node is in such a pool; ${there.length === 0 ? 'the Nodes are in none' : `there are ${poolNames(there, 10)}`}`,
    );
  }
  const joins = reportJoins(objects.flatMap(itemsOf), new Map(pools));
  const script = nodesScript(report);
  const file = join(out, 'nodes.sh');
  if (script !== undefined) {
    writeInto(out, { path: 'nodes.sh', content: script, mode: 0o755 }, 'nodes');
  }
  line.stdout(
    format === 'json'
      ? `${JSON.stringify({ ...report, ...joins, files: script === undefined ? [] : [file] }, undefined, 2)}\n`
      : textOf(report, joins, file),
  );
  return report.unknownPools.length > 0 ? EXIT.unusable : report.gaps > 0 ? EXIT.findings : EXIT.ok;
}

function hasLabel(object: PlainMap, key: string): boolean {
  return object.kind === 'Node' && entryOf(mapAt(mapAt(object, 'metadata'), 'labels'), key) !== undefined;
}

const NO_POOL = '(no pool)';

function textOf(
  { nodes, gaps, unknownPools, readsPods, staleJobs }: NodeReport,
  joins: JoinReport,
  file: string,
): string {
  const bad = nodes.filter(({ findings }) => findings.length > 0);
  return [
    ...poolTable(nodes, unknownPools),
    '',
    ...joinLines(joins),
    ...bad.flatMap(({ name, pool, findings }) => [
      hangingText('', `${name} (${pool ?? 'no pool'})`),
      ...findings.flatMap(({ kind, what, byHand }) => [
        hangingText(`  ${kind.padEnd(16)}  `, what),
        ...(byHand === undefined ? [] : [hangingText(' '.repeat(20), `not repaired: ${byHand}`)]),
      ]),
    ]),
    ...staleJobs.map(({ node, repair }) => hangingText('  stale-job         ', `${node}: ${repair?.what ?? ''}`)),
    ...nodes.flatMap(({ name, conversion, findings }) =>
      conversion === undefined || conversion.state === 'converted' || findings.length > 0
        ? []
        : [hangingText('', `${name}: conversion ${conversion.state} (${conversion.seen})`)],
    ),
    ...(bad.length + staleJobs.length === 0 ? [] : ['']),
    ...(readsPods ? [] : ['no Pod was read; a dump with Pods:', `  ${DUMP}`]),
    ...(unknownPools.length === 0
      ? []
      : [
          wrappedText(
            `there is no NodePool in the dump, so nothing is said about the Nodes of ${unknownPools.join(', ')}; add the NodePools, or write --host-network-pool <name> for each host-network pool`,
          ),
        ]),
    gaps === 0
      ? unknownPools.length === 0
        ? 'nothing to do'
        : 'nothing to do for the other Nodes'
      : `${gaps} ${gaps === 1 ? 'gap' : 'gaps'}; see ${file}`,
    '',
  ].join('\n');
}

/** One line for each pool: what it is, and how many of its Nodes have which gap. */
function poolTable(nodes: readonly NodeRow[], unknownPools: readonly string[]): string[] {
  const pools = new Map<string, NodeRow[]>();
  for (const node of nodes) {
    const key = node.pool ?? NO_POOL;
    const members = pools.get(key) ?? [];
    members.push(node);
    pools.set(key, members);
  }
  const converts = nodes.some(({ conversion }) => conversion !== undefined);
  const head = ['pool', 'network', 'nodes', 'fine', 'label', 'taints', 'Pods', ...(converts ? ['yurthub'] : [])];
  const rows = [...pools].map(([pool, members]) => {
    const having = (...kinds: readonly string[]): string =>
      String(members.filter(({ findings }) => findings.some(({ kind }) => kinds.includes(kind))).length || '-');
    const hostNetwork = members[0]?.hostNetwork;
    return [
      pool,
      hostNetwork === undefined ? '-' : hostNetwork ? 'host network' : 'regular',
      String(members.length),
      unknownPools.includes(pool) ? '-' : String(members.filter(({ findings }) => findings.length === 0).length),
      having('label-missing', 'label-unexpected'),
      having('taint-missing'),
      having('pod-misplaced'),
      ...(converts ? [having('not-converted', 'dead-after-boot')] : []),
    ];
  });
  return [textTable(head, rows)];
}

/** The joins of each pool, if the dump has any. */
function joinLines({ joins, unknown }: JoinReport): string[] {
  if (joins.length === 0) {
    return [];
  }
  const rows = joins.map(({ pool, join, nodes, published, isNewest, differs, update }) => [
    pool,
    join,
    String(nodes.length || '-'),
    published ?? 'not in the dump',
    isNewest
      ? 'the newest'
      : differs === undefined
        ? 'unknown'
        : differs.length === 0
          ? 'the same settings as the newest'
          : `differs in ${differs.join(', ')}${nodes.length === 0 ? '' : update === undefined ? ': leave and join again' : ': update'}`,
  ]);
  return [
    textTable(['pool', 'join', 'nodes', 'published', 'settings'], rows),
    ...joins.flatMap(({ nodes, update }) => (update === undefined ? [] : [`update ${someOf(nodes)}: ${update}`])),
    ...joins.flatMap(({ removal }) =>
      removal === undefined ? [] : [`no node uses it, and it can be deleted: ${removal}`],
    ),
    ...(unknown.length === 0 ? [] : [wrappedText(`without the label of a join: ${unknown.join(', ')}`)]),
    '',
  ];
}

/** The first names. */
function someOf(names: readonly string[]): string {
  const rest = names.length - 10;
  return names.slice(0, 10).join(', ') + (rest > 0 ? ` and ${rest} more, which --format json names` : '');
}

/** The options of `edge-nodepools nodes`. */
export function addNodes(program: Command, action: Action): void {
  program
    .command('nodes')
    .description('reports which Nodes differ from what their pools require, and writes the commands that repair them')
    .addOption(dump())
    .addOption(outputFolder('nodes'))
    .addOption(hostNetworkPool())
    .addOption(nodePoolLabel())
    .addOption(hostNetworkLabel())
    .addOption(reportFormat('report'))
    .addOption(json())
    .addHelpText(
      'after',
      '\nExit code 0: every Node is as its pool requires. 1: gaps found; out/nodes.sh\nrepairs them. 2: the input is invalid, or does not say what the pool of a Node\nis.',
    )
    .action(action(runNodes));
}
