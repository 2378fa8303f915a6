import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { FieldLines } from '../fleet/field-lines.js';
import { joinPath, ProblemList } from '../base/errors.js';
import { nameOf } from '../kubernetes/object.js';
import { explainOnNode, explainOnPools, type Explanation, workloadsNamed } from '../fleet/placement-reasons.js';
import { poolNames } from '../fleet/fleet.js';
import { itemsOf } from '../fleet/placement-input.js';
import type { ReadFile } from '../preconditions/cluster-state.js';
import { hangingText } from '../base/table.js';
import { objectsFromYaml } from '../base/yaml-text.js';
import type { PlainMap } from '../base/plain-data.js';
import { type Action, type CommandLine, EXIT, UsageError } from './command-line.js';
import {
  dumpInstead,
  hostNetworkLabel,
  hostNetworkPool,
  json,
  nodePoolLabel,
  pool,
  reportFormat,
  text,
} from './options.js';
import { filesAt, pathFrom, sourceGiven, sourceOf } from './read-files.js';
import { labelsOf, placeable, poolsBeside, poolsNamed } from './show.js';

interface Options {
  readonly format: 'text' | 'json';
  readonly pool?: readonly string[];
  readonly node?: string;
  readonly dump?: string;
  readonly hostNetworkPool?: readonly string[];
  readonly nodePoolLabel?: string;
  readonly hostNetworkLabel?: string;
}

/** Where the objects of files are. */
type Places = ReadonlyMap<string, { readonly file: string; readonly lines: FieldLines; readonly index: number }>;

/** `edge-nodepools explain`: what becomes of one workload on each pool, or on a Node, and every reason. */
function runExplain(workload: string, path: string | undefined, options: Options, line: CommandLine): number {
  const from = sourceGiven(path, options.dump, `explain '${workload}'`);
  if (from !== '-' && !existsSync(from) && existsSync(workload)) {
    throw new UsageError(`${workload} is a folder or file, and comes last; write explain ${from} ${workload}`);
  }
  const problems = new ProblemList();
  const files = filesAt(from, 'explain', undefined, line);
  const { objects: all, places } = readObjects(files, from, problems);
  const written = poolsBeside(from, problems);
  problems.throwIfAny('explain');
  const labels = labelsOf(options, written);
  const target = theWorkload(all, workload, from);
  const objects = [
    ...placeable(
      all.filter((object) => object !== target),
      line,
    ),
    target,
  ];
  const declared = [...written, ...poolsNamed(options.hostNetworkPool, labels, objects, line)];
  const explanations =
    options.node === undefined
      ? ofPools(explainOnPools(objects, target, labels, declared), options.pool, from)
      : [explainOnNode(objects, target, options.node, labels) ?? noNode(options.node, objects, from)];
  line.stdout(
    options.format === 'json'
      ? `${JSON.stringify(asJson(target, explanations, places), undefined, 2)}\n`
      : asText(target, explanations, places),
  );
  return EXIT.ok;
}

function readObjects(
  files: readonly ReadFile[],
  from: string,
  problems: ProblemList,
): { objects: PlainMap[]; places: Places } {
  const places = new Map<string, { file: string; lines: FieldLines; index: number }>();
  const objects = files.flatMap(({ path, text: content }) => {
    const lines = new FieldLines(content);
    const found = (objectsFromYaml(content, problems.at(path), 'rounded') ?? []).flatMap(itemsOf);
    found.forEach((object, index) => {
      if (!places.has(nameOf(object))) {
        places.set(nameOf(object), { file: pathFrom(from, path), lines, index });
      }
    });
    return found;
  });
  return { objects, places };
}

function theWorkload(objects: readonly PlainMap[], wanted: string, from: string): PlainMap {
  const [target, ...others] = workloadsNamed(objects, wanted);
  if (target === undefined) {
    throw new UsageError(
      `there is no workload ${wanted} in ${sourceOf(from)}; write it as show prints it: 'Deployment default/web'`,
    );
  }
  if (others.length > 0) {
    const names = [target, ...others].map((each) => `'${nameOf(each)}'`);
    throw new UsageError(`${wanted} is ${names.length} workloads; write ${poolNames(names, 6)}`);
  }
  return target;
}

function ofPools(
  explanations: readonly Explanation[],
  wanted: readonly string[] | undefined,
  from: string,
): Explanation[] {
  const all = explanations.flatMap(({ pools }) => pools);
  if (all.length === 0) {
    throw new UsageError(
      `there is no NodePool and no Node in ${sourceOf(from)}; write the folder with the output of a program, or add --host-network-pool <name>`,
    );
  }
  const unknown = wanted?.find((pool) => !all.includes(pool));
  if (unknown !== undefined) {
    throw new UsageError(`--pool ${unknown}: there is no such pool; there are ${poolNames(all, 10)}`);
  }
  return explanations
    .map((each) => ({ ...each, pools: each.pools.filter((pool) => wanted?.includes(pool) ?? true) }))
    .filter(({ pools }) => pools.length > 0);
}

function noNode(node: string, objects: readonly PlainMap[], from: string): never {
  const names = objects.filter(({ kind }) => kind === 'Node').map((each) => nameOf(each).slice('Node '.length));
  const there = names.length === 0 ? `there are no Nodes in ${sourceOf(from)}` : `there are ${poolNames(names, 10)}`;
  throw new UsageError(`--node ${node}: there is no such Node; ${there}`);
}

/** The same with the places: each reason has the file and the line of its field. */
function asJson(target: PlainMap, explanations: readonly Explanation[], places: Places): object {
  const place = places.get(nameOf(target));
  const at = (path: string): object => {
    const found = place?.lines.lineOf(place.index, path);
    return { ...(place === undefined ? {} : { file: place.file }), ...(found === undefined ? {} : { line: found }) };
  };
  return {
    workload: nameOf(target),
    ...at(''),
    explanations: explanations.map((each) => ({
      ...each,
      reasons: each.reasons.map((reason) => {
        const path = reason.field.reduce<string>(joinPath, '');
        return { ...reason, path, ...at(path) };
      }),
    })),
  };
}

function asText(target: PlainMap, explanations: readonly Explanation[], places: Places): string {
  const place = places.get(nameOf(target));
  const at = (path: string): string => {
    const found = place?.lines.lineOf(place.index, path);
    return [found === undefined ? place?.file : `${place?.file}:${found}`, path].filter(Boolean).join('  ');
  };
  const lines = explanations.flatMap(({ pools, hostNetwork, outcome, reasons }) => [
    '',
    hangingText('', `${poolNames(pools)} (${hostNetwork ? 'host network' : 'regular'}): ${outcome}`),
    ...reasons.flatMap((each) => [
      hangingText('  ', `${each.by}: ${each.outcome === outcome ? '' : `${each.outcome}: `}${each.reason}`),
      `      ${at(each.field.reduce<string>(joinPath, ''))}`,
    ]),
  ]);
  return `${[`${nameOf(target)}  ${at('')}`.trimEnd(), ...lines].join('\n')}\n`;
}

/** The options of `edge-nodepools explain`. */
export function addExplain(program: Command, action: Action): void {
  program
    .command('explain')
    .description('explains what becomes of one workload on each pool, with every reason, its field and its line')
    .argument('<workload>', "as show prints it, 'Deployment default/web'; or web, default/web, deployment/web", text)
    .argument('[path]', 'folder or file with manifests, for example dist, or a dump of a cluster; - for stdin', text)
    .addOption(dumpInstead())
    .addOption(reportFormat('output'))
    .addOption(json())
    .addOption(pool())
    .option('--node <name>', 'this Node of a dump, with the Pods that it has', text)
    .addOption(hostNetworkPool())
    .addOption(nodePoolLabel())
    .addOption(hostNetworkLabel())
    .addHelpText('after', '\nExit code 0: explained. 2: the input is invalid, or has no such workload.')
    .action(action(runExplain));
}
